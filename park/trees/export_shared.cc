// The part that all exported C++ has in common, as a text. It does what Features and HeadPlan do,
// in plain vectors; a test compares the choices of both.
#include "park/trees/export_table.h"

namespace park::trees {

const char* const kSharedCode = R"cpp(
  namespace detail {

  using Values = std::vector<double>;
  using Elements = std::vector<std::int64_t>;
  using Candidates = std::span<const std::int32_t>;

  /// [items] rows of features.
  struct Table {
    std::vector<std::uint32_t> item_of{};  // [candidates]
    std::vector<std::vector<float>> rows{};
  };

  inline void clean(Values& v) {
    for (double& x : v)
      if (std::isnan(x)) x = 0;
  }
  inline void finish(Table& t, std::size_t items, std::initializer_list<const Values*> columns) {
    constexpr double most = std::numeric_limits<float>::max();
    for (std::size_t i = 0; i < items; ++i) {
      t.rows.emplace_back();
      for (const Values* c : columns)
        t.rows.back().push_back(static_cast<float>(std::clamp((*c)[i], -most, most)));
    }
  }
  inline Elements follow(std::span<const std::int32_t> leaf, const Elements& from) {
    Elements all;
    for (const std::int64_t e : from) all.push_back(leaf[static_cast<std::size_t>(e)]);
    return all;
  }
  inline Elements distinct(Elements all) {
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }
  inline std::uint32_t place(const Elements& all, std::int64_t element) {
    return static_cast<std::uint32_t>(std::lower_bound(all.begin(), all.end(), element) -
                                      all.begin());
  }
  /// Distinct smaller values among the items with the same element.
  inline Values ranks(const Values& of, const Elements& within) {
    std::vector<std::size_t> order(of.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return within[a] != within[b] ? within[a] < within[b] : of[a] < of[b];
    });
    Values all(of.size());
    double rank = 0;
    for (std::size_t k = 0; k < order.size(); ++k) {
      if (k > 0 && within[order[k]] != within[order[k - 1]])
        rank = 0;
      else if (k > 0 && of[order[k]] > of[order[k - 1]])
        ++rank;
      all[order[k]] = rank;
    }
    return all;
  }
  inline Values largest(const Values& of, const std::vector<std::uint32_t>& item_of,
                        std::size_t items) {
    Values all(items, -std::numeric_limits<double>::infinity());
    for (std::size_t c = 0; c < of.size(); ++c) all[item_of[c]] = std::max(all[item_of[c]], of[c]);
    return all;
  }
  /// Keeps the candidates that hold, if there are any.
  template <class Holds>
  void keep(std::vector<bool>& kept, Holds holds) {
    std::vector<bool> both(kept.size());
    bool any = false;
    for (std::size_t c = 0; c < kept.size(); ++c) {
      both[c] = kept[c] && holds(c);
      any = any || both[c];
    }
    if (any) kept = both;
  }
  struct Tie {
    std::size_t column;
    bool up;
  };
  /// Keeps the candidates of the best item.
  template <class Score>
  void narrow(const Table& t, Score score, std::initializer_list<Tie> ties,
              std::vector<bool>& kept) {
    const auto before = [&](std::uint32_t a, std::uint32_t b) {
      const std::vector<float>&x = t.rows[a], &y = t.rows[b];
      const float of_a = score(x.data()), of_b = score(y.data());
      if (of_a != of_b) return of_a > of_b;
      for (const Tie& tie : ties)
        if (x[tie.column] != y[tie.column]) return (x[tie.column] < y[tie.column]) == tie.up;
      return a < b;
    };
    bool any = false;
    std::uint32_t best = 0;
    for (std::size_t c = 0; c < kept.size(); ++c)
      if (kept[c] && (!any || before(t.item_of[c], best))) {
        best = t.item_of[c];
        any = true;
      }
    for (std::size_t c = 0; c < kept.size(); ++c) kept[c] = kept[c] && t.item_of[c] == best;
  }
  inline std::int32_t first(const std::vector<bool>& kept, Candidates candidates) {
    return candidates[static_cast<std::size_t>(std::find(kept.begin(), kept.end(), true) -
                                               kept.begin())];
  }
  /// The candidate next to a number, the lower one of two.
  inline std::int32_t nearest(Candidates candidates, float number) {
    std::int32_t best = candidates[0];
    const auto distance = [&](std::int32_t c) {
      return std::abs(static_cast<double>(c) - static_cast<double>(number));
    };
    for (const std::int32_t c : candidates)
      if (distance(c) < distance(best)) best = c;
    return best;
  }
)cpp";

}  // namespace park::trees
