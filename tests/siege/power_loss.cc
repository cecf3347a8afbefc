// Loss of power without a machine that loses it. A run's system calls are recorded with ptrace: what
// they wrote is read from its descriptors when they return. Disk applies a beginning of the
// record and makes what the disk may have then; the run goes on from there in a folder of its own.
#include "tests/siege/power_loss.h"

#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <set>

namespace park::siege {
namespace {

namespace fs = std::filesystem;
using Call = FileCall;

/// A thread of the traced program that stands at a call.
struct Entered {
  std::uint64_t number = 0;
  std::array<std::uint64_t, 6> arguments{};
  std::string path{}, to{};  // as they were before the call
};

std::string process_file(pid_t pid, const std::string& name) {
  return "/proc/" + std::to_string(pid) + "/" + name;
}

/// A text in the memory of another process.
std::string text_at(pid_t pid, std::uint64_t address) {
  std::string text;
  std::array<char, 256> piece{};
  while (text.size() < PATH_MAX) {
    // To the end of the page, since the next one may be none.
    const std::size_t most = std::min<std::size_t>(piece.size(), 4096 - address % 4096);
    const iovec here{piece.data(), most};
    const iovec there{reinterpret_cast<void*>(address), most};
    const ssize_t got = process_vm_readv(pid, &here, 1, &there, 1, 0);
    if (got <= 0) return text;
    const std::string_view read(piece.data(), static_cast<std::size_t>(got));
    const std::size_t end = read.find('\0');
    text += read.substr(0, end);
    if (end != std::string_view::npos) return text;
    address += static_cast<std::uint64_t>(got);
  }
  return text;
}

/// The path of a descriptor of another process, as it is called now.
std::string path_of(pid_t pid, std::uint64_t descriptor) {
  std::error_code none;
  return fs::read_symlink(process_file(pid, "fd/" + std::to_string(static_cast<int>(descriptor))),
                          none)
      .string();
}

/// The name that a call has: relative to a descriptor, to the current folder, or absolute.
std::string named(pid_t pid, std::uint64_t descriptor, std::uint64_t address) {
  const std::string name = text_at(pid, address);
  if (name.starts_with('/')) return fs::path(name).lexically_normal();
  std::error_code none;
  const fs::path folder = static_cast<int>(descriptor) == AT_FDCWD
                              ? fs::read_symlink(process_file(pid, "cwd"), none)
                              : fs::path(path_of(pid, descriptor));
  return (folder / name).lexically_normal();
}

class Recorder {
 public:
  explicit Recorder(const std::string& folder) : folder_(fs::canonical(folder)) {}

  void enter(pid_t thread, std::uint64_t number, const __uint64_t* arguments) {
    Entered& at = threads_[thread];
    at = {.number = number};
    std::copy(arguments, arguments + 6, at.arguments.begin());
    const auto& a = at.arguments;
    constexpr auto kHere = static_cast<std::uint64_t>(AT_FDCWD);
    switch (number) {
#ifdef SYS_rename
      case SYS_rename:
      case SYS_link:
        at.to = named(thread, kHere, a[1]);
        [[fallthrough]];
      case SYS_mkdir:
      case SYS_unlink:
      case SYS_rmdir:
        at.path = named(thread, kHere, a[0]);
        break;
#endif
      case SYS_renameat2:
      case SYS_linkat:
#ifdef SYS_renameat
      case SYS_renameat:
#endif
        at.to = named(thread, a[2], a[3]);
        [[fallthrough]];
      case SYS_mkdirat:
      case SYS_unlinkat:
        at.path = named(thread, a[0], a[1]);
        break;
      default:
        break;
    }
  }

  void leave(pid_t thread, std::int64_t result) {
    const Entered at = threads_[thread];
    if (result < 0) return;
    switch (at.number) {
#ifdef SYS_rename
      case SYS_rename:
        return add({.kind = Call::Kind::rename, .path = at.path, .to = at.to});
      case SYS_link:
        return add({.kind = Call::Kind::link, .path = at.path, .to = at.to});
      case SYS_mkdir:
        return add({.kind = Call::Kind::make_folder, .path = at.path});
      case SYS_unlink:
      case SYS_rmdir:
        return add({.kind = Call::Kind::remove, .path = at.path});
      case SYS_open:
      case SYS_creat:
#endif
#ifdef SYS_renameat
      case SYS_renameat:
#endif
      case SYS_openat:
      case SYS_renameat2:
      case SYS_linkat:
      case SYS_mkdirat:
      case SYS_unlinkat:
        return leave_at(thread, at, result);
      default:
        return leave_descriptor(thread, at, result);
    }
  }

  std::vector<FileCall> take() { return std::move(calls_); }

 private:
  void leave_at(pid_t thread, const Entered& at, std::int64_t result) {
    switch (at.number) {
      case SYS_renameat2:
        return add({.kind = (at.arguments[4] & RENAME_EXCHANGE) != 0 ? Call::Kind::exchange
                                                                     : Call::Kind::rename,
                    .path = at.path,
                    .to = at.to});
      case SYS_linkat:
        return add({.kind = Call::Kind::link, .path = at.path, .to = at.to});
      case SYS_mkdirat:
        return add({.kind = Call::Kind::make_folder, .path = at.path});
      case SYS_unlinkat:
        return add({.kind = Call::Kind::remove, .path = at.path});
#ifdef SYS_renameat
      case SYS_renameat:
        return add({.kind = Call::Kind::rename, .path = at.path, .to = at.to});
#endif
      default:
        return opened(thread, at, static_cast<std::uint64_t>(result));
    }
  }

  /// A file that is made or emptied by opening it.
  void opened(pid_t thread, const Entered& at, std::uint64_t descriptor) {
    const std::uint64_t flags = at.number == SYS_openat ? at.arguments[2] : at.arguments[1];
    if (at.number == SYS_openat && (flags & (O_CREAT | O_TRUNC)) == 0) return;
    const std::string path = path_of(thread, descriptor);
    if ((flags & O_CREAT) != 0) add({.kind = Call::Kind::make, .path = path});
    if ((flags & O_TRUNC) != 0) add({.kind = Call::Kind::cut, .path = path});
  }

  void leave_descriptor(pid_t thread, const Entered& at, std::int64_t result) {
    const auto n = static_cast<std::uint64_t>(result);
    const auto& a = at.arguments;
    switch (at.number) {
      case SYS_write:
      case SYS_writev:
        return written(thread, a[0], position(thread, a[0]) - n, n);
      case SYS_pwrite64:
        return written(thread, a[0], a[3], n);
      case SYS_sendfile:
        return written(thread, a[0], position(thread, a[0]) - n, n);
      case SYS_copy_file_range:
        return written(thread, a[2], position(thread, a[2]) - n, n);
      case SYS_ftruncate:
        return add({.kind = Call::Kind::cut, .path = path_of(thread, a[0]), .at = a[1]});
      case SYS_fsync:
      case SYS_fdatasync:
        return add({.kind = Call::Kind::sync, .path = path_of(thread, a[0])});
      case SYS_syncfs:
      case SYS_sync:
        return add({.kind = Call::Kind::sync_all, .path = folder_});
      default:
        return;
    }
  }

  static std::uint64_t position(pid_t thread, std::uint64_t descriptor) {
    std::ifstream info(process_file(thread, "fdinfo/" + std::to_string(descriptor)));
    std::string word;
    std::uint64_t at = 0;
    info >> word >> at;
    return at;
  }

  void written(pid_t thread, std::uint64_t descriptor, std::uint64_t at, std::uint64_t n) {
    const std::string path = path_of(thread, descriptor);
    if (n == 0 || !inside(path)) return;
    std::ifstream file(path, std::ios::binary);
    std::string bytes(n, '\0');
    file.seekg(static_cast<std::streamoff>(at));
    if (!file.read(bytes.data(), static_cast<std::streamsize>(n)))
      throw Trouble(path + ": what was written cannot be read");
    add({.kind = Call::Kind::write, .path = path, .at = at, .bytes = std::move(bytes)});
  }

  [[nodiscard]] bool inside(const std::string& path) const {
    return path == folder_ || path.starts_with(folder_ + "/");
  }
  [[nodiscard]] std::string below(const std::string& path) const {
    return path.size() > folder_.size() ? path.substr(folder_.size() + 1) : "";
  }
  void add(FileCall call) {
    if (!inside(call.path)) return;
    call.path = below(call.path);
    call.to = below(call.to);
    calls_.push_back(std::move(call));
  }

  std::string folder_;
  std::map<pid_t, Entered> threads_;
  std::vector<FileCall> calls_;
};

/// Lets a stopped thread go to its next call; `signal` is delivered.
void go(pid_t thread, int signal) {
  ptrace(PTRACE_SYSCALL, thread, nullptr, static_cast<long>(signal));
}

/// What stopped a thread: a call that begins or ends, a new thread, a signal.
void stopped(pid_t thread, int status, std::set<pid_t>& known, Recorder& recorder) {
  const int signal = WSTOPSIG(status);
  const bool is_new = known.insert(thread).second;
  if (signal == (SIGTRAP | 0x80)) {
    struct __ptrace_syscall_info info {};
    if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info) > 0) {
      if (info.op == PTRACE_SYSCALL_INFO_ENTRY)
        recorder.enter(thread, info.entry.nr, info.entry.args);
      else if (info.op == PTRACE_SYSCALL_INFO_EXIT)
        recorder.leave(thread, info.exit.rval);
    }
    return go(thread, 0);
  }
  const bool event = status >> 16 != 0 || signal == SIGTRAP || (is_new && signal == SIGSTOP);
  go(thread, event ? 0 : signal);
}

}  // namespace

std::vector<FileCall> recorded(const std::vector<std::string>& words, const std::string& folder) {
  Process process(words, "", [] {
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);  // it cannot look for leaks of a traced process
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    raise(SIGSTOP);
  });
  const pid_t first = process.pid();
  int status = 0;
  waitpid(first, &status, __WALL);
  constexpr long kOptions = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
                            PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
  if (!WIFSTOPPED(status) || ptrace(PTRACE_SETOPTIONS, first, nullptr, kOptions) != 0)
    throw Trouble("this system lets no process be traced");
  Recorder recorder(folder);
  std::set<pid_t> known{first};
  go(first, 0);
  for (;;) {
    const pid_t thread = waitpid(-1, &status, __WALL);
    if (thread < 0) throw Trouble("the traced process is gone");
    if (WIFSTOPPED(status))
      stopped(thread, status, known, recorder);
    else if (thread == first)
      break;
  }
  process.forget();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw Trouble("the recorded run failed: " + one_line(process.err()));
  return recorder.take();
}

std::map<std::string, std::size_t>* Disk::parent(const std::string& path) {
  const std::string folder = fs::path(path).parent_path();
  const std::size_t* node = find(folder);
  return node == nullptr || !nodes_[*node].folder ? nullptr : &nodes_[*node].entries;
}

std::size_t* Disk::find(const std::string& path) {
  std::size_t* at = &root_;
  for (const fs::path& name : fs::path(path)) {
    auto& entries = nodes_[*at].entries;
    const auto found = entries.find(name);
    if (found == entries.end()) return nullptr;
    at = &found->second;
  }
  return at;
}

void Disk::link(const std::string& path, std::size_t node) {
  if (auto* entries = parent(path)) (*entries)[fs::path(path).filename()] = node;
}

void Disk::sync(Node& node) {
  node.synced_bytes = node.bytes;
  node.synced_entries = node.entries;
}

void Disk::sync_folders_above(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  std::size_t at = root_;
  for (const fs::path& name : folder) {
    const std::size_t below = nodes_[at].entries.at(name);
    nodes_[at].synced_entries[name] = below;
    at = below;
  }
}

void Disk::apply(const FileCall& call) {
  using Kind = FileCall::Kind;
  std::size_t* const node = find(call.path);
  if (call.kind == Kind::sync_all) {
    for (Node& one : nodes_) sync(one);
  } else if (call.kind == Kind::make || call.kind == Kind::make_folder) {
    if (node != nullptr) return;
    nodes_.push_back({.folder = call.kind == Kind::make_folder});
    link(call.path, nodes_.size() - 1);
  } else if (node != nullptr) {  // else it was made before the record began
    change(call, *node);
  }
}

void Disk::change(const FileCall& call, std::size_t& node) {
  using Kind = FileCall::Kind;
  Node& it = nodes_[node];
  switch (call.kind) {
    case Kind::write:
      it.bytes.resize(std::max(it.bytes.size(), call.at + call.bytes.size()));
      it.bytes.replace(call.at, call.bytes.size(), call.bytes);
      return;
    case Kind::cut:
      return it.bytes.resize(call.at);
    case Kind::sync:
      sync_folders_above(call.path);
      return sync(it);
    case Kind::link:
      return link(call.to, node);
    case Kind::exchange:
      if (std::size_t* const other = find(call.to)) std::swap(node, *other);
      return;
    case Kind::rename:
      link(call.to, node);
      [[fallthrough]];
    default:  // removed
      parent(call.path)->erase(fs::path(call.path).filename());
  }
}

void Disk::leave(Left left, const std::string& folder) const { leave(nodes_[0], left, folder); }

void Disk::leave(const Node& node, Left left, const std::string& folder) const {
  for (const auto& [name, number] : left == Left::synced ? node.synced_entries : node.entries) {
    const Node& one = nodes_[number];
    const std::string path = fs::path(folder) / name;
    if (one.folder) {
      fs::create_directory(path);
      leave(one, left, path);
    } else {
      write_text(path, left == Left::everything ? one.bytes : one.synced_bytes);
    }
  }
}

void lose_power(Siege& siege, const Run& run) {
  std::vector<FileCall> calls;
  {
    const Folder place;
    try {
      calls = recorded(run.words(place.file("run"), false), place.path());
    } catch (const Trouble& trouble) {
      return siege.skip(trouble.what());
    }
  }
  const std::array all{Disk::Left::everything, Disk::Left::names, Disk::Left::synced};
  const auto lost_after = [&](std::size_t some, Disk::Left left, const std::string& folder) {
    Disk disk;
    for (std::size_t i = 0; i < some; ++i) disk.apply(calls[i]);
    disk.leave(left, folder);
  };
  for (const Disk::Left left : all) {
    const Folder place;
    lost_after(calls.size(), left, place.path());
    if (const std::string what = run.difference(place.file("run")); !what.empty())
      siege.broke(std::string("power that is lost after the end takes results where ") +
                  (left == Disk::Left::names ? "names" : "synced contents") +
                  " alone are kept: " + what);
    siege.did();
  }
  for (std::uint64_t i = siege.count(4, 100); i > 0; --i) {
    const Folder place;
    const std::size_t some = siege.rng.below(calls.size());
    lost_after(some, all[siege.rng.below(all.size())], place.path());
    if (const std::string what = run.completed(place.file("run")); !what.empty())
      siege.broke("power lost after call " + std::to_string(some) + " of " +
                  std::to_string(calls.size()) + ": " + what);
    siege.did();
  }
}

}  // namespace park::siege
