// Damaged files of recorded jobs, in every form, and traces of jobs.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "park/envs/dl_cluster/job_trace.h"
#include "tests/envs/dl_cluster/recorded.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/tally.h"

namespace park::test {
namespace jobs_fuzz_test {

using dl_cluster::JobTrace;
using dl_cluster::jobs::Form;

template <class Read>
void fuzz_jobs(std::uint64_t seed, const std::string& text, const std::string& donor, Read&& read) {
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

/// What is accepted is a trace that environments read.
void import_damaged(Form form, const std::vector<std::string>& texts) {
  const ImportedJobs made = import_texts(form, texts);
  EXPECT_LE(made.report.broken * 100, made.report.rows);
  EXPECT_LE(made.report.jobs + made.report.not_run + made.report.broken, made.report.rows);
  EXPECT_EQ(JobTrace::parse(made.text, "made").jobs().size(), made.report.jobs);
}

// Few rows: then one that is broken refuses the file, and a run is short.
const std::string kPhilly =
    "[" +
    philly_job("2017-10-07 01:11:39", philly_attempt("07 01:12:09", "07 01:13:23", 2) + ",\n" +
                                          philly_attempt("07 01:13:30", "09 06:53:12", 4)) +
    ",\n" + philly_job("2017-10-07 00:00:01", philly_attempt("07 03:00:00", "null", 1), "Killed") +
    ",\n" + philly_job("2017-10-06 10:00:00", philly_attempt("07 03:00:00", "08 00:00:00", 1)) +
    "]\n";
const std::string kHelios = kHeliosHeader + helios_row("4", "2020-06-09 18:41:27", "249") +
                            helios_row("1", "2020-06-09 18:41:01", "36848", "FAILED") +
                            helios_row("0", "2020-06-09 18:41:28", "5");
const std::string kTasks = pai_task("4b3f", "2.0", "110.0", "150.0", "50.0") +
                           pai_task("4b3f", "1.0", "105.0", "155.0", "", "ps") +
                           pai_task("8cb3", "8.0", "200.0", "260.0", "100.0");
const std::string kJobs =
    pai_job("8cb3", "190.0", "Failed") + pai_job("4b3f", "100.0") + pai_job("none", "150.0");
const std::string kPods = kPodHeader + pod_row("8", "9437497", "10769854", "9437498") +
                          pod_row("1", "9437500", "9437600", "9437550", "Running") +
                          pod_row("0", "9437501", "9437600", "");
const std::string kTrace = "submit_s,gpus,run_s\n0,1,600\n0.5,8,1200\n0.5,3,300.25\n400,64,60\n";

TEST(Fuzz, JobsOfPhilly) {
  fuzz_jobs(81, kPhilly, kPhilly + kHelios,
            [](const std::string& text) { import_damaged(Form::philly, {text}); });
}

TEST(Fuzz, JobsOfHelios) {
  fuzz_jobs(82, kHelios, kHelios + kPods,
            [](const std::string& text) { import_damaged(Form::helios, {text}); });
}

/// Both tables, with an empty line between them; where it is gone, the whole is the table of jobs.
TEST(Fuzz, JobsOfAlibaba2020) {
  fuzz_jobs(83, kJobs + '\n' + kTasks, kJobs + kTasks, [](const std::string& text) {
    const std::size_t between = std::min(text.find("\n\n"), text.size() - 1) + 1;
    import_damaged(Form::alibaba2020,
                   {text.substr(0, between), text.substr(std::min(between + 1, text.size()))});
  });
}

TEST(Fuzz, JobsOfAlibaba2023) {
  fuzz_jobs(85, kPods, kPods + kHelios,
            [](const std::string& text) { import_damaged(Form::alibaba2023, {text}); });
}

TEST(Fuzz, TracesOfJobs) {
  fuzz_jobs(86, kTrace, kTrace + kPods, [](const std::string& text) {
    const JobTrace trace = JobTrace::parse(text, "fuzz");
    EXPECT_GT(trace.period_s(), 0);
    for (std::size_t i = 1; i < trace.jobs().size(); ++i)
      EXPECT_LE(trace.jobs()[i - 1].submit_s, trace.jobs()[i].submit_s);
  });
}

}  // namespace jobs_fuzz_test
}  // namespace park::test
