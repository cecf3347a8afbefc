// Two maps, from the name of an environment or policy to functions that read its fields and make
// the thing itself. A text is parsed, its name is looked up, and the entry turns its fields into an
// EnvOfText or a policy. Loaders are asked in order about policies that have no entry.
// Commands, the bridge and the library's users call it; register_all fills it.
#include "park/core/registry.h"

#include <algorithm>
#include <charconv>

#include "park/core/error.h"
#include "park/core/outside_fields.h"

namespace park {
namespace {

struct NoFields {
  bool operator==(const NoFields&) const = default;
  template <class Self, class Visit>
  static void fields(Self&, Visit&&) {}
};

template <class Map>
std::vector<std::string> names_of(const Map& map) {
  std::vector<std::string> names;
  names.reserve(map.size());
  for (const auto& [name, entry] : map) names.push_back(name);
  return names;
}

void check_new(bool inserted, const std::string& name) {
  if (!inserted) throw Error(Errc::invalid_config, "'" + name + "' is registered twice");
}

/// The field horizon_s of a canonical text, or its default; inf without one.
double horizon_of(const Value& text, const std::vector<FieldInfo>& fields) {
  const auto field = std::ranges::find(fields, "horizon_s", &FieldInfo::name);
  if (field == fields.end() || (field->type != "number" && field->type != "integer")) return kInf;
  const auto key = std::ranges::find(text.keys, "horizon_s");
  const std::string& number =
      key == text.keys.end() ? field->default_text
                             : text.items[static_cast<std::size_t>(key - text.keys.begin())].text;
  double horizon_s = kInf;
  std::from_chars(number.data(), number.data() + number.size(), horizon_s);
  return horizon_s;
}

}  // namespace

PoolOptions StreamOptions::pool() const noexcept {
  PoolOptions o;
  o.slots = slots;
  o.workers = workers;
  o.batch = batch;
  o.illegal = illegal;
  o.penalty = penalty;
  o.events = events;
  return o;
}

LiveOptions StreamOptions::live() const noexcept {
  LiveOptions o;
  if (batch > 0) o.batch = batch;
  o.max_contexts = contexts;
  o.illegal = illegal;
  o.penalty = penalty;
  return o;
}

bool PolicyInfo::fits(const Spec& spec) const noexcept {
  const auto named = [&](const std::string& env) {
    return env == spec.name || (!spec.traits.twin.empty() && env == spec.traits.twin);
  };
  return environments.empty() || std::ranges::any_of(environments, named);
}

void Registry::add(const std::string& name, EnvEntry&& entry) {
  const auto [at, inserted] = envs_.try_emplace(name, std::move(entry));
  check_new(inserted, at->first);
}

void Registry::add(PolicyEntry&& entry) {
  std::string name = entry.info.name;
  const auto [at, inserted] = policies_.try_emplace(std::move(name), std::move(entry));
  check_new(inserted, at->first);
}

void Registry::add_env(Spec spec, EnvMaker make) {
  validate(spec);
  const std::string name = spec.name;
  add_entry<NoFields>(name, [spec = std::move(spec), make = std::move(make)](
                                EnvOfText::Parts& parts, const NoFields&) {
    parts.spec = [spec](const Registry&) { return spec; };
    parts.make_env = make;
  });
}

void Registry::add_policy(PolicyInfo info,
                          std::function<std::unique_ptr<Policy>(const Spec&)> make) {
  PolicyEntry entry;
  entry.info = std::move(info);
  entry.fields = &field_infos<NoFields>;
  entry.canonical = [name = entry.info.name](const Value& text) {
    return park::canonical(name, parse_config<NoFields>(text));
  };
  entry.make = [make = std::move(make)](const Value& text, const Spec& spec) {
    static_cast<void>(parse_config<NoFields>(text));
    return make(spec);
  };
  add(std::move(entry));
}

void Registry::add_env(OutsideEnv outside) {
  check_outside_fields(outside.name, outside.fields);
  const auto env = std::make_shared<const OutsideEnv>(std::move(outside));
  EnvEntry entry;
  entry.fields = [env] { return env->fields; };
  entry.parse = [env](const Value& text) {
    const Value canonical = read_outside_fields(env->name, text, env->fields);
    EnvOfText::Parts parts{.name = env->name,
                           .text = to_text(canonical),
                           .mean_horizon_s = horizon_of(canonical, env->fields)};
    parts.spec = [env, canonical](const Registry&) { return env->spec(canonical); };
    if (env->data_files) parts.data_files = [env, canonical] { return env->data_files(canonical); };
    if (env->make_env) parts.make_env = [env, canonical] { return env->make_env(canonical); };
    if (env->make_system)
      parts.make_system = [env, canonical] { return env->make_system(canonical); };
    if (env->open)
      parts.open = [env, canonical](const Registry&, const EpisodeSource& source,
                                    const StreamOptions& options) {
        return env->open(canonical, source, options);
      };
    return parts;
  };
  add(env->name, std::move(entry));
  has_systems_ = has_systems_ || env->make_system;
}

void Registry::add_policy(PolicyInfo info, const std::vector<FieldInfo>& fields,
                          std::function<std::unique_ptr<Policy>(const Value&, const Spec&)> make) {
  check_outside_fields(info.name, fields);
  PolicyEntry entry;
  entry.info = std::move(info);
  entry.fields = [fields] { return fields; };
  entry.canonical = [name = entry.info.name, fields](const Value& text) {
    return read_outside_fields(name, text, fields);
  };
  entry.make = [canonical = entry.canonical, make = std::move(make)](
                   const Value& text, const Spec& spec) { return make(canonical(text), spec); };
  add(std::move(entry));
}

void Registry::add_policy_loader(PolicyLoader loader) { loaders_.push_back(std::move(loader)); }

std::vector<std::string> Registry::env_names() const { return names_of(envs_); }

std::vector<std::string> Registry::policy_names() const { return names_of(policies_); }

const Registry::EnvEntry& Registry::env_entry(const std::string& name) const {
  const auto at = envs_.find(name);
  if (at == envs_.end()) fail_unknown("environment", name, env_names());
  return at->second;
}

const Registry::PolicyEntry& Registry::policy_entry(std::string_view name) const {
  const auto at = policies_.find(name);
  if (at == policies_.end()) fail_unknown("policy", name, policy_names());
  return at->second;
}

const Registry::PolicyLoader* Registry::loader_of(const std::string& name) const {
  if (policies_.contains(name)) return nullptr;
  const auto at = std::ranges::find_if(loaders_, [&](const auto& l) { return l.takes(name); });
  return at == loaders_.end() ? nullptr : &*at;
}

EnvOfText Registry::env(std::string_view text) const {
  const Value value = parse_named(text);
  return {*this, env_entry(value.text).parse(value)};
}

EnvOfText Registry::env(std::string_view text, const Access& access) const {
  const Value value = parse_named(text);
  const EnvEntry& entry = env_entry(value.text);
  EnvOfText env{*this, entry.parse(value)};
  // A client would start a system here, and who opens it would wait for its questions for ever.
  if (env.running() || (!env.simulated() && !access.remote()))
    throw Error(Errc::not_allowed, "env: " + env.name() + " is not simulated");
  access.check(value, entry.fields());
  return env;
}

Spec EnvOfText::spec() const {
  Spec spec = parts_->spec(*registry_);
  spec.text = parts_->text;
  return spec;
}

std::unique_ptr<Stream> EnvOfText::stream(const EpisodeSource& source,
                                          const StreamOptions& options) const {
  if (parts_->open) return parts_->open(*registry_, source, options);
  if (parts_->make_env)
    return std::make_unique<Pool>(spec(), parts_->make_env, source, options.pool());
  if (options.events)
    throw Error(Errc::unavailable, "'" + name() + "' is a running system: it reports no events");
  std::vector<std::unique_ptr<SystemEnv>> systems;
  for (std::uint32_t i = 0; i < options.slots; ++i) systems.push_back(parts_->make_system());
  return std::make_unique<Live>(spec(), std::move(systems), source, options.live());
}

EnvMaker EnvOfText::factory() const {
  if (!simulated()) throw Error(Errc::unavailable, "'" + name() + "' is not simulated here");
  return parts_->make_env;
}

std::vector<std::filesystem::path> EnvOfText::data_files() const {
  if (!parts_->data_files) return {};
  return parts_->data_files();
}

std::unique_ptr<Policy> Registry::policy(std::string_view policy, const Spec& spec) const {
  const Value text = parse_named(policy);
  if (const auto at = policies_.find(text.text); at != policies_.end()) {
    const PolicyInfo& info = at->second.info;
    if (info.fits(spec)) return at->second.make(text, spec);
    std::string line =
        "policy '" + info.name + "' does not understand '" + spec.name + "'; it is for ";
    for (const std::string& e : info.environments)
      line += (&e == info.environments.data() ? "" : ", ") + e;
    throw Error(Errc::invalid_config, line);
  }
  if (const PolicyLoader* loader = loader_of(text.text)) return loader->make(text, spec);
  fail_unknown("policy", text.text, policy_names());
}

void Registry::check_policy(const Value& text, const Access& access) const {
  if (const auto at = policies_.find(text.text); at != policies_.end()) {
    static_cast<void>(at->second.canonical(text));  // what is wrong with the fields comes first
    return access.check(text, at->second.fields());
  }
  const auto is_bundled = [&](const auto& l) { return l.bundled && l.bundled(text.text); };
  if (std::ranges::any_of(loaders_, is_bundled) || access.holds(text.text)) {
    if (const PolicyLoader* loader = loader_of(text.text)) access.check(text, loader->fields());
    return;
  }
  if (text.text.find('/') == std::string::npos) fail_unknown("policy", text.text, policy_names());
  throw Error(Errc::not_allowed, "policy: " + access.allowed_files({}));
}

Spec Registry::admitted(Spec spec, const Access& access) const {
  constexpr std::size_t kLongest = std::size_t{1} << 16;
  bool allowed = spec.text.size() <= kLongest && envs_.contains(spec.name);
  try {
    allowed = allowed && env(spec.text, access).name() == spec.name;
  } catch (const Error&) {
    allowed = false;
  }
  if (!allowed) spec.text.clear();
  return spec;
}

std::string Registry::canonical_policy(std::string_view policy, const Access& access) const {
  check_policy(parse_named(policy), access);
  return canonical_policy(policy);
}

std::string Registry::canonical_policy(std::string_view policy) const {
  const Value text = parse_named(policy);
  if (loader_of(text.text) != nullptr) return std::string(policy);
  return to_text(policy_entry(text.text).canonical(text));
}

std::vector<std::filesystem::path> Registry::policy_files(std::string_view policy) const {
  const Value text = parse_named(policy);
  const PolicyLoader* loader = loader_of(text.text);
  if (loader == nullptr || !loader->files) return {};
  return loader->files(text);
}

std::vector<FieldInfo> Registry::env_fields(std::string_view name) const {
  return env_entry(parse_named(name).text).fields();
}

std::vector<FieldInfo> Registry::policy_fields(std::string_view name) const {
  if (const PolicyLoader* loader = loader_of(std::string(name))) return loader->fields();
  return policy_entry(name).fields();
}

PolicyInfo Registry::policy_info(std::string_view name) const { return policy_entry(name).info; }

std::vector<std::string> Registry::policies_for(const Spec& spec) const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : policies_)
    if (entry.info.fits(spec)) names.push_back(name);
  return names;
}

std::vector<PolicyInfo> Registry::bundled_policies(const Spec& spec) const {
  std::vector<PolicyInfo> all;
  for (const PolicyLoader& loader : loaders_) {
    if (!loader.listed) continue;
    std::vector<PolicyInfo> some = loader.listed(spec);
    std::ranges::move(some, std::back_inserter(all));
  }
  return all;
}

}  // namespace park
