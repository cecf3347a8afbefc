#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "park/core/candidates.h"

namespace park::trees {

/// How elements of other groups are found, along index leaves: from the elements that a head
/// chooses, or from those that its path `given` passes. A group that several ways lead to is left
/// out, except those that the head itself names.
class Routes {
 public:
  struct Route {
    std::string group;
    GroupId id;
    std::int32_t from = -1;      ///< the route that it prolongs; -1: it begins here
    Field<std::int32_t> leaf{};  ///< that leads on from there
  };

  Routes() = default;
  /// Begins at the candidates of an index head, else at the element of the head that it is given.
  Routes(const Spec&, const Heads::Head&);
  /// Begins at the elements of a group.
  Routes(const Spec&, const std::string& group);

  [[nodiscard]] std::size_t size() const noexcept { return routes_.size(); }
  [[nodiscard]] const Route& operator[](std::size_t r) const noexcept { return routes_[r]; }
  /// The place of a group's route, or -1.
  [[nodiscard]] std::int32_t find(const std::string& group) const noexcept;

  /// The elements that some elements of the first group lead to: [routes], each as many. The first
  /// list is there already; the numbers are those within the row.
  void follow(ConstRow, std::vector<std::vector<std::int64_t>>& elements) const;

 private:
  void prolong(const Spec&, const Batch&);

  std::vector<Route> routes_;
};

}  // namespace park::trees
