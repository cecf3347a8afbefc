#include "agents/net/scorer.h"

namespace park::agents {
namespace {

struct ScorerConfig : ScorerUnits {
  static constexpr const char* kName = "scorer";
};

}  // namespace

void register_scorer_network(Networks& all) {
  all.add({.about = part_text<ScorerConfig>(
               {.summary = "a perceptron on each candidate of a choice", .place = 20}),
           .environments = "all environments",
           .fits = [](const Spec&) { return true; },
           .preference = 1,
           .make =
               [](const Value& text, const Spec& spec, Role role, const Rng& rng) {
                 return make_scorer(spec, {.units = parse_config<ScorerConfig>(text)}, role, rng);
               }});
}

}  // namespace park::agents
