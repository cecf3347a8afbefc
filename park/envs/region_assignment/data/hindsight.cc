#include "park/envs/region_assignment/hindsight.h"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "park/command/numbers.h"
#include "park/command/output.h"
#include "park/core/config.h"
#include "park/core/episodes.h"
#include "park/core/text.h"
#include "park/envs/region_assignment/data/actions.h"
#include "park/files/new_file.h"
#include "park/files/sha256.h"

namespace park::region_assignment {
namespace {

constexpr std::uint64_t kMostSeed = std::uint64_t{1} << 53;

class Hindsight final : public command::DataAction {
 public:
  command::ActionInfo info() const override {
    return {.name = "hindsight",
            .summary = "the linear program of each episode, whose optimum no policy beats",
            .details =
                "Episodes are those of `park run ENV --seed S`. Each becomes a file "
                "episode-K.mps in a folder that exists. The report has the checksum of "
                "each episode's inputs.",
            .example = "'region_assignment(accounts=100)' --seed 1 --episodes 3 --out programs"};
  }

  void declare(command::Options& options) override {
    options.text("ENV", "", env_, "text of the environment", command::Options::Need::required);
    options.integer("--seed", "S", seed_, {0, kMostSeed}, "of the run");
    options.integer("--episodes", "N", episodes_, {1, 10'000}, "the first ones of the run");
    options.text("--out", "FOLDER", folder_, "where the files go",
                 command::Options::Need::required);
  }

  void check(Violations& wrong) override {
    if (!folder_.empty() && !std::filesystem::is_directory(folder_))
      wrong.add("--out: " + folder_ + " is no folder");
    try {
      const Value text = parse_named(env_);
      if (text.text != kRegionAssignmentName)
        wrong.add("ENV: '" + text.text + "' is not region_assignment");
      else
        config_ = parse_config<RegionConfig>(text);
    } catch (const Error& e) {
      wrong.add(std::string("ENV: ") + e.what());
    }
    if (config_.migrations > 0)
      wrong.add("ENV: migrations = " + std::to_string(config_.migrations) +
                " has no bound; allowed is 0");
  }

  void make(command::ReadProgress&) override {}

  /// One episode at a time: a program takes megabytes.
  void write() override {
    const RandomEpisodes source(phase_rng(seed_, Phase::evaluate), {.count = episodes_});
    for (std::uint64_t k = 0; k < episodes_; ++k) {
      const KnownEpisode episode = known_episode(config_, source.at(k)->inputs);
      checksums_.push_back(files::sha256_text(inputs_text(episode)));
      const std::string path = folder_ + "/episode-" + std::to_string(k) + ".mps";
      if (files::try_write_file(path, hindsight_mps(config_, episode)))
        throw command::Failure(path + ": it cannot be written");
    }
  }

  void write_json(JsonWriter& json) const override {
    json.member("env", to_text(canonical(kRegionAssignmentName, config_))).member("seed", seed_);
    json.key("inputs_sha256").values(checksums_);
  }

  std::string text(std::size_t) const override {
    return "wrote " + command::plural(episodes_, "linear program") + " to " + folder_ + '\n';
  }

 private:
  std::string env_, folder_;
  std::uint64_t seed_ = 1, episodes_ = 1;
  RegionConfig config_;
  std::vector<std::string> checksums_;
};

}  // namespace

std::unique_ptr<command::DataAction> make_hindsight() { return std::make_unique<Hindsight>(); }

}  // namespace park::region_assignment
