// `park serve` and the environment `remote`: what a server plays is what is played here.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bridge/codec/spec.h"
#include "bridge/server/server.h"
#include "bridge/server/service.h"
#include "cli/frame/session.h"
#include "park/core/batch.h"
#include "park/core/episodes.h"
#include "park/core/registry.h"
#include "park/core/stream.h"
#include "tests/cli/served.h"

namespace park::cli {
namespace serve_test {

using Json = nlohmann::json;

Json results(const std::string& env) {
  const Finished done = run_park(
      {"run", env, "--policy", "least_work,random", "--episodes", "5", "--json", "--quiet"});
  EXPECT_EQ(done.code, 0) << done.err;
  Json all = Json::parse(done.out).at("results");
  for (Json& result : all)
    for (const char* own : {"env", "wall_s"}) result.erase(own);
  return all;
}

TEST(Serve, ARemoteEnvironmentGivesTheSameResults) {
  Served served({"load_balance(jobs=50)"});
  EXPECT_EQ(results("remote(endpoint=\"" + served.endpoint() + "\")"),
            results("load_balance(jobs=50)"));
  const Finished done = served.end(SIGINT);
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_NE(done.out.find("0 malformed messages"), std::string::npos) << done.out;
}

/// Figures by episode of a policy.
Json played(const std::string& env, const std::string& policy) {
  const Finished done =
      run_park({"run", env, "--policy", policy, "--episodes", "5", "--json", "--quiet"});
  EXPECT_EQ(done.code, 0) << done.err;
  return Json::parse(done.out).at("results").at(0).at("per_episode");
}

TEST(Serve, ATreePlaysTheSameAtBothEnds) {
  const std::string env = "load_balance(jobs=50)", file = scratch_path("my.tree"),
                    tree = "tree(file=" + file + ")";
  ASSERT_EQ(run_park({"distill", env, "--teacher", "least_work", "--out", file, "--leaves", "4",
                      "--rounds", "1", "--episodes", "2", "--validation-episodes", "1"})
                .code,
            0);
  const Json here = played(env, tree);
  Served envs({env}), policies({"--policy", tree});
  EXPECT_EQ(played("remote(endpoint=\"" + envs.endpoint() + "\")", tree), here);
  EXPECT_EQ(played(env, "remote(endpoint=\"" + policies.endpoint() + "\")"), here);
  for (Served* served : {&envs, &policies}) {
    const Finished done = served->end(SIGINT);
    EXPECT_EQ(done.code, 0) << done.err;
    EXPECT_NE(done.out.find("0 malformed messages"), std::string::npos) << done.out;
  }
}

TEST(Serve, ARemotePolicyGivesTheSameResults) {
  Served served({"--policy", "any"});
  for (const std::string policy : {"shortest_queue", "power_of_d(d=3)", "random"})
    EXPECT_EQ(played("load_balance(jobs=50)",
                     "remote(policy=\"" + policy + "\",endpoint=\"" + served.endpoint() + "\")"),
              played("load_balance(jobs=50)", policy))
        << policy;
  EXPECT_EQ(served.end(SIGINT).code, 0);
}

TEST(Serve, ClientsMayChooseTheEnvironment) {
  Served served({"--endpoint", "tcp://127.0.0.1:*"});
  const Finished done = run_park(
      {"describe", "remote(env=load_balance,endpoint=\"" + served.endpoint() + "\")", "--json"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(Json::parse(done.out).at("name"), "load_balance");
  EXPECT_EQ(served.end(SIGTERM).code, 0);
}

TEST(Serve, ClientsGetFilesOnlyFromFoldersThatAreOpened) {
  const std::string folder = scratch_path("data");
  std::filesystem::create_directory(folder);
  std::ofstream(folder + "/jobs") << "size\n1\n2\n";
  const auto describe = [&](const Served& served) {
    const std::string env = R"(load_balance(sizes=recorded,recording=\")" + folder + R"(/jobs\"))";
    return run_park(
        {"describe", "remote(env=\"" + env + "\",endpoint=\"" + served.endpoint() + "\")"});
  };
  Served closed({"--policy", "any"}), open({"--allow-data", folder, "--allow-data", "."});
  Served closed_envs(std::vector<std::string>{});
  EXPECT_EQ(describe(open).code, 0);
  const Finished refused = describe(closed_envs);
  EXPECT_NE(refused.code, 0);
  EXPECT_NE(refused.err.find("recording: this server opens no files to its clients"),
            std::string::npos)
      << refused.err;
  const Finished checkpoint =
      run_park({"run", "load_balance", "--episodes", "1", "--policy",
                "remote(policy=\"" + folder + "\",endpoint=\"" + closed.endpoint() + "\")"});
  EXPECT_NE(checkpoint.err.find("policy: this server opens no files"), std::string::npos)
      << checkpoint.err;
}

/// The processes that a process has started.
std::vector<pid_t> children_of(const std::string& pid) {
  std::vector<pid_t> all;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/" + pid + "/task")) {
    std::ifstream file(thread.path() / "children");
    for (pid_t child = 0; file >> child;) all.push_back(child);
  }
  return all;
}

TEST(Serve, AnIsolatedSessionPlaysTheSame) {
  Served served({"--isolate"});
  const std::string far = "remote(env=\"load_balance(jobs=50)\",endpoint=\"";
  EXPECT_EQ(results(far + served.endpoint() + "\")"), results("load_balance(jobs=50)"));
  EXPECT_EQ(served.end(SIGINT).code, 0);
}

TEST(Serve, TheEndOfAnIsolatedSessionIsNotThatOfAnother) {
  Served served({"load_balance", "--isolate"});
  const std::string pid =
      std::to_string(Json::parse(read_text(served.file())).at("pid").get<std::int64_t>());
  std::ostringstream err;
  Console console(err, false);
  Session session(console, 80);
  const Registry& registry = session.registry();
  const std::string text = "remote(endpoint=\"" + served.endpoint() + "\")";
  const FixedEpisodes episodes({Episode{}});
  const auto first = registry.stream(text, episodes);
  const std::vector<pid_t> of_first = children_of(pid);
  ASSERT_EQ(of_first.size(), 1u);
  const auto second = registry.stream(text, episodes);
  EXPECT_EQ(children_of(pid).size(), 2u);
  const auto step = [](Stream& stream) {
    Batch actions(stream.spec().action);
    actions.resize(stream.recv().asked.size());
    stream.send(actions);
  };
  step(*first);
  step(*second);
  static_cast<void>(first->recv());
  kill(of_first.front(), SIGKILL);
  Batch actions(first->spec().action);
  actions.resize(1);
  try {
    first->send(actions);
    static_cast<void>(first->recv());
    ADD_FAILURE() << "it went on";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("was ended by signal 9"), std::string::npos)
        << error.what();
  }
  step(*second);
  EXPECT_EQ(second->recv().asked.size(), 1u);
  EXPECT_EQ(served.end(SIGINT).code, 0);
}

/// A text that nobody declared would be refused to clients without reason.
void expect_declared(const std::vector<FieldInfo>& fields, const std::string& name) {
  for (const FieldInfo& field : fields) {
    EXPECT_NE(field.names, Names::undeclared) << name << '.' << field.name;
    expect_declared(field.fields, name + '.' + field.name);
  }
}

TEST(Serve, EveryTextSaysWhatItOpensAndNoRunningSystemIsOpened) {
  std::ostringstream err;
  Console console(err, false);
  Session session(console, 80);
  const Registry& all = session.registry();
  for (const std::string& name : all.policy_names()) expect_declared(all.policy_fields(name), name);
  for (const std::string& name : all.env_names()) {
    expect_declared(all.env_fields(name), name);
    try {
      EXPECT_TRUE(all.env(name, Access()).simulated()) << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::not_allowed) << error.what();
      EXPECT_FALSE(all.env(name).simulated()) << name;
    }
  }
}

TEST(Serve, OtherMachinesThatMayChooseServersAreWarnedOf) {
  const std::string key = scratch_path("server.key"), allowed = scratch_path("allowed.keys");
  EXPECT_EQ(run_park({"key", "--out", key}).code, 0);
  std::ofstream(allowed) << run_park({"key", "--out", scratch_path("client.key")}).out;
  const auto warned = [&](const std::string& endpoint) {
    Served served({"--allow-remote", "--key", key, "--allow", allowed, "--endpoint", endpoint});
    return served.end(SIGINT).err.find("warning: --allow-remote: ") != std::string::npos;
  };
  EXPECT_TRUE(warned("tcp://0.0.0.0:*"));
  EXPECT_FALSE(warned("tcp://127.0.0.1:*"));
}

TEST(Serve, OnlyWhoHasTheTokenOrAKeyGetsIn) {
  const std::string server_key = scratch_path("server.key"),
                    client_key = scratch_path("client.key");
  const std::string allowed = scratch_path("allowed.keys");
  const Finished made = run_park({"key", "--out", server_key});
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(made.out.size(), 41u);
  EXPECT_EQ(run_park({"key", "--out", server_key}).code, 2);  // is there already
  std::ofstream(allowed) << run_park({"key", "--out", client_key}).out;
  const auto describe = [](const std::string& fields) {
    return run_park({"describe", "remote(timeout_s=5,endpoint=\"" + fields + ")"});
  };
  Served served({"load_balance", "--token", "--endpoint", "tcp://127.0.0.1:*"});
  EXPECT_EQ(describe(served.file() + "\"").code, 0);
  EXPECT_NE(describe(served.endpoint() + "\"").err.find("token: "), std::string::npos);
  Served closed(
      {"load_balance", "--key", server_key, "--allow", allowed, "--endpoint", "tcp://0.0.0.0:*"});
  EXPECT_NE(describe(closed.file() + "\"").err.find("key: "), std::string::npos);
  EXPECT_EQ(served.end(SIGINT).code, 0);
  EXPECT_EQ(closed.end(SIGINT).code, 0);
}

TEST(Serve, TheListOfKeysIsReadAgainAtAHangup) {
  const std::string server_key = scratch_path("server.key"),
                    client_key = scratch_path("client.key"), allowed = scratch_path("allowed.keys");
  const std::string first = run_park({"key", "--out", scratch_path("first.key")}).out;
  std::ofstream(allowed) << first;
  ASSERT_EQ(run_park({"key", "--out", server_key}).code, 0);
  const std::string added = run_park({"key", "--out", client_key}).out;
  Served served({"load_balance", "--key", server_key, "--allow", allowed});
  const auto describe = [&] {
    return run_park({"describe", "remote(timeout_s=5,endpoint=\"" + served.file() + "\",key=\"" +
                                     client_key + "\")"});
  };
  EXPECT_NE(describe().err.find("server's list"), std::string::npos);
  std::ofstream(allowed) << "nonsense\n";
  served.signal(SIGHUP);
  EXPECT_TRUE(served.tells("the list stays as it was"));
  std::ofstream(allowed) << first << added;
  served.signal(SIGHUP);
  EXPECT_TRUE(served.tells("letting in the 2 keys"));
  EXPECT_EQ(describe().code, 0);
  EXPECT_EQ(served.end(SIGTERM).code, 0);
}

TEST(Serve, HelpHasAnExample) {
  const Finished done = run_park({"serve", "--help"});
  EXPECT_EQ(done.code, 0);
  EXPECT_NE(done.out.find("example:"), std::string::npos);
}

TEST(Serve, BadInputIsNamed) {
  const auto refused = [](const std::vector<std::string>& words, const std::string& text) {
    const Finished done = run_park(words);
    EXPECT_EQ(done.code, 2);
    EXPECT_TRUE(done.out.empty());
    EXPECT_NE(done.err.find(text), std::string::npos) << done.err;
  };
  refused({"serve", "load_balanc"}, "load_balance");
  refused({"serve", "--endpoint", "tcp://0.0.0.0:5555"}, "endpoint: ");
  refused({"serve", "--lease", "0"}, "--lease");
  refused({"serve", "--token"}, "--endpoint-file");
  refused({"serve", "--key", "nowhere"}, "--key, --allow: ");
  refused({"serve", "--key", "nowhere", "--allow", "nowhere"}, "--key: nowhere: cannot be read");
  refused({"serve", "--allow-data", "nowhere"}, "--allow-data: 'nowhere' is not a folder");
  refused({"serve", "load_balance", "--allow-data", "."}, "--allow-data: ");
  refused({"serve", "--policy", "random", "--allow-remote"}, "--allow-remote: ");
  refused({"serve", "--allow-remote", "--isolate"}, "--isolate: ");
  refused({"serve", "--isolate-memory", "100"}, "--isolate-memory: needs --isolate");
  refused({"serve", "--policy", "remote(endpoint=\"tcp://127.0.0.1:9\")", "--isolate"},
          "--isolate: ");
  refused({"run", "remote(timeout_s=0.2,endpoint=\"tcp://127.0.0.1:9\")", "--policy", "random"},
          "no server answers");
}

// ---- Servers of others ------------------------------------------------------------------------

/// A server in this process that opens whatever is asked for with a spec of its own, and is done.
class Untrue {
 public:
  explicit Untrue(Spec spec)
      : server_({.endpoint = "tcp://127.0.0.1:*", .limits = {}},
                [spec = std::move(spec)] { return std::make_unique<Opens>(spec); }),
        thread_([this](const std::stop_token& stop) { server_.run(stop); }) {}
  [[nodiscard]] std::string env() const {
    return "remote(timeout_s=20,endpoint=\"" + server_.endpoint() + "\")";
  }

 private:
  class Opens final : public bridge::Service {
   public:
    explicit Opens(Spec spec) : spec_(std::move(spec)) {}
    void handle(bridge::wire::Envelope::Reader, bridge::wire::Envelope::Builder reply) override {
      auto opened = reply.initStreamOpened();
      opened.setStream(1);
      bridge::write(spec_, opened.initSpec());
      opened.initFirst().setDone(true);
    }

   private:
    Spec spec_;
  };

  bridge::Server server_;
  std::jthread thread_;
};

Spec small_spec() {
  Spec spec{.name = "small", .summary = "for tests", .reference = "none"};
  spec.observation.leaves = {{.name = "load", .low = 0, .high = 1, .doc = "none"}};
  spec.action.leaves = {{.name = "push", .low = 0, .high = 1, .doc = "none"}};
  spec.metrics = {{"pushes", "1", true, "of an episode"}};
  return spec;
}

Finished run_two(const std::string& env) {
  return run_park({"run", env, "--policy", "random", "--episodes", "2", "--quiet"});
}

TEST(ServerOfOthers, ASpecWhoseRowsAreTooLargeIsOneLine) {
  Spec spec = small_spec();
  spec.action.leaves[0].shape = {std::int64_t{1} << 62};
  const Untrue server(spec);
  const Finished done = run_two(server.env());
  EXPECT_TRUE(done.code == 1 || done.code == 2) << done.code;
  EXPECT_NE(done.err.find("action leaf 'push': "), std::string::npos) << done.err;
  EXPECT_EQ(std::ranges::count(done.err, '\n'), 1) << done.err;
}

TEST(ServerOfOthers, FewerEpisodesAreAnError) {
  const Untrue server(small_spec());
  const Finished done = run_two(server.env());
  EXPECT_EQ(done.code, 1) << done.out;
  EXPECT_NE(done.err.find("done: slot 0 has not ended episode 0"), std::string::npos) << done.err;
}

TEST(ServerOfOthers, TheirControlCharactersDoNotReachTheTerminal) {
  const std::string clipboard = "\x1b]52;c;AAAA\x07", title =
                                                          "\xC2\x9D"
                                                          "0;title\xC2\x9C";
  Spec spec = small_spec();
  spec.summary = "a" + clipboard + "\nerror: b";
  spec.reference = title;
  spec.observation.leaves[0].doc = spec.observation.leaves[0].unit = clipboard;
  spec.metrics[0].unit = spec.metrics[0].doc = clipboard + title;
  const Untrue server(spec);
  for (const char* form : {"--markdown", "--json", "--quiet"}) {
    const Finished done = run_park({"describe", server.env(), form});
    EXPECT_EQ(done.code, 0) << done.err;
    for (const char* raw : {"\x1b", "\x07", "\x9D", "\x9C", "\nerror: b"})
      EXPECT_EQ(done.out.find(raw), std::string::npos) << form << '\n' << done.out;
    const bool json = std::string(form) == "--json";
    EXPECT_NE(done.out.find(json ? "\\u001b]52;c;AAAA\\u0007" : "\\x1b]52;c;AAAA\\x07"),
              std::string::npos)
        << done.out;
  }
}

}  // namespace serve_test
}  // namespace park::cli
