// Curves as TensorBoard reads them: the checksum, the framing, the messages.
#include "park/runs/event_file.h"

#include <cstring>

#include "park/files/crc32c.h"
#include "park/runs/host.h"
#include "tests/runs/scratch.h"

namespace park::runs {
namespace event_file_test {

using test::read_text;

/// RFC 3720, appendix B.4, and the check value of the catalogue of CRC algorithms.
TEST(Crc32c, HasThePublishedValues) {
  EXPECT_EQ(files::crc32c("123456789"), 0xe3069283U);
  EXPECT_EQ(files::crc32c(std::string(32, '\0')), 0x8a9136aaU);
  EXPECT_EQ(files::crc32c(std::string(32, '\xff')), 0x62a8ab43U);
  EXPECT_EQ(files::crc32c("56789", files::crc32c("1234")), files::crc32c("123456789"));
  EXPECT_EQ(files::crc32c_text(0xabcU), "00000abc");
}

class EventFileTest : public test::Scratch {
 protected:
  /// The messages of the file; checks every length and checksum.
  std::vector<std::string> events() {
    std::vector<std::string> all;
    const std::string bytes = read_text(path_);
    for (std::size_t at = 0; at < bytes.size();) {
      std::uint64_t length = 0;
      std::memcpy(&length, &bytes[at], 8);
      EXPECT_EQ(masked(bytes.substr(at, 8)), number(bytes, at + 8));
      all.push_back(bytes.substr(at + 12, length));
      EXPECT_EQ(masked(all.back()), number(bytes, at + 12 + length));
      at += 16 + length;
    }
    return all;
  }
  static std::uint32_t number(const std::string& bytes, std::size_t at) {
    std::uint32_t n = 0;
    std::memcpy(&n, &bytes[at], 4);
    return n;
  }
  static std::uint32_t masked(const std::string& bytes) {
    const std::uint32_t crc = files::crc32c(bytes);
    return ((crc >> 15) | (crc << 17)) + 0xa282ead8U;
  }

  std::filesystem::path path_ = folder_ / "events";
};

TEST_F(EventFileTest, BeginsWithItsVersionAndHoldsScalars) {
  EventFile file(path_, 0);
  file.scalars(1.5, 300, {{"train/x", 2}});
  EXPECT_EQ(file.size(), std::filesystem::file_size(path_));
  const auto all = events();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].substr(9),
            "\x1a\x0d"
            "brain.Event:2");
  const std::string value = std::string("\x0a\x07train/x\x15") + std::string("\0\0\0\x40", 4);
  EXPECT_EQ(all[1],
            std::string("\x09\0\0\0\0\0\0\xf8\x3f\x10\xac\x02\x2a\x10\x0a\x0e", 16) + value);
}

TEST_F(EventFileTest, IsCutBackToItsCheckpoint) {
  std::uint64_t kept = 0;
  {
    EventFile file(path_, 0);
    file.scalars(1, 1, {{"a", 1}});
    kept = file.size();
    file.scalars(2, 2, {{"a", 2}});
  }
  {
    EventFile file(path_, kept);
    file.scalars(3, 2, {{"a", 3}});
  }
  EXPECT_EQ(events().size(), 3u);
  EXPECT_EQ(test::error_of(Errc::bad_file, [&] { EventFile(path_, 1000); }),
            path_.string() + ": has " + std::to_string(std::filesystem::file_size(path_)) +
                " bytes, its checkpoint 1000");
}

TEST(Host, TellsTheBlasByItsFile) {
  const std::string lib = "/usr/lib/x86_64-linux-gnu/";
  EXPECT_EQ(blas_name(lib + "openblas-pthread/libblas.so.3"), "openblas");
  EXPECT_EQ(blas_name(lib + "blas/libblas.so.3.11.0"), "reference");
  EXPECT_EQ(blas_name("/usr/lib64/libblas.so.3"), "reference");
  EXPECT_EQ(blas_name("/opt/intel/libmkl_rt.so.2"), "mkl");
  EXPECT_EQ(blas_name("/opt/libtorch/lib/libtorch_cpu.so"), "unknown");
  EXPECT_EQ(slow_blas_warning("openblas"), "");
  EXPECT_NE(slow_blas_warning("reference").find("libopenblas0-pthread"), std::string::npos);
}

TEST(Host, KnowsThisMachine) {
  TrainingHost host;
  describe_machine(host);
  EXPECT_GT(host.cores, 0u);
  EXPECT_GT(host.memory_bytes, 1U << 20);
  EXPECT_FALSE(host.processor.empty());
  EXPECT_TRUE(host.system.starts_with("Linux "));
  const double before_s = process_cpu_s();
  while (process_cpu_s() == before_s) {
  }
  EXPECT_GT(process_cpu_s(), before_s);
}

}  // namespace event_file_test
}  // namespace park::runs
