#pragma once

#include <ATen/core/Tensor.h>

namespace park::agents {

/// While one is alive, its thread takes subnormal numbers as 0. A processor computes with them many
/// times slower. A policy that is sure of itself has gradients full of them: continuing one of
/// dag_scheduling took three times as long. Elsewhere than on x86 it does nothing.
class SubnormalsAsZero {
 public:
  SubnormalsAsZero();
  ~SubnormalsAsZero();
  SubnormalsAsZero(const SubnormalsAsZero&) = delete;
  SubnormalsAsZero& operator=(const SubnormalsAsZero&) = delete;

 private:
  unsigned before_;  // the control and status register of SSE
};

/// Adds the gradients of a loss [] to those of the parameters, with subnormal numbers as 0. There
/// are none where no parameter contributed, as where no decision had a choice.
void add_gradients(const at::Tensor& loss);

}  // namespace park::agents
