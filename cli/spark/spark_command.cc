#include "cli/frame/commands.h"
#include "cli/spark/spark_commands.h"

namespace park::cli {
namespace {

class SparkCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.name = "spark",
            .summary = "take the scheduling decisions of a stock Apache Spark",
            .details = "",
            .example = "park spark attach --policy fair"};
  }
  int run(Session&) override { return kBadInput; }  // a group is never run
  std::vector<std::unique_ptr<Command>> commands() override {
    std::vector<std::unique_ptr<Command>> all;
    all.push_back(make_spark_run_command());
    all.push_back(make_spark_attach_command());
    return all;
  }
};

}  // namespace

void add_spark_command(Commands& all) { all.add(90, std::make_unique<SparkCommand>()); }

}  // namespace park::cli
