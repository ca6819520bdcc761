// Runs of raw Philox words. Internal.
#pragma once

#include <cstdint>

namespace npmat::detail {

/// Four words each for `units` counters, in order: unit t is counter `counter + t % per_quad` of
/// subsequence `subsequence + t / per_quad`. `per_quad` is 1 or 2; `units` is a multiple of
/// kWordUnits and `out` holds 4 * units words.
void philox_run(std::uint32_t* out, std::int64_t units, std::uint64_t seed, std::uint64_t counter,
                std::uint32_t subsequence, int per_quad);

inline constexpr std::int64_t kWordUnits = 16;

}  // namespace npmat::detail
