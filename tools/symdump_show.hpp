// Arrays as NumPy prints them, abridged.
#pragma once

#include <string>

#include "npmat/array.hpp"

namespace symdump {

/// "grad_W  (784, 256)" and a few lines of its elements: as many significant digits as tell
/// neighbours apart, the middle of long rows and columns omitted.
template <class T>
std::string show(const std::string& name, const npmat::Array<T>& array);

extern template std::string show(const std::string&, const npmat::Array<float>&);
extern template std::string show(const std::string&, const npmat::Array<double>&);
extern template std::string show(const std::string&, const npmat::Array<long double>&);

}  // namespace symdump
