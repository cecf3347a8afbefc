// Help and manual pages by `park help`.
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/frame/man_page.h"
#include "cli/frame/tree.h"
#include "tests/kit/subprocess.h"

namespace park::cli {
namespace manual_test {

TEST(HelpCommand, IsTheHelpOfTheOption) {
  EXPECT_EQ(run_park({"help"}).out, run_park({"--help"}).out);
  EXPECT_EQ(run_park({"help", "run"}).out, run_park({"run", "--help"}).out);
  EXPECT_EQ(run_park({"help", "data", "traces"}).out, run_park({"data", "traces", "--help"}).out);
}

TEST(HelpCommand, RefusesWhatIsNoCommand) {
  const Finished park = run_park({"help", "data", "nosuch"});
  EXPECT_EQ(park.code, 2);
  EXPECT_EQ(park.out, "");
  EXPECT_NE(park.err.find("COMMAND: no such command 'nosuch'; it is "), std::string::npos);
  EXPECT_EQ(run_park({"help", "--out", "x"}).code, 2);
  EXPECT_EQ(run_park({"help", "run", "--man", "--out", "x"}).code, 2);
}

TEST(ManualPage, HasThePartsOfTheHelp) {
  const Nodes nodes = command_tree();
  const Node* run = find(nodes, "run");
  ASSERT_NE(run, nullptr);
  const ManPage page = command_page(*run);
  EXPECT_EQ(page.name, "park-run");
  EXPECT_TRUE(page.text.starts_with(".TH PARK\\-RUN 1 ")) << page.text.substr(0, 80);
  for (const char* part :
       {"\n.SH NAME\npark\\-run \\- play policies", "\n.SH SYNOPSIS\n", "\n.SH DESCRIPTION\n",
        "\n.SH ARGUMENTS\n", "\n.SH OPTIONS\n", "\n.SH EXIT STATUS\n",
        "\n.SH EXAMPLES\n.EX\npark run", "\n.SH SEE ALSO\n.BR park (1)\n"})
    EXPECT_NE(page.text.find(part), std::string::npos) << part << '\n' << page.text;
  for (const Option& option : run->options.list()) {
    std::string name = option.name;
    for (std::size_t at = 0; (at = name.find('-', at)) != std::string::npos; at += 2)
      name.replace(at, 1, "\\-");
    EXPECT_NE(page.text.find("\n.TP\n\\fB" + name + "\\fR"), std::string::npos) << name;
  }
}

TEST(ManualPage, NoWordOfTheHelpIsARequestOrAnEscape) {
  for (const ManPage& page : man_pages(command_tree())) {
    SCOPED_TRACE(page.name);
    for (const char* wrong : {"\n.SH \n", "\n\n.", "\t", "(default /"})
      EXPECT_EQ(page.text.find(wrong), std::string::npos) << '"' << wrong << '"';
  }
}

TEST(ManualPage, ThereIsOneOfEveryCommand) {
  const std::string folder = scratch_path("man1");
  const Finished park = run_park({"help", "--man", "--out", folder});
  ASSERT_EQ(park.code, 0) << park.err;
  EXPECT_EQ(park.out, "");
  const auto pages = man_pages(command_tree());
  std::size_t files = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder))
    files += file.path().extension() == ".1" ? 1 : 0;
  EXPECT_EQ(files, pages.size());
  EXPECT_GT(files, 50u);
  EXPECT_EQ(read_text(folder + "/park.1"), run_park({"help", "--man"}).out);
  EXPECT_EQ(read_text(folder + "/park-run.1"), run_park({"help", "--man", "run"}).out);
  EXPECT_FALSE(std::filesystem::exists(folder + "/park-serve-session.1"));
}

}  // namespace manual_test
}  // namespace park::cli
