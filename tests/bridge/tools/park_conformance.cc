// The C++ client's program of docs/conformance.md; it also writes the vectors.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "tests/bridge/tools/conformance_client.h"
#include "tests/bridge/tools/message_json.h"
#include "tests/bridge/tools/vectors.h"

namespace {

namespace fs = std::filesystem;
using namespace park::bridge;

int decode(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    std::ifstream in(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    std::cout << fs::path(file).filename().string() << ' '
              << test::message_json(std::as_bytes(std::span(text))) << '\n';
  }
  return 0;
}

void write_vectors(const fs::path& folder, const std::map<std::string, Bytes>& all) {
  fs::create_directories(folder);
  for (const auto& [name, bytes] : all)
    std::ofstream(folder / (name + ".bin"), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  std::ofstream(folder / "expected.txt") << test::expected_lines(all);
}

int write_vectors(const fs::path& folder) {
  write_vectors(folder, test::vectors());
  write_vectors(folder / "requests", test::request_vectors());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  try {
    if (words.size() > 1 && words[0] == "decode") return decode({words.begin() + 1, words.end()});
    if (words.size() == 2 && words[0] == "vectors") return write_vectors(words[1]);
    if (words.size() == 3 && words[0] == "rollout")
      return static_cast<void>(std::cout << test::rollout(words[1], words[2]) << '\n'), 0;
    if (words.size() == 3 && words[0] == "scenario")
      return static_cast<void>(std::cout << test::scenario(words[1], words[2]) << '\n'), 0;
  } catch (const std::exception& error) {
    std::cerr << "error: " << error.what() << '\n';
    return 1;
  }
  std::cerr << "usage: park_conformance decode FILE... | rollout ENDPOINT ENV | scenario ENDPOINT "
               "ENV | vectors FOLDER\n";
  return 2;
}
