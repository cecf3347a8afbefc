#include "cli/play/result_files.h"

#include "cli/frame/command.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/session.h"
#include "park/command/output.h"

namespace park::cli {

Played nothing_played(const PlayPlan& plan, const Spec& spec) {
  Results results{.plan = plan, .metrics = result_metrics(spec), .policies = {}};
  TimelineFile timelines{
      .env = plan.env, .seed = plan.seed, .metrics = results.metrics, .policies = {}};
  return {std::move(results), std::move(timelines)};
}

void ResultFiles::declare(Options& options, const std::string& episode) {
  options.text("--save", "FILE", save_, "write the results as JSON (schema park.results)");
  options.text("--timeline", "FILE", timeline_,
               "write what happened in the " + episode +
                   " of each policy: FILE.html, a page for a browser; FILE.json (schema "
                   "park.timeline); FILE.trace.json, for Perfetto");
  options.flag("--overwrite", overwrite_, "replace files that exist");
}

void ResultFiles::check(Violations& wrong) const {
  check_output("--save", save_, overwrite_, wrong);
  check_output("--timeline", timeline_, overwrite_, wrong);
  check_apart("--timeline", timeline_, "--save", save_, wrong);
  if (!timeline_.empty() && !timeline_form(timeline_))
    wrong.add("--timeline: " + timeline_ + ": the name must end in .html, .json or .trace.json");
}

bool ResultFiles::explains() const {
  const auto form = timeline_form(timeline_);
  return form && *form != TimelineForm::chrome;
}

int ResultFiles::finish(Session& session, Played& played) const {
  Results& results = played.results;
  results.interrupted = interrupted() != 0;
  std::vector<std::string> policies;
  for (const PolicyResult& result : results.policies) policies.push_back(result.policy);
  results.plugins = session.plugins().used({results.plan.env}, policies);
  session.print(session.json() ? results_json(results) : results_text(results, session.width()));
  if (!save_.empty()) write_file(save_, results_file(results));
  if (const auto form = timeline_form(timeline_))
    write_file(timeline_, timeline_text(*form, played.timelines));
  return results.interrupted ? kSignalled + interrupted() : kDone;
}

}  // namespace park::cli
