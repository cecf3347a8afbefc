// A session in a process of its own. The server's side sends each request as an envelope over a pair
// of sockets, waits for the answer until its deadline, and throws what was thrown there. The other
// side, serve_session, calls the service that the program has made. A dead or silent process is
// told by the socket or the deadline; it is killed and waited for.
#include "bridge/isolation/isolated_service.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>
#include <optional>
#include <thread>
#include <utility>

#include "bridge/codec/failure.h"
#include "bridge/isolation/pipe.h"
#include "park/core/error.h"
#include "park/core/thread_bytes.h"

namespace park::bridge {
namespace {

using Kind = PipeMessage::Kind;
using std::chrono::steady_clock;

// More than any machine has, and little enough to be added up.
constexpr std::uint64_t kMostOwned = std::uint64_t{1} << 48;

/// Throws Failed{tooMuch}. An envelope may refer to the same bytes often; a copy has them as often.
void check_size(std::uint64_t words, std::uint64_t most_bytes, const char* what) {
  if (words <= most_bytes / sizeof(capnp::word)) return;
  throw Failed(Code::TOO_MUCH,
               std::string(what) + " has " + std::to_string(words * sizeof(capnp::word)) +
                   " bytes, at most " + std::to_string(most_bytes) + " are allowed");
}

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The contents of a reply; session and number stay.
void copy(wire::Envelope::Reader from, wire::Envelope::Builder to) {
  switch (from.which()) {
    case wire::Envelope::STREAM_OPENED:
      return to.setStreamOpened(from.getStreamOpened());
    case wire::Envelope::DECISIONS:
      return to.setDecisions(from.getDecisions());
    case wire::Envelope::STREAM_CLOSED:
      return to.setStreamClosed(from.getStreamClosed());
    case wire::Envelope::POLICY_OPENED:
      return to.setPolicyOpened(from.getPolicyOpened());
    case wire::Envelope::ANSWER:
      return to.setAnswer(from.getAnswer());
    case wire::Envelope::SCORES:
      return to.setScores(from.getScores());
    case wire::Envelope::POLICY_CLOSED:
      return to.setPolicyClosed(from.getPolicyClosed());
    default:
      throw Failed(Code::INTERNAL, "the session's process gave no reply");
  }
}

std::array<int, 2> connected() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw Failed(Code::TOO_MUCH,
                 std::string("a session's process needs a socket: ") + std::strerror(errno));
  return ends;
}

/// The process gets none of this one's descriptors above that of the session.
void close_others(posix_spawn_file_actions_t& actions) {
#if __GLIBC_PREREQ(2, 34)
  posix_spawn_file_actions_addclosefrom_np(&actions, kSessionSocket + 1);
#else  // those of now: what another thread opens meanwhile closes itself on exec
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    const int descriptor = std::atoi(entry.path().filename().c_str());
    if (descriptor > kSessionSocket) posix_spawn_file_actions_addclose(&actions, descriptor);
  }
#endif
}

/// How posix_spawn makes the process: with one descriptor of this one, and no signal blocked.
class Spawning {
 public:
  explicit Spawning(int socket) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, STDERR_FILENO, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, socket, kSessionSocket);
    close_others(actions_);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setpgroup(&attributes_, 0);  // Ctrl-C is for the server
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  }
  ~Spawning() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  Spawning(const Spawning&) = delete;
  Spawning& operator=(const Spawning&) = delete;

  /// This program, with other words. Throws Failed{tooMuch}.
  [[nodiscard]] pid_t start(const std::vector<std::string>& words) const {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    pid_t pid = -1;
    const int error =
        posix_spawn(&pid, "/proc/self/exe", &actions_, &attributes_, arguments.data(), environ);
    if (error == 0) return pid;
    throw Failed(Code::TOO_MUCH,
                 std::string("a session's process cannot be started: ") + std::strerror(error));
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status))
    return "was ended by signal " + std::to_string(WTERMSIG(status)) + " (" +
           strsignal(WTERMSIG(status)) + ")";
  return "ended with code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

/// The process and its pipe.
class IsolatedService::Process {
 public:
  explicit Process(const std::vector<std::string>& words) : Process(words, connected()) {}
  ~Process() {
    if (pid_ > 0) static_cast<void>(end());
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  [[nodiscard]] Pipe& pipe() noexcept { return pipe_; }
  /// What ended it, where it has closed its pipe.
  std::string last_words() {
    constexpr std::chrono::milliseconds kPause{5}, kPatience{1'000};
    const auto until = steady_clock::now() + kPatience;
    int status = 0;
    while (waitpid(pid_, &status, WNOHANG) != pid_) {
      if (steady_clock::now() > until) return how_it_ended(end());
      std::this_thread::sleep_for(kPause);
    }
    pid_ = -1;
    return how_it_ended(status);
  }

 private:
  Process(const std::vector<std::string>& words, std::array<int, 2> ends) : pipe_(ends[0]) {
    const Pipe theirs(ends[1]);
    pid_ = Spawning(ends[1]).start(words);
  }
  int end() {
    int status = 0;
    kill(pid_, SIGKILL);
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return status;
  }

  Pipe pipe_;
  pid_t pid_ = -1;
};

IsolatedService::IsolatedService(IsolationOptions options) : options_(std::move(options)) {}
IsolatedService::~IsolatedService() = default;

void IsolatedService::handle(wire::Envelope::Reader request, wire::Envelope::Builder reply) {
  if (!ended_.empty()) throw Failed(Code::ENVIRONMENT_FAILED, ended_);
  check_size(request.totalSize().wordCount, options_.most_bytes, "message: the request");
  if (!process_) process_ = std::make_unique<Process>(options_.words);
  capnp::MallocMessageBuilder copied;
  copied.setRoot(request);
  const auto words = capnp::messageToFlatArray(copied);
  const PipeMessage answer =
      exchange(Kind::request, std::as_bytes(std::span(words.begin(), words.size())));
  if (answer.kind == Kind::reply) return give(reply);
  const std::string text = text_of(bytes_);
  if (answer.kind == Kind::failed) throw Failed(static_cast<Code>(answer.code), text);
  if (answer.kind == Kind::error) throw Error(static_cast<Errc>(answer.code), text);
  throw Failed(Code::INTERNAL, text);
}

std::string IsolatedService::retract() {
  if (!process_) return {};
  static_cast<void>(exchange(Kind::retract, {}));
  return text_of(bytes_);
}

PipeMessage IsolatedService::exchange(Kind kind, std::span<const std::byte> bytes) {
  const auto until = steady_clock::now() + options_.longest;
  PipeMessage answer;
  auto outcome = process_->pipe().write({.kind = kind}, bytes, until);
  if (outcome == Pipe::Outcome::done)
    outcome = process_->pipe().read(answer, bytes_, options_.most_bytes, until);
  if (outcome == Pipe::Outcome::closed) fail(process_->last_words());
  if (outcome == Pipe::Outcome::late)
    fail("took longer than " + std::to_string(options_.longest.count()) + " ms");
  owned_ = std::min(answer.owned, kMostOwned);
  return answer;
}

void IsolatedService::give(wire::Envelope::Builder reply) {
  EnvelopeReader reader;
  const auto answer = reader.read(bytes_);
  check_size(answer.totalSize().wordCount, options_.most_bytes, "message: the reply");
  copy(answer, reply);
  constexpr std::size_t kLarge = std::size_t{256} << 10;
  if (bytes_.capacity() > kLarge) bytes_ = {};
}

void IsolatedService::fail(const std::string& how) {
  process_.reset();
  owned_ = 0;
  ended_ = "the process of this session " + how + "; what was open in it is lost";
  throw Failed(Code::ENVIRONMENT_FAILED, ended_);
}

namespace {

/// What a service answers: an envelope in the writer, or a text.
struct Answer {
  PipeMessage message;
  std::string text{};
  std::span<const std::byte> envelope{};
};

Answer failed(Code code, std::string text) {
  return {{.kind = Kind::failed, .code = static_cast<std::uint32_t>(code)}, std::move(text)};
}

/// The reply in the writer, which is undone where it is too large.
Answer reply_of(Service& service, std::uint64_t most_bytes, EnvelopeWriter& writer) {
  const auto envelope = writer.finish();
  try {
    check_size(envelope.size() / sizeof(capnp::word), most_bytes - kPreambleBytes,
               "message: the reply");
  } catch (const Failed& error) {
    return failed(error.code(), error.what() + service.retract());
  }
  return {.message = {.kind = Kind::reply}, .envelope = envelope};
}

Answer answer_of(Service& service, std::span<const std::byte> request, std::uint64_t most_bytes,
                 EnvelopeWriter& writer) {
  try {
    EnvelopeReader reader;
    decoding([&] { service.handle(reader.read(request), writer.begin()); });
    return reply_of(service, most_bytes, writer);
  } catch (const Failed& error) {
    return failed(error.code(), error.what());
  } catch (const Error& error) {
    return {{.kind = Kind::error, .code = static_cast<std::uint32_t>(error.code())}, error.what()};
  } catch (const std::bad_alloc&) {
    return failed(Code::TOO_MUCH, "memory: this session has no more");
  } catch (const std::exception& error) {
    return {{.kind = Kind::broken}, error.what()};
  }
}

}  // namespace

void serve_session(int socket, Service& service, std::uint64_t most_bytes) {
  Pipe pipe(socket);
  std::vector<std::byte> request;
  EnvelopeWriter writer;
  PipeMessage message;
  const auto allocated = [&writer, before = thread_bytes()] {
    const auto scratch = static_cast<std::int64_t>(writer.scratch_bytes());
    return static_cast<std::uint64_t>(std::max<std::int64_t>(thread_bytes() - before - scratch, 0));
  };
  while (pipe.read(message, request, 2 * most_bytes, {}) == Pipe::Outcome::done) {
    Answer answer = message.kind == Kind::retract ? Answer{{.kind = Kind::reply}, service.retract()}
                                                  : answer_of(service, request, most_bytes, writer);
    answer.message.owned = allocated();
    const auto bytes = answer.text.empty() ? answer.envelope : bytes_of(answer.text);
    if (pipe.write(answer.message, bytes, {}) != Pipe::Outcome::done) break;
  }
  std::_Exit(EXIT_SUCCESS);
}

}  // namespace park::bridge
