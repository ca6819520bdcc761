// How matrices that share a buffer are written in a statement list. Internal to the passes.
#pragma once

#include <vector>

#include "rewriter/list/liveness.hpp"
#include "rewriter/list/statement.hpp"

namespace rewriter {

/// Matrices that are allocated by an Empty of their own each, to lie in one memory.
struct Buffer {
  std::vector<Var> members;  ///< in the order in which they are used; never wanted at once
  Index size = 0;            ///< elements: the largest member's
  Position made = 0;         ///< the first member's Empty
  Position freed = 0;        ///< the last member's Free, or kNowhere
  int block = -1;            ///< the loop in whose body all are allocated and freed
};

/// Puts the members of each buffer into the memory of its largest one. Members of that shape become
/// that variable, unless the program gave names to both; the others become views of it.
void share_memory(StatementList& list, const std::vector<Buffer>& buffers);

}  // namespace rewriter
