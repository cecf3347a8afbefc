#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace park::bridge {

/// Threads that do the work of many strands: the pieces of one strand one after the other,
/// different strands side by side.
class Workers {
 public:
  /// Whoever has work to do, in pieces of which it knows the order.
  class Strand {
   public:
    virtual ~Strand() = default;

   private:
    friend Workers;
    /// Does the next piece.
    virtual void work() = 0;

    // Guarded by the mutex of its workers.
    std::uint32_t pieces_ = 0;  // with the one that is being done
    std::shared_ptr<Strand> next_;
  };

  explicit Workers(std::uint32_t threads);
  /// Finishes the pieces that are being done; the others are dropped.
  ~Workers();
  /// A strand has one piece more.
  void add(std::shared_ptr<Strand>);
  /// Whether a strand has nothing to do: then its caller may do its next piece itself.
  [[nodiscard]] bool idle(const Strand&) const;

 private:
  void work(const std::stop_token&);
  void push(std::shared_ptr<Strand>);
  [[nodiscard]] std::shared_ptr<Strand> pop();

  mutable std::mutex mutex_;
  std::condition_variable_any ready_;
  std::shared_ptr<Strand> first_;  // of those with pieces, none of which is being done
  Strand* last_ = nullptr;         // of them
  std::vector<std::jthread> threads_;
};

}  // namespace park::bridge
