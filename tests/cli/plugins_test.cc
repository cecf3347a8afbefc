// Plug-ins as users give them: `park plugins`, --plugin, PARK_PLUGIN_PATH and the user's folder. The
// libraries are those of examples/plugins and of tests/plugins.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/kit/subprocess.h"
#if PARK_HAS_BRIDGE
#include "tests/cli/served.h"
#endif

namespace park::cli {
namespace plugins_test {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// One that tests/plugins makes.
std::string library(const std::string& name) {
  return std::string(PARK_TEST_PLUGINS) + "/lib" + name + ".so";
}
/// One of examples/plugins.
std::string example(const std::string& name) {
  return std::string(PARK_EXAMPLE_PLUGINS) + "/lib" + name + ".so";
}

/// What this user's set-up may hold does not count.
class PluginsTest : public testing::Test {
 protected:
  PluginsTest() {
    unsetenv("PARK_PLUGIN_PATH");
    setenv("XDG_DATA_HOME", data_.c_str(), 1);
  }
  /// Copies a library into the user's folder.
  std::string install(const std::string& from, const std::string& name) const {
    const fs::path folder = fs::path(data_) / "park/plugins";
    fs::create_directories(folder);
    fs::copy_file(from, folder / name, fs::copy_options::overwrite_existing);
    return (folder / name).string();
  }
  static Json json_of(std::vector<std::string> arguments) {
    arguments.emplace_back("--json");
    const Finished park = run_park(arguments);
    EXPECT_EQ(park.code, 0) << park.err;
    EXPECT_EQ(park.err, "");
    return park.code == 0 ? Json::parse(park.out) : Json();
  }
  /// Exit code 2, nothing on stdout, and one line on stderr that contains the texts.
  static void expect_refused(const std::vector<std::string>& arguments,
                             const std::vector<std::string>& texts) {
    const Finished park = run_park(arguments);
    SCOPED_TRACE(testing::PrintToString(arguments) + '\n' + park.err);
    EXPECT_EQ(park.code, 2);
    EXPECT_EQ(park.out, "");
    EXPECT_EQ(std::ranges::count(park.err, '\n'), 1);
    for (const std::string& text : texts) EXPECT_NE(park.err.find(text), std::string::npos) << text;
  }

  const std::string data_ = scratch_path("data");
  const std::string speed_ = example("speed"), hurry_ = example("hurry");
};

TEST_F(PluginsTest, AreListedWithoutRunningThem) {
  const std::string loud = library("refused_loud");
  const Json one = json_of({"plugins", "--plugin", loud}).at("plugins").at(0);
  EXPECT_EQ(one, (Json{{"name", "refused"},
                       {"version", "0.1"},
                       {"licence", "MIT"},
                       {"interface", 1},
                       {"path", loud},
                       {"kind", "library"},
                       {"from", "--plugin"},
                       {"loadable", true},
                       {"problem", ""},
                       {"loaded", false}}));
  expect_refused({"plugins", loud}, {loud + ": ended the process", "99"});  // by its constructor
}

TEST_F(PluginsTest, AreListedInTheOrderOfPrecedenceWithWhatIsWrong) {
  const std::string site = scratch_path("site"), text = site + "/note.so",
                    copy = site + "/speed.so";
  fs::create_directory(site);
  std::ofstream(text) << "no library\n";
  fs::copy_file(speed_, copy);
  const std::string user = install(library("refused_stranger"), "later.so");
  setenv("PARK_PLUGIN_PATH", site.c_str(), 1);
  const Json list = json_of({"plugins", "--plugin", speed_});
  EXPECT_EQ(list.at("interface"), 1);
  EXPECT_EQ(list.at("folder"), data_ + "/park/plugins");
  const Json& all = list.at("plugins");
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0].at("path"), speed_);
  EXPECT_EQ(all[0].at("loadable"), true);
  EXPECT_EQ(all[1].at("path"), text);
  EXPECT_EQ(all[1].at("interface"), nullptr);
  EXPECT_EQ(all[1].at("problem"), "is no ELF file");
  EXPECT_EQ(all[2].at("path"), copy);
  EXPECT_EQ(all[2].at("from"), "PARK_PLUGIN_PATH");
  EXPECT_EQ(all[2].at("problem"), "its name is taken by " + speed_);
  EXPECT_EQ(all[3].at("path"), user);
  EXPECT_EQ(all[3].at("from"), "user");
  EXPECT_EQ(all[3].at("interface"), 99);
  EXPECT_EQ(all[3].at("loadable"), false);

  const Finished people = run_park({"plugins", "--plugin", speed_});
  for (const std::string& word :
       {std::string("can be loaded"), std::string("is no ELF file"), copy})
    EXPECT_NE(people.out.find(word), std::string::npos) << people.out;
}

TEST_F(PluginsTest, TellWhatTheyBring) {
  const Json all = json_of({"plugins", speed_, hurry_}).at("plugins");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].at("environments"), Json{"speed"});
  EXPECT_EQ(all[0].at("policies"), Json::array());
  EXPECT_EQ(all[0].at("sha256").get<std::string>().size(), 64U);
  EXPECT_EQ(all[1].at("policies"), Json{"hurry"});
  install(hurry_, "hurry.so");
  EXPECT_EQ(json_of({"plugins", "hurry"}).at("plugins").at(0).at("policies"), Json{"hurry"});
  const Finished people = run_park({"plugins", "--load"});
  EXPECT_NE(people.out.find("hurry 1.0 brings"), std::string::npos) << people.out;
  expect_refused({"plugins", "nosuch"}, {"no plug-in 'nosuch'"});
  expect_refused({"plugins", library("refused_stranger")}, {"interface"});
}

TEST_F(PluginsTest, BringEnvironmentsAndPoliciesToEveryCommand) {
  const std::vector<std::string> both{"--plugin", speed_, "--plugin", hurry_};
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.end(), both.begin(), both.end());
    return words;
  };
  const auto has = [](const Json& list, const std::string& name) {
    return std::ranges::any_of(list, [&](const Json& one) { return one.at("name") == name; });
  };
  EXPECT_TRUE(has(json_of(with({"envs"})).at("environments"), "speed"));
  const Json about = json_of(with({"describe", "speed(interval_s=2)"}));
  EXPECT_EQ(about.at("name"), "speed");
  const Json& policies = about.at("policies");
  EXPECT_NE(std::ranges::find(policies, "hurry"), policies.end());
  const std::string saved = scratch_path("results.json");
  EXPECT_EQ(run_park(with({"run", "speed", "--policy", "hurry,random", "--episodes", "2", "--save",
                           saved}))
                .code,
            0);
  EXPECT_EQ(Json::parse(read_text(saved)).at("plugins").size(), 2U);
  EXPECT_EQ(
      run_park({"check", "speed", "--plugin", speed_, "--property", "repeats_itself", "--quiet"})
          .code,
      0);
  const std::string record = scratch_path("record");
  EXPECT_EQ(
      run_park(with({"record", "speed", "--policy", "hurry", "--decisions", "5", "--out", record}))
          .code,
      0);
  EXPECT_EQ(run_park(with({"replay", record})).code, 0);
  expect_refused({"replay", record}, {"speed"});
}

TEST_F(PluginsTest, BringKindsOfData) {
  const std::string toys = library("toys"), in = scratch_path("in"), out = scratch_path("out");
  std::ofstream(in) << "1\n2 and\n3\n";
  const Json kinds = json_of({"data", "--plugin", toys}).at("kinds");
  const auto at =
      std::ranges::find_if(kinds, [](const Json& kind) { return kind.at("name") == "digits"; });
  ASSERT_NE(at, kinds.end());
  EXPECT_EQ(at->at("environment"), "toy_shop");
  const Json made =
      json_of({"data", "digits", "import", in, "--times", "2", "--out", out, "--plugin=" + toys});
  EXPECT_EQ(made.at("kept"), 3);
  EXPECT_EQ(read_text(out), "1\n1\n2 and\n2 and\n3\n3\n");
  EXPECT_EQ(json_of({"plugins", toys}).at("plugins").at(0).at("importers"), Json{"digits import"});
  const Finished help = run_park({"data", "digits", "import", "--help", "--plugin", toys});
  EXPECT_NE(help.out.find("park data digits import"), std::string::npos) << help.out << help.err;
  EXPECT_EQ(run_park({"data", "digits", "import", in, "--out", out}).code, 2);
  expect_refused({"data", "--plugin", library("refused_crashing")}, {"crashed in the spec"});
}

TEST_F(PluginsTest, OfTheUsersFolderNeedNoOption) {
  install(speed_, "speed.so");
  EXPECT_EQ(json_of({"describe", "speed"}).at("name"), "speed");
  // One that cannot be loaded is left out, with a line that says so.
  const std::string later = install(library("refused_stranger"), "later.so");
  const Finished park = run_park({"envs", "--json"});
  EXPECT_EQ(park.code, 0);
  EXPECT_EQ(std::ranges::count(park.err, '\n'), 1) << park.err;
  EXPECT_TRUE(park.err.starts_with("warning: " + later + ": ")) << park.err;
  EXPECT_NE(park.out.find("\"speed\""), std::string::npos);
  // What an option names comes first.
  const Finished hidden = run_park({"envs", "--plugin", speed_, "--json", "--log-level", "debug"});
  EXPECT_EQ(hidden.code, 0) << hidden.err;
  EXPECT_NE(hidden.err.find("is hidden by --plugin " + speed_), std::string::npos) << hidden.err;
}

TEST_F(PluginsTest, AreRefusedInOneLine) {
  const std::string text = scratch_path("text.so"), missing = scratch_path("missing.so");
  std::ofstream(text) << "no library\n";
  const auto refused = [&](const std::string& file, const std::string& why) {
    expect_refused({"envs", "--plugin", file}, {"--plugin " + file + ": ", why});
  };
  refused(missing, "No such file or directory");
  refused(text, "is no ELF file");
  refused(library("refused_no_note"), "is no plug-in of Park: it has no section .note.park");
  refused(library("refused_stranger"), "interface 99");
  refused(library("refused_no_entry"), "park_plugin");
  refused(library("refused_undefined"), "function_that_nobody_has");
  refused(library("refused_refusing"), "it needs a newer Park");
  refused(library("balance"), "load_balance");
  refused(library("refused_crashing"), "crashed in the spec");
  const std::string copy = scratch_path("copy.so");
  fs::copy_file(speed_, copy);
  expect_refused({"envs", "--plugin", speed_, "--plugin", copy}, {copy, "speed"});
  expect_refused({"envs", "--plugin", ""}, {"--plugin: must not be empty"});
  for (const char* path : {"relative", ":", "/usr/lib:"}) {
    setenv("PARK_PLUGIN_PATH", path, 1);
    const Finished park = run_park({"envs"});
    EXPECT_EQ(park.code, 2) << path << park.err;
    EXPECT_TRUE(park.err.starts_with("error: PARK_PLUGIN_PATH: ")) << park.err;
  }
}

/// A suite of one environment, in a file.
std::string write_suite() {
  const std::string path = scratch_path("suite.json");
  std::ofstream(path) << R"({"schema": "park.suite", "version": 1, "name": "own",
    "summary": "for a test", "seed": 3, "environments": [{"env": "speed",
    "config": {"interval_s": 2}, "episodes": 3, "metrics": ["cost_s"],
    "baselines": ["random"], "policies": ["hurry"]}]})";
  return path;
}

TEST_F(PluginsTest, OfABenchmarkAreRecordedAndAskedForAgain) {
  const std::string out = scratch_path("out"), file = out + "/results.json";
  const Finished played = run_park(
      {"bench", write_suite(), "--out", out, "--plugin", speed_, "--plugin", hurry_, "--quiet"});
  ASSERT_EQ(played.code, 0) << played.err;
  const Json used = Json::parse(read_text(file)).at("manifest").at("plugins");
  ASSERT_EQ(used.size(), 2U);
  EXPECT_EQ(used[0].at("name"), "speed");
  EXPECT_EQ(used[0].at("file"), "libspeed.so");
  EXPECT_EQ(used[0].at("sha256"), json_of({"plugins", speed_}).at("plugins").at(0).at("sha256"));

  const std::vector<std::string> verify{"bench", "verify", file, "--seed", "1", "--plugin", hurry_};
  expect_refused(verify, {"the plug-in speed 1.0 (libspeed.so, SHA-256 ", "give --plugin"});
  auto with = verify;
  with.insert(with.end(), {"--plugin", speed_, "--quiet"});
  const Finished again = run_park(with);
  EXPECT_EQ(again.code, 0) << again.out << again.err;
  EXPECT_EQ(again.err, "");
  // The same version with other bytes is told of, and what counts are the figures.
  const std::string copy = scratch_path("libspeed.so");
  fs::copy_file(speed_, copy);
  std::ofstream(copy, std::ios::app) << "built again";
  with[with.size() - 2] = copy;
  const Finished rebuilt = run_park(with);
  EXPECT_EQ(rebuilt.code, 0) << rebuilt.out << rebuilt.err;
  EXPECT_NE(rebuilt.err.find("is another file than the recorded one"), std::string::npos)
      << rebuilt.err;
}

#if PARK_HAS_BRIDGE
TEST_F(PluginsTest, AreTheServersAlone) {
  const auto describe = [](const Served& served, const std::string& env) {
    return run_park(
        {"describe", "remote(env=\"" + env + "\",endpoint=\"" + served.endpoint() + "\")"});
  };
  Served plain(std::vector<std::string>{}), with({"--plugin", speed_}),
      isolated({"--plugin", speed_, "--isolate"});
  EXPECT_EQ(describe(with, "speed(interval_s=2)").code, 0);
  EXPECT_EQ(describe(isolated, "speed").code, 0);
  for (const std::string& env : {std::string("speed"), speed_}) {
    const Finished park = describe(plain, env);
    EXPECT_EQ(park.code, 2) << park.err;
  }
  EXPECT_EQ(describe(with, hurry_).code, 2);
}
#endif

}  // namespace plugins_test
}  // namespace park::cli
