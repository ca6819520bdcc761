// The rules for the body of a fused statement, and for the shapes and the memory of its matrices.
// fused_call.hpp checks them when a call runs, and the verifier of statement lists before that.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "cudamat/check.hpp"
#include "cudamat/fused.hpp"
#include "cudamat/shape.hpp"

namespace cudamat::rules {

/// Whether a target may be this reduction.
inline bool is_fused_reduction(Op op) {
  return row(op).family == Family::Reduction || op == Op::total_sum || op == Op::total_mean ||
         op == Op::total_max;
}

/// Throws for a body that is invalid for all operands.
inline void fused_body(const FusedBody& body) {
  const auto refuse = [](std::string_view what) { misuse("fused", "{}", what); };
  const auto check_value = [&](const FusedValue& value, std::size_t steps) {
    const std::size_t count = value.kind == FusedValue::Kind::Step    ? steps
                              : value.kind == FusedValue::Kind::Input ? body.inputs.size()
                                                                      : std::size_t(body.numbers);
    if (value.index < 0 || std::size_t(value.index) >= count)
      refuse("a step uses a value that does not exist");
  };
  std::optional<Spread> direction;  // of the reductions
  const auto check_direction = [&](Spread reduced) {
    if (direction && *direction != reduced)
      refuse("all reductions must run over the same axis, or all over everything");
    direction = reduced;
  };
  for (std::size_t i = 0; i < body.steps.size(); ++i) {
    const FusedStep& step = body.steps[i];
    if (step.reduces()) {
      if (step.axis < 0 || step.axis > 1) refuse("an axis must be 0 or 1");
      check_direction(step.axis == 0 ? Spread::Row : Spread::Column);
    }
    if ((step.reduces() ? 1 : fused_operands(step.op)) != step.count)
      misuse("fused", "{} of {} operands is not a step", row(step.op).name, step.count);
    for (const FusedValue& value : step.values()) check_value(value, i);
    if (row(step.op).family == Family::UnaryScalar &&
        step.operands[1].kind != FusedValue::Kind::Number)
      misuse("fused", "the second operand of {} must be a number", row(step.op).name);
  }
  if (body.targets.empty()) refuse("has no target");
  const std::vector<Spread> spreads = fused_spreads(body);
  for (const FusedTarget& target : body.targets) {
    check_value(target.value, body.steps.size());
    for (const int number : {target.mult, target.beta})
      if (number >= body.numbers) refuse("a step uses a number that does not exist");
    const bool scales = target.mult >= 0 || target.beta >= 0;
    if (scales && target.op != Op::sum)
      misuse("fused", "{} takes neither mult nor beta", row(target.op).name);
    const Spread spread = spread_of(body, spreads, target.value);
    if (target.is_vector() && spread != target.lies && spread != Spread::One)
      refuse("what is stored as a vector differs from row to row, or from column to column");
    if (!target.is_reduced()) continue;
    if (!is_fused_reduction(target.op))
      misuse("fused", "{} is not a reduction", row(target.op).name);
    if (target.axis < FusedTarget::kEverything || target.axis > 1) refuse("an axis must be 0 or 1");
    check_direction(target.spread());
  }
}

/// The space: the shape of an input that is Whole, or of a target that is stored. None if there is
/// neither.
template <class M>
std::optional<Shape> fused_space(const FusedBody& body, std::span<const M> inputs,
                                 std::span<const M> targets) {
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (body.inputs[i] == Spread::Whole) return inputs[i].shape();
  for (std::size_t i = 0; i < targets.size(); ++i)
    if (body.targets[i].is_stored()) return targets[i].shape();
  return std::nullopt;
}

inline Shape spread_shape(Spread spread, Shape space) {
  switch (spread) {
    case Spread::Whole:
      return space;
    case Spread::Row:
      return {1, space.cols};
    case Spread::Column:
      return {space.rows, 1};
    case Spread::One:
      break;
  }
  return {1, 1};
}

/// For a call: throws if a reduction without a value for no elements has no elements.
inline void fused_not_empty(const FusedBody& body, Shape space) {
  const auto check = [&](Op op, Index length) {
    if (length == 0 && row(op).has(kNoEmpty))
      misuse(Reason::Unsupported, row(op).name, "mat {} is empty, and an empty {} has no value",
             space, row(op).name);
  };
  for (const FusedStep& step : body.steps)
    if (step.reduces()) check(step.op, step.axis == 0 ? space.rows : space.cols);
  for (const FusedTarget& target : body.targets)
    if (target.is_reduced()) check(target.op, target.length(space.rows, space.cols));
}

/// A target of a reduction may be a lying or a standing vector.
///
/// M is a matrix or some rows of one: shape(), overlap(a, b) and coincide(a, b), which says that
/// both are the same elements in the same places. Requires a body that fused_body() accepts.
template <class M>
void fused(const FusedBody& body, std::span<const M> inputs, std::span<const M> targets) {
  const std::optional<Shape> space = fused_space(body, inputs, targets);
  if (!space) misuse("fused", "no matrix has the whole shape");
  const auto check = [&](std::string_view what, std::size_t i, const M& m, Spread spread,
                         bool reduced = false) {
    const Shape wanted = spread_shape(spread, *space);
    if (m.shape() != wanted && !(reduced && m.shape() == wanted.transposed()))
      misuse(Reason::Shape, "fused", "{} {} must be {} to match {}; got {}", what, i, wanted,
             *space, m.shape());
  };
  for (std::size_t i = 0; i < inputs.size(); ++i) check("input", i, inputs[i], body.inputs[i]);
  for (std::size_t t = 0; t < targets.size(); ++t) {
    check("target", t, targets[t], body.targets[t].spread(), body.targets[t].is_reduced());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const bool same = body.targets[t].is_stored() && body.inputs[i] == Spread::Whole &&
                        coincide(inputs[i], targets[t]);
      if (!same && overlap(inputs[i], targets[t]))
        misuse("fused", "target {} {} overlaps input {} {}, which is read while it is written", t,
               targets[t].shape(), i, inputs[i].shape());
    }
    for (std::size_t other = 0; other < t; ++other)
      if (overlap(targets[t], targets[other]))
        misuse("fused", "target {} {} overlaps target {} {}", t, targets[t].shape(), other,
               targets[other].shape());
  }
}

}  // namespace cudamat::rules
