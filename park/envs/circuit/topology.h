// A circuit as data: its ten parameters, its devices and the nets they join, and its figures with
// the direction in which each is good. The code in netlist.h writes a netlist of it, and figures.h
// reads the figures out of a reply. The layout and the observation show it. There are two circuits,
// transimpedance() and op_amp().
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace park::circuit {

inline constexpr std::size_t kParameters = 10;
inline constexpr std::size_t kFigures = 5;
inline constexpr std::size_t kMostTransistors = 20;
inline constexpr std::size_t kMostNets = 16;

/// Values of the parameters, each in its unit.
using Sizes = std::array<double, kParameters>;
/// Positions of the parameters in [0, 1]: 0 is the least value, 1 the most.
using Positions = std::array<double, kParameters>;

/// What a designer sets.
struct Parameter {
  std::string name, unit;
  double si = 1;  ///< the unit in SI units
  double low = 0, high = 1;
  double published = 0;  ///< of the published design
  bool logarithmic = false;

  [[nodiscard]] double value(double position) const noexcept;
  [[nodiscard]] double position(double value) const noexcept;
};

enum class Kind : std::uint8_t { nmos, pmos, resistor, capacitor };
inline constexpr int kKinds = 4;

/// A transistor (nets: drain, gate, source, bulk) or a part with two ends.
struct Device {
  std::string name;
  Kind kind = Kind::nmos;
  std::vector<std::size_t> nets;
  int width = -1;     ///< its parameter; of a resistor or capacitor its value; -1: none
  double factor = 1;  ///< what the parameter is multiplied by
  int length = -1;    ///< its parameter; -1: length_um
  double length_um = 1;
  double value = 0;   ///< of a part without a parameter, in SI units
  bool load = false;  ///< multiplied by the load of the conditions

  [[nodiscard]] bool transistor() const noexcept { return kind <= Kind::pmos; }
};

struct Net {
  std::string name;
  bool supply = false;  ///< held by a source
};

/// The figures of every circuit; phase margin is that of an op-amp alone.
enum Figure : std::size_t { gain, bandwidth, phase_margin, power, area };
using Figures = std::array<double, kFigures>;

struct FigureDoc {
  std::string name, unit, doc;
  bool at_least = true;  ///< what a specification says of it; else: at most
  double published = 0;  ///< of the published design under nominal conditions
  double required = 0;   ///< by the published specification; 0: nothing
};

enum class Corner : std::uint8_t { typical, fast, slow };
inline constexpr int kCorners = 3;

/// What a circuit has to work under.
struct Conditions {
  double load = 1;    ///< times the nominal capacitance
  double supply = 1;  ///< times the nominal voltage
  double temperature_c = 27;
  Corner corner = Corner::typical;
};

enum class Models : std::uint8_t { level_1, sky130 };

struct Topology {
  std::string name;
  Models models = Models::level_1;
  std::array<Parameter, kParameters> parameters;
  std::vector<Net> nets;  ///< the first one is ground
  std::vector<Device> devices;
  std::array<FigureDoc, kFigures> figures;
  std::array<double, kFigures>
      sane{};  ///< least figures of a design that a specification is drawn from
  double supply_v = 0;
  bool two_supplies = false;  ///< vdd and vss, else vdd and ground
  /// Lines of sources, but for supplies, and of what else is only there to measure.
  std::vector<std::string> test_bench;
  int bias_current = -1;  ///< the parameter of the source of bias current; -1: none
  std::string analysis;   ///< over frequencies
  std::vector<std::string> outputs;

  [[nodiscard]] Sizes sizes(const Positions&) const noexcept;
  [[nodiscard]] Positions published() const noexcept;
  /// The sum of width x length over the transistors, in um^2.
  [[nodiscard]] double area(const Sizes&) const noexcept;
  [[nodiscard]] double width_um(const Device&, const Sizes&) const noexcept;
  [[nodiscard]] double length_um(const Device&, const Sizes&) const noexcept;
  /// That of a resistor or capacitor, in SI units.
  [[nodiscard]] double value_si(const Device&, const Sizes&, const Conditions&) const noexcept;
};

/// The three-stage transimpedance amplifier of a course project at Stanford (EE 114/214A, 2009), a
/// test of H. Wang et al., GCN-RL Circuit Designer, DAC 2020, and of Park. Topology and numbers are
/// facts; the netlist is our own.
[[nodiscard]] const Topology& transimpedance();
/// A two-stage op-amp with Miller compensation in SkyWater's 130 nm process.
[[nodiscard]] const Topology& op_amp();

}  // namespace park::circuit
