// Counting choices. A table's samples are grouped by decision, each with one chosen item; columns
// are those of the level's features, of which leaves, derived features and mere ranks order items.
#include "park/trees/choice_figures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

namespace park::trees {
namespace {

double drawn(EpisodeDraw draw, std::size_t episode) { return draw.empty() ? 1.0 : draw[episode]; }

double entropy_bits(double a, double b) {
  const auto part = [&](double x) { return x == 0 ? 0.0 : -x / (a + b) * std::log2(x / (a + b)); };
  return part(a) + part(b);
}

/// NaN comes last.
bool larger(double a, double b) { return a > b || (!std::isnan(a) && std::isnan(b)); }

}  // namespace

double Share::value(EpisodeDraw draw) const {
  double sum = 0, of = 0;
  for (std::size_t e = 0; e < hits.size(); ++e) {
    sum += drawn(draw, e) * hits[e];
    of += drawn(draw, e) * decisions[e];
  }
  return sum / of;
}

double Share::count() const { return std::accumulate(decisions.begin(), decisions.end(), 0.0); }

double BinaryLeaf::gain_ratio(EpisodeDraw draw) const {
  std::array<double, 4> n{};
  for (std::size_t e = 0; e < counts.size(); ++e)
    for (std::size_t k = 0; k < n.size(); ++k) n[k] += drawn(draw, e) * counts[e][k];
  const double zeros = n[0] + n[2], ones = n[1] + n[3], all = zeros + ones;
  const double of_choice = entropy_bits(n[0] + n[1], n[2] + n[3]);
  const double of_leaf = entropy_bits(zeros, ones);
  if (all == 0 || of_choice == 0 || of_leaf == 0) return std::numeric_limits<double>::quiet_NaN();
  const double rest = (zeros * entropy_bits(n[0], n[2]) + ones * entropy_bits(n[1], n[3])) / all;
  return (of_choice - rest) / of_leaf;
}

ChoiceFigures::ChoiceFigures(const Spec& spec, const LessonTable& table,
                             std::span<const std::uint32_t> episode_of, std::size_t episodes)
    : spec_(spec),
      table_(table),
      episode_of_(episode_of),
      episodes_(episodes),
      begins_(table.begins()),
      differs_(table.columns.size()) {
  for (std::size_t d = 0; d < decisions(); ++d) {
    std::size_t s = begins_[d];
    while (table.targets[s] == 0) ++s;
    chosen_.push_back(s);
  }
  for (std::size_t f = 0; f < differs_.size(); ++f) {
    const std::vector<float>& x = table.columns[f];
    for (std::size_t s = 1; s < table.samples() && differs_[f] == 0; ++s)
      differs_[f] = table.decisions[s] == table.decisions[s - 1] && x[s] != x[s - 1] ? 1 : 0;
  }
}

bool ChoiceFigures::is_binary(std::size_t column) const {
  const Expression& e = table_.features[column];
  const Leaf* leaf = spec_.observation.find(e.name);
  return differs(column) && e.kind == Expression::Kind::name && e.suffixes.empty() &&
         leaf != nullptr && leaf->low == 0 && leaf->high == 1 &&
         std::ranges::all_of(table_.columns[column], [](float v) { return v == 0 || v == 1; });
}

/// The text of a leaf, a derived feature, or what has its rank only; "": it is none of these.
std::string ChoiceFigures::ordering_name(std::size_t column) const {
  Expression e = table_.features[column];
  if (e.kind != Expression::Kind::name || !differs(column)) return "";
  if (e.suffixes == std::vector<std::string>{"rank"}) {
    e.suffixes.clear();
    return std::ranges::find(table_.features, e) == table_.features.end() ? to_text(e) : "";
  }
  return e.suffixes.empty() || e.name.empty() ? to_text(e) : "";
}

std::vector<BinaryLeaf> ChoiceFigures::binary_leaves() const {
  std::vector<BinaryLeaf> all;
  for (std::size_t f = 0; f < differs_.size(); ++f) {
    if (!is_binary(f)) continue;
    BinaryLeaf one{.leaf = to_text(table_.features[f])};
    one.counts.resize(episodes_);
    for (std::size_t s = 0; s < table_.samples(); ++s) {
      const std::size_t place =
          (table_.columns[f][s] != 0 ? 1u : 0u) + (table_.targets[s] != 0 ? 2u : 0u);
      ++one.counts[episode_of_[table_.decisions[s]]][place];
    }
    all.push_back(std::move(one));
  }
  std::ranges::stable_sort(all, larger, [](const BinaryLeaf& b) { return b.gain_ratio(); });
  return all;
}

double ChoiceFigures::hit(std::size_t decision, const std::vector<float>& of, bool smallest,
                          const std::vector<float>* first) const {
  bool any_first = false;
  for (std::size_t s = begins_[decision]; first != nullptr && s < begins_[decision + 1]; ++s)
    any_first = any_first || (*first)[s] != 0;
  const auto counts = [&](std::size_t s) { return !any_first || (*first)[s] != 0; };
  const std::size_t mine = chosen_[decision];
  if (!counts(mine)) return 0;
  std::size_t equal = 0;
  for (std::size_t s = begins_[decision]; s < begins_[decision + 1]; ++s) {
    if (!counts(s)) continue;
    if (smallest ? of[s] < of[mine] : of[s] > of[mine]) return 0;
    equal += of[s] == of[mine] ? 1 : 0;
  }
  return 1 / static_cast<double>(equal);
}

std::vector<SimpleRule> ChoiceFigures::simple_rules() const {
  std::vector<std::size_t> firsts{differs_.size()};  // no leaf comes first
  for (std::size_t f = 0; f < differs_.size(); ++f)
    if (is_binary(f)) firsts.push_back(f);
  std::vector<SimpleRule> all;
  for (std::size_t f = 0; f < differs_.size(); ++f) {
    const std::string leaf = ordering_name(f);
    if (leaf.empty()) continue;
    for (const std::size_t first : firsts) {
      if (first == f) continue;
      const bool none = first == differs_.size();
      for (const bool smallest : {true, false}) {
        SimpleRule rule{none ? "" : to_text(table_.features[first]), leaf, smallest,
                        Share(episodes_)};
        for (std::size_t d = 0; d < decisions(); ++d)
          rule.share.add(episode(d), hit(d, table_.columns[f], smallest,
                                         none ? nullptr : &table_.columns[first]));
        all.push_back(std::move(rule));
      }
    }
  }
  std::ranges::stable_sort(all, larger, [](const SimpleRule& r) { return r.share.value(); });
  return all;
}

Share ChoiceFigures::by_chance(std::size_t n) const {
  Share all(episodes_);
  for (std::size_t d = 0; d < decisions(); ++d) {
    const std::size_t items = begins_[d + 1] - begins_[d];
    all.add(episode(d), static_cast<double>(std::min(n, items)) / static_cast<double>(items));
  }
  return all;
}

}  // namespace park::trees
