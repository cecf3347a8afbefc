// The registry is a value that maps names to environments and policies. add_env, add_system,
// add_stream and add_policy build an entry of functions over the type's Config; every query parses
// its text, finds the entry and calls one of them. Programs fill it once and share it as constant;
// the command line, the bridge, benchmarks and trainings ask it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "park/core/config.h"
#include "park/core/live.h"
#include "park/core/policy.h"
#include "park/core/pool.h"
#include "park/core/text.h"

namespace park {

class Registry;

/// How an environment of any kind is opened.
struct StreamOptions {
  std::uint32_t slots = 1;    ///< environments, or running systems
  std::uint32_t workers = 0;  ///< simulated: threads that step
  std::uint32_t batch = 0;    ///< rows of a recv; 0: all slots of a pool, 64 of running systems
  Illegal illegal = Illegal::error;
  double penalty = 1.0;           ///< taken off the reward by Illegal::penalise
  EventSink* events = nullptr;    ///< simulated with one slot
  std::uint32_t contexts = 4096;  ///< running systems: open at once

  [[nodiscard]] PoolOptions pool() const noexcept;
  [[nodiscard]] LiveOptions live() const noexcept;
};

/// What a policy tells about itself.
struct PolicyInfo {
  std::string name{}, summary{}, reference{};
  std::vector<std::string> environments{};  ///< environments that it understands; empty: every one

  /// Understands the environment or its twin.
  [[nodiscard]] bool fits(const Spec&) const noexcept;
};

/// Which environments and policies there are: an ordinary value that a program fills. Texts are
/// those of parse_text. Queries throw Error{unknown_name} with the nearest name, Error{syntax}, and
/// Error{invalid_config} with a line per violation. Reading is thread-safe.
class Registry {
 public:
  using EnvMaker = std::function<std::unique_ptr<Env>()>;
  using SystemMaker = std::function<std::unique_ptr<SystemEnv>()>;
  /// Knows policies that are not registered by a name, such as those in folders.
  struct PolicyLoader {
    std::function<bool(const std::string& name)> takes{};  ///< the name of a text; may throw Error
    std::function<std::vector<FieldInfo>()> fields{};
    std::function<std::unique_ptr<Policy>(const Value&, const Spec&)> make{};  ///< of what it takes
  };

  /// A simulated environment: E::Config, `static Spec E::spec(const Config&)`, E(const Config&).
  /// Its name is E::kName, or that of its spec where there is none. Optional:
  /// `static std::vector<std::filesystem::path> E::data_files(const Config&)`.
  template <class E>
  void add_env();
  /// A simulated environment without fields, named as its spec. Throws Error{invalid_space}.
  void add_env(Spec, EnvMaker);
  /// A running system, with the same members as an environment.
  template <class S>
  void add_system();
  /// Something that brings a stream of its own, such as an environment behind an endpoint:
  /// R::Config, `static constexpr R::kName`, `static Spec R::spec(const Config&, const Registry&)`,
  /// `static std::unique_ptr<Stream> R::open(const Config&, const Registry&, const EpisodeSource&,
  /// const StreamOptions&)`.
  template <class R>
  void add_stream();
  /// `static PolicyInfo P::info()`, P::Config, P(const Config&, const Spec&); one without fields
  /// has no Config and P(const Spec&).
  template <class P>
  void add_policy();
  /// A policy without fields.
  void add_policy(PolicyInfo, std::function<std::unique_ptr<Policy>(const Spec&)>);
  /// Asked, in order, about texts that name no registered policy.
  void add_policy_loader(PolicyLoader);

  [[nodiscard]] std::vector<std::string> env_names() const;
  [[nodiscard]] std::vector<std::string> policy_names() const;

  /// The spec of a text such as "load_balance(servers=4)".
  [[nodiscard]] Spec spec(std::string_view env) const;
  [[nodiscard]] Traits traits(std::string_view env) const { return spec(env).traits; }
  [[nodiscard]] std::string canonical_env(std::string_view env) const;
  /// The mean of the memoryless horizon that training draws: the field horizon_s, inf without one.
  [[nodiscard]] double mean_horizon_s(std::string_view env) const;
  /// The source must outlive the stream. Throws Error{unavailable} if a running system is to
  /// report events.
  [[nodiscard]] std::unique_ptr<Stream> stream(std::string_view env, const EpisodeSource&,
                                               const StreamOptions& = {}) const;
  /// Whether an environment is simulated here: it does not run by itself, nor elsewhere.
  [[nodiscard]] bool simulated(std::string_view env) const;
  /// Makes single environments. Throws Error{unavailable} for what is not simulated here.
  [[nodiscard]] EnvMaker env_factory(std::string_view env) const;

  /// Throws Error{invalid_config} if the policy does not understand the environment.
  [[nodiscard]] std::unique_ptr<Policy> policy(std::string_view policy, const Spec&) const;
  /// The canonical text; a text that a loader takes stays as given.
  [[nodiscard]] std::string canonical_policy(std::string_view policy) const;

  /// The files that an environment's inputs are made of (E::data_files of its config, if it has
  /// that).
  [[nodiscard]] std::vector<std::filesystem::path> data_files(std::string_view env) const;

  /// By name, without fields.
  [[nodiscard]] std::vector<FieldInfo> env_fields(std::string_view name) const;
  [[nodiscard]] std::vector<FieldInfo> policy_fields(std::string_view name) const;
  [[nodiscard]] PolicyInfo policy_info(std::string_view name) const;
  /// The registered policies that understand the environment.
  [[nodiscard]] std::vector<std::string> policies_for(const Spec&) const;

 private:
  struct EnvEntry {
    std::function<std::vector<FieldInfo>()> fields;
    std::function<Value(const Value&)> canonical;
    std::function<Spec(const Value&, const Registry&)> spec;
    std::function<std::vector<std::filesystem::path>(const Value&)> data_files;  // may be empty
    std::function<EnvMaker(const Value&)> make_env;                              // simulated
    std::function<SystemMaker(const Value&)> make_system;                        // running systems
    std::function<std::unique_ptr<Stream>(const Value&, const Registry&, const EpisodeSource&,
                                          const StreamOptions&)>
        open;  // with a stream of their own
  };
  struct PolicyEntry {
    PolicyInfo info;
    std::function<std::vector<FieldInfo>()> fields;
    std::function<Value(const Value&)> canonical;
    std::function<std::unique_ptr<Policy>(const Value&, const Spec&)> make;
  };

  /// The part of an entry that every kind has.
  template <Config C>
  [[nodiscard]] static EnvEntry env_entry(std::string_view name);
  template <class E>
  [[nodiscard]] static std::string name_of();
  void add(std::string name, EnvEntry&&);
  void add(PolicyEntry&&);
  [[nodiscard]] const EnvEntry& env_entry(const Value&) const;
  [[nodiscard]] const PolicyEntry& policy_entry(std::string_view name) const;
  /// The loader of a name that is not registered, or nullptr.
  [[nodiscard]] const PolicyLoader* loader_of(const std::string& name) const;

  std::map<std::string, EnvEntry, std::less<>> envs_;
  std::map<std::string, PolicyEntry, std::less<>> policies_;
  std::vector<PolicyLoader> loaders_;
};

template <Config C>
Registry::EnvEntry Registry::env_entry(std::string_view name) {
  EnvEntry entry;
  entry.fields = &field_infos<C>;
  entry.canonical = [name = std::string(name)](const Value& text) {
    return park::canonical(name, parse_config<C>(text));
  };
  return entry;
}

template <class E>
std::string Registry::name_of() {
  if constexpr (requires { E::kName; })
    return std::string(E::kName);
  else
    return E::spec(typename E::Config{}).name;
}

template <class E>
void Registry::add_env() {
  using C = typename E::Config;
  std::string name = name_of<E>();
  EnvEntry entry = env_entry<C>(name);
  entry.spec = [](const Value& text, const Registry&) { return E::spec(parse_config<C>(text)); };
  if constexpr (requires(const C& c) { E::data_files(c); })
    entry.data_files = [](const Value& text) { return E::data_files(parse_config<C>(text)); };
  entry.make_env = [](const Value& text) -> EnvMaker {
    return [config = parse_config<C>(text)] { return std::make_unique<E>(config); };
  };
  add(std::move(name), std::move(entry));
}

template <class S>
void Registry::add_system() {
  using C = typename S::Config;
  std::string name = name_of<S>();
  EnvEntry entry = env_entry<C>(name);
  entry.spec = [](const Value& text, const Registry&) { return S::spec(parse_config<C>(text)); };
  entry.make_system = [](const Value& text) -> SystemMaker {
    return [config = parse_config<C>(text)] { return std::make_unique<S>(config); };
  };
  add(std::move(name), std::move(entry));
}

template <class R>
void Registry::add_stream() {
  using C = typename R::Config;
  EnvEntry entry = env_entry<C>(R::kName);
  entry.spec = [](const Value& text, const Registry& registry) {
    return R::spec(parse_config<C>(text), registry);
  };
  entry.open = [](const Value& text, const Registry& registry, const EpisodeSource& source,
                  const StreamOptions& options) {
    return R::open(parse_config<C>(text), registry, source, options);
  };
  add(std::string(R::kName), std::move(entry));
}

template <class P>
void Registry::add_policy() {
  if constexpr (requires { typename P::Config; }) {
    using C = typename P::Config;
    PolicyEntry entry;
    entry.info = P::info();
    entry.fields = &field_infos<C>;
    entry.canonical = [name = entry.info.name](const Value& text) {
      return park::canonical(name, parse_config<C>(text));
    };
    entry.make = [](const Value& text, const Spec& spec) -> std::unique_ptr<Policy> {
      return std::make_unique<P>(parse_config<C>(text), spec);
    };
    add(std::move(entry));
  } else {
    add_policy(P::info(), [](const Spec& spec) { return std::make_unique<P>(spec); });
  }
}

}  // namespace park
