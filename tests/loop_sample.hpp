// A program with loops, for the tests of the printers: nested, backwards, with views, buffers in
// turn, a list, prints, and names that languages use.
#pragma once

#include "rewriter/listing/parse_list.hpp"
#include "rewriter/lower/lower.hpp"
#include "rewriter/reader/reader.hpp"

namespace samples {

inline constexpr const char* kLoops = R"(import numpy as np
X: (5, 6)
old = X * 1.0
new = np.zeros((5, 6))
errors = []
for int in range(3):
    for j in range(5, -1, -1):
        column = old[:, j]
        new[:, j] = 0.5 * column + int
    errors.append(np.sum(new * new) + int)
    old, new = new, old
    print("after {%d} steps:" % (int + 1), int - 1, np.max(old) > 0, np.argmax(old[0]), end=";")
for k in range(2):
    pass
print()
mean = np.mean(errors)
)";

inline rewriter::StatementList loops() {
  return rewriter::lower(rewriter::read(rewriter::Source("loops.py", kLoops)));
}

/// A list whose inputs and outputs are held transposed: y = X * w, s = X.sum(0).
inline rewriter::StatementList transposed() {
  return rewriter::parse_statements(rewriter::Source("transposed.list", R"(
input X: (3, 2), transposed
input w: (2,), transposed
y = cm.empty((2, 3))
X.mult_by_col(w, target=y)
s = cm.empty((2, 1))
X.sum(axis=1, target=s)
output y: (3, 2), transposed
output s: (2,), transposed
)"));
}

}  // namespace samples
