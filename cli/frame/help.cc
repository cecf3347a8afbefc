#include "cli/frame/help.h"

#include "cli/frame/names.h"
#include "park/command/table.h"

namespace park::cli {
namespace {

std::string section(const std::string& title, const Table& table, std::size_t width) {
  return table.empty() ? "" : '\n' + title + ":\n" + table.text(2, width);
}

Table option_table(const Options& options, bool positional) {
  Table table({{""}, {""}});
  for (const Option& option : options.list()) {
    if (option.positional() != positional) continue;
    table.add({option_form(option), option_doc(option)});
  }
  return table;
}

Table command_table(std::span<const std::unique_ptr<Command>> commands) {
  Table table({{""}, {""}});
  for (const auto& command : commands)
    if (!command->hidden()) table.add({command->info().name, command->info().summary});
  return table;
}

std::string paragraph(const std::string& text, std::size_t width) {
  std::string lines;
  for (const std::string& line : wrap(text, width)) lines += line + '\n';
  return lines;
}

}  // namespace

std::string usage(const std::string& path, const Options& options, bool group) {
  std::string line = path;
  for (const Option& option : options.list()) {
    if (!option.positional() && !option.required) continue;
    const std::string text = option_form(option);
    line += ' ' + (option.required ? text : '[' + text + ']');
  }
  return line + (group ? " COMMAND" : "") + " [options]";
}

std::string option_form(const Option& option) {
  if (option.positional()) return option.many ? option.name + "..." : option.name;
  return option.flag() ? option.name : option.name + ' ' + option.placeholder;
}

std::string option_doc(const Option& option) {
  return option.default_text.empty() ? option.doc
                                     : option.doc + " (default " + option.default_text + ')';
}

std::string main_help(std::span<const std::unique_ptr<Command>> commands, std::size_t width) {
  std::string text = std::string("park - ") + kParkSummary + "\n\nusage: park COMMAND [options]\n";
  text += section("commands", command_table(commands), width);
  Table options({{""}, {""}});
  for (const MainOption& option : kMainOptions) options.add({option.form, option.doc});
  text += section("options", options, width);
  return text + "\nexample:\n  " + kParkExample + '\n';
}

std::string command_help(const std::string& path, Command& command, const Options& options,
                         std::size_t width) {
  const CommandInfo info = command.info();
  const auto children = command.commands();
  const bool group = !children.empty() && !command.acts_alone();
  std::string text =
      path + " - " + info.summary + "\n\nusage: " + usage(path, options, group) + '\n';
  if (!info.details.empty()) text += '\n' + paragraph(info.details, width);
  text += section("commands", command_table(children), width);
  text += section("arguments", option_table(options, true), width);
  text += section("options", option_table(options, false), width);
  text += command.more_help(width);
  return text + "\nexample:\n  " + info.example + '\n';
}

}  // namespace park::cli
