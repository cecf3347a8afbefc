#pragma once

#include <functional>
#include <string>

#include "park/core/config.h"
#include "park/core/error.h"
#include "park/envs/abr/traces/trace_set.h"
#include "park/files/byte_source.h"

namespace park::abr::traces {

// Each importer adds the traces of one source to a set; `name` stands for the source in messages
// and names. They throw Error{bad_file} with a line per violation (10 at most), each naming the
// source, its line and what is allowed. Memory is proportional to the traces kept.

/// Traces of the link emulator Mahimahi (Netravali et al., "Mahimahi: accurate record-and-replay
/// for HTTP", USENIX ATC 2015). Each line is a time in whole milliseconds, never decreasing, when
/// one packet of 1500 bytes can leave. The trace begins again at the last time.
struct MahimahiOptions {
  double bin_s = 1;

  bool operator==(const MahimahiOptions&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("bin_s", c.bin_s,
          FieldDoc{.doc = "length of the intervals that packets are counted in; the last one is "
                          "up to half as long or half as long again",
                   .unit = "s",
                   .min = 0.001,
                   .max = 1e6});
  }
};
void import_mahimahi(files::ByteSource&, const std::string& name, const MahimahiOptions&,
                     TraceSet&);

/// Raw measurements of the FCC's "Measuring Broadband America", tests webget and httpgetmt
/// (curr_webget.csv). They are CSV with the columns unit_id, dtime, target, address, fetch_time,
/// bytes_total, bytes_sec and more. A first line with their names is optional. As in Pensieve's
/// scripts the throughputs of one unit to one target, in the order of the file, are taken as one
/// link over time.
struct FccOptions {
  double interval_s = 5, duration_s = 320, min_mbps = 0.2, max_mean_mbps = 6;

  bool operator==(const FccOptions&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("interval_s", c.interval_s,
          FieldDoc{.doc = "what a measurement stands for", .unit = "s", .min = 0.001, .max = 1e6});
    visit("duration_s", c.duration_s,
          FieldDoc{.doc = "length of a trace: the measurements of a unit and target are cut into "
                          "traces of this length, and the rest is left out; 0: one trace",
                   .unit = "s",
                   .min = 0,
                   .max = abr::kMaxTraceS});
    visit("min_mbps", c.min_mbps,
          FieldDoc{.doc = "traces with a lower bandwidth anywhere are left out",
                   .unit = "Mbps",
                   .min = 0,
                   .max = abr::kMaxTraceMbps});
    visit("max_mean_mbps", c.max_mean_mbps,
          FieldDoc{.doc = "traces with a higher mean are left out: any video rate suits them",
                   .unit = "Mbps",
                   .min = 0,
                   .max = abr::kMaxTraceMbps});
  }
};
void import_fcc(files::ByteSource&, const std::string& name, const FccOptions&, TraceSet&);

/// Logs of H. Riiser et al., "Commute path bandwidth traces from 3G networks: analysis and
/// applications", MMSys 2013. Each second has a line: Unix time, milliseconds since the start,
/// latitude, longitude, bytes received since the line before, and the milliseconds of that receipt.
/// Lines of only the milliseconds, bytes and milliseconds are read too. As in Pensieve's scripts a
/// log ends where its time goes back.
struct HsdpaOptions {
  double duration_s = 0;

  bool operator==(const HsdpaOptions&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit(
        "duration_s", c.duration_s,
        FieldDoc{.doc = "length of a trace: a log is cut into traces of at least this length, and "
                        "the rest is left out; 0: one trace",
                 .unit = "s",
                 .min = 0,
                 .max = abr::kMaxTraceS});
  }
};
void import_hsdpa(files::ByteSource&, const std::string& name, const HsdpaOptions&, TraceSet&);

}  // namespace park::abr::traces
