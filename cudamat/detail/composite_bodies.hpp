// The fused statements of calls that are several operations (Family::Composite).
#pragma once

#include "cudamat/fused.hpp"

namespace cudamat::detail {

/// y = e / row(sum(e, axis=0)), where e = exp(x - row(max(x, axis=0))); over axis 1 with columns.
inline const FusedBody& softmax_body(int axis) {
  static const auto body = [](int over) {
    using Kind = FusedValue::Kind;
    const FusedValue x{Kind::Input, 0};
    const auto step = [](int s) { return FusedValue{Kind::Step, s}; };
    FusedBody made;
    made.inputs = {Spread::Whole};
    made.steps = {{Op::max, 1, {x}, over},
                  {Op::subtract, 2, {x, step(0)}},
                  {Op::exp, 1, {step(1)}},
                  {Op::sum, 1, {step(2)}, over},
                  {Op::divide, 2, {step(2), step(3)}}};
    made.targets = {{step(4)}};
    return made;
  };
  static const FusedBody down = body(0), along = body(1);
  return axis == 0 ? down : along;
}

/// index = sum(sums - col(draw) < 0, axis=1): how many of a row's running sums are below a number.
inline const FusedBody& count_below_body() {
  static const FusedBody body = [] {
    using Kind = FusedValue::Kind;
    FusedBody made;
    made.inputs = {Spread::Whole, Spread::Column};
    made.numbers = 1;
    made.steps = {{Op::subtract, 2, {FusedValue{Kind::Input, 0}, FusedValue{Kind::Input, 1}}},
                  {Op::less_than, 2, {FusedValue{Kind::Step, 0}, FusedValue{Kind::Number, 0}}}};
    made.targets = {{FusedValue{Kind::Step, 1}, Op::sum, 1}};
    return made;
  }();
  return body;
}

}  // namespace cudamat::detail
