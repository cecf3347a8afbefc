#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace park::bridge {

/// Threads that do the work of many strands: the pieces of one strand one after the other,
/// different strands side by side. The next piece is one of the strand that has used the processor
/// least. A strand that had nothing to do saves up no turns. It counts as if it had used the
/// processor as much as the strands that are served now. Brief pieces do not wait for long ones:
/// besides the threads that do any of them there is one for brief ones alone.
class Workers {
 public:
  /// Whoever has work to do, in pieces of which it knows the order.
  class Strand {
   public:
    virtual ~Strand() = default;

   private:
    friend Workers;
    /// Does the next piece. Returns the time of the processor that it took.
    virtual std::chrono::nanoseconds work() = 0;
    /// Whether the next piece is brief, as far as its strand can tell. None of its pieces is being done.
    [[nodiscard]] virtual bool brief() const { return false; }

    // Guarded by the mutex of its workers.
    std::uint32_t pieces_ = 0;  // with the one that is being done
    std::chrono::nanoseconds used_{0};
    std::uint64_t turn_ = 0;  // orders those that have used the same
  };

  /// So many long pieces are done side by side.
  explicit Workers(std::uint32_t threads);
  /// Finishes the pieces that are being done; the others are dropped.
  ~Workers();
  /// A strand has one piece more.
  void add(std::shared_ptr<Strand>);
  /// Whether a strand has nothing to do. Then its caller may do its next piece itself; no other one
  /// is begun between `begin` and `end`.
  [[nodiscard]] bool idle(const Strand&) const;
  void begin(Strand&);
  /// With the time of the processor that the piece took.
  void end(std::shared_ptr<Strand>, std::chrono::nanoseconds used);

 private:
  static bool later(const std::shared_ptr<Strand>&, const std::shared_ptr<Strand>&) noexcept;
  void work(const std::stop_token&);
  void push(std::shared_ptr<Strand>);
  /// The waiting strands of which one is next; empty ones where nothing can be begun.
  [[nodiscard]] std::vector<std::shared_ptr<Strand>>& next();
  [[nodiscard]] static std::shared_ptr<Strand> pop(std::vector<std::shared_ptr<Strand>>&);

  mutable std::mutex mutex_;
  std::condition_variable_any ready_;
  // Heaps of those that have pieces, none of which is being done, by the kind of the next one.
  std::vector<std::shared_ptr<Strand>> brief_, long_;
  std::uint32_t most_long_, long_now_ = 0;
  std::chrono::nanoseconds served_{0};  // what the strand of the last turn had used
  std::uint64_t turns_ = 0;
  std::vector<std::jthread> threads_;
};

}  // namespace park::bridge
