#include "cli/frame/inputs.h"

#include <algorithm>
#include <utility>

#include "cli/frame/names.h"
#include "park/command/numbers.h"
#include "park/command/strings.h"
#include "park/core/config.h"
#include "park/core/text.h"

namespace park::cli {
namespace {

constexpr std::size_t kMostNames = 40;  // in a line

/// Where else things of a kind come from.
std::string elsewhere(const std::string& kind) {
  return kind == "environment" ? "that of a plug-in needs --plugin FILE"
                               : "a run's folder of this name is not there";
}

/// One line for a name that is not registered, with all that are; otherwise nothing.
bool is_unknown(const std::string& option, const std::string& kind, const std::string& text,
                const std::vector<std::string>& names, Violations& wrong) {
  const std::string name = parse_text(text).text;
  if (std::ranges::find(names, name) != names.end()) return false;
  const std::string near = meant(name, names);
  std::string line = option + ": no " + kind + " '" + name + "'; " + near;
  if (names.size() <= kMostNames) line += "it is " + alternatives(names) + "; ";
  if (near.empty()) line += elsewhere(kind);
  wrong.add(line.substr(0, line.find_last_not_of("; ") + 1));
  return true;
}

void add_error(const std::string& option, const Error& error, Violations& wrong) {
  const std::string prefix = option + ": ";
  for (const std::string& line : split(error.what(), '\n')) wrong.add(prefix + line);
}

/// The policies that fit, with the networks that come with Park: their files are read.
std::vector<std::string> fitting_names(const Registry& registry, const Spec& spec) {
  std::vector<std::string> names = registry.policies_for(spec);
  for (const PolicyInfo& bundled : registry.bundled_policies(spec)) names.push_back(bundled.name);
  std::ranges::sort(names);
  return names;
}

/// Runs `read` on each text; the lines of several policies name theirs. `names` gives those that are allowed.
template <class Names, class Read>
void for_each_policy(const std::string& option, const std::vector<std::string>& texts,
                     Names&& names, Violations& wrong, Read&& read) {
  for (const std::string& text : texts) {
    std::string which = option;
    if (texts.size() > 1) which.append(" ").append(text);
    try {
      read(text);
    } catch (const Error& error) {
      if (error.code() == Errc::unknown_name && is_unknown(option, "policy", text, names(), wrong))
        continue;
      add_error(which, error, wrong);
    }
  }
}

}  // namespace

bool attempt(const std::string& option, Violations& wrong, const std::function<void()>& work) {
  try {
    work();
    return true;
  } catch (const Error& error) {
    add_error(option, error, wrong);
    return false;
  }
}

double read_share(const std::string& option, const std::string& text, Violations& wrong) {
  if (text.empty()) return 0;
  if (const auto share = command::whole_number<double>(text); share && *share >= 0 && *share <= 1)
    return *share;
  wrong.add(option + ": \"" + text + "\" is not a number from 0 to 1");
  return 0;
}

bool read_env(const Registry& registry, const std::string& text, EnvInput& env, Violations& wrong) {
  if (text.empty()) return false;  // reported as a missing argument
  bool known = false;
  const bool read = attempt("ENV", wrong, [&] {
    known = !is_unknown("ENV", "environment", text, registry.env_names(), wrong);
    if (!known) return;
    const EnvOfText parsed = registry.env(text);
    env.canonical = parsed.text();
    env.spec = parsed.spec();
  });
  return read && known;
}

std::vector<PolicyInput> read_policies(const Registry& registry, const std::string& option,
                                       const std::vector<std::string>& texts, const Spec& spec,
                                       Violations& wrong) {
  std::vector<PolicyInput> policies;
  const auto names = [&] { return fitting_names(registry, spec); };
  for_each_policy(option, texts, names, wrong, [&](const std::string& text) {
    auto policy = registry.policy(text, spec);
    policies.push_back({registry.canonical_policy(text), std::move(policy)});
  });
  return policies;
}

void check_policies(const Registry& registry, const std::string& option,
                    const std::vector<std::string>& texts, Violations& wrong) {
  const auto names = [&] { return registry.policy_names(); };
  for_each_policy(option, texts, names, wrong, [&](const std::string& text) {
    static_cast<void>(registry.canonical_policy(text));
  });
}

}  // namespace park::cli
