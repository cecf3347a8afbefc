// The table of a running system's class. A ParkSystem holds the system. The run of the system gets
// the host's decider in the form of a Decider, and the host's episodes in the form of Episodes.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "park/core/system_env.h"
#include "park/plugin/configured.h"
#include "park/plugin/rows.h"

namespace park::plugin {

/// The host ended the run; it keeps the reason.
inline void expect_ok(std::int32_t code) {
  if (code != PARK_OK) throw Error(errc_of(code), "the host ended the run");
}

/// Episodes of the host, in their order: the number that is asked for does not matter.
class HostEpisodes final : public EpisodeSource {
 public:
  explicit HostEpisodes(const ParkDecider& host) : host_(&host) {}
  [[nodiscard]] std::optional<Episode> at(std::uint64_t) const override {
    auto episode = sized<ParkEpisode>();
    if (host_->next(host_->self, &episode) == 0) return std::nullopt;
    return from_park(episode);
  }

 private:
  const ParkDecider* host_;
};

/// The host's decider. Rows of contexts may come from any thread: each thread has its pointers.
class HostDecider final : public Decider {
 public:
  explicit HostDecider(const ParkDecider& host) : host_(&host) {}

  Context open(const Episode& e) override {
    const ParkEpisode episode = to_park(e);
    auto context = sized<ParkContext>();
    expect_ok(host_->open(host_->self, &episode, &context));
    return {context.slot, context.id};
  }
  Applied decide(Context c, const Outcome& since_last, ConstRow observation, Row action,
                 Deadline deadline) override {
    const ParkContext context{sizeof(ParkContext), c.slot, c.id};
    const ParkOutcome outcome = to_park(since_last);
    thread_local std::vector<void*> heads;
    heads.clear();
    for (std::size_t h = 0; h < action.batch().columns(); ++h)
      heads.push_back(action[bytes_of(action.batch(), h)].data());
    std::int32_t applied = PARK_FALLBACK;
    expect_ok(host_->decide(host_->self, &context, &outcome, &row_of(observation), heads.data(),
                            nanoseconds(deadline), &applied));
    return static_cast<Applied>(applied);
  }
  void close(Context c, const Outcome& last, ConstRow final_observation,
             std::span<const double> metrics) override {
    const ParkContext context{sizeof(ParkContext), c.slot, c.id};
    const ParkOutcome outcome = to_park(last);
    expect_ok(host_->close(host_->self, &context, &outcome, &row_of(final_observation),
                           metrics.data(), metrics.size()));
  }

 private:
  [[nodiscard]] static std::int64_t nanoseconds(Deadline d) noexcept {
    using std::chrono::nanoseconds;
    if (d == kNever) return PARK_NEVER;
    return std::chrono::duration_cast<nanoseconds>(d.time_since_epoch()).count();
  }
  /// Pointers to a row, in memory of this thread.
  [[nodiscard]] static const ParkRow& row_of(ConstRow row) {
    thread_local std::vector<const void*> columns;
    thread_local std::vector<std::uint64_t> counts;
    thread_local ParkRow pointers{};
    columns.clear();
    counts.clear();
    for (std::size_t c = 0; c < row.batch().columns(); ++c)
      columns.push_back(row[bytes_of(row.batch(), c)].data());
    for (std::size_t g = 0; g < row.batch().record().groups.size(); ++g)
      counts.push_back(row.count({static_cast<std::int32_t>(g)}));
    pointers = {sizeof(ParkRow), columns.data(), counts.data()};
    return pointers;
  }

  const ParkDecider* host_;
};

/// What a ParkSystem is.
class Running {
 public:
  explicit Running(std::unique_ptr<SystemEnv> system) : system_(std::move(system)) {}
  [[nodiscard]] static Running& of(ParkSystem* s) noexcept {
    return *reinterpret_cast<Running*>(s);
  }

  void run(const ParkDecider& theirs) {
    const ParkDecider host = copied(theirs);
    const HostEpisodes source(host);
    Episodes episodes(source, 0, 1);
    HostDecider decider(host);
    system_->run(episodes, decider, stop_.get_token());
  }
  void stop() noexcept { stop_.request_stop(); }

 private:
  std::unique_ptr<SystemEnv> system_;
  std::stop_source stop_;
};

/// The table of a class with the members that Registry::add_system asks for. It is in the memory.
template <class S>
[[nodiscard]] const ParkSystemType* system_type(Memory& memory) {
  auto table = sized<ParkSystemType>();
  set_common<S>(table, memory);
  table.create = [](const ParkConfig* config, ParkSystem** system, ParkError* error) {
    return guarded(error, [&] {
      auto made = std::make_unique<S>(Configured<S>::of(config).config);
      *system = reinterpret_cast<ParkSystem*>(std::make_unique<Running>(std::move(made)).release());
    });
  };
  table.destroy = [](ParkSystem* system) { delete &Running::of(system); };
  table.run = [](ParkSystem* system, const ParkDecider* decider, ParkError* error) {
    return guarded(error, [&] { Running::of(system).run(*decider); });
  };
  table.stop = [](ParkSystem* system) { Running::of(system).stop(); };
  return memory.keep(table);
}

}  // namespace park::plugin
