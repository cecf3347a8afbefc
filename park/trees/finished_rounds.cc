// The file of finished rounds: written after each round, read once at the beginning of a call.
#include "park/trees/finished_rounds.h"

#include <string>
#include <utility>

#include "park/core/error.h"
#include "park/core/json_writer.h"
#include "park/files/durable.h"
#include "park/files/json_fields.h"
#include "park/files/read.h"

namespace park::trees {
namespace {

constexpr const char* kSchema = "park.distill";
constexpr std::uint64_t kVersion = 1;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;

using files::Json;

/// The fields by which rounds belong to a plan, as the file has them.
std::vector<std::pair<const char*, std::string>> fields_of(const DistillPlan& plan) {
  return {{"env", plan.env},
          {"teacher", plan.teacher},
          {"validate_on", plan.validate_on},
          {"leaves", std::to_string(plan.leaves)},
          {"trees", std::to_string(plan.trees)},
          {"episodes", std::to_string(plan.episodes)},
          {"validation_episodes", std::to_string(plan.validation_episodes)},
          {"seed", std::to_string(plan.seed)},
          {"weights", std::to_string(static_cast<int>(plan.weights))},
          {"separate", plan.separate}};
}

void check_plan(const Json& json, const std::string& file, const DistillPlan& plan) {
  Violations wrong;
  files::JsonFields fields(json, "plan", wrong);
  for (const auto& [name, value] : fields_of(plan)) {
    std::string found;
    fields.take(name, found);
    if (found != value)
      wrong.add(std::string("plan.")
                    .append(name)
                    .append(": is ")
                    .append(found)
                    .append(", this call has ")
                    .append(value));
  }
  fields.finish();
  if (!wrong.empty()) throw Error(Errc::bad_file, file + ": " + wrong.lines().front());
}

FinishedRound read_round(const Json& json, std::uint64_t number, const std::string& file) {
  FinishedRound round;
  Violations wrong;
  files::JsonFields fields(json, "rounds[" + std::to_string(number - 1) + "]", wrong);
  std::uint64_t found = 0, leaves = 0;
  std::string tree;
  fields.take("round", found);
  fields.take("decisions", round.figures.decisions);
  fields.take("leaves", leaves);
  fields.take("mean", round.figures.metric);
  fields.take("tree", tree);
  fields.finish();
  if (wrong.empty() && found != number)
    wrong.add(fields.where() + ".round: is " + std::to_string(found));
  if (!wrong.empty()) throw Error(Errc::bad_file, file + ": " + wrong.lines().front());
  round.figures.round = static_cast<std::uint32_t>(number);
  round.tree = parse_tree_file(tree, file + ": " + fields.where() + ".tree");
  round.figures.leaves = round.tree.leaves();
  return round;
}

}  // namespace

void write_finished_rounds(const std::filesystem::path& path, const DistillPlan& plan) {
  JsonWriter json;
  json.begin_object().member("schema", kSchema).member("version", kVersion);
  json.key("plan").begin_object();
  for (const auto& [name, value] : fields_of(plan)) json.member(name, value);
  json.end_object().key("rounds").begin_array();
  for (const FinishedRound& round : plan.finished) {
    json.begin_object().member("round", std::uint64_t{round.figures.round});
    json.member("decisions", round.figures.decisions);
    json.member("leaves", std::uint64_t{round.figures.leaves});
    json.member("mean", round.figures.metric).member("tree", print_tree_file(round.tree));
    json.end_object();
  }
  files::write_durable(path, json.end_array().end_object().take());
}

std::vector<FinishedRound> read_finished_rounds(const std::filesystem::path& path,
                                                const DistillPlan& plan) {
  const std::string file = path.string();
  const Json json = files::parse_document(files::read_whole(path, kMostBytes), file, kSchema,
                                          static_cast<int>(kVersion));
  Violations wrong;
  files::JsonFields fields(json, "file", wrong);
  std::string schema;
  std::uint64_t version = 0;
  fields.take("schema", schema);
  fields.take("version", version);
  const Json& of_plan = fields.object("plan");
  const Json& rounds = fields.array("rounds");
  fields.finish();
  if (!wrong.empty()) throw Error(Errc::bad_file, file + ": " + wrong.lines().front());
  check_plan(of_plan, file, plan);
  std::vector<FinishedRound> all;
  for (const Json& round : rounds) all.push_back(read_round(round, all.size() + 1, file));
  return all;
}

}  // namespace park::trees
