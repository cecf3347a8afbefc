#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "park/exchange/store.h"

namespace park::exchange {

/// Whether a text names a git repository: an address with a scheme, USER@HOST:PATH, or a folder that
/// is a repository, bare or not. Anything else is the folder of a FolderStore.
[[nodiscard]] bool names_git(const std::string& text);

/// The same store in a git repository, by the command git. A copy without files is in a temporary
/// folder while this object lives, and only what is asked for is checked out there. Git asks for no
/// password, follows no hook of the repository and writes no file of more than `most_bytes`.
class GitStore {
 public:
  /// Copies the repository's history of length 1. Throws Error{unavailable} with git's complaint,
  /// also where all calls together take longer than `limit`.
  GitStore(std::string repository, std::chrono::seconds limit, std::uint64_t most_bytes);
  ~GitStore();
  GitStore(const GitStore&) = delete;
  GitStore& operator=(const GitStore&) = delete;

  /// As FolderStore::put, as a commit on the branch that the repository has by default.
  std::string put(const Object&, bool overwrite);
  /// As FolderStore::get.
  [[nodiscard]] Object get(const std::string& hash_or_name, std::uint64_t most_bytes);

 private:
  /// Runs git; throws Error{unavailable} where it fails.
  void git(std::vector<std::string> words);
  /// The exit status of git.
  [[nodiscard]] int try_git(std::vector<std::string> words, std::string& output);
  /// Brings a path of the last commit into the copy, where there is one.
  void check_out(const std::string& path);

  std::string repository_;
  std::chrono::seconds limit_;
  std::chrono::steady_clock::time_point deadline_;
  std::uint64_t most_bytes_;
  std::filesystem::path folder_;  // of all that is temporary
};

}  // namespace park::exchange
