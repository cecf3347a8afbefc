#include <limits>
#include <sstream>

#include "cli/frame/commands.h"
#include "cli/frame/inputs.h"
#include "cli/frame/names.h"
#include "park/command/output.h"
#include "park/core/episodes.h"
#include "park/core/golden.h"
#include "park/core/json_writer.h"

namespace park::cli {
namespace {

class RecordCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.name = "record",
            .summary = "record an episode as a readable golden trajectory",
            .details = "",
            .example = "park record load_balance --policy random --decisions 20 --out lb.record"};
  }

  void declare(Options& options) override {
    options.text("ENV", "", env_text_, "a simulated environment", Options::Need::required);
    options.text("--policy", "P", policy_text_, "who decides", Options::Need::required);
    options.integer("--seed", "S", seed_, {0, std::numeric_limits<std::uint64_t>::max()},
                    "same seed, same episodes as of park run");
    options.integer("--episode", "K", episode_, {0, 1'000'000'000}, "its number in the run");
    options.integer("--decisions", "N", decisions_, {1, 1'000'000}, "stop after so many");
    options.text("--out", "FILE", out_, "write to a file instead of stdout");
    options.flag("--overwrite", overwrite_, "replace a file that exists");
  }

  void prepare(Session& session, Violations& wrong) override {
    check_output("--out", out_, overwrite_, wrong);
    const Registry& registry = session.registry();
    if (!read_env(registry, env_text_, env_, wrong)) {
      if (!policy_text_.empty()) check_policies(registry, "--policy", {policy_text_}, wrong);
      return;
    }
    if (env_.spec.traits.system) wrong.add("ENV: " + env_.canonical + " is not simulated");
    if (policy_text_.empty()) return;  // reported as a missing option
    auto read = read_policies(registry, "--policy", {policy_text_}, env_.spec, wrong);
    if (!read.empty()) policy_ = std::move(read.front());
  }

  int run(Session& session) override {
    const RandomEpisodes episodes(phase_rng(seed_, Phase::evaluate));
    const auto env = session.registry().env_factory(env_.canonical)();
    std::ostringstream text;
    record(text, env_.canonical, *env, env_.spec, *policy_.policy, *episodes.at(episode_),
           decisions_);
    if (!out_.empty()) write_file(out_, text.str());
    if (session.json())
      session.print(as_json(text.str()));
    else if (out_.empty())
      session.print(text.str());
    else
      session.print("wrote " + out_ + '\n');
    return kDone;
  }

 private:
  std::string as_json(const std::string& text) const {
    JsonWriter json;
    json.begin_object().member("env", env_.canonical).member("policy", policy_.canonical);
    json.member("seed", seed_).member("episode", episode_).key("out");
    if (out_.empty())
      json.null().member("record", text);
    else
      json.value(out_);
    return json.end_object().take();
  }

  std::string env_text_, policy_text_, out_;
  std::uint64_t seed_ = 1, episode_ = 0, decisions_ = 40;
  bool overwrite_ = false;
  EnvInput env_;
  PolicyInput policy_;
};

}  // namespace

void add_record_command(Commands& all) { all.add(130, std::make_unique<RecordCommand>()); }

}  // namespace park::cli
