#include "park/envs/congestion_control/data/write_link.h"

#include "park/command/numbers.h"
#include "park/command/output.h"
#include "park/core/json_writer.h"
#include "park/net/opportunity_file.h"

namespace park::congestion_control::links {

using command::rounded;

void write_summary(JsonWriter& json, const LinkSummary& s) {
  json.member("opportunities", s.opportunities).member("duration_s", s.duration_s);
  json.member("mean_mbps", s.mean_mbps).member("sd_mbps", s.sd_mbps);
  json.member("least_mbps", s.least_mbps).member("most_mbps", s.most_mbps);
  json.member("longest_gap_s", s.longest_gap_s).member("silent_share", s.silent_share);
}

std::string summary_text(const LinkSummary& s) {
  return command::plural(s.opportunities, "opportunity") + " in " + rounded(s.duration_s, 3) +
         " s\nmean " + rounded(s.mean_mbps, 3) + " Mbit/s; of seconds: sd " +
         rounded(s.sd_mbps, 3) + ", least " + rounded(s.least_mbps, 3) + ", most " +
         rounded(s.most_mbps, 3) + " Mbit/s, " + rounded(100 * s.silent_share, 2) +
         " % silent\nlongest gap " + rounded(s.longest_gap_s, 3) + " s\n";
}

void WriteLink::make(command::ReadProgress&) { made_ = build(); }

void WriteLink::write() { command::write_file(out_.path(), net::opportunities_text(made_)); }

void WriteLink::write_json(JsonWriter& json) const {
  json.member("out", out_.path());
  write_summary(json, summarize(made_));
  write_more(json);
}

std::string WriteLink::text(std::size_t width) const {
  static_cast<void>(width);
  return "wrote " + out_.path() + '\n' + summary_text(summarize(made_)) + more();
}

}  // namespace park::congestion_control::links
