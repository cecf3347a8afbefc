// From arguments to the exit code. A tree of Nodes holds the commands with their options; CLI11
// splits the arguments, then the chosen node gets its options, prepare collects what is wrong, and
// run does the work. All messages and exit codes are made here. main and the tests call park_main.
#include "cli/frame/app.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ostream>

#include "cli/frame/commands.h"
#include "cli/frame/complete.h"
#include "cli/frame/help.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/names.h"
#include "cli/frame/tree.h"
#include "cli/frame/version.h"
#include "cli/play/describe.h"
#include "park/command/strings.h"
#include "park/core/config.h"
#include "park/core/registry.h"
#include "park/core/text.h"
#include "park/envs/envs.h"

namespace park::cli {
namespace {

constexpr std::size_t kMaxLines = 10;

void add_option(CLI::App& app, const Option& option, std::vector<std::string>& given) {
  if (option.flag()) {
    app.add_flag_callback(option.name, [&given] { given.emplace_back(); });
  } else if (option.many) {
    app.add_option(option.name, given)->allow_extra_args(option.positional());
  } else {
    app.add_option_function<std::string>(option.name,
                                         [&given](const std::string& text) { given = {text}; });
  }
}

/// Adds a command with those below it to the parser.
void bind(CLI::App& parent, Node& node) {
  node.app = parent.add_subcommand(node.command->info().name);
  node.app->allow_extras()->set_help_flag("-h,--help");
  for (const auto& child : node.children) bind(*node.app, *child);
  for (std::size_t i = 0; i < node.given.size(); ++i)
    add_option(*node.app, node.options.list()[i], node.given[i]);
}

std::vector<std::string> names_of(const std::vector<Option>& options) {
  std::vector<std::string> names;
  for (const Option& option : options) names.push_back(option.name);
  return names;
}

/// What was given beside the options that exist.
void check_extras(const std::string& path, const std::vector<std::string>& extras,
                  const std::vector<Option>& options, Violations& wrong) {
  const auto unknown =
      std::ranges::find_if(extras, [](const auto& e) { return e.starts_with('-'); });
  // What follows an unknown option is most likely its value.
  for (auto i = extras.begin(); i != extras.end(); ++i) {
    if (i->starts_with('-'))
      wrong.add(*i + ": no such option; " + meant(*i, names_of(options)) + "see " + path +
                " --help");
    else if (i < unknown)
      wrong.add('"' + *i + "\": one argument too many; see " + path + " --help");
  }
}

std::string no_such_command(const std::string& word, const Nodes& nodes) {
  const std::vector<std::string> names = names_of(nodes);
  return '"' + word + "\": no such command; " + meant(word, names) + "it is " + alternatives(names);
}

/// The chosen command, or nothing and a violation.
Node* chosen(const Nodes& nodes, const std::string& path, const std::vector<std::string>& extras,
             Violations& wrong) {
  const auto found = std::ranges::find_if(nodes, [](const auto& n) { return n->app->parsed(); });
  if (found == nodes.end()) {
    wrong.add(extras.empty() ? path + ": needs a command: " + alternatives(names_of(nodes)) +
                                   "; see " + path + " --help"
                             : no_such_command(extras.front(), nodes));
    return nullptr;
  }
  check_extras(path, extras, {}, wrong);
  Node& node = **found;
  const bool deeper =
      std::ranges::any_of(node.children, [](const auto& n) { return n->app->parsed(); });
  if (node.acts() && !deeper) {
    check_extras(node.path, node.app->remaining(), node.options.list(), wrong);
    return &node;
  }
  return chosen(node.children, node.path, node.app->remaining(), wrong);
}

void set_options(Node& node, Violations& wrong) {
  for (std::size_t i = 0; i < node.given.size(); ++i) {
    const Option& option = node.options.list()[i];
    if (!node.given[i].empty())
      option.set(node.given[i], wrong);
    else if (option.required)
      wrong.add(option.name + ": is required; see " + node.path + " --help");
  }
}

void add_lines(const std::string& text, Violations& wrong) {
  for (const std::string& line : split(text, '\n')) wrong.add(line);
}

int report(const Violations& wrong, Console& console, int code) {
  const auto& lines = wrong.lines();
  const std::size_t shown = lines.size() <= kMaxLines ? lines.size() : kMaxLines - 1;
  for (std::size_t i = 0; i < shown; ++i) console.error(lines[i]);
  if (shown < lines.size())
    console.error("and " + std::to_string(lines.size() - shown) + " more violations");
  return code;
}

int report(const std::string& text, Console& console, int code) {
  Violations wrong;
  add_lines(text, wrong);
  return report(wrong, console, code);
}

/// Most errors come from what the user gave.
int exit_code(Errc code) {
  switch (code) {
    case Errc::illegal_action:
    case Errc::invalid_space:
    case Errc::capacity:
    case Errc::unavailable:
    case Errc::not_finite:
      return kFailed;
    default:
      return kBadInput;
  }
}

void set_up_session(const Node& node, Session& session) {
  session.set_json(node.json);
  LogLevel level = node.log_level == "error"  ? LogLevel::error
                   : node.log_level == "warn" ? LogLevel::warn
                   : node.log_level == "info" ? LogLevel::info
                                              : LogLevel::debug;
  if (node.quiet) level = std::min(level, LogLevel::warn);
  session.console().set_level(level);
  session.plugins().name(node.plugins);
}

int run_checked(Node& node, Session& session) {
  Console& console = session.console();
  Violations wrong;
  set_options(node, wrong);
  set_up_session(node, session);
  if (!node.plugins.empty()) static_cast<void>(session.registry());  // one that is named must load
  try {
    node.command->prepare(session, wrong);
  } catch (const Error& error) {
    if (wrong.empty() && exit_code(error.code()) == kFailed) throw;
    add_lines(error.what(), wrong);
  }
  return wrong.empty() ? node.command->run(session) : report(wrong, console, kBadInput);
}

int run_command(Node& node, Session& session) {
  try {
    return run_checked(node, session);
  } catch (const Error& error) {
    session.clear_output();
    return report(error.what(), session.console(),
                  interrupted() != 0 ? kSignalled + interrupted() : exit_code(error.code()));
  } catch (const Interrupted&) {
    session.clear_output();
    return report("interrupted, nothing was written", session.console(),
                  kSignalled + interrupted());
  } catch (const std::bad_alloc&) {
    session.clear_output();
    return report("out of memory", session.console(), kFailed);
  } catch (const std::exception& error) {
    session.clear_output();
    return report(error.what(), session.console(), kFailed);
  }
}

int write_result(const std::string& text, int code, std::ostream& out, Console& console) {
  out << text << std::flush;
  if (out) return code;
  console.error("stdout: write error");
  return kFailed;
}

/// The application: CLI11 splits the arguments, everything else is decided here.
class App {
 public:
  App(AppOptions options, command::DataKinds kinds)
      : options_(options), kinds_(std::move(kinds)), nodes_(command_tree(kinds_)) {
    // One command: a later word that has the name of another one is an argument.
    root_.allow_extras()->require_subcommand(0, 1)->set_help_flag("-h,--help");
    root_.add_flag("--version", version_);
    root_.add_flag("--json", json_);
    for (const auto& node : nodes_) bind(root_, *node);
  }

  int run(std::vector<std::string> arguments, std::ostream& out, Session& session) {
    Console& console = session.console();
    if (!arguments.empty() && arguments.front() == kCompleteCommand)
      return write_result(completions(arguments, session), kDone, out, console);
    std::vector<std::string> words{"park"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    try {
      std::ranges::reverse(arguments);  // CLI11 takes them from the end
      root_.parse(std::move(arguments));
    } catch (const CLI::CallForHelp&) {
      return write_result(help(), kDone, out, console);
    } catch (const CLI::ParseError& error) {
      return report(error.what(), console, kBadInput);
    }
    if (version_) return write_version(out, console);
    Violations wrong;
    Node* node = chosen(nodes_, "park", root_.remaining(), wrong);
    if (!wrong.empty()) return report(wrong, console, kBadInput);
    session.set_command(std::move(words));
    node->json |= json_;
    const int code = run_command(*node, session);
    console.status("");
    return write_result(session.json() ? session.output() : printable(session.output(), "\n"), code,
                        out, console);
  }

 private:
  /// What fits at the end of a line that is being typed: its words are no arguments yet. A shell
  /// shows nothing where something is wrong.
  std::string completions(const std::vector<std::string>& arguments, Session& session) {
    try {
      session.plugins().name(plugin_words({arguments.begin(), arguments.end() - 1}));
      return printable(complete(nodes_, {arguments.begin() + 1, arguments.end()}, session), "\n\t");
    } catch (const std::exception&) {
      return "";
    }
  }

  int write_version(std::ostream& out, Console& console) {
    Registry built;  // without plug-ins
    envs::register_all(built);
    register_found(built);
    const auto names = built.env_names();
    const std::size_t environments =
        names.size() - static_cast<std::size_t>(std::ranges::count(names, kElsewhere));
    return write_result(json_ ? version_json(environments) : version_text(environments), kDone, out,
                        console);
  }

  /// Of the innermost command that was given.
  std::string help() {
    Node* node = nullptr;
    for (const Nodes* nodes = &nodes_; nodes != nullptr;) {
      const auto next =
          std::ranges::find_if(*nodes, [](const auto& n) { return n->app->parsed(); });
      if (next == nodes->end()) break;
      node = next->get();
      nodes = &node->children;
    }
    if (node != nullptr)
      return command_help(node->path, *node->command, node->options, options_.width);
    return main_help(all_commands(kinds_), options_.width);
  }

  AppOptions options_;
  command::DataKinds kinds_;
  CLI::App root_;
  bool version_ = false, json_ = false;
  Nodes nodes_;
};

/// Those of this build. Below `park data` plug-ins bring commands of their own, so they are loaded
/// before the arguments are parsed, or completed.
command::DataKinds data_kinds(const std::vector<std::string>& arguments, Session& session) {
  command::DataKinds kinds = envs::data_kinds();
  const auto command = std::ranges::find_if(arguments, [](const auto& word) {
    return !word.starts_with('-') && word != kCompleteCommand;
  });
  if (command == arguments.end() || *command != "data") return kinds;
  session.plugins().name(plugin_words(arguments));
  session.plugins().add_to(kinds);
  return kinds;
}

}  // namespace

int park_main(std::vector<std::string> arguments, std::ostream& out, std::ostream& err,
              AppOptions options) {
  Console console(err, options.terminal);
  Session session(console, options.width);
  command::DataKinds kinds;
  try {
    kinds = data_kinds(arguments, session);
  } catch (const Error& error) {
    return report(error.what(), console, kBadInput);
  }
  return App(options, std::move(kinds)).run(std::move(arguments), out, session);
}

}  // namespace park::cli
