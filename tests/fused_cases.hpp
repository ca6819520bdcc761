// Calls of fused statements with all the memory that they may touch, made at random, and the
// comparison of the CPU engine with the calls that they stand for, bit for bit.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <sstream>

#include "cudamat/detail/unfused.hpp"
#include "npmat/engine.hpp"

namespace fused_cases {

using cudamat::fused_operands;
using cudamat::FusedBody;
using cudamat::FusedCall;
using cudamat::FusedStep;
using cudamat::FusedTarget;
using cudamat::FusedValue;
using cudamat::Index;
using cudamat::Op;
using cudamat::Spread;

inline FusedValue step(int s) {
  return {FusedValue::Kind::Step, s};
}
inline FusedValue input(int i) {
  return {FusedValue::Kind::Input, i};
}
inline FusedValue number(int n) {
  return {FusedValue::Kind::Number, n};
}

/// A call and all the memory that it may touch.
template <class T>
struct Case {
  struct Where {
    std::size_t array;
    Index ld;
    Index at = 0;  ///< its first element
  };

  FusedBody body;
  Index rows = 0, cols = 0;
  std::vector<T> numbers;
  std::vector<std::vector<T>> arrays;
  std::vector<Where> inputs, targets;

  std::size_t make(Index size, T value) {
    arrays.emplace_back(std::size_t(size), value);
    return arrays.size() - 1;
  }

  /// Calls f with the call, and afterwards draws from the stream.
  template <class F>
  std::vector<T> run(const F& f) {
    std::vector<typename FusedCall<T>::Input> ins;
    std::vector<typename FusedCall<T>::Target> outs;
    for (const Where& in : inputs) ins.push_back({arrays[in.array].data() + in.at, in.ld});
    for (const Where& out : targets) outs.push_back({arrays[out.array].data() + out.at, out.ld});
    npmat::Engine<T>::seed(7);
    std::vector<T> drawn(9);
    npmat::Engine<T>::uniform(drawn.data(), 3);
    f(FusedCall<T>{body, rows, cols, ins, numbers, outs});
    npmat::Engine<T>::uniform(drawn.data(), 9);
    return drawn;
  }

  [[nodiscard]] std::string text() const {
    std::ostringstream out;
    out << rows << " x " << cols;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      out << "; input " << i << " spread " << int(body.inputs[i]) << " ld " << inputs[i].ld
          << " array " << inputs[i].array;
    const auto value = [&](const FusedValue& of) {
      out << " sin"[1 + int(of.kind)] << of.index << ' ';
    };
    for (std::size_t s = 0; s < body.steps.size(); ++s) {
      out << "\ns" << s << " = " << cudamat::name(body.steps[s].op) << ' ';
      if (body.steps[s].reduces()) out << "axis " << body.steps[s].axis << ' ';
      for (int o = 0; o < body.steps[s].count; ++o) value(body.steps[s].operands[std::size_t(o)]);
    }
    for (std::size_t t = 0; t < targets.size(); ++t) {
      out << "\ntarget array " << targets[t].array << " ld " << targets[t].ld << ": "
          << cudamat::name(body.targets[t].op) << " lies " << int(body.targets[t].lies) << " axis "
          << body.targets[t].axis << " mult " << body.targets[t].mult << " beta "
          << body.targets[t].beta << ' ';
      value(body.targets[t].value);
    }
    return out.str();
  }
};

template <class T>
bool same(T x, T y) {
  return std::isnan(x) ? std::isnan(y) : x == y && std::signbit(x) == std::signbit(y);
}

template <class T>
void expect_same(const std::vector<T>& got, const std::vector<T>& expected, const Case<T>& of,
                 std::size_t array) {
  ASSERT_EQ(got.size(), expected.size());
  const std::size_t bytes = got.size() * sizeof(T);
  if (bytes == 0 || std::memcmp(got.data(), expected.data(), bytes) == 0) return;  // most often
  for (std::size_t i = 0; i < got.size(); ++i)
    ASSERT_TRUE(same(got[i], expected[i])) << "array " << array << ", element " << i << ": "
                                           << got[i] << " for " << expected[i] << "\n"
                                           << of.text();
}

/// The case, fused and as single calls.
template <class T>
void check(const Case<T>& of) {
  Case<T> expected = of, got = of;
  const auto stream =
      expected.run([](const auto& call) { cudamat::detail::unfused<npmat::Engine<T>>(call); });
  const auto stream_got = got.run([](const auto& call) { npmat::Engine<T>::fused(call); });
  for (std::size_t a = 0; a < of.arrays.size(); ++a)
    expect_same(got.arrays[a], expected.arrays[a], of, a);
  expect_same(stream_got, stream, of, of.arrays.size());
}

/// Makes cases at random.
template <class T>
class Maker {
 public:
  explicit Maker(unsigned seed) : random_(seed) {}

  /// direction: that of reductions, 2 over everything, 3 none. uses_reductions: over axis 0 or 1,
  /// and steps use them.
  Case<T> make(Index rows, Index cols, int direction, int most_steps,
               bool uses_reductions = false) {
    Case<T> made;
    uses_reductions_ = uses_reductions;
    direction_ = direction;
    made.rows = rows;
    made.cols = cols;
    made.body.numbers = 3;
    for (int n = 0; n < 3; ++n) made.numbers.push_back(value());
    add_inputs(made);
    const int steps = below(most_steps + 1);
    for (int s = 0; s < steps; ++s) add_step(made);
    const int targets = 1 + below(4);
    for (int t = 0; t < targets; ++t) add_target(made, direction);
    return made;
  }

 private:
  int below(int n) { return int(random_() % unsigned(n)); }
  bool one_in(int n) { return below(n) == 0; }

  T value() {
    static constexpr T kSpecial[] = {0,
                                     T(-0.0),
                                     1,
                                     -1,
                                     T(0.5),
                                     2,
                                     T(1e-30),
                                     std::numeric_limits<T>::infinity(),
                                     -std::numeric_limits<T>::infinity(),
                                     std::numeric_limits<T>::quiet_NaN()};
    if (one_in(24)) return kSpecial[below(10)];
    return T(below(20001) - 10000) / T(2500);
  }

  void add_array(Case<T>& made, Index size) {
    for (T& x : made.arrays[made.make(size, 0)]) x = value();
  }

  void add_inputs(Case<T>& made) {
    const int inputs = 1 + below(4);
    for (int i = 0; i < inputs; ++i) {
      const auto spread = one_in(2) ? Spread::Whole : Spread(below(4));
      made.body.inputs.push_back(spread);
      const Index high = spread == Spread::Whole || spread == Spread::Column ? made.rows : 1;
      const Index wide = spread == Spread::Whole || spread == Spread::Row ? made.cols : 1;
      const Index ld = high + (one_in(2) && spread != Spread::Column ? 1 + below(3) : 0);
      made.inputs.push_back({made.arrays.size(), ld});
      add_array(made, ld * wide);
    }
  }

  FusedValue operand(const Case<T>& made) {
    const int steps = int(made.body.steps.size());
    if (steps > 0 && !one_in(3)) return step(one_in(2) ? steps - 1 : below(steps));
    return one_in(4) ? number(below(3)) : input(below(int(made.inputs.size())));
  }

  void add_step(Case<T>& made) {
    FusedStep added;
    if (uses_reductions_ && one_in(3)) {
      added = {kOverAxis[below(7)], 1, {operand(made)}};
      added.axis = direction_;
      made.body.steps.push_back(added);
      return;
    }
    do {
      added.op = cudamat::kOpTable[random_() % cudamat::kOpCount].op;
      // The slow ones less often, and the arithmetic of most programs more often.
      if (one_in(2)) added.op = Op(int(Op::add) + below(4));
      added.count = fused_operands(added.op);
    } while (added.count < 0 || (uses_reductions_ && added.draws()));
    for (int o = 0; o < added.count; ++o) added.operands[std::size_t(o)] = operand(made);
    made.body.steps.push_back(added);
  }

  void add_target(Case<T>& made, int direction) {
    static constexpr Op kOverAll[] = {Op::total_sum, Op::total_mean, Op::total_max};
    FusedTarget added;
    added.value = operand(made);
    const Spread lies = spread_of(made.body, fused_spreads(made.body), added.value);
    if (uses_reductions_ && (lies == Spread::Row || lies == Spread::Column) && !one_in(3)) {
      added.lies = lies;
      made.body.targets.push_back(added);
      made.targets.push_back({made.arrays.size(), 1});
      add_array(made, lies == Spread::Row ? made.cols : made.rows);
      return;
    }
    if (direction == 3 || one_in(2)) {
      made.body.targets.push_back(added);
      add_stored(made);
      return;
    }
    added.op = direction == 2 ? kOverAll[below(3)] : kOverAxis[below(7)];
    added.axis = direction == 1 ? 1 : 0;
    if (one_in(3)) added.mult = below(3);
    if (one_in(3)) added.beta = below(3);
    made.body.targets.push_back(added);
    const Index size = direction == 2 ? 1 : direction == 1 ? made.rows : made.cols;
    made.targets.push_back({made.arrays.size(), one_in(2) ? 1 : 17});
    add_array(made, size);
  }

  void add_stored(Case<T>& made) {
    for (std::size_t i = 0; i < made.inputs.size(); ++i) {
      const auto is_taken = [&](const auto& target) {
        return target.array == made.inputs[i].array;
      };
      if (made.body.inputs[i] == Spread::Whole && one_in(3) &&
          std::none_of(made.targets.begin(), made.targets.end(), is_taken)) {
        made.targets.push_back(made.inputs[i]);
        return;
      }
    }
    const Index ld = made.rows + (one_in(3) ? 1 + below(3) : 0);
    made.targets.push_back({made.arrays.size(), ld});
    add_array(made, ld * made.cols);
  }

  static constexpr Op kOverAxis[] = {Op::sum,  Op::mean, Op::max, Op::min,
                                     Op::prod, Op::any,  Op::all};

  std::mt19937 random_;
  bool uses_reductions_ = false;
  int direction_ = 0;
};

}  // namespace fused_cases
