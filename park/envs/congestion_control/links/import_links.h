#pragma once

#include "park/core/config.h"
#include "park/files/recording.h"
#include "park/net/link.h"

namespace park::congestion_control::links {

/// What a recording of throughputs is called by: Lumos5G's columns run_num and Throughput (A. Narayanan
/// et al., "Lumos5G: Mapping and predicting commercial mmWave 5G throughput", IMC 2020), or DL_bitrate
/// of the Irish 5G data set (D. Raca et al., "Beyond throughput, the next generation: a 5G dataset with
/// channel and context metrics", MMSys 2020).
enum class Form { lumos5g, irish5g };

struct ImportOptions {
  std::string column{};
  double mbps_per_unit = 0, interval_s = 1, run = 0;

  bool operator==(const ImportOptions&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("column", c.column,
          FieldDoc{.doc = "column with the throughput; empty: that of the data set",
                   .names = Names::nothing});
    visit("mbps_per_unit", c.mbps_per_unit,
          FieldDoc{.doc = "Mbit/s that its unit stands for; 0: as in the data set",
                   .unit = "Mbit/s",
                   .min = 0,
                   .max = 1e6});
    visit("interval_s", c.interval_s,
          FieldDoc{.doc = "time that a row stands for", .unit = "s", .min = 1e-3, .max = 3600});
    visit("run", c.run,
          FieldDoc{.doc = "Lumos5G: the run_num whose rows are taken; 0: all, one after another",
                   .min = 0,
                   .max = 1e9});
  }
};

/// The opportunities of a link that had these throughputs. Counts rows into `count`; rows whose
/// throughput is no number of 0 or more are broken. Throws Error{bad_file}.
[[nodiscard]] net::Opportunities import_throughputs(Form, files::RecordedFile&,
                                                    const ImportOptions&, files::RowCount& count);

}  // namespace park::congestion_control::links
