#include "systems/python_plugin/python_plugin.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "bridge/client/remote_policy.h"
#include "bridge/client/remote_stream.h"
#include "bridge/codec/failure.h"
#include "park/core/error.h"
#include "park/core/text.h"
#include "systems/python_plugin/server_process.h"

namespace park::python_plugin {
namespace {

using std::chrono::milliseconds;

constexpr const char* kTimeout = "PARK_PYTHON_TIMEOUT_S";
constexpr milliseconds kLookForEnd{50};  // how soon an end of the process is noticed

/// The way to a process that may end: then a wait ends, too.
class WatchedChannel final : public bridge::Channel {
 public:
  explicit WatchedChannel(std::shared_ptr<ServerProcess> process)
      : process_(std::move(process)),
        to_(process_->context(), {.endpoint = process_->served().endpoint}) {}

  void send(std::span<const std::byte> envelope) override { to_.send(envelope); }
  std::optional<std::span<const std::byte>> recv(bridge::Time until) override {
    for (;;) {
      const bridge::Time next = std::min(until, now() + kLookForEnd);
      if (const auto envelope = to_.recv(next)) return envelope;
      if (const auto how = process_->ended())
        throw bridge::Failed(bridge::Code::SHUTTING_DOWN, *how);
      if (now() >= until) return {};
    }
  }
  bridge::Time now() override { return to_.now(); }
  std::string endpoint() const override { return "its process" + process_->last_words(); }

 private:
  std::shared_ptr<ServerProcess> process_;  // before its socket
  bridge::ZmqChannel to_;
};

milliseconds timeout() {
  const char* text = std::getenv(kTimeout);
  if (text == nullptr || *text == '\0') return std::chrono::seconds(60);
  double seconds = 0;
  const char* end = text + std::char_traits<char>::length(text);
  const auto [at, error] = std::from_chars(text, end, seconds);
  if (error != std::errc() || at != end || !(seconds >= 0.001 && seconds <= 86'400))
    throw Error(Errc::invalid_config, std::string(kTimeout) + ": \"" + printable(text) +
                                          "\"; allowed are 0.001 to 86400 seconds");
  return milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

}  // namespace

/// The process and its specs. Each stream and each policy has a connection of its own.
class PythonPlugin::Server {
 public:
  explicit Server(const std::string& text)
      : answer_(timeout()), process_(std::make_shared<ServerProcess>(text, answer_)) {}

  [[nodiscard]] const Served& served() const noexcept { return process_->served(); }
  /// Messages name the plug-in, and not the socket.
  [[nodiscard]] std::unique_ptr<bridge::Connection> connect() const {
    bridge::ConnectOptions options{.address = {.endpoint = process_->text()}};
    options.timeout = options.hello = answer_;
    return std::make_unique<bridge::Connection>(std::move(options), [process = process_] {
      return std::make_unique<WatchedChannel>(process);
    });
  }
  [[nodiscard]] std::unique_ptr<Stream> open(const std::string& env, const EpisodeSource& source,
                                             const StreamOptions& options) const {
    return std::make_unique<bridge::RemoteStream>(connect(), env, source, options);
  }
  /// Commands ask for it again and again.
  [[nodiscard]] Spec spec(const std::string& env) {
    const std::lock_guard lock(mutex_);
    const auto known = specs_.find(env);
    if (known != specs_.end()) return known->second;
    return specs_[env] = open(env, FixedEpisodes({}), {})->spec();
  }

 private:
  milliseconds answer_;
  std::shared_ptr<ServerProcess> process_;
  std::mutex mutex_;
  std::map<std::string, Spec> specs_;
};

PythonPlugin::PythonPlugin(const std::string& text) : server_(std::make_shared<Server>(text)) {}
const std::string& PythonPlugin::name() const noexcept { return server_->served().name; }
const std::string& PythonPlugin::version() const noexcept { return server_->served().version; }
bool PythonPlugin::is_policy() const noexcept { return server_->served().kind == "policy"; }

void PythonPlugin::add_to(Registry& registry) const {
  const Served& served = server_->served();
  const auto names = is_policy() ? registry.policy_names() : registry.env_names();
  if (std::ranges::find(names, served.name) != names.end())
    throw Error(Errc::invalid_config,
                "name: there is another " + served.kind + " '" + served.name + "'");
  if (is_policy())
    return registry.add_policy(
        {.name = served.name,
         .summary = served.summary,
         .reference = served.reference,
         .environments = served.environments},
        served.fields, [server = server_](const Value& text, const Spec& spec) {
          return std::make_unique<bridge::RemotePolicy>(server->connect(), to_text(text), spec);
        });
  OutsideEnv env{.name = served.name, .fields = served.fields};
  env.spec = [server = server_](const Value& text) { return server->spec(to_text(text)); };
  env.open = [server = server_](const Value& text, const EpisodeSource& source,
                                const StreamOptions& options) {
    return server->open(to_text(text), source, options);
  };
  registry.add_env(std::move(env));
}

}  // namespace park::python_plugin
