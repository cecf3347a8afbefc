#include "agents/kit/rollout.h"

#include <algorithm>
#include <cstring>

namespace park::agents {

Rollout::Rollout(const Record& record, std::size_t piece_bytes)
    : shape_(record), piece_(piece_bytes), groups_(record.groups.size()) {}

void Rollout::clear() noexcept {
  ids_.clear();
  counts_.clear();
  rows_.clear();
  last_.clear();
  used_ = raw_ = 0;
}

void Rollout::append(const Batch& batch, std::span<const Ask> asked) {
  for (std::size_t r = 0; r < asked.size(); ++r) {
    const Ask& ask = asked[r];
    if (ask.slot >= last_.size()) last_.resize(ask.slot + 1, kNoRow);
    append_row(batch, r, ask.sequence == 0 ? kNoRow : last_[ask.slot]);
    last_[ask.slot] = static_cast<std::uint32_t>(rows_.size() - 1);
  }
}

void Rollout::append_row(const Batch& batch, std::size_t row, std::uint32_t before) {
  rows_.push_back({counts_.size(), ids_.size()});
  for (std::size_t g = 0; g < groups_; ++g)
    counts_.push_back(
        static_cast<std::int64_t>(batch.row(row).count(GroupId{static_cast<std::int32_t>(g)})));
  // The pieces of the row before, column by column, in step with ours.
  std::size_t at = before == kNoRow ? 0 : rows_[before].pieces;
  for (std::size_t c = 0; c < batch.columns(); ++c) {
    const std::int32_t group = batch.group_of(c).id;
    const std::span<const std::byte> bytes = batch.bytes(c, row, 1);
    std::size_t theirs = 0;
    if (before != kNoRow) {
      const Leaf& leaf = shape_.record().leaves[c];
      const std::size_t width = leaf.width() * size_of(leaf.dtype);
      const auto n = group < 0
                         ? std::size_t{1}
                         : static_cast<std::size_t>(
                               counts_[rows_[before].counts + static_cast<std::size_t>(group)]);
      theirs = (n * width + piece_ - 1) / piece_;
    }
    append_column(bytes, at, at + theirs);
    at += theirs;
    raw_ += bytes.size();
  }
}

void Rollout::append_column(std::span<const std::byte> bytes, std::size_t before,
                            std::size_t limit) {
  for (std::size_t from = 0; from < bytes.size(); from += piece_, ++before) {
    const std::size_t n = std::min(piece_, bytes.size() - from);
    if (before < limit) {
      const std::uint32_t theirs = ids_[before];
      if (std::memcmp(piece(theirs), bytes.data() + from, n) == 0) {
        ids_.push_back(theirs);
        continue;
      }
    }
    const std::uint32_t id = new_piece();
    std::memcpy(piece(id), bytes.data() + from, n);
    ids_.push_back(id);
  }
}

std::uint32_t Rollout::new_piece() {
  if (used_ == blocks_.size() * kBlock) blocks_.emplace_back(kBlock * piece_);
  return static_cast<std::uint32_t>(used_++);
}

void Rollout::gather(std::span<const std::uint32_t> rows, Batch& out) const {
  for (const std::uint32_t r : rows) {
    const Kept& kept = rows_[r];
    const Row row = out.append();
    for (std::size_t g = 0; g < groups_; ++g)
      row.resize(GroupId{static_cast<std::int32_t>(g)},
                 static_cast<std::size_t>(counts_[kept.counts + g]));
    std::size_t at = kept.pieces;
    for (std::size_t c = 0; c < out.columns(); ++c) {
      const std::span<std::byte> to = out.bytes(c, row.index(), 1);
      for (std::size_t from = 0; from < to.size(); from += piece_)
        std::memcpy(to.data() + from, piece(ids_[at++]), std::min(piece_, to.size() - from));
    }
  }
}

}  // namespace park::agents
