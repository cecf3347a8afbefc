#include "park/judge/inputs.h"

#include <sys/random.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "park/core/batch.h"
#include "park/core/episodes.h"
#include "park/core/error.h"
#include "park/files/read.h"
#include "park/files/sha256.h"

namespace park::judge {

const char* to_text(Set set) noexcept {
  return set == Set::train ? "train" : set == Set::validation ? "validation" : "hidden";
}

std::vector<Episode> draw_inputs(Set set, std::uint64_t seed, std::uint64_t count) {
  const Phase phase = set == Set::train        ? Phase::train
                      : set == Set::validation ? Phase::validate
                                               : Phase::evaluate;
  // Not those of training, validation and benchmarks with that seed.
  const RandomEpisodes source(phase_rng(seed, phase).split("judge"));
  std::vector<Episode> all;
  for (std::uint64_t k = 0; k < count; ++k) {
    all.push_back(*source.at(k));
    all.back().id = k;
  }
  return all;
}

std::uint64_t fresh_seed() {
  std::uint64_t seed = 0;
  if (getrandom(&seed, sizeof seed, 0) != static_cast<ssize_t>(sizeof seed))
    throw Error(Errc::unavailable, std::string("no random number: ") + std::strerror(errno));
  return seed;
}

std::string digest_of(const EnvOfText& env, const std::vector<Episode>& episodes) {
  constexpr std::uint64_t kMostFile = std::uint64_t{4} << 30;
  std::string all = env.text() + '\n';
  const auto add = [&](const void* bytes, std::size_t n) {
    all.append(static_cast<const char*>(bytes), n);
  };
  for (const std::filesystem::path& file : env.data_files())
    if (std::filesystem::is_regular_file(file))
      all += files::sha256_text(files::read_whole(file, kMostFile)) + '\n';
  const Spec spec = env.spec();
  const auto simulated = env.factory()();
  Batch rows(spec.observation);
  for (const Episode& episode : episodes) {
    add(&episode.inputs, sizeof episode.inputs);
    add(&episode.dynamics, sizeof episode.dynamics);
    rows.clear();
    simulated->reset(episode, rows.append());
    for (std::size_t c = 0; c < rows.columns(); ++c) {
      const auto bytes = std::as_const(rows).bytes(c, 0, 1);
      add(bytes.data(), bytes.size());
    }
  }
  return files::sha256_text(all);
}

}  // namespace park::judge
