#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "agents/kit/network.h"
#include "agents/net/networks.h"
#include "park/core/config.h"
#include "park/core/rng.h"
#include "park/core/space.h"

namespace park::agents {

/// What can be left out of Decima's network, as its paper does (figures 14 and 15a).
struct DecimaFields {
  std::string limit = "input";
  bool graph = true, durations = true, limits = true;
  bool operator==(const DecimaFields&) const = default;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(
        "limit", self.limit,
        FieldDoc{.doc = "input: a limit is an input of one score, on the job; outputs: each limit "
                        "has an output of its own, so that the cluster cannot grow; stage: as "
                        "input, but of what the stage itself gets and is",
                 .choices = "input|outputs|stage"});
    visit("graph", self.graph,
          FieldDoc{.doc = "embeddings of stages, jobs and the cluster; false: features alone"});
    visit("durations", self.durations, FieldDoc{.doc = "how long tasks take is an input"});
    visit("limits", self.limits,
          FieldDoc{.doc = "chooses limits; false: a stage gets all that it can"});
  }
};
struct DecimaConfig : DecimaFields {
  static constexpr const char* kName = "decima";
  static constexpr std::uint64_t kVersion = 1;
};
struct DecimaPublicConfig : DecimaFields {
  static constexpr const char* kName = "decima_public";
  static constexpr std::uint64_t kVersion = 1;
};

/// Decima's graph network (Mao et al., SIGCOMM 2019, section 5) with the paper's 12 736 parameters.
/// The paper gives six transformations f, g of stages, jobs and the cluster with two hidden layers
/// of 32 and 16 units, two scores, and that number, but not the rest. It results from
/// - embeddings of 16, where x_v, the 5 features of a stage, is filled up with zeros;
/// - f of a stage on [x_u, e_u], of a job on [x_v, e_v], of the cluster on [3 features of the job,
///   y]: 21, 21 and 19 inputs; every g on 16: 1504 + 1504 + 1440 + 3 * 1344 = 8480;
/// - scores of layers 32-16-8-1 as in the public code, on [x_v, e_v, y, z] = 53 inputs and
///   [3 features of the job, y, z, limit] = 36, whose last bias is left out because a softmax does
///   not see it: 2400 + 1856.
/// Of all layouts with six f and g, embeddings of one size of 4 to 64, features beside the
/// embeddings or not, x_v filled up or a linear map or a perceptron of them, scores 32-16-1 (as the
/// text has it) or 32-16-8-1, only some with 16 and the latter give 12 736; this is the one of them
/// that puts features beside the embeddings everywhere.
/// x_v: tasks left / 200, mean duration in s, tasks running / 20, executors of this round / 20, and
/// +-2 for whether these are the job's own; a job's features are its executors / 20 and the last
/// two.
[[nodiscard]] std::shared_ptr<Network> make_decima(const Spec&, const DecimaConfig&, Role,
                                                   const Rng&);

/// The network of the public code (github.com/hongzimao/decima-sim), 4 770 parameters: embeddings
/// of 8 that begin as a perceptron of x_v, hidden layers of 16 and 8, rectifiers behind the last
/// layers too, jobs and the cluster summed up without g. Otherwise from the paper: one pass from
/// the leaves, where the code takes eight steps that add up twice what comes along two ways.
/// x_v: executors of the job / 20, +-2 as above, executors of this round / 20, seconds of work
/// left / 100, tasks left / 200.
[[nodiscard]] std::shared_ptr<Network> make_decima_public(const Spec&, const DecimaPublicConfig&,
                                                          Role, const Rng&);

// Both leave finished stages out of the sums over a job, take the limit as a part of all
// executors, and score limits for the job of the chosen stage only. Weights start as Mlp has it.
// Where there are classes of executors a score of each follows, on [x_v, e_v, y, z] and
// DagFeatures::executor_class. The value is a sum over the jobs of a perceptron on [features, y,
// z].

}  // namespace park::agents
