#include "cli/frame/tree.h"

#include <algorithm>
#include <utility>

#include "cli/frame/commands.h"
#include "park/envs/envs.h"

namespace park::cli {
namespace {

void declare_common(Node& node) {
  if (node.command->takes_plugins())
    node.options.texts("--plugin", "FILE", node.plugins,
                       "also what this plug-in brings, a library or module:Class; may be repeated");
  node.options.flag("--json", node.json, "print one JSON object on stdout and nothing else");
  node.options.flag("--quiet", node.quiet, "no progress; on stderr errors and warnings only");
  node.options.choice("--log-level", node.log_level, {"error", "warn", "info", "debug"},
                      "how much goes to stderr");
}

std::unique_ptr<Node> make_node(const std::string& parent, std::unique_ptr<Command> command) {
  auto node = std::make_unique<Node>();
  node->path = parent + ' ' + command->info().name;
  node->command = std::move(command);
  node->command->declare(node->options);
  for (auto& child : node->command->commands())
    node->children.push_back(make_node(node->path, std::move(child)));
  if (node->acts()) declare_common(*node);
  node->given.resize(node->options.list().size());
  return node;
}

}  // namespace

Nodes command_tree(const command::DataKinds& kinds) {
  Nodes nodes;
  for (auto& command : all_commands(kinds)) nodes.push_back(make_node("park", std::move(command)));
  return nodes;
}

Nodes command_tree() { return command_tree(envs::data_kinds()); }

Node* find(const Nodes& nodes, std::string_view name) {
  const auto found =
      std::ranges::find_if(nodes, [&](const auto& n) { return n->command->info().name == name; });
  return found == nodes.end() ? nullptr : found->get();
}

std::vector<std::string> names_of(const Nodes& nodes) {
  std::vector<std::string> names;
  names.reserve(nodes.size());
  for (const auto& node : nodes)
    if (!node->command->hidden()) names.push_back(node->command->info().name);
  return names;
}

}  // namespace park::cli
