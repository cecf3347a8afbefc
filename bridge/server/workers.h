#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace park::bridge {

/// Threads that do the tasks of many strands: those of one strand one after the other, in their
/// order; different strands side by side.
class Workers {
 public:
  using Task = std::function<void()>;
  class Strand;

  explicit Workers(std::uint32_t threads);
  /// Finishes the tasks that are being done; the others are dropped.
  ~Workers();
  [[nodiscard]] std::shared_ptr<Strand> strand() const;
  void add(const std::shared_ptr<Strand>&, Task);
  /// Whether a strand has nothing to do: then its caller may do its next task itself.
  [[nodiscard]] bool idle(const Strand&) const;

 private:
  void work(const std::stop_token&);

  mutable std::mutex mutex_;
  std::condition_variable_any ready_;
  std::deque<std::shared_ptr<Strand>> waiting_;  // with tasks, none of them being done
  std::vector<std::jthread> threads_;
};

}  // namespace park::bridge
