// The applications of an agent. Each session of the bridge has a SparkService, which one thread of
// the server uses at a time. `begin` takes the next episode for its application; `consult` asks
// that one for grants; `finish` ends it. A session that ends before ends its application as lost.
// After the last episode the agent is told that all are done.
#include "systems/spark/applications.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "bridge/codec/failure.h"
#include "bridge/codec/wire_bytes.h"

namespace park::spark {
namespace {

constexpr std::uint64_t kLeastTraversal = 4096;  // words; as of envelopes
constexpr std::uint64_t kTraversalPerWord = 8;
constexpr int kNesting = 16;
constexpr std::chrono::milliseconds kLongest{60'000};  // where a driver sets no deadline
constexpr std::chrono::seconds kHangs{10};             // beyond a deadline

/// The policy's share of the time in which an answer is of use to a driver. What is left lets an
/// answer that there is none arrive in time.
std::chrono::microseconds thinking_time(std::uint32_t useful_ms) {
  using std::chrono::milliseconds;
  const milliseconds useful = useful_ms == 0 ? kLongest : milliseconds(useful_ms);
  const std::chrono::microseconds way =
      std::clamp<std::chrono::microseconds>(useful / 8, milliseconds(1), milliseconds(5));
  return useful - std::min<std::chrono::microseconds>(way, useful / 2);
}

}  // namespace

Applications::Applications(Episodes& episodes, Decider& decider, const Spec& spec,
                           const ReportLimits& limits, std::shared_ptr<const KnownDurations> known,
                           std::function<void()> all_done, const std::string& log,
                           const SharedPool& shared)
    : episodes_(episodes),
      decider_(decider),
      spec_(spec),
      limits_(limits),
      known_(std::move(known)),
      all_done_(std::move(all_done)),
      status_(log),
      next_(episodes_.next()) {
  if (shared.executors > 0) shared_.emplace(decider_, spec_, limits_, known_, shared);
  if (!next_) all_done_();
}

std::unique_ptr<Application> Applications::begin(wire::Begin::Reader from) {
  const std::lock_guard lock(mutex_);
  if (shared_ && !from.getShares())
    throw bridge::Failed(bridge::Code::NOT_ALLOWED,
                         "this agent shares " + std::to_string(shared_->size()) +
                             " executors: its applications need spark.park.executors=shared");
  bool used = false;
  const auto next = [&] {
    if (!next_)
      throw bridge::Failed(bridge::Code::NOT_ALLOWED, "this agent takes no more applications");
    used = true;
    return *next_;
  };
  std::unique_ptr<Application> application;
  if (shared_)
    application = shared_->join(from, next);
  else
    application = std::make_unique<SoleApplication>(decider_, spec_, limits_, known_, next(),
                                                    from.getProgress());
  if (used) next_ = episodes_.next();
  ++open_;
  return application;
}

void Applications::end(std::unique_ptr<Application> application) {
  const std::uint64_t fallbacks = application->fallbacks();
  application.reset();
  const std::lock_guard lock(mutex_);
  fallbacks_ += fallbacks;
  if (--open_ == 0 && !next_) all_done_();
}

std::uint64_t Applications::fallbacks() const {
  const std::lock_guard lock(mutex_);
  return fallbacks_;
}

bool Applications::is_alive() const {
  const std::lock_guard lock(mutex_);
  return Clock::now() - kHangs <= decider_.due();
}

SparkService::~SparkService() {
  if (!application_) return;
  if (application_->is_open()) all_.status().ended(number_, true);
  all_.end(std::move(application_));
}

void SparkService::handle(bridge::wire::Envelope::Reader request,
                          bridge::wire::Envelope::Builder reply) {
  if (!request.isFamily())
    throw bridge::Failed(bridge::Code::UNSUPPORTED,
                         "this server takes decisions for Spark; it answers family messages");
  if (bridge::text_of(request.getFamily().getName()) != kFamily)
    throw bridge::Failed(bridge::Code::UNKNOWN_NAME,
                         "name: this server has the family spark alone");
  const auto bytes = request.getFamily().getPayload();
  if (bytes.size() % sizeof(capnp::word) != 0 || bytes.size() == 0)
    throw bridge::Failed(bridge::Code::MALFORMED, "payload: is not a whole number of words");
  const std::size_t words = bytes.size() / sizeof(capnp::word);
  capnp::ReaderOptions limits;
  limits.traversalLimitInWords = std::max(kLeastTraversal, kTraversalPerWord * words);
  limits.nestingLimit = kNesting;
  // A Data of an envelope begins at a word.
  capnp::FlatArrayMessageReader message(
      {reinterpret_cast<const capnp::word*>(bytes.begin()), words}, limits);
  const Deadline deadline = Clock::now() + thinking_time(request.getDeadlineMs());
  capnp::MallocMessageBuilder answered;
  answer(message.getRoot<wire::Message>(), answered.initRoot<wire::Message>(), deadline);
  const auto flat = capnp::messageToFlatArray(answered);
  auto family = reply.initFamily();
  family.setName(kFamily);
  family.setPayload(flat.asBytes());
}

void SparkService::answer(wire::Message::Reader from, wire::Message::Builder to,
                          Deadline deadline) {
  switch (from.which()) {
    case wire::Message::BEGIN:
      begin(from.getBegin());
      return to.setBegun();
    case wire::Message::CONSULT:
      return decide(from.getConsult(), to.initDecision(), deadline);
    case wire::Message::FINISH:
      finish(from.getFinish());
      return to.setFinished();
    default:
      throw bridge::Failed(bridge::Code::UNSUPPORTED,
                           "spark: an agent takes begin, consult and finish");
  }
}

void SparkService::begin(wire::Begin::Reader from) {
  // A driver that has not seen the reply asks again.
  if (application_ && application_->is_open()) return;
  if (application_)
    throw bridge::Failed(bridge::Code::OUT_OF_ORDER, "begin: the application has finished");
  application_ = all_.begin(from);
  number_ = all_.status().begun(bridge::text_of(from.getApplication()),
                                bridge::text_of(from.getName()), bridge::text_of(from.getSpark()));
  fallbacks_ = from.getProgress().getFallbacks();
  rejected_ = from.getProgress().getRejected();
}

void SparkService::decide(wire::Consult::Reader from, wire::Decision::Builder to,
                          Deadline deadline) {
  const auto begin = Clock::now();
  application().decide(from, to, deadline);
  const Deadline end = Clock::now();
  to.setLate(to.getDeclined() && end >= deadline);
  const std::chrono::duration<double> took = end - begin;
  all_.status().answered(took.count(), to.getDeclined());
  note(from.getProgress());
}

void SparkService::finish(wire::Progress::Reader progress) {
  application().finish(progress);
  note(progress);
  all_.status().ended(number_, false);
}

void SparkService::note(wire::Progress::Reader progress) {
  AgentStatus::Told more;
  // Sums that fall are a driver's mistake, and none of ours.
  more.fallbacks = std::max(progress.getFallbacks(), fallbacks_) - fallbacks_;
  more.rejected = std::max(progress.getRejected(), rejected_) - rejected_;
  fallbacks_ += more.fallbacks;
  rejected_ += more.rejected;
  const EndedJobs::Sums before = std::exchange(ended_, application_->ended());
  more.jobs = ended_.jobs - before.jobs;
  more.failed_jobs = ended_.failed - before.failed;
  all_.status().told(number_, more);
}

Application& SparkService::application() {
  if (!application_ || !application_->is_open())
    throw bridge::Failed(bridge::Code::OUT_OF_ORDER,
                         "spark: no application has begun, or it has finished");
  return *application_;
}

}  // namespace park::spark
