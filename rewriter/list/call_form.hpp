// How Cudamat writes a call, by the family of its operation: the one table that the printers, the
// parser of statement lists and verify() read.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "cudamat/op_table.hpp"
#include "rewriter/list/statement.hpp"

namespace rewriter {

/// One argument, in the order in which the call has them.
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
    IfNot1,      ///< left out if it is 1
    IfPresent,   ///< left out, with all of its kind, if the statement has no numbers
    IfElsewhere  ///< the target: left out if it is operands[0] and may_work_in_place()
  };

  What what = What::Operand;
  std::uint8_t index = 0;
  std::string_view keyword = {};  ///< empty: written by position
  When when = When::Always;
  double by_default = 1;  ///< of IfPresent: what it is where only others of its kind are written
};

struct CallForm {
  /// The object whose method it is: the target, or else operands[0] (of style Function the first
  /// argument of cm.op).
  bool on_target = false;
  /// It gives a number, and the statement is `t.assign(call)`.
  bool gives_number = false;
  /// Operands may have `.T`.
  bool obeys_flag = false;
  std::span<const CallArgument> arguments;
};

/// Null for an operation that no statement has.
const CallForm* call_form(const cudamat::OpRow& row);

/// Whether the call, written without a target, writes over its first operand. Others then make a
/// matrix of their own, or are never written so.
bool may_work_in_place(const cudamat::OpRow& row);

/// The row of an operation of this name that statements have; null if there is none.
const cudamat::OpRow* find_call(std::string_view name);

}  // namespace rewriter
