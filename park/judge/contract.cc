#include "park/judge/contract.h"

#include <cmath>
#include <cstring>

namespace park::judge {
namespace {

Spec shown_part(const Spec& spec) {
  Spec shown{.name = spec.name, .version = spec.version, .action = spec.action};
  shown.observation.groups = spec.observation.groups;
  for (const Leaf& leaf : spec.observation.leaves)
    if (!leaf.informative()) shown.observation.leaves.push_back(leaf);
  return shown;
}

void append(std::string& to, const void* bytes, std::size_t n) {
  to.append(static_cast<const char*>(bytes), n);
}

/// Bytes that a row has in a column.
std::size_t column_bytes(const Batch& batch, std::size_t column, ConstRow row) {
  const GroupId group = batch.group_of(column);
  return batch.element_bytes(column) * (group.id < 0 ? 1 : row.count(group));
}

}  // namespace

Contract::Contract(const Spec& spec)
    : shown_(shown_part(spec)), text_(spec.text), layout_(shown_.observation), space_(spec) {
  for (std::size_t c = 0; c < spec.observation.leaves.size(); ++c)
    if (!spec.observation.leaves[c].informative())
      columns_.push_back(static_cast<std::uint32_t>(c));
  for (const Group& group : spec.observation.groups) groups_.push_back(layout_.group(group.name));
  heads_ = spec.action.leaves;
  for (const Leaf& head : heads_) action_bytes_ += head.bytes();
}

void Contract::pack(ConstRow row, std::string& to) const {
  for (const GroupId group : groups_) {
    const auto n = static_cast<std::uint32_t>(row.count(group));
    append(to, &n, sizeof n);
  }
  for (const std::uint32_t c : columns_) {
    const auto bytes = row.batch().bytes(c, row.index(), 1);
    append(to, bytes.data(), bytes.size());
  }
}

void Contract::unpack(std::string_view& from, Batch& to) const {
  const Row row = to.append();
  for (const GroupId group : groups_) {
    std::uint32_t n = 0;
    std::memcpy(&n, from.data(), sizeof n);
    from.remove_prefix(sizeof n);
    row.resize(group, n);
  }
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const std::size_t n = column_bytes(to, c, row);
    if (n > 0) std::memcpy(to.bytes(c, row.index(), 1).data(), from.data(), n);
    from.remove_prefix(n);
  }
}

std::size_t Contract::most_bytes(std::size_t rows) const noexcept {
  return sizeof(std::uint32_t) + rows * answer_bytes() + kMostComplaint;
}

void Contract::pack_action(ConstRow action, std::string& to) const {
  for (std::size_t h = 0; h < heads_.size(); ++h) {
    const auto bytes = action.batch().bytes(h, action.index(), 1);
    append(to, bytes.data(), bytes.size());
  }
}

void Contract::unpack_action(std::string_view from, Row action) const {
  for (std::size_t h = 0; h < heads_.size(); ++h) {
    const auto to = action.batch().bytes(h, action.index(), 1);
    std::memcpy(to.data(), from.data(), to.size());
    from.remove_prefix(to.size());
  }
}

std::string Contract::illegal(ConstRow observation, ConstRow action) const {
  for (std::size_t h = 0; h < heads_.size(); ++h)
    if (!space_.legal(h, observation, action))
      return "head '" + heads_[h].name + "' has an illegal value";
  return "";
}

}  // namespace park::judge
