#include "agents/net/scorer.h"

namespace park::agents {
namespace {

struct GraphConfig : ScorerUnits {
  static constexpr const char* kName = "graph";
  std::uint32_t rounds = 3, width = 16, hidden = 32;
  bool operator==(const GraphConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("rounds", self.rounds,
          FieldDoc{.doc = "of messages: a node learns of others that many edges away", .max = 64});
    visit("width", self.width, FieldDoc{.doc = "of a node's embedding", .min = 1, .max = 1024});
    visit("hidden", self.hidden,
          FieldDoc{.doc = "hidden units of messages and updates", .min = 1, .max = 4096});
    ScorerUnits::fields(self, visit);
  }
};

}  // namespace

void register_graph_network(Networks& all) {
  all.add({.about = part_text<GraphConfig>(
               {.summary = "scorer, which also sees embeddings of a graph's nodes", .place = 25}),
           .environments = "environments with a group whose elements refer to two of another one",
           .fits = GraphEncoder::fits,
           .make = [](const Value& text, const Spec& spec, Role role, const Rng& rng) {
             const auto c = parse_config<GraphConfig>(text);
             const GraphOptions graph{.rounds = c.rounds, .width = c.width, .hidden = c.hidden};
             return make_scorer(spec, {.units = c, .graph = graph}, role, rng);
           }});
}

}  // namespace park::agents
