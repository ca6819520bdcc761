// Fused statements: a run of element-wise operations over one space of rows x cols elements,
// computed element by element in one pass over memory.
//
// A body describes the computation without its matrices and numbers, so that an engine compiles it
// once for all of these. Its steps are rows of the op table. A step computes a value for each
// element of the space. Values may be stored, reduced, or both; other values need no memory.
//
// A step may also be a reduction over an axis. Its value is the same in every column, or in every
// row, and later steps may use it: softmax is exp(x - max) divided by its sum. Such a body is not
// plain: engines iterate over the space, or over parts of it that fit a cache or a block, once for
// each reduction that a value depends on (detail/fused_cut.hpp).
//
// The results have the same bits as separate calls (engine.hpp, Arithmetic and Order): draws take
// the same numbers from the stream, in the order of the steps, and reductions add in the engine's
// order. The sign and payload of NaN are unspecified.
#pragma once

#include <algorithm>
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
/// have none; sum, mean, max, min, prod, any, all of one operand are those over `axis`.
struct FusedStep {
  static constexpr int kMost = 3;

  Op op = Op::add;
  int count = 0;                             ///< of operands
  std::array<FusedValue, kMost> operands{};  ///< those after `count` are unused
  int axis = 0;                              ///< of a reduction
  friend bool operator==(const FusedStep&, const FusedStep&) = default;

  [[nodiscard]] bool draws() const { return row(op).family == Family::Fill; }
  [[nodiscard]] bool reduces() const { return row(op).family == Family::Reduction; }
  /// Its operands.
  [[nodiscard]] std::span<const FusedValue> values() const {
    return {operands.data(), static_cast<std::size_t>(count)};
  }
};

/// The operands of an element-wise step; -1 for an operation that is none.
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

/// Where a value goes: stored, or reduced.
struct FusedTarget {
  FusedValue value;
  /// assign: stored as it `lies`. sum, mean, max, min, prod, any, all: reduced over `axis`, 1 x
  /// cols or rows x 1, or over everything, 1 x 1, as a 1 x rows * cols matrix is over axis 1.
  /// total_sum, total_mean, total_max: reduced over everything as these do it.
  static constexpr int kEverything = -1;

  Op op = Op::assign;
  int axis = 0;  ///< or kEverything
  /// Numbers of the call, or -1: target = beta * target + mult * sum, as ReduceCall has them.
  int mult = -1;
  int beta = -1;
  /// The form of a stored value: Whole, rows x cols; Row, 1 x cols, if it is the same in every row;
  /// or Column, rows x 1.
  Spread lies = Spread::Whole;
  friend bool operator==(const FusedTarget&, const FusedTarget&) = default;

  /// For every element of the space.
  [[nodiscard]] bool is_stored() const { return op == Op::assign && lies == Spread::Whole; }
  [[nodiscard]] bool is_vector() const { return op == Op::assign && lies != Spread::Whole; }
  [[nodiscard]] bool is_reduced() const { return op != Op::assign; }
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
    if (!is_reduced()) return lies;
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

  /// Whether one walk through the space computes it: no step is a reduction, no target a vector.
  [[nodiscard]] bool is_plain() const {
    return std::none_of(steps.begin(), steps.end(),
                        [](const FusedStep& step) { return step.reduces(); }) &&
           std::none_of(targets.begin(), targets.end(),
                        [](const FusedTarget& target) { return target.is_vector(); });
  }
  [[nodiscard]] bool draws() const {
    return std::any_of(steps.begin(), steps.end(),
                       [](const FusedStep& step) { return step.draws(); });
  }
};

/// How a value lies over the space, by how those of the steps do.
inline Spread spread_of(const FusedBody& body, const std::vector<Spread>& steps,
                        const FusedValue& value) {
  const auto i = static_cast<std::size_t>(value.index);
  return value.kind == FusedValue::Kind::Step    ? steps[i]
         : value.kind == FusedValue::Kind::Input ? body.inputs[i]
                                                 : Spread::One;
}

/// How the steps' values lie over the space: Row means that all rows are the same.
inline std::vector<Spread> fused_spreads(const FusedBody& body) {
  std::vector<Spread> spreads;
  for (const FusedStep& step : body.steps) {
    Spread spread = step.draws() ? Spread::Whole : Spread::One;
    for (const FusedValue& value : step.values()) {
      const Spread other = spread_of(body, spreads, value);
      if (spread == Spread::One)
        spread = other;
      else if (other != Spread::One && other != spread)
        spread = Spread::Whole;
    }
    if (step.reduces()) spread = step.axis == 0 ? Spread::Row : Spread::Column;
    spreads.push_back(spread);
  }
  return spreads;
}

/// The matrices of one call, in column-major order: element (i, j) of an input that is Whole or of
/// a stored target is data[i + ld * j], of a Row data[ld * j], of a Column data[i]. Other targets
/// are contiguous (ld is ignored).
///
/// A target that is stored for every element may be the same matrix as an input that is Whole.
/// Other targets overlap neither another target nor an input. If the space is empty, nothing is
/// stored, and reductions are those of ReduceCall.
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
