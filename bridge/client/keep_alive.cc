#include "bridge/client/keep_alive.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>

#include "bridge/codec/wire_bytes.h"

namespace park::bridge {

KeepAlive::KeepAlive(const SessionKey& key, std::chrono::milliseconds every, MakeChannel make)
    : key_(key),
      every_(every),
      make_(std::move(make)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}
KeepAlive::~KeepAlive() = default;

void KeepAlive::run(const std::stop_token& stop) const {
  std::unique_ptr<Channel> channel;
  EnvelopeWriter writer;
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  // Twice as often as the server asks: a ping that comes before the connection is there is lost.
  // Not more often than this, whatever it asks.
  constexpr std::chrono::milliseconds kLeast{5};
  constexpr int kMostPongs = 1'000;  // after a while without the processor
  const auto pause = std::max(every_ / 2, kLeast);
  while (!wake.wait_for(lock, stop, pause, [&] { return stop.stop_requested(); })) {
    try {
      if (!channel) channel = make_();
      int pongs = 0;
      while (pongs < kMostPongs && channel->recv(channel->now())) ++pongs;
      if (pongs == kMostPongs) {  // a server that floods this one; what it has sent is dropped
        channel.reset();
        continue;
      }
      auto envelope = writer.begin();
      envelope.setSession(as_data(key_));
      envelope.setPing();
      channel->send(writer.finish());
    } catch (const std::exception&) {  // whoever waits for a reply is told what is wrong
      channel.reset();
    }
  }
}

}  // namespace park::bridge
