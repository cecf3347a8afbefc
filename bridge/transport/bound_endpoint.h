#pragma once

#include <string>

namespace park::bridge {

/// The right to bind an endpoint, held while it lives. Only the user of this process can reach it:
/// ipc://PATH in a folder of its own that is closed to others (made with mode 0700 where there is
/// none) and that no other server uses, or tcp://127.x.x.x:PORT or tcp://localhost:PORT, PORT * for
/// a free one. Where only clients with known keys get in (`encrypted`), HOST may be any.
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
