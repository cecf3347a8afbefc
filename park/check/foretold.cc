// Looks for leaves that show the next arrival. Rows are kept while an episode is played, with the
// number of arrivals reported so far; then each is compared with the arrival behind that number. The
// first row makes suspects of all values with all quantities that agree, later rows clear them.
#include "park/check/foretold.h"

#include <algorithm>
#include <optional>

#include "park/check/driver.h"
#include "park/core/with_type.h"

namespace park::check {
namespace {

constexpr std::size_t kFewestArrivals = 8, kFewestValues = 3;

/// A quantity of an arrival.
std::optional<double> quantity_of(const ArrivalLog::Arrival& next, const std::string& quantity,
                                  double now_s) {
  if (quantity == "time") return next.time_s;
  if (quantity == "until") return next.time_s - now_s;
  const auto at = std::ranges::find(next.args, quantity, &std::pair<std::string, double>::first);
  if (at == next.args.end()) return {};
  return at->second;
}

/// Equal up to the rounding of a float.
bool shows(double value, double quantity) {
  return static_cast<float>(value) == static_cast<float>(quantity);
}

/// Appends the values of a leaf as numbers.
void add_values(ConstRow row, const Leaf& leaf, std::vector<double>& to) {
  const auto add = [&]<class T>(T) {
    for (const T v : row[row.batch().field<T>(leaf.name)]) to.push_back(static_cast<double>(v));
  };
  with_type(leaf.dtype, add);
}

}  // namespace

Foretold::Foretold(const Subject& s) : subject_(s) {
  for (const Leaf& l : s.spec.observation.leaves)
    if (l.group.empty()) leaves_.insert(leaves_.end(), static_cast<std::size_t>(l.width()), l.name);
}

std::vector<double> Foretold::values_of(ConstRow row) const {
  std::vector<double> all;
  all.reserve(leaves_.size());
  for (const Leaf& l : subject_.spec.observation.leaves)
    if (l.group.empty()) add_values(row, l, all);
  return all;
}

void Foretold::play(const Episode& e) {
  Player player(subject_);
  ArrivalLog log;
  std::vector<SeenRow> rows;
  double now_s = 0;
  player.env().events(&log);
  player.play(e, [&](ConstRow row, const Outcome& o, std::uint64_t) {
    now_s += o.elapsed_s;
    if (rows.size() < kMostRows && o.end == End::none)
      rows.push_back({values_of(row), now_s, log.all().size()});
  });
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (rows[r].arrivals >= log.all().size()) continue;
    const bool first = r == 0 || rows[r - 1].arrivals != rows[r].arrivals;
    compare(rows[r], log.all()[rows[r].arrivals], first);
  }
}

void Foretold::suspect_all(const SeenRow& row, const ArrivalLog::Arrival& next) {
  std::vector<std::string> quantities = {"time", "until"};
  for (const auto& [name, value] : next.args) quantities.push_back(name);
  for (std::size_t v = 0; v < row.values.size(); ++v)
    for (const std::string& q : quantities) suspects_.push_back({.value = v, .quantity = q});
}

void Foretold::compare(const SeenRow& row, const ArrivalLog::Arrival& next, bool first) {
  if (!begun_) suspect_all(row, next);
  begun_ = true;
  std::erase_if(suspects_, [&](const Suspect& s) {
    const std::optional<double> q = quantity_of(next, s.quantity, row.now_s);
    return !q || !shows(row.values[s.value], *q);
  });
  for (Suspect& s : suspects_) {
    if (first) ++s.arrivals;
    const double v = row.values[s.value];
    if (s.seen.size() < kFewestValues && std::ranges::find(s.seen, v) == s.seen.end())
      s.seen.push_back(v);
  }
}

std::string Foretold::leaf() const {
  for (const Suspect& s : suspects_)
    if (s.arrivals >= kFewestArrivals && s.seen.size() >= kFewestValues) return leaves_[s.value];
  return "";
}

}  // namespace park::check
