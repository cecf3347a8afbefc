#include "park/envs/congestion_control/links/import_links.h"

#include <optional>
#include <vector>

#include "park/files/lines.h"
#include "park/files/recorded_csv.h"
#include "park/net/opportunity_file.h"

namespace park::congestion_control::links {

net::Opportunities import_throughputs(Form form, files::RecordedFile& file, const ImportOptions& o,
                                      files::RowCount& count) {
  constexpr double kMostMbps = 1e6, kMbpsPerKbps = 1e-3;
  const bool lumos = form == Form::lumos5g;
  const double unit = o.mbps_per_unit > 0 ? o.mbps_per_unit : lumos ? 1 : kMbpsPerKbps;
  files::RecordedCsv rows(file, count);
  const std::string standard = lumos ? "Throughput" : "DL_bitrate";
  const std::size_t column = rows.column(o.column.empty() ? standard : o.column);
  std::optional<std::size_t> run;
  if (lumos && o.run > 0) run = rows.column("run_num");
  std::vector<double> times_s, mbps;
  while (rows.next()) {
    if (run) {
      const auto number = files::number_in(rows[*run], 0, 1e9);
      if (!number) {
        rows.add_broken("run_num must be a number from 0 to 1e9");
        continue;
      }
      if (*number != o.run) continue;
    }
    const auto value = files::number_in(rows[column], 0, kMostMbps / unit);
    if (!value) {
      rows.add_broken("the throughput must be from 0 to 1e6 Mbit/s");
      continue;
    }
    times_s.push_back(static_cast<double>(times_s.size()) * o.interval_s);
    mbps.push_back(*value * unit);
  }
  count.refuse_broken();
  if (mbps.empty()) throw Error(Errc::bad_file, file.name + ": no row is left");
  const double end_s = static_cast<double>(mbps.size()) * o.interval_s;
  return net::opportunities_of_rates(times_s, mbps, end_s);
}

}  // namespace park::congestion_control::links
