// Requests that are valid one by one and of a size or number that a server must bound: episodes that
// share a place in a table, texts, replies, environments, sessions.
#include <thread>

#include "bridge/codec/decisions.h"
#include "bridge/codec/failure.h"
#include "bridge/codec/wire_bytes.h"
#include "tests/siege/attack.h"

namespace park::siege {
namespace {

constexpr std::uint64_t kPrime = 85'229;  // buckets of a table of the standard library

void number_episodes(wire::Step::Builder step, std::uint64_t first, std::uint64_t count,
                     std::uint64_t times) {
  auto episodes = step.initEpisodes(static_cast<unsigned>(count));
  for (unsigned i = 0; i < episodes.size(); ++i) {
    episodes[i].setNumber((first + i) * times);
    bridge::write({.id = i}, episodes[i].initEpisode());
  }
}

/// A step with as many episodes whose numbers are multiples of one, after steps that were quick.
void colliding_numbers(Siege& siege) {
  const Spec spec = registry().spec(kEnv);
  constexpr int kQuick = 70;
  for (std::uint64_t times = siege.count(2, 10); times > 0; --times) {
    Talker talker(siege.target.endpoint, milliseconds(120'000));
    talker.open(siege.rng);
    const std::uint32_t stream = open_stream(talker, kEnv, 1);
    for (int i = 0; i < kQuick; ++i) static_cast<void>(talker.call(step_of(stream, 1, spec)));
    static_cast<void>(talker.call(
        step_of(stream, 1, spec, [](auto step) { number_episodes(step, 1, kPrime, kPrime); })));
    siege.judge(talker);
    siege.did();
  }
}

/// Episodes that are never played: at most two for each slot may wait.
void waiting_episodes(Siege& siege) {
  const Spec spec = registry().spec(kEnv);
  constexpr std::uint64_t kEach = 100'000;  // 6 MiB
  Talker talker(siege.target.endpoint);
  talker.open(siege.rng);
  std::uint32_t stream = open_stream(talker, kEnv, 1);
  for (std::uint64_t k = 0, n = siege.count(10, 40); k < n; ++k) {
    const auto reply = talker.call(step_of(
        stream, 1, spec, [&](auto step) { number_episodes(step, 10 + k * kEach, kEach, 1); }));
    siege.did();
    if (reply.isFailure() || reply.getDecisions().getDone()) stream = open_stream(talker, kEnv, 1);
  }
  siege.judge(talker);
}

/// Sends a text in place of that of an environment or policy; the reply must be a failure.
void send_text(Siege& siege, Talker& talker, const std::string& text) {
  static_cast<void>(talker.refused([&](Envelope::Builder e) {
    if (siege.target.policies) {
      e.initOpenPolicy().setPolicy(text);
      return;
    }
    e.initOpenStream().setEnv(text);
  }));
  siege.did();
}

void long_texts(Siege& siege) {
  const auto repeated = [](const std::string& piece, std::size_t times) {
    std::string all;
    for (std::size_t i = 0; i < times; ++i) all += piece;
    return all;
  };
  std::string unknown = "load_balance(";
  for (int i = 0; i < 200'000; ++i) unknown += "x" + std::to_string(i) + "=1,";
  const std::vector<std::string> texts{
      std::string(std::size_t{60} << 20U, 'a'),
      unknown + "y=1)",
      "load_balance(" + std::string(std::size_t{30} << 20U, 'x') + "=1)",
      repeated("(", 1'000'000),
      "load_balance(servers=" + repeated("[", 1'000'000),
      "load_balance(servers=" + std::string(1'000'000, '9') + ")",
      std::string(100, '\0'),
      "load_balance(\x1b]52;c;ZXZpbA==\x07=1)",
      "\x1b]0;title\x07"};
  for (std::uint64_t times = siege.count(1, 4); times > 0; --times) {
    Talker talker(siege.target.endpoint, milliseconds(120'000));
    talker.open(siege.rng);
    for (const std::string& text : texts) send_text(siege, talker, text);
    siege.judge(talker);
  }
}

/// Eight sessions of one client send the largest text at once.
void long_texts_at_once(Siege& siege) {
  constexpr int kSessions = 8;
  const std::string text(std::size_t{60} << 20U, 'a');
  std::vector<std::unique_ptr<Talker>> talkers;
  std::vector<std::uint64_t> sent;
  for (int i = 0; i < kSessions; ++i) {
    talkers.push_back(std::make_unique<Talker>(siege.target.endpoint, milliseconds(180'000)));
    talkers.back()->open(siege.rng);
  }
  for (auto& talker : talkers)
    sent.push_back(talker->send([&](Envelope::Builder e) { e.initOpenStream().setEnv(text); }));
  for (std::size_t i = 0; i < talkers.size(); ++i) {
    if (!talkers[i]->wait(sent[i]).isFailure()) siege.broke("a text of 60 MiB was taken");
    siege.judge(*talkers[i]);
    siege.did();
  }
}

/// A stream whose first reply is too large has failed: it must not be there, nor hold its slots.
void large_replies(Siege& siege) {
  const std::string large = "dag_scheduling(executors=1000,jobs=1000)";
  for (std::uint64_t times = siege.count(1, 5); times > 0; --times) {
    Talker talker(siege.target.endpoint, milliseconds(120'000));
    talker.open(siege.rng);
    bool failed = false;
    for (const std::uint32_t slots : {64U, 512U}) {
      try {
        const std::uint32_t stream = open_stream(talker, large, slots);
        static_cast<void>(
            talker.call([&](Envelope::Builder e) { e.initCloseStream().setStream(stream); }));
        continue;
      } catch (const Trouble& trouble) {
        if (std::string(trouble.what()).rfind("openStream:", 0) != 0) throw;
        failed = true;
      }
      for (std::uint32_t stream = 1; stream < 6; ++stream)
        if (talker.call([&](Envelope::Builder e) { e.initCloseStream().setStream(stream); })
                .isStreamClosed())
          siege.broke("openStream with " + std::to_string(slots) +
                      " slots failed and left stream " + std::to_string(stream));
    }
    open_stream(talker, "load_balance(servers=2,jobs=2)", siege.target.most_slots);
    if (!failed) siege.broke("no reply was too large: the attack is too tame");
    siege.judge(talker);
    siege.did();
  }
}

/// Environments that are large, as many as there may be.
void heavy_environments(Siege& siege) {
  const std::vector<std::pair<std::string, std::uint32_t>> large{
      {"load_balance(servers=1000)", siege.target.most_slots},
      {"dag_scheduling(executors=1000,jobs=1000)", 512}};
  for (std::uint64_t times = siege.count(1, 5); times > 0; --times)
    for (const auto& [env, slots] : large) {
      constexpr std::uint32_t kStreams = 8;
      Talker talker(siege.target.endpoint, milliseconds(120'000));
      talker.open(siege.rng);
      for (std::uint32_t streams = 0; streams < kStreams; ++streams) {
        try {
          open_stream(talker, env, slots / kStreams);
        } catch (const Trouble&) {  // refused, as it should be at some point
        }
        siege.did();
      }
      siege.judge(talker);
    }
}

/// As many sessions as one connection can have.
void many_hellos(Siege& siege) {
  Talker talker(siege.target.endpoint);
  const std::uint64_t count = siege.count(5000, 20'000);
  std::uint64_t answers = 0;
  const Time until = Clock::now() + std::chrono::seconds(120);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (!talker.post(envelope({}, 0, hello(siege.rng)))) break;
    if (i % 10 == 9)
      for (int k = 0; k < 10 && talker.recv(until); ++k) ++answers;
  }
  siege.did(answers);
  // Another client must get in.
  Talker other(siege.target.endpoint);
  other.open(siege.rng);
  siege.judge(talker);
}

}  // namespace

void add_requests_attack(Attacks& all) {
  using enum Attack::On;
  all.push_back({.name = "episode-numbers",
                 .about = "85 229 episodes numbered k x 85229 in one step, after 70 quick ones",
                 .on = environments,
                 .run = colliding_numbers});
  all.push_back({.name = "episodes-waiting",
                 .about = "steps of 6 MiB with episodes never played",
                 .on = environments,
                 .run = waiting_episodes});
  all.push_back({.name = "texts-long",
                 .about = "texts of 60 MiB, 200 000 unknown fields, control "
                          "characters, deep brackets",
                 .run = long_texts});
  all.push_back({.name = "texts-at-once",
                 .about = "eight sessions send a text of 60 MiB at once",
                 .on = environments,
                 .run = long_texts_at_once});
  all.push_back({.name = "replies-large",
                 .about = "openStream whose reply is too large",
                 .on = environments,
                 .run = large_replies});
  all.push_back({.name = "environments-heavy",
                 .about = "as many large environments as slots",
                 .on = environments,
                 .run = heavy_environments});
  all.push_back({.name = "hellos", .about = "5000 hellos of one connection", .run = many_hellos});
}

}  // namespace park::siege
