// A stream whose environments are behind a server. A Link has its number on the server, a share of
// the connection and a copy of the spec; GivenEpisodes sends the episodes that the server will need
// before it needs them, and checks that it plays them. send checks the actions as a Pool does, then
// posts the step; recv waits for its reply and decodes it. The registry opens it as `remote`.
#include "bridge/client/remote_stream.h"

#include <optional>
#include <utility>

#include "bridge/client/given_episodes.h"
#include "bridge/codec/decisions.h"
#include "bridge/codec/failure.h"
#include "bridge/codec/rows.h"
#include "bridge/codec/spec.h"

namespace park::bridge {
namespace {

wire::Illegal wire_rule(Illegal rule) {
  return rule == Illegal::project    ? wire::Illegal::PROJECT
         : rule == Illegal::penalise ? wire::Illegal::PENALISE
                                     : wire::Illegal::ERROR;
}

}  // namespace

class RemoteStream::Link {
 public:
  Link(std::shared_ptr<Connection> connection, const std::string& env, const EpisodeSource& source,
       const StreamOptions& options)
      : connection_(std::move(connection)), episodes_(source, options.slots), options_(options) {
    guarded([&] {
      const auto first = episodes_.first();
      const auto reply =
          connection_->session().call(connection_->deadline(), [&](wire::Envelope::Builder e) {
            auto open = e.initOpenStream();
            open.setEnv(env);
            open.setSlots(options.slots);
            open.setIllegal(wire_rule(options.illegal));
            open.setPenalty(options.penalty);
            write_episodes(first, [&](auto n) { return open.initEpisodes(n); });
          });
      if (!reply.isStreamOpened()) throw Failed(Code::MALFORMED, "openStream: another reply");
      const auto opened = reply.getStreamOpened();
      number_ = opened.getStream();
      spec_ = read(opened.getSpec());
      if (spec_.traits.system) episodes_.in_any_order();
      reader_.emplace(spec_, options.slots);
      decisions_.emplace(spec_);
      space_.emplace(spec_);
      take(opened.getFirst());
    });
  }

  ~Link() {
    if (connection_.use_count() == 1) return;  // the session ends, and with it what it owns
    ClientSession& session = connection_->session();
    try {
      if (waiting_ != 0) session.forget(waiting_);
      constexpr std::chrono::milliseconds kWhenever{0};
      session.forget(session.send(kWhenever, [this](wire::Envelope::Builder e) {
        e.initCloseStream().setStream(number_);
      }));
    } catch (...) {  // the window is full; the end of the session frees it
    }
  }
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  [[nodiscard]] const Spec& spec() const noexcept { return spec_; }

  const Decisions& recv(Deadline deadline) {
    if (waiting_ == 0) return *decisions_;
    if (!latest_) latest_ = connection_->deadline();
    guarded([&] {
      try {
        const auto reply = connection_->session().wait(waiting_, std::min(*latest_, deadline));
        if (!reply.isDecisions()) throw Failed(Code::MALFORMED, "step: another reply");
        take(reply.getDecisions());
        waiting_ = 0;
        latest_.reset();
      } catch (const Failed& failed) {
        const bool waits = connection_->session().is_pending(waiting_);
        if (failed.code() != Code::LATE || !waits || deadline >= *latest_) {
          latest_.reset();
          throw;
        }
        decisions_->clear();  // the caller's deadline, no other one
      }
    });
    return *decisions_;
  }

  void send(const Batch& actions) {
    if (actions.rows() != decisions_->asked.size())
      throw Error(Errc::illegal_action, "send needs " + std::to_string(decisions_->asked.size()) +
                                            " actions, one per row, not " +
                                            std::to_string(actions.rows()));
    if (waiting_ != 0 && actions.rows() == 0) return;  // the deadline of recv passed
    check(actions);
    guarded([&] {
      waiting_ = connection_->session().send(
          connection_->options().timeout, [&](wire::Envelope::Builder e) {
            auto step = e.initStep();
            step.setStream(number_);
            write(actions, step.initActions());
            write_episodes(coming_, [&](auto n) { return step.initEpisodes(n); });
          });
    });
    coming_.clear();
  }

 private:
  template <class Function>
  void guarded(Function&& function) {
    try {
      decoding(function);
    } catch (const Failed& failed) {
      throw error_of(failed, connection_->options().address.endpoint);
    }
  }

  template <class Init>
  static void write_episodes(const GivenEpisodes::Numbered& list, Init init) {
    if (list.empty()) return;
    auto to = init(static_cast<std::uint32_t>(list.size()));
    for (std::uint32_t i = 0; i < to.size(); ++i) {
      to[i].setNumber(list[i].first);
      write(list[i].second, to[i].initEpisode());
    }
  }

  void take(wire::Decisions::Reader from) {
    reader_->read(from, *decisions_);
    episodes_.take(*decisions_, spec_.metrics, coming_);
  }

  /// As a Pool does it: before anything moves.
  void check(const Batch& actions) const {
    if (options_.illegal != Illegal::error) return;
    for (std::size_t i = 0; i < actions.rows(); ++i)
      if (!space_->legal(decisions_->observation.row(i), actions.row(i)))
        throw Error(Errc::illegal_action, "illegal action in row " + std::to_string(i));
  }

  std::shared_ptr<Connection> connection_;
  GivenEpisodes episodes_;
  StreamOptions options_;
  Spec spec_;
  std::uint32_t number_ = 0;
  std::optional<DecisionsReader> reader_;
  std::optional<Decisions> decisions_;
  std::optional<ActionSpace> space_;
  GivenEpisodes::Numbered coming_;  // to be sent with the next step
  std::uint64_t waiting_ = 0;       // the request whose reply is to be received
  std::optional<Time> latest_;      // for that, over all calls that wait for it
};

RemoteStream::RemoteStream(const RemoteConfig& config, const EpisodeSource& source,
                           const StreamOptions& options)
    : RemoteStream(std::make_shared<Connection>(connect_options(config)), config.env, source,
                   options) {}
RemoteStream::RemoteStream(std::shared_ptr<Connection> connection, const std::string& env,
                           const EpisodeSource& source, const StreamOptions& options)
    : link_(std::make_unique<Link>(std::move(connection), env, source, options)) {}
RemoteStream::~RemoteStream() = default;
const Spec& RemoteStream::spec() const noexcept { return link_->spec(); }
const Decisions& RemoteStream::recv(Deadline deadline) { return link_->recv(deadline); }
void RemoteStream::send(const Batch& actions) { link_->send(actions); }

Spec RemoteEnv::spec(const RemoteConfig& config, const Registry&) {
  return RemoteStream(config, FixedEpisodes({}), {}).spec();
}

std::unique_ptr<Stream> RemoteEnv::open(const RemoteConfig& config, const Registry&,
                                        const EpisodeSource& source, const StreamOptions& options) {
  return std::make_unique<RemoteStream>(config, source, options);
}

}  // namespace park::bridge
