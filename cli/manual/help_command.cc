// `park help`: the text of --help, or the manual page of a command. With --out it writes the pages
// of all commands, which is how the installation makes them.
#include <filesystem>

#include "cli/frame/commands.h"
#include "cli/frame/help.h"
#include "cli/frame/man_page.h"
#include "cli/frame/names.h"
#include "cli/frame/tree.h"
#include "park/command/strings.h"
#include "park/files/new_file.h"

namespace park::cli {
namespace {

class HelpCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.name = "help",
            .summary = "what a command does: as --help, or as a page of the manual",
            .details = "",
            .example = "park help --man run | man -l -"};
  }
  bool takes_plugins() const override { return false; }

  bool takes_plugins() const override { return false; }
  void declare(Options& options) override {
    options.texts("COMMAND", words_, "a command, such as data traces generate; none: park itself");
    options.flag("--man", man_, "a page of the manual, in roff");
    options.text("--out", "FOLDER", out_, "with --man: write the pages of all commands there");
  }

  void prepare(Session&, Violations& wrong) override {
    if (!out_.empty() && !man_) wrong.add("--out: needs --man");
    if (!out_.empty() && !words_.empty()) wrong.add("--out: writes all pages, without COMMAND");
    nodes_ = command_tree();
    const Nodes* below = &nodes_;
    for (const std::string& word : words_) {
      node_ = find(*below, word);
      if (node_ == nullptr)
        return wrong.add("COMMAND: no such command '" + word + "'" +
                         (below->empty() ? "" : "; it is " + alternatives(names_of(*below))));
      below = &node_->children;
    }
  }

  int run(Session& session) override {
    if (!out_.empty())
      write_pages();
    else if (man_)
      session.print((node_ == nullptr ? main_page(nodes_) : command_page(*node_)).text);
    else
      session.print(node_ == nullptr ? main_help(all_commands(), session.width())
                                     : command_help(node_->path, *node_->command, node_->options,
                                                    session.width()));
    return kDone;
  }

 private:
  void write_pages() const {
    const std::filesystem::path folder(out_);
    std::filesystem::create_directories(folder);
    for (const ManPage& page : man_pages(nodes_))
      files::write_file(folder / (page.name + ".1"), page.text);
  }

  std::vector<std::string> words_;
  std::string out_;
  bool man_ = false;
  Nodes nodes_;  // made when they are needed: this command is one of them
  const Node* node_ = nullptr;
};

}  // namespace

void add_help_command(Commands& all) { all.add(110, std::make_unique<HelpCommand>()); }

}  // namespace park::cli
