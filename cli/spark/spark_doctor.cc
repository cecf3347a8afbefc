#include "cli/frame/command.h"
#include "cli/frame/inputs.h"
#include "cli/spark/spark_commands.h"
#include "park/core/json_writer.h"
#include "park/files/read.h"
#include "systems/spark/diagnosis.h"

namespace park::cli {
namespace {

constexpr std::uint64_t kMostLogBytes = std::uint64_t{1} << 30U;  // of a log

class SparkDoctorCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.name = "doctor",
            .summary = "tell whether a policy decides in a Spark application, and if not, why",
            .details =
                "Reads settings of Spark, the log of a driver, or both. In cluster mode the log is "
                "that of the driver's container. Ends with 0 where decisions are taken, or nothing "
                "that was given keeps them from it, and with 1 where they are not.",
            .example = "park spark doctor --conf spark-defaults.conf --log driver.log"};
  }

  bool takes_plugins() const override { return false; }

  void declare(Options& options) override {
    options.text("--conf", "FILE", conf_, "settings of Spark, as in spark-defaults.conf");
    options.text("--log", "FILE", log_, "what the driver logged");
  }

  void prepare(Session&, Violations& wrong) override {
    if (conf_.empty() && log_.empty()) wrong.add("--conf, --log: one of them is required");
    // The settings come first: a log that tells of decisions has the last word.
    if (!conf_.empty())
      attempt("--conf", wrong,
              [&] { spark::diagnose_settings(files::read_whole(conf_, kMostLogBytes), found_); });
    if (!log_.empty())
      attempt("--log", wrong,
              [&] { spark::diagnose_log(files::read_whole(log_, kMostLogBytes), found_); });
  }

  int run(Session& session) override {
    session.print(session.json() ? json() : text());
    return found_.decided.value_or(found_.reasons.empty()) ? kDone : kFailed;
  }

 private:
  [[nodiscard]] std::string text() const {
    std::string all = !found_.decided   ? std::string("no log tells whether decisions are taken\n")
                      : *found_.decided ? std::string("the agent takes the decisions\n")
                                        : std::string("Spark's own order decides\n");
    for (const std::string& reason : found_.reasons) all += "  because " + reason + "\n";
    for (const std::string& fact : found_.facts) all += "  " + fact + "\n";
    return all;
  }

  [[nodiscard]] std::string json() const {
    JsonWriter json;
    json.begin_object().key("decided");
    if (found_.decided)
      json.value(*found_.decided);
    else
      json.null();
    json.key("reasons").values(found_.reasons);
    return json.key("facts").values(found_.facts).end_object().take();
  }

  std::string conf_, log_;
  spark::Diagnosis found_;
};

}  // namespace

std::unique_ptr<Command> make_spark_doctor_command() {
  return std::make_unique<SparkDoctorCommand>();
}

}  // namespace park::cli
