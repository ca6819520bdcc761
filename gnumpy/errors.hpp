// Errors of gnumpy: the operation, the line of the user's program, what was wrong.
#pragma once

#include <fmt/format.h>
#include <source_location>
#include <string>

#include "cudamat/error.hpp"

namespace gnumpy::detail {

/// Throws CUDAMatException "[op] file:line: what".
[[noreturn]] inline void misuse(std::string_view op, const std::source_location& where,
                                const std::string& what) {
  cudamat::misuse(op, "{}:{}: {}", where.file_name(), where.line(), what);
}

}  // namespace gnumpy::detail
