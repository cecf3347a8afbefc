// Damaged network traces, in every raw form.
#include <gtest/gtest.h>

#include <string>

#include "park/envs/abr/traces/describe.h"
#include "park/envs/abr/traces/import_traces.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/tally.h"

namespace park::test {
namespace {

using abr::traces::TraceSet;

/// What is accepted is written, and read back by the reader that environments use.
void expect_fit(const TraceSet& set) {
  for (const abr::NetworkTrace& trace : set.traces()) {
    (void)abr::traces::summarize(trace);
    EXPECT_EQ(trace.name, abr::traces::file_name_of(trace.name));
    const auto again = abr::parse_trace(abr::traces::trace_text(trace), trace.name);
    EXPECT_EQ(again.time_s.size(), trace.time_s.size());
  }
}

template <class Import>
void fuzz(std::uint64_t seed, const std::string& text, const std::string& donor, Import&& import) {
  import(text);
  Mutator mutate(seed);
  Tally tally;
  for (int i = 0; i < kMutations; ++i) {
    const std::string damaged =
        mutate.rng().below(6) == 0 ? shuffle_lines(text, mutate.rng()) : mutate(text, donor);
    tally.run(i, [&] { import(damaged); });
  }
  tally.expect_both(24);
}

const std::string kMahimahi = "0\n12\n12\n13\n250\n999\n1000\n1001\n1400\n1400\n2250\n2600\n";

const std::string kFcc =
    "unit_id,dtime,target,address,fetch_time,bytes_total,bytes_sec,objects\n"
    "7,2016-06-01 13:45:10,http://www.a.org/,192.0.2.7,1500,2000,250000,20\n"
    "7,2016-06-01 14:45:10,http://www.a.org/,192.0.2.7,1500,2000,125000,20\n"
    "8,2016-06-01 13:45:11,\"b, c\",192.0.2.8,1500,2000,500000.5,20\n"
    "7,2016-06-01 15:45:10,http://www.a.org/,192.0.2.7,1500,2000,\\N,20\n"
    "8,2016-06-01 14:45:11,\"b, c\",192.0.2.8,1500,2000,600000,20\n"
    "7,2016-06-01 16:45:10,http://www.a.org/,192.0.2.7,1500,2000,375000,20\n";

const std::string kHsdpa =
    "1284367570 1003 59.851 10.781 125000 1000\n"
    "1284367571 2003 59.852 10.782 250000 1000\n"
    "1284367572 3503 59.853 10.783 0 1500\n"
    "1284367573 4503 59.854 10.784 62500 500\n"
    "1284367574 5003 59.854 10.784 31250 500\n";

TEST(Fuzz, TracesOfMahimahi) {
  fuzz(21, kMahimahi, kMahimahi + kHsdpa, [](const std::string& text) {
    TraceSet set;
    abr::traces::import_mahimahi(*files::memory_source(text), "fuzz", {.bin_s = 0.5}, set);
    expect_fit(set);
  });
}

TEST(Fuzz, TracesOfTheFcc) {
  fuzz(22, kFcc, kFcc + kMahimahi, [](const std::string& text) {
    TraceSet set;
    abr::traces::import_fcc(*files::memory_source(text), "fuzz", {.duration_s = 10}, set);
    expect_fit(set);
  });
}

TEST(Fuzz, TracesOfHsdpa) {
  fuzz(23, kHsdpa, kHsdpa + kMahimahi, [](const std::string& text) {
    TraceSet set;
    abr::traces::import_hsdpa(*files::memory_source(text), "fuzz", {.duration_s = 2}, set);
    expect_fit(set);
  });
}

}  // namespace
}  // namespace park::test
