// What a row of the op table is in NumPy, as text for the tests' Python.
#pragma once

#include <fmt/format.h>
#include <string>
#include <string_view>

#include "cudamat/op_table.hpp"

namespace tests {

/// The row's first spelling that begins with `module`, without that; empty if it has none.
inline std::string_view spelled_in(std::string_view module, cudamat::Op op) {
  std::string_view spellings = cudamat::row(op).numpy;
  while (!spellings.empty()) {
    const std::string_view word = spellings.substr(0, spellings.find(' '));
    if (word.starts_with(module)) return word.substr(module.size());
    spellings.remove_prefix(std::min(word.size() + 1, spellings.size()));
  }
  return {};
}

/// NumPy's expression for the row's value of the arguments, "np.add(a, b)"; empty if a program in
/// NumPy notation has none. SciPy's functions are taken from Python's module math, so that SciPy
/// need not be there.
inline std::string numpy_text(cudamat::Op op, std::string_view arguments) {
  if (op == cudamat::Op::sigmoid) return fmt::format("1 / (1 + np.exp(-({})))", arguments);
  if (op == cudamat::Op::log_1_plus_exp) return fmt::format("np.logaddexp(0, {})", arguments);
  if (const auto name = spelled_in("np.", op); !name.empty())
    return fmt::format("np.{}({})", name, arguments);
  if (const auto name = spelled_in("scipy.special.", op); !name.empty())
    return fmt::format("np.vectorize(math.{}, otypes=[float])({})", name, arguments);
  return "";
}

}  // namespace tests
