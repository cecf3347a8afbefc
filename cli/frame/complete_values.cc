// What fits for an option or argument, by its name: names of the registry with the fields inside of
// their brackets, suites, properties, metrics, choices of the option itself; else files.
#include "cli/frame/complete_values.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "cli/frame/complete_text.h"
#include "cli/frame/tree.h"
#include "park/bench/suite.h"
#include "park/check/properties.h"
#include "park/command/strings.h"
#include "park/core/registry.h"

namespace park::cli {
namespace {

enum class Kind { environment, policy, suite, property, metric, command };

const std::map<std::string, Kind>& kinds() {
  static const std::map<std::string, Kind> all{
      {"ENV", Kind::environment},
      {"--env", Kind::environment},
      {"--validate-on", Kind::environment},
      {"--policy", Kind::policy},
      {"--teacher", Kind::policy},
      {"--against", Kind::policy},
      {"--beside", Kind::policy},
      {"--imitate", Kind::policy},
      {"SUITE", Kind::suite},
      {"--property", Kind::property},
      {"--metric", Kind::metric},
      {"COMMAND", Kind::command},
  };
  return all;
}

/// The spec of the environment of the line, where asking for it connects to nothing.
std::optional<Spec> spec_of(const Registry& registry, const Values& given) {
  const auto text = given.find("ENV");
  if (text == given.end()) return {};
  try {
    const EnvOfText env = registry.env(text->second);
    if (env.simulated() || env.running()) return env.spec();
  } catch (const Error&) {  // the line is not complete yet
  }
  return {};
}

Candidates policies(const Registry& registry, const std::optional<Spec>& spec,
                    const std::string& before, std::string_view typed) {
  Candidates all;
  for (const std::string& name : spec ? registry.policies_for(*spec) : registry.policy_names())
    add_matching(all, before, typed, {name}, registry.policy_info(name).summary);
  if (!spec) return all;
  for (const PolicyInfo& info : registry.bundled_policies(*spec))
    add_matching(all, before, typed, {info.name}, info.summary);
  return all;
}

/// Where the last one of a list begins: behind the last comma outside of brackets.
std::size_t last_of_list(const std::string& text) {
  std::size_t begin = 0;
  int open = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '(' || text[at] == '[') ++open;
    if (text[at] == ')' || text[at] == ']') --open;
    if (text[at] == ',' && open == 0) begin = at + 1;
  }
  return begin;
}

Completed environment(const Registry& registry, const std::string& typed) {
  Candidates all =
      complete_fields(typed, [&](const std::string& name) { return registry.env_fields(name); });
  if (all.empty()) add_matching(all, "", typed, registry.env_names());
  return {.candidates = std::move(all), .files = false};
}

/// The last of a list of policies. A folder or file may be one.
Completed policy(const Registry& registry, const Values& given, const std::string& typed) {
  const std::size_t begin = last_of_list(typed);
  const std::string before = typed.substr(0, begin), last = typed.substr(begin);
  Candidates all =
      complete_fields(last, [&](const std::string& name) { return registry.policy_fields(name); });
  for (Candidate& one : all) one.word.insert(0, before);
  if (all.empty()) all = policies(registry, spec_of(registry, given), before, last);
  return {.candidates = std::move(all), .files = !read_typed(last).inside};
}

Completed properties(const std::string& typed) {
  const std::size_t begin = last_of_list(typed);
  Completed found;
  for (const check::Property& p : check::properties())
    add_matching(found.candidates, typed.substr(0, begin), typed.substr(begin),
                 {std::string(p.name)}, std::string(p.says));
  return found;
}

Completed metrics(const Registry& registry, const Values& given, const std::string& typed) {
  Completed found;
  if (const auto spec = spec_of(registry, given))
    for (const Metric& metric : spec->metrics)
      add_matching(found.candidates, "", typed, {metric.name}, metric.doc);
  return found;
}

Completed of_kind(Kind kind, const Values& given, const std::string& typed, Session& session) {
  Completed found;
  switch (kind) {
    case Kind::environment:
      return environment(session.registry(), typed);
    case Kind::policy:
      return policy(session.registry(), given, typed);
    case Kind::property:
      return properties(typed);
    case Kind::metric:
      return metrics(session.registry(), given, typed);
    case Kind::suite:
      add_matching(found.candidates, "", typed, bench::bundled_suites());
      found.files = true;
      break;
    case Kind::command:
      add_matching(found.candidates, "", typed, names_of(command_tree()));
      break;
  }
  return found;
}

bool is_number(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

}  // namespace

Completed complete_value(const Option& option, const Values& given, const std::string& typed,
                         Session& session) {
  const auto kind = kinds().find(option.name);
  if (kind != kinds().end()) return of_kind(kind->second, given, typed, session);
  Completed found;
  if (option.placeholder.find('|') != std::string::npos)
    add_matching(found.candidates, "", typed, split(option.placeholder, '|'));
  else
    found.files = !is_number(option.default_text);
  return found;
}

std::vector<std::string> completed_names() {
  std::vector<std::string> names;
  for (const auto& [name, kind] : kinds()) names.push_back(name);
  return names;
}

}  // namespace park::cli
