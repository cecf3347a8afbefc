#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "park/core/declarations.h"
#include "park/envs/load_balance/layout.h"

namespace park::load_balance {

/// What users of the servers declare about a job: its size. The dispatcher reckons with it as long
/// as the job is at its server, so server.work and server.drain_s follow. They contain the declared
/// size until the service begins, then what is left of it, and nothing after the true completion.
/// Job k is the one that row k asks about. There is no structure to misreport.
class SizeDeclarations final : public Declarations {
 public:
  SizeDeclarations(const ServersLayout& layout, std::uint64_t jobs)
      : layout_(layout), jobs_(jobs) {}

  [[nodiscard]] std::vector<std::string> references() const override;
  [[nodiscard]] std::uint64_t jobs() const override { return jobs_; }
  void present(const Moment&, std::vector<std::uint64_t>& jobs) const override;
  [[nodiscard]] std::size_t quantities(const Moment&, std::uint64_t job) const override;
  [[nodiscard]] std::vector<std::uint8_t> critical(const Moment&, std::uint64_t) const override {
    return {1};
  }
  [[nodiscard]] std::optional<std::string> complaint(const Moment&, const Misreport&,
                                                     double epsilon) const override;
  void show(const Moment&, const std::vector<Misreport>&, Row seen) const override;
  /// Minus the time until that server completes the job.
  [[nodiscard]] double benefit(const Moment&, std::uint64_t job, ConstRow action) const override;
  void own(const Moment&, std::uint64_t job, std::vector<float>&) const override;
  void begin() override;
  void follow(const Moment&, const std::vector<Misreport>&, ConstRow action,
              double elapsed_s) override;

 private:
  /// A misreported job at its server.
  struct Placed {
    std::size_t server = 0;
    double size = 0, declared = 0;  // work
    double start_s = 0, done_s = 0;
  };
  /// Work that is left by the declaration, beyond that which is left in truth.
  [[nodiscard]] double excess(const Placed&) const;

  ServersLayout layout_;
  std::uint64_t jobs_;
  double now_s_ = 0;
  std::vector<Placed> placed_;
};

}  // namespace park::load_balance
