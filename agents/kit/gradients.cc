#include "agents/kit/gradients.h"

#ifdef __SSE2__
#include <xmmintrin.h>
#endif

namespace park::agents {

#ifdef __SSE2__
SubnormalsAsZero::SubnormalsAsZero() : before_(_mm_getcsr()) {
  constexpr unsigned results = 0x8000, operands = 0x0040;  // flush to zero, denormals are zero
  _mm_setcsr(before_ | results | operands);
}
SubnormalsAsZero::~SubnormalsAsZero() { _mm_setcsr(before_); }
#else
SubnormalsAsZero::SubnormalsAsZero() : before_(0) {}
SubnormalsAsZero::~SubnormalsAsZero() = default;
#endif

void add_gradients(const at::Tensor& loss) {
  const SubnormalsAsZero fast;
  if (loss.requires_grad()) loss.backward();
}

}  // namespace park::agents
