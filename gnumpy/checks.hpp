// Checks of results for NaN, infinities and large numbers.
//
// New numbers are checked: the result of each statement of an expression, running sums, and data
// from the host. A number that is not acceptable throws CUDAMatException with the operation, the
// line of the program and what was found. Earlier in-place writes remain. A check reads the result
// again, and waits for the engine.
#pragma once

#include <string>
#include <string_view>

namespace gnumpy {

/// "anything goes" (the default: no checks), "no nans" or "no nans or infs".
void acceptable_number_types(std::string_view what);
/// No NaN, and magnitudes up to `bound`, which is 0 or more.
void acceptable_number_types(double bound);
/// The current setting; a bound is returned as its number.
std::string acceptable_number_types();

/// The fraction of results that are checked, chosen at random; 1 (the default): all.
void expensive_check_probability(double probability);
double expensive_check_probability();

}  // namespace gnumpy
