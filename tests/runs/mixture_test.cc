#include "park/runs/mixture.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "park/core/error.h"

namespace park::runs {
namespace mixture_test {

TEST(Mixture, TextsAreReadBack) {
  const std::vector<MixturePart> parts{{"dag_scheduling(workload=\"a b.park\")", 2},
                                       {"dag_scheduling", 1}};
  EXPECT_EQ(mixture_parts(mixture_text(parts)), parts);
  EXPECT_TRUE(mixture_parts("").empty());
  EXPECT_THROW((void)mixture_parts("mixture(parts=[part(env=a,weight=0)])"), Error);
  EXPECT_THROW((void)mixture_parts("mixture(parts=3)"), Error);
}

}  // namespace mixture_test
}  // namespace park::runs
