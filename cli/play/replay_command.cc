#include <cerrno>
#include <cstring>
#include <fstream>

#include "cli/frame/commands.h"
#include "cli/frame/inputs.h"
#include "cli/frame/names.h"
#include "park/command/numbers.h"
#include "park/core/golden.h"
#include "park/core/json_writer.h"

namespace park::cli {
namespace {

class ReplayCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.name = "replay",
            .summary = "repeat recorded trajectories and compare",
            .details =
                "Runs the recorded decisions again. Exits with 0 where everything is the "
                "same, with 1 where something differs.",
            .example = "park replay park/envs/load_balance/golden/load_balance.txt"};
  }

  void declare(Options& options) override {
    options.texts("FILE", files_, "records written by park record", Options::Need::required);
  }

  int run(Session& session) override {
    Violations wrong;
    for (const std::string& file : files_)
      attempt(file, wrong, [&] { reports_.push_back(replay_file(session.registry(), file)); });
    wrong.throw_if_any(Errc::bad_file);
    session.print(session.json() ? as_json() : as_text());
    for (const ReplayReport& report : reports_)
      if (!report.same()) return kFailed;
    return kDone;
  }

 private:
  static ReplayReport replay_file(const Registry& registry, const std::string& path) {
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file) throw Error(Errc::io, errno != 0 ? std::strerror(errno) : "cannot be read");
    return replay(file, registry);
  }

  std::string as_text() const {
    std::string text;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      const ReplayReport& report = reports_[i];
      text += files_[i] + ": " + plural(report.decisions, "decision") + " of " + report.env +
              (report.same() ? ", all the same\n" : ", not the same\n");
      for (const Difference& one : report.differences)
        text += "  line " + std::to_string(one.line) + ", " + one.field + ": recorded " +
                one.expected + ", now " + one.found + '\n';
    }
    return text;
  }

  std::string as_json() const {
    JsonWriter json;
    json.begin_object().key("replays").begin_array();
    for (std::size_t i = 0; i < files_.size(); ++i) {
      const ReplayReport& report = reports_[i];
      json.begin_object().member("file", files_[i]).member("env", report.env);
      json.member("decisions", report.decisions).member("same", report.same());
      json.key("differences").begin_array();
      for (const Difference& one : report.differences) {
        json.begin_object(JsonWriter::Layout::line).member("line", one.line);
        json.member("field", one.field).member("expected", one.expected);
        json.member("found", one.found).end_object();
      }
      json.end_array().end_object();
    }
    return json.end_array().end_object().take();
  }

  std::vector<std::string> files_;
  std::vector<ReplayReport> reports_;
};

}  // namespace

void add_replay_command(Commands& all) { all.add(140, std::make_unique<ReplayCommand>()); }

}  // namespace park::cli
