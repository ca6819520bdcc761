// The source of this folder's Python files, which is embedded in the program.
#pragma once

#include "cudamat/code/headers.hpp"

namespace rewriter::library {

/// Each file by its path in the tree: "rewriter/library/statistics.py".
std::span<const cudamat::code::Header> headers();

}  // namespace rewriter::library
