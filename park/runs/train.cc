// The loop of a training and its folder. Run holds the trainer of a module, the manifest, and two
// files that grow: metrics.jsonl and the curves. It begins a new folder or resumes the latest
// checkpoint, then repeats: iterate, keep a policy if due, write a checkpoint if due, validate if
// due. A checkpoint notes how long both files were, so that a resumed run cuts them back and gives
// the same bytes. `park train` calls train; tests call it with a stand-in module.
#include "park/runs/train.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>

#include "park/core/error.h"
#include "park/core/json_writer.h"
#include "park/core/text.h"
#include "park/files/durable.h"
#include "park/files/read.h"
#include "park/runs/checkpoint.h"
#include "park/runs/data_files.h"
#include "park/runs/event_file.h"
#include "park/runs/host.h"
#include "park/runs/mixture.h"
#include "park/runs/validation.h"

namespace park::runs {
namespace {

namespace fs = std::filesystem;

// The names of a run's folder.
constexpr const char* kManifest = "manifest.json";
constexpr const char* kMetrics = "metrics.jsonl";
constexpr const char* kCurves = "tensorboard";
constexpr const char* kLatest = "latest";
constexpr const char* kBest = "best";
constexpr const char* kKept = "checkpoints";
constexpr const char* kFailed = "failed_batch.safetensors";
constexpr std::array kAll{kManifest, kMetrics, kCurves, kLatest, kBest, kKept, kFailed};

/// The files of a teacher and of exploration.
std::vector<fs::path> guidance_files(const Registry& registry, const Guidance& guidance) {
  std::vector<fs::path> files;
  for (const std::string& teacher : guidance.teachers())
    std::ranges::copy(registry.policy_files(teacher), std::back_inserter(files));
  if (!guidance.explore.empty()) files.emplace_back(guidance.explore);
  return files;
}

/// The files of the policy that returns of a mixture are divided by those of.
std::vector<fs::path> scale_files(const Registry& registry, const Mixture& mixture) {
  return mixture.scale_by.empty() ? std::vector<fs::path>()
                                  : registry.policy_files(mixture.scale_by);
}

/// Of training, of validations that have an environment of their own, of what guides training, and
/// of what scales it.
std::vector<DataFile> data_of(const Registry& registry, const TrainSettings& settings) {
  std::vector<fs::path> files = registry.data_files(settings.env);
  std::vector<std::string> seen{settings.env};
  for (const MixturePart& part : mixture_parts(settings.mixture.parts)) {
    if (std::ranges::find(seen, part.env) != seen.end()) continue;
    seen.push_back(part.env);
    std::ranges::copy(registry.data_files(part.env), std::back_inserter(files));
  }
  if (!settings.validate_on.empty())
    std::ranges::copy(registry.data_files(settings.validate_on), std::back_inserter(files));
  std::ranges::copy(guidance_files(registry, settings.guidance), std::back_inserter(files));
  std::ranges::copy(scale_files(registry, settings.mixture), std::back_inserter(files));
  return describe_files(files);
}

std::uint64_t elements(const TensorViews& tensors) {
  std::uint64_t n = 0;
  for (const TensorView& t : tensors) n += t.bytes.size() / size_of(t.dtype);
  return n;
}

/// How much of the training lies behind a point of it: in iterations or else in decisions where
/// they are limited, so that no clock has a say in schedules. Else of the nearest limit of time.
double part_of(const TrainProgress& p, const TrainSettings& s) {
  if (s.iterations > 0)
    return std::min(1.0, static_cast<double>(p.iteration) / static_cast<double>(s.iterations));
  if (s.decisions > 0)
    return std::min(1.0, static_cast<double>(p.decisions) / static_cast<double>(s.decisions));
  double part = 0;
  if (s.budget_s > 0) part = p.cpu_s / s.budget_s;
  if (s.wall_s > 0) part = std::max(part, p.wall_s / s.wall_s);
  return std::min(1.0, part);
}

bool at_end(const TrainProgress& p, const TrainSettings& s) {
  return (s.iterations > 0 && p.iteration >= s.iterations) ||
         (s.budget_s > 0 && p.cpu_s >= s.budget_s) || (s.wall_s > 0 && p.wall_s >= s.wall_s) ||
         (s.decisions > 0 && p.decisions >= s.decisions);
}

std::string iteration_line(const TrainProgress& p, const IterationReport& r, double part,
                           double decisions_per_s) {
  JsonWriter json;
  json.begin_object(JsonWriter::Layout::line).member("type", "iteration");
  json.member("iteration", r.iteration).member("part", part);
  json.member("phase", r.imitating ? "imitation" : "rewards");
  json.member("decisions", r.decisions).member("episodes", r.episodes);
  r.figures([&](const char* name, double value) { json.member(name, value); });
  json.member("total_decisions", p.decisions).member("total_episodes", p.episodes);
  json.member("cpu_s", p.cpu_s).member("wall_s", p.wall_s);
  return json.member("decisions_per_s", decisions_per_s).end_object().take();
}

std::string validation_line(const Manifest& m, const ValidationPoint& v) {
  JsonWriter json;
  json.begin_object(JsonWriter::Layout::line).member("type", "validation");
  json.member("iteration", v.at.iteration).member("part", v.at.part);
  json.member("metric", m.metric).member("mean", v.mean).member("sd", v.sd);
  json.member("episodes", m.settings.validation_episodes);
  json.member("best", m.best() == &v).member("total_decisions", v.at.decisions);
  json.member("cpu_s", v.at.cpu_s).member("wall_s", v.at.wall_s);
  return json.member("play_s", v.play_s).end_object().take();
}

/// One training, from its folder to its end.
class Run {
 public:
  Run(const Registry& registry, Module& module, const TrainPlan& plan, TrainWatcher& watcher)
      : registry_(registry), module_(module), plan_(plan), watcher_(watcher) {
    const TrainSettings& s = plan.settings;
    module_.set_threads(static_cast<int>(s.threads));
    trainer_ = module_.trainer(
        registry_,
        {s.env, s.algorithm, s.baseline, s.network, s.adversarial, s.guidance, s.mixture}, s.seed);
    // What refuses a new run comes before the folder, and before an earlier run is gone.
    if (!plan.resume) begin();
    fs::create_directories(plan.folder);
    lock_.emplace(plan.folder, "trains in");
    if (plan.overwrite) clear();
    if (plan.resume) resume();
    before_ = m_.progress;
    begin_s_ = plan_.clock_s();
    fs::create_directories(plan.folder / kCurves);
    const fs::path metrics = plan.folder / kMetrics;
    const fs::path events = plan.folder / kCurves / "events.out.tfevents.park";
    metrics_.emplace(metrics, kept(metrics, m_.metrics_bytes));
    events_.emplace(events, kept(events, m_.events_bytes));
  }

  TrainOutcome train() {
    if (!plan_.resume) keep_if_due();
    checkpoint();
    repair_best();
    validate_if_due();
    while (!at_end(m_.progress, m_.settings) && !watcher_.stop()) {
      iterate();
      keep_if_due();
      if (plan_.clock_s() - saved_s_ >= plan_.checkpoint_every_s) checkpoint();
      validate_if_due();
    }
    if (saved_iteration_ != m_.progress.iteration) checkpoint();
    return {m_, at_end(m_.progress, m_.settings) && !validation_due()};
  }

 private:
  /// How much of a file goes on: nothing where only the checkpoint was brought along.
  std::uint64_t kept(const fs::path& file, std::uint64_t bytes) {
    if (bytes == 0 || fs::exists(file)) return bytes;
    watcher_.warn(file.string() + " is not there: a new one begins");
    return 0;
  }

  void clear() const {
    for (const char* name : kAll) fs::remove_all(plan_.folder / name);
  }

  void begin() {
    check_validation(plan_.settings, registry_);
    const Spec spec = training_spec(registry_, plan_.settings.env, plan_.settings.mixture);
    m_.command = plan_.command;
    m_.settings = plan_.settings;
    m_.env_name = spec.name;
    m_.env_version = static_cast<std::uint64_t>(spec.version);
    m_.network_version = network_version(module_, plan_.settings.network);
    m_.layout_hash = layout_text(spec);
    m_.layout = layout_lines(spec);
    m_.any_lengths = serves_any_lengths(module_, plan_.settings.network);
    m_.metric = spec.metrics.front().name;
    if (validates_mixture(plan_.settings) && !plan_.settings.mixture.scale_by.empty())
      m_.metric += " / " + plan_.settings.mixture.scale_by;
    m_.lower_is_better = spec.metrics.front().lower_is_better;
    m_.parameters = elements(trainer_->policy());
    m_.host = plan_.host;
    m_.plugins = plan_.plugins;
    m_.data = data_of(registry_, plan_.settings);
    if (!plan_.settings.init.empty()) take_weights(spec);
    m_.progress.cpu_s = plan_.cpu_s();
  }

  /// The first weights are those of a checkpoint.
  void take_weights(const Spec& spec) {
    try {
      const std::string& name = plan_.settings.init;
      const auto folder = find_checkpoint(name);
      if (!folder) throw Error(Errc::io, name + ": there is no such checkpoint");
      const Checkpoint from = read_checkpoint(*folder, Parts::policy);
      check_layout(from.manifest, spec, from.folder);
      const std::string difference = network_difference(from);
      check_network(from.manifest, m_.network_version, from.folder);
      copy_tensors(from.policy.tensors(), trainer_->policy(), from.folder + difference);
      // Other fields may be wanted, but weights that fit may mean something else by them.
      if (!difference.empty())
        watcher_.warn("--init: " + from.folder + difference +
                      "; the same weights may mean something else there");
      m_.init = from.manifest.init;
      m_.init.push_back(from.manifest.progress);
    } catch (const Error& error) {
      throw Error(error.code(), std::string("--init: ") + error.what());
    }
  }

  /// Both texts, where fields of the networks differ; refuses another network.
  [[nodiscard]] std::string network_difference(const Checkpoint& from) const {
    const std::string was = canonical_network(from.manifest.settings.network);
    const std::string is = canonical_network(plan_.settings.network);
    if (was == is) return "";
    std::string what = ": its network is " + was + ", that of the training is " + is;
    if (parse_named(was).text != parse_named(is).text)
      throw Error(Errc::invalid_config, from.folder + what);
    return what;
  }

  /// A network's text, also that of an earlier version, with the names and defaults of today.
  [[nodiscard]] std::string canonical_network(const std::string& text) const {
    const TrainSettings& s = plan_.settings;
    const TrainingTexts texts{.env = s.env,
                              .algorithm = s.algorithm,
                              .baseline = s.baseline,
                              .network = present_network(module_, text),
                              .mixture = s.mixture};
    return module_.canonical(registry_, texts).network;
  }

  void resume() {
    const fs::path latest = plan_.folder / kLatest;
    files::recover_folder(latest);
    Checkpoint from = read_checkpoint(latest, Parts::all);
    std::string& network = from.manifest.settings.network;
    network = present_network(module_, network);
    check_resume(from.manifest, plan_.settings, registry_);
    check_network(from.manifest, network_version(module_, plan_.settings.network), "the run");
    copy_tensors(from.policy.tensors(), trainer_->policy(),
                 (latest / "policy.safetensors").string());
    copy_tensors(from.training->tensors(), trainer_->training(),
                 (latest / "training.safetensors").string());
    m_ = from.manifest;
    m_.settings = plan_.settings;
    const TrainingHost& was = from.manifest.host;
    const TrainingHost& is = plan_.host;
    if (was.processor != is.processor || was.libtorch != is.libtorch || was.blas != is.blas ||
        was.compiler != is.compiler)
      watcher_.warn(
          "the run goes on with another processor, compiler, LibTorch or BLAS: its "
          "numbers may differ in the last bits from those of one machine");
    m_.host = is;
    m_.plugins = plan_.plugins;
  }

  /// Brings the times up to now.
  void measure() {
    m_.progress.cpu_s = (plan_.resume ? before_.cpu_s : 0) + plan_.cpu_s();
    m_.progress.wall_s = before_.wall_s + plan_.clock_s() - begin_s_;
    m_.progress.part = part_of(m_.progress, m_.settings);
  }

  void iterate() {
    const auto number = static_cast<std::int64_t>(m_.progress.iteration);
    const double part = std::min(part_of(m_.progress, m_.settings), std::nextafter(1.0, 0.0));
    const double begin_s = plan_.clock_s();
    const IterationReport report = iterate_checked(number, part);
    m_.progress.iteration += 1;
    if (report.imitating) m_.progress.imitations += 1;
    if (!std::isnan(report.imitation_loss)) m_.imitation_loss = report.imitation_loss;
    m_.progress.decisions += report.decisions;
    m_.progress.episodes += report.episodes;
    measure();
    const double rate = static_cast<double>(report.decisions) / (plan_.clock_s() - begin_s);
    metrics_->append(iteration_line(m_.progress, report, part, rate));
    std::vector<std::pair<std::string, double>> curves;
    report.figures(
        [&](const char* name, double v) { curves.emplace_back(std::string("train/") + name, v); });
    curves.emplace_back("speed/decisions_per_s", rate);
    events_->scalars(calendar_s(), m_.progress.iteration, curves);
    watcher_.on_iteration(m_, report, rate);
  }

  IterationReport iterate_checked(std::int64_t number, double part) {
    try {
      return trainer_->iterate(number, part);
    } catch (const Error& error) {
      if (error.code() != Errc::not_finite) throw;
      const fs::path file = plan_.folder / kFailed;
      files::write_durable(file, tensor_file_bytes(trainer_->failed_batch()));
      throw Error(Errc::not_finite, "iteration " + std::to_string(number) + ": " + error.what() +
                                        "; its batch is in " + file.string() +
                                        ", the last checkpoint is of iteration " +
                                        std::to_string(saved_iteration_));
    }
  }

  [[nodiscard]] bool validation_due() const {
    if (m_.validations.empty()) return true;
    const TrainProgress& last = m_.validations.back().at;
    const auto round = [&](const TrainProgress& p) {
      return std::floor(part_of(p, m_.settings) / m_.settings.validate_every + 1e-9);
    };
    if (last.iteration == m_.progress.iteration) return false;
    return at_end(m_.progress, m_.settings) || round(m_.progress) > round(last);
  }

  void validate_if_due() {
    if (!validation_due()) return;
    const double begin_s = plan_.clock_s();
    const auto policy = module_.policy(m_.settings.network, validation_spec(registry_, m_.settings),
                                       trainer_->policy(), false, "the network");
    const auto result =
        validate(registry_, m_.settings, *policy, [this] { return watcher_.stop(); });
    if (!result) return;  // due again when the run goes on
    const double play_s = plan_.clock_s() - begin_s;
    // Of the moment in training; its own time counts for what follows.
    m_.validations.push_back({m_.progress, result->mean, result->sd, play_s});
    const ValidationPoint& point = m_.validations.back();
    metrics_->append(validation_line(m_, point));
    events_->scalars(calendar_s(), point.at.iteration, {{"validation/" + m_.metric, result->mean}});
    measure();
    checkpoint();
    if (m_.best() == &point) write_best();
    watcher_.on_validation(m_);
    warn_of_long_validations();
  }

  /// A training that mostly validates learns little in its budget.
  void warn_of_long_validations() {
    double all_s = 0;
    for (const ValidationPoint& v : m_.validations) all_s += v.play_s;
    if (warned_ || all_s < 30 || all_s < 0.5 * m_.progress.wall_s) return;
    warned_ = true;
    watcher_.warn(
        "validation has taken more than half of the time so far; fewer --validation-episodes or a "
        "larger --validate-every leave more of it to training");
  }

  void keep_if_due() {
    const std::uint64_t every = m_.settings.keep_every, i = m_.progress.iteration;
    if (every == 0 || i % every != 0) return;
    char name[24];
    std::snprintf(name, sizeof name, "%06llu", static_cast<unsigned long long>(i));
    fs::create_directories(plan_.folder / kKept);
    write_checkpoint(plan_.folder / kKept / name, m_, trainer_->policy(), nullptr);
  }

  void checkpoint() {
    metrics_->sync();
    events_->sync();
    m_.metrics_bytes = metrics_->size();
    m_.events_bytes = events_->size();
    const TensorViews training = trainer_->training();
    write_checkpoint(plan_.folder / kLatest, m_, trainer_->policy(), &training);
    Manifest of_run = m_;
    of_run.kind = Manifest::Kind::run;
    of_run.files.clear();
    files::write_durable(plan_.folder / kManifest, manifest_text(of_run));
    saved_iteration_ = m_.progress.iteration;
    saved_s_ = plan_.clock_s();
  }

  void write_best() { write_checkpoint(plan_.folder / kBest, m_, trainer_->policy(), nullptr); }

  /// The best is written after the latest: a crash between the two leaves an older one.
  void repair_best() {
    files::recover_folder(plan_.folder / kBest);
    const ValidationPoint* best = m_.best();
    if (best != nullptr && best->at.iteration == m_.progress.iteration) write_best();
  }

  const Registry& registry_;
  Module& module_;
  const TrainPlan& plan_;
  TrainWatcher& watcher_;
  std::optional<files::FolderLock> lock_;
  std::unique_ptr<Trainer> trainer_;
  Manifest m_;
  TrainProgress before_;  // this process
  double begin_s_ = 0, saved_s_ = 0;
  std::uint64_t saved_iteration_ = 0;
  bool warned_ = false;  // of long validations
  std::optional<files::AppendFile> metrics_;
  std::optional<EventFile> events_;
};

bool is_run(const fs::path& folder) {
  try {
    const std::string text = files::read_whole(folder / kManifest, std::uint64_t{64} << 20);
    return parse_manifest(text, "").kind == Manifest::Kind::run;
  } catch (const Error&) {
    return false;
  }
}

/// The files that the run began with have to be those of now.
void check_data(const Manifest& m, const Registry& registry, Violations& wrong) {
  const std::vector<DataFile> data = data_of(registry, m.settings);
  const std::size_t scaled = data.size() - scale_files(registry, m.settings.mixture).size();
  const std::size_t guided = scaled - guidance_files(registry, m.settings.guidance).size();
  // Manifests of earlier versions do not list the files of scale_by.
  const std::size_t listed = m.data.size() == scaled ? scaled : data.size();
  for (std::size_t d = 0; d < listed; ++d) {
    if (d < m.data.size() && same_bytes(data[d], m.data[d])) continue;
    const char* field = d < guided ? "env: " : d < scaled ? "imitate, explore: " : "scale_by: ";
    wrong.add(field + data[d].path + " is not the file that the run began with");
  }
}

std::string text_of(const std::string& value) { return value.empty() ? "nothing" : value; }
std::string text_of(std::uint64_t value) { return std::to_string(value); }
std::string text_of(double value) { return number_text(value); }

}  // namespace

void check_new_run(const fs::path& folder, bool overwrite) {
  std::error_code ignored;
  if (!fs::exists(folder, ignored)) {
    const fs::path above = folder.has_parent_path() ? folder.parent_path() : ".";
    if (!fs::is_directory(above, ignored))
      throw Error(Errc::io, folder.string() + ": there is no folder " + above.string());
    if (access(above.c_str(), W_OK) != 0)
      throw Error(Errc::io,
                  folder.string() + ": the folder " + above.string() + " is not writable");
    return;
  }
  const auto refuse = [&](const std::string& what) {
    throw Error(Errc::io, folder.string() + " exists" + what);
  };
  if (!fs::is_directory(folder, ignored)) refuse(" and is no folder");
  if (fs::is_empty(folder, ignored)) return;
  if (!is_run(folder)) refuse(" and is not the folder of a run; choose another one");
  if (!overwrite) refuse("; give --resume to go on with it, or --overwrite to replace it");
}

Manifest resumable(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored))
    throw Error(Errc::io, folder.string() + ": there is no such run to go on with");
  for (const fs::path& latest : {folder / kLatest, files::before_crash(folder / kLatest)})
    if (fs::exists(latest, ignored)) return read_checkpoint(latest, Parts::all).manifest;
  throw Error(Errc::bad_file, folder.string() + ": holds no checkpoint to go on from");
}

void check_resume(const Manifest& m, const TrainSettings& settings, const Registry& registry) {
  Violations wrong;
  TrainSettings same = settings;
  same.iterations = m.settings.iterations;
  same.budget_s = m.settings.budget_s;
  same.wall_s = m.settings.wall_s;
  same.decisions = m.settings.decisions;
  std::vector<std::pair<std::string, std::string>> before;
  TrainSettings::fields(m.settings, [&](std::string_view name, const auto& value) {
    before.emplace_back(name, text_of(value));
  });
  std::size_t i = 0;
  TrainSettings::fields(same, [&](std::string_view, const auto& value) {
    const auto& [name, was] = before[i++];
    if (text_of(value) != was)
      wrong.add(name + ": the run has " + was + ", which cannot become " + text_of(value));
  });
  const Spec spec = registry.spec(m.settings.env);
  if (m.env_version != static_cast<std::uint64_t>(spec.version))
    wrong.add("env: the run began with version " + std::to_string(m.env_version) + " of " +
              spec.name + ", this is version " + std::to_string(spec.version));
  check_layout(m, spec, "the run");
  check_data(m, registry, wrong);
  wrong.throw_if_any(Errc::invalid_config);
}

TrainOutcome train(const Registry& registry, Module& module, const TrainPlan& plan,
                   TrainWatcher& watcher) {
  return Run(registry, module, plan, watcher).train();
}

}  // namespace park::runs
