// NumPy functions that are compositions of others: written in the notation, in rewriter/library.
//
// A file is a Python module that NumPy itself can run. Each top-level `def` whose name does not
// begin with an underscore is a function of the notation, and so is each alias: `deg2rad =
// radians`, or `acos = np.arccos` of a function that may be C++. It belongs to NumPy, or to the
// module that a line `MODULE = "scipy.special"` names; the names in `METHODS = "std var"` are
// methods of arrays, too. Those in IN_ORDER, DOUBLES, OF_ONE_AXIS, OWN_WIDTH and
// OLD_DOUBLES have the facts kInOrder, kMakesDoubles, kOfOneAxis, kOwnWidth and kOldDoubles
// (table.hpp). What files share is in those whose names begin with an
// underscore, from which they import it: `from _shared import axis_of`. A file is parsed when one
// of its functions is first called. The arguments of such a function may be arrays, masked
// selections or complex arrays, which the operations in it support.
#pragma once

#include "rewriter/reader/values/value.hpp"

namespace rewriter {

/// `from FILE import NAME` within these files.
Value imported_from_library(std::string_view file, const std::string& name);

/// Whether the function is one of these files.
bool is_of_library(std::string_view name);

}  // namespace rewriter
