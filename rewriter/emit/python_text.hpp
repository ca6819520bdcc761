// What the printers of Python modules share.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "rewriter/listing/print_text.hpp"

namespace rewriter::print {

/// The text as a docstring has it.
std::string documented(std::string_view text);

/// A Print as a call of print(), or its Exception as a raise. `element` is how the module reads
/// what is printed of a matrix, its only element; `array`: all of it, a NumPy
/// array of two dimensions.
std::string python_print(const Statement& statement, const ListNames& names,
                         const std::function<std::string(const PrintFormat::Number&)>& element,
                         const std::function<std::string(const PrintFormat::Number&)>& array);

}  // namespace rewriter::print
