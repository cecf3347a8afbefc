// Requests of many sessions on a few threads. Each session has a SessionWork: its service, and a
// ring of requests with their replies. A message goes through the session table. Its work is done
// at once on the receiving thread while steps of the session have been quick and the message is
// small. Else it is queued for the workers, who do one request of a session at a time. finish_done
// sends the replies of finished work. Server owns a Dispatcher and calls it from its loop.
#include "bridge/server/dispatcher.h"

#include <algorithm>
#include <atomic>
#include <ctime>
#include <utility>

#include "bridge/codec/failure.h"
#include "bridge/codec/short_text.h"
#include "bridge/codec/wire_bytes.h"
#include "bridge/session/memory.h"
#include "park/core/error.h"
#include "park/core/thread_bytes.h"

namespace park::bridge {
namespace {

using std::chrono::steady_clock;

// A step that computes no longer than this, and that neither waits nor is held up for long, is
// quick: handing it to another thread and back would cost as much, and nobody waits long for it.
constexpr std::chrono::microseconds kQuickWork{250}, kQuickTime{1000};
// So many quick steps in a row let the next one be done where it comes in.
constexpr std::uint32_t kQuickOnes = 64;
// Steps of a session are brief while its requests compute less than this on the average. They do not wait for
// what takes long. A long one has to be made up for by many brief ones, of which few are saved up.
constexpr std::chrono::milliseconds kBriefWork{10}, kMostCredit{100};
// A larger message is work of a size that its client chooses.
constexpr std::size_t kQuickBytes = std::size_t{64} << 10;

/// What this thread has computed so far.
std::chrono::nanoseconds work_so_far() noexcept {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

Code code_of(Errc code) {
  switch (code) {
    case Errc::unknown_name:
      return Code::UNKNOWN_NAME;
    case Errc::illegal_action:
      return Code::ILLEGAL_ACTION;
    case Errc::not_allowed:
      return Code::NOT_ALLOWED;
    case Errc::invalid_config:
    case Errc::syntax:
    case Errc::bad_file:
    case Errc::io:
    case Errc::unavailable:
      return Code::INVALID_CONFIG;
    default:
      return Code::ENVIRONMENT_FAILED;
  }
}

wire::Envelope::Builder begin(EnvelopeWriter& writer, const SessionKey& key,
                              std::uint64_t sequence) {
  auto reply = writer.begin();
  reply.setSession(as_data(key));
  reply.setSequence(sequence);
  return reply;
}

/// Throws Failed{late} where the reply is of no use any more.
void check_in_time(wire::Envelope::Reader request, Time arrival) {
  const std::chrono::milliseconds useful(request.getDeadlineMs());
  const auto waited = steady_clock::now() - arrival;
  if (useful.count() == 0 || waited <= useful) return;
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(waited).count();
  throw Failed(Code::LATE, "deadlineMs: the request waited for " + std::to_string(ms) +
                               " ms, it was of use for " + std::to_string(useful.count()));
}

/// The reply of a service, or what went wrong.
std::span<const std::byte> answer(Service& service, const SessionKey& key,
                                  wire::Envelope::Reader request, Time arrival,
                                  std::uint64_t most_bytes, EnvelopeWriter& writer) {
  const std::uint64_t sequence = request.getSequence();
  const auto fail = [&](Code code, const std::string& text) {
    auto failure = begin(writer, key, sequence).initFailure();
    failure.setCode(code);
    failure.setText(short_text(text));
    return writer.finish();
  };
  try {
    check_in_time(request, arrival);
    decoding([&] { service.handle(request, begin(writer, key, sequence)); });
    const auto bytes = writer.finish();
    if (bytes.size() + kPreambleBytes <= most_bytes) return bytes;
    return fail(Code::TOO_MUCH, "message: the reply has " + std::to_string(bytes.size()) +
                                    " bytes, at most " + std::to_string(most_bytes) +
                                    " are allowed" + service.retract());
  } catch (const Failed& failed) {
    return fail(failed.code(), failed.what());
  } catch (const Error& error) {
    return fail(code_of(error.code()), error.what());
  } catch (const std::exception& error) {
    return fail(Code::INTERNAL, error.what());
  }
}

}  // namespace

/// What a session has here. Its requests and their replies lie in memory that is used again.
class Dispatcher::SessionWork final : public Workers::Strand {
 public:
  struct Job {
    std::uint64_t sequence = 0;
    bool small_step = false;
    Time arrival;
    Bytes request, reply;
  };

  SessionWork(Dispatcher& dispatcher, const SessionKey& key)
      : dispatcher_(dispatcher),
        key_(key),
        service_(dispatcher.make_()),
        jobs_(dispatcher.options_.limits.window + 1) {}

  /// Whether a request is likely to be done sooner than handed over. REQUIRES: it is idle.
  [[nodiscard]] bool quick(wire::Envelope::Reader request, std::size_t bytes) const {
    return small_step(request, bytes) && quick_ >= kQuickOnes && !service_->may_wait();
  }
  /// A request for `work`.
  void add(std::span<const std::byte> frame, wire::Envelope::Reader request, Time arrival) {
    if (added_ == finished_) added_ = taken_ = finished_ = 0;  // few at a time take few places
    Job& job = jobs_[added_++ % jobs_.size()];
    job.sequence = request.getSequence();
    job.small_step = small_step(request, frame.size());
    job.arrival = arrival;
    replace_bytes(job.request, frame);
  }
  /// No request comes any more: `work` ends the session.
  void add_end() { jobs_[added_++ % jobs_.size()] = {}; }
  /// The oldest one that `work` has done; valid until the next add.
  [[nodiscard]] const Job& finished() { return jobs_[finished_++ % jobs_.size()]; }

  /// What its service has allocated and not freed.
  [[nodiscard]] std::uint64_t owned() const noexcept {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(owned_, 0));
  }

  /// Does the oldest request. Returns the time of the processor that it took.
  std::chrono::nanoseconds do_next() {
    Job& job = jobs_[taken_++ % jobs_.size()];
    if (job.request.empty()) return end();
    thread_local EnvelopeReader reader;
    thread_local EnvelopeWriter writer;
    const auto bytes = answered(reader.read(job.request), job.arrival, writer);
    replace_bytes(job.reply, bytes);
    return used_;
  }
  /// Tells the dispatcher's thread that a reply is there.
  void tell() {
    const std::lock_guard lock(dispatcher_.mutex_);
    dispatcher_.done_.push_back(key_);
    dispatcher_.calls_.wake();
  }
  [[nodiscard]] const SessionKey& key() const noexcept { return key_; }

 private:
  static bool small_step(wire::Envelope::Reader request, std::size_t bytes) {
    return (request.isStep() || request.isAsk()) && bytes <= kQuickBytes;
  }

  /// Does a request, and counts the quick ones in a row.
  std::span<const std::byte> answered(wire::Envelope::Reader request, Time arrival,
                                      EnvelopeWriter& writer) {
    const auto begin = steady_clock::now();
    const auto work = work_so_far();
    const std::int64_t memory = memory_without(writer);
    const auto bytes =
        answer(*service_, key_, request, arrival, dispatcher_.options_.limits.most_bytes, writer);
    owned_here_ += memory_without(writer) - memory;
    owned_ = owned_here_ + static_cast<std::int64_t>(service_->bytes_elsewhere());
    used_ = work_so_far() - work;
    over_ = std::max<std::chrono::nanoseconds>(over_ + used_ - kBriefWork, -kMostCredit);
    if (!request.isStep() && !request.isAsk()) return bytes;
    const bool quick = used_ < kQuickWork && steady_clock::now() - begin < kQuickTime;
    quick_ = quick ? quick_ + 1 : 0;
    return bytes;
  }

  /// What this thread has allocated, but for the memory of a writer, which is no session's.
  static std::int64_t memory_without(const EnvelopeWriter& writer) noexcept {
    return thread_bytes() - static_cast<std::int64_t>(writer.scratch_bytes());
  }

  std::chrono::nanoseconds work() override {
    const bool is_end = jobs_[taken_ % jobs_.size()].request.empty();
    const std::chrono::nanoseconds used = do_next();
    if (!is_end) tell();
    return used;
  }

  [[nodiscard]] bool brief() const override {
    return over_ <= std::chrono::nanoseconds(0) && jobs_[taken_ % jobs_.size()].small_step &&
           !service_->may_wait();
  }

  /// On a worker, because it may take its time.
  std::chrono::nanoseconds end() {
    const auto work = work_so_far();
    service_.reset();
    give_back_memory(owned());
    return work_so_far() - work;
  }

  Dispatcher& dispatcher_;
  SessionKey key_;
  std::unique_ptr<Service> service_;
  std::uint32_t quick_ = 0;           // steps in a row; whoever does one writes it
  std::chrono::nanoseconds over_{0};  // computed beyond kBriefWork for each request; likewise
  std::chrono::nanoseconds used_{0};  // by the last request, of the processor
  std::int64_t owned_here_ = 0;       // in this process
  // With what is owned elsewhere; read by the dispatcher's thread while the next one is done.
  std::atomic<std::int64_t> owned_ = 0;
  std::vector<Job> jobs_;  // round and round: those of a full window, and the end
  std::uint64_t added_ = 0, taken_ = 0, finished_ = 0;  // taken_ is the workers'
};

Dispatcher::Dispatcher(Options options, MakeService make, Calls calls)
    : options_(std::move(options)),
      make_(std::move(make)),
      calls_(std::move(calls)),
      table_(options_.limits, options_.name,
             {.send = calls_.send,
              .work = [this](const SessionKey& key, std::span<const std::byte> frame,
                             wire::Envelope::Reader e) { work(key, frame, e); },
              .ended = [this](const SessionKey& key) { ended(key); },
              .new_key = &random_key,
              .connected = calls_.connected}),
      workers_(options_.workers) {}

bool Dispatcher::receive(const Bytes& route, std::span<const std::span<const std::byte>> frames,
                         Time now) {
  arrival_ = now;
  table_.receive(route, frames, now);
  return quick_ ? do_quick() : true;
}

void Dispatcher::work(const SessionKey& key, std::span<const std::byte> frame,
                      wire::Envelope::Reader request) {
  std::shared_ptr<SessionWork>& session = sessions_[key];
  if (!session) session = std::make_shared<SessionWork>(*this, key);
  const bool quick = workers_.idle(*session) && session->quick(request, frame.size());
  session->add(frame, request, arrival_);
  if (!quick) return workers_.add(session);
  workers_.begin(*session);
  quick_ = session;  // once the table has done its part
}

bool Dispatcher::do_quick() {
  const std::shared_ptr<SessionWork> session = std::move(quick_);
  std::chrono::nanoseconds used{0};
  const auto work = [&] { used = session->do_next(); };
  bool owned = true;
  if (calls_.apart)
    owned = calls_.apart(work);
  else
    work();
  if (owned)
    finish(session->key(), *session);
  else
    session->tell();
  workers_.end(session, used);
  return owned;
}

void Dispatcher::ended(const SessionKey& key) {
  const auto session = sessions_.extract(key);
  if (session.empty()) return;
  session.mapped()->add_end();
  workers_.add(session.mapped());
}

void Dispatcher::finish_done() {
  {
    const std::lock_guard lock(mutex_);
    std::swap(done_, finished_);
  }
  for (const SessionKey& key : finished_) {
    const auto found = sessions_.find(key);
    if (found == sessions_.end()) continue;
    finish(key, *found->second);
  }
  finished_.clear();
}

void Dispatcher::finish(const SessionKey& key, SessionWork& session) {
  const SessionWork::Job& job = session.finished();
  table_.finish(key, job.sequence, job.reply,
                {.request = job.request.size(), .owned = session.owned()});
}

}  // namespace park::bridge
