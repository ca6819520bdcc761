// Records the statements that run, for work.hpp. Internal to gnumpy.
#pragma once

#include <fmt/format.h>
#include <source_location>
#include <string>
#include <utility>

#include "gnumpy/node.hpp"
#include "gnumpy/plan.hpp"

namespace gnumpy::detail {

/// An expression's statements are run now.
void ran(const Plan& plan, const std::source_location& where);

/// Counts a statement that is run at once; whether it is to be printed.
bool counted(int launches);
void print_statement(const std::string& text, const Node& made, const std::source_location& where);
/// A line: the statement and the shape of what it makes.
std::string statement_text(const std::string& text, Index rows, Index cols);

/// A statement that makes, or writes to, the leaf `made` is run at once: its text, t.assign({}) for
/// one, with the arguments.
template <class... Args>
void ran(const Node& made, const std::source_location& where, fmt::format_string<Args...> text,
         Args&&... args) {
  if (counted(1)) print_statement(fmt::format(text, std::forward<Args>(args)...), made, where);
}
/// The leaf comes from the host, or goes there.
void moved(const Node& leaf, bool to_host, const std::source_location& where);

/// The engine was asked for memory.
void allocated();

/// The plan's list as text, below the line of the program.
std::string text_of(const Plan& plan, const std::source_location& where);

}  // namespace gnumpy::detail
