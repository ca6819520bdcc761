// A statement list made ready to run again and again on other memory. Internal to gnumpy.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "rewriter/list/statement.hpp"

namespace gnumpy::detail {

using rewriter::Index;
using rewriter::Var;

/// Straight-line statements whose memory is known beforehand: blocks [0, inputs) come from the
/// caller, the others are allocated before the first statement.
struct Plan {
  /// Where a variable lies: `offset` elements into a block.
  struct Place {
    std::size_t block = 0;
    Index offset = 0;
  };

  rewriter::StatementList list;
  std::vector<Place> places;  ///< by variable
  std::size_t inputs = 0;
  std::vector<Index> allocated;    ///< elements of the blocks from `inputs` on
  std::vector<std::size_t> calls;  ///< the statements that compute
  /// Matrices that lie in the memory of inputs that are not wanted any more: which, and in whose.
  std::vector<std::pair<Var, Var>> shared;
  int launches = 0;  ///< of kernels, that they need on a GPU
  Place result;
  mutable std::shared_ptr<void> replay{};  ///< an engine's, see plan_replay.hpp
};

/// Inputs that `may_overwrite` names give their memory to what is made after their last use. Throws
/// InternalError for a list with loops, constants, seeds or prints.
Plan make_plan(rewriter::StatementList list, const std::vector<bool>& may_overwrite);

}  // namespace gnumpy::detail
