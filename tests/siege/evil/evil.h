#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "park/core/space.h"
#include "tests/siege/attack.h"

namespace park::siege {

/// A request that an evil server answers. The reply is an honest one until it is spoilt.
struct Turn {
  Envelope::Reader request;
  Envelope::Builder reply;
  Zmtp& peer;         ///< the connection that the request came by
  std::uint64_t nth;  ///< requests of this kind of its session before
};
/// What happens to the reply.
enum class After { send, nothing, close };
using Spoil = std::function<After(Turn&)>;

/// A server that speaks the protocol and misbehaves in one way.
struct Evil {
  std::string name{}, about{};
  /// refused: a client has to end with an error. shown: it may go on, since only texts are evil.
  enum class Expect { refused, shown, accepted } expect = Expect::refused;
  int lines = 1;  ///< the most that a client's error may have: a failure has many violations
  bool policies = false;  ///< it serves policies, not environments
  Spoil spoil{};
};
using Evils = std::vector<Evil>;

/// Those of the files NAME_evil.cc. The first one, `honest`, spoils nothing.
[[nodiscard]] const Evils& evils();
/// Throws Trouble where there is none of that name.
[[nodiscard]] const Evil& evil_of(const std::string& name);

/// Spoils replies of one kind, such as &Envelope::Builder::isWelcome.
[[nodiscard]] Spoil on(bool (Envelope::Builder::*kind)(), std::function<After(Turn&)> spoil);
/// Spoils the spec of streamOpened. Its layoutHash is that of the leaves again.
[[nodiscard]] Spoil respec(std::function<void(Spec&)> change);
/// Spoils decisions, also the first ones.
[[nodiscard]] Spoil redecide(std::function<void(wire::Decisions::Builder)> change);
/// A number in every place of a column.
template <class T>
void fill_column(capnp::Data::Builder to, T value) {
  for (std::size_t at = 0; at + sizeof value <= to.size(); at += sizeof value)
    std::memcpy(to.begin() + at, &value, sizeof value);
}

/// Serves until it ends. Threads of its own.
class EvilServer {
 public:
  /// Binds. Throws Trouble.
  EvilServer(const Evil&, const std::string& endpoint);
  ~EvilServer();
  EvilServer(const EvilServer&) = delete;
  EvilServer& operator=(const EvilServer&) = delete;
  [[nodiscard]] const std::string& endpoint() const noexcept;

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

/// Lets Park's client, or a conformance program, meet every evil server: attacks `evil-NAME`.
[[nodiscard]] std::vector<Report> attack_clients(const Options&);

}  // namespace park::siege
