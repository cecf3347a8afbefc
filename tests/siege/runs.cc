// Trainings and benchmarks under attack. A Run is made once undisturbed to see that it repeats and
// how long it takes. Each attack then makes it in a folder of its own, disturbs it some times, and
// lets it end: the results must have the bytes of the run.
#include "tests/siege/runs.h"

#include <sys/mount.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/siege/forms.h"
#include "tests/siege/power_loss.h"

namespace park::siege {
namespace {

namespace fs = std::filesystem;
using RunJson = nlohmann::json;

constexpr std::chrono::minutes kMakes{20};

RunJson json_of(const fs::path& path) {
  return RunJson::parse(file_text(path).value_or(""), nullptr, false);
}

/// The words that made a run, without the folder and what only one call says.
std::vector<std::string> command_of(const RunJson& words) {
  std::vector<std::string> all;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string word = words[i];
    if (word == "--out")
      ++i;
    else if (word != "--overwrite" && word != "--resume")
      all.push_back(word);
  }
  return all;
}

}  // namespace

bool is_run(const std::string& path) {
  const RunJson manifest = json_of(fs::path(path) / "manifest.json");
  return (manifest.is_object() && manifest.value("schema", "") == "park.run") ||
         fs::exists(fs::path(path) / "results.json");
}

Run::Run(const std::string& folder) {
  const RunJson manifest = json_of(fs::path(folder) / "manifest.json");
  training_ = manifest.is_object();
  const RunJson results = json_of(fs::path(folder) / "results.json");
  if (training_ && manifest["settings"].value("iterations", 0) == 0)
    throw Trouble(folder + ": the training ends by time: make one with --iterations");
  if (!training_ && !results.is_object()) throw Trouble(folder + ": has no results.json");
  command_ = command_of(training_ ? manifest["command"] : results["manifest"]["command"]);
  if (training_ && !std::ranges::count(command_, "--checkpoint-every"))
    command_.insert(command_.end(), {"--checkpoint-every", "0.2s"});
  expected_ = result(folder);
  const Folder again;
  const Finished done = Process(words(again.file("run"), false)).finish(Clock::now() + kMakes);
  if (done.code != 0) throw Trouble(folder + ": cannot be made again: " + one_line(done.err));
  if (const std::string what = difference(again.file("run")); !what.empty())
    throw Trouble(folder + ": made again without disturbance it is another one: " + what);
  seconds_ = done.seconds;
}

std::vector<std::string> Run::words(const std::string& out, bool resume) const {
  std::vector<std::string> all{park_program()};
  all.insert(all.end(), command_.begin(), command_.end());
  all.insert(all.end(), {"--out", out});
  if (resume) all.push_back("--resume");
  return all;
}

std::map<std::string, std::string> Run::result(const std::string& folder) {
  std::map<std::string, std::string> all;
  std::error_code none;
  for (const auto& entry : fs::recursive_directory_iterator(folder, none)) {
    const fs::path& path = entry.path();
    const std::string place = fs::relative(path, folder);
    // Other files have times in them.
    const bool kept = path.extension() == ".safetensors" || path.filename() == "results.csv" ||
                      path.filename() == "summary.csv";
    if (entry.is_regular_file() && kept) all[place] = file_text(path).value_or("");
  }
  return all;
}

std::string Run::difference(const std::string& folder) const {
  const auto found = result(folder);
  for (const auto& [name, bytes] : expected_) {
    const auto at = found.find(name);
    if (at == found.end()) return name + " is missing";
    if (at->second != bytes) return name + " has other bytes";
  }
  return found.size() == expected_.size() ? "" : "there are files that the run has not";
}

std::string Run::completed(const std::string& out) const {
  Finished done = Process(words(out, true)).finish(Clock::now() + kMakes);
  if (done.code == 2) {  // nothing to go on with
    fs::remove_all(out);
    done = Process(words(out, false)).finish(Clock::now() + kMakes);
  }
  if (done.code != 0)
    return "it does not go on: status " + std::to_string(done.code) + ": " + one_line(done.err);
  return difference(out);
}

namespace {

/// One of the ways in which processes are told to end.
void strike(const Process& process, Rng& rng) {
  const auto pause = [] { std::this_thread::sleep_for(milliseconds(30)); };
  switch (rng.below(5)) {
    case 0:
      return process.signal(SIGINT);
    case 1:
      return process.signal(SIGTERM);
    case 2:
      return process.signal(SIGKILL);
    case 3:
      process.signal(SIGINT);
      pause();
      return process.signal(SIGINT);
    default:
      process.signal(SIGSTOP);
      pause();
      process.signal(SIGCONT);
      process.signal(SIGTERM);
  }
}

void under_signals(Siege& siege, const Run& run) {
  constexpr int kStrikes = 5;
  for (std::uint64_t i = siege.count(3, 50); i > 0; --i) {
    const Folder place;
    const std::string out = place.file("run");
    for (int k = 0; k < kStrikes; ++k) {
      Process process(run.words(out, fs::exists(out)));
      std::this_thread::sleep_for(
          std::chrono::duration<double>(siege.rng.uniform(0, run.seconds() / 2)));
      strike(process, siege.rng);
      const Finished done = process.finish(Clock::now() + std::chrono::seconds(60));
      if (done.late) siege.broke("after a signal it did not end within 60 s");
      const bool struck =
          done.code == -SIGKILL || done.code == -SIGTERM || done.code == -SIGINT || done.code > 128;
      if (!struck && done.crashed()) siege.broke("it crashed: " + one_line(done.err));
    }
    if (const std::string what = run.completed(out); !what.empty()) siege.broke(what);
    siege.did();
  }
}

/// A small disk of memory; only the administrator can make one.
class SmallDisk {
 public:
  SmallDisk() {
    made_ = mount("tmpfs", place_.path().c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "size=4k") == 0;
  }
  ~SmallDisk() {
    if (made_) umount2(place_.path().c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  [[nodiscard]] bool made() const noexcept { return made_; }
  [[nodiscard]] std::string run() const { return place_.file("run"); }
  void resize(std::uint64_t bytes) const {
    const std::string size = "size=" + std::to_string(bytes);
    static_cast<void>(mount("tmpfs", place_.path().c_str(), "tmpfs",
                            MS_REMOUNT | MS_NOSUID | MS_NODEV, size.c_str()));
  }

 private:
  Folder place_;
  bool made_ = false;
};

/// Bytes of all files of a run.
std::uint64_t size_of_run(const std::string& folder) {
  std::uint64_t sum = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) sum += entry.file_size();
  return sum;
}

void judge_full(Siege& siege, const Finished& done) {
  if (done.late) return siege.broke("on a full disk it did not end");
  if (done.code < 0) siege.broke("on a full disk it ended by signal " + std::to_string(-done.code));
  if (done.code > 0 && done.err.empty()) siege.broke("on a full disk it ended without a reason");
}

/// Room runs out at a random size, then there is some.
void on_full_disks(Siege& siege, const Run& run) {
  const std::uint64_t whole = size_of_run(siege.options.target);
  for (std::uint64_t i = siege.count(3, 50); i > 0; --i) {
    const SmallDisk disk;
    const Folder place;
    const std::uint64_t most = siege.rng.below(whole) + 1;
    const std::string out = disk.made() ? disk.run() : place.file("run");
    if (disk.made()) disk.resize(most);
    Process process(run.words(out, false), "", [&] {
      if (disk.made()) return;  // else no file may grow beyond a size
      const rlimit small{most / 4 + 1, most / 4 + 1};
      setrlimit(RLIMIT_FSIZE, &small);
      std::signal(SIGXFSZ, SIG_IGN);
    });
    judge_full(siege, process.finish(Clock::now() + kMakes));
    if (disk.made()) disk.resize(16 * whole + (std::uint64_t{64} << 20U));
    if (const std::string what = run.completed(out); !what.empty()) siege.broke(what);
    siege.did();
  }
}

Report attack_run(const std::string& name, const Options& options, const Run& run,
                  const std::function<void(Siege&, const Run&)>& attack) {
  Report report{.attack = name};
  Siege siege(options, report);
  const Time begin = Clock::now();
  try {
    attack(siege, run);
  } catch (const std::exception& error) {
    siege.broke(one_line(error.what()));
  }
  report.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return report;
}

}  // namespace

std::vector<Report> attack_runs(const Options& options) {
  const Run run(options.target);
  std::vector<Report> all;
  const auto make = [&](const std::string& name, const auto& attack) {
    if (options.attacks.empty() || std::ranges::count(options.attacks, name) > 0)
      all.push_back(attack_run(name, options, run, attack));
  };
  make("signals", under_signals);
  make("disk-full", on_full_disks);
  make("power-loss", lose_power);
  return all;
}

}  // namespace park::siege
