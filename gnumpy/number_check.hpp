// The checks of checks.hpp, where numbers are made. Internal to gnumpy.
#pragma once

#include <source_location>
#include <string_view>

#include "gnumpy/engine.hpp"

namespace gnumpy::detail {

/// Whether the next result is to be checked.
bool checks_numbers();
/// Whether some are: what an operation gives must be in memory then, whoever reads it.
bool may_check_numbers();

/// Throws for a number of the host that is not acceptable.
void check_number(std::string_view op, double number, const std::source_location& where);

/// Throws for elements that are not acceptable, results of `op` on the line `where`.
void check_numbers(std::string_view op, const void* data, Index offset, Index size,
                   const std::source_location& where);

}  // namespace gnumpy::detail
