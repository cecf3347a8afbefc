#include "park/core/golden.h"

#include <ostream>
#include <utility>

#include "park/core/action_space.h"
#include "park/core/error.h"
#include "park/core/golden_text.h"
#include "park/core/text.h"

namespace park {
namespace {

using golden_detail::Entry;

/// Writes a row: only the leaves that differ from the row before.
void write_row(std::ostream& out, ConstRow row, std::vector<Entry>& before) {
  std::vector<Entry> now = golden_detail::entries(row);
  for (std::size_t i = 0; i < now.size(); ++i)
    if (before.empty() || now[i].values != before[i].values)
      out << "  " << now[i].name << (now[i].values.empty() ? "" : " ") << now[i].values << '\n';
  before = std::move(now);
}

void write_header(std::ostream& out, std::string_view env_text, const Spec& spec,
                  const Episode& e) {
  out << "park-record " << kGoldenVersion << "\nenv " << env_text << "\nversion " << spec.version
      << "\nlayout " << layout_text(spec) << "\nepisode " << golden_detail::episode_text(e) << '\n';
}

void write_metrics(std::ostream& out, const Env& env, const Spec& spec) {
  std::vector<double> metrics(spec.metrics.size());
  env.metrics(metrics);
  out << "metrics\n";
  for (std::size_t i = 0; i < metrics.size(); ++i)
    out << "  " << spec.metrics[i].name << ' ' << golden_detail::short_number(metrics[i]) << '\n';
}

void write_action(std::ostream& out, ConstRow action) {
  for (const Entry& e : golden_detail::action_entries(action))
    out << "  " << e.name << ' ' << e.values << '\n';
}

/// What a policy sees of one environment: one row.
class Single {
 public:
  Single(const Spec& spec, const Episode& episode)
      : decisions_(spec), actions_(spec.action), space_(spec) {
    Ask& first = decisions_.asked.emplace_back();
    first.context = episode.id;
    first.episode = episode;
  }

  [[nodiscard]] const Ask& ask() const noexcept { return decisions_.asked.front(); }
  [[nodiscard]] ConstRow observation() const noexcept { return decisions_.observation.row(0); }
  /// The row that the environment writes next.
  Row next_observation() {
    decisions_.observation.clear();
    return decisions_.observation.append();
  }
  ConstRow decide(Policy& policy) {
    actions_.clear();
    actions_.resize(1);
    policy.act(decisions_, actions_);
    const ConstRow action = std::as_const(actions_).row(0);
    if (!space_.legal(observation(), action))
      throw Error(Errc::illegal_action,
                  "decision " + std::to_string(ask().sequence) + " of the policy is not legal");
    return action;
  }
  void stepped(const Outcome& o) noexcept {
    decisions_.asked.front().since_last = o;
    ++decisions_.asked.front().sequence;
  }

 private:
  Decisions decisions_;
  Batch actions_;
  ActionSpace space_;
};

}  // namespace

void record(std::ostream& out, std::string_view env_text, Env& env, const Spec& spec,
            Policy& policy, const Episode& episode, std::uint64_t max_decisions) {
  Single single(spec, episode);
  const Ask& ask = single.ask();
  std::vector<Entry> before;
  write_header(out, env_text, spec, episode);
  policy.start(0, episode, Rng(episode.dynamics).split("record"));
  env.reset(episode, single.next_observation());
  while (ask.since_last.end == End::none && ask.sequence < max_decisions) {
    out << "row " << ask.sequence << '\n';
    write_row(out, single.observation(), before);
    const ConstRow action = single.decide(policy);
    out << "act " << ask.sequence << '\n';
    write_action(out, action);
    single.stepped(env.step(action, single.next_observation()));
    out << "outcome " << golden_detail::outcome_text(ask.since_last) << '\n';
  }
  if (ask.since_last.end == End::none) {
    out << "stopped\n";
  } else {
    out << "final\n";
    write_row(out, single.observation(), before);
    write_metrics(out, env, spec);
  }
  out << "end\n" << std::flush;
  if (!out) throw Error(Errc::io, "the record cannot be written");
}

}  // namespace park
