#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "park/core/candidates.h"

namespace park::test {

/// A made-up depot with a row whose features can be computed by hand. It has five parcels of three
/// owners, and the parcels 0, 1, 3 and 4 may be chosen. After the parcel comes how many of the
/// owner's share, then one of three desks.
struct Depot {
  Depot() : observation(spec.observation), action(spec.action), heads(spec) {
    Row row = observation.append();
    row.resize(observation.group("parcels"), 5);
    row.resize(observation.group("owners"), 3);
    set<std::int32_t>("parcel.owner", {2, 0, 1, 2, 0});
    set<float>("parcel.size", {4, 7, 1, 4, 2});
    set<std::uint8_t>("mask.parcel", {1, 1, 0, 1, 1});
    set<float>("owner.weight", {0.5f, 9, 3});
    set<double>("owner.since_s", {100, 20, 60});
    set<std::int32_t>("share.min", {1, 1, 2});
    set<std::int32_t>("share.max", {4, 4, 9});
    set<float>("depot.free", {6});
    set<double>("desk.speed", {1, 4, 2});
    set<float>("depot.past", {8, 0});
    action.resize(1);
    heads.set(action.row(0), 0, 3);  // a parcel of owner 2
    heads.set(action.row(0), 1, 5);
  }

  template <class T>
  void set(const char* leaf, std::initializer_list<T> values) {
    std::ranges::copy(values, observation.row(0)[observation.field<T>(leaf)].begin());
  }
  [[nodiscard]] ConstRow row() const { return observation.row(0); }
  [[nodiscard]] ConstRow chosen() const { return action.row(0); }

  static Spec make_spec() {
    Spec s{.name = "depot", .summary = "parcels of owners", .reference = "none"};
    s.observation.groups = {{"parcels", 99}, {"owners", 99}};
    const auto leaf = [](const char* name, DType type, const char* group) {
      return Leaf{
          .name = name, .dtype = type, .low = -1e6, .high = 1e6, .doc = "x", .group = group};
    };
    const auto shaped = [&](const char* name, DType type, std::int64_t n) {
      Leaf all = leaf(name, type, "");
      all.shape = {n};
      return all;
    };
    Leaf owner = leaf("parcel.owner", DType::i32, "parcels");
    owner.index_of = "owners";
    s.observation.leaves = {owner,
                            leaf("parcel.size", DType::f32, "parcels"),
                            leaf("mask.parcel", DType::u8, "parcels"),
                            leaf("owner.weight", DType::f32, "owners"),
                            leaf("owner.since_s", DType::f64, "owners"),
                            leaf("share.min", DType::i32, "owners"),
                            leaf("share.max", DType::i32, "owners"),
                            leaf("depot.free", DType::f32, ""),
                            shaped("desk.speed", DType::f64, 3),
                            shaped("depot.past", DType::f32, 2)};
    s.action.leaves = {{.name = "parcel",
                        .dtype = DType::i32,
                        .low = 0,
                        .high = 98,
                        .doc = "x",
                        .index_of = "parcels"},
                       {.name = "share",
                        .dtype = DType::i32,
                        .low = 1,
                        .high = 9,
                        .doc = "x",
                        .given = {"parcel", "parcel.owner"}},
                       {.name = "desk", .dtype = DType::i32, .low = 0, .high = 2, .doc = "x"}};
    s.metrics = {{"moves", "1", true, "decisions"}};
    return s;
  }

  Spec spec = make_spec();
  Batch observation, action;
  Heads heads;
};

}  // namespace park::test
