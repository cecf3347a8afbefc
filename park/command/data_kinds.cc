#include "park/command/data_kinds.h"

#include <algorithm>
#include <utility>

namespace park::command {

void DataKinds::add(DataKind kind) {
  if (find(kind.name) != nullptr)
    throw Error(Errc::invalid_config, "the kind of data '" + kind.name + "' is registered twice");
  kinds_.insert(std::ranges::upper_bound(kinds_, kind.name, {}, &DataKind::name), std::move(kind));
}

const DataKind* DataKinds::find(std::string_view name) const noexcept {
  const auto at = std::ranges::find(kinds_, name, &DataKind::name);
  return at == kinds_.end() ? nullptr : &*at;
}

}  // namespace park::command
