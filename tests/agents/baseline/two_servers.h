#pragma once

#include <ATen/ops/empty.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <memory>

#include "agents/kit/network.h"
#include "park/core/space.h"

namespace park::agents::test {

/// The motivating example of input-driven environments (Mao et al., ICLR 2019, section 3): two
/// equal servers, Pareto sizes, a load of 0.91.
inline constexpr const char* kTwoServers = "load_balance(servers=2,rates=[3,3],jobs=60)";

/// A policy of three weights (jobs, work and number of a server) and a value of four.
class TwoServers final : public Network {
 public:
  explicit TwoServers(const Spec& spec)
      : jobs_(Batch(spec.observation).field<float>("server.jobs")),
        work_(Batch(spec.observation).field<float>("server.work")) {
    policy_ = register_parameter("policy", at::tensor({-0.3f, -0.2f, 0.1f}));
    value_ = register_parameter("value", at::zeros({4}));
  }

  struct View final : Encoding {
    explicit View(const Batch& b) : batch(b) {}
    const Batch& batch;
  };
  std::unique_ptr<Encoding> encode(const Batch& observation) override {
    return std::make_unique<View>(observation);
  }

  at::Tensor scores(Encoding& encoding, std::size_t, const Candidates& c, const Batch&) override {
    const Batch& batch = static_cast<View&>(encoding).batch;
    const at::Tensor x = at::empty({static_cast<std::int64_t>(c.size()), 3});
    float* to = x.data_ptr<float>();
    for (std::size_t r = 0; r < c.rows(); ++r)
      for (auto i = c.offsets[r]; i < c.offsets[r + 1]; ++i) {
        const auto server = static_cast<std::size_t>(c.value[static_cast<std::size_t>(i)]);
        *to++ = batch.row(r)[jobs_][server];
        *to++ = std::log1p(batch.row(r)[work_][server] / 300);
        *to++ = static_cast<float>(server);
      }
    return at::matmul(x, policy_);
  }

  at::Tensor values(Encoding& encoding) override {
    const Batch& batch = static_cast<View&>(encoding).batch;
    const at::Tensor x = at::empty({static_cast<std::int64_t>(batch.rows()), 4});
    float* to = x.data_ptr<float>();
    for (std::size_t r = 0; r < batch.rows(); ++r) {
      const auto jobs = batch.row(r)[jobs_], work = batch.row(r)[work_];
      *to++ = 1;
      *to++ = 0.1f * (jobs[0] + jobs[1]);
      *to++ = std::log1p(work[0] / 300) + std::log1p(work[1] / 300);
      *to++ = std::abs(std::log1p(work[0] / 300) - std::log1p(work[1] / 300));
    }
    return at::matmul(x, value_);
  }
  [[nodiscard]] bool has_values() const noexcept override { return true; }

  at::Tensor policy_, value_;

 private:
  Field<float> jobs_, work_;
};

}  // namespace park::agents::test
