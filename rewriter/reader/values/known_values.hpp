// What arrays hold, where it is static. Internal to the reader.
#pragma once

#include <optional>
#include <vector>

#include "rewriter/reader/values/value.hpp"

namespace rewriter {

/// The values of an array of whole numbers, if they are static.
std::optional<npmat::Array<double>> known_values(const NodePtr& node);

/// A small array as the constant that it is known to be, whose numbers are exact at every
/// precision; nothing for a constant, and what is not static.
std::optional<Array> as_constant(const Array& array);

/// Whether the contents of inputs are static while the program is read: ReadOptions::contents.
extern thread_local bool contents_are_known;
void know_contents(bool known);
/// Whether ranges and new arrays may have data-dependent length: ReadOptions::run_lengths.
extern thread_local bool run_lengths_are_read;
/// The indices, for each axis, at which a static mask is true; nothing if it is not static.
std::optional<std::vector<Value>> known_places(const Array& mask);

}  // namespace rewriter
