// The part of Training that learns from a teacher: iterations that imitate it, and the replay of its
// demonstrations in steps that follow rewards. A lesson is a row of an observation and the
// teacher's answer; its loss is minus the log-probability that the network gives the answer, summed
// over the heads, each among its legal values and given the teacher's choices before it. begin and
// the rest of an iteration are in training.cc.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "agents/algorithm/training.h"
#include "agents/kit/gradients.h"

namespace park::agents {
namespace {

// Decisions of a step: as DL2's minibatch. Fewer where the algorithm's own are smaller.
constexpr std::size_t kLessons = 256;
// Decisions of an iteration at which network and teacher are compared.
constexpr std::size_t kCompared = 2048;

}  // namespace

std::unique_ptr<Policy> Training::teacher_of(std::size_t part) const {
  const std::string& env = parts_.empty() ? task_.env : parts_[part].env;
  const auto texts = task_.guidance.teachers(std::max<std::size_t>(1, parts_.size()));
  return task_.registry->policy(texts[part], task_.registry->spec(env));
}

/// Plays and asks the teacher.
void Training::demonstrate(const std::vector<Share>& shares, Policy* driver, const Rng& run,
                           Trajectories& to) {
  to.clear();
  for (const Share& share : shares) {
    std::unique_ptr<Policy>& teacher = teachers_[share.part];
    // One that carries something on from episode to episode begins anew, so that what it answers
    // does not depend on where a run was resumed.
    if (teacher->most_slots() == 1) teacher = teacher_of(share.part);
    const FixedEpisodes source(share.episodes);
    const std::size_t slots = std::min(config_.slots, teacher->most_slots());
    const auto stream = open(share.env, source, std::min(slots, share.episodes.size()));
    const std::size_t before = to.all().size();
    to.demonstrate(*stream, *teacher, driver, actions_of(share, run));
    scale_returns(share, to, before);
  }
}

Lesson Training::add_imitation(const Trajectories& from, std::span<const std::uint32_t> rows,
                               double weight) {
  Lesson sum;
  for (std::size_t at = 0; at < rows.size(); at += config_.minibatch) {
    const std::size_t n = std::min<std::size_t>(config_.minibatch, rows.size() - at);
    const Evaluation e = evaluate(from, rows.subspan(at, n));
    const at::Tensor loss = -e.log_prob.sum();
    add_gradients(loss * weight);
    sum.loss += loss.item<double>();
    sum.entropy += e.entropy.sum().item<double>();
  }
  return sum;
}

/// The teacher plays the first iteration even where the learner plays the others: what a network of
/// random weights gets into may be endless queues, which nobody has to know how to leave.
runs::IterationReport Training::imitate(std::int64_t iteration, double part, Estimator estimator) {
  runs::IterationReport report;
  begin(iteration, part, report);
  report.imitating = true;
  report.learning_rate = config_.imitation_rate;
  report.entropy_weight = 0;
  const auto number = static_cast<std::uint64_t>(iteration);
  const bool by_teacher = iteration == 0 || task_.guidance.imitate_along == "teacher";
  policy_.explore(nullptr);
  demonstrate(shares(task_.run, iteration, part, by_teacher), by_teacher ? nullptr : &policy_,
              task_.run.split("actions").split(number), trajectories_);
  sum_up(report);
  static_cast<void>(estimate(estimator, report));
  std::vector<std::uint32_t> rows = rows_of(trajectories_);
  compare(rows, report);
  Rng order = task_.run.split("imitation").split(number);
  Lesson first;  // of decisions that it has not learned from before
  for (std::uint32_t epoch = 0; epoch < config_.imitation_epochs; ++epoch) {
    order.shuffle(std::span(rows));
    const Lesson sum = learn(rows, report);
    if (epoch == 0) first = sum;
  }
  const auto lessons = static_cast<double>(std::max<std::size_t>(1, rows.size()));
  report.imitation_loss = first.loss / lessons;
  report.entropy = first.entropy / lessons;
  average();
  return report;
}

/// Takes steps along these decisions, in their order. Returns sums over them, each before its step.
Lesson Training::learn(std::span<const std::uint32_t> rows, runs::IterationReport& report) {
  Lesson sum;
  const std::size_t most = std::min<std::size_t>(config_.minibatch, kLessons);
  for (std::size_t at = 0; at < rows.size(); at += most) {
    const std::size_t n = std::min(most, rows.size() - at);
    const Lesson some = add_imitation(trajectories_, rows.subspan(at, n), 1);
    sum.loss += some.loss;
    sum.entropy += some.entropy;
    step(n, report);
  }
  return sum;
}

/// How often the network's best choice is the teacher's. decide goes on with the teacher's choice, so
/// that each head is judged given the same choices before it.
void Training::compare(std::span<const std::uint32_t> rows, runs::IterationReport& report) {
  std::vector<std::uint32_t> some;
  const std::size_t n = std::min(kCompared, rows.size());
  for (std::size_t i = 0; i < n; ++i) some.push_back(rows[i * rows.size() / n]);
  observation_.clear();
  trajectories_.observations().gather(some, observation_);
  Batch answers(spec_.action), taken(spec_.action);
  for (const std::uint32_t r : some) answers.append(trajectories_.actions(), r);
  taken.resize(n);
  std::vector<double> asked(heads_.size()), same(heads_.size());
  const auto pick = [&](std::size_t row, std::size_t head, std::span<const std::int32_t> values,
                        std::span<const float> scores) {
    const std::int32_t answer = heads_.get(std::as_const(answers).row(row), head);
    const std::size_t at = place_of(answer, heads_[head].kind, values);
    const std::size_t best = pick_largest(scores);
    asked[head] += 1;
    same[head] += best == at ? 1 : 0;
    return at < values.size() ? at : best;
  };
  decide(*task_.network, heads_, observation_, taken, pick,
         [](std::size_t, std::size_t, std::size_t) { return 0.0F; });
  for (std::size_t h = 0; h < heads_.size(); ++h)
    if (asked[h] > 0) report.own.emplace_back("agreement." + heads_[h].name, same[h] / asked[h]);
}

/// Makes of the gradient of a step, a sum over `decisions`, the mixture with that of as large a
/// share of demonstrations. These are the teacher's own play on inputs that no iteration has.
void Training::replay(std::size_t decisions, runs::IterationReport& report) {
  if (replay_.empty()) {
    const Rng run = task_.run.split("demonstrations");
    demonstrate(shares(run, 0, 1, true), nullptr, run.split("actions"), demonstrations_);
    replay_ = rows_of(demonstrations_);
  }
  const double share = task_.guidance.replay;
  for (const at::Tensor& p : task_.network->parameters())
    if (p.grad().defined()) p.mutable_grad().mul_(1 - share);
  const auto all = static_cast<double>(decisions), n = std::max(1.0, std::round(share * all));
  Rng draw = task_.run.split("replay")
                 .split(static_cast<std::uint64_t>(iteration_))
                 .split(iteration_steps_);
  std::vector<std::uint32_t> rows(static_cast<std::size_t>(n));
  for (std::uint32_t& row : rows) row = replay_[draw.below(replay_.size())];
  const double loss = add_imitation(demonstrations_, rows, share * all / n).loss / n;
  if (iteration_steps_ == 0) report.imitation_loss = 0;
  report.imitation_loss += (loss - report.imitation_loss) / (iteration_steps_ + 1);
}

}  // namespace park::agents
