// The interface of a pass over a statement list.
//
// A pass is a pure function: it takes a list that verify() accepts, and returns one that verify()
// accepts and that computes the same outputs. It returns remarks: a line for every rewrite that it
// made or rejected, with the reason. Passes run only when asked for; pipeline.hpp lists and runs
// them.
#pragma once

#include <string>
#include <vector>

#include "rewriter/list/statement.hpp"

namespace rewriter {

/// A rewrite that a pass made or rejected.
struct Remark {
  enum class Kind : std::uint8_t {
    Made,      ///< every bit of every result stays as it was
    Rounding,  ///< made; results may differ in their last places
    Refused,   ///< not made; the text says why
  };
  Kind kind = Kind::Made;
  SourceLocation where{0, 0};  ///< of the program's line that it concerns
  /// The complete remark, "t2 is written over t1, whose last use this is", or, with a result, the
  /// statements that it replaces.
  std::string what;
  std::string result = {};  ///< "t4.reciprocal(target=p)"
  std::string reason = {};  ///< with a result: "products may round otherwise"

  /// "WHAT becomes RESULT, but REASON".
  [[nodiscard]] std::string text() const;
};

struct PassOptions {
  /// Whether rewrites that change rounding are allowed; otherwise they are rejected.
  bool may_round = false;
  /// The same of `layout` alone: which way a matrix lies may change the order of sums.
  bool layout_may_round = false;
  /// Whether `inplace` may overwrite inputs; inputs that are also outputs are never overwritten.
  bool may_overwrite_inputs = false;
  /// Whether a transposed factor of a product is meant as a flag, so that using the flag does not
  /// count as a change of rounding.
  bool transposed_factors_are_flags = false;
  /// Whether inputs and outputs must keep the orientation of the program, because their memory
  /// belongs to the caller.
  bool bindings_stay = false;
  /// Whether inputs and outputs are in NumPy's order, so that to `layout` those that are not stored
  /// transposed must be copied.
  bool bindings_are_in_c_order = false;
  /// Whether `combine` must not update inputs that the program does not write to, because inputs
  /// that are written must be copied.
  bool inputs_stay = false;
};

struct PassResult {
  StatementList list;
  std::vector<Remark> remarks;
};

using PassFunction = PassResult (*)(const StatementList& list, const PassOptions& options);

}  // namespace rewriter
