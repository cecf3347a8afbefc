#pragma once

#include <string>
#include <type_traits>

#include "park/core/policy.h"

namespace park::bridge::test {

/// A stream that a policy plays, and the bytes of all that it delivers and is told.
class Playing {
 public:
  Playing(Stream& stream, Policy& policy)
      : stream_(stream), policy_(policy), actions_(stream.spec().action) {}

  /// Receives and sends once; whether more follows.
  bool step() {
    const Decisions& d = stream_.recv();
    actions_.clear();
    actions_.resize(d.asked.size());
    for (const Ask& a : d.asked)
      if (a.sequence == 0) policy_.start(a.slot, a.episode, Rng(7).split(a.episode.id));
    if (!d.asked.empty()) policy_.act(d, actions_);
    add(d);
    if (!d.done) stream_.send(actions_);
    return !d.done;
  }
  [[nodiscard]] const std::string& digest() const noexcept { return digest_; }

 private:
  void add(const Decisions& d) {
    for (const Ask& a : d.asked) {
      add(a.slot), add(a.context), add(a.sequence), add(a.episode.id);
      add(a.since_last.reward), add(a.since_last.elapsed_s);
    }
    for (const Ended& e : d.ended) {
      add(e.slot), add(e.context), add(e.decisions), add(e.last.reward), add(e.last.elapsed_s);
    }
    for (const double m : d.metrics) add(m);
    add(d.observation), add(d.final_observation), add(actions_);
  }
  template <class Number>
  requires std::is_arithmetic_v<Number>
  void add(Number number) { digest_.append(reinterpret_cast<const char*>(&number), sizeof number); }
  void add(const Batch& batch) {
    for (std::size_t c = 0; c < batch.columns(); ++c) {
      const auto bytes = batch.bytes(c, 0, batch.rows());
      digest_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
  }

  Stream& stream_;
  Policy& policy_;
  Batch actions_;
  std::string digest_;
};

/// Plays to the end.
inline std::string digest(Stream& stream, Policy& policy) {
  Playing playing(stream, policy);
  while (playing.step()) {
  }
  return playing.digest();
}

}  // namespace park::bridge::test
