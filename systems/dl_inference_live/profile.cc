// Measuring models: warm-up, then repeats of all sizes in random order. Each run has two times; their
// percentiles become BatchTimes. The fit, the gap of the clocks and the table follow from these. The
// command `park infer profile` and a server that starts without a table call.
#include "systems/dl_inference_live/profile.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <span>
#include <utility>

#include "park/core/rng.h"
#include "park/core/text.h"

namespace park::inference {
namespace {

constexpr std::size_t kAllUpTo = 16, kPerDoubling = 8;

double thread_cpu_s() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double wall_now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// By nearest rank; sorts.
MeasuredTime percentiles_of(std::vector<double>& times_s) {
  std::ranges::sort(times_s);
  const auto rank = [&](double share) {
    const auto n = static_cast<std::size_t>(std::ceil(share * static_cast<double>(times_s.size())));
    return times_s[std::max<std::size_t>(n, 1) - 1];
  };
  return {rank(0.5), rank(0.9)};
}

double median(const BatchTimes& t, ProfileClock clock) {
  return clock == ProfileClock::wall ? t.wall.p50_s : t.cpu.p50_s;
}

void add_line(std::string& table, const std::string& name, std::size_t batch, double latency_s) {
  table += name + "," + std::to_string(batch) + "," +
           number_text(std::max(latency_s, dl_inference::kMinLatencyS)) + "\n";
}

/// One model, memory for its batches and what they took.
class Bench {
 public:
  Bench(ToMeasure what, bool powers, Rng rng)
      : what_(std::move(what)),
        sizes_(profile_sizes(what_.most_batch, powers)),
        in_(what_.most_batch * what_.model.inputs()),
        out_(what_.most_batch * what_.model.outputs()),
        wall_s_(what_.most_batch + 1),
        cpu_s_(what_.most_batch + 1) {
    for (float& x : in_) x = static_cast<float>(rng.uniform(-1, 1));
  }
  [[nodiscard]] const std::vector<std::size_t>& sizes() const noexcept { return sizes_; }

  void warm_up(Rng& rng) { what_.model.run(sizes_[rng.below(sizes_.size())], in_, out_); }
  void run(std::size_t batch) {
    const double wall_s = wall_now_s(), cpu_s = thread_cpu_s();
    what_.model.run(batch, in_, out_);
    cpu_s_[batch].push_back(thread_cpu_s() - cpu_s);
    wall_s_[batch].push_back(wall_now_s() - wall_s);
  }
  [[nodiscard]] LatencyProfile profile() {
    LatencyProfile p{.name = what_.name};
    for (const std::size_t k : sizes_)
      p.times.push_back({k, percentiles_of(wall_s_[k]), percentiles_of(cpu_s_[k])});
    return p;
  }

 private:
  ToMeasure what_;
  std::vector<std::size_t> sizes_;
  std::vector<float> in_, out_;
  std::vector<std::vector<double>> wall_s_, cpu_s_;  // by size
};

}  // namespace

LatencyFit LatencyProfile::fit(ProfileClock clock) const {
  const auto n = static_cast<double>(times.size());
  double k_sum = 0, l_sum = 0;
  for (const BatchTimes& t : times)
    k_sum += static_cast<double>(t.batch), l_sum += median(t, clock);
  double kk = 0, kl = 0;
  for (const BatchTimes& t : times) {
    const double k = static_cast<double>(t.batch) - k_sum / n;
    kk += k * k;
    kl += k * median(t, clock);
  }
  LatencyFit fit;
  fit.b_s = kk > 0 ? kl / kk : 0;
  fit.a_s = (l_sum - fit.b_s * k_sum) / n;
  for (const BatchTimes& t : times) {
    const double measured = std::max(median(t, clock), dl_inference::kMinLatencyS);
    const double fitted = fit.a_s + fit.b_s * static_cast<double>(t.batch);
    fit.worst_error = std::max(fit.worst_error, std::abs(fitted - measured) / measured);
  }
  return fit;
}

double LatencyProfile::clock_gap() const {
  double gap = 0;
  for (const BatchTimes& t : times)
    if (t.wall.p50_s > 0) gap = std::max(gap, std::abs(t.wall.p50_s - t.cpu.p50_s) / t.wall.p50_s);
  return gap;
}

std::vector<std::size_t> profile_sizes(std::size_t most, bool powers) {
  std::vector<std::size_t> sizes;
  std::size_t step = 1;
  for (std::size_t k = 1; k < most; k += step) {
    sizes.push_back(k);
    if (powers)
      step = k;
    else if (k >= kAllUpTo && k == step * 2 * kPerDoubling)
      step *= 2;
  }
  sizes.push_back(most);
  return sizes;
}

std::vector<ToMeasure> to_measure(const LiveConfig& config,
                                  const std::vector<std::unique_ptr<Model>>& models) {
  std::vector<ToMeasure> all;
  for (std::size_t i = 0; i < models.size(); ++i)
    all.push_back({config.models[i].app_name(), *models[i],
                   static_cast<std::size_t>(config.models[i].most_batch())});
  return all;
}

std::vector<LatencyProfile> measure(std::vector<ToMeasure> models, const ProfileOptions& options,
                                    const std::function<bool()>& goes_on) {
  Rng order(options.seed);
  std::vector<Bench> benches;
  for (ToMeasure& model : models)
    benches.emplace_back(std::move(model), options.powers, order.split("samples"));
  for (std::size_t i = 0; i < options.warm_up; ++i)
    for (Bench& bench : benches) {
      if (!goes_on()) return {};
      bench.warm_up(order);
    }
  std::vector<std::pair<Bench*, std::size_t>> runs;
  for (Bench& bench : benches)
    for (const std::size_t batch : bench.sizes()) runs.emplace_back(&bench, batch);
  for (std::size_t r = 0; r < options.repeats; ++r) {
    order.shuffle(std::span(runs));
    for (const auto& [bench, batch] : runs) {
      if (!goes_on()) return {};
      bench->run(batch);
    }
  }
  std::vector<LatencyProfile> profiles;
  for (Bench& bench : benches) profiles.push_back(bench.profile());
  return profiles;
}

std::string table_text(const std::vector<LatencyProfile>& profiles, ProfileClock clock) {
  std::string table = "app,batch,latency_s\n";
  for (const LatencyProfile& profile : profiles) {
    double most_s = 0;
    for (const BatchTimes& t : profile.times) {
      most_s = std::max(most_s, median(t, clock));
      add_line(table, profile.name, t.batch, most_s);
    }
  }
  return table;
}

std::string table_text(const std::vector<dl_inference::Application>& apps) {
  std::string table = "app,batch,latency_s\n";
  for (const dl_inference::Application& app : apps)
    for (std::size_t k = 1; k <= app.max_batch(); ++k)
      add_line(table, app.name, k, app.latency_s[k]);
  return table;
}

std::string delay_table_text(const LiveConfig& c) {
  std::string table = "app,batch,latency_s\n";
  for (const ModelConfig& model : c.models) {
    if (model.kind != "delay") return "";
    const auto most = static_cast<std::size_t>(model.most_batch());
    add_line(table, model.app_name(), 1, model.a_s + model.b_s);
    if (most > 1)
      add_line(table, model.app_name(), most, model.a_s + model.b_s * static_cast<double>(most));
  }
  return table;
}

}  // namespace park::inference
