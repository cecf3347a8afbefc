#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "park/core/episodes.h"
#include "park/core/policy.h"
#include "park/core/registry.h"
#include "park/envs/envs.h"

namespace park::test {

/// One type whose speed is 10 (1+1), 14 (2 servers), 12 (2 workers), 19 (2+2); a node has room for
/// two workers with two servers.
inline constexpr const char* kToyTable =
    "type,toy,2,4,2,0,100,0.001\n"
    "speed,toy,1,1,10\n"
    "speed,toy,2,1,14\n"
    "speed,toy,1,2,12\n"
    "speed,toy,2,2,19\n";

/// Two jobs of ten epochs on two nodes: a slot of 100 s, grants up to 2+2.
inline std::string toy_env(const std::string& table, const std::string& more = "") {
  return "dl_cluster(table=\"" + table +
         "\",nodes=2,jobs=2,arrivals=uniform,per_slot=2,max_workers=2,max_servers=2,"
         "request_workers=2,request_servers=2,max_epochs=10000,slot_s=100" +
         more + ")";
}

/// An episode as it was played.
struct PlayedEpisode {
  std::vector<std::string>
      moves;  ///< "0b": both for job 0; w worker, s server, g4 four GPUs, e end
  double reward = 0, seconds = 0;
  std::uint64_t decisions = 0;
  End end = End::none;
  std::vector<double> metrics;
};

/// Plays episodes of environments with policies.
class ClusterPlayer {
 public:
  ClusterPlayer() { envs::register_all(registry_); }

  [[nodiscard]] const Registry& registry() const { return registry_; }
  [[nodiscard]] Spec spec(const std::string& env) const { return registry_.spec(env); }

  using Look = std::function<void(ConstRow, const Spec&)>;
  /// One episode after the other; `look` sees every row.
  [[nodiscard]] std::vector<PlayedEpisode> play(const std::string& env, const std::string& policy,
                                                std::uint64_t count = 1, const Look& look = {}) {
    const RandomEpisodes episodes(phase_rng(1, Phase::evaluate), {.count = count});
    const auto stream = registry_.stream(env, episodes);
    const auto player = registry_.policy(policy, stream->spec());
    std::vector<PlayedEpisode> all(1);
    park::play(*stream, *player, Rng(1), [&](const Decisions& d, const Batch& actions) {
      for (std::size_t i = 0; i < d.ended.size(); ++i) {
        PlayedEpisode& e = all.back();
        add(e, d.ended[i].last);
        e.end = d.ended[i].last.end;
        e.decisions = d.ended[i].decisions;
        e.metrics.assign(d.metrics_of(i).begin(), d.metrics_of(i).end());
        all.emplace_back();
      }
      for (std::size_t i = 0; i < d.asked.size(); ++i) {
        if (d.asked[i].sequence > 0) add(all.back(), d.asked[i].since_last);
        if (look) look(d.observation.row(i), stream->spec());
        all.back().moves.push_back(move_text(d.observation.row(i), actions.row(i)));
      }
    });
    all.pop_back();
    return all;
  }
  [[nodiscard]] double metric(const std::string& env, const std::string& policy,
                              const std::string& name, std::uint64_t count = 1) {
    double sum = 0;
    for (const PlayedEpisode& e : play(env, policy, count))
      sum += e.metrics[spec(env).metric(name)];
    return sum / static_cast<double>(count);
  }

 private:
  static void add(PlayedEpisode& e, const Outcome& o) {
    e.reward += o.reward;
    e.seconds += o.elapsed_s;
  }
  static std::string move_text(ConstRow row, ConstRow action) {
    const Batch& rows = row.batch();
    const auto at =
        static_cast<std::size_t>(action.scalar(action.batch().field<std::int32_t>("move")));
    const std::int32_t kind = row[rows.field<std::int32_t>("move.kind")][at];
    if (kind == 0) return "e";
    const std::string job = std::to_string(row[rows.field<std::int32_t>("move.job")][at]);
    if (kind < 4) return job + "ewsb"[kind];
    const auto gpus = static_cast<int>(row[rows.field<float>("move.workers")][at]);
    return job + "g" + std::to_string(gpus);
  }

  Registry registry_;
};

/// Moves in one line.
inline std::string joined(const std::vector<std::string>& moves, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count && i < moves.size(); ++i) text += (i ? " " : "") + moves[i];
  return text;
}

}  // namespace park::test
