#include "tests/siege/target.h"

#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "bridge/codec/spec.h"

namespace park::siege {
namespace {

constexpr std::chrono::seconds kStart{60}, kEnd{20};

/// The last line of what a process said, for a report.
std::string last_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return one_line(text.substr(text.rfind('\n') + 1));
}

}  // namespace

Target probe(const std::string& endpoint, pid_t pid) {
  Rng rng(static_cast<std::uint64_t>(Clock::now().time_since_epoch().count()));
  Talker talker(endpoint);
  talker.open(rng);
  Target found{.endpoint = endpoint, .pid = pid};
  found.most_bytes = talker.welcome().getMostBytes();
  found.most_slots = talker.welcome().getMostSlots();
  found.window = talker.welcome().getWindow();
  found.bound_bytes = std::uint64_t{talker.welcome().getMostServerMib()} << 20U;
  const auto stream = talker.call([](Envelope::Builder e) {
    e.initOpenStream().setEnv(kEnv);
    e.getOpenStream().initEpisodes(1)[0].initEpisode();
  });
  if (stream.isFailure() && stream.getFailure().getCode() == wire::Code::UNSUPPORTED) {
    const auto policy = talker.call([](Envelope::Builder e) {
      e.initOpenPolicy().setPolicy("random");
      bridge::write(registry().spec(kEnv), e.getOpenPolicy().initSpec());
    });
    found.policies =
        policy.isPolicyOpened() || policy.getFailure().getCode() != wire::Code::UNSUPPORTED;
    found.any = policy.isPolicyOpened();
  } else {
    found.environments = true;
    found.any = stream.isStreamOpened();
  }
  static_cast<void>(talker.post(envelope(talker.session(), 0, [](auto e) { e.setGoodbye(); })));
  static_cast<void>(talker.recv(talker.deadline()));
  return found;
}

OwnServer::OwnServer(std::vector<std::string> words, const std::function<void()>& prepare) {
  const std::string file = folder_.file("endpoint");
  words.insert(words.begin(), park_program());
  words.insert(words.end(), {"--endpoint-file", file});
  process_ = std::make_unique<Process>(words, "", [&] {
    bound_memory(8);
    if (prepare) prepare();
  });
  const Time until = Clock::now() + kStart;
  while (endpoint_.empty()) {
    if (const auto found = endpoint_of_file(file)) endpoint_ = found->first;
    if (!process_->runs() || Clock::now() > until)
      throw Trouble("the server did not begin: " + last_line(process_->err()));
    std::this_thread::sleep_for(milliseconds(5));
  }
}

std::string OwnServer::end() {
  const bool was_there = process_->runs();
  process_->signal(SIGINT);
  const Finished done = process_->finish(Clock::now() + kEnd);
  if (was_there && done.code == 0) return "";
  const std::string how = done.late       ? "did not end in time"
                          : done.code < 0 ? "ended by signal " + std::to_string(-done.code)
                                          : "ended with status " + std::to_string(done.code);
  return "the server " + how + ": " + last_line(done.err);
}

std::optional<std::pair<std::string, pid_t>> endpoint_of_file(const std::string& path) {
  const auto json = nlohmann::json::parse(file_text(path).value_or(""), nullptr, false);
  if (!json.is_object() || json.value("schema", "") != "park.endpoint") return {};
  return std::pair{json.value("endpoint", ""), json.value("pid", 0)};
}

}  // namespace park::siege
