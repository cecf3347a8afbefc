// Wrong specs and rows. SpecChanges copies the spec for every change of one leaf or group, which a
// small function makes in the copy. draw_row chooses the counts of a row, then the values of each
// leaf by its type and bounds. Tests of what peers may send call both.
#include "park/check/changed_specs.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include "park/core/with_type.h"

namespace park::check {
namespace {

constexpr std::int64_t kManyValues = 10'000, kMostDrawn = 8;

class SpecChanges {
 public:
  explicit SpecChanges(const Spec& spec) : spec_(spec) {}

  std::vector<ChangedSpec> all() {
    for (Record Spec::*record : {&Spec::observation, &Spec::action}) {
      for (std::size_t i = 0; i < (spec_.*record).leaves.size(); ++i) {
        leaf_ = &(spec_.*record).leaves[i];
        const auto add = [&](const std::string& how, auto change) {
          made_.push_back({leaf_->name, how, spec_});
          change((made_.back().spec.*record).leaves[i]);
        };
        add_forms(add);
        add_places(spec_.*record, add);
        add_bounds(add);
        add_names(record, i);
      }
      for (std::size_t g = 0; g < (spec_.*record).groups.size(); ++g) add_groups(record, g);
    }
    return std::move(made_);
  }

 private:
  template <class Add>
  void add_forms(Add add) const {
    const auto shaped = [&](const std::string& how, std::vector<std::int64_t> shape) {
      add(how, [&](Leaf& l) { l.shape = std::move(shape); });
    };
    std::vector<std::int64_t> wider = leaf_->shape;
    wider.empty() ? wider.push_back(2) : static_cast<void>(++wider.back());
    shaped("is one wider", wider);
    if (!leaf_->shape.empty()) shaped("has one value", {});
    shaped("has no values", {0});
    shaped("has many values", {kManyValues});
    shaped("has more values than there are numbers", {std::int64_t{1} << 62});
    shaped("has so many values that they wrap round",
           {std::int64_t{1} << 32, std::int64_t{1} << 32});
    for (const DType type : {DType::u8, DType::i32, DType::i64, DType::f32, DType::f64})
      if (type != leaf_->dtype)
        add("is " + std::string(to_text(type)), [&](Leaf& l) { l.dtype = type; });
  }

  template <class Add>
  void add_places(const Record& own, Add add) const {
    const auto placed = [&](const std::string& group) {
      if (group != leaf_->group)
        add("is in group '" + group + "'", [&](Leaf& l) { l.group = group; });
    };
    const auto refers = [&](const std::string& group) {
      if (group != leaf_->index_of)
        add("is an index of '" + group + "'", [&](Leaf& l) { l.index_of = group; });
    };
    placed("");
    for (const Group& g : own.groups) placed(g.name);
    refers("");
    for (const Group& g : spec_.observation.groups) refers(g.name);
    if (!leaf_->given.empty()) add("is given nothing", [](Leaf& l) { l.given.clear(); });
  }

  template <class Add>
  void add_bounds(Add add) const {
    const auto bounded = [&](const std::string& how, double low, double high) {
      add(how, [&](Leaf& l) { l.low = low, l.high = high; });
    };
    const double low = leaf_->low, high = leaf_->high;
    bounded("begins one lower", low - 1, high);
    bounded("ends one higher", low, high + 1);
    bounded("has its low bound alone", low, low);
    bounded("ends at a half", low, low + (high - low) / 2);
    bounded("has wide bounds", -1e9, 1e9);
    bounded("has bounds of no type", -1e300, 1e300);
  }

  void add_names(Record Spec::*record, std::size_t i) {
    const auto add = [&](const std::string& how, auto change) {
      made_.push_back({leaf_->name, how, spec_});
      change((made_.back().spec.*record).leaves);
    };
    using Leaves = std::vector<Leaf>;
    add("is missing", [&](Leaves& l) { l.erase(l.begin() + static_cast<std::ptrdiff_t>(i)); });
    add("has another name", [&](Leaves& l) { l[i].name += 'x'; });
    add("is there twice", [&](Leaves& l) { l.push_back(l[i]); });
    add("stands first", [&](Leaves& l) { std::swap(l[0], l[i]); });
  }

  void add_groups(Record Spec::*record, std::size_t g) {
    const auto add = [&](const std::string& how, auto change) {
      made_.push_back({(spec_.*record).groups[g].name, how, spec_});
      change((made_.back().spec.*record).groups);
    };
    using Groups = std::vector<Group>;
    add("has no room", [&](Groups& all) { all[g].capacity = 0; });
    add("has room below 0", [&](Groups& all) { all[g].capacity = -1; });
    add("has much room", [&](Groups& all) { all[g].capacity = std::int64_t{1} << 40; });
    add("has another name", [&](Groups& all) { all[g].name += 'x'; });
    add("is missing",
        [&](Groups& all) { all.erase(all.begin() + static_cast<std::ptrdiff_t>(g)); });
  }

  const Spec& spec_;
  const Leaf* leaf_ = nullptr;  // that is changed
  std::vector<ChangedSpec> made_;
};

/// The value of T that is nearest, or a number that is none where there is such a one.
template <Element T>
T nearest_of(double v) {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_integral_v<T>) {
    if (!(v > static_cast<double>(Limits::lowest()))) return Limits::lowest();
    if (v >= static_cast<double>(Limits::max())) return Limits::max();
  } else if (std::abs(v) > static_cast<double>(Limits::max())) {
    return v > 0 ? Limits::max() : Limits::lowest();
  }
  return static_cast<T>(v);
}

double drawn_value(double low, double high, Draw draw, Rng& rng) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (draw == Draw::lowest) return low;
  if (draw == Draw::highest) return high;
  if (draw == Draw::random) return rng.uniform(low, high);
  const double outside[] = {low - 1, high + 1, high * 2 + 1, -1e30, 1e30, kNone};
  return outside[rng.below(std::size(outside))];
}

template <Element T>
void draw_values(Row row, std::size_t column, double low, double high, Draw draw, Rng& rng) {
  const std::span<std::byte> bytes = row.batch().bytes(column, row.index(), 1);
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(T)) {
    double v = drawn_value(low, high, draw, rng);
    if (std::is_integral_v<T> && draw == Draw::random)
      v = std::min(std::floor(rng.uniform(low, high + 1)), high);
    const T value = nearest_of<T>(v);
    std::memcpy(bytes.data() + at, &value, sizeof value);
  }
}

}  // namespace

std::vector<ChangedSpec> changed_specs(const Spec& spec) { return SpecChanges(spec).all(); }

void draw_leaf(Row row, std::size_t leaf, Draw draw, Rng& rng) {
  const Leaf& l = row.batch().record().leaves[leaf];
  double low = l.low, high = l.high;
  if (!l.index_of.empty()) {
    low = 0;
    high = static_cast<double>(row.count(row.batch().group(l.index_of))) - 1;
  }
  with_type(l.dtype, [&]<class T>(T) { draw_values<T>(row, leaf, low, high, draw, rng); });
}

void draw_row(Row row, Draw draw, Rng& rng) {
  const Record& record = row.batch().record();
  for (std::size_t g = 0; g < record.groups.size(); ++g) {
    const auto most = static_cast<std::size_t>(std::min(record.groups[g].capacity, kMostDrawn));
    const std::size_t n = draw == Draw::lowest    ? 0
                          : draw == Draw::highest ? most
                                                  : rng.below(most + 1);
    row.resize({static_cast<std::int32_t>(g)}, n);
  }
  for (std::size_t leaf = 0; leaf < record.leaves.size(); ++leaf) draw_leaf(row, leaf, draw, rng);
}

}  // namespace park::check
