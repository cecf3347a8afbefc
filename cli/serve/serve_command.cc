// `park serve`: a server of environments or of a policy. prepare reads keys, token, limits and what
// is served; the endpoint is bound before run announces it and serves until a signal. SIGHUP has
// the list of allowed keys read again. Afterwards the counts of sessions are printed.
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <limits>
#include <optional>
#include <thread>

#include "bridge/codec/failure.h"
#include "bridge/isolation/isolated_service.h"
#include "bridge/isolation/sandbox.h"
#include "bridge/server/policy_service.h"
#include "bridge/server/server.h"
#include "bridge/server/stream_service.h"
#include "bridge/transport/endpoint.h"
#include "bridge/transport/endpoint_file.h"
#include "bridge/transport/named_field.h"
#include "cli/frame/commands.h"
#include "cli/frame/inputs.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/names.h"
#include "cli/frame/version.h"
#include "cli/serve/openenv.h"
#include "park/command/output.h"
#include "park/core/access.h"
#include "park/core/json_writer.h"
#include "park/core/text.h"

namespace park::cli {
namespace {

constexpr std::chrono::milliseconds kLook{50};  // how soon a signal is noticed

// A signal handler reaches nothing but globals.
std::atomic<bool> g_read_keys{false};
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void on_hangup(int) { g_read_keys.store(true); }

class ServeCommand : public Command {
 public:
  CommandInfo info() const override {
    return {
        .name = "serve",
        .summary = "serve environments to agents in other processes",
        .details =
            "Binds an endpoint that only this user can reach and serves environments to every "
            "client, until Ctrl-C. Where it listens is told on stderr, and in a file by "
            "--endpoint-file, which is there once the server is and can stand for the endpoint. "
            "From "
            "C++ and the other commands such an environment is remote(endpoint=...); "
            "docs/protocol.md tells how clients talk. Other machines are let in only with keys: "
            "--key is a file of `park key`, --allow has the public keys of clients, one on each "
            "line. Clients that choose environments or policies get those with bundled data; "
            "--allow-data and --allow-remote open more of this machine to them.",
        .example = "park serve load_balance --endpoint tcp://127.0.0.1:5555"};
  }

  void declare(Options& options) override {
    options.text("ENV", "", env_text_, "the only environment; without it clients choose any one");
    options.text("--policy", "P", policy_text_,
                 "serve policies: this one, or with `any` the one that a client names");
    options.text("--endpoint", "E", options_.endpoint,
                 "ipc://PATH, or tcp://127.0.0.1:PORT with * for a free port");
    options.text("--endpoint-file", "FILE", file_, "write the endpoint and the process to a file");
    options.flag("--overwrite", overwrite_, "replace a file that exists");
    options.flag("--with-parent", with_parent_, "end when the process that started it ends");
    options.flag(
        "--token", token_,
        "let only clients in that can read the endpoint file; for machines with other users");
    options.text("--key", "FILE", key_file_, "keys of the server, from `park key`: it encrypts");
    options.text("--allow", "FILE", allow_file_,
                 "public keys of the clients that it lets in; SIGHUP reads them again");
    options.texts("--allow-data", "FOLDER", data_,
                  "let clients name files and folders in it, as data or checkpoints; may be "
                  "repeated");
    options.flag("--allow-remote", remote_,
                 "let clients that choose name servers, to which this one then connects");
    options.flag("--isolate", isolate_,
                 "play for each client in a process of its own, which reads files and computes and "
                 "does nothing else; its end is that of one client's session");
    options.integer("--isolate-memory", "MIB", memory_mib_, {64, 1 << 20},
                    "address space of such a process (default 2048)");
    options.flag(
        "--openenv", openenv_,
        "serve ENV over HTTP and WebSocket, as OpenEnv does, by Python's park_sdk.openenv");
    options.integer("--workers", "W", workers_, {1, 256},
                    "threads that step environments which are slower than messages");
    options.integer("--lease", "S", lease_s_, {1, 86'400},
                    "seconds after which a silent client's environments are freed");
    options.integer("--slots", "N", slots_, {1, 1'000'000}, "environments of a client at once");
  }

  void prepare(Session& session, Violations& wrong) override {
    check_output("--endpoint-file", file_, overwrite_, wrong);
    prepare_offer(session.registry(), wrong);
    if (token_ && file_.empty()) wrong.add("--token: needs --endpoint-file, which holds it");
    if (key_file_.empty() != allow_file_.empty())
      wrong.add("--key, --allow: a server has both or none");
    check_isolation(session.registry(), wrong);
    if (openenv_) return prepare_openenv(wrong);
    if (!wrong.empty()) return;
    options_.name = std::string("park ") + build_info().version;
    options_.workers = static_cast<std::uint32_t>(workers_);
    options_.limits.lease = std::chrono::seconds(lease_s_);
    options_.limits.heartbeat =
        std::min<std::chrono::milliseconds>(options_.limits.heartbeat, options_.limits.lease / 4);
    try {
      secure();
      server_ = std::make_unique<bridge::Server>(
          options_, isolate_ ? isolated(session) : service(session.registry()));
      endpoint_.endpoint = server_->endpoint();
    } catch (const bridge::Failed& failed) {
      wrong.add(failed.what());
    }
  }

  int run(Session& session) override {
    const InterruptScope scope;
    allow_descriptors();
    if (openenv_) {
      if (with_parent_) end_with_parent();
      become_openenv_server(env_.canonical, openenv_port_);
    }
    if (!allow_file_.empty()) heed_hangup();
    if (!file_.empty())
      bridge::naming("--endpoint-file", [&] { bridge::write_endpoint_file(file_, endpoint_); });
    if (remote_ && !bridge::is_local(bridge::read_endpoint(options_.endpoint, kBind)))
      session.console().warn(
          "--allow-remote: clients on other machines can make this one connect to any server");
    session.console().info("serving " + what() + " at " + server_->endpoint() + "; Ctrl-C ends it");
    {
      std::stop_source stop;
      const std::jthread watch([&](const std::stop_token& done) {
        while (!done.stop_requested() && interrupted() == 0) {
          std::this_thread::sleep_for(kLook);
          if (g_read_keys.exchange(false)) read_keys_again(session.console());
          if (with_parent_ && getppid() != parent_) static_cast<void>(raise(SIGTERM));
        }
        stop.request_stop();
      });
      server_->run(stop.get_token());
    }
    const bridge::SessionCounts& n = server_->counts();
    session.print(session.json()
                      ? counts_json(n)
                      : std::to_string(n.opened) + " sessions, " + std::to_string(n.expired) +
                            " of them silent at their end; " + std::to_string(n.refused) +
                            " refused, " + std::to_string(n.malformed) + " malformed messages\n");
    return kDone;
  }

 protected:
  static constexpr const char* kSessionCommand = "serve-session";

  /// What clients get.
  void prepare_offer(const Registry& registry, Violations& wrong) {
    if (!env_text_.empty() && read_env(registry, env_text_, env_, wrong) && env_.spec.traits.system)
      wrong.add("ENV: " + env_.canonical + " is not simulated");
    if (!policy_text_.empty() && !env_text_.empty())
      wrong.add("--policy: a server has environments or policies, not both");
    if (!policy_text_.empty() && policy_text_ != kAny)
      check_policies(registry, "--policy", {policy_text_}, wrong);
    check_access(wrong);
    allow_slots();
  }
  [[nodiscard]] bridge::Server::MakeService service(const Registry& registry) const {
    const std::uint32_t slots = options_.limits.most_slots;
    const std::uint64_t bytes = options_.limits.most_session_bytes;
    if (policy_text_.empty())
      return [&registry, slots, bytes, env = env_.canonical, access = access_] {
        return std::make_unique<bridge::StreamService>(
            registry, bridge::StreamServiceOptions{
                          .env = env, .most_slots = slots, .most_bytes = bytes, .access = access});
      };
    const std::string policy = policy_text_ == kAny ? "" : registry.canonical_policy(policy_text_);
    return [&registry, slots, policy, access = access_] {
      return std::make_unique<bridge::PolicyService>(
          registry,
          bridge::PolicyServiceOptions{.policy = policy, .most_slots = slots, .access = access});
    };
  }

  [[nodiscard]] std::uint64_t session_bytes() const { return memory_mib_.value_or(2048) << 20; }
  [[nodiscard]] std::uint64_t most_bytes() const { return options_.limits.most_bytes; }

 private:
  static constexpr const char* kAny = "any";
  static constexpr auto kBind = bridge::EndpointUse::bind;

  /// Its server is another program, which has none of the other options.
  void prepare_openenv(Violations& wrong) {
    if (env_text_.empty()) wrong.add("--openenv: needs ENV");
    if (!file_.empty() || !key_file_.empty() || isolate_)
      wrong.add("--openenv: goes with neither --endpoint-file, --key nor --isolate");
    attempt("--endpoint", wrong, [&] { openenv_port_ = openenv_port(options_.endpoint); });
  }

  /// What clients may name, where there is anything that they name.
  void check_access(Violations& wrong) {
    if (!data_.empty() && !env_text_.empty())
      wrong.add("--allow-data: clients of a single ENV name no files");
    if (remote_ && (!env_text_.empty() || (!policy_text_.empty() && policy_text_ != kAny)))
      wrong.add("--allow-remote: is for a server without ENV, or with --policy any");
    for (const std::string& folder : data_)
      attempt("--allow-data", wrong, [&] { access_.allow_data(folder); });
    if (remote_) access_.allow_remote();
  }

  /// Whether all that clients get can do without what the process of a session cannot do.
  void check_isolation(const Registry& registry, Violations& wrong) const {
    if (memory_mib_ && !isolate_) wrong.add("--isolate-memory: needs --isolate");
    if (!isolate_ || !wrong.empty()) return;
    if (!bridge::has_sandbox())
      wrong.add("--isolate: this system has no way to limit what a process does");
    const bool simulated = env_text_.empty() || registry.env(env_.canonical).simulated();
    if (remote_ || !simulated || connects(registry))
      wrong.add("--isolate: the process of a session connects to no server");
  }
  [[nodiscard]] bool connects(const Registry& registry) const {
    if (policy_text_.empty() || policy_text_ == kAny) return false;
    return std::ranges::any_of(registry.policy_fields(parse_named(policy_text_).text),
                               [](const FieldInfo& f) { return f.names == Names::endpoint; });
  }

  /// Each session has this command in a process of its own, as serve-session.
  [[nodiscard]] bridge::Server::MakeService isolated(const Session& session) const {
    std::vector<std::string> words = session.command();
    *std::ranges::find(words, info().name) = kSessionCommand;
    return [options = bridge::IsolationOptions{.words = words, .most_bytes = most_bytes()}] {
      return std::make_unique<bridge::IsolatedService>(options);
    };
  }

  [[nodiscard]] std::string what() const {
    if (!policy_text_.empty()) return policy_text_ == kAny ? "all policies" : policy_text_;
    return env_.canonical.empty() ? "all environments" : env_.canonical;
  }

  /// More environments than by default may take more memory.
  void allow_slots() {
    constexpr std::uint64_t kBytesOfSlot = std::uint64_t{256} << 10;
    bridge::Limits& limits = options_.limits;
    limits.most_slots = static_cast<std::uint32_t>(slots_);
    limits.most_session_bytes = std::max(limits.most_session_bytes, slots_ * kBytesOfSlot);
    limits.most_server_bytes = std::max(limits.most_server_bytes, 2 * limits.most_session_bytes);
  }

  /// A connection takes one; the soft limit is often 1024.
  static void allow_descriptors() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    static_cast<void>(setrlimit(RLIMIT_NOFILE, &limit));
  }

  /// For another program, which does not look for it. Linux sends the signal, also where only the
  /// thread ends that started this process; the parent may have ended before Linux was asked to.
  void end_with_parent() const {
    static_cast<void>(prctl(PR_SET_PDEATHSIG, SIGTERM));
    if (getppid() != parent_) static_cast<void>(raise(SIGTERM));
  }

  /// Without a list of keys the signal ends the process, as everywhere.
  static void heed_hangup() {
    struct sigaction action {};
    action.sa_handler = on_hangup;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    sigaction(SIGHUP, &action, nullptr);
  }

  /// While the server runs, nobody else writes to the console.
  void read_keys_again(Console& console) {
    try {
      const std::vector<std::string> keys = allowed_keys();
      server_->allow(keys);
      console.info("letting in the " + std::to_string(keys.size()) + " keys of " + allow_file_);
    } catch (const bridge::Failed& failed) {
      console.error(std::string(failed.what()) + "; the list stays as it was");
    }
  }
  [[nodiscard]] std::vector<std::string> allowed_keys() const {
    return bridge::naming("--allow", [this] { return bridge::read_allowed_keys(allow_file_); });
  }

  /// Who gets in.
  void secure() {
    if (!key_file_.empty()) {
      options_.keys = bridge::naming("--key", [&] { return bridge::read_key_file(key_file_); });
      options_.allowed = allowed_keys();
      endpoint_.server_key = options_.keys.public_key;
    }
    if (!token_) return;
    const bridge::SessionKey token = bridge::random_key();
    options_.limits.token.assign(token.begin(), token.end());
    constexpr std::string_view kDigits = "0123456789abcdef";
    for (const std::byte b : token) {
      endpoint_.token += kDigits[std::to_integer<unsigned>(b) >> 4U];
      endpoint_.token += kDigits[std::to_integer<unsigned>(b) & 15U];
    }
  }

  static std::string counts_json(const bridge::SessionCounts& n) {
    JsonWriter json;
    json.begin_object().member("opened", n.opened).member("expired", n.expired);
    json.member("refused", n.refused).member("malformed", n.malformed);
    return json.member("repeated", n.repeated).end_object().take();
  }

  std::string env_text_, policy_text_, file_;
  std::string key_file_, allow_file_;
  std::vector<std::string> data_;
  Access access_;
  bool overwrite_ = false, token_ = false, with_parent_ = false, remote_ = false;
  bool isolate_ = false, openenv_ = false;
  std::uint16_t openenv_port_ = 0;
  std::optional<std::uint64_t> memory_mib_;
  pid_t parent_ = getppid();
  bridge::EndpointFile endpoint_;
  std::uint64_t workers_ = 2, lease_s_ = 30, slots_ = 4096;
  EnvInput env_;
  bridge::ServerOptions options_{.endpoint = "tcp://127.0.0.1:*", .name = "park", .limits = {}};
  std::unique_ptr<bridge::Server> server_;
};

/// The process of a session of `park serve --isolate`, with the options of that command.
class ServeSessionCommand final : public ServeCommand {
 public:
  CommandInfo info() const override {
    return {.name = kSessionCommand,
            .summary = "serve one client of `park serve --isolate`, which starts it",
            .details = "",
            .example = "park serve load_balance --isolate"};
  }
  bool hidden() const override { return true; }
  void prepare(Session& session, Violations& wrong) override {
    prepare_offer(session.registry(), wrong);
  }
  int run(Session& session) override {
    const auto one = service(session.registry())();
    bridge::enter_sandbox(session_bytes());
    bridge::serve_session(bridge::kSessionSocket, *one, most_bytes());
  }
};

}  // namespace

void add_serve_command(Commands& all) {
  constexpr int kPlace = 70;
  all.add(kPlace, std::make_unique<ServeCommand>());
  all.add(kPlace, std::make_unique<ServeSessionCommand>());
}

}  // namespace park::cli
