#include "agents/net/networks.h"

#include "agents/net/park_dag.h"
#include "park/core/text.h"

namespace park::agents {

std::vector<NetworkInfo> networks() {
  return {{ParkDagConfig::kName, "perceptrons on hand-made features of a cluster", "",
           field_infos<ParkDagConfig>()}};
}

std::shared_ptr<Network> make_network(std::string_view text, const Spec& spec, Role role,
                                      const Rng& rng) {
  return make_park_dag(spec, parse_config<ParkDagConfig>(parse_named(text)), role, rng);
}

std::string canonical_network(std::string_view text) {
  return to_text(canonical(ParkDagConfig::kName, parse_config<ParkDagConfig>(parse_named(text))));
}

std::string default_network(const Spec&) { return ParkDagConfig::kName; }

}  // namespace park::agents
