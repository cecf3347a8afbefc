#include "agents/net/networks.h"

#include "park/core/text.h"

namespace park::agents {

const Networks& networks() {
  static const Networks all("network", register_networks);
  return all;
}

std::shared_ptr<Network> make_network(std::string_view text, const Spec& spec, Role role,
                                      const Rng& rng) {
  const Value value = parse_named(text);
  const NetworkPart& part = networks().find(value.text);
  if (!part.fits(spec))
    throw Error(Errc::invalid_config, "network '" + part.about.info.name +
                                          "' does not understand '" + spec.name + "'; it is for " +
                                          part.environments);
  return part.make(value, spec, role, rng);
}

std::string canonical_network(std::string_view text) {
  const Value value = parse_named(text);
  return networks().find(value.text).about.canonical(value);
}

std::string default_network(const Spec& spec) {
  const NetworkPart* best = nullptr;
  for (const NetworkPart& part : networks().all())
    if (part.preference > (best == nullptr ? 0 : best->preference) && part.fits(spec)) best = &part;
  if (best == nullptr)
    throw Error(Errc::invalid_config, "no network is made for '" + spec.name + "'; name one");
  return best->about.info.name;
}

}  // namespace park::agents
