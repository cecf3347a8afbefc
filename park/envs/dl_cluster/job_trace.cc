#include "park/envs/dl_cluster/job_trace.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <system_error>

#include "park/core/error.h"
#include "park/files/lines.h"
#include "park/files/read.h"
#include "park/files/stamp_cache.h"

namespace park::dl_cluster {
namespace {

constexpr std::uint64_t kMostTraceBytes = std::uint64_t{1} << 30;

[[noreturn]] void fail_to_read_trace(const std::string& path, const std::string& why) {
  throw Error(Errc::io, "trace: cannot read '" + path + "': " + why);
}

std::string text_of_trace(const std::string& path) {
  std::error_code error;
  std::string text = files::read_file(path, error, kMostTraceBytes);
  if (error) fail_to_read_trace(path, error.message());
  return text;
}

/// The text up to the next comma, which is cut off too.
std::string_view take_field(std::string_view& line) {
  const std::string_view field = line.substr(0, line.find(','));
  line.remove_prefix(field.size() < line.size() ? field.size() + 1 : line.size());
  return field;
}

/// What is wrong with a line, or "".
std::string read_job(std::string_view line, std::vector<JobTrace::Job>& jobs) {
  if (std::ranges::count(line, ',') != 2)
    return std::string("must have 3 fields: ") + JobTrace::kHeader;
  const auto submit_s = files::number_in(take_field(line), 0, JobTrace::kMostSubmitS);
  const auto gpus = files::number_in(take_field(line), 1, JobTrace::kMostRequest);
  const auto run_s = files::number_in(take_field(line), JobTrace::kLeastRunS, JobTrace::kMostRunS);
  if (!submit_s) return "submit_s must be a number from 0 to 1e12";
  if (!jobs.empty() && *submit_s < jobs.back().submit_s) return "submit_s must not decrease";
  if (!gpus || *gpus != std::floor(*gpus)) return "gpus must be a whole number from 1 to 1e6";
  if (!run_s) return "run_s must be a number from 1e-3 to 1e9";
  if (jobs.size() == JobTrace::kMost) return "there are more than 1e7 jobs";
  jobs.push_back({*submit_s, *run_s, static_cast<std::int32_t>(*gpus)});
  return "";
}

}  // namespace

JobTrace JobTrace::parse(const std::string& text, const std::string& name) {
  std::string_view rest = text;
  if (files::take_line(rest) != kHeader)
    throw Error(Errc::bad_file, name + ":1: the header must be '" + kHeader + "'");
  JobTrace trace;
  Violations bad;
  for (std::size_t n = 2; !rest.empty() && bad.size() < files::kMostViolations; ++n)
    if (const std::string wrong = read_job(files::take_line(rest), trace.jobs_); !wrong.empty())
      files::add_at(bad, name, n, wrong);
  const auto& jobs = trace.jobs_;
  if (bad.empty() && (jobs.size() < 2 || jobs.front().submit_s == jobs.back().submit_s))
    bad.add(name + ": must have two jobs that were submitted at different times");
  bad.throw_if_any(Errc::bad_file);
  return trace;
}

std::shared_ptr<const JobTrace> JobTrace::open(const std::string& path) {
  static files::StampCache<std::string, JobTrace> cache;
  std::error_code error;
  const files::FileStamp stamp = files::stamp_of(path, error);
  if (error) fail_to_read_trace(path, error.message());
  return cache.get(path, {stamp}, [&] {
    return std::make_shared<const JobTrace>(parse(text_of_trace(path), path));
  });
}

double JobTrace::period_s() const noexcept {
  const double length_s = jobs_.back().submit_s - jobs_.front().submit_s;
  return length_s + length_s / static_cast<double>(jobs_.size() - 1);
}

}  // namespace park::dl_cluster
