// The bits of integers, which the engines store as floating-point numbers. Internal to the reader.
#pragma once

#include "rewriter/reader/values/value.hpp"

namespace rewriter {

/// Of an operator of bits: what it takes.
[[noreturn]] void refuse_bits(ast::Operator op, bool of_integers);

/// `&`, `|` and `^`, of booleans too.
Array bits_of_both(ast::Operator op, const Array& a, const Array& b);

/// `<<` and `>>` of integers by counts, of which those below 0 are as in NumPy.
Array shifted_bits(ast::Operator op, const Array& a, const Array& count);

}  // namespace rewriter
