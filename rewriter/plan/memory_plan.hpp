// The memory plan of a statement list: each buffer, its live range and the values that share it;
// the peak, and the peak as a formula in the program's dimensions.
#pragma once

#include <string>
#include <vector>

#include "rewriter/list/liveness.hpp"
#include "rewriter/list/statement.hpp"
#include "rewriter/plan/arena.hpp"

namespace rewriter {

struct MemoryPlan {
  enum class Kind : std::uint8_t { Input, Constant, Matrix };

  struct Buffer {
    Var var = kNoVar;
    Kind kind = Kind::Matrix;
    Index bytes = 0;
    Index offset = 0;    ///< in the arena
    Position made = 0;   ///< the statement that allocates it; -1: before the first
    Position freed = 0;  ///< the one that frees it; the number of statements: none
    int first_line = 0;  ///< of the source, of what uses it; 0: unknown
    int last_line = 0;
    bool is_output = false;
    std::size_t values = 0;  ///< that it holds, one after the other
    std::vector<Var> views;  ///< variables that show it, or a part of it
  };

  /// count * the product of symbols.
  struct Term {
    Index count = 0;
    std::vector<std::size_t> symbols{};  ///< ascending; one that occurs twice is squared
  };
  /// An extent of the inputs, or of what else is in use at the peak, other than 0 and 1.
  struct Symbol {
    std::string name;  ///< n1, n2, ... in the order of appearance
    Index value = 0;
    std::string meaning;  ///< "rows of X, columns of W"
  };

  int bytes_per_element = 4;
  std::vector<Buffer> buffers;  ///< inputs, then in the order of allocation
  Index inputs = 0;             ///< bytes
  Index peak = 0;               ///< bytes that matrices hold at the most, in a run too
  Position peak_at = -1;        ///< the first statement that reaches it; -1: the inputs alone
  Index lower_bound = 0;  ///< bytes that are live at once: no other allocation of these matrices
                          ///< would let these statements, in this order, do with less
  /// What a run allocates, to the byte, and all that it allocates for matrices. Larger than the
  /// peak by arena.least - peak for the alignment, and by arena.bytes - arena.least where no
  /// placement was found that leaves no gaps.
  Arena arena;
  std::vector<Symbol> symbols;
  std::vector<Term> peak_terms;  ///< the elements in use at the peak: their sum
};

MemoryPlan memory_plan(const StatementList& list, int bytes_per_element);

/// "4*(2*n1*n2 + n1*n3 + 1)"
std::string peak_formula(const MemoryPlan& plan);

/// The statement, with its place: "grad_W = cm.empty((784, 256)), gradient.py:12".
std::string statement_with_place(const StatementList& list, Position at);

/// A table of the buffers, the peak, its formula with a legend, the lower bound, and the arena.
std::string print_memory_plan(const StatementList& list, const MemoryPlan& plan);

}  // namespace rewriter
