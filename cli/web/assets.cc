#include "cli/web/assets.h"

#include "park/command/asset.h"

PARK_ASSET(park::cli::assets, page_css, PARK_FILE("cli/web/page.css"))
PARK_ASSET(park::cli::assets, common_js, PARK_FILE("cli/web/common.js"))
PARK_ASSET(park::cli::assets, dag_js, PARK_FILE("cli/web/dag.js"))
PARK_ASSET(park::cli::assets, timeline_html, PARK_FILE("cli/web/timeline.html"))
PARK_ASSET(park::cli::assets, timeline_model_js, PARK_FILE("cli/web/timeline_model.js"))
PARK_ASSET(park::cli::assets, timeline_gantt_js, PARK_FILE("cli/web/timeline_gantt.js"))
PARK_ASSET(park::cli::assets, timeline_view_js, PARK_FILE("cli/web/timeline_view.js"))
PARK_ASSET(park::cli::assets, timeline_legend_js, PARK_FILE("cli/web/timeline_legend.js"))
PARK_ASSET(park::cli::assets, timeline_facts_js, PARK_FILE("cli/web/timeline_facts.js"))
PARK_ASSET(park::cli::assets, timeline_panel_js, PARK_FILE("cli/web/timeline_panel.js"))
PARK_ASSET(park::cli::assets, timeline_explain_js, PARK_FILE("cli/web/timeline_explain.js"))
PARK_ASSET(park::cli::assets, timeline_js, PARK_FILE("cli/web/timeline.js"))
PARK_ASSET(park::cli::assets, report_html, PARK_FILE("cli/web/report.html"))
PARK_ASSET(park::cli::assets, report_figures_js, PARK_FILE("cli/web/report_figures.js"))
PARK_ASSET(park::cli::assets, report_charts_js, PARK_FILE("cli/web/report_charts.js"))
PARK_ASSET(park::cli::assets, report_agents_js, PARK_FILE("cli/web/report_agents.js"))
PARK_ASSET(park::cli::assets, report_js, PARK_FILE("cli/web/report.js"))
PARK_ASSET(park::cli::assets, leaderboard_html, PARK_FILE("cli/web/leaderboard.html"))
PARK_ASSET(park::cli::assets, leaderboard_js, PARK_FILE("cli/web/leaderboard.js"))
PARK_ASSET(park::cli::assets, tree_html, PARK_FILE("cli/web/tree.html"))
PARK_ASSET(park::cli::assets, tree_js, PARK_FILE("cli/web/tree.js"))
PARK_ASSET(park::cli::assets, distill_html, PARK_FILE("cli/web/distill.html"))
PARK_ASSET(park::cli::assets, distill_js, PARK_FILE("cli/web/distill.js"))
PARK_ASSET(park::cli::assets, echarts_js, PARK_FILE("third_party/echarts/echarts.min.js"))
PARK_ASSET(
    park::cli::assets, dagre_js,
    ".ascii \"/*\\n\"\n" PARK_FILE("third_party/dagre/LICENSE") ".ascii \"*/\\n\"\n" PARK_FILE(
        "third_party/dagre/dagre.min.js"))
