// The element-wise rows of the op table, by the files that hold their kernels.
#pragma once

#include "cudamat/engine.hpp"

namespace cudamat::cuda {

/// Unary rows. False where the table has no such call.
template <class T>
bool map_unary(const MapCall<T>& call);

/// All other rows: their second operands are matrices, numbers, columns and rows.
template <class T>
bool map_binary(const MapCall<T>& call);

}  // namespace cudamat::cuda
