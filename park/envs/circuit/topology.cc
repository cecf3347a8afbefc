// The two circuits. A Builder numbers nets by their names and adds devices; each circuit is one
// function that calls it. What is common to circuits (values and positions of parameters, area) is at
// the top. Called once per program: transimpedance() and op_amp() keep what they built.
#include "park/envs/circuit/topology.h"

#include <algorithm>
#include <cmath>

namespace park::circuit {

namespace {

// Values are multiples of a ten-thousandth of the unit, so that a position which went through a
// number of 32 bits gives the same circuit.
constexpr double kQuantum = 1e4;
constexpr double kUm = 1e-6;

}  // namespace

double Parameter::value(double at) const noexcept {
  const double p = std::clamp(at, 0.0, 1.0);
  const double v = logarithmic ? low * std::pow(high / low, p) : low + (high - low) * p;
  return std::clamp(std::round(v * kQuantum) / kQuantum, low, high);
}

double Parameter::position(double v) const noexcept {
  return logarithmic ? std::log(v / low) / std::log(high / low) : (v - low) / (high - low);
}

Sizes Topology::sizes(const Positions& at) const noexcept {
  Sizes all{};
  for (std::size_t i = 0; i < kParameters; ++i) all[i] = parameters[i].value(at[i]);
  return all;
}

Positions Topology::published() const noexcept {
  Positions all{};
  for (std::size_t i = 0; i < kParameters; ++i)
    all[i] = parameters[i].position(parameters[i].published);
  return all;
}

double Topology::width_um(const Device& d, const Sizes& sizes) const noexcept {
  return d.factor * sizes[static_cast<std::size_t>(d.width)];
}

double Topology::length_um(const Device& d, const Sizes& sizes) const noexcept {
  return d.length < 0 ? d.length_um : sizes[static_cast<std::size_t>(d.length)];
}

double Topology::value_si(const Device& d, const Sizes& sizes, const Conditions& c) const noexcept {
  const auto p = static_cast<std::size_t>(std::max(d.width, 0));
  const double v = d.width < 0 ? d.value : sizes[p] * parameters[p].si;
  return d.load ? v * c.load : v;
}

double Topology::area(const Sizes& sizes) const noexcept {
  double sum = 0;
  for (const Device& d : devices)
    if (d.transistor()) sum += width_um(d, sizes) * length_um(d, sizes);
  return sum;
}

namespace {

/// Adds devices by the names of their nets.
class Builder {
 public:
  explicit Builder(Topology& t) : t_(t) { t_.nets.push_back({"0", true}); }

  void supply(const std::string& name) { t_.nets.push_back({name, true}); }
  void transistor(const std::string& name, Kind kind, const std::vector<std::string>& nets,
                  int width, int length, double length_um, double factor = 1) {
    Device d{.name = name,
             .kind = kind,
             .nets = {},
             .width = width,
             .factor = factor,
             .length = length,
             .length_um = length_um};
    for (const std::string& n : nets) d.nets.push_back(net(n));
    t_.devices.push_back(std::move(d));
  }
  /// A resistor or capacitor whose value is that of a parameter, or fixed.
  void part(const std::string& name, Kind kind, const std::string& a, const std::string& b,
            int parameter, double value, bool load = false) {
    Device d{
        .name = name, .kind = kind, .nets = {}, .width = parameter, .value = value, .load = load};
    d.nets = {net(a), net(b)};
    t_.devices.push_back(std::move(d));
  }

 private:
  std::size_t net(const std::string& name) {
    const auto at = std::ranges::find(t_.nets, name, &Net::name);
    if (at != t_.nets.end()) return static_cast<std::size_t>(at - t_.nets.begin());
    t_.nets.push_back({name, false});
    return t_.nets.size() - 1;
  }

  Topology& t_;
};

Parameter um(const std::string& name, double low, double high, double published,
             bool logarithmic = false) {
  return {name, "um", kUm, low, high, published, logarithmic};
}

enum Tia : int { w1, wl1, wb1, w2, wl2, wb2, w3, wb3, wb, rb };

/// One half of the differential circuit.
void add_half(Builder& b, const std::string& h) {
  constexpr double kShort = 1, kBias = 2;  // um
  constexpr double kInputFarad = 100e-15;
  b.part("cin" + h, Kind::capacitor, "in" + h, "0", -1, kInputFarad, true);
  b.transistor("m1" + h, Kind::nmos, {"x" + h, "0", "in" + h, "vss"}, w1, -1, kShort);
  b.transistor("ml1" + h, Kind::pmos, {"x" + h, "x" + h, "vdd", "vdd"}, wl1, -1, kShort);
  b.transistor("mb1" + h, Kind::nmos, {"in" + h, "bias", "vss", "vss"}, wb1, -1, kBias);
  b.transistor("m2" + h, Kind::nmos, {"y" + h, "x" + h, "tail", "vss"}, w2, -1, kShort);
  b.transistor("ml2" + h, Kind::pmos, {"y" + h, "y" + h, "vdd", "vdd"}, wl2, -1, kShort);
  b.transistor("mb2" + h, Kind::nmos, {"tail", "bias", "vss", "vss"}, wb2, -1, kBias);
  b.transistor("m3" + h, Kind::nmos, {"vdd", "y" + h, "o" + h, "vss"}, w3, -1, kShort);
  b.transistor("mb3" + h, Kind::nmos, {"o" + h, "bias", "vss", "vss"}, wb3, -1, kBias);
}

std::array<FigureDoc, kFigures> tia_figures() {
  return {{{"gain_ohm", "Ohm", "transimpedance at 10 kHz, differential", true, 20236, 20235},
           {"bandwidth_mhz", "MHz", "frequency where the gain is 3 dB lower", true, 87.8, 87.2},
           {"phase_margin_deg", "deg", "none: 0", true, 0, 0},
           {"power_mw", "mW", "power of the supplies", false, 1.3694, 3},
           {"area_um2", "um^2", "sum of width x length of the transistors", false, 211.2, 0}}};
}

Topology make_transimpedance() {
  Topology t;
  t.name = "tia";
  t.parameters = {um("w1", 2, 15, 12),   um("wl1", 2, 5, 2),
                  um("wb1", 2, 5, 3.2),  um("w2", 2, 5, 4),
                  um("wl2", 2, 5, 2.8),  um("wb2", 2, 10, 5.8),
                  um("w3", 2, 50, 44.4), um("wb3", 2, 15, 10.2),
                  um("wb", 2, 5, 2),     {"rb", "kOhm", 1e3, 100, 400, 291, false}};
  Builder b(t);
  b.supply("vdd");
  b.supply("vss");
  add_half(b, "a");
  add_half(b, "b");
  b.transistor("mb", Kind::nmos, {"bias", "bias", "vss", "vss"}, wb, -1, 2);
  b.part("rb", Kind::resistor, "vdd", "bias", rb, 0);
  b.part("rl", Kind::resistor, "oa", "ob", -1, 10e3);
  b.part("cl", Kind::capacitor, "oa", "ob", -1, 500e-15, true);
  t.figures = tia_figures();
  t.sane = {1000, 1, 0, 0, 0};
  t.supply_v = 2.5;
  t.two_supplies = true;
  t.test_bench = {"isa 0 ina dc 0 ac 0.5", "isb 0 inb dc 0 ac -0.5"};
  t.analysis = "dec 20 10k 10g";
  t.outputs = {"oa", "ob"};
  return t;
}

enum OpAmp : int { w12, w34, w58, w6, w7, l1, l2, cc, rz, ib };

void add_stages(Builder& b) {
  b.transistor("m1", Kind::nmos, {"d1", "inn", "tail", "0"}, w12, l1, 0);
  b.transistor("m2", Kind::nmos, {"d2", "inp", "tail", "0"}, w12, l1, 0);
  b.transistor("m3", Kind::pmos, {"d1", "d1", "vdd", "vdd"}, w34, l1, 0);
  b.transistor("m4", Kind::pmos, {"d2", "d1", "vdd", "vdd"}, w34, l1, 0);
  b.transistor("m5", Kind::nmos, {"tail", "bias", "0", "0"}, w58, l2, 0, 2);
  b.transistor("m8", Kind::nmos, {"bias", "bias", "0", "0"}, w58, l2, 0);
  b.transistor("m6", Kind::pmos, {"out", "d2", "vdd", "vdd"}, w6, l2, 0);
  b.transistor("m7", Kind::nmos, {"out", "bias", "0", "0"}, w7, l2, 0);
  b.part("cc", Kind::capacitor, "d2", "z", cc, 0);
  b.part("rz", Kind::resistor, "z", "out", rz, 0);
  b.part("cl", Kind::capacitor, "out", "0", -1, 2e-12, true);
}

std::array<FigureDoc, kFigures> op_amp_figures() {
  return {{{"gain_db", "dB", "gain at 10 Hz", true, 75.01, 60},
           {"bandwidth_mhz", "MHz", "frequency where the gain is 1", true, 32.71, 20},
           {"phase_margin_deg", "deg", "180 degrees and the phase there", true, 55.6, 60},
           {"power_mw", "mW", "power of the supply", false, 0.2177, 0.5},
           {"area_um2", "um^2", "sum of width x length of the transistors", false, 99, 0}}};
}

Topology make_op_amp() {
  Topology t;
  t.name = "opamp";
  t.models = Models::sky130;
  t.parameters = {um("w12", 2, 90, 20, true),
                  um("w34", 2, 50, 10, true),
                  um("w58", 2, 20, 5, true),
                  um("w6", 5, 90, 60, true),
                  um("w7", 5, 90, 30, true),
                  um("l1", 0.5, 1.9, 0.6, true),
                  um("l2", 0.5, 1.9, 0.6, true),
                  {"cc", "pF", 1e-12, 0.2, 5, 1, true},
                  {"rz", "kOhm", 1e3, 0.1, 10, 1, true},
                  {"ib", "uA", 1e-6, 2, 40, 10, true}};
  Builder b(t);
  b.supply("vdd");
  add_stages(b);
  t.figures = op_amp_figures();
  t.sane = {50, 1, 45, 0, 0};
  t.supply_v = 1.8;
  // The output holds the input at rest; at 10 Hz and above this feedback is open.
  t.test_bench = {"lfb out inn 1g", "cfb inn 0 1g"};
  t.bias_current = ib;
  t.analysis = "dec 20 10 10g";
  t.outputs = {"out"};
  return t;
}

}  // namespace

const Topology& transimpedance() {
  static const Topology t = make_transimpedance();
  return t;
}

const Topology& op_amp() {
  static const Topology t = make_op_amp();
  return t;
}

}  // namespace park::circuit
