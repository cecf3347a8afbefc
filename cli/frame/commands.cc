#include "cli/frame/commands.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "park/envs/envs.h"

namespace park::cli {

void Commands::add(int place, std::unique_ptr<Command> command) {
  std::string name = command->info().name;
  entries_.push_back({place, std::move(name), std::move(command)});
}

std::vector<std::unique_ptr<Command>> Commands::take() {
  std::ranges::sort(entries_, {}, [](const Entry& e) { return std::tie(e.place, e.name); });
  std::vector<std::unique_ptr<Command>> all;
  all.reserve(entries_.size());
  for (Entry& entry : entries_) all.push_back(std::move(entry.command));
  entries_.clear();
  return all;
}

std::vector<std::unique_ptr<Command>> all_commands(const command::DataKinds& kinds) {
  Commands commands(kinds);
  add_found_commands(commands);
  return commands.take();
}

std::vector<std::unique_ptr<Command>> all_commands() { return all_commands(envs::data_kinds()); }

}  // namespace park::cli
