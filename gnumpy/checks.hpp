// Which numbers results may hold. gnumpy's checks against numbers gone wrong.
//
// Checked are new numbers: what each statement of an expression gives, running sums, and what comes
// from the host. A number that is not acceptable throws CUDAMatException with the operation that
// gave it, the line of the program and what was found. What was already written in place stays.
// A check reads the result again, and waits for the engine.
#pragma once

#include <string>
#include <string_view>

namespace gnumpy {

/// "anything goes" (the default: no checks), "no nans" or "no nans or infs".
void acceptable_number_types(std::string_view what);
/// No NaN, and magnitudes up to `bound`, which is 0 or more.
void acceptable_number_types(double bound);
/// As it was set; a bound as its number.
std::string acceptable_number_types();

/// The part of the results that are checked, by chance; 1 (the default): all.
void expensive_check_probability(double probability);
double expensive_check_probability();

}  // namespace gnumpy
