#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agents/exported/exported_network.h"
#include "park/core/policy.h"

namespace park::agents {

/// Decides by a network that another program has written, in environments without groups.
///
/// Inputs: one tensor [B, N] of all numbers of an observation, leaf after leaf in the order of the
/// spec, but for leaves "info.*". Or one tensor [B, n] for each of some leaves, each under the name of
/// its leaf, in which dots may be "_". They are f32 unless the file says otherwise.
///
/// Outputs: a head of K values has [B, K], the logarithms of their probabilities but for a
/// constant. A continuous head has [B, width], the action. A head with a range has the values of
/// its bounds in the spec. Either one tensor has the outputs of all heads side by side, or there is
/// one tensor for each head. Tensors of heads are found by the heads' names if all are there, else
/// by their order. What is not allowed is left out here, and actions are clamped to their bounds.
class ExportedPolicy final : public Policy {
 public:
  /// `file` names the network in complaints. Throws Error{invalid_config} in one line where inputs or
  /// outputs are not those of the layout, which two made-up rows show too.
  ExportedPolicy(const Spec&, std::unique_ptr<ExportedNetwork>, bool sample, std::string file);

  void start(std::uint32_t slot, const Episode&, Rng) override;
  /// Throws Error{not_finite} where the network gives no finite number.
  void act(const Decisions&, Batch& actions) override;
  [[nodiscard]] bool scores(const Batch& observation, std::size_t head, const Batch& actions,
                            Candidates&, std::vector<float>& scores) override;

 private:
  /// Where the numbers of a leaf go.
  struct Place {
    std::size_t column;  ///< of the observation
    std::size_t input;   ///< of the network
    std::int64_t at;     ///< its first number in a row of the input
  };

  [[noreturn]] void refuse(const std::string& what) const;
  void bind_inputs();
  void bind_named_inputs();
  void check_input(const ExportedInput&, std::int64_t numbers) const;
  void try_out();
  [[nodiscard]] std::vector<at::Tensor> inputs_of(const Batch&, std::size_t from,
                                                  std::size_t rows) const;
  /// The outputs of all heads [heads] for some rows, each [rows, width] f32.
  [[nodiscard]] std::vector<at::Tensor> heads_of(const Batch&, std::size_t from, std::size_t rows);
  [[nodiscard]] std::vector<at::Tensor> outputs(const Batch&);
  [[nodiscard]] std::vector<at::Tensor> by_head(const ExportedOutputs&, std::size_t rows) const;
  void score(const at::Tensor& of_head, std::size_t head, const Candidates&,
             std::vector<float>& scores) const;
  void choose(const Decisions&, const at::Tensor& of_head, std::size_t head, Batch& actions);

  Spec spec_;
  Heads heads_;
  std::unique_ptr<ExportedNetwork> network_;
  bool sample_;
  std::string file_;
  bool row_by_row_ = false;
  std::vector<Place> places_;
  std::vector<std::int64_t> input_widths_, widths_;  // of the inputs; of the heads
  std::vector<Rng> rng_;                             // [slots]
  Candidates candidates_;
  std::vector<float> scores_;
};

}  // namespace park::agents
