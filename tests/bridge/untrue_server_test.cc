// Servers that do not do what they were asked: a client says what is untrue and goes no further.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bridge/client/given_episodes.h"
#include "bridge/client/remote_stream.h"
#include "bridge/codec/failure.h"
#include "bridge/codec/spec.h"
#include "park/core/policy.h"
#include "park/envs/envs.h"
#include "tests/bridge/playing.h"
#include "tests/bridge/serving.h"

namespace park::bridge {
namespace untrue_server_test {

using Envelope = wire::Envelope;
using Edit = std::function<void(Envelope::Builder)>;

constexpr const char* kEnv = "load_balance(servers=2,jobs=3)";
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<std::byte> edited(Envelope::Reader e, const Edit& edit) {
  capnp::MallocMessageBuilder builder;
  builder.setRoot(e);
  edit(builder.getRoot<Envelope>());
  const auto words = capnp::messageToFlatArray(builder);
  const auto* begin = reinterpret_cast<const std::byte*>(words.begin());
  return {begin, begin + words.size() * sizeof(capnp::word)};
}

/// Lets an edit change all that the server says.
test::Fault editing(Edit edit) {
  return [edit = std::move(edit)](std::size_t, test::Way way, Envelope::Reader e,
                                  std::span<const std::byte> bytes, test::Post& post) {
    post.on(way == test::Way::to_client ? edited(e, edit)
                                        : std::vector<std::byte>(bytes.begin(), bytes.end()));
  };
}

/// Changes the first questions of a stream, if there are any.
Edit first(std::function<void(wire::Decisions::Builder)> change) {
  return [change = std::move(change)](Envelope::Builder e) {
    if (!e.isStreamOpened() || e.getStreamOpened().getFirst().getAsked() == 0) return;
    change(e.getStreamOpened().getFirst());
  };
}

/// Changes what a step delivers.
Edit later(std::function<void(wire::Decisions::Builder)> change) {
  return [change = std::move(change)](Envelope::Builder e) {
    if (e.isDecisions()) change(e.getDecisions());
  };
}

/// Takes all questions out of a message.
void ask_nothing(wire::Decisions::Builder d) {
  d.setAsked(0);
  d.disownObservation(), d.disownBegun();
  d.disownSlot(), d.disownContext(), d.disownSequence();
  d.disownReward(), d.disownElapsedS(), d.disownApplied(), d.disownSkipped();
}

template <class T>
void fill(capnp::Data::Builder column, T value) {
  for (std::size_t at = 0; at < column.size(); at += sizeof value)
    std::memcpy(column.begin() + at, &value, sizeof value);
}

class UntrueServer : public ::testing::Test {
 protected:
  UntrueServer() {
    envs::register_all(registry_);
    registry_.add_stream<RemoteEnv>();
  }
  /// What a client says that plays two episodes at such a server; empty where it is content.
  std::string said(Edit edit) {
    const test::Serving serving(registry_, "tcp://127.0.0.1:*", kEnv);
    const test::Relaying relaying("tcp://127.0.0.1:*", serving.endpoint(),
                                  editing(std::move(edit)));
    const RandomEpisodes episodes(Rng(3), {.count = 2});
    try {
      const auto stream = registry_.stream(
          "remote(timeout_s=20,endpoint=\"" + relaying.endpoint() + "\")", episodes);
      RandomPolicy policy(stream->spec());
      static_cast<void>(test::digest(*stream, policy));
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
      return error.what();
    }
    return "";
  }
  void expect(const std::string& text, Edit edit) {
    const std::string line = said(std::move(edit));
    EXPECT_NE(line.find(text), std::string::npos) << text << "\n" << line;
  }

  Registry registry_;
};

TEST_F(UntrueServer, OneThatIsTrueIsPlayed) {
  EXPECT_EQ(said([](Envelope::Builder) {}), "");
}

TEST_F(UntrueServer, AllEpisodesArePlayed) {
  expect("done: slot 0 has not ended episode 0",
         later([](auto d) { ask_nothing(d), d.setDone(true); }));
  expect("done: slot 0 has not ended episode 1", later([](auto d) {
           if (d.getEnded() == 0) return;
           ask_nothing(d), d.setDone(true);
         }));
  expect("done: is set, but rows are asked", first([](auto d) { d.setDone(true); }));
  expect("asked: nothing is asked and nothing has ended",
         later([](auto d) { ask_nothing(d), d.setEnded(0); }));
}

TEST_F(UntrueServer, TheEpisodesAreThoseThatWereGiven) {
  const auto begun = [](const std::function<void(wire::Episode::Builder)>& change) {
    return first([change](auto d) { change(d.getBegun()[0]); });
  };
  const std::string other = "begun: slot 0 begins another episode than 0, the one given";
  expect(other, begun([](auto e) { e.setId(1); }));
  expect(other, begun([](auto e) { e.setInputs(e.getInputs() + 1); }));
  expect(other, begun([](auto e) { e.setDynamics(e.getDynamics() + 1); }));
  expect(other, begun([](auto e) { e.setHorizonS(5); }));
  expect("context: 7 in slot 0 is not the id of its episode, 0",
         first([](auto d) { fill(d.initContext(8), std::uint64_t{7}); }));
  expect("begun: slot 0 begins an episode before episode 0 has ended", later([](auto d) {
           if (d.getAsked() == 0) return;
           d.disownSequence();
           d.initBegun(1);
         }));
}

TEST_F(UntrueServer, NumbersAreFinite) {
  for (const double value : {kNan, kInf, -kInf})
    expect(" of episode 0 is not a finite number", later([value](auto d) {
             if (d.getEnded() > 0) fill(d.getMetrics(), value);
           }));
  const auto cut_off = [](double value) {
    return later([value](auto d) {
      if (d.getEnded() == 0) return;
      fill(d.initTruncated(1), std::uint8_t{1});
      fill(d.getMetrics(), value);
    });
  };
  expect(" of episode 0 is not a finite number", cut_off(kInf));
  EXPECT_EQ(said(cut_off(kNan)), "") << "a mean over nothing";
  expect("reward: is not a number", later([](auto d) { fill(d.initReward(8), kNan); }));
  expect("elapsedS: is not a time", later([](auto d) { fill(d.initElapsedS(8), kInf); }));
  expect("elapsedS: is not a time", later([](auto d) { fill(d.initElapsedS(8), -1.0); }));
  expect("slot: 5, there are 1", later([](auto d) { fill(d.initSlot(4), std::uint32_t{5}); }));
}

TEST_F(UntrueServer, WithoutRowsThereNeedNotBeColumns) {
  EXPECT_EQ(said([](Envelope::Builder e) {
              if (e.isDecisions() && e.getDecisions().getAsked() == 0)
                e.getDecisions().disownObservation();
              if (e.isStreamOpened() && e.getStreamOpened().getFirst().getAsked() == 0)
                e.getStreamOpened().getFirst().disownObservation();
            }),
            "");
}

TEST_F(UntrueServer, ASpecWhoseRowIsTooLargeIsALine) {
  Spec spec = registry_.spec(kEnv);
  const std::int64_t one = 1;
  const std::vector<std::vector<std::int64_t>> shapes{
      {one << 62}, {one << 32, one << 32}, {one << 31}};
  for (const auto& shape : shapes) {
    spec.action.leaves = {
        {.name = "x", .dtype = DType::f32, .shape = shape, .low = 0, .high = 1, .doc = "none"}};
    expect("action leaf 'x': with its shape [", [&spec](Envelope::Builder e) {
      if (e.isStreamOpened()) write(spec, e.getStreamOpened().initSpec());
    });
  }
}

TEST_F(UntrueServer, ItsTextsHaveNoControlCharacters) {
  const std::string line = said([](Envelope::Builder e) {
    if (!e.isStreamOpened()) return;
    e.initFailure().setCode(Code::INVALID_CONFIG);
    e.getFailure().setText("\x1b]52;c;AAAA\x07");
  });
  EXPECT_NE(line.find("\\x1b]52;c;AAAA\\x07"), std::string::npos) << line;
  const std::string large = said([](Envelope::Builder e) {
    if (!e.isStreamOpened()) return;
    e.initFailure().setCode(Code::INVALID_CONFIG);
    e.getFailure().setText(std::string(3'000'000, 'a'));
  });
  EXPECT_LT(large.size(), 17'000u);
  EXPECT_NE(large.find("... and 2983680 more bytes"), std::string::npos) << large.substr(16'000);
}

// ---- Running systems --------------------------------------------------------------------------

class OfASystem : public ::testing::Test {
 protected:
  OfASystem() : given_(source_, 1) {
    EXPECT_EQ(given_.first().size(), 2u);
    given_.in_any_order();
  }
  [[nodiscard]] Decisions asking(std::uint64_t context, const Episode& episode) const {
    Decisions d(spec_);
    d.asked.push_back({0, context, 0, episode, {}});
    return d;
  }
  [[nodiscard]] Decisions ending(std::uint64_t context, const Episode& episode) const {
    Decisions d(spec_);
    d.ended.push_back({0, context, 1, 0, episode, {}});
    return d;
  }
  void take(const Decisions& d) { given_.take(d, spec_.metrics, coming_); }

  Spec spec_;
  FixedEpisodes source_{{{.inputs = 5}, {.inputs = 6}}};
  GivenEpisodes given_;
  GivenEpisodes::Numbered coming_;
};

TEST_F(OfASystem, ContextsTakeTheEpisodesInAnyOrder) {
  for (const std::uint64_t k : {1U, 0U}) {
    take(asking(100 + k, *source_.at(k)));
    take(ending(100 + k, *source_.at(k)));
  }
  Decisions done(spec_);
  done.done = true;
  EXPECT_NO_THROW(take(done));
}

TEST_F(OfASystem, OthersAndFewerAreRefused) {
  EXPECT_THROW(take(asking(100, {.id = 0, .inputs = 7})), Failed);
  take(asking(100, *source_.at(0)));
  Decisions done = ending(100, *source_.at(0));
  done.done = true;
  EXPECT_THROW(take(done), Failed);
}

}  // namespace untrue_server_test
}  // namespace park::bridge
