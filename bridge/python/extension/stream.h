#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <sys/types.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "extension/masks.h"
#include "park/core/registry.h"

namespace park::python {

/// The decisions of a stream, as the tuples that park_sdk.Decisions and park_sdk.Ended are made of.
[[nodiscard]] pybind11::tuple to_tuple(const Decisions&, bool padded);

/// A policy with the key of a run: the same actions as `park run --seed`.
struct PolicyHandle {
  /// The GIL is released meanwhile. Throws what making the policy throws.
  PolicyHandle(const std::string& text, const Spec&, const Rng& run);

  std::shared_ptr<Policy> policy;
  Rng run;
  bool remote;
};

/// A stream for Python. One thread at a time; it stays in the process that opened it.
class StreamHandle {
 public:
  /// Opens it. The GIL is released meanwhile.
  StreamHandle(std::string env, std::shared_ptr<const EpisodeSource>, StreamOptions,
               double timeout_s);
  ~StreamHandle();

  [[nodiscard]] pybind11::dict spec();
  /// The next Decisions, as a tuple.
  [[nodiscard]] pybind11::tuple recv(bool padded);
  /// An array for each leaf of the action, a row for each one asked.
  void send(const pybind11::sequence& actions);
  /// Masks of the current questions.
  [[nodiscard]] pybind11::array_t<std::int8_t> masks();
  /// A policy's answer to the current questions: leaf -> array. A signal while another process is
  /// asked closes the stream.
  [[nodiscard]] pybind11::dict decide(const PolicyHandle&);
  void close();
  [[nodiscard]] bool closed() const noexcept { return !open_; }

 private:
  /// The objects that a thread owns while it opens a stream.
  struct Open {
    std::shared_ptr<const EpisodeSource> source;
    std::unique_ptr<Stream> stream;
    std::optional<Batch> actions;
  };
  class Use;
  const Decisions& asked() const;
  [[nodiscard]] bool foreign() const;
  void abandon();
  [[nodiscard]] static std::shared_ptr<Open> make(const std::string& env,
                                                  std::shared_ptr<const EpisodeSource>,
                                                  const StreamOptions&);

  pid_t process_;
  bool remote_;
  double timeout_s_;
  std::shared_ptr<Open> open_;
  const Decisions* decisions_ = nullptr;  // what is asked; nullptr after a send
  std::optional<Masks> masks_;
  std::atomic<bool> used_{false};
};

}  // namespace park::python
