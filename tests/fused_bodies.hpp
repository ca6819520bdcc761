// Bodies of fused statements, for the tests of what engines make of them: some of each kind, and
// random ones.
#pragma once

#include <fmt/format.h>
#include <initializer_list>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "cudamat/fused.hpp"

namespace fused_test {

using cudamat::Family;
using cudamat::FusedBody;
using cudamat::FusedStep;
using cudamat::FusedTarget;
using cudamat::FusedValue;
using cudamat::Op;
using cudamat::Spread;

/// Makes a body, a value at a time.
class Maker {
 public:
  FusedValue input(Spread spread) {
    body_.inputs.push_back(spread);
    return {FusedValue::Kind::Input, static_cast<int>(body_.inputs.size()) - 1};
  }
  FusedValue number() { return {FusedValue::Kind::Number, body_.numbers++}; }
  FusedValue step(Op op, const std::vector<FusedValue>& operands = {}) {
    FusedStep step{op, static_cast<int>(operands.size()), {}};
    std::copy(operands.begin(), operands.end(), step.operands.begin());
    body_.steps.push_back(step);
    return {FusedValue::Kind::Step, static_cast<int>(body_.steps.size()) - 1};
  }
  /// A reduction, as a step.
  FusedValue over(Op op, const FusedValue& value, int axis) {
    const FusedValue made = step(op, {value});
    body_.steps.back().axis = axis;
    return made;
  }
  /// What reductions over the axis give.
  Maker& store_vector(const FusedValue& value, int axis) {
    body_.targets.push_back({value});
    body_.targets.back().lies = axis == 0 ? Spread::Row : Spread::Column;
    return *this;
  }
  Maker& store(const FusedValue& value) {
    body_.targets.push_back({value});
    return *this;
  }
  Maker& reduce(Op op, const FusedValue& value, int axis, bool with_numbers = false) {
    FusedTarget target{value, op, axis};
    if (with_numbers) {
      target.mult = number().index;
      target.beta = number().index;
    }
    body_.targets.push_back(target);
    return *this;
  }
  [[nodiscard]] const FusedBody& body() const { return body_; }

 private:
  FusedBody body_;
};

struct Sample {
  std::string name;
  FusedBody body;
};

/// The steps of a family, at most six a body, each of them stored.
inline std::vector<Sample> of_family(Family family) {
  std::vector<Sample> samples;
  std::vector<Op> ops;
  for (const auto& row : cudamat::kOpTable)
    if (row.family == family) ops.push_back(row.op);
  for (std::size_t first = 0; first < ops.size(); first += 6) {
    Maker make;
    std::vector<FusedValue> operands;
    for (int i = 0; i < fused_operands(ops[first]); ++i)
      operands.push_back(make.input(i == 1 ? Spread::Row : Spread::Whole));
    for (std::size_t i = first; i < std::min(first + 6, ops.size()); ++i)
      make.store(make.step(ops[i], operands));
    samples.push_back({std::string(name(ops[first])) + " and so on", make.body()});
  }
  return samples;
}

inline std::vector<Sample> fixed() {
  std::vector<Sample> samples;
  const auto add = [&](const char* name, const auto& fill) {
    Maker make;
    fill(make);
    samples.push_back({name, make.body()});
  };
  add("layer", [](Maker& m) {
    const auto x = m.input(Spread::Whole), b = m.input(Spread::Column);
    m.store(m.step(Op::sigmoid, {m.step(Op::add, {x, b})}));
  });
  add("gradient", [](Maker& m) {
    const auto h = m.input(Spread::Whole), d = m.input(Spread::Whole);
    m.store(m.step(Op::mult, {d, m.step(Op::mult, {h, m.step(Op::subtract, {m.number(), h})})}));
  });
  add("momentum", [](Maker& m) {
    const auto w = m.input(Spread::Whole), v = m.input(Spread::Whole), g = m.input(Spread::Whole);
    const auto next = m.step(
        Op::subtract, {m.step(Op::mult, {m.number(), v}), m.step(Op::mult, {m.number(), g})});
    m.store(m.step(Op::add, {w, next})).store(next);
  });
  add("sample", [](Maker& m) {
    const auto x = m.input(Spread::Whole), b = m.input(Spread::Row);
    const auto p = m.step(Op::sigmoid, {m.step(Op::add, {x, b})});
    m.store(m.step(Op::less_than, {m.step(Op::fill_with_rand), p})).store(p);
  });
  add("noise", [](Maker& m) {
    const auto x = m.input(Spread::Whole), scale = m.input(Spread::One);
    const auto a = m.step(Op::fill_with_randn), b = m.step(Op::fill_with_rand);
    const auto sum = m.step(Op::add, {m.step(Op::mult, {a, scale}), m.step(Op::mult, {b, x})});
    m.store(sum).reduce(Op::sum, b, 1);
  });
  add("dropout", [](Maker& m) {
    const auto x = m.input(Spread::Whole), y = m.input(Spread::Whole);
    const auto kept = m.step(Op::less_than, {m.step(Op::fill_with_rand), m.number()});
    m.step(Op::fill_with_rand);  // is drawn, and not used
    const auto others = m.step(Op::less_than, {m.step(Op::fill_with_rand), y});
    m.store(m.step(Op::mult, {x, kept})).store(others).reduce(Op::sum, kept, 0);
  });
  add("softmax", [](Maker& m) {
    const auto x = m.input(Spread::Whole), most = m.input(Spread::Row);
    const auto e = m.step(Op::exp, {m.step(Op::subtract, {x, most})});
    m.store(e).reduce(Op::sum, e, 0).reduce(Op::mean, x, 0, true);
  });
  add("error", [](Maker& m) {
    const auto d = m.step(Op::subtract, {m.input(Spread::Whole), m.input(Spread::Whole)});
    m.reduce(Op::total_sum, m.step(Op::mult, {d, d}), 0, true).reduce(Op::total_max, d, 0);
    m.reduce(Op::total_mean, d, 0);
  });
  add("reductions", [](Maker& m) {
    const auto x = m.input(Spread::Whole), y = m.input(Spread::Column);
    const auto less = m.step(Op::less_than, {x, y});
    m.reduce(Op::any, less, 1).reduce(Op::all, less, 1).reduce(Op::min, x, 1);
    m.reduce(Op::max, x, 1).reduce(Op::prod, m.step(Op::abs, {x}), 1, true).store(less);
  });
  add("extremes", [](Maker& m) {
    const auto x = m.input(Spread::Whole), y = m.input(Spread::Column);
    const auto sum = m.step(Op::add, {x, y}), product = m.step(Op::mult, {x, y});
    m.reduce(Op::min, sum, 1).reduce(Op::max, product, 1).reduce(Op::mean, x, 1, true);
    m.store(sum);
  });
  add("choice", [](Maker& m) {
    const auto x = m.input(Spread::Whole), y = m.input(Spread::Whole);
    const auto shrunk = m.step(Op::soft_threshold, {x, m.number()});
    const auto chosen = m.step(Op::where, {y, shrunk, m.input(Spread::One)});
    m.store(m.step(Op::mult_by_sigmoid_deriv, {chosen, y}));
  });
  add("spreads", [](Maker& m) {
    m.store(m.input(Spread::Row)).store(m.input(Spread::Column)).store(m.input(Spread::One));
    m.store(m.number()).store(m.input(Spread::Whole));
  });
  add("number", [](Maker& m) { m.store(m.step(Op::sqrt, {m.number()})); });
  for (const Family family : {Family::Unary, Family::Binary})
    for (Sample& sample : of_family(family)) samples.push_back(std::move(sample));
  return samples;
}

/// Bodies that use their own reductions.
inline std::vector<Sample> using_reductions() {
  std::vector<Sample> samples;
  for (const int axis : {0, 1}) {
    const Spread other = axis == 0 ? Spread::Column : Spread::Row;
    const auto add = [&](const char* name, const auto& fill) {
      Maker make;
      fill(make);
      samples.push_back({fmt::format("{} over axis {}", name, axis), make.body()});
    };
    add("softmax", [&](Maker& m) {
      const auto x = m.input(Spread::Whole);
      const auto e = m.step(Op::exp, {m.step(Op::subtract, {x, m.over(Op::max, x, axis)})});
      m.store(m.step(Op::divide, {e, m.over(Op::sum, e, axis)}));
    });
    add("layer norm", [&](Maker& m) {
      const auto x = m.input(Spread::Whole), gain = m.input(other), bias = m.input(other);
      const auto mean = m.over(Op::mean, x, axis);
      const auto centred = m.step(Op::subtract, {x, mean});
      const auto variance = m.over(Op::mean, m.step(Op::mult, {centred, centred}), axis);
      const auto scale = m.step(Op::sqrt, {m.step(Op::add, {variance, m.number()})});
      const auto normal = m.step(Op::divide, {centred, scale});
      m.store(m.step(Op::add, {m.step(Op::mult, {normal, gain}), bias}));
      m.store_vector(mean, axis).store_vector(scale, axis);
    });
    add("normalise", [&](Maker& m) {
      const auto x = m.input(Spread::Whole);
      const auto norm = m.step(Op::sqrt, {m.over(Op::sum, m.step(Op::mult, {x, x}), axis)});
      const auto y = m.step(Op::divide, {x, norm});
      m.store(y).reduce(Op::max, m.step(Op::abs, {y}), axis).reduce(Op::sum, x, axis, true);
    });
    add("nearest", [&](Maker& m) {  // of k-means: which distances are the least
      const auto x = m.input(Spread::Whole), y = m.input(Spread::Whole);
      const auto d = m.step(Op::subtract, {x, m.step(Op::mult, {y, m.number()})});
      const auto least = m.step(Op::equals, {d, m.over(Op::min, d, axis)});
      m.store(d).store(m.step(Op::divide, {least, m.over(Op::sum, least, axis)}));
    });
    add("vectors alone", [&](Maker& m) {
      const auto x = m.input(Spread::Whole), v = m.input(axis == 0 ? Spread::Row : Spread::Column);
      const auto all = m.over(Op::all, x, axis), any = m.over(Op::any, x, axis);
      m.store_vector(m.step(Op::subtract, {any, all}), axis).store_vector(any, axis);
      m.store_vector(m.step(Op::mult, {v, m.over(Op::prod, x, axis)}), axis).store(all);
    });
  }
  return samples;
}

/// Of what has the same bits whatever the sign of a NaN. uses_reductions: in steps, too, and then
/// without draws.
inline Sample random(unsigned seed, bool uses_reductions = false) {
  std::mt19937 generator(seed);
  const auto below = [&](int n) { return std::uniform_int_distribution(0, n - 1)(generator); };
  std::vector<Op> ops;
  for (const auto& row : cudamat::kOpTable)
    if (fused_operands(row.op) >= (uses_reductions ? 1 : 0) && row.op != Op::copysign)
      ops.push_back(row.op);
  Maker make;
  std::vector<FusedValue> values;
  for (int i = 0, n = 1 + below(4); i < n; ++i)
    values.push_back(make.input(static_cast<Spread>(below(2) == 0 ? 0 : below(4))));
  for (int i = 0, n = below(3); i < n; ++i) values.push_back(make.number());
  const int axis = uses_reductions ? below(2) : 0;
  std::vector<FusedValue> vectors;
  for (int i = 0, n = 1 + below(9); i < n; ++i) {
    if (uses_reductions && below(3) == 0) {
      constexpr Op kOver[] = {Op::sum, Op::mean, Op::max, Op::min, Op::prod, Op::any, Op::all};
      const auto& of = values[std::size_t(below(static_cast<int>(values.size())))];
      values.push_back(make.over(kOver[below(7)], of, axis));
      vectors.push_back(values.back());
      continue;
    }
    const Op op = ops[std::size_t(below(static_cast<int>(ops.size())))];
    std::vector<FusedValue> operands;
    for (int k = 0; k < fused_operands(op); ++k)
      operands.push_back(row(op).family == Family::UnaryScalar && k == 1
                             ? make.number()
                             : values[std::size_t(below(static_cast<int>(values.size())))]);
    values.push_back(make.step(op, operands));
  }
  for (const FusedValue& vector : vectors)
    if (below(3) == 0) make.store_vector(vector, axis);
  const int direction = uses_reductions ? axis : below(3);
  for (int i = 0, n = 1 + below(3); i < n; ++i) {
    const auto& value = i == 0 ? values.back() : values[std::size_t(below(int(values.size())))];
    if (i == 0 || below(2) == 0)
      make.store(value);
    else if (direction == 2)
      make.reduce(Op::total_sum, value, 0, below(2) == 0);
    else
      make.reduce(below(2) == 0 ? Op::sum : Op::max, value, direction, below(2) == 0);
  }
  return {"random " + std::to_string(seed), make.body()};
}

}  // namespace fused_test
