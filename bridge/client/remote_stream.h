#pragma once

#include <memory>
#include <string>

#include "bridge/client/connection.h"
#include "park/core/registry.h"

namespace park::bridge {

/// The environment `remote`: one that a server elsewhere has.
struct RemoteConfig {
  std::string endpoint{}, env{}, key{}, server_key{};
  double timeout_s = 60;
  bool operator==(const RemoteConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    Reach::fields(self, visit);
    visit("env", self.env,
          FieldDoc{.doc = "text of the environment; empty: the only one that the server has",
                   .names = Names::nothing});
  }
};

/// Environments of a server behind one stream. It delivers the same as a local Pool of them. While
/// the server steps one stream of a connection, the client can work on another.
class RemoteStream final : public Stream {
 public:
  /// The source must outlive the stream. Throws Error{unavailable}, and what opening the
  /// environment throws there.
  RemoteStream(const RemoteConfig&, const EpisodeSource&, const StreamOptions&);
  /// Uses a connection that other streams use too, on the same thread. They take turns: a stream
  /// receives its reply before the others have sent as many requests as the session's window.
  RemoteStream(std::shared_ptr<Connection>, const std::string& env, const EpisodeSource&,
               const StreamOptions&);
  ~RemoteStream() override;

  [[nodiscard]] const Spec& spec() const noexcept override;
  using Stream::recv;
  /// Throws Error{unavailable} if the server is gone, or silent for timeout_s from the first
  /// call on that waits for what it owes.
  [[nodiscard]] const Decisions& recv(Deadline) override;
  void send(const Batch& actions) override;

 private:
  class Link;
  std::unique_ptr<Link> link_;
};

/// For Registry::add_stream.
struct RemoteEnv {
  using Config = RemoteConfig;
  static constexpr const char* kName = "remote";
  /// The spec of the server's environment.
  static Spec spec(const RemoteConfig&, const Registry&);
  static std::unique_ptr<Stream> open(const RemoteConfig&, const Registry&, const EpisodeSource&,
                                      const StreamOptions&);
};

}  // namespace park::bridge
