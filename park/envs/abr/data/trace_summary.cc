#include "park/envs/abr/data/trace_summary.h"

#include <algorithm>
#include <span>

#include "park/command/numbers.h"
#include "park/command/table.h"
#include "park/envs/abr/traces/describe.h"

namespace park::abr::traces {
namespace {

using command::plural;
using command::rounded;
using command::Table;

constexpr std::size_t kMostTracesShown = 100;  // to people

void write_summary(JsonWriter& json, const TraceSummary& s) {
  json.begin_object(JsonWriter::Layout::line).member("name", s.name);
  json.member("intervals", s.intervals).member("duration_s", s.duration_s);
  json.member("mean_mbps", s.mean_mbps).member("sd_mbps", s.sd_mbps);
  json.member("min_mbps", s.min_mbps).member("max_mbps", s.max_mbps);
  json.member("autocorrelation", s.autocorrelation).member("outage_share", s.outage_share);
  json.member("outages", s.outages).member("outage_mean_s", s.outage_mean_s).end_object();
}

void add_summary(Table& table, const TraceSummary& s) {
  table.add({s.name, rounded(s.duration_s, 1), rounded(s.mean_mbps, 3), rounded(s.sd_mbps, 3),
             rounded(s.min_mbps, 3), rounded(s.max_mbps, 3), rounded(s.autocorrelation, 3),
             rounded(s.outage_share, 4), std::to_string(s.outages), rounded(s.outage_mean_s, 2)});
}

}  // namespace

std::string trace_summary_text(const std::vector<NetworkTrace>& all, std::size_t width) {
  using Align = Table::Align;
  Table table({{"trace"},
               {"s", Align::right},
               {"mean Mbps", Align::right},
               {"sd", Align::right},
               {"min", Align::right},
               {"max", Align::right},
               {"autocorr.", Align::right},
               {"outage share", Align::right},
               {"outages", Align::right},
               {"mean s", Align::right}});
  const std::size_t shown = std::min(all.size(), kMostTracesShown);
  for (std::size_t i = 0; i < shown; ++i) add_summary(table, summarize(all[i]));
  if (shown < all.size())
    table.add_heading("and " + plural(all.size() - shown, "more trace") + "; --json lists all");
  add_summary(table, summarize(std::span(all)));
  return plural(all.size(), "trace") + "\n\n" + table.text(0, width);
}

void write_trace_summaries(JsonWriter& json, const std::vector<NetworkTrace>& all) {
  json.key("all");
  write_summary(json, summarize(std::span(all)));
  json.key("traces").begin_array();
  for (const auto& trace : all) write_summary(json, summarize(trace));
  json.end_array();
}

}  // namespace park::abr::traces
