// The linear program of an episode in hindsight, as text. Columns are written account by account,
// as MPS wants them; `instants` lists the arrivals that have capacity rows, in order of time.
// Called by `park data accounts` and by tests.
#include "park/envs/region_assignment/hindsight.h"

#include <algorithm>

#include "park/core/text.h"

namespace park::region_assignment {
namespace {

double leaves_s(const Account& a) { return a.arrives_s + a.lifetime_s; }

/// Arrivals after which somebody leaves before the next one; and the last.
std::vector<std::size_t> capacity_instants(const std::vector<Account>& accounts) {
  std::vector<double> departures_s;
  for (const Account& a : accounts) departures_s.push_back(leaves_s(a));
  std::ranges::sort(departures_s);
  std::vector<std::size_t> instants;
  for (std::size_t i = 0; i < accounts.size(); ++i) {
    const auto next = std::ranges::upper_bound(departures_s, accounts[i].arrives_s);
    const bool last = i + 1 == accounts.size();
    if (last || (next != departures_s.end() && *next <= accounts[i + 1].arrives_s))
      instants.push_back(i);
  }
  return instants;
}

void add_column(std::string& text, const std::string& column, const std::string& row,
                double value) {
  text += ' ' + column + ' ' + row + ' ' + number_text(value) + '\n';
}

std::string row_name(std::size_t instant, std::size_t region) {
  return 'c' + std::to_string(instant) + '_' + std::to_string(region);
}

class MpsText {
 public:
  MpsText(const RegionConfig& c, const KnownEpisode& e)
      : config_(c),
        episode_(e),
        instants_(capacity_instants(e.accounts)),
        prices_(c.region_prices()),
        shares_(c.capacity_shares()) {}

  [[nodiscard]] std::string text() {
    text_ = "NAME hindsight\nROWS\n N cost\n";
    for (std::size_t i = 0; i < episode_.accounts.size(); ++i)
      text_ += " E a" + std::to_string(i) + '\n';
    for (const std::size_t i : instants_)
      for (std::size_t k = 0; k < prices_.size(); ++k) text_ += " L " + row_name(i, k) + '\n';
    text_ += "COLUMNS\n";
    for (std::size_t i = 0; i < episode_.accounts.size(); ++i) add_account(i);
    add_sides();
    text_ += "ENDATA\n";
    return std::move(text_);
  }

 private:
  void add_account(std::size_t i) {
    const Account& a = episode_.accounts[i];
    const std::string name = 'x' + std::to_string(i) + '_', row = 'a' + std::to_string(i);
    for (std::size_t k = 0; k < prices_.size(); ++k) {
      const std::string column = name + std::to_string(k);
      add_column(text_, column, "cost",
                 a.weight * (a.round_trip_s(k) / config_.round_trip_unit_s +
                             config_.price_weight * prices_[k]));
      add_column(text_, column, row, 1);
      for (auto at = std::ranges::lower_bound(instants_, i);
           at != instants_.end() && leaves_s(a) > episode_.accounts[*at].arrives_s; ++at)
        add_column(text_, column, row_name(*at, k), a.weight);
    }
    add_column(text_, name + 'r', "cost", a.weight * config_.reject_cost);
    add_column(text_, name + 'r', row, 1);
  }

  void add_sides() {
    text_ += "RHS\n";
    for (std::size_t i = 0; i < episode_.accounts.size(); ++i)
      add_column(text_, "side", 'a' + std::to_string(i), 1);
    for (const std::size_t i : instants_)
      for (std::size_t k = 0; k < shares_.size(); ++k)
        add_column(text_, "side", row_name(i, k), episode_.capacity * shares_[k]);
    text_ += "BOUNDS\n";
    for (std::size_t i = 0; i < episode_.accounts.size(); ++i) {
      const std::string name = " UP most x" + std::to_string(i) + '_';
      for (std::size_t k = 0; k < prices_.size(); ++k) text_ += name + std::to_string(k) + " 1\n";
      text_ += name + "r 1\n";
    }
  }

  const RegionConfig& config_;
  const KnownEpisode& episode_;
  std::vector<std::size_t> instants_;
  std::vector<double> prices_, shares_;
  std::string text_;
};

}  // namespace

KnownEpisode known_episode(const RegionConfig& c, std::uint64_t inputs) {
  AccountSource source(c);
  source.reset(inputs);
  KnownEpisode e;
  e.capacity = source.total_capacity();
  for (std::int32_t i = 0; i < c.accounts; ++i) e.accounts.push_back(source.next());
  return e;
}

std::string inputs_text(const KnownEpisode& e) {
  std::string text = "capacity," + number_text(e.capacity) + "\narrives_s,lifetime_s,weight";
  for (std::size_t s = 0; s < kAccountSites; ++s) text += ",site,share";
  text += '\n';
  for (const Account& a : e.accounts) {
    text +=
        number_text(a.arrives_s) + ',' + number_text(a.lifetime_s) + ',' + number_text(a.weight);
    for (std::size_t s = 0; s < kAccountSites; ++s)
      text += ',' + std::to_string(a.sites[s]) + ',' + number_text(a.demand[s]);
    text += '\n';
  }
  return text;
}

std::string hindsight_mps(const RegionConfig& c, const KnownEpisode& e) {
  return MpsText(c, e).text();
}

}  // namespace park::region_assignment
