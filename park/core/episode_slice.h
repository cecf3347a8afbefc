#pragma once

#include <cstdint>
#include <optional>

#include "park/core/episodes.h"

namespace park {

/// A part of a run whose episodes keep their numbers.
class EpisodeSlice final : public EpisodeSource {
 public:
  EpisodeSlice(const EpisodeSource& source, std::uint64_t first, std::uint64_t count)
      : source_(&source), first_(first), count_(count) {}
  [[nodiscard]] std::optional<Episode> at(std::uint64_t k) const override {
    return k < count_ ? source_->at(first_ + k) : std::nullopt;
  }

 private:
  const EpisodeSource* source_;
  std::uint64_t first_, count_;
};

}  // namespace park
