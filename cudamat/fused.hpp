// Fused statements: a run of element-wise operations over one space of rows x cols elements,
// computed element by element in one pass over memory.
//
// A body says what is computed, without the matrices and the numbers that it is computed of: the
// same body serves for all of these, so that what an engine makes of it is made once. Its steps are
// rows of the op table; what a step computes is a value for each element of the space. Values may
// be stored, reduced, or both; a value that is neither is in no memory.
//
// The results have the bits that the same operations have one by one (engine.hpp, Arithmetic and
// Order): draws take from the stream what they would take as calls of their own in the order of the
// steps, reductions add in the engine's order. NaN is NaN; its sign and payload are not promised.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cudamat/op_table.hpp"
#include "cudamat/spread.hpp"

namespace cudamat {

/// A value of a body, for each element of the space.
struct FusedValue {
  enum class Kind : std::uint8_t { Step, Input, Number };
  Kind kind = Kind::Step;
  int index = 0;  ///< of the body's steps or inputs, or of the call's numbers
  friend bool operator==(const FusedValue&, const FusedValue&) = default;
};

/// op of its operands, which are earlier steps, inputs or numbers: a unary or binary row, `where`,
/// soft_threshold(x, alpha), mult_by_sigmoid_deriv(x, acts); fill_with_rand and fill_with_randn
/// have none.
struct FusedStep {
  static constexpr int kMost = 3;

  Op op = Op::add;
  int count = 0;                             ///< of operands
  std::array<FusedValue, kMost> operands{};  ///< those behind `count` are unused
  friend bool operator==(const FusedStep&, const FusedStep&) = default;

  [[nodiscard]] bool draws() const { return row(op).family == Family::Fill; }
  /// Its operands.
  [[nodiscard]] std::span<const FusedValue> values() const {
    return {operands.data(), static_cast<std::size_t>(count)};
  }
};

/// The operands of such a step; -1 for an operation that is none.
constexpr int fused_operands(Op op) {
  switch (row(op).family) {
    case Family::Unary:
      return 1;
    case Family::Binary:
    case Family::UnaryScalar:
    case Family::Modulate:
      return 2;
    case Family::Where:
      return 3;
    case Family::Fill:
      return 0;
    default:
      return -1;
  }
}

/// The calls of an operation with a vector as its second operand.
struct VectorForms {
  Op op, with_row, with_column;
};
inline constexpr VectorForms kVectorForms[] = {
    {Op::add, Op::add_row_vec, Op::add_col_vec},
    {Op::mult, Op::mult_by_row, Op::mult_by_col},
    {Op::divide, Op::div_by_row, Op::div_by_col},
};
/// That of `op` for a Row or a Column; none for others.
constexpr std::optional<Op> with_vector(Op op, Spread how) {
  for (const VectorForms& forms : kVectorForms) {
    if (forms.op == op && how == Spread::Row) return forms.with_row;
    if (forms.op == op && how == Spread::Column) return forms.with_column;
  }
  return std::nullopt;
}
/// The operation of such a call; none for others.
constexpr std::optional<Op> without_vector(Op call) {
  for (const VectorForms& forms : kVectorForms)
    if (forms.with_row == call || forms.with_column == call) return forms.op;
  return std::nullopt;
}

/// What becomes of a value.
struct FusedTarget {
  FusedValue value;
  /// assign: stored, rows x cols. sum, mean, max, min, prod, any, all: reduced over `axis`, 1 x
  /// cols or rows x 1, or over everything, 1 x 1, as a 1 x rows * cols matrix is over axis 1.
  /// total_sum, total_mean, total_max: reduced over everything as these do it.
  static constexpr int kEverything = -1;

  Op op = Op::assign;
  int axis = 0;  ///< or kEverything
  /// Numbers of the call, or -1: target = beta * target + mult * sum, as ReduceCall has them.
  int mult = -1;
  int beta = -1;
  friend bool operator==(const FusedTarget&, const FusedTarget&) = default;

  [[nodiscard]] bool is_stored() const { return op == Op::assign; }
  /// Whether it is one number of everything.
  [[nodiscard]] bool is_total() const {
    return axis == kEverything || row(op).family == Family::Whole;
  }
  /// The reduction of an axis that it is like, whatever it runs over.
  [[nodiscard]] Op over_axis() const {
    return op == Op::total_sum    ? Op::sum
           : op == Op::total_mean ? Op::mean
           : op == Op::total_max  ? Op::max
                                  : op;
  }
  /// Of a reduction: how many values become one.
  [[nodiscard]] std::int64_t length(std::int64_t rows, std::int64_t cols) const {
    return is_total() ? rows * cols : axis == 0 ? rows : cols;
  }
  /// How the target lies over the space.
  [[nodiscard]] Spread spread() const {
    if (is_stored()) return Spread::Whole;
    if (is_total()) return Spread::One;
    return axis == 0 ? Spread::Row : Spread::Column;
  }
};

/// All reductions of a body run in one direction: over axis 0, over axis 1, or over everything.
struct FusedBody {
  std::vector<Spread> inputs;
  int numbers = 0;
  std::vector<FusedStep> steps;
  std::vector<FusedTarget> targets;
  friend bool operator==(const FusedBody&, const FusedBody&) = default;
};

/// What one call computes of, in column-major order: element (i, j) of an input that is Whole or of
/// a stored target is data[i + ld * j], of a Row data[ld * j], of a Column data[i]; a reduced
/// target is contiguous (ld is not looked at).
///
/// A stored target may be an input that is Whole, element for element the same; apart from that no
/// target overlaps another or an input. Of a space without elements nothing is stored, and
/// reductions are what ReduceCall says.
template <class T>
struct FusedCall {
  struct Input {
    const T* data;
    std::int64_t ld;
  };
  struct Target {
    T* data;
    std::int64_t ld;
  };

  /// Whether a matrix of the space with this ld has no gaps.
  [[nodiscard]] bool is_contiguous(std::int64_t ld) const { return ld == rows || cols == 1; }

  const FusedBody& body;
  std::int64_t rows, cols;
  std::span<const Input> inputs;
  std::span<const T> numbers;
  std::span<const Target> targets;
};

}  // namespace cudamat
