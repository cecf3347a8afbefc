#include "park/envs/circuit/timeline.h"

#include <array>

namespace park::circuit {

void SizingTimeline::begin(const std::array<double, kFigures>& r, const Conditions& c) const {
  sink().lane("specification");
  sink().lane("simulator");
  const std::array<EventArg, kFigures + 4> args{{{"gain", r[gain]},
                                                 {"bandwidth_mhz", r[bandwidth]},
                                                 {"phase_margin_deg", r[phase_margin]},
                                                 {"power_mw", r[power]},
                                                 {"area_um2", r[area]},
                                                 {"load", c.load},
                                                 {"supply", c.supply},
                                                 {"temperature_c", c.temperature_c},
                                                 {"corner", static_cast<double>(c.corner)}}};
  sink().point("specification", 0, "arrival", args);
}

void SizingTimeline::simulation(double start_s, double end_s, double score, double best) const {
  const std::array<EventArg, 1> args{{{"score", score}}};
  if (end_s > start_s) sink().span("simulator", start_s, end_s, "simulation", args);
  sink().value("", "score", end_s, score);
  sink().value("", "best score", end_s, best);
}

}  // namespace park::circuit
