// The form of a call in Cudamat, by the family of its operation: the table that the printers, the
// parser of statement lists and verify() use.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "cudamat/op_table.hpp"
#include "rewriter/list/statement.hpp"

namespace rewriter {

/// One argument, in the order of the call.
struct CallArgument {
  enum class What : std::uint8_t {
    Operand,          ///< operands[index], with its `.T`
    OperandOrNumber,  ///< operands[index], or if the statement has none there numbers[0]
    Number,           ///< numbers[index]
    Integer,          ///< integers[index]
    Target,
  };
  enum class When : std::uint8_t {
    Always,
    IfNot1,      ///< omitted if it is 1
    IfPresent,   ///< a number: omitted, with all of its kind, if the statement has none; an
                 ///< operand: omitted if the statement has no such one
    IfElsewhere  ///< the target: omitted if it is operands[0] and may_work_in_place()
  };

  What what = What::Operand;
  std::uint8_t index = 0;
  std::string_view keyword = {};  ///< empty: written by position
  When when = When::Always;
  double by_default = 1;  ///< of IfPresent: what it is where only others of its kind are written
};

struct CallForm {
  /// Whether the object of the method is the target, otherwise operands[0] (in style Function the
  /// first argument of cm.op).
  bool on_target = false;
  /// Whether the call returns a number, and the statement is `t.assign(call)`.
  bool gives_number = false;
  /// Whether operands may have `.T`.
  bool obeys_flag = false;
  std::span<const CallArgument> arguments;
};

/// Null for an operation that is not used in statements.
const CallForm* call_form(const cudamat::OpRow& row);

/// Whether the call, written without a target, overwrites its first operand. Other calls then make
/// a new matrix, or always have a target.
bool may_work_in_place(const cudamat::OpRow& row);

/// Of a product's numbers: target = beta * target + alpha * a @ b.
struct ProductFactors {
  double beta = 0;
  double alpha = 1;
};
ProductFactors product_factors(const Statement& product);

/// The row of the operation with this name, if statements have it; otherwise null.
const cudamat::OpRow* find_call(std::string_view name);

}  // namespace rewriter
