#include "tests/bridge/policies/served_policy.h"

#include <array>
#include <limits>

#include "bridge/codec/decisions.h"
#include "bridge/codec/failure.h"
#include "bridge/codec/rows.h"
#include "bridge/codec/spec.h"

namespace park::bridge::test {

/// `build` writes the request, `read` takes the reply. Anything that is thrown but failures and
/// errors is a fault, and goes to the caller.
template <class Build, class Read>
std::string ServedPolicy::handle(Build build, Read read) {
  build(request_.begin());
  try {
    service_.handle(reader_.read(request_.finish()), reply_.begin());
  } catch (const Failed& failed) {
    return failed.what();
  } catch (const Error& error) {
    return error.what();
  }
  read(answer_.read(reply_.finish()));
  return "";
}

std::string ServedPolicy::open(const Spec& spec, const std::string& policy) {
  sent_ = spec;
  for (Group& g : sent_.observation.groups) g.capacity = std::numeric_limits<std::int32_t>::max();
  context_ = sequence_ = 0;
  return handle(
      [&](wire::Envelope::Builder e) {
        auto to = e.initOpenPolicy();
        to.setPolicy(policy);
        write(spec, to.initSpec());
      },
      [&](wire::Envelope::Reader e) { id_ = e.getPolicyOpened().getId(); });
}

std::string ServedPolicy::ask(ConstRow row, bool begins, Batch& actions) {
  begins = begins || context_ == 0;
  Ask asked;
  asked.context = begins ? context_ + 1 : context_;
  asked.sequence = begins ? 0 : sequence_ + 1;
  Decisions question(sent_);
  question.asked.push_back(asked);
  question.observation.append(row.batch(), row.index());
  if (begins) {
    question.ended.emplace_back().slot = kUnseen;
    question.final_observation.append(row.batch(), row.index());
    question.metrics.assign(sent_.metrics.size(), 0.0);
  }
  const std::string failure = handle(
      [&](wire::Envelope::Builder e) {
        auto to = e.initAsk();
        to.setId(id_);
        write(question, to.initQuestion());
        const std::array<kj::byte, sizeof(std::uint64_t)> chance{};
        if (begins) to.setChance({chance.data(), chance.size()});
      },
      [&](wire::Envelope::Reader e) { read(e.getAnswer().getActions(), 1, actions); });
  if (!failure.empty()) return failure;
  context_ = asked.context;
  sequence_ = asked.sequence;
  return "";
}

}  // namespace park::bridge::test
