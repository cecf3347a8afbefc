// The registry is a value that maps names to environments and policies. `add_env`, `add_system`,
// `add_stream` and `add_policy` build an entry of functions over the type's Config. `env(text)`
// parses a text once, and what it returns answers every question about that text. Programs fill a
// registry once and share it as constant; the command line, the bridge, benchmarks and trainings
// ask it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "park/core/access.h"
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

/// The description of a policy.
struct PolicyInfo {
  std::string name{}, summary{}, reference{};
  std::vector<std::string> environments{};  ///< environments that it understands; empty: every one

  /// Understands the environment or its twin.
  [[nodiscard]] bool fits(const Spec&) const noexcept;
};

using EnvMaker = std::function<std::unique_ptr<Env>()>;
using SystemMaker = std::function<std::unique_ptr<SystemEnv>()>;

/// An environment whose fields are known at run time only, such as that of a plug-in. Its functions
/// take the canonical text. Exactly one of make_env, make_system and open is set; data_files may be
/// empty.
struct OutsideEnv {
  std::string name{};
  std::vector<FieldInfo> fields{};
  std::function<Spec(const Value&)> spec{};
  std::function<std::unique_ptr<Env>(const Value&)> make_env{};           ///< simulated
  std::function<std::unique_ptr<SystemEnv>(const Value&)> make_system{};  ///< running systems
  std::function<std::unique_ptr<Stream>(const Value&, const EpisodeSource&, const StreamOptions&)>
      open{};  ///< with a stream of its own
  std::function<std::vector<std::filesystem::path>(const Value&)> data_files{};
};

/// An environment of a registry under one configuration: a text that was parsed and checked once.
/// Cheap to copy, thread-safe. The registry must outlive it.
class EnvOfText {
 public:
  [[nodiscard]] const std::string& name() const noexcept { return parts_->name; }
  /// The canonical text.
  [[nodiscard]] const std::string& text() const noexcept { return parts_->text; }
  /// With the canonical text. Environments with data read it here.
  [[nodiscard]] Spec spec() const;
  [[nodiscard]] Traits traits() const { return spec().traits; }
  /// The mean of the memoryless horizon that training draws: the field horizon_s, inf without one.
  [[nodiscard]] double mean_horizon_s() const noexcept { return parts_->mean_horizon_s; }
  /// Whether it is simulated here: it does not run by itself, nor elsewhere.
  [[nodiscard]] bool simulated() const noexcept { return parts_->make_env != nullptr; }
  /// Whether it is a running system: it asks from its own threads.
  [[nodiscard]] bool running() const noexcept { return parts_->make_system != nullptr; }
  /// The source must outlive the stream. Throws Error{unavailable} if a running system is to
  /// report events.
  [[nodiscard]] std::unique_ptr<Stream> stream(const EpisodeSource&,
                                               const StreamOptions& = {}) const;
  /// Makes single environments. Throws Error{unavailable} for what is not simulated here.
  [[nodiscard]] EnvMaker factory() const;
  /// The files that its inputs are made of (E::data_files of its config, if it has that).
  [[nodiscard]] std::vector<std::filesystem::path> data_files() const;

 private:
  friend class Registry;
  /// The functions of the configuration. Exactly one of make_env, make_system and open is set.
  struct Parts {
    std::string name{}, text{};
    double mean_horizon_s = kInf;
    std::function<Spec(const Registry&)> spec{};
    std::function<std::vector<std::filesystem::path>()> data_files{};  // may be empty
    EnvMaker make_env{};                                               // simulated
    SystemMaker make_system{};                                         // running systems
    std::function<std::unique_ptr<Stream>(const Registry&, const EpisodeSource&,
                                          const StreamOptions&)>
        open{};  // with a stream of their own
  };
  EnvOfText(const Registry& registry, Parts parts)
      : registry_(&registry), parts_(std::make_shared<const Parts>(std::move(parts))) {}

  const Registry* registry_;
  std::shared_ptr<const Parts> parts_;
};

/// Which environments and policies there are: an ordinary value that a program fills. Texts are
/// those of parse_text. Queries throw Error{unknown_name} with the nearest name, Error{syntax}, and
/// Error{invalid_config} with a line per violation. Reading is thread-safe.
class Registry {
 public:
  /// Knows policies that are not registered by a name, such as those in folders.
  struct PolicyLoader {
    std::function<bool(const std::string& name)> takes{};  ///< the name of a text; may throw Error
    std::function<std::vector<FieldInfo>()> fields{};
    std::function<std::unique_ptr<Policy>(const Value&, const Spec&)> make{};  ///< of what it takes
    /// Whether a name stands for bundled data; empty: none does.
    std::function<bool(const std::string& name)> bundled{};
    /// The files that such a policy is made of.
    std::function<std::vector<std::filesystem::path>(const Value&)> files{};
    /// Those that come with Park for an environment, by name; empty: none does.
    std::function<std::vector<PolicyInfo>(const Spec&)> listed{};
  };

  /// A simulated environment: E::Config, `static Spec E::spec(const Config&)`, E(const Config&).
  /// Its name is E::kName, else that of its spec. Optional:
  /// `static std::vector<std::filesystem::path> E::data_files(const Config&)`.
  template <class E>
  void add_env();
  /// A simulated environment without fields, named as its spec. Throws Error{invalid_space}.
  void add_env(Spec, EnvMaker);
  /// An environment of any kind from outside. Throws Error{invalid_config} if its fields contradict
  /// themselves.
  void add_env(OutsideEnv);
  /// A running system, with the same members as an environment.
  template <class S>
  void add_system();
  /// A class with a stream of its own, such as an environment behind an endpoint:
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
  /// A policy whose fields are known at run time only; it is made of its canonical text. Throws
  /// Error{invalid_config} if its fields contradict themselves.
  void add_policy(PolicyInfo, const std::vector<FieldInfo>&,
                  std::function<std::unique_ptr<Policy>(const Value&, const Spec&)>);
  /// Asked, in order, about texts that name no registered policy.
  void add_policy_loader(PolicyLoader);

  [[nodiscard]] std::vector<std::string> env_names() const;
  [[nodiscard]] std::vector<std::string> policy_names() const;

  /// The environment of a text such as "load_balance(servers=4)".
  [[nodiscard]] EnvOfText env(std::string_view text) const;
  /// The same for a text of someone else. Throws Error{not_allowed} where it names more than that,
  /// before anything is opened.
  [[nodiscard]] EnvOfText env(std::string_view text, const Access&) const;
  // One question about a text; for several, ask env(text) once.
  [[nodiscard]] Spec spec(std::string_view text) const { return env(text).spec(); }
  [[nodiscard]] std::string canonical_env(std::string_view text) const { return env(text).text(); }
  [[nodiscard]] double mean_horizon_s(std::string_view text) const {
    return env(text).mean_horizon_s();
  }
  [[nodiscard]] std::unique_ptr<Stream> stream(std::string_view text, const EpisodeSource& source,
                                               const StreamOptions& options = {}) const {
    return env(text).stream(source, options);
  }
  [[nodiscard]] EnvMaker env_factory(std::string_view text) const { return env(text).factory(); }
  [[nodiscard]] std::vector<std::filesystem::path> data_files(std::string_view text) const {
    return env(text).data_files();
  }

  /// Throws Error{invalid_config} if the policy does not understand the environment.
  [[nodiscard]] std::unique_ptr<Policy> policy(std::string_view policy, const Spec&) const;
  /// A spec of someone else, for a policy. It has no text where `env` would not allow that text as
  /// one of its environment. The reason is that a policy may read the data that the text names.
  [[nodiscard]] Spec admitted(Spec, const Access&) const;
  /// The canonical text; a text that a loader takes stays as given.
  [[nodiscard]] std::string canonical_policy(std::string_view policy) const;
  /// The same for a text of someone else. Throws Error{not_allowed} as env does.
  [[nodiscard]] std::string canonical_policy(std::string_view policy, const Access&) const;

  /// The files that a policy is made of: those of a network or a tree. Registered ones are code.
  [[nodiscard]] std::vector<std::filesystem::path> policy_files(std::string_view policy) const;

  /// These take a name without fields.
  [[nodiscard]] std::vector<FieldInfo> env_fields(std::string_view name) const;
  [[nodiscard]] std::vector<FieldInfo> policy_fields(std::string_view name) const;
  [[nodiscard]] PolicyInfo policy_info(std::string_view name) const;
  /// Whether running systems are registered, so that the twins of simulated ones are known.
  [[nodiscard]] bool has_systems() const noexcept { return has_systems_; }
  /// The registered policies that understand the environment.
  [[nodiscard]] std::vector<std::string> policies_for(const Spec&) const;
  /// The policies in files that come with Park and fit the environment.
  [[nodiscard]] std::vector<PolicyInfo> bundled_policies(const Spec&) const;

 private:
  struct EnvEntry {
    std::function<std::vector<FieldInfo>()> fields;
    std::function<EnvOfText::Parts(const Value&)> parse;
  };
  struct PolicyEntry {
    PolicyInfo info;
    std::function<std::vector<FieldInfo>()> fields;
    std::function<Value(const Value&)> canonical;
    std::function<std::unique_ptr<Policy>(const Value&, const Spec&)> make;
  };

  /// `complete(EnvOfText::Parts&, const C&)` adds what the kind of environment has.
  template <Config C, class Complete>
  void add_entry(const std::string& name, Complete complete);
  template <class E>
  [[nodiscard]] static std::string name_of();
  void add(const std::string& name, EnvEntry&&);
  void add(PolicyEntry&&);
  [[nodiscard]] const EnvEntry& env_entry(const std::string& name) const;
  [[nodiscard]] const PolicyEntry& policy_entry(std::string_view name) const;
  void check_policy(const Value& text, const Access&) const;
  /// The loader of a name that is not registered, or nullptr.
  [[nodiscard]] const PolicyLoader* loader_of(const std::string& name) const;

  std::map<std::string, EnvEntry, std::less<>> envs_;
  std::map<std::string, PolicyEntry, std::less<>> policies_;
  std::vector<PolicyLoader> loaders_;
  bool has_systems_ = false;
};

template <Config C, class Complete>
void Registry::add_entry(const std::string& name, Complete complete) {
  EnvEntry entry;
  entry.fields = &field_infos<C>;
  entry.parse = [name, complete = std::move(complete)](const Value& text) {
    C config = parse_config<C>(text);
    EnvOfText::Parts parts{.name = name, .text = to_text(park::canonical(name, config))};
    C::fields(config, [&]<class T>(std::string_view field, const T& value, const FieldDoc&) {
      if constexpr (std::is_convertible_v<T, double>)
        if (field == "horizon_s") parts.mean_horizon_s = static_cast<double>(value);
    });
    complete(parts, config);
    return parts;
  };
  add(name, std::move(entry));
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
  add_entry<C>(name_of<E>(), [](EnvOfText::Parts& parts, const C& config) {
    parts.spec = [config](const Registry&) { return E::spec(config); };
    if constexpr (requires { E::data_files(config); })
      parts.data_files = [config] { return E::data_files(config); };
    parts.make_env = [config] { return std::make_unique<E>(config); };
  });
}

template <class S>
void Registry::add_system() {
  using C = typename S::Config;
  add_entry<C>(name_of<S>(), [](EnvOfText::Parts& parts, const C& config) {
    parts.spec = [config](const Registry&) { return S::spec(config); };
    parts.make_system = [config] { return std::make_unique<S>(config); };
  });
  has_systems_ = true;
}

template <class R>
void Registry::add_stream() {
  using C = typename R::Config;
  add_entry<C>(std::string(R::kName), [](EnvOfText::Parts& parts, const C& config) {
    parts.spec = [config](const Registry& registry) { return R::spec(config, registry); };
    parts.open = [config](const Registry& registry, const EpisodeSource& source,
                          const StreamOptions& options) {
      return R::open(config, registry, source, options);
    };
  });
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
