// Objects of Python's own, with which the Python around the reader computes while a program is
// read: what is not the program's and depends on its arguments alone. Internal to the reader.
#pragma once

#include <string>

#include "rewriter/reader/reader.hpp"
#include "rewriter/reader/values/value.hpp"

namespace rewriter {

/// Whether it is such an object.
inline bool is_outside(const Value& value) {
  return value.as<OutsideObject>() != nullptr;
}

/// Whether Python has the function, or the type, under the reader's name for it.
bool is_of_python(const Function& function);

/// That of this number, which an Import names.
Value imported_object(const std::string& import);

}  // namespace rewriter
