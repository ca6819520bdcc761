// What a pass over a statement list is.
//
// A pass is a pure function: it takes a list that verify() accepts and gives one that verify()
// accepts and that computes the same outputs. It leaves remarks: a line for every rewrite made and
// for every one refused, with the reason. Passes run only when asked for; pipeline.hpp
// lists and runs them.
#pragma once

#include <string>
#include <vector>

#include "rewriter/list/statement.hpp"

namespace rewriter {

/// A rewrite that a pass made, or could not make.
struct Remark {
  enum class Kind : std::uint8_t {
    Made,      ///< every bit of every result stays as it was
    Rounding,  ///< made, and results may differ in their last places
    Refused,   ///< not made; the text says why
  };
  Kind kind = Kind::Made;
  SourceLocation where{0, 0};  ///< of the program's line that it concerns
  /// All there is to say, "t2 is written over t1, whose last use this is", or, with a result, the
  /// statements that it takes the place of.
  std::string what;
  std::string result = {};  ///< "t4.reciprocal(target=p)"
  std::string reason = {};  ///< with a result: "products may round otherwise"

  /// "WHAT becomes RESULT, but REASON".
  [[nodiscard]] std::string text() const;
};

struct PassOptions {
  /// Whether rewrites that change rounding are allowed. Where they are not, they are refused.
  bool may_round = false;
  /// Whether `inplace` may write over inputs; those that are outputs, too, stay as they are.
  bool may_overwrite_inputs = false;
  /// Whether a transposed factor of a product is meant as a flag, so that reading it by one counts
  /// as no change of rounding.
  bool transposed_factors_are_flags = false;
  /// Whether inputs and outputs lie as the program has them: their memory is a caller's.
  bool bindings_stay = false;
  /// Whether what is held as the program has it must be copied, to `layout`: inputs come, and
  /// outputs go, in NumPy's order.
  bool bindings_are_in_c_order = false;
  /// Whether `combine` may not update inputs that the program does not write to: what else is
  /// written to must be copied.
  bool inputs_stay = false;
};

struct PassResult {
  StatementList list;
  std::vector<Remark> remarks;
};

using PassFunction = PassResult (*)(const StatementList& list, const PassOptions& options);

}  // namespace rewriter
