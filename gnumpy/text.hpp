// Arrays as text, as NumPy 1.24 prints them with its default options. Internal to gnumpy.
#pragma once

#include <string>

#include "npmat/array.hpp"

namespace gnumpy::detail {

/// str() of the NumPy array: 8 digits after the point at most, lines of 75 characters, of more
/// than 1000 elements three at either end of every axis. T: float, double, long double, whose
/// shortest digits are shown.
template <class T>
std::string array_text(const npmat::Array<T>& array);

}  // namespace gnumpy::detail
