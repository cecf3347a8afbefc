#include <algorithm>
#include <cctype>

#include "park/bench/suite_parts.h"

namespace park::bench {
namespace {

SuiteAgent read_agent(const files::Json& json, const std::string& where, Violations& wrong) {
  SuiteAgent agent;
  files::JsonFields fields(json, where, wrong);
  fields.take("agent", agent.name);
  fields.optional().take("train", agent.train);
  fields.take("baseline", agent.baseline);
  fields.take("network", agent.network);
  fields.take("command", agent.command);
  fields.take("policy", agent.policy);
  fields.finish();
  if (!json.is_object()) return agent;
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-';
  };
  if (agent.name.empty() || agent.name[0] == '.' || !std::ranges::all_of(agent.name, plain))
    wrong.add(where + ".agent: is no name of letters, digits, _ . and -");
  if (agent.train.empty() == agent.command.empty())
    wrong.add(where + ": has not just one of train and command");
  if (agent.policy.empty() != agent.command.empty() || agent.policy.find('/') != std::string::npos)
    wrong.add(where + ".policy: must name the file that the command leaves");
  if (!agent.command.empty() && !(agent.baseline + agent.network).empty())
    wrong.add(where + ": baseline and network go with train");
  return agent;
}

SuiteTraining read_training(const files::Json& json, const std::string& where, Violations& wrong) {
  SuiteTraining training;
  files::JsonFields fields(json, where, wrong);
  fields.take("decisions", training.decisions);
  fields.take("seeds", training.seeds);
  fields.optional().take("validations", training.validations);
  fields.take("validation_episodes", training.validation_episodes);
  fields.take("transfer", training.transfer);
  fields.finish();
  if (!json.is_object()) return training;
  if (training.decisions == 0) wrong.add(where + ".decisions: is not at least 1");
  check_count(where + ".seeds", training.seeds, wrong);
  check_count(where + ".validations", training.validations, wrong);
  check_count(where + ".validation_episodes", training.validation_episodes, wrong);
  return training;
}

}  // namespace

void read_agents(files::JsonFields& fields, Suite& suite, Violations& wrong) {
  const std::string& where = fields.where();
  const files::Json& agents = fields.array("agents");
  const files::Json& training = fields.object("training");
  for (std::size_t a = 0; a < agents.size(); ++a)
    suite.agents.push_back(
        read_agent(agents[a], where + ": agents[" + std::to_string(a) + ']', wrong));
  if (!training.is_null()) suite.training = read_training(training, where + ": training", wrong);
  if (agents.empty() != training.is_null())
    wrong.add(where + ": agents and training come together");
  for (auto i = suite.agents.begin(); i != suite.agents.end(); ++i)
    if (std::find_if(suite.agents.begin(), i, [&](auto& a) { return a.name == i->name; }) != i)
      wrong.add(where + ".agents: has \"" + i->name + "\" twice");
}

}  // namespace park::bench
