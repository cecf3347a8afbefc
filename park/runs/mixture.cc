#include "park/runs/mixture.h"

#include <algorithm>
#include <cstddef>

#include "park/core/error.h"
#include "park/core/text.h"

namespace park::runs {
namespace {

constexpr const char* kMixture = "mixture";

struct MixtureConfig {
  std::vector<MixturePart> parts{};
  bool operator==(const MixtureConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("parts", c.parts, FieldDoc{.doc = "the environments"});
  }
};

/// REQUIRES two records of one layout.
void widen(Record& to, const Record& by) {
  for (std::size_t g = 0; g < to.groups.size(); ++g)
    to.groups[g].capacity = std::max(to.groups[g].capacity, by.groups[g].capacity);
  for (Leaf& leaf : to.leaves) {
    const Leaf* other = by.find(leaf.name);
    if (other == nullptr) continue;
    leaf.low = std::min(leaf.low, other->low);
    leaf.high = std::max(leaf.high, other->high);
  }
}

/// Leaves info.* are no part of the layout, but of the rows that a training keeps.
bool same_leaves(const Record& a, const Record& b) {
  return std::ranges::equal(a.leaves, b.leaves, {}, &Leaf::name, &Leaf::name);
}

void check_pair(const Spec& first, const std::string& first_env, const Spec& other,
                const std::string& env) {
  const auto refuse = [&](const std::string& what) {
    throw Error(Errc::invalid_config, env + " " + what + " than " + first_env);
  };
  if (other.traits.system)
    throw Error(Errc::invalid_config, env + " is not simulated; a mixture needs that");
  if (other.name != first.name || layout_hash(other) != layout_hash(first) ||
      !same_leaves(other.observation, first.observation))
    refuse("has another layout");
  if (other.metrics.front().name != first.metrics.front().name)
    refuse("is judged by another metric, " + other.metrics.front().name + ",");
}

}  // namespace

std::vector<std::string> Guidance::teachers() const {
  return imitate.empty() ? std::vector<std::string>{} : split_policies(imitate);
}

std::vector<std::string> Guidance::teachers(std::size_t environments) const {
  std::vector<std::string> texts = teachers();
  if (texts.empty()) return {};
  if (texts.size() == 1) texts.resize(environments, texts.front());
  if (texts.size() != environments)
    throw Error(Errc::invalid_config, "teachers: " + std::to_string(texts.size()) +
                                          ", environments: " + std::to_string(environments) +
                                          "; allowed are one teacher for all and one for each");
  return texts;
}

std::vector<MixturePart> mixture_parts(const std::string& text) {
  if (text.empty()) return {};
  return parse_config<MixtureConfig>(parse_named(text)).parts;
}

std::string mixture_text(const std::vector<MixturePart>& parts) {
  return to_text(canonical(kMixture, MixtureConfig{parts}));
}

std::vector<std::string> training_envs(const std::string& env, const Mixture& mixture) {
  if (mixture.empty()) return {env};
  std::vector<std::string> all;
  for (const MixturePart& part : mixture_parts(mixture.parts)) all.push_back(part.env);
  return all;
}

Spec training_spec(const Registry& registry, const std::string& env, const Mixture& mixture) {
  Spec spec = registry.spec(env);
  for (const MixturePart& part : mixture_parts(mixture.parts)) {
    const Spec other = registry.spec(part.env);
    check_pair(spec, env, other, part.env);
    widen(spec.observation, other.observation);
    widen(spec.action, other.action);
  }
  return spec;
}

}  // namespace park::runs
