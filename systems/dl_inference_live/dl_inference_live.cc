// An episode of the real server. run makes a folder for its sockets and files, and the table of
// latencies where none is given. Each episode has a server process (process::Child), a bridge server
// that answers its questions (DecisionService), and a LoadClient on this thread. All of them end with
// the episode, the process first, so that nobody asks when the context is closed.
#include "systems/dl_inference_live/dl_inference_live.h"

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "bridge/codec/failure.h"
#include "bridge/server/server.h"
#include "park/core/data_path.h"
#include "park/core/error.h"
#include "park/core/registry.h"
#include "park/envs/dl_inference/arrival_process.h"
#include "park/files/new_file.h"
#include "systems/dl_inference_live/decision_link.h"
#include "systems/dl_inference_live/device_loop.h"
#include "systems/dl_inference_live/load_client.h"
#include "systems/dl_inference_live/profile.h"
#include "systems/process/child.h"

namespace park::inference {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kStart{120};    // of a server, with the models of a busy machine
constexpr std::chrono::seconds kProfile{600};  // of a quick measurement
constexpr int kRefused = 2;                    // exit status

/// A folder of this user alone that goes with it.
class Scratch {
 public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "park-infer-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw Error(Errc::io, "no folder in " + name);
    path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] fs::path operator/(const char* name) const { return path_ / name; }

 private:
  fs::path path_;
};

std::vector<std::string> environment() {
  std::vector<std::string> all;
  for (char** at = environ; *at != nullptr; ++at)
    if (!std::string_view(*at).starts_with("OMP_NUM_THREADS=")) all.emplace_back(*at);
  all.emplace_back("OMP_NUM_THREADS=1");
  return all;
}

/// The last line of what a process said, without the word in front of it.
std::string last_line(const std::string& said) {
  const std::size_t end = said.find_last_not_of('\n');
  const std::size_t begin = said.rfind('\n', end);
  std::string line = said.substr(begin == std::string::npos ? 0 : begin + 1);
  while (line.ends_with('\n')) line.pop_back();
  return line.starts_with("error: ") ? line.substr(7) : line;
}

/// Waits until a process says so. Refused input is the user's error, everything else the process's.
void wait_for(process::Child& child, const char* text, std::chrono::seconds limit,
              const std::stop_token& stop) {
  try {
    child.wait_for(text, limit, stop);
  } catch (const Error&) {
    if (child.status() == kRefused) throw Error(Errc::invalid_config, last_line(child.tail()));
    throw;
  }
}

/// What does not change from one episode to the next.
struct Stage {
  const LiveConfig& config;
  Scratch scratch{};
  std::string text{}, table{};
  Spec spec{};
};

std::string make_table(const Stage& stage, const std::stop_token& stop) {
  if (!stage.config.table.empty()) return fs::absolute(stage.config.table).string();
  std::string file = (stage.scratch / "table.csv").string();
  if (const std::string known = delay_table_text(stage.config); !known.empty()) {
    files::write_file(file, known);
    return file;
  }
  process::Child profile(
      {park_program().string(), "infer", "profile", stage.text, "--quick", "--table", file},
      environment(), stage.scratch / "profile.log");
  wait_for(profile, "wrote ", kProfile, stop);
  return file;
}

/// One episode.
class Play {
 public:
  Play(const Stage& stage, const Episode& episode, Decider& decider)
      : stage_(stage),
        episode_(episode),
        apps_(stage.config.applications(stage.table)),
        arrivals_(stage.config.simulated(stage.table), apps_),
        ledger_(apps_, stage.config.inputs.drop_cost),
        link_(decider, ledger_) {}

  void run(const std::stop_token& stop) {
    arrivals_.reset(episode_.inputs);
    LoadEnd end;
    {
      bridge::Server policy(
          {.endpoint = endpoint("policy"), .name = "park infer", .limits = {}},
          [this] { return std::make_unique<DecisionService>(link_, stage_.spec); });
      const std::jthread serving([&policy](const std::stop_token& over) { policy.run(over); });
      process::Child server(
          {park_program().string(), "infer", "serve", stage_.text, "--table", stage_.table,
           "--endpoint", endpoint("requests"), "--policy-endpoint", policy.endpoint()},
          environment(), stage_.scratch / "server.log");
      wait_for(server, "serves", kStart, stop);
      end = load(server, stop);
    }
    close(end);
    if (!trouble_.empty()) throw Error(Errc::unavailable, trouble_);
  }

 private:
  [[nodiscard]] std::string endpoint(const char* name) const {
    return "ipc://" + (stage_.scratch / name).string();
  }

  LoadEnd load(process::Child& server, const std::stop_token& stop) {
    LoadClient client(endpoint("requests"));
    const LoadEnd end =
        client.play(arrivals_, ledger_,
                    {.horizon_s = episode_.horizon_s,
                     .drain_s = stage_.config.drain_s,
                     .goes_on = [&] { return !stop.stop_requested() && !server.status(); }},
                    [this](Deadline begin) { link_.begin(episode_, begin); });
    if (!end.complete && server.status() && !stop.stop_requested())
      trouble_ = "the inference server ended with status " + std::to_string(*server.status()) +
                 ": " + last_line(server.tail());
    return end;
  }

  void close(const LoadEnd& end) {
    std::vector<double> metrics(stage_.spec.metrics.size());
    ledger_.metrics(LiveLayout(apps_.size()), end.time_s, metrics);
    // Nothing waits any more, or the rest of it is lost: the row of an idle device.
    dl_inference::Device idle(apps_);
    idle.pass(end.time_s);
    Batch last(stage_.spec.observation);
    dl_inference::ChoicesRow row{dl_inference::InferenceLayout(apps_.size())};
    row.write(idle, false, last.append());
    link_.close(end.time_s, end.complete ? End::terminated : End::truncated,
                std::as_const(last).row(0), metrics);
  }

  const Stage& stage_;
  Episode episode_;
  std::vector<dl_inference::Application> apps_;  // with rates, once there are arrivals_
  dl_inference::ArrivalProcess arrivals_;
  Ledger ledger_;
  DecisionLink link_;
  std::string trouble_;  // why the server is gone
};

}  // namespace

Spec DlInferenceLive::spec(const Config& c) { return live_spec(c.models.size()); }

void DlInferenceLive::run(Episodes& episodes, Decider& decider, std::stop_token stop) {
  try {
    Stage stage{.config = config_};
    stage.text = to_text(canonical(kName, config_));
    stage.spec = spec(config_);
    stage.table = make_table(stage, stop);
    while (!stop.stop_requested()) {
      const auto episode = episodes.next();
      if (!episode) return;
      Play(stage, *episode, decider).run(stop);
    }
  } catch (const bridge::Failed& failed) {
    throw Error(Errc::unavailable, failed.what());
  } catch (const Error&) {
    if (!stop.stop_requested()) throw;  // what a stop breaks off is no error
  }
}

fs::path park_program() {
  std::error_code none;
  fs::path self = fs::read_symlink("/proc/self/exe", none);
  if (self.filename() == "park") return self;
  for (const char* relative : {"../bin/park", "../../bin/park", "park"}) {
    fs::path candidate = (library_dir() / relative).lexically_normal();
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  throw Error(Errc::unavailable, "the program park, which is the inference server, is not beside " +
                                     library_dir().string());
}

}  // namespace park::inference
