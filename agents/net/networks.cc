#include "agents/net/networks.h"

#include <algorithm>
#include <utility>

#include "agents/net/cluster/cluster_features.h"
#include "agents/net/cluster/decima.h"
#include "agents/net/mlp_network.h"
#include "agents/net/scorer.h"
#include "park/core/text.h"

namespace park::agents {
namespace {

/// A kind of network: what it tells, and how it is made of a text.
struct Entry {
  NetworkInfo info;
  bool (*fits)(const Spec&);
  std::string (*canonical)(const Value&);
  std::shared_ptr<Network> (*make)(const Value&, const Spec&, Role, const Rng&);
};

template <class C, std::shared_ptr<Network> (*kMake)(const Spec&, const C&, Role, const Rng&)>
Entry entry(std::string summary, std::string reference, std::string environments,
            bool (*fits)(const Spec&)) {
  return {
      {C::kName, std::move(summary), std::move(reference), std::move(environments),
       field_infos<C>(), C::kVersion},
      fits,
      [](const Value& text) { return to_text(park::canonical(C::kName, parse_config<C>(text))); },
      [](const Value& text, const Spec& spec, Role role, const Rng& rng) {
        return kMake(spec, parse_config<C>(text), role, rng);
      }};
}

bool is_cluster(const Spec& spec) {
  constexpr const char* kCluster = "dag_scheduling";
  return spec.name == kCluster || spec.traits.twin == kCluster;
}

constexpr const char* kClusters = "dag_scheduling and its twin";

bool is_flat(const Spec& spec) {
  return spec.observation.groups.empty() &&
         std::ranges::all_of(spec.action.leaves, [](const Leaf& head) {
           return head.dtype == DType::f32 || head.high - head.low < kMostMlpValues;
         });
}

bool chooses_elements(const Spec& spec) {
  return std::ranges::any_of(spec.action.leaves,
                             [](const Leaf& head) { return !head.index_of.empty(); });
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = {
      entry<MlpNetworkConfig, make_mlp_network>("a perceptron on all numbers of an observation", "",
                                                "environments without groups", is_flat),
      entry<ScorerConfig, make_scorer>("a perceptron on each candidate of a choice", "",
                                       "all environments", [](const Spec&) { return true; }),
      entry<DecimaConfig, make_decima>("graph network of the paper, 12 736 parameters",
                                       "Mao et al., SIGCOMM 2019", kClusters, is_cluster),
      entry<DecimaPublicConfig, make_decima_public>(
          "graph network of the public code, 4 770 parameters", "github.com/hongzimao/decima-sim",
          kClusters, is_cluster),
      entry<ParkDagConfig, make_park_dag>("perceptrons on hand-made features of a cluster", "",
                                          kClusters, is_cluster),
  };
  return all;
}

const Entry& find(std::string_view name) {
  std::vector<std::string> names;
  for (const Entry& e : entries()) {
    if (e.info.name == name) return e;
    names.push_back(e.info.name);
  }
  fail_unknown("network", name, names);
}

}  // namespace

std::vector<NetworkInfo> networks() {
  std::vector<NetworkInfo> all;
  for (const Entry& e : entries()) all.push_back(e.info);
  return all;
}

bool network_fits(std::string_view name, const Spec& spec) { return find(name).fits(spec); }

std::shared_ptr<Network> make_network(std::string_view text, const Spec& spec, Role role,
                                      const Rng& rng) {
  const Value value = parse_named(text);
  const Entry& e = find(value.text);
  if (!e.fits(spec))
    throw Error(Errc::invalid_config, "network '" + e.info.name + "' does not understand '" +
                                          spec.name + "'; it is for " + e.info.environments);
  return e.make(value, spec, role, rng);
}

std::string canonical_network(std::string_view text) {
  const Value value = parse_named(text);
  return find(value.text).canonical(value);
}

std::string default_network(const Spec& spec) {
  if (is_cluster(spec)) return ParkDagConfig::kName;
  return chooses_elements(spec) || !is_flat(spec) ? ScorerConfig::kName : MlpNetworkConfig::kName;
}

}  // namespace park::agents
