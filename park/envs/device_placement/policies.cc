#include "park/envs/device_placement/policies.h"

#include <algorithm>

namespace park::device_placement {
namespace {

PolicyInfo about(std::string name, std::string summary, std::string reference) {
  return {.name = std::move(name),
          .summary = std::move(summary),
          .reference = std::move(reference),
          .environments = {kDevicePlacementName}};
}

}  // namespace

void PlanPolicy::start(std::uint32_t slot, const Episode&, Rng rng) {
  if (slot >= slots_.size()) slots_.resize(slot + 1);
  slots_[slot].rng = rng;
  slots_[slot].placement.clear();
}

void PlanPolicy::make_plan(ConstRow row, Slot& slot) {
  problem_.read(layout_, row);
  simulator_.load(problem_.graph, problem_.cluster, problem_.order);
  plan(simulator_, memory_, slot.rng, slot.placement);
}

void PlanPolicy::choose(const Ask& ask, ConstRow row, Row action) {
  const auto current = row[layout_.current], open = row[layout_.mask];
  if (open.empty()) return;  // no action is legal
  Slot& slot = slots_[ask.slot];
  if (!current.empty() && (ask.sequence == 0 || slot.placement.size() != current.size()))
    make_plan(row, slot);
  const auto node = static_cast<std::size_t>(std::ranges::find(current, 1) - current.begin());
  std::int32_t device = node < current.size() ? slot.placement[node] : 0;
  if (open[static_cast<std::size_t>(device)] == 0)
    device = static_cast<std::int32_t>(
        std::ranges::find_if(open, [](std::uint8_t o) { return o != 0; }) - open.begin());
  if (static_cast<std::size_t>(device) < open.size()) action.scalar(layout_.choice) = device;
}

PolicyInfo AboutSingle::info() {
  return about("single_device", "everything on the fastest device, as far as its memory goes",
               "the expert's placement of most networks that fit one device");
}
PolicyInfo AboutHeft::info() {
  return about("heft", "by upward rank, where it ends first; transfers never wait",
               "Topcuoglu, Hariri, Wu, Performance-effective and low-complexity task scheduling, "
               "2002");
}
PolicyInfo AboutHeftContention::info() {
  return about("heft_contention", "as heft, where a link carries one tensor at a time",
               "Sinnen, Sousa, Communication contention in task scheduling, 2005");
}
PolicyInfo AboutEtf::info() {
  return about("etf", "the ready operation and the device that holds it that begin first",
               "Hwang et al., Scheduling precedence graphs, 1989; m-ETF of Baechi, SoCC 2020");
}
PolicyInfo AboutMetis::info() {
  return about("metis", "a balanced partition with little traffic between its parts",
               "Karypis, Kumar, A fast and high quality multilevel scheme, 1998");
}
PolicyInfo Contiguous::info() {
  return about("contiguous", "the topological order in pieces",
               "as pipelines split a network, such as GPipe, NeurIPS 2019");
}
PolicyInfo BestRule::info() {
  return about("best_rule", "the best of all rules but metis, by simulation",
               "the best baseline of each graph");
}
PolicyInfo Annealing::info() {
  return about("annealing", "simulated annealing from the best rule",
               "Kirkpatrick, Gelatt, Vecchi, Optimization by simulated annealing, 1983");
}

void Annealing::plan(Simulator& s, MemoryUse& m, Rng rng, Placement& to) {
  const auto least = std::min(static_cast<std::uint64_t>(config_.simulations),
                              static_cast<std::uint64_t>(config_.per_operation) * s.graph().size());
  place_annealed(s, m, {.simulations = least}, rng.split("annealing"), to);
}

void register_policies(Registry& r) {
  r.add_policy<SingleDevice>();
  r.add_policy<Contiguous>();
  r.add_policy<Heft>();
  r.add_policy<HeftContention>();
  r.add_policy<Etf>();
  if (has_metis()) r.add_policy<Metis>();
  r.add_policy<BestRule>();
  r.add_policy<Annealing>();
}

}  // namespace park::device_placement
