// Messages that are nearly right: valid requests of environments and policies, changed in one to
// four fields, made from nothing, or damaged in their bytes. Each is sent in a session that has
// something to lose. A burst is answered before the next one is sent: a request that gets no answer
// at all is a promise that did not hold.
#include <algorithm>
#include <array>

#include "bridge/codec/decisions.h"
#include "bridge/codec/rows.h"
#include "bridge/codec/spec.h"
#include "bridge/codec/wire_bytes.h"
#include "park/core/error.h"
#include "tests/siege/attack.h"
#include "tests/siege/mutate.h"

namespace park::siege {
namespace {

constexpr int kBurst = 6;  // below the window

/// Texts that mean something here, good and bad.
const std::vector<std::string>& known_texts() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> texts{"",
                                   kEnv,
                                   "load_balance(servers=2,jobs=3)",
                                   "load_balance(servers=0)",
                                   "load_balance(servers=1e400)",
                                   "load_balance(jobs=18446744073709551616)",
                                   "load_balance(servers=4",
                                   "load_balance(servers=((((4))))",
                                   "load_balance(x=1)",
                                   "load_balances",
                                   "dag_scheduling(executors=5,jobs=2)",
                                   "server.jobs",
                                   "server",
                                   "mask.server",
                                   "info.x",
                                   "job.min",
                                   "job.max",
                                   "no_such_policy",
                                   "random(seed=1)",
                                   "spark"};
    for (const std::string& name : registry().policy_names()) texts.push_back(name);
    return texts;
  }();
  return all;
}

Bytes base(const Fill& fill) { return envelope({}, 0, fill); }

Bytes valid_open(const std::string& env, std::uint32_t slots) {
  return base([&](Envelope::Builder e) {
    auto open = e.initOpenStream();
    open.setEnv(env);
    open.setSlots(slots);
    auto episodes = open.initEpisodes(2 * slots);
    for (std::uint32_t k = 0; k < 2 * slots; ++k) {
      episodes[k].setNumber(k);
      bridge::write({.id = k, .inputs = k, .dynamics = k}, episodes[k].initEpisode());
    }
  });
}

std::vector<Bytes> valid_requests_of_environments() {
  const Spec spec = registry().spec(kEnv);
  std::vector<Bytes> all{base([](auto e) { e.initCloseStream().setStream(2); }),
                         base([](auto e) { e.initFamily().setName("spark"); })};
  for (const std::string& name : registry().env_names()) all.push_back(valid_open(name, 1));
  for (int i = 0; i < 3; ++i) {
    all.push_back(valid_open(kEnv, 2));
    for (std::uint32_t rows = 1; rows < 4; ++rows) all.push_back(base(step_of(1, rows, spec)));
  }
  return all;
}

/// A question with a row of an environment, and the policy that is asked.
std::vector<Bytes> valid_requests_of_policies() {
  std::vector<Bytes> all{base([](auto e) { e.initClosePolicy().setId(2); })};
  for (const std::string& name : registry().env_names()) {
    std::unique_ptr<Stream> stream;
    const FixedEpisodes episodes(std::vector<Episode>{{.id = 1, .inputs = 2, .dynamics = 3}});
    try {
      stream = registry().stream(name, episodes);
    } catch (const Error&) {  // one that needs what is not here, such as a server
      continue;
    }
    const Spec& spec = stream->spec();
    const Decisions& first = stream->recv();
    for (const std::string& policy : registry().policies_for(spec))
      all.push_back(base([&](Envelope::Builder e) {
        e.initOpenPolicy().setPolicy(policy);
        bridge::write(spec, e.getOpenPolicy().initSpec());
      }));
    const Bytes ask = base([&](Envelope::Builder e) {
      e.initAsk().setId(1);
      bridge::write(first, e.getAsk().initQuestion());
      e.getAsk().initChance(static_cast<unsigned>(8 * first.asked.size()));
    });
    all.insert(all.end(), name == "load_balance" ? 6 : 1, ask);
    all.push_back(base([&](Envelope::Builder e) {
      e.initAskScores().setId(1);
      Batch actions(spec.action);
      actions.resize(first.asked.size());
      bridge::write(first.observation, e.getAskScores().initObservation());
      bridge::write(actions, e.getAskScores().initActions());
    }));
  }
  return all;
}

/// Writes many such messages into one session after the other.
class Messages {
 public:
  explicit Messages(Siege& siege)
      : siege_(siege),
        bases_(siege.target.policies ? valid_requests_of_policies()
                                     : valid_requests_of_environments()) {}

  void send(std::uint64_t count) {
    for (std::uint64_t sent = 0; sent < count;) {
      try {
        if (!talker_) begin();
        sent += burst();
      } catch (const Trouble& trouble) {
        const std::string what = trouble.what();
        if (what == "no reply in time") return broke_late();
        if (talker_) siege_.judge(*talker_);
        talker_.reset();
        ++sent;
        if (++failures_ > 1000) return siege_.broke("the server lets nobody in: " + one_line(what));
      }
    }
    if (talker_) siege_.judge(*talker_);
  }

 private:
  void begin() {
    talker_.emplace(siege_.target.endpoint, std::chrono::seconds(siege_.options.wait_s));
    talker_->open(siege_.rng);
    failures_ = 0;
    if (siege_.target.policies)
      static_cast<void>(talker_->call([](Envelope::Builder e) {
        e.initOpenPolicy().setPolicy("shortest_queue");
        bridge::write(registry().spec(kEnv), e.getOpenPolicy().initSpec());
      }));
    else
      open_stream(*talker_, kEnv, 2);
  }

  void broke_late() {
    siege_.broke("a request has no reply within " + std::to_string(siege_.options.wait_s) + " s");
  }

  /// Some messages that have numbers, whose last reply is waited for, and two that may have none.
  std::uint64_t burst() {
    std::uint64_t last = 0;
    for (int i = 0; i < kBurst; ++i) {
      last = talker_->next++;
      if (!talker_->post(made(last))) throw Trouble("the server has ended the connection");
    }
    wait_for(last);
    for (int i = 0; i < 2; ++i) {
      Frames whole = message(damaged(made(talker_->next), siege_.rng));
      if (siege_.rng.below(8) == 0) whole[0] = damaged(whole[0], siege_.rng);
      talker_->connection().send(whole, talker_->deadline());
    }
    siege_.did(kBurst + 2);
    return kBurst + 2;
  }

  void wait_for(std::uint64_t last) {
    const Time until = talker_->deadline();
    while (const auto reply = talker_->recv(until)) {
      const bool over =
          reply->isFarewell() ||
          (reply->isFailure() && reply->getFailure().getCode() == wire::Code::NO_SESSION);
      if (over) throw Trouble("the session is over");
      if (reply->getSequence() == last && !reply->isPong()) return;
    }
    throw Trouble(talker_->connection().wire().over() ? "the connection is over"
                                                      : "no reply in time");
  }

  /// A message under a number of the session, changed or made from nothing.
  Bytes made(std::uint64_t sequence) {
    Rng& rng = siege_.rng;
    const Bytes& from = bases_[rng.below(bases_.size())];
    bridge::EnvelopeReader reader;
    capnp::MallocMessageBuilder builder;
    builder.setRoot(reader.read(from));
    auto root = builder.getRoot<Envelope>();
    const std::uint64_t how = rng.below(16);
    if (how == 0)
      randomise(root, rng, known_texts());
    else if (how < 14)
      mutate(root, rng, known_texts());
    // A new hello, a ping or a goodbye has no number: the next one would be left out.
    if (root.isHello() || root.isPing() || (root.isGoodbye() && rng.below(8) != 0)) root.initStep();
    root.setSession(bridge::as_data(talker_->session()));
    root.setSequence(sequence);
    root.setDeadlineMs(rng.below(16) == 0 ? 1 : 0);
    const auto words = capnp::messageToFlatArray(builder);
    const auto* bytes = reinterpret_cast<const std::byte*>(words.begin());
    return {bytes, bytes + words.size() * sizeof(capnp::word)};
  }

  Siege& siege_;
  std::vector<Bytes> bases_;
  std::optional<Talker> talker_;
  int failures_ = 0;
};

void send_messages(Siege& siege) {
  Messages messages(siege);
  messages.send(siege.count(10'000, 1'000'000));
}

/// Hellos of every kind: versions, nonces, tokens.
void say_hello(Siege& siege) {
  for (std::uint64_t i = siege.count(200, 2000); i > 0; --i) {
    Zmtp peer = Zmtp::dealer(siege.target.endpoint, Clock::now() + std::chrono::seconds(20));
    for (int k = 0; k < 4; ++k) {
      Frames one = message(envelope(
          {}, 0, [&](Envelope::Builder e) { randomise(e.initHello(), siege.rng, known_texts()); }));
      if (siege.rng.below(4) == 0) one[0][3] = static_cast<std::byte>(siege.rng.below(256));
      peer.send(one, Clock::now() + std::chrono::seconds(20));
      siege.did();
    }
  }
}

}  // namespace

void add_messages_attack(Attacks& all) {
  all.push_back({.name = "messages-environments",
                 .about = "requests of environments, changed by their schema and their meaning",
                 .on = Attack::On::environments,
                 .run = send_messages});
  all.push_back({.name = "messages-policies",
                 .about = "requests of policies, changed by their schema and their meaning",
                 .on = Attack::On::policies,
                 .run = send_messages});
  all.push_back({.name = "hellos-odd",
                 .about = "hellos of every version, nonce and token",
                 .run = say_hello});
}

}  // namespace park::siege
