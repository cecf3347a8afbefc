#include "park/envs/dag_scheduling/arrival_list.h"

#include <system_error>

#include "park/core/config.h"
#include "park/core/error.h"
#include "park/core/text.h"
#include "park/envs/dag_scheduling/config.h"
#include "park/files/lines.h"
#include "park/files/read.h"

namespace park::dag_scheduling {
namespace {

constexpr std::size_t kMostNamesToCompare = 5000;  // for "did you mean"

std::string suggestion(std::string_view job, const Workload& workload) {
  if (workload.jobs().size() > kMostNamesToCompare) return "";
  std::vector<std::string> names;
  for (const Workload::Job& j : workload.jobs()) names.push_back(j.name);
  const std::string near = nearest(job, names);
  return near.empty() ? "" : "; the nearest name is '" + near + "'";
}

class Parser {
 public:
  Parser(const std::string& name, const Workload& workload) : name_(name), workload_(workload) {}

  ArrivalList parse(std::string_view text) {
    if (files::take_line(text) != "time_s,job") {
      fail(1, "the first line must be 'time_s,job'");
      bad_.throw_if_any(Errc::bad_file);
    }
    std::size_t n = 2;
    for (; !text.empty() && bad_.size() < files::kMostViolations; ++n)
      line(n, files::take_line(text));
    if (n == 2) fail(n, "there is no job");
    bad_.throw_if_any(Errc::bad_file);
    return std::move(list_);
  }

 private:
  void fail(std::size_t line, const std::string& what) {
    bad_.add("arrivals: " + name_ + ":" + std::to_string(line) + ": " + what);
  }

  void line(std::size_t n, std::string_view text) {
    const std::size_t comma = text.find(',');
    if (comma == std::string_view::npos) return fail(n, "must be a time, a comma and a job's name");
    if (list_.entries.size() == static_cast<std::size_t>(kMaxDagJobs))
      return fail(n, "there are more than 1000000 jobs");
    read_time(n, text.substr(0, comma));
    const std::string_view job = text.substr(comma + 1);
    if (const auto index = workload_.find(job))
      list_.entries.push_back({last_, *index});
    else
      fail(n, "job '" + std::string(job) + "' is not in the workload '" + workload_.name() + "'" +
                  suggestion(job, workload_));
  }

  void read_time(std::size_t n, std::string_view text) {
    const auto time_s = files::number_in(text, 0, kMaxArrivalS);
    if (!time_s)
      return fail(n, "time_s = '" + std::string(text) + "' is not a number from 0 to 1e9");
    if (to_ticks(*time_s) < last_)
      return fail(n, "time_s = " + number_text(*time_s) + " is before the line above");
    last_ = to_ticks(*time_s);
  }

  const std::string& name_;
  const Workload& workload_;
  ArrivalList list_;
  Violations bad_;
  Ticks last_ = 0;
};

}  // namespace

ArrivalList ArrivalList::parse(std::string_view text, const std::string& name,
                               const Workload& workload) {
  return Parser(name, workload).parse(text);
}

ArrivalList ArrivalList::read(const std::string& path, const Workload& workload) {
  std::error_code error;
  const std::string text = files::read_file(path, error);
  if (error) throw Error(Errc::io, "arrivals: cannot read '" + path + "'");
  return parse(text, path, workload);
}

}  // namespace park::dag_scheduling
