// The type of extents and places: 64 bits, signed. For the host and for kernels.
#pragma once

#include <cstdint>

namespace cudamat {

using Index = std::int64_t;

}  // namespace cudamat
