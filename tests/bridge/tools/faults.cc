// The faults of docs/conformance.md by name: what each does to messages, and what it finds wrong.
#include "tests/bridge/tools/faults.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <utility>

#include "bridge/codec/wire_bytes.h"
#include "bridge/session/session_table.h"
#include "park/core/rng.h"

namespace park::bridge::test {
namespace {

using Envelope = wire::Envelope;
using std::chrono::milliseconds;
using Frame = std::span<const std::byte>;

constexpr int kFaultyStep = 3;  // of those that happen there

/// Sees to it that a client keeps to the protocol: what comes again has the same bytes, and no more
/// requests are open than the window has.
class Watch {
 public:
  explicit Watch(std::vector<std::string>& wrong) : wrong_(wrong) {}

  void see(Way way, Envelope::Reader e, Frame bytes) {
    const std::uint64_t n = e.getSequence();
    if (way == Way::to_client) {
      if (e.isWelcome()) window_ = e.getWelcome().getWindow();
      if (n != 0 && !e.isPong()) answered_.insert(n);
      return;
    }
    if (e.isHello() || e.isPing() || e.isGoodbye()) return;
    const auto [at, is_new] = sent_.try_emplace(n, bytes.begin(), bytes.end());
    if (!is_new && !std::ranges::equal(at->second, bytes))
      wrong_.push_back("request " + std::to_string(n) + " came again with other bytes");
    if (is_new && n != sent_.size())
      wrong_.push_back("request " + std::to_string(n) + " is not the next number");
    if (window_ != 0 && sent_.size() - answered_.size() > window_)
      wrong_.push_back("request " + std::to_string(n) + " is beyond the window");
  }

 private:
  std::vector<std::string>& wrong_;
  std::uint32_t window_ = 0;
  std::map<std::uint64_t, Bytes> sent_;
  std::set<std::uint64_t> answered_;
};

/// The number of the step that a request is, from 1, however often it comes; 0 for others.
class Steps {
 public:
  int of(Way way, Envelope::Reader e) {
    if (way != Way::to_server || !e.isStep()) return 0;
    return numbers_.try_emplace(e.getSequence(), static_cast<int>(numbers_.size()) + 1)
        .first->second;
  }

 private:
  std::map<std::uint64_t, int> numbers_;
};

using Fill = std::function<void(Envelope::Builder)>;

/// An envelope of the server's with the session and number of another one.
Bytes made(Envelope::Reader like, const Fill& fill) {
  EnvelopeWriter writer;
  auto e = writer.begin();
  e.setSession(like.getSession());
  e.setSequence(like.getSequence());
  fill(e);
  const Frame bytes = writer.finish();
  return {bytes.begin(), bytes.end()};
}

Bytes failure(Envelope::Reader like, Code code) {
  return made(like, [&](Envelope::Builder e) {
    e.initFailure().setCode(code);
    e.getFailure().setText("as the test wants it");
  });
}

Fault pass() {
  return [](std::size_t, Way, Envelope::Reader, Frame bytes, Post& post) { post.on(bytes); };
}

Fault lose() {
  auto lost = std::make_shared<std::set<std::uint64_t>>();
  return [lost](std::size_t, Way way, Envelope::Reader e, Frame bytes, Post& post) {
    if (way == Way::to_server || !lost->insert(e.getSequence()).second) post.on(bytes);
  };
}

Fault repeat() {
  return [](std::size_t, Way way, Envelope::Reader, Frame bytes, Post& post) {
    for (int i = 0; i < (way == Way::to_client ? 3 : 1); ++i) post.on(bytes);
  };
}

Fault delay() {
  return [](std::size_t, Way way, Envelope::Reader, Frame bytes, Post& post) {
    post.on(bytes, milliseconds(way == Way::to_client ? 300 : 0));
  };
}

/// A message of the schema whose kind is none: the discriminant is overwritten.
Bytes of_no_kind(Envelope::Reader like) {
  Bytes bytes = made(like, [](Envelope::Builder e) { e.setPong(); });
  // Word 0 is the segment table, word 1 the root pointer. The data section begins at word 2:
  // sequence, then deadlineMs with the discriminant behind it.
  constexpr std::size_t kDiscriminant = 3 * 8 + 4;
  bytes[kDiscriminant] = std::byte{200};
  return bytes;
}

Bytes of_another_session(Envelope::Reader like) {
  return made(like, [&](Envelope::Builder e) {
    e.getSession()[0] ^= 1;
    e.initFailure().setCode(Code::INTERNAL);
  });
}

Fault garbage() {
  return [](std::size_t, Way way, Envelope::Reader e, Frame bytes, Post& post) {
    if (way == Way::to_client) {
      const Bytes junk(41, std::byte{0x5a}), none;
      const auto first = preamble();
      post.raw(std::vector<Frame>{junk});
      post.raw(std::vector<Frame>{first, none});
      post.raw(std::vector<Frame>{first, junk});
      post.raw(std::vector<Frame>{first, bytes, junk});
      if (!e.isWelcome() && !e.isRefused()) {
        post.raw(std::vector<Frame>{first, of_no_kind(e)});
        const Bytes other = of_another_session(e);
        post.raw(std::vector<Frame>{first, other});
      }
    }
    post.on(bytes);
  };
}

Fault mute() {
  return [](std::size_t, Way way, Envelope::Reader e, Frame bytes, Post& post) {
    if (way == Way::to_client || !e.isStep()) post.on(bytes);
  };
}

Fault refuse() {
  return [](std::size_t, Way, Envelope::Reader e, Frame bytes, Post& post) {
    if (!e.isHello()) return post.on(bytes);
    post.back(made(e, [](Envelope::Builder r) {
      r.initRefused().setCode(Code::UNSUPPORTED);
      r.getRefused().setText("the client speaks version 1, the server version 2");
    }));
  };
}

/// As a server of another major version would.
Fault major() {
  return [](std::size_t, Way, Envelope::Reader e, Frame bytes, Post& post) {
    if (!e.isHello()) return post.on(bytes);
    auto first = preamble();
    first[3] = std::byte{kMajor + 1};
    const Bytes unknown(24, std::byte{0x5a});
    post.raw(std::vector<Frame>{first, unknown});
  };
}

/// Answers the third step, and all that follows, in place of the server.
Fault from_third_step(std::function<Bytes(Envelope::Reader)> answer, bool later_too) {
  auto steps = std::make_shared<Steps>();
  return [steps, answer = std::move(answer), later_too](std::size_t, Way way, Envelope::Reader e,
                                                        Frame bytes, Post& post) {
    const int n = steps->of(way, e);
    if (n == kFaultyStep || (later_too && n > kFaultyStep)) return post.back(answer(e));
    post.on(bytes);
  };
}

Bytes farewell(Envelope::Reader like) {
  return made(like, [](Envelope::Builder e) {
    e.setSequence(0);
    e.initFarewell().setReason("the server ends");
  });
}

/// Welcome allows less than any request needs.
Fault small() {
  return [](std::size_t, Way way, Envelope::Reader e, Frame bytes, Post& post) {
    if (way == Way::to_server || !e.isWelcome()) return post.on(bytes);
    post.on(made(e, [&](Envelope::Builder r) {
      r.setWelcome(e.getWelcome());
      r.getWelcome().setMostBytes(64);
    }));
  };
}

const std::map<std::string, std::function<Fault()>>& makers() {
  static const std::map<std::string, std::function<Fault()>> all{
      {"none", &pass},
      {"lose", &lose},
      {"repeat", &repeat},
      {"delay", &delay},
      {"garbage", &garbage},
      {"mute", &mute},
      {"refuse", &refuse},
      {"major", &major},
      {"small", &small},
      {"expire",
       [] { return from_third_step([](auto e) { return failure(e, Code::NO_SESSION); }, true); }},
      {"end", [] { return from_third_step(&farewell, true); }},
      {"fail", [] {
         return from_third_step([](auto e) { return failure(e, Code::ENVIRONMENT_FAILED); }, false);
       }}};
  return all;
}

}  // namespace

const std::vector<std::string>& fault_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& [name, maker] : makers()) all.push_back(name);
    return all;
  }();
  return names;
}

Fault until_third_step(std::function<void()> then) {
  auto steps = std::make_shared<Steps>();
  return [steps, then = std::move(then)](std::size_t, Way way, Envelope::Reader e, Frame bytes,
                                         Post& post) {
    if (steps->of(way, e) >= kFaultyStep) return then();
    post.on(bytes);
  };
}

Fault fault_of(const std::string& name, std::vector<std::string>& wrong) {
  const auto found = makers().find(name);
  if (found == makers().end()) throw std::invalid_argument("no fault " + name);
  auto watch = std::make_shared<Watch>(wrong);
  return [watch, inner = found->second()](std::size_t client, Way way, Envelope::Reader e,
                                          Frame bytes, Post& post) {
    watch->see(way, e, bytes);
    inner(client, way, e, bytes, post);
  };
}

Fault bad_weather(const Weather& weather, std::uint64_t seed) {
  auto rng = std::make_shared<Rng>(seed);
  return [rng, weather](std::size_t, Way, Envelope::Reader, Frame bytes, Post& post) {
    const double luck = rng->uniform();
    const int copies = luck < weather.lost ? 0 : luck < weather.lost + weather.doubled ? 2 : 1;
    for (int i = 0; i < copies; ++i)
      post.on(bytes, milliseconds(static_cast<int>(
                         rng->uniform() * static_cast<double>(weather.most_delay.count()))));
  };
}

}  // namespace park::bridge::test
