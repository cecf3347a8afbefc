#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "park/core/categories.h"
#include "park/core/config.h"
#include "park/core/env.h"
#include "park/core/rng.h"

namespace park::test {

/// An environment whose observation is categories alone. They are a room by its number, the colours
/// of three doors and, with `things`, things of kinds in boxes of colours. One of the three doors
/// is right in each room, without any order; the reward is 1 for it. Six rooms are an episode.
class ToyRooms final : public Env {
 public:
  static constexpr std::string_view kName = "toy_rooms";
  struct Config {
    std::int32_t rooms = 7, things = 0;
    bool named = true;
    bool operator==(const Config&) const = default;
    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
      visit("rooms", self.rooms, FieldDoc{.doc = "how many", .min = 1, .max = 200'000});
      visit("things", self.things, FieldDoc{.doc = "in a room; 0: no groups", .min = 0, .max = 9});
      visit("named", self.named, FieldDoc{.doc = "numbers are names; false: quantities"});
    }
  };

  static Spec spec(const Config& c) {
    Spec s{.name = std::string(kName), .summary = "doors of rooms", .reference = "none"};
    const std::string unit = c.named ? std::string(kCategory) : "1";
    const auto leaf = [&](const char* name, DType type, double low, double high,
                          const char* group) {
      return Leaf{.name = name,
                  .dtype = type,
                  .low = low,
                  .high = high,
                  .unit = unit,
                  .doc = "x",
                  .group = group};
    };
    Leaf doors = leaf("doors", DType::u8, 0, 3, "");
    doors.shape = {3};
    s.observation.leaves = {leaf("room", DType::i32, kFirst, kFirst + c.rooms - 1, ""), doors};
    s.action.leaves = {{.name = "door", .dtype = DType::i32, .low = 0, .high = 2, .doc = "which"}};
    s.metrics = {{"right", "1", false, "right doors"}};
    if (c.things == 0) return s;
    s.observation.groups = {{"things", 9}, {"boxes", 2}};
    Leaf box = leaf("thing.box", DType::i32, 0, 1, "things");
    box.unit = "1";
    box.index_of = "boxes";
    s.observation.leaves.push_back(leaf("thing.kind", DType::i64, 1, 4, "things"));
    s.observation.leaves.push_back(box);
    s.observation.leaves.push_back(leaf("box.colour", DType::u8, 0, 2, "boxes"));
    s.action.leaves.insert(s.action.leaves.begin(), {.name = "thing",
                                                     .dtype = DType::i32,
                                                     .low = 0,
                                                     .high = 8,
                                                     .doc = "whose",
                                                     .index_of = "things"});
    return s;
  }

  explicit ToyRooms(const Config& c) : config_(c) {
    const Spec s = spec(c);
    const Batch o(s.observation), a(s.action);
    room_ = o.field<std::int32_t>("room");
    doors_ = o.field<std::uint8_t>("doors");
    door_ = a.field<std::int32_t>("door");
    if (c.things == 0) return;
    things_ = o.group("things");
    boxes_ = o.group("boxes");
    kind_ = o.field<std::int64_t>("thing.kind");
    box_ = o.field<std::int32_t>("thing.box");
    colour_ = o.field<std::uint8_t>("box.colour");
  }

  void reset(const Episode& e, Row row) override {
    inputs_ = e.inputs;
    horizon_s_ = e.horizon_s;
    seen_ = right_ = 0;
    write(row);
  }
  Outcome step(ConstRow action, Row row) override {
    const bool right = action.scalar(door_) == right_door(now_);
    right_ += right ? 1 : 0;
    ++seen_;
    write(row);
    const End end = seen_ == kSeen        ? End::terminated
                    : seen_ >= horizon_s_ ? End::truncated
                                          : End::none;
    return {.reward = right ? 1.0 : 0.0, .elapsed_s = 1, .end = end};
  }
  void metrics(std::span<double> out) const override { out[0] = right_; }

  /// Which door is right in a room.
  static std::int32_t right_door(std::int32_t room) {
    return static_cast<std::int32_t>(Rng(static_cast<std::uint64_t>(room)).split("door").below(3));
  }

 private:
  static constexpr std::int32_t kFirst = 5, kSeen = 6;

  void write(Row row) {
    Rng rng = Rng(inputs_).split(static_cast<std::uint64_t>(seen_));
    const auto below = [&](std::int32_t n) {
      return static_cast<std::int32_t>(rng.below(static_cast<std::uint64_t>(n)));
    };
    row.scalar(room_) = now_ = kFirst + below(config_.rooms);
    for (std::uint8_t& colour : row[doors_]) colour = static_cast<std::uint8_t>(below(4));
    if (config_.things == 0) return;
    const std::int32_t things = 1 + below(config_.things);
    row.resize(things_, static_cast<std::size_t>(things));
    row.resize(boxes_, 2);
    for (std::int64_t& kind : row[kind_]) kind = 1 + below(4);
    for (std::int32_t& box : row[box_]) box = below(2);
    for (std::uint8_t& colour : row[colour_]) colour = static_cast<std::uint8_t>(below(3));
  }

  Config config_;
  std::uint64_t inputs_ = 0;
  double horizon_s_ = kInf;
  std::int32_t seen_ = 0, right_ = 0, now_ = 0;
  Field<std::int32_t> room_, door_, box_;
  Field<std::uint8_t> doors_, colour_;
  Field<std::int64_t> kind_;
  GroupId things_, boxes_;
};

}  // namespace park::test
