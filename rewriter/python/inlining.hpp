// Loops over generators as loops of the generators.
//
//     def pairs(n):                           for x, y in pairs(3):
//         for i in range(n):                      total += x * y
//             yield i, i * i
//
// After such a `for` stands, as its Inlined statement, what Python does with both:
//
//     for i' in range(n'):
//         x, y = i', i' * i'
//         total += x * y
//
// Which of them a loop runs over is known when the program is read: a `for` has one Inlined for
// each generator of that name, and over an object one for each `__iter__` that yields. The names of
// a generator are others there, which programs cannot have: inlined_name().
#pragma once

#include <string>

#include "rewriter/python/ast.hpp"

namespace rewriter::ast {

/// The program with its Inlined statements. A `for` has none where the copy would not be what
/// Python does: a `yield` within `try` or `with`, names that stand for others in the loop.
Program with_inlined_generators(const Program& program);

/// What a name of the generator is called in this Inlined statement.
std::string inlined_name(const std::string& name, std::uint32_t inlined);
/// The position that enumerate counts in it.
std::string inlined_count(std::uint32_t inlined);
/// Whether it is one of these names.
bool is_inlined_name(const std::string& name);

}  // namespace rewriter::ast
