#include "park/envs/dl_cluster/speed_table.h"

namespace park::dl_cluster {

/// Samples of an epoch are such that a job of max_epochs = 80 000, alone at its best speed, takes 15
/// to 70 slots of 1200 s.
SpeedTable SpeedTable::psworker() {
  return SpeedTable({
      {{"conv_large", {2, 4}, {2, 0}, 400, 0.6}, {}, StepTime{256, 8, 0.1, 0.02}},
      {{"conv_small", {2, 4}, {2, 0}, 500, 0.4}, {}, StepTime{256, 2, 0.05, 0.03}},
      {{"dense_wide", {2, 4}, {2, 0}, 91, 0.5}, {}, StepTime{128, 3, 0.8, 0.02}},
      {{"recurrent", {2, 4}, {2, 0}, 52, 0.5}, {}, StepTime{64, 4, 0.3, 0.05}},
      {{"translate", {2, 4}, {2, 0}, 100, 0.9}, {}, StepTime{128, 6, 0.4, 0.02}},
      {{"text", {2, 0}, {2, 0}, 830, 0.3}, {}, StepTime{512, 1, 0.1, 0.05}},
      {{"match", {2, 0}, {2, 0}, 1100, 0.2}, {}, StepTime{512, 0.8, 0.05, 0.1}},
      {{"embed", {2, 4}, {2, 0}, 190, 0.35}, {}, StepTime{256, 0.6, 1, 0.02}},
  });
}

}  // namespace park::dl_cluster
