// Damaged files. A Form knows the whole file, where a copy of it is written, and the commands that
// read it. What a command prints about the whole file is the result; each copy is read by the same
// commands and judged by their exit status and what they print.
#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>
#include <thread>

#include "park/core/rng.h"
#include "park/files/crc32c.h"
#include "park/files/sha256.h"
#include "tests/fuzz/mutate.h"
#include "tests/siege/forms.h"
#include "tests/siege/process.h"

namespace park::siege {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;
using Json = nlohmann::ordered_json;

constexpr std::chrono::seconds kReads{120};
/// A command that plays is interrupted after this time: a damaged number may ask for days of work.
constexpr std::chrono::seconds kPlays{2};
constexpr int kInterrupted = 130;

/// A form, as one file of it is.
struct Form {
  std::string name;
  std::string file;            ///< the one that is damaged
  std::string folder;          ///< all of this is copied; empty: the file alone
  std::vector<Words> readers;  ///< words of `park`; @ is the copy, @OUT a folder that is not there
  bool summed = false;  ///< it has a checksum: another result than that of the whole one is wrong
  bool plays = false;   ///< its readers play: after kPlays they get a SIGINT, and have to end then
  /// Makes the checksum of a damaged copy right; the path is that of the file or folder.
  std::function<void(const std::string& path)> repair{};
};

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

/// The header's last field: FNV-1a over the bytes before it and the body (docs/workload-format.md).
void repair_workload(const std::string& path) {
  constexpr std::size_t kBefore = 40, kBody = 48;
  std::string bytes = file_text(path).value_or("");
  if (bytes.size() < kBody) return;
  const std::uint64_t sum = hash_text(std::string_view(bytes).substr(kBody),
                                      hash_text(std::string_view(bytes).substr(0, kBefore)));
  std::memcpy(bytes.data() + kBefore, &sum, sizeof sum);
  write_text(path, bytes);
}

/// The sizes and checksums in a checkpoint's manifest, where it is still one.
void repair_checkpoint(const std::string& folder) {
  const std::string path = fs::path(folder) / "manifest.json";
  Json manifest = Json::parse(file_text(path).value_or(""), nullptr, false);
  if (!manifest.is_object() || !manifest["files"].is_array()) return;
  for (Json& file : manifest["files"]) {
    if (!file.is_object() || !file["path"].is_string()) continue;
    const auto bytes = file_text(fs::path(folder) / file["path"].get<std::string>());
    if (!bytes) continue;
    file["bytes"] = bytes->size();
    file["crc32c"] = files::crc32c_text(files::crc32c(*bytes));
    if (file.contains("sha256")) file["sha256"] = files::sha256_text(*bytes);
  }
  write_text(path, manifest.dump(1));
}

std::vector<Form> forms_of_checkpoint(const std::string& folder, const Json& manifest) {
  const std::string env = manifest["settings"]["env"];
  const Words play{"run", env, "--policy", "@", "--episodes", "1"};
  std::vector<Form> all;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file())
      all.push_back({.name = "checkpoint",
                     .file = entry.path().filename(),
                     .folder = folder,
                     .readers = {play},
                     .summed = entry.path().filename() != "manifest.json",
                     .repair = &repair_checkpoint});
  std::ranges::sort(all, {}, &Form::file);
  return all;
}

std::vector<Form> forms_of_folder(const std::string& path) {
  const Json manifest =
      Json::parse(file_text(fs::path(path) / "manifest.json").value_or(""), nullptr, false);
  if (manifest.is_object() && manifest.value("schema", "") == "park.checkpoint")
    return forms_of_checkpoint(path, manifest);
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(path))
    if (entry.is_regular_file() && entry.path().extension() == ".txt")
      names.push_back(entry.path().filename());
  if (names.empty()) throw Trouble(path + ": is no checkpoint, run or folder of traces");
  return {{.name = "traces",
           .file = *std::ranges::min_element(names),
           .folder = path,
           .readers = {{"data", "traces", "describe", "@"}}}};
}

/// The forms that a path has: one for each file that can be damaged.
std::vector<Form> forms_of(const std::string& path) {
  if (fs::is_directory(path)) return forms_of_folder(path);
  const auto text = file_text(path);
  if (!text) throw Trouble(path + ": cannot be read");
  if (text->starts_with("park-record "))
    return {{.name = "record",
             .file = path,
             .folder = "",
             .readers = {{"replay", "@"}},
             .summed = true}};
  if (text->starts_with("PARKWORK"))
    return {{.name = "workload",
             .file = path,
             .folder = "",
             .readers = {{"workload", "describe", "@"}},
             .summed = true,
             .repair = &repair_workload}};
  const Json json = Json::parse(*text, nullptr, false);
  const std::string schema = json.is_object() ? json.value("schema", "") : "";
  if (schema == "park.bench")
    return {{.name = "results",
             .file = path,
             .folder = "",
             .readers = {{"bench", "verify", "@"}, {"bench", "compare", "@", path}},
             .summed = true}};
  if (schema == "park.suite")
    return {{.name = "suite",
             .file = path,
             .folder = "",
             .readers = {{"bench", "@", "--out", "@OUT"}},
             .plays = true}};
  throw Trouble(path + ": is no record, results, suite, workload, checkpoint or traces");
}

/// What a reader prints, without paths and times: those are in the last table of `park run`.
std::string told(const Finished& done, const std::string& copy) {
  const std::string text = replaced(done.out, copy, "@");
  const std::size_t times = text.find("wall time");
  return times == std::string::npos ? text : text.substr(0, text.rfind('\n', times));
}

/// Damages one file many times in one folder.
class Damager {
 public:
  Damager(Form form, bool repairs) : form_(std::move(form)), repairs_(repairs) {
    const fs::path whole =
        form_.folder.empty() ? fs::path(form_.file) : fs::path(form_.folder) / form_.file;
    whole_ = *file_text(whole);
    copy_ = place_.file(form_.folder.empty() ? whole.filename().string() : "copy");
    damaged_ = form_.folder.empty() ? copy_ : (fs::path(copy_) / form_.file).string();
    if (!form_.folder.empty()) fs::copy(form_.folder, copy_, fs::copy_options::recursive);
    write_text(damaged_, whole_);
    for (const Words& reader : form_.readers) {
      const Finished done = read(reader);
      if (done.code != 0)
        throw Trouble(form_.name + ": the whole one is refused: " + one_line(done.err));
      expected_.push_back(told(done, copy_));
    }
  }

  /// Commands that refused a copy.
  [[nodiscard]] std::uint64_t refused() const noexcept { return refused_; }
  /// One damage; a line for each promise that it broke.
  std::vector<std::string> damage(std::uint64_t seed) {
    park::test::Mutator change(seed);
    std::string bytes = change(whole_, whole_);
    if (change.rng().below(4) == 0) bytes = park::test::shuffle_lines(whole_, change.rng());
    restore();
    write_text(damaged_, bytes);
    if (repairs_) form_.repair(copy_);
    std::vector<std::string> broke;
    for (std::size_t r = 0; r < form_.readers.size(); ++r) {
      const std::string wrong = judged(read(form_.readers[r]), r);
      if (!wrong.empty())
        broke.push_back(form_.readers[r][0] + " of damage " + std::to_string(seed) + " of " +
                        fs::path(form_.file).filename().string() + ": " + wrong);
    }
    return broke;
  }

 private:
  void restore() const {
    if (form_.folder.empty()) return;
    for (const auto& entry : fs::directory_iterator(form_.folder))
      if (entry.is_regular_file())
        fs::copy_file(entry.path(), fs::path(copy_) / entry.path().filename(),
                      fs::copy_options::overwrite_existing);
  }

  Finished read(const Words& reader) {
    const std::string out = place_.file("out");
    fs::remove_all(out);
    Words words{park_program()};
    for (const std::string& word : reader)
      words.push_back(word == "@" ? copy_ : word == "@OUT" ? out : word);
    Process process(words);
    if (form_.plays) interrupt_late(process);
    Finished done = process.finish(Clock::now() + kReads);
    if (form_.plays && done.code == kInterrupted) done.code = 0;  // as it was told to
    return done;
  }

  static void interrupt_late(const Process& process) {
    const Time until = Clock::now() + kPlays;
    while (process.runs() && Clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (process.runs()) process.signal(SIGINT);
  }

  std::string judged(const Finished& done, std::size_t reader) {
    if (done.late) return "no end within 120 s";
    if (done.crashed()) return "crashed: " + std::to_string(done.code) + ": " + one_line(done.err);
    if (const std::string raw = control_characters(done.out + done.err); !raw.empty())
      return "a control character was shown: " + raw;
    if (done.code != 0) {
      ++refused_;
      return done.err.empty() && done.out.empty() ? "refused without a reason" : "";
    }
    const bool may_differ = !form_.summed || repairs_;
    return may_differ || told(done, copy_) == expected_[reader] ? "" : "gave another result";
  }

  Form form_;
  bool repairs_;
  Folder place_;
  std::string whole_, copy_, damaged_;
  std::vector<std::string> expected_;
  std::uint64_t refused_ = 0;
};

/// A form with checksums as they fall, or made right.
Report damage_form(const std::vector<Form>& forms, bool repairs, const Options& options) {
  Report report{.attack = "damage-" + forms[0].name + (repairs ? "-sums" : "")};
  Siege siege(options, report);
  const Time begin = Clock::now();
  const std::uint64_t each = (siege.count(20, 10'000) + forms.size() - 1) / forms.size();
  for (const Form& form : forms) {
    Damager damager(form, repairs);
    for (std::uint64_t i = 0; i < each; ++i, siege.did())
      for (const std::string& line : damager.damage(siege.rng.bits())) siege.broke(line);
    if (damager.refused() == 0) siege.broke("no copy was refused: the damages are too tame");
  }
  report.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return report;
}

}  // namespace

std::vector<Report> attack_files(const Options& options) {
  const std::vector<Form> forms = forms_of(options.target);
  std::vector<Report> all;
  for (const bool repairs : {false, true}) {
    if (repairs && !forms[0].repair) continue;
    const std::string name = "damage-" + forms[0].name + (repairs ? "-sums" : "");
    if (options.attacks.empty() || std::ranges::count(options.attacks, name) > 0)
      all.push_back(damage_form(forms, repairs, options));
  }
  return all;
}

}  // namespace park::siege
