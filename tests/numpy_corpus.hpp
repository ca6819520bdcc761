// A corpus of NumPy expressions, each beside the same in symbolic arrays.
#pragma once

#include <string>
#include <vector>

#include "rewriter/expr/symbolic.hpp"

namespace tests {

struct Expression {
  std::string python;  ///< over a, b and the functions of kNumpyHelpers
  rewriter::Array (*build)(const rewriter::Array& a, const rewriter::Array& b);
};

/// What the expressions of the corpus call besides NumPy.
inline constexpr const char* kNumpyHelpers = R"(
import math
def updated(a, operator, b):
    a = a.copy()
    if operator == '+': a += b
    if operator == '-': a -= b
    if operator == '*': a *= b
    if operator == '/': a /= b
    if operator == '**': a **= b
    return a

def assigned(a, index, value):
    a = a.copy()
    a[index] = value
    return a
)";

/// Expressions of a alone.
const std::vector<Expression>& unary_corpus();
/// Expressions of a and b.
const std::vector<Expression>& binary_corpus();

}  // namespace tests
