// The trainings of a suite, shared out to threads. A thread takes the next job, reads how far it is,
// and trains: with runs::train where Park has the algorithm, else with a command. trained.json is
// written before and after. A training's processor time is that of its thread, or of its command.
#include <atomic>
#include <ctime>
#include <exception>
#include <filesystem>
#include <mutex>
#include <thread>

#include "park/bench/agents.h"
#include "park/bench/outside_trainer.h"
#include "park/bench/trained_file.h"
#include "park/files/durable.h"
#include "park/runs/host.h"
#include "park/runs/module.h"
#include "park/runs/train.h"

namespace park::bench {
namespace {

namespace fs = std::filesystem;
using State = TrainedFile::State;

double thread_cpu_s() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Tells one call at a time.
class Teller {
 public:
  explicit Teller(const AgentWatch& watch) : watch_(watch) {}

  [[nodiscard]] bool stop() const { return failed_ || watch_.stop(); }
  void iteration(const TrainingJob& job, std::uint64_t decisions) {
    const std::lock_guard lock(telling_);
    watch_.on_iteration(job, decisions);
  }
  void end(const TrainingJob& job, const Training& training) {
    const std::lock_guard lock(telling_);
    watch_.on_end(job, training);
  }
  void warn(const std::string& line) {
    const std::lock_guard lock(telling_);
    watch_.warn(line);
  }
  /// An error that ends all.
  void fail(std::exception_ptr error) {
    const std::lock_guard lock(telling_);
    if (failure_ == nullptr) failure_ = std::move(error);
    failed_ = true;
  }
  void rethrow() const {
    if (failure_ != nullptr) std::rethrow_exception(failure_);
  }

 private:
  const AgentWatch& watch_;
  std::mutex telling_;
  std::exception_ptr failure_;
  std::atomic<bool> failed_{false};
};

/// Follows one training for the teller.
class JobWatcher final : public runs::TrainWatcher {
 public:
  JobWatcher(const TrainingJob& job, std::string folder, Teller& teller)
      : job_(job), folder_(std::move(folder)), teller_(teller) {}
  bool stop() override { return teller_.stop(); }
  void on_iteration(const runs::Manifest&, const runs::IterationReport& report, double) override {
    teller_.iteration(job_, report.decisions);
  }
  void warn(const std::string& line) override { teller_.warn(folder_ + ": " + line); }

 private:
  TrainingJob job_;
  std::string folder_;
  Teller& teller_;
};

/// Trains with one of Park's algorithms; false: an end was asked for.
bool train_here(const Registry& registry, const BenchResults& results, const TrainingJob& job,
                const fs::path& folder, Teller& teller, Training& training) {
  static std::mutex one_module;  // it is loaded by the first
  std::unique_lock lock(one_module);
  runs::Module& module = runs::load_module();
  lock.unlock();
  std::error_code ignored;
  const fs::path latest = folder / "latest";
  const bool begun =
      fs::exists(latest, ignored) || fs::exists(files::before_crash(latest), ignored);
  const double begin_s = thread_cpu_s();
  const runs::TrainPlan plan{.folder = folder,
                             .resume = begun,
                             .overwrite = !begun,
                             .settings = training_settings(registry, results, job),
                             .command = results.command,
                             .host = results.host,
                             .plugins = results.plugins,
                             .cpu_s = [begin_s] { return thread_cpu_s() - begin_s; }};
  JobWatcher watcher(job, folder.string(), teller);
  const runs::TrainOutcome outcome = runs::train(registry, module, plan, watcher);
  const runs::TrainProgress& progress = outcome.manifest.progress;
  training.decisions = progress.decisions;
  training.episodes = progress.episodes;
  training.cpu_s = progress.cpu_s;
  training.wall_s = progress.wall_s;
  return outcome.finished;
}

/// The words of an outside trainer, with what it is asked for.
std::vector<std::string> command_words(const BenchResults& results, const TrainingJob& job,
                                       const fs::path& folder) {
  const SuiteEnv& env = results.suite.environments[job.env];
  const SuiteTraining& training = results.suite.training;
  std::vector<std::string> words = results.suite.agents[job.agent].command;
  const auto add = [&](const char* option, const std::string& value) {
    words.emplace_back(option);
    words.push_back(value);
  };
  add("--env", env.training_text());
  add("--validate-on", env.validation_text());
  add("--metric", env.metrics.front());
  add("--decisions", std::to_string(training.decisions));
  add("--validations", std::to_string(training.validations));
  add("--validation-episodes", std::to_string(training.validation_episodes));
  add("--seed", std::to_string(job.seed));
  add("--out", folder.string());
  return words;
}

/// Trains with a command; nothing: an end was asked for.
std::optional<State> train_outside(const BenchResults& results, const TrainingJob& job,
                                   const fs::path& folder, Teller& teller, Training& training) {
  const std::vector<std::string> words = command_words(results, job, folder);
  const CommandEnd end = run_command(words, folder, [&] { return teller.stop(); });
  if (end.stopped) return {};
  training.cpu_s = end.cpu_s;
  training.wall_s = end.wall_s;
  const std::string said = end.last_line.empty() ? "" : ": " + end.last_line;
  if (end.status == kDoesNotFit) {
    training.error = words[0] + " does not fit" + said;
    return State::unfit;
  }
  const std::string& file = results.suite.agents[job.agent].policy;
  if (end.status != 0)
    training.error = words[0] + ": ended with code " + std::to_string(end.status) + said;
  else if (!fs::exists(folder / file))
    training.error = words[0] + ": left no " + file;
  return State::ended;
}

/// One job, from how far it is to its end.
class JobRun {
 public:
  JobRun(const Registry& registry, const BenchResults& results, const TrainingJob& job,
         Teller& teller)
      : registry_(registry),
        results_(results),
        job_(job),
        teller_(teller),
        folder_(fs::path(results.folder) / job_folder(results.suite, job)) {}

  void run() {
    if (!begin()) return teller_.end(job_, file_.training);
    const bool here = results_.suite.agents[job_.agent].command.empty();
    Training& training = file_.training;
    std::optional<State> state;
    try {
      if (!here)
        state = train_outside(results_, job_, folder_, teller_, training);
      else if (train_here(registry_, results_, job_, folder_, teller_, training))
        state = State::ended;
    } catch (const Error& error) {
      if (error.code() == Errc::io || error.code() == Errc::unavailable) throw;
      training.error = error.what();
      state = error.code() == Errc::invalid_config ? State::unfit : State::ended;
    }
    if (!state) return;
    file_.state = *state;
    write_trained(folder_, file_);
    teller_.end(job_, training);
  }

 private:
  /// False: it has ended before, and not by a failure.
  bool begin() {
    const std::string asked = asked_text(results_.suite, job_);
    if (has_trained(folder_)) {
      file_ = read_trained(folder_);
      if (file_.asked != asked)
        throw Error(Errc::invalid_config, folder_.string() + ": holds another training (" +
                                              file_.asked +
                                              "); give --overwrite or another folder");
      const bool failed = file_.state == State::ended && !file_.training.error.empty();
      if (file_.state != State::begun && !failed) return false;
    }
    fs::create_directories(folder_);
    file_ = {.asked = asked,
             .training = {.agent = results_.suite.agents[job_.agent].name, .seed = job_.seed}};
    write_trained(folder_, file_);
    return true;
  }

  const Registry& registry_;
  const BenchResults& results_;
  TrainingJob job_;
  Teller& teller_;
  fs::path folder_;
  TrainedFile file_;
};

}  // namespace

bool train_agents(const Registry& registry, const BenchResults& results, std::uint32_t threads,
                  const AgentWatch& watch) {
  const std::vector<TrainingJob> jobs = training_jobs(results.suite);
  std::atomic<std::size_t> next{0};
  Teller teller(watch);
  const auto work = [&] {
    for (std::size_t j = next++; j < jobs.size() && !teller.stop(); j = next++) try {
        JobRun(registry, results, jobs[j], teller).run();
      } catch (...) {
        teller.fail(std::current_exception());
      }
  };
  {
    std::vector<std::jthread> workers;
    for (std::uint32_t t = 0; t < threads; ++t) workers.emplace_back(work);
  }
  teller.rethrow();
  return !watch.stop();
}

}  // namespace park::bench
