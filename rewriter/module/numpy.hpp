// NumPy's own objects. All of it needs the interpreter's lock.
#pragma once

#include <nanobind/nanobind.h>

#include "rewriter/module/buffer.hpp"

namespace rewriter::module {

namespace nb = nanobind;

/// numpy.NAME.
nb::object numpy(const char* name);

/// An array of this shape, a tuple, that holds anything. Throws Python's error.
nb::object new_array(nb::handle shape, Code code);

}  // namespace rewriter::module
