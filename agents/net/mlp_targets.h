#pragma once

// The sets of vector instructions that sources with Highway are compiled for; include it before Highway.
// Two steps between those that are left are out: their processors are rare, and gain little more. Vectors
// of Arm's SVE have no size that the compiler knows, so that sums could not be arrays of them.
#define HWY_DISABLED_TARGETS \
  (HWY_AVX3_DL | HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
