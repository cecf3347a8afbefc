// What peers may make of specs and rows: sizes that wrap round, and more than is allowed, are
// refused before anything is made of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bridge/codec/decisions.h"
#include "bridge/codec/failure.h"
#include "bridge/codec/frame.h"
#include "bridge/codec/rows.h"
#include "bridge/codec/spec.h"
#include "bridge/codec/wire_bytes.h"

namespace park::bridge {
namespace codec_limits_test {

constexpr std::int64_t kOne = 1;

/// "malformed: TEXT", "tooMuch: TEXT", or nothing.
template <class Function>
std::string refusal(Function&& function) {
  try {
    function();
  } catch (const Failed& failed) {
    const std::string text = failed.what();
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    if (failed.code() == Code::MALFORMED) return "malformed: " + text;
    if (failed.code() == Code::TOO_MUCH) return "tooMuch: " + text;
    ADD_FAILURE() << text;
  }
  return "";
}

Leaf leaf(const std::string& name, DType dtype, std::vector<std::int64_t> shape = {}) {
  return {.name = name, .dtype = dtype, .shape = std::move(shape), .low = 0, .high = 1, .doc = "x"};
}

Spec small_spec() {
  Spec spec{.name = "small", .summary = "for tests", .reference = "none"};
  spec.observation.leaves = {leaf("load", DType::u8)};
  spec.action.leaves = {leaf("push", DType::f32)};
  return spec;
}

std::string refusal_of(const Spec& spec) {
  EnvelopeWriter writer;
  write(spec, writer.begin().initOpenPolicy().initSpec());
  EnvelopeReader reader;
  const auto message = reader.read(writer.finish());
  return refusal([&] { static_cast<void>(read(message.getOpenPolicy().getSpec())); });
}

TEST(SpecLimits, ALeafThatWrapsRoundIsNamed) {
  const std::vector<std::vector<std::int64_t>> shapes{
      {kOne << 62}, {kOne << 61}, {kOne << 32, kOne << 32}, {kOne << 31}, {kOne << 25}};
  for (const auto& shape : shapes) {
    Spec spec = small_spec();
    spec.action.leaves[0].shape = shape;
    EXPECT_EQ(refusal_of(spec).find("malformed: spec small: action leaf 'push': with its shape ["),
              0u);
    spec = small_spec();
    spec.observation.leaves.push_back(leaf("wide", DType::f64, shape));
    EXPECT_EQ(
        refusal_of(spec).find("malformed: spec small: observation leaf 'wide': with its shape ["),
        0u);
  }
}

TEST(SpecLimits, MoreThanIsAllowedIsNamed) {
  const auto refused = [](const std::function<void(Spec&)>& change) {
    Spec spec = small_spec();
    change(spec);
    return refusal_of(spec);
  };
  EXPECT_EQ(refused([](Spec&) {}), "");
  EXPECT_EQ(refused([](Spec& s) { s.action.leaves[0].shape.assign(32, 1); }), "");
  EXPECT_EQ(refused([](Spec& s) { s.action.leaves[0].shape.assign(33, 1); }),
            "tooMuch: spec: dimensions of leaf 'push': 33, at most 32 are allowed");
  EXPECT_EQ(refused([](Spec& s) { s.action.leaves[0].given.assign(33, "push"); }),
            "tooMuch: spec: names in 'given' of leaf 'push': 33, at most 32 are allowed");
  EXPECT_EQ(refused([](Spec& s) { s.action.leaves.resize(257, s.action.leaves[0]); }),
            "tooMuch: spec: leaves of the action: 257, at most 256 are allowed");
  EXPECT_EQ(refused([](Spec& s) { s.observation.leaves.resize(4097, s.observation.leaves[0]); }),
            "tooMuch: spec: leaves of the observation: 4097, at most 4096 are allowed");
  EXPECT_EQ(refused([](Spec& s) { s.observation.groups.resize(4097); }),
            "tooMuch: spec: groups of the observation: 4097, at most 4096 are allowed");
  EXPECT_EQ(refused([](Spec& s) { s.metrics.resize(4097); }),
            "tooMuch: spec: metrics: 4097, at most 4096 are allowed");
  EXPECT_EQ(refused([](Spec& s) { s.action.leaves[0].name.assign(257, 'a'); }),
            "tooMuch: spec: bytes of a name of a leaf: 257, at most 256 are allowed");
  EXPECT_EQ(refused([](Spec& s) {
              s.observation.leaves[0].doc.assign(1U << 20U, 'a');
            }).find("tooMuch: spec: bytes of all texts up to leaf 'load': "),
            0u);
}

// ---- Rows -------------------------------------------------------------------------------------

/// Rows whose columns are given by their bytes alone.
class RowLimits : public ::testing::Test {
 protected:
  std::string refused(const Record& record, std::uint32_t count,
                      const std::vector<std::vector<std::uint32_t>>& counts,
                      const std::vector<std::size_t>& columns) {
    capnp::MallocMessageBuilder builder;
    auto rows = builder.initRoot<wire::Rows>();
    rows.setCount(count);
    auto lists = rows.initCounts(static_cast<unsigned>(counts.size()));
    for (unsigned g = 0; g < lists.size(); ++g)
      lists.set(g, as_data(std::as_bytes(std::span(counts[g]))));
    auto bytes = rows.initColumns(static_cast<unsigned>(columns.size()));
    for (unsigned c = 0; c < bytes.size(); ++c) bytes.init(c, static_cast<unsigned>(columns[c]));
    Batch into(record);
    return refusal([&] { read(rows.asReader(), 4096, into); });
  }
};

TEST_F(RowLimits, AColumnThatWrapsRoundIsNamed) {
  Record ragged;
  ragged.groups = {{"jobs", kOne << 40}};
  ragged.leaves = {leaf("job.size", DType::f32, {kOne << 24})};
  ragged.leaves[0].group = "jobs";
  const std::vector<std::uint32_t> counts(128, 1U << 31U);  // 2^7 * 2^31 * 2^26 bytes are 2^64
  EXPECT_EQ(refused(ragged, 128, {counts}, {0}),
            "malformed: job.size: 0 bytes, these rows have 18446744073709551615");
  EXPECT_EQ(refused(ragged, 1, {{1U << 31U}}, {0}),
            "malformed: job.size: 0 bytes, these rows have 144115188075855872");
}

TEST_F(RowLimits, RowsAreNotMadeBeforeTheirColumnsAreThere) {
  Record wide;
  wide.leaves = {leaf("wide", DType::f32, {kOne << 24})};
  EXPECT_EQ(refused(wide, 4096, {}, {8}), "malformed: wide: 8 bytes, these rows have 274877906944");
}

TEST_F(RowLimits, WithoutRowsTheListsMayBeEmpty) {
  Record record;
  record.groups = {{"jobs", 9}};
  record.leaves = {leaf("clock", DType::f64), leaf("job.size", DType::f32)};
  record.leaves[1].group = "jobs";
  EXPECT_EQ(refused(record, 0, {}, {}), "");
  EXPECT_EQ(refused(record, 0, {{}}, {0, 0}), "");
  EXPECT_EQ(refused(record, 0, {}, {0, 0}), "");
  EXPECT_EQ(refused(record, 0, {}, {0}), "malformed: rows: 1 columns, the record has 2 leaves");
  EXPECT_EQ(refused(record, 0, {}, {0, 4}), "malformed: job.size: 4 bytes, these rows have 0");
  EXPECT_EQ(refused(record, 1, {{0}}, {}), "malformed: rows: 0 columns, the record has 2 leaves");
  EXPECT_EQ(refused(record, 1, {}, {8, 0}),
            "malformed: rows: 0 lists of counts, the record has 1 groups");
}

/// A library counts each read of a list against the limit of a message.
TEST_F(RowLimits, ManyThinRowsOfAGroupAreRead) {
  Record record;
  record.groups = {{"jobs", 9}};
  record.leaves = {leaf("job.kind", DType::u8)};
  record.leaves[0].group = "jobs";
  Batch from(record), into(record);
  const auto kind = from.field<std::uint8_t>("job.kind");
  for (std::size_t r = 0; r < 4096; ++r) {
    const Row row = from.append();
    row.resize(from.group("jobs"), r % 3);
    for (std::uint8_t& value : row[kind]) value = static_cast<std::uint8_t>(r % 2);
  }
  EnvelopeWriter writer;
  write(from, writer.begin().initStep().initActions());
  EnvelopeReader reader;
  read(reader.read(writer.finish()).getStep().getActions(), 4096, into);
  ASSERT_EQ(into.rows(), from.rows());
  EXPECT_TRUE(std::ranges::equal(into.bytes(0, 0, 4096), from.bytes(0, 0, 4096)));
  EXPECT_TRUE(std::ranges::equal(into.offsets({0}), from.offsets({0})));
}

TEST(Data, ALengthThatCapnProtoLacksIsNamed) {
  EXPECT_EQ(data_size(5, "x"), 5u);
  EXPECT_EQ(refusal([] { static_cast<void>(data_size(std::size_t{1} << 32, "x")); }),
            "tooMuch: x: 4294967296 bytes in one message, at most 536870911 are allowed");
}

TEST(QuestionLimits, TheAnswerFitsIntoAMessage) {
  Spec spec = small_spec();
  spec.action.leaves[0].shape = {kOne << 24};
  ASSERT_EQ(refusal_of(spec), "") << "a row of the largest size";
  DecisionsReader reader(spec, 4096);
  Decisions into(spec);
  const auto refused = [&](std::uint32_t n) {
    Decisions question(spec);
    question.observation.resize(n);
    for (std::uint32_t i = 0; i < n; ++i) question.asked.push_back({i, i, 0, {.id = i}, {}});
    EnvelopeWriter writer;
    write(question, writer.begin().initDecisions());
    EnvelopeReader message;
    const auto from = message.read(writer.finish()).getDecisions();
    return refusal([&] { reader.read(from, into); });
  };
  EXPECT_EQ(refused(1), "");
  EXPECT_EQ(refused(4096),
            "tooMuch: asked: the actions of 4096 rows take 274877906944 bytes, at most 67108864 "
            "are allowed");
}

}  // namespace codec_limits_test
}  // namespace park::bridge
