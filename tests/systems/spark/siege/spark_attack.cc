// Messages of the family of Spark that are nearly right: reports of a driver, changed in their fields
// or made from nothing, to an agent (`park spark attach`).
#include "bridge/codec/wire_bytes.h"
#include "tests/siege/attack.h"
#include "tests/siege/mutate.h"
#include "tests/systems/spark/spark_driver.h"

namespace park::siege {
namespace {

namespace driver = park::spark::wire;

const std::vector<std::string>& spark_texts() {
  static const std::vector<std::string> all{
      "", "job 0", "job 1", "4.0.0", "\x1b]52;c;ZXZpbA==\x07", std::string(100'000, 'x')};
  return all;
}

/// A report of a cluster with some jobs and their stages.
void fill_consult(driver::Consult::Builder to, Rng& rng) {
  park::spark::test::Told told;
  told.arrivals_s.assign(1 + rng.below(3), 0);
  told.stages.clear();
  for (std::uint32_t i = 0; i < 4; ++i)
    told.stages.push_back(
        {.id = i,
         .job = static_cast<std::uint32_t>(i * told.arrivals_s.size() / 4),
         .parents = i == 0 ? std::vector<std::uint32_t>{} : std::vector<std::uint32_t>{i - 1}});
  told.write(to);
}

/// A message of a driver, valid or nearly so.
kj::Array<capnp::word> payload(Rng& rng) {
  capnp::MallocMessageBuilder builder;
  auto message = builder.initRoot<driver::Message>();
  switch (rng.below(8)) {
    case 0:
      message.initBegin().setApplication("app");
      break;
    case 1:
      message.initFinish();
      break;
    case 2:
      randomise(message, rng, spark_texts());
      break;
    default:
      fill_consult(message.initConsult(), rng);
  }
  if (rng.below(8) != 0) mutate(message, rng, spark_texts());
  return capnp::messageToFlatArray(builder);
}

void send_reports(Siege& siege) {
  std::optional<Talker> talker;
  for (std::uint64_t left = siege.count(10'000, 1'000'000); left > 0; --left) {
    if (!talker) {
      talker.emplace(siege.target.endpoint);
      talker->open(siege.rng);
    }
    const auto words = payload(siege.rng);
    const auto* from = reinterpret_cast<const std::byte*>(words.begin());
    Bytes bytes(from, from + words.size() * sizeof(capnp::word));
    if (siege.rng.below(8) == 0) bytes = damaged(std::move(bytes), siege.rng);
    const auto reply = talker->call([&](Envelope::Builder e) {
      e.initFamily().setName("spark");
      e.getFamily().setPayload(bridge::as_data(bytes));
    });
    siege.did();
    if (!reply.isFailure() && !reply.isFamily()) siege.broke("a reply of another kind");
    if (reply.isFailure() && reply.getFailure().getCode() == wire::Code::NO_SESSION) {
      siege.judge(*talker);
      talker.reset();
    }
  }
  if (talker) siege.judge(*talker);
}

/// A client asks a server of simulated environments for a running system, as often as it has
/// workers. Each must be refused, and others must find a worker.
void open_systems(Siege& siege) {
  constexpr int kWorkers = 4;
  std::vector<std::unique_ptr<Talker>> talkers;
  std::vector<std::uint64_t> sent;
  for (int i = 0; i < kWorkers; ++i) {
    talkers.push_back(std::make_unique<Talker>(siege.target.endpoint, milliseconds(10'000)));
    talkers.back()->open(siege.rng);
    sent.push_back(talkers.back()->send([](Envelope::Builder e) {
      e.initOpenStream().setEnv("spark");
      e.getOpenStream().initEpisodes(1)[0].initEpisode();
    }));
  }
  for (std::size_t i = 0; i < talkers.size(); ++i, siege.did())
    if (!talkers[i]->wait(sent[i]).isFailure()) siege.broke("a running system was opened");
}

}  // namespace

void add_spark_attack(Attacks& all) {
  all.push_back({.name = "systems",
                 .about = "running systems asked of a server of simulated environments",
                 .on = Attack::On::environments,
                 .run = open_systems});
  all.push_back(
      {.name = "messages-spark",
       .about = "reports of a Spark driver, changed by their schema",
       .on = Attack::On::own_command,
       .own = true,
       .serve = {"spark", "attach", "--policy", "fair", "--endpoint", "tcp://127.0.0.1:*"},
       .run = send_reports});
}

}  // namespace park::siege
