// Scores over the bridge: a client gets those that the policy gives on the spot.
#include "bridge/client/remote_policy.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bridge/codec/rows.h"
#include "bridge/codec/spec.h"
#include "park/envs/envs.h"
#include "tests/bridge/serving.h"

namespace park::bridge {
namespace remote_policy_test {

/// Draws; scores follow from the value and the candidates of its row. It never takes an odd value
/// beyond 1. It has none for the second head.
class Scoring final : public Policy {
 public:
  static PolicyInfo info() { return {.name = "scoring", .summary = "for tests"}; }
  explicit Scoring(const Spec& spec) : heads_(spec), random_(spec) {}
  void start(std::uint32_t slot, const Episode& episode, Rng rng) override {
    random_.start(slot, episode, rng);
  }
  void act(const Decisions& d, Batch& actions) override { random_.act(d, actions); }
  bool scores(const Batch& observation, std::size_t head, const Batch& actions,
              Candidates& candidates, std::vector<float>& scores) override {
    if (head == 1) return false;
    heads_.candidates(head, observation, actions, candidates);
    scores.clear();
    for (std::size_t r = 0; r < candidates.rows(); ++r)
      for (auto c = candidates.offsets[r]; c < candidates.offsets[r + 1]; ++c)
        scores.push_back(of(candidates.value[static_cast<std::size_t>(c)], candidates.count(r)));
    return true;
  }

 private:
  static float of(std::int32_t value, std::int64_t among) {
    if (value > 1 && value % 2 == 1) return -std::numeric_limits<float>::infinity();
    return -0.25F * static_cast<float>(value) - std::log(static_cast<float>(among));
  }

  Heads heads_;
  RandomPolicy random_;
};

class RemotePolicyTest : public ::testing::Test {
 protected:
  RemotePolicyTest() {
    envs::register_all(registry_);
    registry_.add_policy(Scoring::info(),
                         [](const Spec& spec) { return std::make_unique<Scoring>(spec); });
  }

  Registry registry_;
};

TEST_F(RemotePolicyTest, ScoresAreThoseOfThePolicyItself) {
  const test::ServingPolicy server(registry_, "tcp://127.0.0.1:*");
  for (const char* const env : {"load_balance(servers=3)", "dag_scheduling(executors=5,jobs=3)"}) {
    const RandomEpisodes episodes(Rng(7), {.count = 3});
    const auto stream = registry_.stream(env, episodes, {.slots = 2});
    const Spec& spec = stream->spec();
    const Heads heads(spec);
    RemotePolicy remote({.endpoint = server.endpoint(), .policy = "scoring"}, spec);
    Scoring own(spec);
    Candidates here, there;
    std::vector<float> expected, got;
    std::size_t compared = 0;
    int questions = 0;
    play(*stream, own, Rng(1), [&](const Decisions& d, const Batch& actions) {
      if (d.asked.empty()) return true;
      for (std::size_t head = 0; head < heads.size(); ++head) {
        const bool given = own.scores(d.observation, head, actions, here, expected);
        EXPECT_EQ(remote.scores(d.observation, head, actions, there, got), given) << env;
        if (!given) continue;
        EXPECT_EQ(there.value, here.value);
        EXPECT_EQ(there.offsets, here.offsets);
        EXPECT_EQ(got, expected);
        compared += expected.size();
      }
      return ++questions < 50;
    });
    EXPECT_GT(compared, 100U) << env;
  }
}

TEST_F(RemotePolicyTest, AnEarlierChoiceHasToBeLegal) {
  const test::ServingPolicy server(registry_, "tcp://127.0.0.1:*");
  const RandomEpisodes episodes(Rng(7), {.count = 1});
  const auto stream = registry_.stream("dag_scheduling(executors=5,jobs=3)", episodes, {});
  const Spec& spec = stream->spec();
  RemotePolicy remote({.endpoint = server.endpoint(), .policy = "scoring"}, spec);
  const Decisions& d = stream->recv();
  Batch actions(spec.action);
  actions.resize(d.asked.size());
  actions.row(0).scalar(actions.field<std::int32_t>(spec.action.leaves[0].name)) = 999;
  Candidates candidates;
  std::vector<float> scores;
  EXPECT_TRUE(remote.scores(d.observation, 0, actions, candidates, scores));
  Connection connection(
      {.address = {.endpoint = server.endpoint()}, .timeout = std::chrono::seconds(20)});
  const auto request = [&](std::uint16_t head) {
    try {
      decoding([&] {
        static_cast<void>(
            connection.session().call(connection.deadline(), [&](wire::Envelope::Builder e) {
              auto ask = e.initAskScores();
              ask.setId(1);
              ask.setHead(head);
              write(d.observation, ask.initObservation());
              write(actions, ask.initActions());
            }));
      });
    } catch (const Failed& failed) {
      return std::string(failed.what());
    }
    return std::string();
  };
  EXPECT_EQ(request(1), "policy: there is no number 1");
  static_cast<void>(
      connection.session().call(connection.deadline(), [&](wire::Envelope::Builder e) {
        e.initOpenPolicy().setPolicy("scoring");
        write(spec, e.getOpenPolicy().initSpec());
      }));
  EXPECT_EQ(request(0), "");
  EXPECT_EQ(request(1), spec.action.leaves[0].name + ": the choice in row 0 is not legal");
  EXPECT_EQ(request(9), "head: 9 is no discrete leaf of the action");
  actions.clear();
  EXPECT_EQ(request(0), "actions: 0 rows for 1 observations");
}

/// What a client says whose server changes the scores that it sends.
std::string said_of(const Registry& registry, void (*change)(wire::Scores::Builder)) {
  const test::ServingPolicy server(registry, "tcp://127.0.0.1:*");
  const test::Relaying relaying("tcp://127.0.0.1:*", server.endpoint(),
                                [change](std::size_t, test::Way, wire::Envelope::Reader e,
                                         std::span<const std::byte> bytes, test::Post& post) {
                                  if (!e.isScores()) return post.on(bytes);
                                  EnvelopeWriter writer;
                                  auto changed = writer.begin();
                                  changed.setSession(e.getSession());
                                  changed.setSequence(e.getSequence());
                                  changed.setScores(e.getScores());
                                  change(changed.getScores());
                                  post.on(writer.finish());
                                });
  const RandomEpisodes episodes(Rng(7), {.count = 1});
  const auto stream = registry.stream("load_balance(servers=3)", episodes, {});
  RemotePolicy remote({.endpoint = relaying.endpoint(), .policy = "scoring", .timeout_s = 20},
                      stream->spec());
  const Decisions& d = stream->recv();
  Batch actions(stream->spec().action);
  actions.resize(d.asked.size());
  Candidates candidates;
  std::vector<float> scores;
  try {
    return remote.scores(d.observation, 0, actions, candidates, scores) ? "given" : "none";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST_F(RemotePolicyTest, UntrueScoresAreAnError) {
  EXPECT_EQ(said_of(registry_, [](auto) {}), "given");
  EXPECT_EQ(said_of(registry_, [](auto s) { s.setGiven(false); }), "none");
  EXPECT_NE(
      said_of(registry_, [](auto s) { s.initScores(8); }).find("scores: 8 bytes, 3 values have 12"),
      std::string::npos);
  const std::string nan = said_of(registry_, [](auto s) {
    const float value = std::numeric_limits<float>::quiet_NaN();
    std::memcpy(s.getScores().begin(), &value, sizeof value);
  });
  EXPECT_NE(nan.find("scores: not below infinity"), std::string::npos) << nan;
}

}  // namespace remote_policy_test
}  // namespace park::bridge
