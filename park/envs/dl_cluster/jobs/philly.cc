#include <optional>
#include <string>
#include <string_view>

#include "park/envs/dl_cluster/jobs/job_collector.h"
#include "park/files/json_cursor.h"
#include "park/files/json_elements.h"
#include "park/files/shown.h"

namespace park::dl_cluster::jobs {
namespace {

using files::JsonCursor;
using files::JsonError;

/// A member that is a time; none where it is null, "None" or empty, as for attempts that were lost.
std::optional<double> time_of(JsonCursor& json, const char* member) {
  if (json.is('n')) {
    json.skip();
    return {};
  }
  std::string text;
  json.text(text);
  if (text.empty() || text == "None") return {};
  const auto time_s = files::time_of_date(text);
  if (!time_s)
    throw JsonError(std::string(member) + " = '" + files::shown(text) +
                    "' must be as 2017-10-07 01:11:39");
  return time_s;
}

/// One scheduling of a job.
struct Attempt {
  std::optional<double> start_s, end_s;
  double gpus = 0;
};

double gpus_of(JsonCursor& json) {
  double gpus = 0;
  std::string_view key;
  json.enter_array();
  while (json.next_element()) {
    json.enter_object();
    while (json.next_key(key)) {
      if (key != "gpus") {
        json.skip();
        continue;
      }
      json.enter_array();
      for (; json.next_element(); ++gpus) json.skip();
    }
  }
  return gpus;
}

Attempt read_attempt(JsonCursor& json) {
  Attempt attempt;
  std::string_view key;
  json.enter_object();
  while (json.next_key(key)) {
    if (key == "start_time")
      attempt.start_s = time_of(json, "start_time");
    else if (key == "end_time")
      attempt.end_s = time_of(json, "end_time");
    else if (key == "detail")
      attempt.gpus = gpus_of(json);
    else
      json.skip();
  }
  if (attempt.start_s && attempt.end_s && *attempt.end_s < *attempt.start_s)
    throw JsonError("end_time is before start_time");
  return attempt;
}

/// The GPUs of the first attempt that has some; the sum of the attempts' times, where the last one
/// has an end.
void read_attempts(JsonCursor& json, RecordedJob& job) {
  double run_s = 0;
  bool ended = false;
  json.enter_array();
  while (json.next_element()) {
    const Attempt attempt = read_attempt(json);
    if (job.gpus == 0) job.gpus = attempt.gpus;
    ended = attempt.end_s.has_value();
    if (attempt.start_s && attempt.end_s) run_s += *attempt.end_s - *attempt.start_s;
  }
  if (ended) job.run_s = run_s;
}

RecordedJob read_job(std::string_view text) {
  RecordedJob job;
  std::optional<double> submit_s;
  bool attempted = false;
  std::string_view key;
  JsonCursor json(text);
  json.enter_object();
  while (json.next_key(key)) {
    if (key == "submitted_time") {
      submit_s = time_of(json, "submitted_time");
    } else if (key == "status") {
      job.completed = json.plain_text() == "Pass";
    } else if (key == "attempts" && !attempted) {
      read_attempts(json, job);
      attempted = true;
    } else {
      json.skip();
    }
  }
  json.finish();
  if (!submit_s) throw JsonError("must have a submitted_time");
  if (!attempted) throw JsonError("must have attempts");
  job.submit_s = *submit_s;
  return job;
}

}  // namespace

void read_philly(files::RecordedFile& file, JobCollector& jobs) {
  files::JsonElements elements(*file.source, file.name);
  std::string_view text;
  while (elements.next(text)) {
    ++jobs.report().rows;
    std::string wrong;
    try {
      wrong = jobs.take(read_job(text));
    } catch (const JsonError& error) {
      wrong = error.what();
    }
    if (!wrong.empty()) jobs.report().add_broken(file.name, elements.line(), wrong);
  }
  files::refuse_cut_short(file);
}

}  // namespace park::dl_cluster::jobs
