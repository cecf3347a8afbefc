// The device: a dl_inference::Device keeps the queues' times, for rows and costs; queues_ keep the
// requests themselves. run receives what came, asks, and serves or waits. While a batch computes,
// requests stay in the inbox; afterwards they are admitted at the times at which they came, before the
// end of the batch or behind it, so that rows are those of the simulator. InferenceServer owns it.
#include "systems/dl_inference_live/device_loop.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <utility>

#include "park/core/error.h"
#include "systems/dl_inference_live/live_layout.h"

namespace park::inference {
namespace {

Clock::duration duration_of(double time_s) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(time_s));
}

/// An idle device looks for requests so often, which costs nothing.
constexpr std::chrono::seconds kIdle{1};
constexpr float kOwnSample = 0.5F;

}  // namespace

Spec live_spec(std::size_t models) {
  Spec spec = LiveLayout(models).spec(
      {.name = kLiveName,
       .summary = "serve batches of inference requests on a real server of models",
       .reference = "Zhang et al., DyBatch: Efficient Batching and Fair Scheduling for Deep "
                    "Learning Inference on Time-sharing Devices, CCGRID 2020",
       .traits = {.system = true, .replayable = false, .twin = dl_inference::kDlInferenceName}});
  for (Metric& metric : spec.metrics)
    if (metric.name == "requests_dropped")
      metric.doc = "rejected by a full queue, or failed in their model";
  return spec;
}

DeviceLoop::DeviceLoop(std::vector<std::unique_ptr<Model>> models,
                       std::vector<dl_inference::Application> apps, const DeviceOptions& options,
                       Inbox& inbox, Decider& decider, Send send)
    : models_(std::move(models)),
      options_(options),
      inbox_(inbox),
      decider_(decider),
      send_(std::move(send)),
      spec_(live_spec(models_.size())),
      space_(spec_),
      layout_(bind_layout<dl_inference::InferenceLayout>(spec_)),
      row_(layout_),
      rule_({}, spec_),
      question_(spec_),
      observation_(spec_.observation),
      action_(spec_.action),
      rule_action_(spec_.action),
      device_(std::move(apps)),
      queues_(models_.size()) {
  action_.resize(1);
}

double DeviceLoop::seconds(Deadline at) const {
  return std::chrono::duration<double>(at - begin_).count();
}

void DeviceLoop::run(const std::stop_token& stop) {
  const Context context = decider_.open({});
  while (!stop.stop_requested()) {
    receive(device_.waiting() == 0 ? Clock::now() + kIdle : Deadline{}, stop);
    if (device_.waiting() == 0) continue;
    const Choice choice = decide(context);
    if (choice.batch > 0)
      serve(choice, stop);
    else
      pause(stop);
  }
  device_.pass(std::max(device_.now_s(), seconds(Clock::now())));
  const Outcome last{.reward = owed_.reward - device_.take_cost(),
                     .elapsed_s = device_.now_s() - decided_s_,
                     .end = End::truncated};
  observation_.clear();
  row_.write(device_, true, observation_.append());
  const std::vector<double> metrics(spec_.metrics.size());  // clients have them
  decider_.close(context, last, std::as_const(observation_).row(0), metrics);
}

/// Moves time to now, with everything that came.
void DeviceLoop::receive(Deadline until, const std::stop_token& stop) {
  inbox_.take(arrived_, until, stop);
  const double now_s = seconds(Clock::now());
  admit(0, now_s);
  device_.pass(std::max(device_.now_s(), now_s));
}

/// What a decision to wait does.
void DeviceLoop::pause(const std::stop_token& stop) {
  receive(Clock::now() + duration_of(options_.wait_max_s), stop);
  free_s_ = device_.now_s();
}

/// For how long the device has done nothing while requests waited.
double DeviceLoop::stood_still_s(double now_s) const {
  double since_s = now_s;
  for (const auto& queue : queues_)
    if (!queue.empty()) since_s = std::min(since_s, seconds(queue.front().at));
  return now_s - std::min(std::max(since_s, free_s_), now_s);
}

/// Those of `arrived_` from one on, at the times at which they came.
void DeviceLoop::admit(std::size_t from, double until_s) {
  for (std::size_t i = from; i < arrived_.size(); ++i) {
    Waiting& request = arrived_[i];
    device_.pass(
        std::clamp(seconds(request.at), device_.now_s(), std::max(device_.now_s(), until_s)));
    device_.arrive(request.model);
    queues_[request.model].push_back(std::move(request));
  }
}

DeviceLoop::Choice DeviceLoop::decide(Context context) {
  observation_.clear();
  row_.write(device_, true, observation_.append());
  const ConstRow seen = std::as_const(observation_).row(0);
  const Row action = action_.row(0);
  const Outcome since{.reward = 0.0 - device_.take_cost(),
                      .elapsed_s = device_.now_s() - std::exchange(decided_s_, device_.now_s()),
                      .applied = owed_.applied};
  const Applied by = decider_.decide(context, since, seen, action,
                                     Clock::now() + duration_of(options_.decision_s));
  ++counts_.decisions;
  bool own_rule = by == Applied::fallback;
  if (!own_rule && !space_.legal(seen, std::as_const(action_).row(0))) {
    own_rule = true;
    ++counts_.illegal;
  }
  owed_.applied = own_rule ? Applied::fallback : Applied::policy;
  ConstRow chosen = std::as_const(action_).row(0);
  if (own_rule) {
    ++counts_.own_rule;
    question_.clear();
    question_.asked.push_back({});
    question_.observation.append(observation_);
    rule_action_.clear();
    rule_action_.resize(1);
    rule_.act(question_, rule_action_);
    chosen = std::as_const(rule_action_).row(0);
  }
  const auto choice = static_cast<std::size_t>(chosen.scalar(layout_.choice));
  if (choice >= row_.offered().size()) return {.own_rule = own_rule};
  return {row_.offered()[choice], static_cast<std::size_t>(chosen.scalar(layout_.batch)), own_rule};
}

void DeviceLoop::serve(const Choice& choice, const std::stop_token& stop) {
  Times times{.start_s = std::max(device_.now_s(), seconds(Clock::now()))};
  times.dispatch_s = stood_still_s(times.start_s);
  std::deque<Waiting>& queue = queues_[choice.app];
  const auto end = queue.begin() + static_cast<std::ptrdiff_t>(choice.batch);
  batch_.assign(std::make_move_iterator(queue.begin()), std::make_move_iterator(end));
  queue.erase(queue.begin(), end);
  const std::string failure = compute(choice.app, batch_);
  const double end_s = free_s_ = times.end_s = seconds(Clock::now());
  ++counts_.batches;  // before a client may ask for the counts
  if (!failure.empty()) ++counts_.failed_batches;
  reply(batch_, times, choice, failure);
  inbox_.take(arrived_, Deadline{}, stop);
  const auto before = [&](const Waiting& w) { return seconds(w.at) <= end_s; };
  // Whatever came before the batch began was not admitted in time to be seen; it counts from then.
  device_.pass(times.start_s);
  device_.start(choice.app, choice.batch, end_s - times.start_s);
  const auto behind = std::ranges::find_if_not(arrived_, before);
  std::vector<Waiting> later(std::make_move_iterator(behind),
                             std::make_move_iterator(arrived_.end()));
  arrived_.erase(behind, arrived_.end());
  admit(0, end_s);
  device_.pass(std::max(device_.now_s(), end_s));
  device_.finish();
  device_.forget_slowdowns();
  arrived_ = std::move(later);
  admit(0, seconds(Clock::now()));
}

/// Returns why it failed, in one line; "" where it did not.
std::string DeviceLoop::compute(std::size_t app, std::span<const Waiting> batch) {
  Model& model = *models_[app];
  in_.resize(batch.size() * model.inputs());
  out_.resize(batch.size() * model.outputs());
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const auto at = std::span(in_).subspan(i * model.inputs(), model.inputs());
    if (batch[i].sample.empty())
      std::ranges::fill(at, kOwnSample);
    else
      std::ranges::copy(batch[i].sample, at.begin());
  }
  try {
    model.run(batch.size(), in_, out_);
  } catch (const std::exception& error) {
    const std::string text = error.what();
    return text.empty() ? "the model failed" : text.substr(0, text.find('\n'));
  }
  return "";
}

void DeviceLoop::reply(std::span<const Waiting> batch, const Times& times, const Choice& choice,
                       const std::string& failure) {
  const std::size_t outputs = models_[choice.app]->outputs();
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const Waiting& request = batch[i];
    Reply to{.status = failure.empty() ? Status::done : Status::failed,
             .batch = static_cast<std::uint16_t>(batch.size()),
             .id = request.id,
             .own_rule = choice.own_rule,
             .dispatch_s = static_cast<float>(times.dispatch_s),
             .wait_s = std::max(0.0, times.start_s - seconds(request.at)),
             .service_s = times.end_s - times.start_s};
    to.result = failure.empty() ? std::as_bytes(std::span(out_).subspan(i * outputs, outputs))
                                : std::as_bytes(std::span(failure));
    send_(request.route, write_reply(to));
  }
}

}  // namespace park::inference
