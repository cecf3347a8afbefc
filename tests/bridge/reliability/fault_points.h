#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "bridge/client/connection.h"

namespace park::bridge::test {

/// When something happens to one side: around a message of the client.
enum class Moment { before_sending, after_sending, before_reply };

/// One place in an exchange of messages, and the signal that hits a process there.
struct FaultPoint {
  std::string kind;  ///< of the client's message: a member of the schema's union
  Moment moment = Moment::before_sending;
  int signal = 0;
  friend void PrintTo(const FaultPoint& p, std::ostream* out) { *out << p.name(); }
  [[nodiscard]] std::string name() const;
};

/// The members of Envelope's union that clients send. Every member is known to be a client's or a
/// server's. Throws std::logic_error for a new member, which has to be placed.
[[nodiscard]] std::vector<std::string> client_kinds();
/// All kinds, moments and of the signals SIGKILL and SIGSTOP.
[[nodiscard]] std::vector<FaultPoint> fault_points();
/// The kind of a message.
[[nodiscard]] std::string kind_of(wire::Envelope::Reader);

/// Opens a session and sends every kind of message, in the order of a life; what fails in between
/// is thrown as Error. With `policies` those to a server of policies, else of environments.
/// `overrun` becomes the longest time that a call took beyond the timeout, where it was less.
void whole_life(const std::string& endpoint, bool policies, std::chrono::milliseconds timeout,
                std::chrono::milliseconds& overrun);
/// Whether a kind goes to servers of policies.
[[nodiscard]] bool is_of_policies(const std::string& kind);

}  // namespace park::bridge::test
