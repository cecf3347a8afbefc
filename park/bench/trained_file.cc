#include "park/bench/trained_file.h"

#include <algorithm>
#include <array>

#include "park/core/json_writer.h"
#include "park/files/durable.h"
#include "park/files/json_fields.h"
#include "park/files/read.h"

namespace park::bench {
namespace {

constexpr const char* kTrainedSchema = "park.trained";
constexpr int kTrainedVersion = 1;
constexpr const char* kTrainedName = "trained.json";
constexpr std::uint64_t kMostTrained = 1 << 20;
constexpr std::array<const char*, 3> kStates{"begun", "ended", "unfit"};

}  // namespace

std::string asked_text(const Suite& suite, const TrainingJob& job) {
  const SuiteAgent& agent = suite.agents[job.agent];
  const SuiteEnv& env = suite.environments[job.env];
  const SuiteTraining& training = suite.training;
  std::string text = agent.name + ": " + agent.train;
  for (const std::string& word : agent.command) text += word + ' ';
  for (const std::string* part : {&agent.baseline, &agent.network, &agent.policy})
    if (!part->empty()) text += ", " + *part;
  return text + "; " + env.training_text() + " of version " + std::to_string(env.version) +
         ", validated on " + env.validation_text() + "; seed " + std::to_string(job.seed) + ", " +
         std::to_string(training.decisions) + " decisions, " +
         std::to_string(training.validations) + " validations of " +
         std::to_string(training.validation_episodes) + " episodes";
}

bool has_trained(const std::filesystem::path& folder) {
  std::error_code ignored;
  return std::filesystem::exists(folder / kTrainedName, ignored);
}

TrainedFile read_trained(const std::filesystem::path& folder) {
  const std::string file = (folder / kTrainedName).string();
  const files::Json json = files::parse_document(files::read_whole(file, kMostTrained), file,
                                                 kTrainedSchema, kTrainedVersion);
  TrainedFile trained;
  Violations wrong;
  std::string schema, state;
  std::uint64_t version = 0;
  files::JsonFields fields(json, file, wrong);
  fields.take("schema", schema);
  fields.take("version", version);
  fields.take("state", state);
  fields.take("asked", trained.asked);
  fields.take("agent", trained.training.agent);
  fields.take("seed", trained.training.seed);
  fields.take("decisions", trained.training.decisions);
  fields.take("episodes", trained.training.episodes);
  fields.take("cpu_s", trained.training.cpu_s);
  fields.take("wall_s", trained.training.wall_s);
  fields.take("error", trained.training.error);
  fields.finish();
  const auto found = std::ranges::find(kStates, state);
  if (found == kStates.end()) wrong.add(file + ".state: is not begun, ended or unfit");
  wrong.throw_if_any(Errc::bad_file);
  trained.state = static_cast<TrainedFile::State>(found - kStates.begin());
  return trained;
}

void write_trained(const std::filesystem::path& folder, const TrainedFile& trained) {
  JsonWriter json;
  json.begin_object().member("schema", kTrainedSchema).member("version", kTrainedVersion);
  json.member("state", kStates[static_cast<std::size_t>(trained.state)]);
  json.member("asked", trained.asked).member("agent", trained.training.agent);
  json.member("seed", trained.training.seed).member("decisions", trained.training.decisions);
  json.member("episodes", trained.training.episodes).member("cpu_s", trained.training.cpu_s);
  json.member("wall_s", trained.training.wall_s).member("error", trained.training.error);
  files::write_durable(folder / kTrainedName, json.end_object().take());
}

}  // namespace park::bench
