#include "park/files/unpack.h"

#include <gtest/gtest.h>

#include "park/core/rng.h"
#include "tests/kit/packing.h"
#include "tests/kit/scratch_folder.h"

namespace park::files {
namespace unpack_test {

struct Form {
  const char* name;
  std::string (*pack)(std::string_view);
};
std::string gzipped(std::string_view text) { return test::gzip(std::string(text)); }
const std::vector<Form> kForms = {
    {"gzip", gzipped}, {"zstd", test::zstd}, {"lz4", test::lz4_frame}, {"lz4", test::lz4_blocks}};

struct Unpacked {
  std::string text;
  bool cut_short = false;
};

/// In pieces of the given size.
Unpacked unpacked(const std::string& packed, std::size_t piece = 1000) {
  const auto source = plain_text(memory_source(packed), "t");
  Unpacked result;
  std::string into(piece, '\0');
  for (std::size_t got = piece; got == piece;) {
    got = source->read(into);
    result.text.append(into, 0, got);
  }
  result.cut_short = source->cut_short();
  return result;
}

/// Some of it repeats, some does not.
std::string sample(std::size_t size) {
  Rng rng(size);
  std::string text;
  while (text.size() < size) text += "line " + std::to_string(rng.below(1 << 20)) + " of the log\n";
  text.resize(size);
  return text;
}

TEST(PlainText, UnpacksEveryForm) {
  for (const Form& form : kForms) {
    for (const std::size_t size : {std::size_t{1}, std::size_t{100}, std::size_t{700'000}}) {
      const std::string text = sample(size), packed = form.pack(text);
      for (const std::size_t piece : {std::size_t{7}, std::size_t{1} << 20}) {
        if (size > 1000 && piece == 7) continue;
        const Unpacked result = unpacked(packed, piece);
        EXPECT_EQ(result.text, text) << form.name << ' ' << size << ' ' << piece;
        EXPECT_FALSE(result.cut_short) << form.name;
      }
    }
  }
  EXPECT_EQ(unpacked(sample(5000)).text, sample(5000)) << "plain";
}

TEST(PlainText, UnpacksStreamsOneBehindAnother) {
  const std::string a = sample(300'000), b = sample(11);
  for (const Form& form : kForms) {
    const Unpacked result = unpacked(form.pack(a) + form.pack("") + form.pack(b));
    EXPECT_EQ(result.text, a + b) << form.name;
    EXPECT_FALSE(result.cut_short) << form.name;
  }
}

TEST(PlainText, GivesWhatThereIsOfAStreamCutShort) {
  const std::string text = sample(400'000);
  for (const Form& form : kForms) {
    const std::string packed = form.pack(text);
    std::size_t before = 0;
    for (std::size_t size = 16; size < packed.size(); size += 997) {
      const Unpacked result = unpacked(packed.substr(0, size));
      EXPECT_TRUE(result.cut_short) << form.name << ' ' << size;
      EXPECT_TRUE(text.starts_with(result.text)) << form.name << ' ' << size;
      EXPECT_GE(result.text.size(), before) << form.name << ' ' << size;
      before = result.text.size();
    }
    EXPECT_GT(before, text.size() / 2) << form.name;
    EXPECT_TRUE(unpacked(packed.substr(0, packed.size() - 1)).cut_short) << form.name;
  }
}

TEST(PlainText, FindsDamage) {
  const std::string text = sample(100'000);
  for (const Form& form : kForms) {
    std::string packed = form.pack(text);
    packed[packed.size() / 2] = static_cast<char>(packed[packed.size() / 2] ^ 0x10);
    EXPECT_EQ(test::error_of([&] { (void)unpacked(packed); }),
              std::string("t: damaged ") + form.name + " data");
  }
}

TEST(PlainText, ChecksTheBlocksOfLz4Java) {
  const std::string packed = test::lz4_blocks(sample(1000));
  const auto error = [&](std::size_t at, char value) {
    std::string changed = packed;
    changed[at] = value;
    return test::error_of([&] { (void)unpacked(changed); });
  };
  const std::string damaged = "t: damaged lz4 data";
  EXPECT_EQ(error(8, 0x30), damaged) << "method";
  EXPECT_EQ(error(12, 0x7f), damaged) << "packed size";
  EXPECT_EQ(error(16, 0x7f), damaged) << "unpacked size";
  EXPECT_EQ(error(17, static_cast<char>(packed[17] ^ 1)), damaged) << "checksum";
  EXPECT_EQ(error(packed.size() - 21, 'l'), damaged) << "magic of the second block";
  EXPECT_EQ(error(packed.size() - 1, 1), damaged) << "checksum of the last block";
}

TEST(PlainText, RefusesOtherCompressionsByName) {
  const auto error = [](const std::string& text) {
    return test::error_of([&] { (void)unpacked(text + "........"); });
  };
  const std::string end = "; plain text, gzip, zstd and lz4 are read, unpack it first";
  EXPECT_EQ(error(std::string("\x82SNAPPY\0", 8)), "t: compressed with snappy" + end);
  EXPECT_EQ(error("ZV\1"), "t: compressed with lzf" + end);
  EXPECT_EQ(error("BZh9"), "t: compressed with bzip2" + end);
  EXPECT_EQ(error("\xfd\x37zXZ"), "t: compressed with xz" + end);
  EXPECT_EQ(error("PK\x03\x04"), "t: compressed with zip" + end);
}

TEST(PlainText, TellsWhetherGzipWasCut) {
  const std::string packed = test::gzip(std::string(1000, 'x'));
  for (const std::size_t size : {packed.size() - 1, packed.size() - 8, std::size_t{12}}) {
    EXPECT_TRUE(unpacked(packed.substr(0, size)).cut_short) << size;
  }
  EXPECT_EQ(unpacked(packed + std::string(100, '\0')).text.size(), 1000U) << "padding";
}

}  // namespace unpack_test
}  // namespace park::files
