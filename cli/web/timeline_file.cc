#include "cli/web/timeline_file.h"

#include "cli/web/page.h"

namespace park::cli {

std::optional<TimelineForm> timeline_form(std::string_view path) {
  if (path.ends_with(".html")) return TimelineForm::page;
  if (path.ends_with(".trace.json")) return TimelineForm::chrome;
  if (path.ends_with(".json")) return TimelineForm::json;
  return std::nullopt;
}

void add_figures(const Results& results, PolicyTimeline& to) {
  const PolicyResult& last = results.policies.back();
  to.episodes = last.episodes.size();
  for (std::size_t m = 0; m < results.metrics.size(); ++m) {
    const std::vector<double> values = column(last, m);
    to.metrics.push_back(values.front());
    to.means.push_back(summarize(values).mean);
  }
}

std::string timeline_text(TimelineForm form, const TimelineFile& file) {
  switch (form) {
    case TimelineForm::page:
      return timeline_page(file);
    case TimelineForm::chrome:
      return timeline_chrome(file);
    default:
      return timeline_json(file);
  }
}

std::string timeline_page(const TimelineFile& file) {
  return page(
      {.title = "Timeline of " + file.env,
       .body = assets::timeline_html(),
       .scripts = {assets::echarts_js(), assets::dagre_js(), assets::common_js(), assets::dag_js(),
                   assets::timeline_model_js(), assets::timeline_gantt_js(),
                   assets::timeline_view_js(), assets::timeline_legend_js(),
                   assets::timeline_facts_js(), assets::timeline_panel_js(),
                   assets::timeline_explain_js(), assets::timeline_js()},
       .data = timeline_json(file)});
}

}  // namespace park::cli
