#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "park/command/data_action.h"

namespace park::command {

/// A kind of data that an environment reads, such as traces of networks, with all that can be done
/// with it. Actions of one name and different forms stand one after another.
struct DataKind {
  using MakeAction = std::function<std::unique_ptr<DataAction>()>;

  std::string name, summary;
  std::string environment;  ///< that reads it
  std::string example;      ///< an action and its arguments
  std::vector<MakeAction> actions;
};

/// The kinds of data of all environments: an ordinary value that a program fills.
class DataKinds {
 public:
  /// Throws Error{invalid_config} if the name is taken.
  void add(DataKind);
  /// By name.
  [[nodiscard]] const std::vector<DataKind>& all() const noexcept { return kinds_; }
  /// nullptr if there is none of that name.
  [[nodiscard]] const DataKind* find(std::string_view name) const noexcept;

 private:
  std::vector<DataKind> kinds_;
};

}  // namespace park::command
