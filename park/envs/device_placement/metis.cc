// METIS, which need not be there: its library is loaded when a partition is asked for. Only one function
// of it is called, with the types that Debian builds it with: 32-bit integers and floats.
#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <utility>

#include "park/envs/device_placement/plans.h"

namespace park::device_placement {
namespace {

using PartGraph = int (*)(std::int32_t* vertices, std::int32_t* constraints, std::int32_t* first,
                          std::int32_t* neighbours, std::int32_t* weights, std::int32_t* sizes,
                          std::int32_t* edge_weights, std::int32_t* parts, float* targets,
                          float* balance, std::int32_t* options, std::int32_t* cut,
                          std::int32_t* part);

PartGraph part_graph() {
  static const PartGraph function = [] {
    void* library = ::dlopen("libmetis.so.5", RTLD_NOW | RTLD_LOCAL);
    return library == nullptr
               ? nullptr
               : reinterpret_cast<PartGraph>(::dlsym(library, "METIS_PartGraphKway"));
  }();
  return function;
}

constexpr int kDone = 1;                  // METIS_OK
constexpr std::int32_t kOptions = 40;     // METIS_NOPTIONS
constexpr std::int32_t kLeastOfPart = 4;  // vertices; METIS complains about less
constexpr double kMostWeight = 1e6;       // of a vertex or an edge: sums stay below 2^31

/// The undirected graph as METIS takes it.
struct Vertices {
  std::vector<std::int32_t> first{0}, neighbours, weights, edge_weights;
};

std::int32_t scaled(double value, double most) {
  return 1 + static_cast<std::int32_t>(most > 0 ? std::round(value / most * kMostWeight / 64) : 0);
}

Vertices vertices_of(const Graph& g) {
  std::vector<std::map<std::int32_t, double>> near(g.size());
  double most = 0, longest_s = 0;
  for (const Edge& e : g.edges) {
    near[static_cast<std::size_t>(e.from)][e.to] += e.bytes;
    near[static_cast<std::size_t>(e.to)][e.from] += e.bytes;
  }
  for (const auto& of : near)
    for (const auto& [to, bytes] : of) most = std::max(most, bytes);
  for (const double s : g.work_s) longest_s = std::max(longest_s, s);
  Vertices v;
  for (std::size_t i = 0; i < g.size(); ++i) {
    v.weights.push_back(scaled(g.work_s[i], longest_s));
    for (const auto& [to, bytes] : near[i]) {
      v.neighbours.push_back(to);
      v.edge_weights.push_back(scaled(bytes, most));
    }
    v.first.push_back(static_cast<std::int32_t>(v.neighbours.size()));
  }
  return v;
}

}  // namespace

bool has_metis() { return part_graph() != nullptr; }

void place_metis(const Simulator& s, Placement& to) {
  Vertices v = vertices_of(s.graph());
  to.assign(s.graph().size(), 0);
  auto vertices = static_cast<std::int32_t>(s.graph().size());
  auto parts = static_cast<std::int32_t>(s.cluster().size());
  if (parts > 1 && vertices >= kLeastOfPart * parts) {
    std::int32_t constraints = 1, cut = 0;
    std::vector<float> targets;
    double sum = 0;
    for (const double speed : s.cluster().speed) sum += speed;
    for (const double speed : s.cluster().speed) targets.push_back(static_cast<float>(speed / sum));
    std::vector<std::int32_t> options(kOptions, -1);  // all by default, the seed too
    static std::mutex one;  // METIS draws from the generator of the C library
    const std::scoped_lock lock(one);
    if (part_graph()(&vertices, &constraints, v.first.data(), v.neighbours.data(), v.weights.data(),
                     nullptr, v.edge_weights.data(), &parts, targets.data(), nullptr,
                     options.data(), &cut, to.data()) != kDone)
      std::ranges::fill(to, 0);
  }
  MemoryUse memory;
  memory.reset(s.graph(), s.cluster());
  for (std::size_t i = 0; i < to.size(); ++i) {
    std::size_t device = static_cast<std::size_t>(to[i]);
    if (!memory.fits(i, device)) device = memory.roomiest();
    memory.put(i, device);
    to[i] = static_cast<std::int32_t>(device);
  }
}

}  // namespace park::device_placement
