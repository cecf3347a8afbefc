// The properties of park/check see every allocation of this program.
#include <optional>

#include "park/check/memory.h"
#include "tests/kit/memory.h"

namespace park::test {
namespace probe {

std::optional<AllocationCount> count;
std::optional<MemoryPattern> pattern;

constexpr check::MemoryProbe kProbe{.count =
                                        [](bool on) {
                                          count.reset();
                                          if (on) count.emplace();
                                        },
                                    .allocations = [] { return count->count(); },
                                    .fill =
                                        [](int byte) {
                                          pattern.reset();
                                          if (byte >= 0)
                                            pattern.emplace(static_cast<std::uint8_t>(byte));
                                        }};

const bool installed = (check::set_memory_probe(&kProbe), true);

}  // namespace probe
}  // namespace park::test
