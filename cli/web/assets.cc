#include "cli/web/assets.h"

// The assembler copies the files into the read-only data of the program: nothing is generated, and
// nothing is read at start. PARK_ROOT is the root of the source tree.
#define PARK_FILE(path) ".incbin \"" PARK_ROOT "/" path "\"\n"
#define PARK_ASSET(name, content)                                                             \
  __asm__(                                                                                    \
      ".pushsection .rodata\n"                                                                \
      "park_asset_" #name ":\n" content "park_asset_" #name "_end:\n.byte 0\n.popsection\n"); \
  extern "C" {                                                                                \
  __attribute__((visibility("hidden"))) extern const char park_asset_##name[];                \
  __attribute__((visibility("hidden"))) extern const char park_asset_##name##_end[];          \
  }                                                                                           \
  std::string_view park::cli::assets::name() {                                                \
    return {park_asset_##name, park_asset_##name##_end};                                      \
  }

PARK_ASSET(page_css, PARK_FILE("cli/web/page.css"))
PARK_ASSET(common_js, PARK_FILE("cli/web/common.js"))
PARK_ASSET(dag_js, PARK_FILE("cli/web/dag.js"))
PARK_ASSET(timeline_html, PARK_FILE("cli/web/timeline.html"))
PARK_ASSET(timeline_model_js, PARK_FILE("cli/web/timeline_model.js"))
PARK_ASSET(timeline_gantt_js, PARK_FILE("cli/web/timeline_gantt.js"))
PARK_ASSET(timeline_view_js, PARK_FILE("cli/web/timeline_view.js"))
PARK_ASSET(timeline_legend_js, PARK_FILE("cli/web/timeline_legend.js"))
PARK_ASSET(timeline_facts_js, PARK_FILE("cli/web/timeline_facts.js"))
PARK_ASSET(timeline_panel_js, PARK_FILE("cli/web/timeline_panel.js"))
PARK_ASSET(timeline_js, PARK_FILE("cli/web/timeline.js"))
PARK_ASSET(workload_html, PARK_FILE("cli/web/workload.html"))
PARK_ASSET(workload_js, PARK_FILE("cli/web/workload.js"))
PARK_ASSET(report_html, PARK_FILE("cli/web/report.html"))
PARK_ASSET(report_figures_js, PARK_FILE("cli/web/report_figures.js"))
PARK_ASSET(report_charts_js, PARK_FILE("cli/web/report_charts.js"))
PARK_ASSET(report_js, PARK_FILE("cli/web/report.js"))
PARK_ASSET(leaderboard_html, PARK_FILE("cli/web/leaderboard.html"))
PARK_ASSET(leaderboard_js, PARK_FILE("cli/web/leaderboard.js"))
PARK_ASSET(echarts_js, PARK_FILE("third_party/echarts/echarts.min.js"))
PARK_ASSET(
    dagre_js,
    ".ascii \"/*\\n\"\n" PARK_FILE("third_party/dagre/LICENSE") ".ascii \"*/\\n\"\n" PARK_FILE(
        "third_party/dagre/dagre.min.js"))
