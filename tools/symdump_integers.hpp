// Integers of a run that its precision may have rounded.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "npmat/array.hpp"
#include "rewriter/expr/program.hpp"

namespace symdump {

/// A comment for each output with integers that may have been rounded, and for each other line
/// whose steps may have been: where what is known of the program does not exclude it, it is
/// evaluated directly to look at them. T is float, double or long double.
template <class T>
std::string rounded_integers(const rewriter::Program& program,
                             const std::map<std::string, npmat::Array<T>>& inputs,
                             const std::map<std::string, npmat::Array<T>>& outputs,
                             std::uint64_t seed);

}  // namespace symdump
