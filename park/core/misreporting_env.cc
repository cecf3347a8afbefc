#include "park/core/misreporting_env.h"

#include <algorithm>
#include <utility>

#include "park/core/error.h"

namespace park {

std::unique_ptr<Declarations> declarations_of(const Spec& spec, const Env& env) {
  auto declarations = env.declarations();
  if (declarations == nullptr)
    throw Error(Errc::unavailable,
                "env: users of " + spec.name + " declare nothing that they could misreport");
  return declarations;
}

MisreportingEnv::MisreportingEnv(const Spec& spec, std::unique_ptr<Env> env,
                                 Misreporter misreporter)
    : env_(std::move(env)),
      declarations_(declarations_of(spec, *env_)),
      misreporter_(std::move(misreporter)),
      truth_(spec.observation),
      before_(spec.observation),
      action_(spec.action) {
  action_.resize(1);
}

void MisreportingEnv::reset(const Episode& episode, Row observation) {
  episode_ = episode;
  sequence_ = asked_ = 0;
  misreports_.clear();
  declarations_->begin();
  truth_.clear();
  env_->reset(episode, truth_.append());
  look_for_new_jobs();
  show(observation);
}

Outcome MisreportingEnv::step(ConstRow action, Row observation) {
  const Row taken = action_.row(0);
  const Moment asked = now();
  if (misreports_.empty())
    taken.assign(action);
  else
    declarations_->translate(asked, misreports_, action, taken);
  before_.clear();
  const Outcome outcome = env_->step(taken, before_.append());
  declarations_->follow(asked, misreports_, taken, outcome.elapsed_s);
  std::swap(truth_, before_);
  ++sequence_;
  if (outcome.end == End::none) look_for_new_jobs();
  show(observation);
  return outcome;
}

/// Jobs come in the order of their numbers.
void MisreportingEnv::look_for_new_jobs() {
  present_.clear();
  declarations_->present(now(), present_);
  const std::uint64_t asked = asked_;
  for (const std::uint64_t job : present_) {
    if (job < asked) continue;
    asked_ = std::max(asked_, job + 1);
    auto declared = misreporter_(episode_, *declarations_, now(), job);
    if (declared && !declared->honest()) misreports_.push_back(std::move(*declared));
  }
}

void MisreportingEnv::show(Row observation) const {
  if (misreports_.empty()) return observation.assign(now().row);
  declarations_->show(now(), misreports_, observation);
}

std::optional<Misreport> DrawnMisreports::operator()(const Episode& episode,
                                                     const Declarations& declarations,
                                                     const Moment& moment,
                                                     std::uint64_t job) const {
  const Rng rng = Rng(episode.inputs).split("misreports");
  Rng of_episode = rng.split("episode");
  if (of_episode.uniform() >= share_) return {};
  const double strength = kMostStrength * (1 - of_episode.uniform());
  const std::uint64_t count = 1 + of_episode.below(kMostJobs);
  bool chosen = false;
  for (std::uint64_t i = 0; i < count; ++i)
    if (of_episode.below(declarations.jobs()) == job) chosen = true;
  if (!chosen) return {};
  Rng of_job = rng.split(job);
  const std::size_t operators = declarations.operators().size();
  Misreport all{.job = job};
  if (const std::size_t which = of_job.below(operators + 1); which < operators)
    all.change = declarations.draw(moment, job, which, of_job);
  const bool alike = of_job.below(2) == 0;
  const double factor = of_job.uniform(1 - strength, 1 + strength);
  all.factors.assign(declarations.quantities(moment, job), factor);
  if (!alike)
    for (double& f : all.factors) f = of_job.uniform(1 - strength, 1 + strength);
  return all;
}

Pool::Make misreporting(const Spec& spec, Pool::Make make, Misreporter misreporter) {
  return [spec, make = std::move(make), misreporter = std::move(misreporter)] {
    return std::make_unique<MisreportingEnv>(spec, make(), misreporter);
  };
}

}  // namespace park
