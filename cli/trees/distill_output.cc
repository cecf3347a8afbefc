// What `park distill` shows: a table of rounds, an object with all figures, and the pages of a report
// and of a tree.
#include "cli/trees/distill_output.h"

#include "cli/frame/names.h"
#include "cli/web/page.h"
#include "park/command/numbers.h"
#include "park/command/table.h"
#include "park/core/json_writer.h"
#include "park/trees/export.h"

namespace park::cli {
namespace {

using park::trees::Agreement;
using park::trees::DistillOutcome;
using park::trees::HeadAgreement;

void write_agreement(JsonWriter& json, const char* name, const Agreement& a) {
  json.key(name).begin_object().member("decisions", a.decisions);
  const auto share = [&](const char* key, std::uint64_t hits) {
    json.key(key);
    if (a.decisions == 0)
      json.null();
    else
      json.value(static_cast<double>(hits) / static_cast<double>(a.decisions));
  };
  share("first", a.first);
  share("first_three", a.first_three);
  json.end_object();
}

std::string percent_text(double share) { return rounded(100 * share) + " %"; }

std::string agreement_text(const HeadAgreement& head) {
  std::string text = head.head + ": " + plural(head.forced, "decision") + " with one legal value";
  for (const auto& [name, a] : {std::pair("ruled", &head.ruled), std::pair("free", &head.free)}) {
    if (a->decisions == 0) continue;
    const auto share = [&](std::uint64_t hits) {
      return percent_text(static_cast<double>(hits) / static_cast<double>(a->decisions));
    };
    text += "; " + std::to_string(a->decisions) + ' ' + name +
            ": the first choice is the teacher's in " + share(a->first) +
            ", one of the first three in " + share(a->first_three);
  }
  return text + '\n';
}

void write_agreements(JsonWriter& json, const char* name, const std::vector<HeadAgreement>& heads) {
  json.key(name).begin_array();
  for (const HeadAgreement& head : heads) {
    json.begin_object().member("head", head.head).member("forced", head.forced);
    write_agreement(json, "ruled", head.ruled);
    write_agreement(json, "free", head.free);
    json.end_object();
  }
  json.end_array();
}

void write_rounds(JsonWriter& json, const DistillOutcome& out) {
  json.key("rounds").begin_array();
  for (const park::trees::DistillRound& r : out.rounds) {
    json.begin_object().member("round", std::uint64_t{r.round}).member("decisions", r.decisions);
    json.member("leaves", std::uint64_t{r.leaves}).member("mean", r.metric).end_object();
  }
  json.end_array().key("best");
  if (out.rounds.empty())
    json.null();
  else
    json.value(std::uint64_t{out.rounds[out.best].round});
  json.key("sizes").begin_array();
  for (const park::trees::DistillSize& s : out.sizes)
    json.begin_object()
        .member("asked", std::uint64_t{s.asked})
        .member("leaves", std::uint64_t{s.leaves})
        .member("mean", s.metric)
        .end_object();
  json.end_array();
}

/// Members of an object: a policy's mean, and what it is to the teacher.
void write_to_teacher(JsonWriter& json, const PolicyResult& one, const PolicyResult& teacher) {
  const Summary summary = summarize(column(one, 0));
  write_summary(json, summary);
  json.member("ratio", summary.mean / summarize(column(teacher, 0)).mean);
  json.key("difference").begin_object();
  write_summary(json, paired_difference(one, teacher, 0));
  json.end_object();
}

void write_ablation(JsonWriter& json, const Distilled& all) {
  json.key("ablation").begin_array();
  for (const auto& [head, result] : all.ablation) {
    json.begin_object().member("student_head", head);
    write_to_teacher(json, result, all.comparison->policies.front());
    json.end_object();
  }
  json.end_array();
}

void write_comparison(JsonWriter& json, const Results& results,
                      const std::vector<double>& decision_us) {
  json.begin_object().member("phase", phase_name(results.plan.phase));
  json.member("seed", results.plan.seed).member("episodes", results.plan.episodes);
  json.member("metric", results.metrics.front().name).key("policies").begin_array();
  const PolicyResult& teacher = results.policies.front();
  for (std::size_t p = 0; p < results.policies.size(); ++p) {
    const PolicyResult& one = results.policies[p];
    json.begin_object().member("policy", one.policy);
    write_to_teacher(json, one, teacher);
    json.member("decision_us", decision_us[p]).end_object();
  }
  json.end_array().end_object();
}

std::string comparison_text(const Results& results) {
  const PolicyResult& teacher = results.policies.front();
  std::string text = plural(results.plan.episodes, "held-out episode") + ", " +
                     results.metrics.front().name + ", and the difference to the teacher:\n";
  Table table({{"policy"},
               {"mean", Table::Align::right},
               {"difference", Table::Align::right},
               {"95 % interval", Table::Align::right}});
  for (const PolicyResult& one : results.policies) {
    const Summary to = paired_difference(one, teacher, 0);
    table.add({one.policy, rounded(summarize(column(one, 0)).mean), signed_text(to.mean, 4),
               &one == &teacher ? "" : interval_text(to.ci95, 4)});
  }
  return text + table.text(2, 0);
}

}  // namespace

std::string distilled_text(const Distilled& all) {
  const DistillOutcome& out = all.outcome;
  if (out.rounds.empty()) return "interrupted before the first round was finished\n";
  const Metric& metric = all.metric;
  using Align = Table::Align;
  Table table({{"round", Align::right},
               {"decisions", Align::right},
               {"leaves", Align::right},
               {metric.name, Align::right},
               {""}});
  for (std::size_t r = 0; r < out.rounds.size(); ++r)
    table.add({std::to_string(out.rounds[r].round), std::to_string(out.rounds[r].decisions),
               std::to_string(out.rounds[r].leaves), rounded(out.rounds[r].metric),
               r == out.best ? "*" : ""});
  std::string text = all.plan.env + "\nteacher " + all.plan.teacher + ", " +
                     plural(all.plan.episodes, "training episode") + " a round, " +
                     plural(all.plan.validation_episodes, "validation episode") +
                     (all.plan.separate.empty() ? "" : ", separate " + all.plan.separate) +
                     "; * written\n\n" + table.text(0, 0) + '\n';
  if (!out.finished) text += "interrupted; the same call with --resume goes on\n";
  if (out.finished)
    text += "the teacher on the same validation episodes: " + rounded(out.teacher) + '\n';
  for (const HeadAgreement& head : out.agreement) text += agreement_text(head);
  if (all.comparison) text += comparison_text(*all.comparison);
  return text + "play it: park run '" + all.plan.env + "' --policy 'tree(file=" + all.file + ")'\n";
}

std::string distilled_json(const Distilled& all) {
  const DistillOutcome& out = all.outcome;
  JsonWriter json;
  json.begin_object().member("env", all.plan.env).member("teacher", all.plan.teacher);
  json.member("validate_on", all.plan.validate_on.empty() ? all.plan.env : all.plan.validate_on);
  json.member("seed", all.plan.seed).member("finished", out.finished).key("separate");
  if (all.plan.separate.empty())
    json.null();
  else
    json.value(all.plan.separate);
  json.member("episodes", all.plan.episodes);
  json.member("validation_episodes", all.plan.validation_episodes);
  json.member("metric", all.metric.name);
  json.member("better", all.metric.lower_is_better ? "lower" : "higher");
  write_rounds(json, out);
  json.key("teacher_mean");
  if (out.finished)
    json.value(out.teacher);
  else
    json.null();
  write_agreements(json, "agreement", out.agreement);
  write_agreements(json, "agreement_on_student", out.agreement_on_student);
  json.key("comparison");
  if (all.comparison)
    write_comparison(json, *all.comparison, all.decision_us);
  else
    json.null();
  write_ablation(json, all);
  json.key("file");
  if (out.rounds.empty())
    json.null();
  else
    json.value(all.file);
  return json.end_object().take();
}

std::string distilled_page(const Distilled& all) {
  std::string data = "{\"distill\": " + distilled_json(all);
  data += ", \"tree\": " + park::trees::export_json(all.outcome.tree) + "}\n";
  return page({.title = "A tree of " + all.plan.teacher,
               .body = assets::distill_html(),
               .scripts = {assets::echarts_js(), assets::common_js(), assets::report_figures_js(),
                           assets::report_charts_js(), assets::tree_js(), assets::distill_js()},
               .data = std::move(data)});
}

std::string tree_page(const park::trees::TreeFile& tree) {
  return page({.title = "Tree of " + tree.env,
               .body = assets::tree_html(),
               .scripts = {assets::common_js(), assets::tree_js()},
               .data = "{\"tree\": " + park::trees::export_json(tree) + "}\n"});
}

}  // namespace park::cli
