#pragma once

#include <string_view>

/// The files that pages are made of, as they were when park was built: cli/web/ and
/// third_party/.
namespace park::cli::assets {

[[nodiscard]] std::string_view page_css();
[[nodiscard]] std::string_view common_js();
[[nodiscard]] std::string_view dag_js();
[[nodiscard]] std::string_view timeline_html();
[[nodiscard]] std::string_view timeline_model_js();
[[nodiscard]] std::string_view timeline_gantt_js();
[[nodiscard]] std::string_view timeline_view_js();
[[nodiscard]] std::string_view timeline_legend_js();
[[nodiscard]] std::string_view timeline_facts_js();
[[nodiscard]] std::string_view timeline_panel_js();
[[nodiscard]] std::string_view timeline_explain_js();
[[nodiscard]] std::string_view timeline_js();
[[nodiscard]] std::string_view report_html();
[[nodiscard]] std::string_view report_figures_js();
[[nodiscard]] std::string_view report_charts_js();
[[nodiscard]] std::string_view report_agents_js();
[[nodiscard]] std::string_view report_js();
[[nodiscard]] std::string_view leaderboard_html();
[[nodiscard]] std::string_view leaderboard_js();
[[nodiscard]] std::string_view tree_html();
[[nodiscard]] std::string_view tree_js();
[[nodiscard]] std::string_view distill_html();
[[nodiscard]] std::string_view distill_js();
[[nodiscard]] std::string_view echarts_js();
/// Its licence, as a comment, in front.
[[nodiscard]] std::string_view dagre_js();

}  // namespace park::cli::assets
