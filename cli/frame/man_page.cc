// Manual pages in the macros of man(7), which both groff and mandoc read. Each page has the parts
// of the help of its command in the order that man-pages(7) asks for. `park help --man` calls it.
#include "cli/frame/man_page.h"

#include <algorithm>

#include "cli/frame/help.h"
#include "cli/frame/names.h"
#include "cli/frame/version.h"
#include "park/command/strings.h"

namespace park::cli {
namespace {

constexpr std::size_t kVerbatimWidth = 72;  // 80 less the margins of a page

/// A text as roff shows it: no character of it is an escape or looks like a typographic one.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '\\':
        out += "\\e";
        break;
      case '-':
        out += "\\-";
        break;
      case '\'':
        out += "\\(aq";
        break;
      case '`':
        out += "\\(ga";
        break;
      case '^':
        out += "\\(ha";
        break;
      case '~':
        out += "\\(ti";
        break;
      default:
        out += c;
    }
  return out;
}

/// A line of text; one that began like a request would be one.
std::string line(const std::string& text) {
  return (text.starts_with('.') ? "\\&" : "") + escaped(text) + '\n';
}

std::string lines(const std::string& text) {
  std::string out;
  for (const std::string& one : split(text, '\n')) out += line(one);
  return out;
}

std::string verbatim(const std::string& text) { return ".EX\n" + lines(text) + ".EE\n"; }

std::string bold(const std::string& text) { return "\\fB" + escaped(text) + "\\fR"; }

std::string entry(const std::string& head, const std::string& doc) {
  return ".TP\n" + head + '\n' + line(doc);
}

std::string page_name(const std::string& path) {
  std::string name = path;
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string reference(const std::string& path) {
  return ".BR " + escaped(page_name(path)) + " (1)";
}

/// Title and the section NAME.
std::string head(const std::string& path, const std::string& summary) {
  const Build& build = build_info();
  std::string title = page_name(path);
  std::ranges::transform(title, title.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return ".TH " + escaped(title) + " 1 \"" + build.day + "\" \"park " + escaped(build.version) +
         "\" \"Park\"\n.SH NAME\n" + escaped(page_name(path)) + " \\- " + escaped(summary) + "\n";
}

std::string synopsis(const std::string& path, const std::string& usage) {
  return ".SH SYNOPSIS\n" + bold(path) + escaped(usage.substr(path.size())) + '\n';
}

/// An option with the name bold and the value as the help writes it.
std::string option_head(const Option& option) {
  const std::string form = option_form(option);
  return option.flag() || option.positional()
             ? bold(form)
             : bold(option.name) + ' ' + escaped(form.substr(option.name.size() + 1));
}

std::string option_section(const std::string& title, const Options& options, bool positional) {
  std::string text;
  for (const Option& option : options.list())
    if (option.positional() == positional) text += entry(option_head(option), option_doc(option));
  return text.empty() ? "" : ".SH " + title + '\n' + text;
}

std::string command_section(const Nodes& nodes) {
  std::string text;
  for (const auto& node : nodes)
    if (!node->command->hidden())
      text += entry(bold(node->command->info().name), node->command->info().summary);
  return text.empty() ? "" : ".SH COMMANDS\n" + text;
}

std::string foot(const std::string& example, const std::vector<std::string>& others) {
  std::string text = ".SH EXIT STATUS\n";
  text += entry("0", "Done.") + entry("1", "Failed.");
  text += entry("2", "Wrong usage or bad input, which standard error names.");
  text += entry("128 and more", "128 and the number of the signal that interrupted it.");
  text += ".SH EXAMPLES\n" + verbatim(example) + ".SH SEE ALSO\n";
  for (const std::string& path : others)
    text += reference(path) + (&path == &others.back() ? "\n" : " ,\n");
  return text;
}

void add_paths(const Nodes& nodes, std::vector<std::string>& paths) {
  for (const auto& node : nodes)
    if (!node->command->hidden()) paths.push_back(node->path);
}

void add_pages(const Nodes& nodes, std::vector<ManPage>& pages) {
  for (const auto& node : nodes) {
    if (node->command->hidden()) continue;
    pages.push_back(command_page(*node));
    add_pages(node->children, pages);
  }
}

}  // namespace

ManPage main_page(const Nodes& nodes) {
  std::string text = head("park", kParkSummary) + synopsis("park", "park COMMAND [options]");
  text += command_section(nodes) + ".SH OPTIONS\n";
  for (const MainOption& option : kMainOptions) text += entry(bold(option.form), option.doc);
  std::vector<std::string> others;
  add_paths(nodes, others);
  return {.name = "park", .text = text + foot(kParkExample, others)};
}

ManPage command_page(const Node& node) {
  const CommandInfo info = node.command->info();
  std::string text = head(node.path, info.summary);
  text += synopsis(node.path, usage(node.path, node.options, !node.acts()));
  if (!info.details.empty()) text += ".SH DESCRIPTION\n" + line(info.details);
  text += command_section(node.children);
  text += option_section("ARGUMENTS", node.options, true);
  text += option_section("OPTIONS", node.options, false);
  std::string more = node.command->more_manual(kVerbatimWidth);
  while (more.starts_with('\n')) more.erase(0, 1);
  while (more.ends_with('\n')) more.pop_back();
  if (!more.empty()) text += ".SH NOTES\n" + verbatim(more);
  std::vector<std::string> others{node.path.substr(0, node.path.rfind(' '))};
  add_paths(node.children, others);
  return {.name = page_name(node.path), .text = text + foot(info.example, others)};
}

std::vector<ManPage> man_pages(const Nodes& nodes) {
  std::vector<ManPage> pages{main_page(nodes)};
  add_pages(nodes, pages);
  return pages;
}

}  // namespace park::cli
