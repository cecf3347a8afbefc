#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "park/core/env.h"
#include "park/core/registry.h"
#include "park/core/stream.h"

namespace park::check {

/// An environment that can only be opened as a stream, in the role of a single one: every reset
/// opens a stream of one episode. It reports no events, and there is no clone of it.
class StreamEnv final : public Env {
 public:
  /// The registry must outlive the environment.
  StreamEnv(const Registry&, std::string text, const Spec&);
  /// Throws what Registry::stream and Stream::recv throw; std::runtime_error where an episode ends
  /// before its first decision.
  void reset(const Episode&, Row observation) override;
  Outcome step(ConstRow action, Row observation) override;
  void metrics(std::span<double>) const override;

 private:
  /// Just this episode, under the number that it has.
  struct OneEpisode final : EpisodeSource {
    Episode episode;
    [[nodiscard]] std::optional<Episode> at(std::uint64_t k) const override;
  };

  const Registry& registry_;
  std::string text_;
  Batch action_;
  std::vector<double> metrics_;
  OneEpisode source_;
  std::unique_ptr<Stream> stream_;  // reads from the source
};

}  // namespace park::check
