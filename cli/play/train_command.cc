// `park train`: settings for one training. prepare resolves the texts of environment, algorithm,
// baseline and network, from the options or, with --resume, from the run's manifest; then the
// module with LibTorch is opened and runs::train does the rest. Display shows iterations and
// validations, and a signal ends the training after its iteration.
#include <algorithm>
#include <cmath>

#include "cli/frame/commands.h"
#include "cli/frame/inputs.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/names.h"
#include "cli/frame/progress.h"
#include "cli/frame/version.h"
#include "cli/play/describe.h"
#include "cli/play/train_options.h"
#include "park/command/numbers.h"
#include "park/core/misreporting_env.h"
#include "park/runs/checkpoint.h"
#include "park/runs/mixture.h"
#include "park/runs/train.h"
#include "park/runs/validation.h"
#include "park/trees/value_rules.h"

namespace park::cli {
namespace {

using runs::Manifest;
using runs::TrainSettings;
using runs::ValidationPoint;

/// Shows a training on the console and ends it after a signal.
class Display final : public runs::TrainWatcher {
 public:
  /// `done`: how far the run was before.
  Display(Console& console, const TrainSettings& settings, const runs::TrainProgress& done)
      : console_(&console),
        end_(end_of(settings)),
        progress_(console, unit(), all(settings), "decisions"),
        shown_(units(done)) {
    progress_.skip(shown_);
  }

  bool stop() override { return interrupted() != 0; }

  void on_iteration(const Manifest& m, const runs::IterationReport& report, double) override {
    const std::string number =
        end_ != End::iterations ? "iteration " + std::to_string(m.progress.iteration) + ", " : "";
    const std::string loss = std::isnan(report.imitation_loss)
                                 ? ""
                                 : std::string(report.imitating ? "" : ", ") + "imitation loss " +
                                       rounded(report.imitation_loss);
    const std::string reward = report.imitating ? "" : "reward " + rounded(report.mean_reward);
    progress_.set_label(number + reward + loss + validation_);
    const std::uint64_t now = std::max(units(m.progress), shown_);
    progress_.advance(now - shown_, report.decisions);
    shown_ = now;
  }

  void on_validation(const Manifest& m) override {
    const ValidationPoint& v = m.validations.back();
    validation_ = ", " + m.metric + ' ' + rounded(v.mean);
    console_->info("validation after " + plural(v.at.iteration, "iteration") + ": " + m.metric +
                   ' ' + rounded(v.mean) + (m.best() == &v ? ", the best so far" : ""));
  }

  void warn(const std::string& line) override { console_->warn(line); }

 private:
  /// What ends the training; `either`: the first of several limits.
  enum class End : std::uint8_t { iterations, cpu, wall, decisions, either };

  static End end_of(const TrainSettings& s) {
    if (s.iterations > 0) return End::iterations;
    const int limits = (s.budget_s > 0) + (s.wall_s > 0) + (s.decisions > 0);
    if (limits > 1) return End::either;
    return s.decisions > 0 ? End::decisions : s.wall_s > 0 ? End::wall : End::cpu;
  }

  [[nodiscard]] const char* unit() const {
    switch (end_) {
      case End::iterations:
        return "iterations";
      case End::cpu:
        return "CPU seconds";
      case End::wall:
        return "seconds";
      case End::decisions:
        return "decisions of its budget";
      case End::either:
        break;
    }
    return "% of its limit";
  }
  [[nodiscard]] std::uint64_t all(const TrainSettings& s) const {
    if (end_ == End::iterations) return s.iterations;
    if (end_ == End::either) return 100;
    if (end_ == End::decisions) return s.decisions;
    return static_cast<std::uint64_t>(std::ceil(end_ == End::cpu ? s.budget_s : s.wall_s));
  }
  [[nodiscard]] std::uint64_t units(const runs::TrainProgress& p) const {
    if (end_ == End::iterations) return p.iteration;
    if (end_ == End::either) return static_cast<std::uint64_t>(100 * p.part);
    if (end_ == End::decisions) return p.decisions;
    return static_cast<std::uint64_t>(end_ == End::cpu ? p.cpu_s : p.wall_s);
  }

  Console* console_;
  End end_;
  Progress progress_;
  std::uint64_t shown_;
  std::string validation_;
};

/// Whether a part has the field just so.
bool has_field(const runs::PartInfo& part, const FieldInfo& field) {
  return std::ranges::any_of(part.fields, [&](const FieldInfo& f) {
    return f.name == field.name && f.doc == field.doc && f.default_text == field.default_text;
  });
}

/// Parts with their fields; those that all of several parts have come once, at the end.
std::string parts_help(const std::string& title, const std::vector<runs::PartInfo>& parts,
                       std::size_t width) {
  const auto shared = [&](const FieldInfo& field) {
    return parts.size() > 1 &&
           std::ranges::all_of(parts, [&](const auto& part) { return has_field(part, field); });
  };
  std::string text = '\n' + title + ":\n";
  std::vector<FieldInfo> of_all;
  for (const runs::PartInfo& part : parts) {
    Table head({{""}, {""}});
    const std::string source = part.reference.empty() ? "" : " (" + part.reference + ')';
    head.add({part.name, part.summary + source});
    text += head.text(2, width);
    std::vector<FieldInfo> own;
    for (const FieldInfo& field : part.fields) (shared(field) ? of_all : own).push_back(field);
    if (!own.empty()) text += narrow_field_table(own).text(6, width);
    if (&part != &parts.back()) of_all.clear();
  }
  if (!of_all.empty()) text += "  all of them\n" + narrow_field_table(of_all).text(6, width);
  return text;
}

void write_point(JsonWriter& json, const ValidationPoint& v) {
  json.begin_object(JsonWriter::Layout::line).member("iteration", v.at.iteration);
  json.member("part", v.at.part).member("decisions", v.at.decisions).member("cpu_s", v.at.cpu_s);
  json.member("wall_s", v.at.wall_s).member("mean", v.mean).member("sd", v.sd).end_object();
}

class TrainCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {
        .name = "train",
        .summary = "train a network on an environment",
        .details =
            "Plays training episodes and improves the policy, iteration by iteration. The best "
            "policy on validation episodes, which are neither those of training nor those of "
            "park run, is what the run's folder stands for as a policy: park run ENV --policy "
            "RUN, or RUN(sample=true) to draw actions. Ctrl-C leaves a checkpoint that --resume "
            "goes on from. docs/training.md tells the files of the folder.",
        .example = "park train 'dag_scheduling(executors=20)' --algo ppo --budget 10m --out RUN"};
  }

  std::string more_help(std::size_t width) const override {
    try {
      const runs::Module& module = runs::load_module();
      return parts_help("algorithms", module.algorithms(), width) +
             parts_help("baselines", module.baselines(), width) +
             parts_help("networks", module.networks(), width);
    } catch (const Error& error) {
      std::string text = "\n";
      for (const std::string& line : wrap(error.what(), width)) text += line + '\n';
      return text;
    }
  }

  std::string more_manual(std::size_t) const override {
    return "\npark train --help lists the algorithms, baselines and networks of this machine.\n";
  }

  void declare(Options& options) override { options_.declare(options); }

  void prepare(Session& session, Violations& wrong) override {
    while (options_.out.size() > 1 && options_.out.ends_with('/')) options_.out.pop_back();
    plan_.folder = options_.out;
    plan_.resume = options_.resume;
    plan_.overwrite = options_.overwrite;
    plan_.command = session.command();
    plan_.checkpoint_every_s = options_.checkpoint_every_s(wrong);
    if (options_.resume && options_.overwrite)
      wrong.add("--overwrite: does not go with --resume");
    else if (options_.resume)
      prepare_resumed(session, wrong);
    else
      prepare_new(session.registry(), wrong);
    if (wrong.empty()) prepare_module(session, wrong);
  }

  int run(Session& session) override {
    const InterruptScope scope;
    const Build& build = build_info();
    plan_.host.park = build.version;
    plan_.host.commit = build.commit;
    plan_.host.compiler = build.compiler;
    runs::describe_machine(plan_.host);
    plan_.plugins = plugins_used(session);
    runs::TrainOutcome outcome;
    {
      Display display(session.console(), plan_.settings, before_);
      outcome = runs::train(session.registry(), *module_, plan_, display);
    }
    session.print(session.json() ? as_json(outcome) : as_text(outcome));
    if (outcome.finished) return kDone;
    session.console().info("stopped after " +
                           plural(outcome.manifest.progress.iteration, "iteration") +
                           "; go on with: park train --out " + options_.out + " --resume");
    return kSignalled + interrupted();
  }

 private:
  /// Those of the environments and of the teachers.
  [[nodiscard]] std::vector<runs::PluginUsed> plugins_used(Session& session) const {
    const TrainSettings& s = plan_.settings;
    std::vector<std::string> envs{s.env, s.validation_env()};
    for (const runs::MixturePart& part : runs::mixture_parts(s.mixture.parts))
      envs.push_back(part.env);
    std::vector<std::string> policies = s.guidance.teachers();
    policies.push_back(s.mixture.scale_by);
    return session.plugins().used(envs, policies);
  }

  void prepare_new(const Registry& registry, Violations& wrong) {
    if (options_.env.empty() && options_.envs.empty())
      wrong.add("ENV: is required; see park train --help");
    read_envs(registry, wrong);
    options_.apply(plan_.settings, wrong);
    read_validation(registry, wrong);
    check_adversarial(registry, wrong);
    read_guidance(registry, wrong);
    if (!options_.out.empty())
      attempt("--out", wrong, [&] { runs::check_new_run(plan_.folder, options_.overwrite); });
    if (options_.init.empty()) return;
    attempt("--init", wrong, [&] {
      if (!runs::find_checkpoint(options_.init))
        throw Error(Errc::io, options_.init + ": there is no such checkpoint");
    });
  }

  /// Takes over what the run began with.
  void prepare_resumed(Session& session, Violations& wrong) {
    if (options_.out.empty()) return;  // reported as missing
    attempt("--resume", wrong, [&] {
      const Manifest manifest = runs::resumable(plan_.folder);
      before_ = manifest.progress;
      session.plugins().check("--resume", manifest.plugins, wrong);
      if (!wrong.empty()) return;
      const Registry& registry = session.registry();
      plan_.settings = manifest.settings;
      read_envs(registry, wrong);
      options_.apply(plan_.settings, wrong);
      read_validation(registry, wrong);
      read_guidance(registry, wrong);
      was_ = manifest;
    });
  }

  /// ENV, or the environments of a mixture.
  void read_envs(const Registry& registry, Violations& wrong) {
    TrainSettings& s = plan_.settings;
    if (!options_.env.empty() && !options_.envs.empty())
      return wrong.add("ENV: does not go with --env");
    std::vector<runs::MixturePart> parts;
    for (const std::string& text : options_.envs) {
      const auto [name, weight] = weighted_env(text, wrong);
      EnvInput env;
      if (read_env(registry, name, env, wrong)) parts.push_back({env.canonical, weight});
    }
    EnvInput env;
    if (!options_.env.empty() && read_env(registry, options_.env, env, wrong))
      s.env = env.canonical;
    if (!wrong.empty()) return;
    if (!parts.empty()) s.env = parts.front().env;
    if (parts.size() > 1) s.mixture.parts = runs::mixture_text(parts);
    read_mixture(registry, wrong);
  }

  /// What only a mixture has, and what it does not go with.
  void read_mixture(const Registry& registry, Violations& wrong) {
    TrainSettings& s = plan_.settings;
    if (s.mixture.empty()) {
      if (!options_.scale_by.empty()) wrong.add("--scale-by: needs several --env");
      return;
    }
    if (!options_.scale_by.empty()) s.mixture.scale_by = options_.scale_by;
    Spec spec;
    if (!attempt("--env", wrong, [&] { spec = runs::training_spec(registry, s.env, s.mixture); }))
      return;
    if (!s.mixture.scale_by.empty()) {
      const auto read = read_policies(registry, "--scale-by", {s.mixture.scale_by}, spec, wrong);
      if (!read.empty()) s.mixture.scale_by = read.front().canonical;
    }
    if (!options_.adversarial.empty()) wrong.add("--adversarial: does not go with several --env");
    if (!options_.explore.empty()) wrong.add("--explore: does not go with several --env");
  }

  void read_validation(const Registry& registry, Violations& wrong) {
    if (options_.validate_on.empty() || !wrong.empty()) return;
    attempt("--validate-on", wrong, [&] {
      plan_.settings.validate_on = registry.canonical_env(options_.validate_on);
      runs::check_validation(plan_.settings, registry);
    });
  }

  /// Misreports need an environment whose users declare something.
  void check_adversarial(const Registry& registry, Violations& wrong) const {
    if (plan_.settings.adversarial == 0 || plan_.settings.env.empty()) return;
    attempt("--adversarial", wrong, [&] {
      const EnvOfText env = registry.env(plan_.settings.env);
      static_cast<void>(declarations_of(env.spec(), *env.factory()()));
    });
  }

  /// Several teachers are for the environments of a mixture.
  void read_teachers(const Registry& registry, const Spec& spec, Violations& wrong) {
    runs::Guidance& guidance = plan_.settings.guidance;
    const auto texts = guidance.teachers();
    const auto read = read_policies(registry, "--imitate", texts, spec, wrong);
    if (read.size() != texts.size()) return;
    guidance.imitate.clear();
    for (const PolicyInput& teacher : read)
      guidance.imitate += (guidance.imitate.empty() ? "" : ",") + teacher.canonical;
    const auto parts = runs::mixture_parts(plan_.settings.mixture.parts);
    static_cast<void>(guidance.teachers(std::max<std::size_t>(1, parts.size())));
  }

  /// The teacher in canonical form; it and the rules of exploration have to fit the environment.
  void read_guidance(const Registry& registry, Violations& wrong) {
    runs::Guidance& guidance = plan_.settings.guidance;
    if (plan_.settings.env.empty() || !wrong.empty()) return;
    const Spec spec = registry.spec(plan_.settings.env);
    if (!guidance.imitate.empty()) {
      attempt("--imitate", wrong, [&] { read_teachers(registry, spec, wrong); });
    }
    if (!guidance.explore.empty())
      attempt("--explore", wrong,
              [&] { static_cast<void>(park::trees::ValueRules(guidance.explore, spec)); });
  }

  void prepare_module(Session& session, Violations& wrong) {
    module_ = &runs::load_module();
    const runs::ModuleInfo info = module_->info();
    if (plan_.settings.device == "cuda")
      return wrong.add(
          "--device: cuda is not available (LibTorch " + info.libtorch +
          (info.cuda ? ", but the networks of this version compute on the CPU" : " without a GPU") +
          "); allowed is cpu");
    plan_.host.libtorch = info.libtorch;
    plan_.host.blas = runs::blas_name(info.blas);
    const std::string slow = runs::slow_blas_warning(plan_.host.blas);
    if (!slow.empty()) session.console().warn(slow);
    const Registry& registry = session.registry();
    if (was_)
      plan_.settings.network = was_->settings.network =
          runs::present_network(*module_, was_->settings.network);
    read_texts(registry, wrong);
    if (was_ && wrong.empty())
      attempt("--resume", wrong, [&] { runs::check_resume(*was_, plan_.settings, registry); });
  }

  /// What is trained: what was given, else what the run has, else what suits the rest.
  void read_texts(const Registry& registry, Violations& wrong) {
    TrainSettings& s = plan_.settings;
    const auto chosen = [](const std::string& given, const std::string& otherwise) {
      return given.empty() ? otherwise : given;
    };
    const std::string algorithm = chosen(options_.algorithm, was_ ? s.algorithm : "ppo");
    const std::string baseline = chosen(options_.baseline, s.baseline);
    const std::string network = chosen(options_.network, s.network);
    const auto check = [&](const char* option, const runs::TrainingTexts& texts) {
      return attempt(option, wrong,
                     [&] { static_cast<void>(module_->canonical(registry, texts)); });
    };
    const auto texts = [&](const std::string& a, const std::string& b, const std::string& n) {
      return runs::TrainingTexts{
          .env = s.env, .algorithm = a, .baseline = b, .network = n, .mixture = s.mixture};
    };
    // One part at a time, beside others that go with anything.
    const bool known = check("--algo", texts(algorithm, "none", ""));
    const std::string sound = known ? algorithm : "ppo";
    check("--baseline", texts(sound, baseline, ""));
    check("--net", texts(sound, "none", network));
    if (!wrong.empty()) return;
    const runs::TrainingTexts all =
        module_->canonical(registry, texts(algorithm, baseline, network));
    s.algorithm = all.algorithm;
    s.baseline = all.baseline;
    s.network = all.network;
  }

  [[nodiscard]] static std::string teachers(const Manifest& m) {
    const auto texts = m.settings.guidance.teachers();
    return texts.size() == 1 ? texts.front() : plural(texts.size(), "teacher");
  }

  [[nodiscard]] std::string as_text(const runs::TrainOutcome& outcome) const {
    const Manifest& m = outcome.manifest;
    std::string text = environments(m) + '\n' + m.settings.algorithm + " with baseline " +
                       m.settings.baseline + ", network " + m.settings.network + " (" +
                       std::to_string(m.parameters) + " parameters), seed " +
                       std::to_string(m.settings.seed) + '\n' +
                       plural(m.progress.iteration, "iteration") + ", " +
                       count_text(static_cast<double>(m.progress.decisions)) + " decisions, " +
                       duration_text(m.progress.cpu_s) + " of CPU time, " +
                       duration_text(m.progress.wall_s) + " on the clock\n";
    if (m.progress.imitations > 0)
      text += plural(m.progress.imitations, "iteration") + " of them imitated " + teachers(m) +
              "; loss of imitation " + rounded(m.imitation_loss) + " nats per decision\n";
    if (const ValidationPoint* best = m.best()) {
      text += m.metric + " on " + plural(m.settings.validation_episodes, "validation episode") +
              ": " + rounded(best->mean) + " after " + plural(best->at.iteration, "iteration") +
              " (the best), " + rounded(m.validations.front().mean) + " at the start, " +
              rounded(m.validations.back().mean) + " at the end\n";
    }
    return text + "play it: park run '" + m.settings.env + "' --policy " + options_.out + '\n';
  }

  /// A line for each.
  [[nodiscard]] static std::string environments(const Manifest& m) {
    if (m.settings.mixture.empty()) return m.settings.env;
    std::string text = "a mixture";
    if (const std::string& by = m.settings.mixture.scale_by; !by.empty())
      text += ", scaled by " + by;
    for (const runs::MixturePart& part : runs::mixture_parts(m.settings.mixture.parts))
      text += "\n  " + part.env + ", weight " + rounded(part.weight);
    return text;
  }

  [[nodiscard]] std::string as_json(const runs::TrainOutcome& outcome) const {
    const Manifest& m = outcome.manifest;
    JsonWriter json;
    json.begin_object().member("run", options_.out).member("finished", outcome.finished);
    json.member("env", m.settings.env).member("algorithm", m.settings.algorithm);
    json.member("mixture", m.settings.mixture.parts)
        .member("scale_by", m.settings.mixture.scale_by);
    json.member("baseline", m.settings.baseline).member("network", m.settings.network);
    json.member("seed", m.settings.seed).member("parameters", m.parameters);
    runs::TrainProgress::fields(
        m.progress, [&](std::string_view name, const auto& value) { json.member(name, value); });
    json.member("phase",
                m.settings.guidance.imitates(m.progress.iteration) ? "imitation" : "rewards");
    json.member("imitation_loss", m.imitation_loss);
    json.member("metric", m.metric).member("better", m.lower_is_better ? "lower" : "higher");
    json.key("best");
    if (const ValidationPoint* best = m.best())
      write_point(json, *best);
    else
      json.null();
    json.key("validations").begin_array();
    for (const ValidationPoint& v : m.validations) write_point(json, v);
    return json.end_array().end_object().take();
  }

  TrainOptions options_;
  runs::TrainPlan plan_;
  runs::TrainProgress before_;  // of the run that goes on
  std::optional<Manifest> was_;
  runs::Module* module_ = nullptr;
};

}  // namespace

void add_train_command(Commands& all) { all.add(50, std::make_unique<TrainCommand>()); }

}  // namespace park::cli
