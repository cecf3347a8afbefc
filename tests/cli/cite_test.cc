// `park cite`: what it prints is of this build, and CITATION.cff says the same.
#include <gtest/gtest.h>

#include "cli/cite/citation.h"
#include "cli/frame/version.h"
#include "tests/kit/subprocess.h"

namespace park::cli {
namespace cite_test {

TEST(CiteCommand, TheFileIsOfThisVersion) {
  EXPECT_EQ(citation_field(citation::file(), "version"), build_info().version);
  EXPECT_EQ(run_park({"cite", "--format", "cff"}).out, citation::file());
}

TEST(CiteCommand, AFieldIsItsFirstLineWithoutQuotes) {
  EXPECT_EQ(citation_field("a: 1\nb: \"x y\"\n", "b"), "x y");
  EXPECT_EQ(citation_field("l:\n  - name: \"n\"\nname: m", "name"), "n");
  EXPECT_EQ(citation_field("name: m", "name"), "m");
  EXPECT_EQ(citation_field("aa: 1\n", "a"), "");
}

TEST(CiteCommand, NamesVersionCommitAndThePapersOfAnEnvironment) {
  const std::string park = run_park({"cite"}).out;
  EXPECT_NE(park.find(build_info().version + ", commit " + build_info().commit), std::string::npos)
      << park;
  EXPECT_EQ(park.find("follows"), std::string::npos);
  const std::string env = run_park({"cite", "load_balance(servers=2)"}).out;
  EXPECT_NE(env.find("load_balance, version 1, follows:\n  Mao et al., Park: "), std::string::npos)
      << env;
  EXPECT_NE(env.find("\n  Mao et al., Variance Reduction"), std::string::npos) << env;
}

TEST(CiteCommand, BibtexHasAnEntryForEachPaper) {
  const std::string out = run_park({"cite", "load_balance", "--format", "bibtex"}).out;
  EXPECT_TRUE(out.starts_with("@software{park,\n  title = {Park: ")) << out;
  EXPECT_NE(out.find("@misc{load_balance-2,\n  title = {Mao et al., Variance Reduction"),
            std::string::npos)
      << out;
  EXPECT_NE(out.find("},\n  year = {2019}\n}"), std::string::npos) << out;
  EXPECT_EQ(std::count(out.begin(), out.end(), '{'), std::count(out.begin(), out.end(), '}'));
}

TEST(CiteCommand, RefusesWhatDoesNotFit) {
  EXPECT_EQ(run_park({"cite", "nosuch"}).code, 2);
  EXPECT_EQ(run_park({"cite", "load_balance", "--format", "cff"}).code, 2);
  EXPECT_EQ(run_park({"cite", "--format", "bibtex", "--json"}).code, 2);
  EXPECT_NE(run_park({"cite", "load_balance", "--json"}).out.find("\"references\": ["),
            std::string::npos);
}

}  // namespace cite_test
}  // namespace park::cli
