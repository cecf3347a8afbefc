#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/siege/attack.h"
#include "tests/siege/runs.h"

namespace park::siege {

/// One call of a process that changed files below a folder, or made changes last.
struct FileCall {
  enum class Kind { make, make_folder, write, cut, rename, exchange, link, remove, sync, sync_all };
  Kind kind = Kind::write;
  std::string path{}, to{};  ///< relative to the folder
  std::uint64_t at = 0;      ///< of a write: its offset; of a cut: the length that is left
  std::string bytes{};       ///< of a write
};

/// Runs a program to its end and records what it does to the files below `folder`, in the order in
/// which its calls return. Throws Trouble where this system does not let a process be traced.
[[nodiscard]] std::vector<FileCall> recorded(const std::vector<std::string>& words,
                                             const std::string& folder);

/// Files and folders as calls leave them: in memory, and on the disk.
class Disk {
 public:
  /// What a loss of power leaves. An order of names and contents that no call has fixed is free, so
  /// each of these may happen.
  enum class Left {
    everything,  ///< all was written in time
    names,       ///< names as they were; contents as of their last sync
    synced       ///< names and contents as of the last sync of each folder and file
  };

  Disk() { nodes_.push_back({.folder = true}); }
  void apply(const FileCall&);
  /// Makes what is left below a folder that is there.
  void leave(Left, const std::string& folder) const;

 private:
  struct Node {
    bool folder = false;
    std::string bytes{}, synced_bytes{};
    std::map<std::string, std::size_t> entries{}, synced_entries{};
  };
  [[nodiscard]] std::size_t* find(const std::string& path);
  [[nodiscard]] std::map<std::string, std::size_t>* parent(const std::string& path);
  void link(const std::string& path, std::size_t node);
  /// A call on what is there; `node` is its place in its folder.
  void change(const FileCall&, std::size_t& node);
  void sync(Node&);
  /// A journal keeps that a folder was made with what is synced in it.
  void sync_folders_above(const std::string& path);
  void leave(const Node&, Left, const std::string& folder) const;

  std::vector<Node> nodes_;
  std::size_t root_ = 0;  // the folder itself
};

/// Records a run, loses the power at moments of it, and goes on with what is left. Nothing may be
/// lost once the run has ended.
void lose_power(Siege&, const Run&);

}  // namespace park::siege
