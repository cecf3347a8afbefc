#include "systems/dl_cluster_live/checkpoint.h"

#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace park::dl_cluster_live {
namespace {

constexpr std::array<char, 8> kMagic{'P', 'A', 'R', 'K', 'J', 'O', 'B', '1'};
constexpr std::uint64_t kMostParameters = std::uint64_t{1} << 28;

struct CheckpointHead {
  std::array<char, 8> magic = kMagic;
  std::int32_t kind = 0, unused = 0;
  std::uint64_t seed = 0, count = 0;
  std::int64_t step = 0;
};

std::string checkpoint_file(const std::string& folder) { return folder + "/checkpoint"; }

}  // namespace

void write_checkpoint(const std::string& folder, std::int32_t run, const Checkpoint& about,
                      std::span<const float> parameters) {
  const std::string part = checkpoint_file(folder) + "." + std::to_string(run);
  {
    std::ofstream file(part, std::ios::binary);
    CheckpointHead head;
    head.kind = about.kind;
    head.seed = about.seed;
    head.count = parameters.size();
    head.step = about.step;
    file.write(reinterpret_cast<const char*>(&head), sizeof head);
    file.write(reinterpret_cast<const char*>(parameters.data()),
               static_cast<std::streamsize>(parameters.size_bytes()));
    if (!file.flush()) throw std::runtime_error("cannot write " + part);
  }
  std::filesystem::rename(part, checkpoint_file(folder));
}

std::optional<Checkpoint> read_checkpoint(const std::string& folder) {
  const std::string path = checkpoint_file(folder);
  std::error_code none;
  if (!std::filesystem::exists(path, none)) return {};
  std::ifstream file(path, std::ios::binary);
  CheckpointHead head;
  file.read(reinterpret_cast<char*>(&head), sizeof head);
  if (!file || head.magic != kMagic || head.count > kMostParameters || head.step < 0)
    throw std::runtime_error(path + " is not a checkpoint");
  Checkpoint all{.kind = head.kind, .seed = head.seed, .step = head.step};
  all.parameters.resize(head.count);
  file.read(reinterpret_cast<char*>(all.parameters.data()),
            static_cast<std::streamsize>(head.count * sizeof(float)));
  if (!file || file.peek() != std::ifstream::traits_type::eof())
    throw std::runtime_error(path + " has another size than it says");
  return all;
}

}  // namespace park::dl_cluster_live
