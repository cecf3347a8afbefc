#include "park/cli/inputs.h"

#include <algorithm>
#include <ranges>

#include "park/cli/options.h"
#include "park/core/config.h"
#include "park/core/text.h"

namespace park::cli {
namespace {

/// One line for a name that is not registered, with all that are; otherwise nothing.
bool is_unknown(const std::string& option, const std::string& kind, const std::string& text,
                const std::vector<std::string>& names, Violations& wrong) {
  const std::string name = parse_text(text).text;
  if (std::ranges::find(names, name) != names.end()) return false;
  const std::string near = nearest(name, names);
  wrong.add(option + ": no " + kind + " '" + name + "'; " +
            (near.empty() ? "" : "did you mean '" + near + "'? ") + "it is " + alternatives(names));
  return true;
}

}  // namespace

bool attempt(const std::string& option, Violations& wrong, const std::function<void()>& work) {
  try {
    work();
    return true;
  } catch (const Error& error) {
    const std::string text = error.what();
    for (const auto line : std::views::split(text, '\n'))
      wrong.add(option + ": " + std::string(line.begin(), line.end()));
    return false;
  }
}

bool read_env(const Registry& registry, const std::string& text, EnvInput& env,
              Violations& wrong) {
  if (text.empty()) return false;  // reported as a missing argument
  bool known = false;
  const bool read = attempt("ENV", wrong, [&] {
    known = !is_unknown("ENV", "environment", text, registry.env_names(), wrong);
    if (!known) return;
    env.canonical = registry.canonical_env(text);
    env.spec = registry.spec(text);
  });
  return read && known;
}

std::vector<std::string> read_policies(const Registry& registry, const std::string& option,
                                       const std::vector<std::string>& texts, const Spec& spec,
                                       Violations& wrong) {
  std::vector<std::string> canonical;
  for (const std::string& text : texts) {
    try {
      static_cast<void>(registry.policy(text, spec));
      canonical.push_back(registry.canonical_policy(text));
    } catch (const Error& error) {
      if (error.code() == Errc::unknown_name &&
          is_unknown(option, "policy", text, registry.policies_for(spec), wrong))
        continue;
      const std::string which = texts.size() > 1 ? option + ' ' + text : option;
      attempt(which, wrong, [&] { throw error; });
    }
  }
  return canonical;
}

void check_policies(const Registry& registry, const std::string& option,
                    const std::vector<std::string>& texts, Violations& wrong) {
  for (const std::string& text : texts)
    attempt(option, wrong, [&] {
      if (!is_unknown(option, "policy", text, registry.policy_names(), wrong))
        static_cast<void>(registry.canonical_policy(text));
    });
}

}  // namespace park::cli
