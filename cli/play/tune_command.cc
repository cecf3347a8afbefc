// `park tune`: searches the fields of a policy. prepare makes the grid of assignments; run plays
// the same episodes for each that the search proposes, as far as the budget goes, and keeps a
// Trial. The best trial comes first in the text and the JSON document.
#include <algorithm>
#include <limits>
#include <map>

#include "cli/frame/commands.h"
#include "cli/frame/inputs.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/names.h"
#include "cli/play/results.h"
#include "cli/play/tuning.h"
#include "park/command/numbers.h"
#include "park/command/strings.h"
#include "park/command/table.h"
#include "park/core/text.h"

namespace park::cli {
namespace {

/// One assignment that was played.
struct Trial {
  std::string policy;  ///< canonical text
  Assignment values;
  PolicyResult result;
};

/// The text of a field in a canonical policy text, or its default.
std::string field_text(const std::string& policy, const FieldInfo& field) {
  const Value text = parse_text(policy);
  for (std::size_t i = 0; i < text.keys.size(); ++i)
    if (text.keys[i] == field.name) return to_text(text.items[i]);
  return field.default_text;
}

/// The policy's text with other values of some fields.
std::string with_fields(const std::string& policy, const std::vector<GridField>& fields,
                        const Assignment& values) {
  Value text = parse_text(policy);
  text.kind = Value::Kind::call;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const auto at = std::ranges::find(text.keys, fields[f].name);
    const auto i = static_cast<std::size_t>(at - text.keys.begin());
    if (at == text.keys.end()) {
      text.keys.push_back(fields[f].name);
      text.items.emplace_back();
    }
    text.items[i] = parse_text(values[f]);
  }
  return to_text(text);
}

class TuneCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.name = "tune",
            .summary = "tune the fields of a heuristic on training inputs",
            .details =
                "Tries the values that the policy's fields declare, each on the same training "
                "episodes: the whole grid of one field, or of several where it fits into the "
                "budget. Of a larger grid it tries one field after the other from the given "
                "text on, until a round brings nothing, and starts again elsewhere until the "
                "budget is spent. It says where the best value is the end of a field's grid. "
                "park run then compares on evaluation inputs, which are different ones.",
            .example = "park tune dag_scheduling --policy weighted_fair --episodes 20"};
  }

  void declare(Options& options) override {
    options.text("ENV", "", env_text_, "environment, such as dag_scheduling(executors=50)",
                 Options::Need::required);
    options.text("--policy", "P", policy_text_, "one policy; what it gives is the start",
                 Options::Need::required);
    options.text("--fields", "F[,F...]", fields_text_, "tune only these");
    options.texts("--grid", "F=VALUES", grid_texts_,
                  "values to try of a field in place of those that it declares: "
                  "low:high:step or a|b|c; may be repeated");
    options.text("--metric", "NAME", metric_text_,
                 "what to improve; without it the environment's first metric");
    options.integer("--episodes", "N", plan_.episodes, {1, 1'000'000}, "episodes of each try");
    options.integer("--seed", "S", plan_.seed, {0, std::numeric_limits<std::uint64_t>::max()},
                    "same seed, same episodes");
    options.integer("--budget-evals", "K", search_.budget, {1, 1'000'000},
                    "tries at most, the start included");
    options.choice("--search", search_text_, {"auto", "grid", "descent"},
                   "auto: the whole grid where it fits into the budget, else descents");
    options.integer("--starts", "N", starts_, {0, 1'000'000},
                    "descents at most; 0: as many as the budget allows");
    options.integer("--workers", "W", workers_, {0, 256},
                    "threads that step environments; the results do not depend on it");
  }

  void prepare(Session& session, Violations& wrong) override {
    plan_.workers = static_cast<std::uint32_t>(workers_);
    const Registry& registry = session.registry();
    if (!read_env(registry, env_text_, env_, wrong)) {
      if (!policy_text_.empty()) check_policies(registry, "--policy", {policy_text_}, wrong);
      return;
    }
    plan_.env = env_.canonical;
    plan_.system = env_.spec.traits.system;
    prepare_metric(wrong);
    if (policy_text_.empty()) return;  // reported as a missing option
    const auto read = read_policies(registry, "--policy", {policy_text_}, env_.spec, wrong);
    if (read.empty()) return;
    start_ = read.front().canonical;
    prepare_fields(registry, wrong);
  }

  int run(Session& session) override {
    const InterruptScope scope;
    search_.method = search_text_ == "auto"   ? method_for(fields_, search_.budget)
                     : search_text_ == "grid" ? SearchMethod::grid
                                              : SearchMethod::descent;
    search_.starts = starts_;
    search_.seed = plan_.seed;
    Progress progress(session.console(), "episodes", plan_.episodes * expected(), "decisions");
    const Cost cost = [&](const Assignment& values) { return evaluate(session, values, progress); };
    outcome_ = search(fields_, start_values_, search_, cost);
    session.print(session.json() ? as_json() : as_text(session.width()));
    return interrupted() != 0 ? kSignalled + interrupted() : kDone;
  }

 private:
  void prepare_metric(Violations& wrong) {
    metrics_ = result_metrics(env_.spec);
    if (metric_text_.empty()) return;
    const auto at = std::ranges::find(metrics_, metric_text_, &Metric::name);
    metric_ = static_cast<std::size_t>(at - metrics_.begin());
    if (at != metrics_.end()) return;
    std::vector<std::string> names;
    for (const Metric& metric : metrics_) names.push_back(metric.name);
    wrong.add("--metric: no metric \"" + metric_text_ + "\"; it is " + alternatives(names));
  }

  void prepare_fields(const Registry& registry, Violations& wrong) {
    const std::vector<FieldInfo> infos = registry.policy_fields(parse_text(start_).text);
    const std::map<std::string, std::string> given = given_grids(infos, wrong);
    std::vector<std::string> tunable;
    for (const FieldInfo& info : infos)
      if (!info.tune.empty() || given.contains(info.name)) tunable.push_back(info.name);
    if (tunable.empty()) return wrong.add("--policy: " + start_ + " has no field to tune");
    std::vector<std::string> chosen = tunable;
    if (!fields_text_.empty())
      attempt("--fields", wrong, [&] { chosen = split_policies(fields_text_); });
    for (const std::string& name : chosen)
      if (std::ranges::find(tunable, name) == tunable.end())
        wrong.add("--fields: \"" + name + "\" is not " + alternatives(tunable));
    for (const FieldInfo& info : infos) {
      if (std::ranges::find(chosen, info.name) == chosen.end()) continue;
      const auto grid = given.find(info.name);
      const std::string& values = grid == given.end() ? info.tune : grid->second;
      attempt("--grid " + info.name, wrong, [&] {
        fields_.push_back({info.name, grid_values(values), info.min, info.max});
        if (grid != given.end()) check_some_allowed(registry, fields_.back());
        start_values_.push_back(field_text(start_, info));
      });
    }
  }

  /// Throws the first value's refusal where all are refused. One that is refused alone may still be
  /// allowed together with other values of other fields.
  void check_some_allowed(const Registry& registry, const GridField& field) const {
    std::optional<Error> refusal;
    for (const std::string& value : field.values) {
      try {
        static_cast<void>(registry.canonical_policy(with_fields(start_, {field}, {value})));
        return;
      } catch (const Error& error) {
        if (!refusal) refusal = error;
      }
    }
    if (refusal) throw Error(*refusal);
  }

  /// The grids of --grid by field.
  std::map<std::string, std::string> given_grids(const std::vector<FieldInfo>& infos,
                                                 Violations& wrong) const {
    std::map<std::string, std::string> given;
    std::vector<std::string> names;
    for (const FieldInfo& info : infos) names.push_back(info.name);
    for (const std::string& text : grid_texts_) {
      const std::size_t equals = text.find('=');
      const std::string name = text.substr(0, equals);
      if (equals == std::string::npos || equals + 1 == text.size())
        wrong.add("--grid \"" + text + "\": must be FIELD=VALUES, such as x=0:2:0.5 or x=a|b");
      else if (std::ranges::find(names, name) == names.end())
        wrong.add("--grid: " + start_ + " has no field \"" + name +
                  (names.empty() ? "\"" : "\"; it is " + alternatives(names)));
      else if (!given.emplace(name, text.substr(equals + 1)).second)
        wrong.add("--grid: gives " + name + " twice");
    }
    return given;
  }

  /// Tries, as far as they are known beforehand.
  std::uint64_t expected() const {
    double all = grid_size(fields_) + 1;
    if (search_.method == SearchMethod::descent && search_.starts > 0) {
      double round = 1;
      for (const GridField& field : fields_) round += static_cast<double>(field.values.size());
      all = std::min(all, round * static_cast<double>(search_.starts));
    }
    return all < static_cast<double>(search_.budget) ? static_cast<std::uint64_t>(all)
                                                     : search_.budget;
  }

  std::optional<double> evaluate(Session& session, const Assignment& values, Progress& progress) {
    Trial trial{.policy = "", .values = values, .result = {}};
    try {
      trial.policy = session.registry().canonical_policy(with_fields(start_, fields_, values));
    } catch (const Error& error) {
      session.console().warn(std::string("not tried: ") + error.what());
      return kUndefined;
    }
    progress.set_label(trial.policy);
    session.console().debug("trying " + trial.policy);
    const auto policy = session.registry().policy(trial.policy, env_.spec);
    trial.result = play_policy(session.registry(), plan_, trial.policy, *policy, nullptr, progress);
    if (interrupted() != 0) return std::nullopt;
    trials_.push_back(std::move(trial));
    const double mean = summarize(column(trials_.back().result, metric_)).mean;
    return metrics_[metric_].lower_is_better ? mean : -mean;
  }

  const Trial* best() const {
    const auto at = std::ranges::find(trials_, outcome_.best, &Trial::values);
    return at == trials_.end() ? nullptr : &*at;
  }

  std::string plan_text() const {
    std::string text = plan_.env + '\n';
    for (const GridField& field : fields_)
      text += field.name + ": " + plural(field.values.size(), "value") + " from " +
              field.values.front() + " to " + field.values.back() + '\n';
    text += search_.method == SearchMethod::grid ? "the whole grid: " : "coordinate descent: ";
    text += plural(trials_.size(), "try") + " of " + plural(plan_.episodes, "training episode") +
            " each, seed " + std::to_string(plan_.seed);
    if (outcome_.starts > 1) text += "; descents that ended: " + std::to_string(outcome_.starts);
    if (interrupted() != 0)
      text += "; interrupted";
    else if (outcome_.evaluations >= search_.budget)
      text += "; the budget of " + std::to_string(search_.budget) + " is spent";
    return text + '\n';
  }

  std::string as_text(std::size_t width) const {
    if (best() == nullptr) return "interrupted before the first try was finished\n";
    const Metric& metric = metrics_[metric_];
    std::string text = plan_text() + metric.name + " [" + metric.unit + "], " +
                       (metric.lower_is_better ? "lower" : "higher") +
                       " is better; differences against the start, paired\n\n" +
                       trial_table().text(0, width) + "\nbest: " + best()->policy + '\n';
    for (const std::string& name : fields_on_border(fields_, best()->values))
      text.append("The best ")
          .append(name)
          .append(" is the end of its grid; --grid ")
          .append(name)
          .append("=... tries more.\n");
    return text +
           "Chosen on training inputs, so its figure flatters it; "
           "compare it on evaluation inputs with park run.\n";
  }

  Table trial_table() const {
    using Align = Table::Align;
    std::vector<Table::Column> columns;
    for (const GridField& field : fields_) columns.push_back({field.name, Align::right});
    columns.insert(columns.end(), {{"mean", Align::right},
                                   {""},
                                   {"95 % interval", Align::right},
                                   {"difference", Align::right},
                                   {"95 % interval", Align::right}});
    std::vector<double> means;
    for (const Trial& trial : trials_)
      means.push_back(summarize(column(trial.result, metric_)).mean);
    const int decimals = decimals_for(means, 5);
    Table table(columns);
    for (const Trial& trial : trials_) {
      std::vector<std::string> row = trial.values;
      const Summary own = summarize(column(trial.result, metric_));
      const Summary difference = paired_difference(trial.result, trials_[0].result, metric_);
      row.push_back(rounded(own.mean, decimals));
      row.push_back(&trial == best() ? "*" : "");
      row.push_back(interval_text(own.ci95, decimals));
      row.push_back(&trial == &trials_[0] ? "start" : signed_text(difference.mean, decimals));
      row.push_back(&trial == &trials_[0] ? "" : interval_text(difference.ci95, decimals));
      table.add(std::move(row));
    }
    return table;
  }

  std::string as_json() const {
    const Metric& metric = metrics_[metric_];
    JsonWriter json;
    json.begin_object().member("env", plan_.env).member("policy", start_).key("best");
    if (best() == nullptr)
      json.null();
    else
      json.value(best()->policy);
    json.key("border").values(fields_on_border(fields_, outcome_.best));
    json.key("metric").begin_object(JsonWriter::Layout::line).member("name", metric.name);
    json.member("unit", metric.unit).member("better", metric.lower_is_better ? "lower" : "higher");
    json.end_object().member("phase", "train").member("seed", plan_.seed);
    json.member("episodes", plan_.episodes).member("budget_evals", search_.budget);
    json.member("strategy", search_.method == SearchMethod::grid ? "grid" : "coordinate_descent");
    json.member("starts", outcome_.starts).member("finished", outcome_.finished);
    json.member("tries", trials_.size()).key("fields").begin_object();
    for (const GridField& field : fields_) json.key(field.name).values(field.values);
    json.end_object().key("tried").begin_array();
    for (const Trial& trial : trials_) write_trial(json, trial);
    return json.end_array().end_object().take();
  }

  void write_trial(JsonWriter& json, const Trial& trial) const {
    json.begin_object().member("policy", trial.policy).key("values").begin_object();
    for (std::size_t f = 0; f < fields_.size(); ++f) json.member(fields_[f].name, trial.values[f]);
    json.end_object();
    write_summary(json, summarize(column(trial.result, metric_)));
    json.key("difference").begin_object();
    write_summary(json, paired_difference(trial.result, trials_[0].result, metric_));
    json.end_object().member("wall_s", trial.result.wall_s).end_object();
  }

  std::string env_text_, policy_text_, fields_text_, metric_text_;
  std::string search_text_ = "auto";
  std::vector<std::string> grid_texts_;
  std::uint64_t workers_ = 0, starts_ = 0;
  SearchPlan search_;
  PlayPlan plan_{.env = "", .phase = Phase::train, .episodes = 50};
  EnvInput env_;
  std::vector<Metric> metrics_;
  std::size_t metric_ = 0;
  std::string start_;  // canonical text
  std::vector<GridField> fields_;
  Assignment start_values_;
  std::vector<Trial> trials_;
  SearchOutcome outcome_;
};

}  // namespace

void add_tune_command(Commands& all) { all.add(40, std::make_unique<TuneCommand>()); }

}  // namespace park::cli
