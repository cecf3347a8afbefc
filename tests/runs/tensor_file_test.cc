// Weights as files, and every way in which such a file can be wrong.
#include "park/runs/tensor_file.h"

#include <cstring>
#include <nlohmann/json.hpp>

#include "tests/runs/fake_module.h"
#include "tests/runs/scratch.h"

namespace park::runs {
namespace tensor_file_test {

using test::bytes_of;
using test::error_of;

std::vector<char> chars(const std::string& text) { return {text.begin(), text.end()}; }

/// A file of any header and so many bytes of data.
std::string file_of(const std::string& header, std::size_t data) {
  const std::uint64_t length = header.size();
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes + header + std::string(data, '\1');
}

std::string refusal(const std::string& bytes) {
  return error_of(Errc::bad_file, [&] { TensorFile(chars(bytes), "w"); });
}

TEST(TensorFile, ReadsBackWhatWasWritten) {
  std::vector<float> a{1.5f, -2, 3, 4, 5, 6};
  std::vector<std::uint8_t> b{7};
  std::vector<double> c{0.1};
  std::vector<std::int64_t> d;
  const TensorViews written{{"b", DType::u8, {1}, bytes_of(b)},
                            {"net.0.weight", DType::f32, {2, 3}, bytes_of(a)},
                            {"none", DType::i64, {0, 4}, bytes_of(d)},
                            {"c", DType::f64, {}, bytes_of(c)}};
  const TensorFile read(chars(tensor_file_bytes(written)), "w");
  ASSERT_EQ(read.tensors().size(), 4u);
  std::vector<float> a2(6);
  std::vector<std::uint8_t> b2(1);
  std::vector<double> c2(1);
  copy_tensors(read.tensors(),
               {{"none", DType::i64, {0, 4}, {}},
                {"net.0.weight", DType::f32, {2, 3}, bytes_of(a2)},
                {"c", DType::f64, {}, bytes_of(c2)},
                {"b", DType::u8, {1}, bytes_of(b2)}},
               "w");
  EXPECT_EQ(a2, a);
  EXPECT_EQ(b2, b);
  EXPECT_EQ(c2, c);
}

/// The format as its documentation has it, read by another JSON reader.
TEST(TensorFile, HasTheHeaderOfTheFormat) {
  std::vector<float> a{1, 2};
  std::vector<std::uint8_t> b{7, 8, 9};
  const std::string bytes =
      tensor_file_bytes({{"b", DType::u8, {3}, bytes_of(b)}, {"a", DType::f32, {2}, bytes_of(a)}});
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  EXPECT_EQ(length % 8, 0u);
  const auto header = nlohmann::json::parse(bytes.substr(8, length));
  EXPECT_EQ(header["a"],
            (nlohmann::json{{"dtype", "F32"}, {"shape", {2}}, {"data_offsets", {0, 8}}}));
  EXPECT_EQ(header["b"]["data_offsets"], (nlohmann::json{8, 11}));
  EXPECT_EQ(bytes.size(), 8 + length + 11);
  EXPECT_EQ(bytes.substr(8 + length + 8), "\7\10\11");
}

TEST(TensorFile, RefusesWhatIsCutOff) {
  std::vector<float> a{1, 2, 3};
  const std::string whole = tensor_file_bytes({{"a", DType::f32, {3}, bytes_of(a)}});
  for (std::size_t n = 0; n < whole.size(); ++n) {
    const std::string text = refusal(whole.substr(0, n));
    EXPECT_NE(text.find("cut off"), std::string::npos) << n << ": " << text;
  }
  EXPECT_EQ(refusal(whole + "x"), "w: 1 bytes behind the last array");
}

TEST(TensorFile, RefusesHeadersThatContradictTheirData) {
  const auto entry = [](const std::string& name, const std::string& shape,
                        const std::string& offsets, const std::string& type = "F32") {
    return '"' + name + R"(": {"dtype": ")" + type + R"(", "shape": )" + shape +
           R"(, "data_offsets": )" + offsets + "}";
  };
  const auto of = [&](const std::string& entries, std::size_t data) {
    return refusal(file_of('{' + entries + '}', data));
  };
  EXPECT_EQ(of(entry("a", "[2]", "[0, 8]") + ',' + entry("b", "[2]", "[4, 12]"), 12),
            "w: b: overlaps the array before it");
  EXPECT_EQ(of(entry("a", "[2]", "[0, 8]") + ',' + entry("b", "[1]", "[12, 16]"), 16),
            "w: b: a gap in front of it");
  EXPECT_EQ(of(entry("a", "[3]", "[0, 8]"), 8), "w: a: its shape does not fit its bytes");
  EXPECT_EQ(of(entry("a", "[2]", "[8, 0]"), 8), "w: a: ends before it begins");
  EXPECT_EQ(of(entry("a", "[4294967296, 4294967296, 4]", "[0, 0]"), 0),
            "w: a: its shape does not fit its bytes");
  EXPECT_EQ(of(entry("a", "[-1]", "[0, 0]"), 0), "w: a: a negative size");
  EXPECT_EQ(of(entry("a", "[2]", "[0, 8]", "BF16"), 8),
            "w: a: its type is not U8, I32, I64, F32 or F64");
  EXPECT_EQ(of(entry("a", "[1]", "[0, 4]") + ',' + entry("a", "[1]", "[4, 8]"), 8),
            "w: a name comes twice in the header");
  EXPECT_EQ(of(R"("a": {"dtype": "F32", "shape": [1]})", 4),
            "w: a: needs dtype, shape and data_offsets");
  EXPECT_EQ(of(R"("a": {"dtype": "F32", "dtype": "F32"})", 4), "w: a: a field comes twice");
  EXPECT_EQ(of(R"("a": {"shape": [1.5]})", 4), "w: its header: expected a whole number");
  EXPECT_EQ(of(entry("a\\u0062", "[1]", "[0, 4]"), 4),
            "w: a name of an array is not 1 to 200 printable characters");
  EXPECT_EQ(of(R"("__metadata__": )" + std::string(300, '['), 0),
            "w: its header: nested too deeply");
  EXPECT_EQ(of(entry("a", "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", "[0, 4]"), 4),
            "w: a: more than 16 dimensions");
}

TEST(TensorFile, RefusesAHeaderOfAbsurdLength) {
  std::string bytes = file_of("{}", 0);
  bytes[7] = '\x7f';
  EXPECT_EQ(refusal(bytes), "w: its header would be longer than 4194304 bytes");
}

TEST(TensorFile, OtherShapesAreRefusedBeforeAnythingIsCopied) {
  std::vector<float> a{1, 2}, b{3}, to_a(2), to_b(2), to_c(1);
  const TensorViews from{{"a", DType::f32, {2}, bytes_of(a)}, {"b", DType::f32, {1}, bytes_of(b)}};
  const TensorView good{"a", DType::f32, {2}, bytes_of(to_a)};
  const auto copy = [&](const TensorViews& to) {
    return error_of(Errc::bad_file, [&] { copy_tensors(from, to, "w"); });
  };
  EXPECT_EQ(copy({good, {"b", DType::f32, {2}, bytes_of(to_b)}}),
            "w: b is f32 [1], the network has f32 [2]");
  EXPECT_EQ(copy({good, {"c", DType::f32, {1}, bytes_of(to_c)}}), "w: has no array c");
  EXPECT_EQ(copy({good}), "w: holds b, which the network does not have");
  EXPECT_EQ(to_a, (std::vector<float>{0, 0}));
}

}  // namespace tensor_file_test
}  // namespace park::runs
