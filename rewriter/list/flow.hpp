// Which statements of a list use what which others made. Internal to the printers.
#pragma once

#include <cstddef>
#include <vector>

#include "rewriter/list/statement.hpp"

namespace rewriter {

/// The flow of values through a list. A step is an input or a statement that makes, shows or
/// writes a value; allocations and frees are none.
struct Flow {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  struct Step {
    std::size_t statement = kNone;  ///< kNone: an input
    Var var = kNoVar;               ///< that it makes or writes; kNoVar: a print
    std::size_t loop = kNone;       ///< the Loop, by statement, whose body it is in
    std::vector<std::size_t> from;  ///< steps whose values it uses, each once
  };
  /// A value that an iteration finds as the one before left it.
  struct Carried {
    std::size_t from = 0;
    std::size_t to = 0;
  };

  std::vector<Step> steps;  ///< inputs, then in the order of the statements
  std::vector<Carried> carried;
  std::vector<std::size_t> outputs;  ///< for each output the step that made it
};

Flow flow_of(const StatementList& list);

}  // namespace rewriter
