#include "bridge/server/desk.h"

#include <utility>

#include "bridge/codec/failure.h"
#include "bridge/codec/wire_bytes.h"
#include "park/core/error.h"

namespace park::bridge {
namespace {

using std::chrono::duration;
using std::chrono::steady_clock;

// Below this a request costs less than handing it to another thread and back.
constexpr double kQuickS = 1e-4;
constexpr double kForget = 0.2;  // of the mean time of a session's requests

Code code_of(Errc code) {
  switch (code) {
    case Errc::unknown_name:
      return Code::UNKNOWN_NAME;
    case Errc::illegal_action:
      return Code::ILLEGAL_ACTION;
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

/// The reply of a service, or what went wrong.
std::span<const std::byte> answer(Service& service, const SessionKey& key,
                                  wire::Envelope::Reader request, std::uint64_t most_bytes,
                                  EnvelopeWriter& writer) {
  const std::uint64_t sequence = request.getSequence();
  const auto fail = [&](Code code, const std::string& text) {
    auto failure = begin(writer, key, sequence).initFailure();
    failure.setCode(code);
    failure.setText(text);
    return writer.finish();
  };
  try {
    decoding([&] { service.handle(request, begin(writer, key, sequence)); });
    const auto bytes = writer.finish();
    if (bytes.size() + kPreambleBytes <= most_bytes) return bytes;
    return fail(Code::TOO_MUCH, "message: the reply has " + std::to_string(bytes.size()) +
                                    " bytes, at most " + std::to_string(most_bytes) +
                                    " are allowed");
  } catch (const Failed& failed) {
    return fail(failed.code(), failed.what());
  } catch (const Error& error) {
    return fail(code_of(error.code()), error.what());
  } catch (const std::exception& error) {
    return fail(Code::INTERNAL, error.what());
  }
}

}  // namespace

Desk::Desk(Options options, MakeService make, Calls calls)
    : options_(std::move(options)),
      make_(std::move(make)),
      wake_(std::move(calls.wake)),
      table_(options_.limits, options_.name,
             {.send = std::move(calls.send),
              .work = [this](const SessionKey& key, std::span<const std::byte> frame,
                             wire::Envelope::Reader e) { work(key, frame, e); },
              .ended = [this](const SessionKey& key) { seats_.erase(key); },
              .new_key = &random_key}),
      workers_(options_.workers) {}

void Desk::receive(const Bytes& route, std::span<const std::span<const std::byte>> frames,
                   Time now) {
  table_.receive(route, frames, now);
}

void Desk::work(const SessionKey& key, std::span<const std::byte> frame,
                wire::Envelope::Reader request) {
  std::shared_ptr<Seat>& seat = seats_[key];
  if (!seat) {
    seat = std::make_shared<Seat>();
    seat->service = make_();
    seat->strand = workers_.strand();
  }
  if (workers_.idle(*seat->strand) && seat->mean_s < kQuickS) {
    const std::uint64_t sequence = request.getSequence();
    const std::shared_ptr<Seat> kept = seat;
    table_.finish(key, sequence, timed(*kept, key, request, writer_));
    return;
  }
  workers_.add(seat->strand, [this, seat, key, copy = Bytes(frame.begin(), frame.end())] {
    thread_local EnvelopeReader reader;
    thread_local EnvelopeWriter writer;
    const auto envelope = reader.read(copy);
    const std::uint64_t sequence = envelope.getSequence();
    const auto bytes = timed(*seat, key, envelope, writer);
    const std::lock_guard lock(mutex_);
    done_.push_back({key, sequence, Bytes(bytes.begin(), bytes.end())});
    wake_();
  });
}

/// Does a request, and follows how long those of a session take; opening is done once.
std::span<const std::byte> Desk::timed(Seat& seat, const SessionKey& key,
                                       wire::Envelope::Reader request,
                                       EnvelopeWriter& writer) const {
  const auto begin = steady_clock::now();
  const auto bytes = answer(*seat.service, key, request, options_.limits.most_bytes, writer);
  const double took_s = duration<double>(steady_clock::now() - begin).count();
  if (request.isStep() || request.isAsk()) {
    seat.mean_s = seat.mean_s == 1 ? took_s : seat.mean_s + kForget * (took_s - seat.mean_s);
  }
  return bytes;
}

void Desk::finish_done() {
  {
    const std::lock_guard lock(mutex_);
    std::swap(done_, finished_);
  }
  for (const Done& d : finished_) table_.finish(d.key, d.sequence, d.envelope);
  finished_.clear();
}

}  // namespace park::bridge
