// Objects in folders and git repositories: what is published comes back byte for byte, and anything
// that was changed, planted or is too large is refused in one line, with nothing written.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "park/exchange/git_store.h"
#include "park/exchange/limited_child.h"
#include "park/exchange/new_folder.h"
#include "park/files/sha256.h"
#include "tests/kit/scratch_folder.h"
#include "tests/kit/subprocess.h"

namespace park::exchange {
namespace store_test {

namespace fs = std::filesystem;
using cli::Finished;
using cli::run_park;
using cli::scratch_path;
using test::error_of;
using test::read_text;
using test::write_text;

constexpr std::uint64_t kMost = 1 << 20;

Object object(const std::string& name, const std::string& bytes = "one\n") {
  return {.manifest = {.kind = "suite",
                       .name = name,
                       .park = "0.1.0",
                       .files = {{"suite.json", bytes.size(), files::sha256_text(bytes)}}},
          .files = {{"suite.json", bytes}}};
}

/// A folder with one object, and its places.
class Store : public testing::Test {
 protected:
  Store() { hash_ = store_.put(object("first"), false); }
  [[nodiscard]] fs::path place(const std::string& file = "suite.json") const {
    return folder_ / object_path(hash_) / file;
  }
  [[nodiscard]] std::string refused(const std::string& what = "first",
                                    std::uint64_t most = kMost) const {
    return error_of([&] { static_cast<void>(store_.get(what, most)); });
  }

  const fs::path folder_ = scratch_path("store");
  FolderStore store_{folder_};
  std::string hash_;
};

TEST_F(Store, GivesBackWhatWasPutByHashAndByName) {
  for (const std::string& key : {hash_, std::string("first")}) {
    const Object found = store_.get(key, kMost);
    EXPECT_EQ(found.files, object("first").files);
    EXPECT_EQ(found.manifest.kind, "suite");
  }
  EXPECT_EQ(hash_, files::sha256_text(read_text(place(kObjectFile))));
  EXPECT_EQ(store_.put(object("first"), false), hash_);  // again: nothing changes
}

TEST_F(Store, ANameStandsForAnotherObjectOnlyWhereThatIsAsked) {
  const std::string wrong = error_of([&] { store_.put(object("first", "two\n"), false); });
  EXPECT_TRUE(wrong.starts_with("--name: first stands for another object")) << wrong;
  const std::string second = store_.put(object("first", "two\n"), true);
  EXPECT_EQ(store_.resolve("first"), second);
  EXPECT_EQ(store_.get(hash_, kMost).files[0].second, "one\n");  // the old one stays
}

TEST_F(Store, ChangedBytesAreRefused) {
  write_text(place(), "onE\n");
  EXPECT_NE(refused().find("suite.json: was changed: its SHA-256 is "), std::string::npos);
  write_text(place(), "one");
  EXPECT_NE(refused().find("has 3 bytes, its manifest says 4"), std::string::npos);
  write_text(place(), "one\nand more");
  EXPECT_NE(refused().find("has more than 4 bytes"), std::string::npos);
  fs::remove(place());
  EXPECT_NE(refused().find("suite.json: is missing"), std::string::npos);
}

TEST_F(Store, AChangedManifestIsRefused) {
  std::string text = read_text(place(kObjectFile));
  text.replace(text.find("suite.json"), 5, "other");
  write_text(place(kObjectFile), text);
  EXPECT_NE(refused().find("object.json: was changed"), std::string::npos);
}

/// Publishes a manifest under its own, right hash: only what it says can be wrong.
std::string refused_manifest(const fs::path& folder, const std::function<void(Object&)>& change) {
  Object wrong = object("second");
  change(wrong);
  const std::string text = manifest_text(wrong.manifest), hash = files::sha256_text(text);
  fs::create_directories(folder / object_path(hash));
  write_text(folder / object_path(hash) / kObjectFile, text);
  return error_of([&] { static_cast<void>(FolderStore(folder).get(hash, kMost)); });
}

TEST_F(Store, PathsThatLeadOutAreRefused) {
  write_text(folder_ / "secret", "one\n");
  for (const char* name : {"../../secret", "/etc/passwd", "a/b", "..", ".", "", ".hidden",
                           "object.json", "-rf", "a b", "a\nb"}) {
    const std::string text =
        refused_manifest(folder_, [&](Object& o) { o.manifest.files[0].name = name; });
    EXPECT_NE(text.find("is no plain name of a file"), std::string::npos) << name << text;
    EXPECT_EQ(std::ranges::count(text, '\n'), 0) << text;
  }
  for (const char* key : {"../names/first", "", "a/b", ".."})
    EXPECT_NE(refused(key).find("is neither a hash nor a name"), std::string::npos) << key;
}

TEST_F(Store, OddManifestsAreRefused) {
  const auto wrong = [&](const std::function<void(Object&)>& change) {
    return refused_manifest(folder_, change);
  };
  EXPECT_NE(wrong([](Object& o) { o.manifest.kind = "program"; }).find(".kind: must be"),
            std::string::npos);
  EXPECT_NE(wrong([](Object& o) { o.manifest.files.clear(); }).find("must be 1 to 64 files"),
            std::string::npos);
  EXPECT_NE(wrong([](Object& o) {
              o.manifest.files.push_back(o.manifest.files[0]);
            }).find("is there twice"),
            std::string::npos);
  EXPECT_NE(wrong([](Object& o) { o.manifest.files[0].sha256 = "abc"; }).find("64 hexadecimal"),
            std::string::npos);
  EXPECT_NE(wrong([](Object& o) {
              o.manifest.files[0].bytes = kMost + 1;
            }).find("the object has more than 1048576 bytes"),
            std::string::npos);
}

TEST_F(Store, SumsOfSizesDoNotWrap) {
  const std::string text = refused_manifest(folder_, [](Object& o) {
    o.manifest.files.push_back({"b", UINT64_MAX, files::sha256_text("")});
  });
  EXPECT_NE(text.find("the object has more than"), std::string::npos) << text;
}

TEST_F(Store, LinksAreRefusedWhereverTheyAre) {
  const fs::path aside = scratch_path("aside");
  for (const fs::path& part : {place(), folder_ / object_path(hash_), folder_ / "objects",
                               folder_ / name_path("first"), folder_ / "names"}) {
    fs::rename(part, aside);
    fs::create_symlink(aside, part);
    EXPECT_NE(refused().find("leads through a symbolic link"), std::string::npos) << part;
    fs::remove(part);
    fs::rename(aside, part);
  }
  fs::remove(place());
  fs::create_directory(place());
  EXPECT_NE(refused().find("is no regular file"), std::string::npos);
}

TEST_F(Store, WhatIsNotThereIsNamed) {
  EXPECT_NE(refused("nobody").find("has no object nobody"), std::string::npos);
  EXPECT_NE(refused(std::string(64, 'a')).find("has no object aaaa"), std::string::npos);
  EXPECT_NE(refused("first", 3).find("the object has more than 3 bytes"), std::string::npos);
}

TEST(NewFolder, AppearsWholeAndReplacesNothing) {
  const fs::path folder = scratch_path("made");
  write_new_folder(folder / "", {{"a", "1"}, {"b", "2"}});
  EXPECT_EQ(read_text(folder / "b"), "2");
  EXPECT_NE(error_of([&] {
              write_new_folder(folder, {{"a", "9"}});
            }).find("File exists"),
            std::string::npos);
  EXPECT_EQ(read_text(folder / "a"), "1");
  for (const auto& entry : fs::directory_iterator(folder.parent_path()))
    EXPECT_FALSE(entry.path().string().starts_with(folder.string() + ".part")) << entry.path();
}

TEST(LimitedChild, EndsAtItsDeadlineWithItsChildren) {
  using namespace std::chrono_literals;
  const auto begin = std::chrono::steady_clock::now();
  const ChildEnd end = run_limited({"sh", "-c", "sleep 60 & sleep 60"}, {"PATH=/usr/bin:/bin"},
                                   {.deadline = begin + 200ms, .most_file_bytes = kMost});
  EXPECT_TRUE(end.late);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 20s);
}

TEST(LimitedChild, TellsHowItEndedAndWhatItSaid) {
  using namespace std::chrono_literals;
  const ChildLimits limits{.deadline = std::chrono::steady_clock::now() + 60s,
                           .most_file_bytes = kMost};
  const ChildEnd end =
      run_limited({"sh", "-c", "echo out; echo err >&2; exit 3"}, {"PATH=/usr/bin:/bin"}, limits);
  EXPECT_EQ(end.status, 3);
  EXPECT_EQ(end.output, "out\nerr\n");
  EXPECT_NE(error_of([&] {
              static_cast<void>(run_limited({"no-such-program"}, {"PATH=/usr/bin"}, limits));
            }).find("is it installed?"),
            std::string::npos);
}

/// An empty bare repository.
std::string bare_repository() {
  const std::string path = scratch_path("bare.git");
  const ChildEnd end =
      run_limited({"git", "init", "--quiet", "--bare", path}, {"PATH=/usr/bin:/bin", "HOME=/none"},
                  {.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60),
                   .most_file_bytes = kMost});
  EXPECT_EQ(end.status, 0) << end.output;
  return path;
}

Finished publish(const std::string& path, const std::string& to,
                 std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"publish", path, "--to", to});
  return run_park(more);
}

Finished fetch(const std::string& what, const std::string& from, const std::string& out) {
  return run_park({"fetch", what, "--from", from, "--out", out});
}

std::string suite(const std::string& name) {
  const std::string path = scratch_path(name + ".json");
  write_text(path, R"({"schema": "park.suite", "version": 1, "name": ")" + name +
                       R"(", "summary": "for a test", "seed": 3, "environments": [
    {"env": "load_balance", "config": {"servers": 3, "jobs": 30}, "episodes": 4,
     "metrics": ["avg_response_s"], "baselines": ["random", "least_work"], "policies": []}]})");
  return path;
}

TEST(Publish, ASuiteAndItsResultsGoThroughAGitRepository) {
  const std::string git = bare_repository(), file = suite("tiny"), played = scratch_path("played");
  ASSERT_EQ(run_park({"bench", file, "--out", played, "--workers", "1"}).code, 0);
  const Finished one = publish(file, git);
  ASSERT_EQ(one.code, 0) << one.err;
  const Finished two = publish(played, git, {"--name", "tiny-results"});
  ASSERT_EQ(two.code, 0) << two.err;
  EXPECT_EQ(publish(file, git).out, one.out);  // nothing to commit
  const std::string hash = two.out.substr(0, two.out.size() - 1);
  EXPECT_TRUE(is_hash(hash)) << two.out;

  const std::string suites = scratch_path("suites"), results = scratch_path("results");
  const Finished first = fetch("tiny", git, suites), second = fetch(hash, git, results);
  ASSERT_EQ(first.code, 0) << first.err;
  ASSERT_EQ(second.code, 0) << second.err;
  EXPECT_EQ(read_text(suites + "/suite.json"), read_text(file));
  const Finished verified = run_park({"bench", "verify", results + "/results.json"});
  EXPECT_EQ(verified.code, 0) << verified.err;

  const Finished none = fetch("nobody", git, scratch_path("none"));
  EXPECT_EQ(none.code, 2);
  EXPECT_EQ(none.err, "error: " + git + ": has no object nobody\n");
}

TEST(Publish, ACheckpointIsAPolicyAfterFetching) {
  const std::string store = scratch_path("store"), out = scratch_path("fetched");
  const Finished published = publish("load_balance-default", store);
  ASSERT_EQ(published.code, 0) << published.err;
  ASSERT_EQ(fetch("load_balance-default", store, out).code, 0);
  const std::string bundled =
      std::string(PARK_SOURCE_DIR) + "/data/checkpoints/load_balance-default";
  for (const char* file : {"manifest.json", "policy.safetensors"})
    EXPECT_EQ(read_text(out + '/' + file), read_text(bundled + '/' + file));
  EXPECT_FALSE(fs::exists(fs::path(out) / kObjectFile));
  const Finished again = fetch("load_balance-default", store, out);
  EXPECT_EQ(again.code, 2);
  EXPECT_EQ(again.err, "error: --out: " + out + " exists\n");
}

TEST(Publish, NothingAppearsWhereAByteWasChanged) {
  const std::string store = scratch_path("store"), out = scratch_path("out");
  const Finished published = publish(suite("tiny"), store);
  ASSERT_EQ(published.code, 0) << published.err;
  const std::string hash = published.out.substr(0, 64);
  const fs::path file = fs::path(store) / object_path(hash) / "suite.json";
  std::string text = read_text(file);
  text[40] ^= 1;
  write_text(file, text);
  const Finished fetched = fetch("tiny", store, out);
  EXPECT_EQ(fetched.code, 2);
  EXPECT_EQ(fetched.out, "");
  EXPECT_NE(fetched.err.find("suite.json: was changed"), std::string::npos) << fetched.err;
  EXPECT_EQ(std::ranges::count(fetched.err, '\n'), 1) << fetched.err;
  EXPECT_FALSE(fs::exists(out));
}

TEST(Publish, WhatCannotBePublishedIsToldInOneLine) {
  const std::string store = scratch_path("store"), other = scratch_path("other.txt");
  write_text(other, "hello");
  const auto told = [&](const Finished& park) {
    EXPECT_EQ(park.code, 2) << park.err;
    EXPECT_EQ(std::ranges::count(park.err, '\n'), 1) << park.err;
    return park.err;
  };
  EXPECT_NE(told(publish(other, store)).find("is no suite and no results"), std::string::npos);
  EXPECT_NE(told(publish("no-such-thing", store)).find("there is no checkpoint, run, suite"),
            std::string::npos);
  EXPECT_NE(told(publish(suite("tiny"), store, {"--name", "../x"})).find("--name: '../x' must be"),
            std::string::npos);
  EXPECT_EQ(told(run_park({"publish", other})),
            "error: --to: is required: a folder, or a git repository\n");
  EXPECT_FALSE(fs::exists(store));
}

TEST(Publish, AGitRepositoryThatIsNotThereIsToldInOneLine) {
  const std::string nowhere = "file://" + scratch_path("nowhere.git");
  const Finished park = fetch("tiny", nowhere, scratch_path("out"));
  EXPECT_EQ(park.code, 1);
  EXPECT_TRUE(park.err.starts_with("error: git clone: fatal: ")) << park.err;
  EXPECT_EQ(std::ranges::count(park.err, '\n'), 1) << park.err;
  const Finished run = fetch("tiny", "ext::sh -c true", scratch_path("out"));
  EXPECT_NE(run.code, 0);  // a folder of this name, which is not there
}

TEST(NamesGit, TellsRepositoriesFromFolders) {
  EXPECT_TRUE(names_git("https://host/a.git"));
  EXPECT_TRUE(names_git("git@host:a/b"));
  EXPECT_TRUE(names_git(bare_repository()));
  EXPECT_FALSE(names_git("some/folder"));
  EXPECT_FALSE(names_git(scratch_path("not-there")));
}

}  // namespace store_test
}  // namespace park::exchange
