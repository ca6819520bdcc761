// The widths that NumPy's floats would have in a tree whose floats all have one type.
#pragma once

#include "rewriter/expr/node.hpp"

namespace rewriter {

/// What Node::float_bits says, and what follows from it by NumPy 1.24's promotion: 32, 64 or 128;
/// 0 where nothing says it. Truth values and integers have no width. Each node keeps what was
/// found, so a program that asks for the width of each result walks its tree once.
int float_width_of(const NodePtr& node);

/// Whether a number is computed from floats of 64 bits; other operands may be numbers without a
/// width.
bool is_of_doubles(const NodePtr& number);

}  // namespace rewriter
