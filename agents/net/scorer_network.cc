#include "agents/net/scorer.h"

namespace park::agents {
namespace {

struct ScorerConfig {
  static constexpr const char* kName = "scorer";
  std::uint32_t hidden1 = 64, hidden2 = 32;
  bool operator==(const ScorerConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("hidden1", self.hidden1,
          FieldDoc{.doc = "units of the first hidden layer", .min = 1, .max = 4096});
    visit("hidden2", self.hidden2,
          FieldDoc{.doc = "units of the second one", .min = 1, .max = 4096});
  }
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
                 const auto config = parse_config<ScorerConfig>(text);
                 return make_scorer(spec, {.hidden1 = config.hidden1, .hidden2 = config.hidden2},
                                    role, rng);
               }});
}

}  // namespace park::agents
