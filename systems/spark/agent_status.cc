#include "systems/spark/agent_status.h"

#include <algorithm>
#include <chrono>

#include "park/core/error.h"
#include "park/core/text.h"

namespace park::spark {
namespace {

std::string metric(const std::string& name, const char* type, const char* help,
                   std::uint64_t value) {
  const std::string full = "park_spark_" + name;
  return "# HELP " + full + " " + help + "\n# TYPE " + full + " " + type + "\n" + full + " " +
         std::to_string(value) + "\n";
}

}  // namespace

AgentStatus::AgentStatus(const std::string& log) {
  if (log.empty()) return;
  log_.open(log, std::ios::app);
  if (!log_) throw Error(Errc::io, "log: " + log + " cannot be written");
}

std::uint64_t AgentStatus::begun(std::string_view id, std::string_view name,
                                 std::string_view spark) {
  const std::lock_guard lock(mutex_);
  write_line("application_begun", ++begun_, [&](JsonWriter& json) {
    json.member("id", id).member("name", name).member("spark", spark);
  });
  return begun_;
}

void AgentStatus::ended(std::uint64_t number, bool lost) {
  const std::lock_guard lock(mutex_);
  ++ended_;
  lost_ += lost ? 1 : 0;
  write_line(lost ? "application_lost" : "application_ended", number, [](JsonWriter&) {});
}

void AgentStatus::answered(double seconds, bool declined) {
  const std::lock_guard lock(mutex_);
  const auto bucket = std::ranges::lower_bound(kBuckets, seconds) - kBuckets.begin();
  ++answers_[static_cast<std::size_t>(bucket)];
  answer_s_ += seconds;
  declined_ += declined ? 1 : 0;
}

void AgentStatus::told(std::uint64_t number, const Told& more) {
  const std::lock_guard lock(mutex_);
  told_.fallbacks += more.fallbacks;
  told_.rejected += more.rejected;
  told_.jobs += more.jobs;
  told_.failed_jobs += more.failed_jobs;
  if (more.fallbacks + more.rejected > 0)
    write_line("not_followed", number, [&](JsonWriter& json) {
      json.member("fallbacks", more.fallbacks).member("rejected", more.rejected);
    });
}

std::string AgentStatus::metrics() const {
  // Of kBuckets, as people write them.
  static constexpr std::array<const char*, kBuckets.size() + 1> kLabels = {
      "0.0005", "0.001", "0.0025", "0.005", "0.01", "0.025", "0.05", "0.1", "0.25", "1", "+Inf"};
  const std::lock_guard lock(mutex_);
  std::string all =
      metric("applications_total", "counter", "Applications that began.", begun_) +
      metric("applications_open", "gauge", "Applications that have not ended.", begun_ - ended_) +
      metric("applications_lost_total", "counter", "Applications that went without a word.",
             lost_) +
      metric("declined_total", "counter", "Questions that the policy left to Spark's order.",
             declined_) +
      metric("fallbacks_total", "counter",
             "Offers of slots that went by Spark's order because no answer came in time.",
             told_.fallbacks) +
      metric("rejected_total", "counter", "Grants that were of no use to a driver.",
             told_.rejected) +
      metric("jobs_total", "counter", "Logical jobs that ended.", told_.jobs) +
      metric("jobs_failed_total", "counter", "Logical jobs that failed or were cancelled.",
             told_.failed_jobs);
  all +=
      "# HELP park_spark_answer_seconds From a question to its answer, in the agent.\n"
      "# TYPE park_spark_answer_seconds histogram\n";
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < answers_.size(); ++i) {
    below += answers_[i];
    all += std::string("park_spark_answer_seconds_bucket{le=\"") + kLabels[i] + "\"} " +
           std::to_string(below) + "\n";
  }
  return all + "park_spark_answer_seconds_sum " + number_text(answer_s_) +
         "\npark_spark_answer_seconds_count " + std::to_string(below) + "\n";
}

void AgentStatus::write_line(std::string_view event, std::uint64_t number,
                             const std::function<void(JsonWriter&)>& rest) {
  if (!log_.is_open()) return;
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  JsonWriter json;
  json.begin_object(JsonWriter::Layout::line).member("time_s", now.count());
  json.member("event", event).member("application", number);
  rest(json);
  log_ << json.end_object().take() << std::flush;
}

}  // namespace park::spark
