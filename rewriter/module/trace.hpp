// Symbolic arrays for Python: NumPy's operators and functions on them build the program's tree.
#pragma once

#include <nanobind/nanobind.h>

namespace rewriter::module {

void define_trace(nanobind::module_& m);

}  // namespace rewriter::module
