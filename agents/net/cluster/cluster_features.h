#pragma once

#include <cstdint>
#include <memory>

#include "agents/kit/network.h"
#include "agents/net/networks.h"
#include "park/core/config.h"
#include "park/core/rng.h"
#include "park/core/space.h"

namespace park::agents {

struct ParkDagConfig {
  static constexpr const char* kName = "park";
  static constexpr std::uint64_t kVersion = 1;
  std::uint32_t hidden1 = 32, hidden2 = 16;
  std::uint32_t embedding = 0, memory = 0;
  bool durations = true, limits = true;
  bool operator==(const ParkDagConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("hidden1", self.hidden1,
          FieldDoc{.doc = "units of the first hidden layer", .min = 1, .max = 4096});
    visit("hidden2", self.hidden2,
          FieldDoc{.doc = "units of the second one", .min = 1, .max = 4096});
    visit(
        "embedding", self.embedding,
        FieldDoc{.doc = "size of embeddings of stages and jobs by a graph layer (StageEmbedding), "
                        "beside the features; 0: none",
                 .min = 0,
                 .max = 256});
    visit(
        "memory", self.memory,
        FieldDoc{.doc = "size of a learned vector of each job that comes again and of each of its "
                        "stages (JobMemory); 0: none",
                 .min = 0,
                 .max = 256});
    visit("durations", self.durations, FieldDoc{.doc = "how long tasks take is an input"});
    visit("limits", self.limits,
          FieldDoc{.doc = "chooses limits; false: a stage gets all that it can"});
  }
};

/// A network for dag_scheduling and its twin that scores stages, numbers of executors and classes
/// by perceptrons on DagFeatures, on embeddings of what is a stage's own and its job's, and on what
/// is learned of jobs that come again. Limits that give the stage the same number of executors are
/// one candidate. Its value is a sum over the jobs in the system. Throws Error{invalid_space} for
/// another environment.
[[nodiscard]] std::shared_ptr<Network> make_park_dag(const Spec&, const ParkDagConfig&, Role,
                                                     const Rng&);

}  // namespace park::agents
