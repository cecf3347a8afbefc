// A stream as Python sees it. StreamHandle owns the stream, the last Decisions and the memory of
// actions; Use guards every call: open, in this process, and one thread at a time. recv gives
// tuples of arrays with the GIL released while it waits, send reads arrays, decide lets a policy of
// Park answer. The Python package calls it.
#include "extension/stream.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "extension/columns.h"
#include "extension/interruptible.h"
#include "extension/registry.h"
#include "extension/spec_dict.h"

namespace park::python {
namespace {

namespace py = pybind11;

constexpr double kLongestTimeoutS = 86'400;

/// One value of each item as an array.
template <class T, class Items, class Get>
py::array_t<T> each(const Items& items, Get get) {
  py::array_t<T> to(static_cast<py::ssize_t>(items.size()));
  T* out = to.mutable_data();
  for (const auto& item : items) *out++ = get(item);
  return to;
}

py::dict observation_of(const Batch& batch, bool padded_columns) {
  return padded_columns ? padded(batch) : columns(batch);
}

py::array_t<double> metrics_of(const Decisions& d) {
  const std::size_t m = d.ended.size();
  py::array_t<double> to({m, m == 0 ? 0 : d.metrics.size() / m});
  std::copy(d.metrics.begin(), d.metrics.end(), to.mutable_data());
  return to;
}

py::object ended_tuple(const Decisions& d, bool padded_columns) {
  if (d.ended.empty()) return py::none();
  const auto& all = d.ended;
  return py::make_tuple(
      each<std::uint32_t>(all, [](const Ended& e) { return e.slot; }),
      each<std::uint64_t>(all, [](const Ended& e) { return e.context; }),
      each<std::uint64_t>(all, [](const Ended& e) { return e.decisions; }),
      each<double>(all, [](const Ended& e) { return e.last.reward; }),
      each<double>(all, [](const Ended& e) { return e.last.elapsed_s; }),
      each<std::uint8_t>(all,
                         [](const Ended& e) { return static_cast<std::uint8_t>(e.last.applied); }),
      each<std::uint32_t>(all, [](const Ended& e) { return e.last.skipped; }),
      each<bool>(all, [](const Ended& e) { return e.last.end == End::truncated; }),
      observation_of(d.final_observation, padded_columns), counts(d.final_observation),
      metrics_of(d));
}

}  // namespace

py::tuple to_tuple(const Decisions& d, bool padded_columns) {
  const auto& all = d.asked;
  return py::make_tuple(
      each<std::uint32_t>(all, [](const Ask& a) { return a.slot; }),
      each<std::uint64_t>(all, [](const Ask& a) { return a.context; }),
      each<std::uint64_t>(all, [](const Ask& a) { return a.sequence; }),
      each<double>(all, [](const Ask& a) { return a.since_last.reward; }),
      each<double>(all, [](const Ask& a) { return a.since_last.elapsed_s; }),
      each<std::uint8_t>(
          all, [](const Ask& a) { return static_cast<std::uint8_t>(a.since_last.applied); }),
      each<std::uint32_t>(all, [](const Ask& a) { return a.since_last.skipped; }),
      observation_of(d.observation, padded_columns), counts(d.observation),
      ended_tuple(d, padded_columns), d.done);
}

PolicyHandle::PolicyHandle(const std::string& text, const Spec& spec, const Rng& key)
    : run(key), remote(parse_named(text).text == "remote") {
  policy = interruptible<std::shared_ptr<Policy>>(
      [text, spec] { return std::shared_ptr<Policy>(registry().policy(text, spec)); });
}

/// A call of a stream: it is open, nobody else is in it, and the process is the one that opened it.
class StreamHandle::Use {
 public:
  explicit Use(StreamHandle& handle) : handle_(handle) {
    if (handle.foreign())
      throw Error(Errc::unavailable,
                  "stream: was opened in another process; open one after the fork");
    if (!handle.open_) throw Error(Errc::unavailable, "stream: is closed");
    if (handle.used_.exchange(true))
      throw Error(Errc::unavailable, "stream: another thread is using it");
  }
  ~Use() { handle_.used_ = false; }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

 private:
  StreamHandle& handle_;
};

StreamHandle::StreamHandle(std::string env, std::shared_ptr<const EpisodeSource> source,
                           StreamOptions options, double timeout_s)
    : process_(getpid()),
      remote_(parse_named(env).text == "remote" || options.workers > 1),
      timeout_s_(timeout_s) {
  if (!(timeout_s > 0 && timeout_s <= kLongestTimeoutS))
    throw Error(Errc::invalid_config,
                "timeout_s: " + number_text(timeout_s) + "; allowed is more than 0 up to 86400");
  if (parse_named(env).text == "remote") {
    open_ = interruptible<std::shared_ptr<Open>>(
        [env, source = std::move(source), options] { return make(env, source, options); });
  } else {
    const py::gil_scoped_release released;
    open_ = make(env, std::move(source), options);
  }
  open_->actions.emplace(open_->stream->spec().action);
  masks_.emplace(open_->stream->spec());
}

StreamHandle::~StreamHandle() {
  if (foreign()) abandon();
}

/// A child of the process that opened it: the threads that it needs are not there.
bool StreamHandle::foreign() const { return remote_ && getpid() != process_; }

/// Leaves what waits for those threads as it is.
void StreamHandle::abandon() { new std::shared_ptr<Open>(std::move(open_)); }

std::shared_ptr<StreamHandle::Open> StreamHandle::make(const std::string& env,
                                                       std::shared_ptr<const EpisodeSource> source,
                                                       const StreamOptions& options) {
  auto open = std::make_shared<Open>();
  open->source = std::move(source);
  open->stream = registry().stream(env, *open->source, options);
  return open;
}

py::dict StreamHandle::spec() {
  const Use use(*this);
  return to_dict(open_->stream->spec());
}

py::tuple StreamHandle::recv(bool padded_columns) {
  const Use use(*this);
  const Deadline latest = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                             std::chrono::duration<double>(timeout_s_));
  const Decisions* d = nullptr;
  wait_until([&](auto time) {
    d = &open_->stream->recv(std::min(latest, Clock::now() + time));
    const bool empty = d->asked.empty() && d->ended.empty() && !d->done;
    if (empty && Clock::now() >= latest)
      throw Error(Errc::unavailable,
                  "recv: nothing was asked within " + number_text(timeout_s_) + " s");
    return !empty;
  });
  decisions_ = d;
  return to_tuple(*d, padded_columns);
}

const Decisions& StreamHandle::asked() const {
  if (decisions_ == nullptr)
    throw Error(Errc::unavailable, "stream: nothing is asked; recv comes first");
  return *decisions_;
}

void StreamHandle::send(const py::sequence& actions) {
  const Use use(*this);
  if (asked().done) throw Error(Errc::unavailable, "stream: is done");
  read_columns(actions, asked().asked.size(), *open_->actions);
  const py::gil_scoped_release released;
  open_->stream->send(*open_->actions);
  decisions_ = nullptr;
}

py::array_t<std::int8_t> StreamHandle::masks() {
  const Use use(*this);
  return masks_->of(asked().observation);
}

py::dict StreamHandle::decide(const PolicyHandle& handle) {
  const Use use(*this);
  const Decisions& d = asked();
  open_->actions->clear();
  open_->actions->resize(d.asked.size());
  const auto act = [open = open_, &d, policy = handle.policy, run = handle.run] {
    for (const Ask& a : d.asked)
      if (a.sequence == 0) policy->start(a.slot, a.episode, run.split(a.episode.id));
    if (!d.asked.empty()) policy->act(d, *open->actions);
    return true;
  };
  if (!handle.remote) {
    const py::gil_scoped_release released;
    act();
  } else {
    try {
      interruptible<bool>(act);
    } catch (const py::error_already_set&) {
      open_.reset();  // the thread still reads from it
      throw;
    }
  }
  return columns(*open_->actions);
}

void StreamHandle::close() {
  if (!open_) return;
  if (foreign()) return abandon();
  const Use use(*this);
  decisions_ = nullptr;
  std::shared_ptr<Open> ending = std::move(open_);
  const py::gil_scoped_release released;
  ending.reset();
}

}  // namespace park::python
