// Completion of a command line. read_line walks over the words that are complete: commands lead
// down the tree, options take their values, other words are arguments. What fits in place of the
// last word follows from where that walk ended: names of options, commands, or the values of an
// option or argument (complete_values.h). App calls complete for `park __complete WORD...`.
#include "cli/frame/complete.h"

#include <algorithm>
#include <set>

#include "cli/frame/complete_values.h"
#include "cli/frame/names.h"

namespace park::cli {
namespace {

/// Where the words before the last one lead.
struct Line {
  const Node* node = nullptr;        ///< the innermost command; nullptr: park itself
  const Nodes* below = nullptr;      ///< the commands that may follow
  std::size_t arguments = 0;         ///< words that are neither commands nor options
  const Option* awaiting = nullptr;  ///< the option whose value comes next
  std::set<std::string> given;       ///< options
  Values values;                     ///< by option or argument
};

/// The first sentence of a documentation.
std::string brief(const std::string& doc) { return doc.substr(0, doc.find("; ")); }

const Option* option_of(const Node* node, std::string_view name) {
  if (node == nullptr) return nullptr;
  const auto& all = node->options.list();
  const auto found = std::ranges::find(all, name, &Option::name);
  return found == all.end() ? nullptr : &*found;
}

/// The argument at a place, counted from 0.
const Option* argument_at(const Node* node, std::size_t place) {
  if (node == nullptr) return nullptr;
  for (const Option& option : node->options.list()) {
    if (!option.positional()) continue;
    if (place == 0 || option.many) return &option;
    --place;
  }
  return nullptr;
}

void read_option(Line& line, const std::string& word) {
  const std::size_t equals = word.find('=');
  const std::string name = word.substr(0, equals);
  line.given.insert(name);
  const Option* option = option_of(line.node, name);
  if (option == nullptr || option->flag()) return;
  if (equals == std::string::npos)
    line.awaiting = option;
  else
    line.values[name] = word.substr(equals + 1);
}

void read_word(Line& line, const std::string& word) {
  if (line.awaiting != nullptr) {
    line.values[line.awaiting->name] = word;
    line.awaiting = nullptr;
  } else if (word.starts_with('-')) {
    read_option(line, word);
  } else if (const Node* next = line.arguments == 0 ? find(*line.below, word) : nullptr) {
    line.node = next;
    line.below = &next->children;
    line.given.clear();
  } else {
    if (const Option* argument = argument_at(line.node, line.arguments++))
      line.values[argument->name] = word;
  }
}

Line read_line(const Nodes& nodes, const std::vector<std::string>& words) {
  Line line;
  line.below = &nodes;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) read_word(line, words[i]);
  return line;
}

Candidates options_for(const Line& line, const std::string& typed) {
  Candidates all;
  if (line.node == nullptr) {
    add_matching(all, "", typed, {"--version"}, "version, commit, compiler and modules");
  } else {
    for (const Option& option : line.node->options.list())
      if (!option.positional() && (option.many || !line.given.contains(option.name)))
        add_matching(all, "", typed, {option.name}, brief(option.doc));
  }
  add_matching(all, "", typed, {"--help"}, "what there is to give");
  return all;
}

/// The values of the option or argument, each behind `before`.
Completed values_for(const Line& line, const Option& option, const std::string& before,
                     const std::string& typed, Session& session) {
  Completed found = complete_value(option, line.values, typed, session);
  for (Candidate& one : found.candidates) one.word.insert(0, before);
  return found;
}

Completed words_for(const Line& line, const std::string& typed, Session& session) {
  Completed found;
  if (line.arguments == 0)
    for (const auto& node : *line.below)
      if (!node->command->hidden())
        add_matching(found.candidates, "", typed, {node->command->info().name},
                     node->command->info().summary);
  if (const Option* argument = argument_at(line.node, line.arguments)) {
    Completed values = values_for(line, *argument, "", typed, session);
    found.files = values.files;
    std::ranges::move(values.candidates, std::back_inserter(found.candidates));
  } else if (found.candidates.empty() && typed.empty()) {
    found.candidates = options_for(line, typed);
  }
  return found;
}

Completed last_word(const Line& line, const std::string& typed, Session& session) {
  if (line.awaiting != nullptr) return values_for(line, *line.awaiting, "", typed, session);
  if (!typed.starts_with('-')) return words_for(line, typed, session);
  const std::size_t equals = typed.find('=');
  if (equals == std::string::npos) return {.candidates = options_for(line, typed), .files = false};
  const Option* option = option_of(line.node, typed.substr(0, equals));
  if (option == nullptr || option->flag()) return {};
  return values_for(line, *option, typed.substr(0, equals + 1), typed.substr(equals + 1), session);
}

}  // namespace

std::string complete(const Nodes& nodes, const std::vector<std::string>& words, Session& session) {
  const Line line = read_line(nodes, words);
  const Completed found = last_word(line, words.empty() ? "" : words.back(), session);
  std::string text;
  bool open = false;
  for (const Candidate& one : found.candidates) {
    text += one.word + '\t' + one.about + '\n';
    open |= one.word.ends_with('=');
  }
  const bool files = found.files && found.candidates.empty();
  return text + (files ? ":files\n" : open ? ":open\n" : ":end\n");
}

}  // namespace park::cli
