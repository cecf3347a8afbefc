#include "park/bench/opens.h"

#include <algorithm>

#include "park/core/error.h"
#include "park/runs/network_file.h"

namespace park::bench {
namespace {

bool name_server(const std::vector<FieldInfo>& fields) {
  return std::ranges::any_of(fields, [](const FieldInfo& field) {
    return field.names == Names::endpoint || name_server(field.fields);
  });
}

void check_fields(const std::string& name, const std::vector<FieldInfo>& fields,
                  const Opens& opens) {
  if (!opens.remote && name_server(fields))
    throw Error(Errc::not_allowed,
                name + " connects to a server, which --allow-remote of park bench verify permits");
}

void check_policy(const Registry& registry, const Value& text, const Opens& opens) {
  if (!opens.torchscript && runs::is_torchscript(text.text))
    throw Error(Errc::not_allowed, text.text +
                                       " is TorchScript, a program, which --allow-torchscript of "
                                       "park bench verify permits");
  const std::vector<FieldInfo> fields = registry.policy_fields(text.text);
  check_fields(text.text, fields, opens);
  for (std::size_t i = 0; i < text.keys.size(); ++i) {
    const auto field = std::ranges::find(fields, text.keys[i], &FieldInfo::name);
    if (field != fields.end() && field->type == "value")
      check_policy(registry, text.items[i], opens);
  }
}

}  // namespace

void check_env_opens(const Registry& registry, const std::string& name, const Opens& opens) {
  check_fields(name, registry.env_fields(name), opens);
}

void check_policy_opens(const Registry& registry, const std::string& policy, const Opens& opens) {
  check_policy(registry, parse_named(policy), opens);
}

}  // namespace park::bench
