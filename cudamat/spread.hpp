// How an operand lies over a space of rows x cols elements. For the host and for kernels.
#pragma once

#include <cstdint>

namespace cudamat {

enum class Spread : std::uint8_t {
  Whole,   ///< rows x cols: an element each
  Row,     ///< 1 x cols: the same down each column
  Column,  ///< rows x 1: the same along each row
  One,     ///< 1 x 1: the same everywhere
};

}  // namespace cudamat
