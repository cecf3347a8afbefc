// What a training writes about itself: settings, progress, validations, data files, plug-ins, host,
// and Manifest, which holds them all. Each struct lists its fields for reader and writer. The training
// loop fills a Manifest and writes it with every checkpoint; checkpoints, `park train --resume` and
// policies from checkpoints read it.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "park/core/space.h"
#include "park/runs/training_texts.h"

namespace park::runs {

/// The settings of a training. Texts are canonical.
struct TrainSettings {
  std::string env, algorithm, baseline, network;
  std::uint64_t seed = 1;
  std::uint64_t iterations = 0;  ///< it ends after so many; 0: no limit
  double budget_s = 0;           ///< CPU time of the process; 0: no limit
  double wall_s = 0;             ///< what passes while it runs; 0: no limit
  std::uint64_t decisions = 0;   ///< ends with the iteration that reaches so many; 0: no limit
  double validate_every = 0.05;  ///< part of the training between two validations
  std::uint64_t validation_episodes = 100;
  std::string validate_on{};     ///< environment of the validations; nothing: env
  std::uint64_t keep_every = 0;  ///< iterations between policies that are kept; 0: none
  std::string init;              ///< checkpoint whose weights are the first ones
  std::string device = "cpu";
  std::uint64_t threads = 1;
  double adversarial = 0;  ///< share of the episodes that have misreporting users
  Guidance guidance{};
  Mixture mixture{};  ///< `env` is its first environment

  [[nodiscard]] const std::string& validation_env() const noexcept {
    return validate_on.empty() ? env : validate_on;
  }

  /// Fields that older files lack: they keep their defaults.
  static constexpr std::array<std::string_view, 12> kLater = {
      "wall_s",        "decisions", "validate_on", "adversarial",   "imitate", "imitate_iterations",
      "imitate_along", "replay",    "explore",     "explore_share", "mixture", "scale_by"};

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("env", s.env);
    visit("algorithm", s.algorithm);
    visit("baseline", s.baseline);
    visit("network", s.network);
    visit("seed", s.seed);
    visit("iterations", s.iterations);
    visit("budget_s", s.budget_s);
    visit("wall_s", s.wall_s);
    visit("decisions", s.decisions);
    visit("validate_every", s.validate_every);
    visit("validation_episodes", s.validation_episodes);
    visit("validate_on", s.validate_on);
    visit("keep_every", s.keep_every);
    visit("init", s.init);
    visit("device", s.device);
    visit("threads", s.threads);
    visit("adversarial", s.adversarial);
    Guidance::fields(s.guidance, visit);
    Mixture::fields(s.mixture, visit);
  }
};

/// The progress of a training.
struct TrainProgress {
  std::uint64_t iteration = 0;   ///< finished so far
  std::uint64_t imitations = 0;  ///< of these, the first ones, which imitated a teacher
  std::uint64_t decisions = 0, episodes = 0;
  double part = 0;               ///< completed part of the training, in [0, 1]
  double cpu_s = 0, wall_s = 0;  ///< CPU time of the process, and what passed while it ran

  /// Fields that older files lack: they keep their defaults.
  static constexpr std::array<std::string_view, 1> kLater = {"imitations"};

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("iteration", s.iteration);
    visit("imitations", s.imitations);
    visit("decisions", s.decisions);
    visit("episodes", s.episodes);
    visit("part", s.part);
    visit("cpu_s", s.cpu_s);
    visit("wall_s", s.wall_s);
  }
};

/// The environment's first metric over the validation episodes, played by argmax.
struct ValidationPoint {
  TrainProgress at;
  double mean = 0, sd = 0;  ///< undefined (NaN) where an episode's figure is
  double play_s = 0;        ///< what the validation took

  static constexpr auto kLater = TrainProgress::kLater;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    TrainProgress::fields(s.at, visit);
    visit("mean", s.mean);
    visit("sd", s.sd);
    visit("play_s", s.play_s);
  }
};

/// A file that the inputs of the environment were made of, or one of a checkpoint.
struct DataFile {
  std::string path;  ///< name without folder, since manifests are copied
  std::uint64_t bytes = 0;
  std::string crc32c;
  std::string sha256{};  ///< empty: it was described before there was one

  /// Fields that older files lack: they keep their defaults.
  static constexpr std::array<std::string_view, 1> kLater = {"sha256"};

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("path", s.path);
    visit("bytes", s.bytes);
    visit("crc32c", s.crc32c);
    visit("sha256", s.sha256);
  }
};

/// The machine and the software of a training.
struct TrainingHost {
  std::string park, commit, compiler, libtorch, blas;
  std::string processor, system;
  std::uint64_t cores = 0, memory_bytes = 0;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("park", s.park);
    visit("commit", s.commit);
    visit("compiler", s.compiler);
    visit("libtorch", s.libtorch);
    visit("blas", s.blas);
    visit("processor", s.processor);
    visit("system", s.system);
    visit("cores", s.cores);
    visit("memory_bytes", s.memory_bytes);
  }
};

/// A plug-in that an environment or a policy came from.
struct PluginUsed {
  std::string name, version;
  std::string file;    ///< name without folder, since manifests are copied; or module:Class
  std::string sha256;  ///< of the file; empty for a class in Python

  bool operator==(const PluginUsed&) const = default;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("name", s.name);
    visit("version", s.version);
    visit("file", s.file);
    visit("sha256", s.sha256);
  }
};

/// manifest.json of a run's folder and of a checkpoint's.
struct Manifest {
  enum class Kind : std::uint8_t { run, checkpoint };
  Kind kind = Kind::checkpoint;
  std::vector<std::string> command;  ///< command that began the run; --resume leaves it
  TrainSettings settings;
  std::string env_name;  ///< name in the spec; empty: the name that settings.env begins with
  std::uint64_t env_version = 1, network_version = 1;
  std::string layout_hash;          ///< hash of the environment's layout, hexadecimal
  std::vector<std::string> layout;  ///< a line for each leaf and head that it is made of
  bool any_lengths = false;         ///< its network serves other lengths of leaves (PartInfo)
  std::string metric;               ///< metric of validation
  bool lower_is_better = true;
  std::uint64_t parameters = 0;  ///< numbers of the policy network
  TrainProgress progress;
  /// That of the newest iteration that imitated or replayed (IterationReport); NaN: none did.
  double imitation_loss = std::numeric_limits<double>::quiet_NaN();
  std::vector<ValidationPoint> validations;
  std::vector<TrainProgress> init;  ///< what the first weights cost, where they were given
  std::uint64_t metrics_bytes = 0, events_bytes = 0;  ///< sizes of the run's files at this point
  TrainingHost host;
  std::vector<DataFile> data;         ///< files of the environment, of the teacher, of exploration
  std::vector<DataFile> files;        ///< files of the checkpoint, beside the manifest
  std::vector<PluginUsed> plugins{};  ///< plug-ins of the environment and of the teacher

  /// Fields that older files lack: they keep their defaults.
  static constexpr std::array<std::string_view, 5> kLater = {
      "env_name", "network_version", "any_lengths", "imitation_loss", "plugins"};

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("command", s.command);
    visit("settings", s.settings);
    visit("env_name", s.env_name);
    visit("env_version", s.env_version);
    visit("network_version", s.network_version);
    visit("layout_hash", s.layout_hash);
    visit("layout", s.layout);
    visit("any_lengths", s.any_lengths);
    visit("metric", s.metric);
    visit("lower_is_better", s.lower_is_better);
    visit("parameters", s.parameters);
    visit("progress", s.progress);
    visit("imitation_loss", s.imitation_loss);
    visit("validations", s.validations);
    visit("init", s.init);
    visit("metrics_bytes", s.metrics_bytes);
    visit("events_bytes", s.events_bytes);
    visit("host", s.host);
    visit("data", s.data);
    visit("files", s.files);
    visit("plugins", s.plugins);
  }

  /// The best validation so far, or nullptr: there is none that is defined.
  [[nodiscard]] const ValidationPoint* best() const noexcept;
};

constexpr int kManifestVersion = 1;

[[nodiscard]] std::string manifest_text(const Manifest&);
/// `file` is the name in errors. Throws Error{bad_file} in one line: no JSON, another schema, a
/// newer version, a field that is missing, doubled or of another type.
[[nodiscard]] Manifest parse_manifest(std::string_view text, const std::string& file);

/// The parts of layout_hash: a line for each leaf that networks see and for each head.
[[nodiscard]] std::vector<std::string> layout_lines(const Spec&);

/// Whether the manifest's policy plays in the environment. Its layout must be the same, or the same
/// but for lengths that its network takes as they are. A head that had one value in training has
/// taught nothing of others.
[[nodiscard]] bool fits(const Manifest&, const Spec&);
/// Throws Error{invalid_config} in one line where the manifest's policy is for another environment
/// or for another layout; the line names the first leaf that differs.
void check_layout(const Manifest&, const Spec&, const std::string& file);
/// Throws Error{invalid_config} in one line where the weights are those of another version of the
/// network.
void check_network(const Manifest&, std::uint64_t version, const std::string& file);

}  // namespace park::runs
