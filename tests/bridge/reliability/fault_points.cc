// The places in an exchange of messages where one side is stopped or killed, and a client that
// sends every kind of message once.
#include "tests/bridge/reliability/fault_points.h"

#include <algorithm>
#include <csignal>
#include <map>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

#include "bridge/codec/decisions.h"
#include "bridge/codec/failure.h"
#include "bridge/codec/rows.h"
#include "bridge/codec/spec.h"
#include "park/envs/load_balance/load_balance.h"

namespace park::bridge::test {
namespace {

using Envelope = wire::Envelope;

const std::set<std::string> kOfPolicies{"openPolicy", "ask", "askScores", "closePolicy"};
const std::set<std::string> kOfEnvironments{"openStream", "step", "closeStream"};
const std::set<std::string> kOfBoth{"hello", "ping", "goodbye", "family"};
const std::set<std::string> kOfServers{"welcome",      "refused",   "pong",         "farewell",
                                       "failure",      "decisions", "streamOpened", "streamClosed",
                                       "policyOpened", "answer",    "scores",       "policyClosed"};

std::string moment_name(Moment moment) {
  return moment == Moment::before_sending  ? "BeforeSending"
         : moment == Moment::after_sending ? "AfterSending"
                                           : "BeforeReply";
}

using std::chrono::milliseconds;

/// Takes the time of a call, which ends with a reply or without.
class Watch {
 public:
  Watch(milliseconds timeout, milliseconds& overrun) : timeout_(timeout), overrun_(overrun) {}
  ~Watch() {
    const auto took = std::chrono::steady_clock::now() - begin_;
    overrun_ = std::max(overrun_, std::chrono::ceil<milliseconds>(took) - timeout_);
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  milliseconds timeout_;
  milliseconds& overrun_;
};

/// A conversation over a connection, in which errors are those of the library.
class Talk {
 public:
  Talk(const std::string& endpoint, milliseconds timeout, milliseconds& overrun)
      : timeout_(timeout), overrun_(overrun), connection_(opened(endpoint)) {}

  wire::Envelope::Reader call(const ClientSession::Fill& fill) {
    const Watch watch(timeout_, overrun_);
    try {
      return connection_.session().call(connection_.deadline(), fill);
    } catch (const Failed& failed) {
      throw error_of(failed, connection_.options().address.endpoint);
    }
  }
  [[nodiscard]] milliseconds heartbeat() { return connection_.session().limits().heartbeat; }

 private:
  [[nodiscard]] Connection opened(const std::string& endpoint) const {
    ConnectOptions o = connect_options(Reach{.endpoint = endpoint, .key = "", .server_key = ""});
    o.timeout = timeout_;
    const Watch watch(timeout_, overrun_);
    return Connection(o);
  }
  milliseconds timeout_;
  milliseconds& overrun_;
  Connection connection_;
};

Spec spec() { return load_balance::LoadBalance::spec({}); }

void drive_environments(Talk& talk) {
  const auto opened = talk.call([](Envelope::Builder e) {
    auto open = e.initOpenStream();
    open.setEnv("load_balance(jobs=3)");
    write({.id = 1, .inputs = 2, .dynamics = 3}, open.initEpisodes(1)[0].initEpisode());
  });
  const std::uint32_t stream = opened.getStreamOpened().getStream();
  Batch actions(spec().action);
  actions.resize(1);
  for (int i = 0; i < 2; ++i)
    static_cast<void>(talk.call([&](Envelope::Builder e) {
      e.initStep().setStream(stream);
      write(actions, e.getStep().initActions());
    }));
  static_cast<void>(talk.call([&](Envelope::Builder e) { e.initCloseStream().setStream(stream); }));
}

void drive_policies(Talk& talk) {
  const auto opened = talk.call([](Envelope::Builder e) {
    e.initOpenPolicy().setPolicy("shortest_queue");
    write(spec(), e.getOpenPolicy().initSpec());
  });
  const std::uint32_t id = opened.getPolicyOpened().getId();
  Decisions question(spec());
  question.asked.push_back(
      {.slot = 0, .context = 1, .sequence = 0, .episode = {}, .since_last = {}});
  question.observation.resize(1);
  const std::uint64_t chance = 1;
  static_cast<void>(talk.call([&](Envelope::Builder e) {
    auto ask = e.initAsk();
    ask.setId(id);
    write(question, ask.initQuestion());
    ask.setChance({reinterpret_cast<const kj::byte*>(&chance), sizeof chance});
  }));
  Batch actions(spec().action);
  actions.resize(1);
  static_cast<void>(talk.call([&](Envelope::Builder e) {
    auto ask = e.initAskScores();
    ask.setId(id);
    write(question.observation, ask.initObservation());
    write(actions, ask.initActions());
  }));
  static_cast<void>(talk.call([&](Envelope::Builder e) { e.initClosePolicy().setId(id); }));
}

void send_family(Talk& talk) {
  try {
    static_cast<void>(talk.call([](Envelope::Builder e) { e.initFamily().setName("nobody's"); }));
  } catch (const Error& error) {
    if (std::string(error.what()).find("this server has") == std::string::npos) throw;
  }
}

}  // namespace

std::string FaultPoint::name() const {
  return kind + moment_name(moment) + (signal == SIGKILL ? "Kill" : "Stop");
}

std::vector<std::string> client_kinds() {
  std::vector<std::string> kinds;
  for (const auto field : capnp::Schema::from<Envelope>().asStruct().getUnionFields()) {
    const std::string name = field.getProto().getName();
    if (kOfServers.contains(name)) continue;
    if (!kOfBoth.contains(name) && !kOfPolicies.contains(name) && !kOfEnvironments.contains(name))
      throw std::logic_error("message " + name + " is neither of clients nor of servers");
    kinds.push_back(name);
  }
  return kinds;
}

std::vector<FaultPoint> fault_points() {
  std::vector<FaultPoint> all;
  for (const std::string& kind : client_kinds())
    for (const Moment moment :
         {Moment::before_sending, Moment::after_sending, Moment::before_reply})
      for (const int signal : {SIGKILL, SIGSTOP}) all.push_back({kind, moment, signal});
  return all;
}

std::string kind_of(Envelope::Reader e) {
  for (const auto field : capnp::Schema::from<Envelope>().asStruct().getUnionFields())
    if (field.getProto().getDiscriminantValue() == static_cast<std::uint16_t>(e.which()))
      return field.getProto().getName();
  return "";
}

void whole_life(const std::string& endpoint, bool policies, milliseconds timeout,
                milliseconds& overrun) {
  Talk talk(endpoint, timeout, overrun);
  send_family(talk);
  policies ? drive_policies(talk) : drive_environments(talk);
  std::this_thread::sleep_for(talk.heartbeat() * 3 / 2);  // a ping
}

bool is_of_policies(const std::string& kind) { return kOfPolicies.contains(kind); }

}  // namespace park::bridge::test
