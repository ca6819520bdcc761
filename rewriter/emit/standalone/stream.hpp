// Where printed programs stand in their random numbers.
#pragma once

#include <cstdint>

namespace cudamat {

/// A place in the stream of a seed.
struct Stream {
  std::uint64_t seed = 0;
  std::uint64_t position = 0;
};

}  // namespace cudamat
