// `park check ENV`: every property that an environment owes, as a table or as JSON. prepare chooses
// the properties and reads the environment; run checks them one after the other, in the order of
// park/check/properties.h, and keeps what it finds until all are checked.
#include <algorithm>
#include <limits>
#include <optional>

#include "cli/frame/commands.h"
#include "cli/frame/inputs.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/progress.h"
#include "cli/play/describe.h"
#include "park/check/properties.h"
#include "park/command/numbers.h"
#include "park/command/strings.h"
#include "park/command/table.h"
#include "park/core/json_writer.h"

namespace park::cli {
namespace {

using check::Finding;
using check::Property;
using check::Verdict;

/// One word of a shell.
std::string shell_word(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + '\'';
}

std::size_t count(const std::vector<Finding>& findings, Verdict verdict) {
  return static_cast<std::size_t>(std::ranges::count(findings, verdict, &Finding::verdict));
}

class CheckCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {
        .name = "check",
        .summary = "check that an environment keeps its contract",
        .details =
            "Plays episodes with legal, illegal and extreme actions and checks the properties that "
            "every environment owes: a valid spec, sound rows, legal masks, times that add up, the "
            "same bytes for the same episode, and more. A property that is violated tells where, "
            "and how to repeat it. Take a small text: each property plays several whole episodes. "
            "An environment elsewhere is remote(endpoint=...). Exits with 0 where no property is "
            "violated, else with 1.",
        .example = "park check 'load_balance(jobs=50)'"};
  }

  std::string more_help(std::size_t width) const override {
    Table table({{""}, {""}});
    for (const Property& p : check::properties())
      table.add({std::string(p.name), std::string(p.says) + (p.long_runs ? " (--long)" : "")});
    return "\nproperties:\n" + table.text(2, width);
  }

  void declare(Options& options) override {
    options.text("ENV", "", env_text_, "environment: a name, or name(field=value,...)",
                 Options::Need::required);
    options.text("--property", "P[,P...]", property_text_, "only these properties");
    options.integer("--seed", "S", seed_, {0, std::numeric_limits<std::uint64_t>::max()},
                    "same seed, same episodes");
    options.integer("--episodes", "N", episodes_, {1, 100'000},
                    "play at least so many episodes for each property; else 1 to 20, as it needs");
    options.flag("--fixed", fixed_, "every episode has the same inputs: they come from a file");
    options.flag(
        "--long", long_,
        "episodes have 10 000 decisions: check what is owed on those, instead of the rest");
  }

  void prepare(Session& session, Violations& wrong) override {
    choose_properties(wrong);
    if (!read_env(session.registry(), env_text_, env_, wrong) || !wrong.empty()) return;
    attempt("ENV", wrong,
            [&] { subject_ = check::make_subject(session.registry(), env_.canonical); });
    subject_.seed = seed_;
    subject_.fewest_episodes = episodes_.value_or(0);
    subject_.fixed_inputs = fixed_;
    subject_.knows_systems = session.registry().has_systems();
    std::erase(subject_.policies, kElsewhere);
  }

  int run(Session& session) override {
    const InterruptScope scope;
    std::vector<Finding> findings;
    {
      Progress progress(session.console(), "properties", properties_.size(), "properties");
      for (const Property* property : properties_) {
        if (interrupted() != 0) throw Interrupted{};
        progress.set_label(std::string(property->name));
        findings.push_back(check_property(*property, subject_));
        progress.advance(1, 1);
      }
    }
    session.print(session.json() ? as_json(findings) : as_text(findings, session.width()));
    return count(findings, Verdict::violated) > 0 ? kFailed : kDone;
  }

 private:
  void choose_properties(Violations& wrong) {
    std::vector<std::string> names;
    for (const Property& p : check::properties()) names.emplace_back(p.name);
    std::vector<std::string> chosen;
    if (!property_text_.empty()) chosen = split(property_text_, ',');
    for (const std::string& name : chosen)
      if (std::ranges::find(names, name) == names.end())
        attempt("--property", wrong, [&] { fail_unknown("property", name, names); });
    for (const Property& p : check::properties()) {
      const bool named = std::ranges::find(chosen, p.name) != chosen.end();
      if (named && p.long_runs != long_)
        wrong.add("--property: " + std::string(p.name) +
                  (long_ ? " is not for long episodes" : " needs long episodes and --long"));
      if (chosen.empty() ? p.long_runs == long_ : named) properties_.push_back(&p);
    }
  }

  /// The command that checks the same again; of one property where that is named.
  [[nodiscard]] std::string repeat(std::string_view property = {}) const {
    std::string text = "park check " + shell_word(env_.canonical);
    if (!property.empty())
      text += " --property " + std::string(property);
    else if (!property_text_.empty())
      text += " --property " + property_text_;
    text += " --seed " + std::to_string(seed_);
    if (episodes_) text += " --episodes " + std::to_string(*episodes_);
    return text + (fixed_ ? " --fixed" : "") + (long_ ? " --long" : "");
  }

  [[nodiscard]] std::string as_text(const std::vector<Finding>& findings, std::size_t width) const {
    Table table({{"property"}, {"result"}, {"what it says"}});
    for (const Finding& f : findings) {
      table.add({std::string(f.property->name), std::string(to_text(f.verdict)),
                 std::string(f.property->says) + (f.reason.empty() ? "" : " (" + f.reason + ")")});
      for (const std::string& line : f.violations.lines()) table.add_heading("    " + line);
      if (f.verdict == Verdict::violated)
        table.add_heading("    repeat: " + repeat(f.property->name));
    }
    std::string text = env_.canonical + ": " + plural(findings.size(), "property");
    for (const Verdict v :
         {Verdict::ok, Verdict::violated, Verdict::not_applicable, Verdict::not_checked})
      if (const std::size_t n = count(findings, v); n > 0)
        text += ", " + std::to_string(n) + ' ' + std::string(to_text(v));
    return table.text(0, width) + '\n' + text + '\n';
  }

  [[nodiscard]] std::string as_json(const std::vector<Finding>& findings) const {
    JsonWriter json;
    json.begin_object().member("env", env_.canonical).member("seed", seed_);
    json.key("properties").begin_array();
    for (const Finding& f : findings) {
      json.begin_object().member("name", f.property->name).member("says", f.property->says);
      json.member("result", to_text(f.verdict)).member("reason", f.reason);
      json.key("violations").values(f.violations.lines());
      json.member("repeat", repeat(f.property->name)).end_object();
    }
    return json.end_array().member("repeat", repeat()).end_object().take();
  }

  std::string env_text_, property_text_;
  std::uint64_t seed_ = 2026;
  std::optional<std::uint64_t> episodes_;
  bool fixed_ = false, long_ = false;
  EnvInput env_;
  check::Subject subject_;
  std::vector<const Property*> properties_;
};

}  // namespace

void add_check_command(Commands& all) { all.add(25, std::make_unique<CheckCommand>()); }

}  // namespace park::cli
