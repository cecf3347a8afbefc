// Specs, rows and questions on the wire: what comes back is what was sent, and what is no message
// is refused in one line.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "bridge/codec/decisions.h"
#include "bridge/codec/frame.h"
#include "bridge/codec/rows.h"
#include "bridge/codec/spec.h"
#include "park/core/policy.h"
#include "park/core/registry.h"
#include "park/envs/envs.h"
#include "tests/bridge/tools/bytes.h"
#include "tests/kit/memory.h"
#include "tests/kit/toy_shop.h"

namespace park::bridge {
namespace codec_test {

using test::copy;

void expect_equal(const Record& a, const Record& b) {
  ASSERT_EQ(a.leaves.size(), b.leaves.size());
  for (std::size_t i = 0; i < a.leaves.size(); ++i) {
    const Leaf &x = a.leaves[i], &y = b.leaves[i];
    EXPECT_EQ(std::tie(x.name, x.dtype, x.shape, x.low, x.high, x.unit, x.doc, x.group, x.index_of,
                       x.given),
              std::tie(y.name, y.dtype, y.shape, y.low, y.high, y.unit, y.doc, y.group, y.index_of,
                       y.given));
  }
  ASSERT_EQ(a.groups.size(), b.groups.size());
  for (std::size_t i = 0; i < a.groups.size(); ++i) {
    EXPECT_EQ(a.groups[i].name, b.groups[i].name);
    EXPECT_EQ(a.groups[i].capacity, b.groups[i].capacity);
  }
}

void expect_equal(const Batch& a, const Batch& b) {
  ASSERT_EQ(a.rows(), b.rows());
  for (std::size_t c = 0; c < a.columns(); ++c) {
    const auto x = a.bytes(c, 0, a.rows()), y = b.bytes(c, 0, b.rows());
    ASSERT_EQ(x.size(), y.size()) << a.record().leaves[c].name;
    EXPECT_TRUE(x.empty() || std::memcmp(x.data(), y.data(), x.size()) == 0)
        << a.record().leaves[c].name;
  }
}

void expect_equal(const Decisions& a, const Decisions& b) {
  ASSERT_EQ(a.asked.size(), b.asked.size());
  for (std::size_t i = 0; i < a.asked.size(); ++i) {
    const Ask &x = a.asked[i], &y = b.asked[i];
    EXPECT_EQ(std::tie(x.slot, x.context, x.sequence, x.episode, x.since_last),
              std::tie(y.slot, y.context, y.sequence, y.episode, y.since_last));
  }
  ASSERT_EQ(a.ended.size(), b.ended.size());
  for (std::size_t i = 0; i < a.ended.size(); ++i) {
    const Ended &x = a.ended[i], &y = b.ended[i];
    EXPECT_EQ(std::tie(x.slot, x.context, x.decisions, x.events, x.episode, x.last),
              std::tie(y.slot, y.context, y.decisions, y.events, y.episode, y.last));
  }
  EXPECT_EQ(a.metrics, b.metrics);
  EXPECT_EQ(a.done, b.done);
  expect_equal(a.observation, b.observation);
  expect_equal(a.final_observation, b.final_observation);
}

Bytes frame_of(const Decisions& d) {
  EnvelopeWriter writer;
  write(d, writer.begin().initDecisions());
  return copy(writer.finish());
}

class Codec : public ::testing::Test {
 protected:
  static constexpr std::size_t kSlots = 4;
  static constexpr const char* kEnv = "toy_shop(customers=6,mood=busy)";

  Codec() { registry_.add_env<park::test::ToyShop>(); }

  /// What a stream of the toy shop delivers and what a random policy answers, until it is done.
  template <class Visit>
  void play(Visit&& visit) {
    const RandomEpisodes episodes(Rng(3), {.count = 9});
    const auto stream = registry_.stream(kEnv, episodes, {.slots = kSlots});
    RandomPolicy policy(stream->spec());
    park::play(*stream, policy, Rng(5), visit);
  }
  /// One of them: the n-th.
  Bytes frame(int n) {
    Bytes found;
    play([&](const Decisions& d, const Batch&) {
      if (n-- == 0) found = frame_of(d);
    });
    return found;
  }

  Registry registry_;
};

TEST_F(Codec, SpecsOfEveryEnvironmentComeBack) {
  envs::register_all(registry_);
  for (const std::string& env : registry_.env_names()) {
    const Spec spec = registry_.spec(env);
    EnvelopeWriter writer;
    write(spec, writer.begin().initOpenPolicy().initSpec());
    EnvelopeReader reader;
    const Spec back = read(reader.read(writer.finish()).getOpenPolicy().getSpec());
    EXPECT_EQ(std::tie(back.name, back.summary, back.reference, back.version, back.text),
              std::tie(spec.name, spec.summary, spec.reference, spec.version, spec.text));
    EXPECT_EQ(layout_hash(back), layout_hash(spec));
    expect_equal(back.observation, spec.observation);
    expect_equal(back.action, spec.action);
    ASSERT_EQ(back.metrics.size(), spec.metrics.size());
    for (std::size_t i = 0; i < spec.metrics.size(); ++i)
      EXPECT_EQ(back.metrics[i].name, spec.metrics[i].name);
  }
}

TEST_F(Codec, EverythingThatAStreamDeliversComesBack) {
  const Spec spec = registry_.spec(kEnv);
  DecisionsReader decisions(spec, kSlots);
  Decisions back(spec);
  EnvelopeReader reader;
  std::size_t asked = 0, ended = 0;
  play([&](const Decisions& d, const Batch& actions) {
    const Bytes frame = frame_of(d);
    decisions.read(reader.read(frame).getDecisions(), back);
    expect_equal(back, d);
    asked += d.asked.size(), ended += d.ended.size();
    EnvelopeWriter writer;
    write(actions, writer.begin().initStep().initActions());
    Batch answered(spec.action);
    read(reader.read(writer.finish()).getStep().getActions(), kSlots, answered);
    expect_equal(answered, actions);
  });
  EXPECT_EQ(ended, 9u);
  EXPECT_GT(asked, 40u);
}

TEST_F(Codec, NothingIsAllocatedInSteadyState) {
  const Spec spec = registry_.spec(kEnv);
  std::vector<Decisions> all;
  play([&](const Decisions& d, const Batch&) { all.emplace_back(spec).append(d); });
  EnvelopeWriter writer;
  EnvelopeReader reader;
  DecisionsReader decisions(spec, kSlots);
  Decisions back(spec);
  const auto pass = [&] {
    for (const Decisions& d : all) {
      write(d, writer.begin().initDecisions());
      decisions.read(reader.read(writer.finish()).getDecisions(), back);
    }
  };
  pass();
  const park::test::AllocationCount allocations;
  pass();
  EXPECT_EQ(allocations.count(), 0u);
}

TEST_F(Codec, MemoryOfAnyAlignmentIsRead) {
  const Spec spec = registry_.spec(kEnv);
  const Bytes good = frame(0);
  for (std::size_t shift = 0; shift < 8; ++shift) {
    Bytes shifted(good.size() + shift);
    std::memcpy(shifted.data() + shift, good.data(), good.size());
    EnvelopeReader reader;
    Decisions back(spec);
    DecisionsReader decisions(spec, kSlots);
    decisions.read(reader.read(std::span(shifted).subspan(shift)).getDecisions(), back);
    EXPECT_EQ(back.asked.size(), kSlots);
  }
}

/// Whether a frame is read; where it is not, Failed has one line.
bool readable(std::span<const std::byte> frame, const Spec& spec, std::size_t slots) {
  EnvelopeReader reader;
  Decisions back(spec);
  DecisionsReader decisions(spec, slots);
  try {
    const auto envelope = reader.read(frame);
    return decoding([&] {
      if (!envelope.isDecisions()) return false;
      decisions.read(envelope.getDecisions(), back);
      return true;
    });
  } catch (const Failed& failed) {
    EXPECT_GT(std::strlen(failed.what()), 8u);
    EXPECT_EQ(std::string(failed.what()).find('\n'), std::string::npos) << failed.what();
    return false;
  }
}

TEST_F(Codec, EveryTruncationIsRefused) {
  const Spec spec = registry_.spec(kEnv);
  const Bytes good = frame(2);
  ASSERT_FALSE(readable(good, spec, kSlots));  // it does not begin its contexts
  const Bytes first = frame(0);
  ASSERT_TRUE(readable(first, spec, kSlots));
  for (std::size_t n = 0; n < first.size(); ++n)
    EXPECT_FALSE(readable(std::span(first).first(n), spec, kSlots)) << n << " bytes";
}

/// What is still a message after a bit has changed is one that a stream could have sent: rows
/// within their bounds. Nothing crashes; the sanitizers look at the rest.
TEST_F(Codec, EverySingleBitMayFlip) {
  const Spec spec = registry_.spec(kEnv);
  Bytes first = frame(0);
  std::size_t refused = 0;
  for (std::size_t bit = 0; bit < 8 * first.size(); ++bit) {
    const auto mask = std::byte{1} << static_cast<int>(bit % 8);
    first[bit / 8] ^= mask;
    refused += readable(first, spec, kSlots) ? 0 : 1;
    first[bit / 8] ^= mask;
  }
  EXPECT_GT(refused, 2 * first.size());
}

/// A message of a row that `change` has made wrong.
template <class Change>
std::string refusal(const Bytes& frame, const Spec& spec, std::size_t slots, Change change) {
  capnp::FlatArrayMessageReader from(
      {reinterpret_cast<const capnp::word*>(frame.data()), frame.size() / sizeof(capnp::word)});
  capnp::MallocMessageBuilder builder;
  builder.setRoot(from.getRoot<wire::Envelope>());
  change(builder.getRoot<wire::Envelope>().getDecisions());
  Decisions back(spec);
  DecisionsReader decisions(spec, slots);
  try {
    decisions.read(builder.getRoot<wire::Envelope>().getDecisions().asReader(), back);
  } catch (const Failed& failed) {
    return failed.what();
  }
  return "";
}

TEST_F(Codec, WhatIsWrongIsNamed) {
  const Spec spec = registry_.spec(kEnv);
  const Bytes first = frame(0);
  using D = wire::Decisions::Builder;
  const auto refused = [&](auto change) { return refusal(first, spec, kSlots, change); };
  EXPECT_EQ(refused([](D) {}), "");
  EXPECT_EQ(refusal(first, spec, 3, [](D) {}), "rows: 4, at most 3 are allowed");
  EXPECT_EQ(refused([](D d) { d.setAsked(3); }), "asked: is not the number of observations");
  EXPECT_EQ(refused([](D d) { d.initReward(9); }), "reward: 9 bytes for 4 rows");
  EXPECT_EQ(refused([](D d) {
              const double nan[4] = {0, 0, std::numeric_limits<double>::quiet_NaN(), 0};
              std::memcpy(d.initReward(sizeof nan).begin(), nan, sizeof nan);
            }),
            "reward: is not a number");
  EXPECT_EQ(refused([](D d) { d.initBegun(3); }), "begun: too few episodes");
  EXPECT_EQ(refused([](D d) { std::memset(d.initSequence(32).begin(), 1, 32); }),
            "context: row 0 does not follow what slot 0 had before");
  EXPECT_EQ(refused([](D d) { d.initSlot(16); }), "slot: 0 is asked twice");
  const auto counts = refused([](D d) { d.getObservation().getCounts()[0].begin()[3] = 0x7f; });
  EXPECT_NE(counts.find("elements in row 0, at most"), std::string::npos) << counts;
  const auto size = refused([](D d) { d.getObservation().getColumns().init(0, 1); });
  EXPECT_NE(size.find("1 bytes, these rows have"), std::string::npos) << size;
}

TEST_F(Codec, ObservationsStayWithinTheirBounds) {
  const Spec spec = registry_.spec(kEnv);
  Batch observation(spec.observation);
  play([&](const Decisions& d, const Batch&) {
    if (observation.rows() == 0) observation.append(d.observation);
  });
  check_values(observation);
  for (std::size_t c = 0; c < observation.columns(); ++c) {
    const Leaf& leaf = spec.observation.leaves[c];
    const auto bytes = observation.bytes(c, 0, 1);
    if (bytes.empty()) continue;
    const Bytes before(bytes.begin(), bytes.end());
    std::memset(bytes.data(), 0xff, bytes.size());  // -1, 255, NaN
    try {
      check_values(observation);
      EXPECT_EQ(leaf.dtype, DType::u8) << leaf.name;
    } catch (const Failed& failed) {
      EXPECT_EQ(std::string(failed.what()).find(leaf.name + ": "), 0u) << failed.what();
    }
    std::ranges::copy(before, bytes.begin());
  }
}

TEST(Preamble, TellsItsVersionForEver) {
  const auto bytes = preamble();
  ASSERT_EQ(bytes.size(), 8u);
  EXPECT_EQ(std::memcmp(bytes.data(), "PKB\x01\0\0\0\0", 8), 0);
  EXPECT_EQ(major_of(bytes), kMajor);
  const auto other = std::as_bytes(std::span("PKB\x07", 4));
  EXPECT_FALSE(major_of(other));
  EXPECT_EQ(major_of(std::as_bytes(std::span("PKB\x07\1\2\3\4", 8))), 7);
  EXPECT_FALSE(major_of(std::as_bytes(std::span("GET / HT", 8))));
}

}  // namespace codec_test
}  // namespace park::bridge
