// Damaged files of dl_inference: recorded arrivals in both raw forms, traces of arrivals, tables of
// latencies.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "park/envs/dl_inference/application.h"
#include "park/envs/dl_inference/arrivals/import_arrivals.h"
#include "park/envs/dl_inference/trace.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/tally.h"

namespace park::test {
namespace arrivals_fuzz_test {

using dl_inference::arrivals::Form;

template <class Read>
void fuzz(std::uint64_t seed, const std::string& text, const std::string& donor, Read&& read) {
  read(text);
  Mutator mutate(seed);
  Tally tally;
  for (int i = 0; i < kMutations; ++i) {
    const std::string damaged =
        mutate.rng().below(6) == 0 ? shuffle_lines(text, mutate.rng()) : mutate(text, donor);
    tally.run(i, [&] { read(damaged); });
  }
  tally.expect_both(24);
}

/// Enough rows that one or two broken ones are left out.
std::string rows(const std::string& header, const std::string& before, const std::string& after) {
  std::string text = header;
  for (int i = 10; i < 60; ++i) text += before + std::to_string(i) + after;
  for (int i = 0; i < 60; ++i) text += before + "59.5" + after;
  return text;
}

/// What is accepted is a trace that environments read.
void import_one(Form form, const std::string& text) {
  std::vector<dl_inference::arrivals::Input> inputs;
  inputs.push_back({"fuzz", files::memory_source(text)});
  std::string made;
  const auto report = dl_inference::arrivals::import_arrivals(
      form, std::move(inputs), {}, [&](std::string_view bytes) { made += bytes; });
  EXPECT_LE(report.broken * 100, report.rows);
  const auto trace = dl_inference::ArrivalTrace::parse(made, "made");
  EXPECT_EQ(trace.times_s().size(), report.arrivals);
}

const std::string kAzure =
    rows("TIMESTAMP,ContextTokens,GeneratedTokens\n", "2023-11-16 18:15:", ",374,44\n");
const std::string kBurstGpt =
    rows("Timestamp,Model,Request tokens,Log Type\n", "", ",ChatGPT,472,\"Conversation, log\"\n");
const std::string kTrace = "time_s,app\n0,0\n0.5,1\n0.5,0\n2,3\n17.25,1\n";
const std::string kTable = "app,batch,latency_s\nmlp,1,0.001\nmlp,4,0.002\n\"c,nn\",1,0.5\nc,1,2\n";

TEST(Fuzz, ArrivalsOfAzure) {
  fuzz(71, kAzure, kAzure + kBurstGpt, [](const auto& text) { import_one(Form::azure, text); });
}

TEST(Fuzz, ArrivalsOfBurstGpt) {
  fuzz(72, kBurstGpt, kAzure + kBurstGpt,
       [](const auto& text) { import_one(Form::burstgpt, text); });
}

TEST(Fuzz, TracesOfArrivals) {
  fuzz(73, kTrace, kTrace + kTable, [](const auto& text) {
    const auto trace = dl_inference::ArrivalTrace::parse(text, "fuzz");
    EXPECT_GT(trace.period_s(), 0);
    for (std::size_t i = 1; i < trace.times_s().size(); ++i)
      EXPECT_LE(trace.times_s()[i - 1], trace.times_s()[i]);
  });
}

TEST(Fuzz, TablesOfLatencies) {
  fuzz(74, kTable, kTrace + kTable, [](const auto& text) {
    const auto table = dl_inference::LatencyTable::parse(text, "fuzz");
    for (const auto& app : table.apps())
      for (std::size_t k = 2; k < app.latency_s.size(); ++k)
        EXPECT_LE(app.latency_s[k - 1], app.latency_s[k]);
  });
}

}  // namespace arrivals_fuzz_test
}  // namespace park::test
