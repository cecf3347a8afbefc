#include <park/bridge/client/remotes.h>
#include <park/bridge/server/server.h>
#include <park/bridge/server/stream_service.h>
#include <park/envs/envs.h>

#include <iostream>
#include <memory>
#include <string>
#include <thread>

int main(int, char** words) {
  const std::string endpoint = words[1];
  park::Registry registry;
  park::envs::register_all(registry);
  park::bridge::Server server({.endpoint = endpoint, .limits = {}}, [&] {
    return std::make_unique<park::bridge::StreamService>(
        registry, park::bridge::StreamServiceOptions{"load_balance"});
  });
  const std::jthread serving([&](const std::stop_token& stop) { server.run(stop); });
  park::bridge::register_all(registry);
  const park::RandomEpisodes episodes(park::phase_rng(1, park::Phase::evaluate));
  const auto stream = registry.stream("remote(endpoint=\"" + endpoint + "\")", episodes, {});
  std::cout << stream->spec().name << '\n';
}
