// NumPy's functions that are compositions of others: written in the notation, in rewriter/library.
//
// A file is a Python module that NumPy itself can run. Each `def` at its margin whose name has no
// underscore in front is a function of the notation, and so is each alias, `deg2rad = radians`, and
// `acos = np.arccos`, of a function that may be C++. It belongs to NumPy, or to the module that a
// line `MODULE = "scipy.special"` names; the names in `METHODS = "std var"` are methods of arrays,
// too. A file is parsed when one of its functions is first called. What such a function gets may be
// an array, a masked selection or complex: the operations in it know what to do with each.
#pragma once

#include "rewriter/reader/table.hpp"

namespace rewriter {

void enter_library(Handlers& table);

}  // namespace rewriter
