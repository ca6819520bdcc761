// Printed texts side by side, whose numbers may have been rounded otherwise.
#pragma once

#include <optional>
#include <string>

namespace symdump {

/// The first line in which the texts differ, in words; nothing if they agree. Ints are compared as
/// they are, floats up to the tolerance times their size, or times `scale` if that is more, and up
/// to a unit in their last place; of spaces it does not matter how many.
std::optional<std::string> difference_of_texts(const std::string& got, const std::string& wanted,
                                               double tolerance, double scale);

}  // namespace symdump
