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
// each generator of that name, and over an object one for each `__iter__` that yields. So has one
// over a generator expression, and over calls of enumerate, zip and islice with one of these. The
// names of a generator are others there, which programs cannot have: inlined_name().
#pragma once

#include <string>

#include "rewriter/python/ast.hpp"

namespace rewriter::ast {

/// The program with its Inlined statements. A `for` has none where the copy would not be what
/// Python does: a `yield` within `try` or `with`, names that stand for others in the loop.
Program with_inlined_generators(const Program& program);

/// What a name of the generator is called in this Inlined statement.
std::string inlined_name(const std::string& name, std::uint32_t inlined);
/// What the loop over it needs in an Inlined statement, which is bound before that runs.
namespace loop_names {
/// The position that enumerate counts; `level`: of that call among the calls around the generator.
std::string count(std::uint32_t inlined, std::size_t level);
/// What zip takes its other items from.
std::string source(std::uint32_t inlined, std::size_t level, std::size_t place);
/// How many items were taken.
std::string steps(std::uint32_t inlined);
/// How many items there may be: the generator is not asked for more; what it yields then is left.
std::string room(std::uint32_t inlined);
std::string room_after(std::uint32_t inlined);
/// What a generator expression iterates over first.
std::string first(std::uint32_t inlined);
}  // namespace loop_names
/// What the value in the middle of a chained comparison is called, which is computed once.
std::string middle_name(ExprId middle);
bool is_middle_name(const std::string& name);
/// Whether it is one of these names.
bool is_inlined_name(const std::string& name);

}  // namespace rewriter::ast
