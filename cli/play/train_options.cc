// The options of `park train`: declare names them, apply puts what was given into the settings of a
// training and collects what is wrong. Times and shares are read here. The command calls declare
// before, apply after the command line is read.
#include "cli/play/train_options.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "cli/frame/inputs.h"

namespace park::cli {
namespace {

constexpr std::uint64_t kMostIterations = 1'000'000'000;
constexpr std::uint64_t kMostDecisions = 1'000'000'000'000;

/// The number in front of one of these endings, and the ending.
std::optional<std::pair<double, char>> number_with(const std::string& text,
                                                   const std::string& endings) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool good = error == std::errc() && end + 1 == text.data() + text.size() &&
                    endings.find(*end) != std::string::npos && std::isfinite(number) && number > 0;
  if (!good) return {};
  return std::pair{number, *end};
}

double read_duration(const std::string& option, const std::string& text, double otherwise,
                     Violations& wrong) {
  if (text.empty()) return otherwise;
  if (const auto seconds = duration_of(text)) return *seconds;
  wrong.add(option + ": \"" + text + "\" is not a time such as 90s, 30m or 2h");
  return otherwise;
}

}  // namespace

std::optional<double> duration_of(const std::string& text) {
  const auto number = number_with(text, "smh");
  if (!number) return {};
  const auto [value, unit] = *number;
  return value * (unit == 's' ? 1 : unit == 'm' ? 60 : 3600);
}

std::pair<std::string, double> weighted_env(const std::string& text, Violations& wrong) {
  const std::size_t star = text.rfind('*');
  if (star == std::string::npos || text.find_first_of(")\"", star) != std::string::npos)
    return {text, 1};
  double weight = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data() + star + 1, end, weight);
  if (error != std::errc() || at != end || !(weight > 0 && weight <= 1e9))
    wrong.add("--env: \"" + text.substr(star + 1) + "\" is not a weight above 0, at most 1e9");
  return {text.substr(0, star), weight};
}

void TrainOptions::declare(Options& options) {
  options.text("ENV", "", env, "environment, such as dag_scheduling(executors=50)");
  options.texts("--env", "ENV", envs,
                "in place of ENV, several times: a mixture of environments of one layout. ENV*2 "
                "is drawn twice as often as one without a number");
  options.text("--scale-by", "POLICY", scale_by,
               "returns in a mixture are divided by those of this policy on the same inputs, "
               "so that long episodes do not drown short ones (default: they stay as they are)");
  options.text("--out", "RUN", out, "folder of the run", Options::Need::required);
  options.text("--algo", "A", algorithm, "algorithm, such as ppo(epochs=4) (default ppo)");
  options.text("--baseline", "B", baseline,
               "what returns are compared with (default: what suits the algorithm)");
  options.text("--net", "N", network, "network (default: what suits the environment)");
  options.text("--budget", "T", budget,
               "ends after that much CPU time of this process, such as 90s, 30m or 2h (default 30m "
               "without --wall, --iterations and --decisions); waiting for an environment "
               "elsewhere takes none");
  options.text("--wall", "T", wall,
               "ends after that much time on the clock, such as 90s, 30m or 2h; with --budget or "
               "--iterations, the first limit to be reached ends it");
  options.integer("--iterations", "N", iterations, {1, kMostIterations},
                  "ends after so many iterations; the result is the same on every run");
  options.integer(
      "--decisions", "N", decisions, {1, kMostDecisions},
      "ends with the iteration that reaches so many decisions of training; the result is "
      "the same on every run");
  options.integer("--seed", "S", seed, {0, std::numeric_limits<std::uint64_t>::max()},
                  "of weights, inputs and actions (default 1)");
  options.text("--device", "D", device,
               "cpu: the networks compute on nothing else so far (default cpu)");
  options.text("--validate-every", "P%", validate_every,
               "part of the training between two validations (default 5%)");
  options.integer("--validation-episodes", "N", validation_episodes, {1, 1'000'000},
                  "episodes of a validation, on inputs of their own (default 100)");
  options.text("--validate-on", "ENV", validate_on,
               "environment of the validations, of the same layout (default: that of training)");
  options.integer("--keep-every", "N", keep_every, {1, kMostIterations},
                  "keep the policy of every N-th iteration in RUN/checkpoints");
  options.text("--checkpoint-every", "T", checkpoint_every,
               "time between two checkpoints, for --resume (default 2m)");
  options.text("--init", "PATH", init, "begin with the weights of a checkpoint's or run's policy");
  options.integer("--threads", "T", threads, {1, 256},
                  "threads of one operator; more than one is mostly slower (default 1)");
  options.text("--adversarial", "SHARE", adversarial,
               "share of the training episodes in which users misreport jobs, from 0 to 1 "
               "(default 0)");
  declare_guidance(options);
  options.flag("--resume", resume, "go on with the run; settings that are not given are its own");
  options.flag("--overwrite", overwrite, "replace an earlier run");
}

void TrainOptions::declare_guidance(Options& options) {
  options.text(
      "--imitate", "POLICY", imitate,
      "teacher of the first iterations: a policy, or a file or run of one; with several --env "
      "also a list, separated by commas, that has one for each");
  options.integer("--imitate-iterations", "N", imitate_iterations, {1, kMostIterations},
                  "iterations that imitate it, before those that follow rewards");
  options.text("--imitate-along", "WHO", imitate_along,
               "whose decisions the teacher is asked about: learner (the teacher plays only the "
               "first iteration) or teacher (default learner)");
  options.text(
      "--replay", "SHARE", replay,
      "share of each later step that goes along demonstrations of the teacher, from 0 to 1 "
      "(default 0)");
  options.text("--explore", "FILE", explore,
               "a file of trees: where its rules keep some of the legal values only, the learner "
               "tries one of these");
  options.text("--explore-share", "SHARE", explore_share,
               "how often it does, from 0 to 1 (default 0.4)");
}

void TrainOptions::apply_guidance(runs::Guidance& g, Violations& wrong) const {
  if (!imitate.empty()) g.imitate = imitate;
  if (!imitate_along.empty()) g.imitate_along = imitate_along;
  if (!explore.empty()) g.explore = explore;
  g.imitate_iterations = imitate_iterations.value_or(g.imitate_iterations);
  if (!replay.empty()) g.replay = read_share("--replay", replay, wrong);
  if (!explore_share.empty()) g.explore_share = read_share("--explore-share", explore_share, wrong);
  if (g.imitate_along != "learner" && g.imitate_along != "teacher")
    wrong.add("--imitate-along: \"" + g.imitate_along + "\" is not learner or teacher");
  if (g.imitate.empty() && g.imitate_iterations > 0)
    wrong.add("--imitate-iterations: needs a teacher; give --imitate");
  if (!g.imitate.empty() && g.imitate_iterations == 0 && wrong.empty())
    wrong.add("--imitate: needs --imitate-iterations");
  if (g.imitate.empty() && !imitate_along.empty())
    wrong.add("--imitate-along: needs a teacher; give --imitate");
  if (g.imitate.empty() && !replay.empty()) wrong.add("--replay: needs a teacher; give --imitate");
  if (g.explore.empty() && !explore_share.empty()) wrong.add("--explore-share: needs --explore");
}

void TrainOptions::apply(runs::TrainSettings& s, Violations& wrong) const {
  s.iterations = iterations.value_or(s.iterations);
  s.seed = seed.value_or(s.seed);
  s.validation_episodes = validation_episodes.value_or(s.validation_episodes);
  s.keep_every = keep_every.value_or(s.keep_every);
  s.threads = threads.value_or(s.threads);
  s.budget_s = read_duration("--budget", budget, s.budget_s, wrong);
  s.wall_s = read_duration("--wall", wall, s.wall_s, wrong);
  s.decisions = decisions.value_or(s.decisions);
  if (s.budget_s == 0 && s.wall_s == 0 && s.iterations == 0 && s.decisions == 0) s.budget_s = 1800;
  if (!init.empty()) s.init = init;
  if (!device.empty()) s.device = device;
  if (s.device != "cpu" && s.device != "cuda")
    wrong.add("--device: \"" + s.device + "\" is not cpu or cuda");
  if (!adversarial.empty()) s.adversarial = read_share("--adversarial", adversarial, wrong);
  apply_guidance(s.guidance, wrong);
  if (s.iterations > 0 && s.guidance.imitate_iterations > s.iterations)
    wrong.add("--imitate-iterations: " + std::to_string(s.guidance.imitate_iterations) +
              " is more than --iterations, " + std::to_string(s.iterations));
  if (validate_every.empty()) return;
  const auto percent = number_with(validate_every, "%");
  if (percent && percent->first <= 100)
    s.validate_every = percent->first / 100;
  else
    wrong.add("--validate-every: \"" + validate_every +
              "\" is not a part of the training such as 5%, at most 100%");
}

double TrainOptions::checkpoint_every_s(Violations& wrong) const {
  return read_duration("--checkpoint-every", checkpoint_every, 120, wrong);
}

}  // namespace park::cli
