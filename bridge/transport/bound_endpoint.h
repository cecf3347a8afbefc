#pragma once

#include <string>

namespace park::bridge {

/// The right to bind an endpoint, held while it lives. Only this machine can reach it. It is
/// ipc://PATH, tcp://127.x.x.x:PORT or tcp://localhost:PORT, with PORT * for a free port. The
/// folder of PATH is closed to other users and made with mode 0700 if it is missing; no other
/// server may use PATH. With `encrypted`, only clients with known keys get in, and HOST may be any.
class BoundEndpoint {
 public:
  /// Throws Failed{invalidConfig} or {notAllowed} in one line that names what is allowed.
  explicit BoundEndpoint(std::string text, bool encrypted = false);
  ~BoundEndpoint();
  BoundEndpoint(const BoundEndpoint&) = delete;
  BoundEndpoint& operator=(const BoundEndpoint&) = delete;

  /// As ZeroMQ takes it.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  void guard(const std::string& path);

  std::string text_;
  int lock_ = -1;  // of PATH.lock: a second server would steal an ipc endpoint in silence
};

}  // namespace park::bridge
