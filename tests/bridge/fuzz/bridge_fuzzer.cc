// The libFuzzer program (preset fuzz): bridge_fuzzer CORPUS -max_total_time=600
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/bridge/fuzz/bridge_fuzz.h"

/// Writes the seeds into the folder that PARK_FUZZ_SEEDS names.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* folder = std::getenv("PARK_FUZZ_SEEDS");
  if (folder == nullptr) return 0;
  std::filesystem::create_directories(folder);
  int number = 0;
  for (const std::string& seed : park::bridge::test::fuzz_seeds())
    std::ofstream(std::filesystem::path(folder) / ("seed" + std::to_string(number++)),
                  std::ios::binary)
        << seed;
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  park::bridge::test::fuzz_bridge(std::as_bytes(std::span(data, size)));
  return 0;
}
