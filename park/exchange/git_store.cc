// A store in a git repository. The constructor makes a shallow copy without files; get and put check
// out the name and the object that they need, and then work as in a folder. put adds both to the index
// of the last commit, so that files which are not checked out stay, commits and pushes. Every call of
// git has the time that is left of the whole.
#include "park/exchange/git_store.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "park/core/error.h"
#include "park/exchange/limited_child.h"
#include "park/files/descriptor.h"
#include "park/files/sha256.h"
#include "park/files/shown.h"

namespace park::exchange {
namespace {

namespace fs = std::filesystem;

/// Variables of a git that calls park, which name its own repository, and those that are set here.
constexpr std::array<std::string_view, 9> kLeftOut = {
    "GIT_DIR=",        "GIT_WORK_TREE=", "GIT_INDEX_FILE=",      "GIT_OBJECT_DIRECTORY=",
    "GIT_COMMON_DIR=", "GIT_NAMESPACE=", "GIT_TERMINAL_PROMPT=", "GIT_ALLOW_PROTOCOL=",
    "LC_ALL="};

std::vector<std::string> git_environment() {
  std::vector<std::string> all = {"GIT_TERMINAL_PROMPT=0", "LC_ALL=C",
                                  "GIT_ALLOW_PROTOCOL=file:git:http:https:ssh"};
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (std::ranges::none_of(kLeftOut, [&](auto name) { return text.starts_with(name); }))
      all.emplace_back(text);
  }
  return all;
}

/// What git says went wrong, as one line.
std::string complaint(const std::string& output) {
  std::string best, line;
  for (const char c : output + '\n') {
    if (c != '\n') {
      line += c;
      continue;
    }
    const bool reason = line.starts_with("fatal: ") || line.starts_with("error: ") ||
                        line.find("rejected]") != std::string::npos;
    if (reason) return files::shown(line);
    if (!line.empty()) best = line;
    line.clear();
  }
  return files::shown(best);
}

fs::path temporary_folder() {
  std::string path = (fs::temp_directory_path() / "park-git-XXXXXX").string();
  if (mkdtemp(path.data()) == nullptr)
    throw Error(Errc::io, path + ": " + files::last_error().message());
  return path;
}

}  // namespace

bool names_git(const std::string& text) {
  if (text.find("://") != std::string::npos) return true;
  const std::size_t at = text.find('@'), colon = text.find(':');
  if (at < colon && colon < text.find('/')) return true;
  std::error_code none;
  const fs::path path = text;
  return fs::exists(path / ".git", none) ||
         (fs::exists(path / "HEAD", none) && fs::is_directory(path / "refs", none));
}

GitStore::GitStore(std::string repository, std::chrono::seconds limit, std::uint64_t most_bytes)
    : repository_(std::move(repository)),
      limit_(limit),
      deadline_(std::chrono::steady_clock::now() + limit),
      most_bytes_(most_bytes),
      folder_(temporary_folder()) {
  try {
    std::string output;
    const std::vector<std::string> words = {"clone",       "--quiet",
                                            "--depth=1",   "--no-checkout",
                                            "--no-tags",   "--filter=blob:none",
                                            "--template=", "--",
                                            repository_,   (folder_ / "copy").string()};
    if (try_git(words, output) != 0)
      throw Error(Errc::unavailable, "git clone: " + complaint(output));
  } catch (...) {
    std::error_code none;
    fs::remove_all(folder_, none);
    throw;
  }
}

GitStore::~GitStore() {
  std::error_code none;
  fs::remove_all(folder_, none);
}

int GitStore::try_git(std::vector<std::string> words, std::string& output) {
  const std::string verb = words.front();
  std::vector<std::string> all = {"git"};
  // Nothing that the repository brings is run, and files have the bytes that were published.
  for (const char* setting :
       {"core.hooksPath=/dev/null", "core.symlinks=false", "core.autocrlf=false",
        "core.fsmonitor=false", "gc.auto=0", "maintenance.auto=false", "advice.detachedHead=false"})
    all.insert(all.end(), {"-c", setting});
  if (verb != "clone") all.insert(all.end(), {"-C", (folder_ / "copy").string()});
  all.insert(all.end(), words.begin(), words.end());
  const ChildEnd end =
      run_limited(all, git_environment(), {.deadline = deadline_, .most_file_bytes = most_bytes_});
  if (end.late)
    throw Error(Errc::unavailable, "git " + verb + ": takes longer than the " +
                                       std::to_string(limit_.count()) + " s of --timeout");
  output = end.output;
  return end.status;
}

void GitStore::git(std::vector<std::string> words) {
  const std::string verb = words.front();
  std::string output;
  if (const int status = try_git(std::move(words), output); status != 0) {
    const std::string why = complaint(output);
    throw Error(Errc::unavailable,
                "git " + verb + ": " + (why.empty() ? "status " + std::to_string(status) : why));
  }
}

void GitStore::check_out(const std::string& path) {
  std::string output;
  if (try_git({"rev-parse", "--quiet", "--verify", "HEAD:" + path}, output) != 0) return;
  git({"checkout", "--quiet", "HEAD", "--", path});
}

Object GitStore::get(const std::string& hash_or_name, std::uint64_t most_bytes) {
  const FolderStore copy(folder_ / "copy");
  if (!is_hash(hash_or_name) && is_name(hash_or_name)) check_out(name_path(hash_or_name));
  try {
    const std::string hash = copy.resolve(hash_or_name);
    check_out(object_path(hash));
    return copy.get(hash, most_bytes);
  } catch (const Error& error) {  // names the copy, which nobody knows
    std::string text = error.what();
    const std::string place = (folder_ / "copy").string();
    for (std::size_t at = 0; (at = text.find(place, at)) != std::string::npos;)
      text.replace(at, place.size(), repository_);
    throw Error(error.code(), text);
  }
}

std::string GitStore::put(const Object& object, bool overwrite) {
  std::string hash = files::sha256_text(manifest_text(object.manifest));
  const std::string& name = object.manifest.name;
  check_out(name_path(name));
  check_out(object_path(hash));
  FolderStore copy(folder_ / "copy");
  copy.put(object, overwrite);
  std::string output;
  if (try_git({"rev-parse", "--quiet", "--verify", "HEAD"}, output) == 0)
    git({"read-tree", "HEAD"});
  git({"add", "--", object_path(hash), name_path(name)});
  if (try_git({"diff", "--cached", "--quiet"}, output) == 0) return hash;  // all of it is there
  std::vector<std::string> commit = {"commit", "--quiet", "--no-verify", "-m", "Publish " + name};
  if (try_git({"config", "user.email"}, output) != 0) {
    // Whoever has told git no name publishes as park.
    git({"config", "user.name", "park"});
    git({"config", "user.email", "park@localhost"});
  }
  git(commit);
  git({"push", "--quiet", "origin", "HEAD"});
  return hash;
}

}  // namespace park::exchange
