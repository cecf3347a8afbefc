#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

namespace park::files {

/// What tells one state of a regular file from another.
struct FileStamp {
  std::filesystem::path path{};
  std::filesystem::file_time_type written{};
  std::uint64_t bytes = 0, inode = 0;
  bool operator==(const FileStamp&) const = default;
};

/// `error` says why the file has none; then the stamp is that of no file.
[[nodiscard]] FileStamp stamp_of(const std::filesystem::path&, std::error_code& error);

/// What was read from files, shared by all who use it. Holds nothing alive: only users do. A file
/// that was changed or replaced is read again. Safe with threads; one reads at a time.
template <class Key, class T>
class StampCache {
 public:
  /// What is in use under this key and was read from files with these stamps; else `read()`, a
  /// shared_ptr<const T>. Take stamps before: a file that changes while it is read is then read
  /// again. Throws what read throws.
  template <class Read>
  [[nodiscard]] std::shared_ptr<const T> get(const Key& key, const std::vector<FileStamp>& stamps,
                                             Read&& read) {
    const std::scoped_lock lock(mutex_);
    std::erase_if(entries_, [](const Entry& e) { return e.value.expired(); });
    auto entry = std::ranges::find(entries_, key, &Entry::key);
    if (entry != entries_.end() && entry->stamps == stamps)
      if (auto held = entry->value.lock()) return held;
    std::shared_ptr<const T> fresh = read();
    if (entry == entries_.end()) entry = entries_.insert(entry, Entry{key, {}, {}});
    entry->stamps = stamps;
    entry->value = fresh;
    return fresh;
  }

 private:
  struct Entry {
    Key key;
    std::vector<FileStamp> stamps;
    std::weak_ptr<const T> value;
  };
  std::mutex mutex_;
  std::vector<Entry> entries_;  // few: what a process has in use
};

}  // namespace park::files
