// A fused statement, operation by operation: what it means, on any engine, and what an engine does
// that has no better way for it.
//
// Every step is a call of its own with a temporary for its result, freed after the last use. What
// is stored goes straight to its target unless that is an input too: such a target is written last,
// when nothing reads the input any more. Where there is no memory for a temporary, targets that are
// inputs or reductions are as they were.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "cudamat/buffer.hpp"
#include "cudamat/detail/fused_cut.hpp"
#include "cudamat/error.hpp"
#include "cudamat/fused.hpp"

namespace cudamat::detail {

template <class E>
class Unfused {
 public:
  using T = typename E::value_type;

  explicit Unfused(const FusedCall<T>& call)
      : call_(call),
        n_(call.rows * call.cols),
        steps_(call.body.steps.size()),
        inputs_(call.body.inputs.size()) {
    const auto& body = call.body;
    for (std::size_t s = 0; s < steps_.size(); ++s)
      for (const FusedValue& operand : body.steps[s].values()) use(operand, s);
    for (const FusedTarget& target : body.targets) use(target.value, steps_.size());
    for (std::size_t t = 0; t < body.targets.size(); ++t) give_home(t);
  }

  /// Computes everything, then stores.
  void run() {
    if (n_ > 0)
      for (std::size_t s = 0; s < steps_.size(); ++s) step(s);
    const std::vector<Operand> values = results();
    for (std::size_t t = 0; t < values.size(); ++t)
      if (call_.body.targets[t].is_reduced()) reduce(t, values[t].data);
    for (std::size_t t = 0; n_ > 0 && t < values.size(); ++t)
      if (!call_.body.targets[t].is_reduced()) store(t, values[t].data);
  }

 private:
  using Memory = std::unique_ptr<Buffer<E>>;

  /// A value, rows x cols and contiguous, once it is there.
  struct Value {
    T* home = nullptr;  ///< the target that it is computed in
    Memory memory;      ///< or a temporary
    std::ptrdiff_t last =
        -1;  ///< the step after which nobody needs it; that past the last: targets

    [[nodiscard]] T* data() const { return home != nullptr ? home : memory->data(); }
  };

  /// An operand: memory that it has for itself, if any, and where the numbers are.
  struct Operand {
    const T* data = nullptr;
    Memory memory;
  };

  void use(const FusedValue& value, std::size_t step) {
    if (Value* const used = held(value)) used->last = std::ptrdiff_t(step);
  }

  /// What there is of a value for more than one use; numbers have nothing.
  Value* held(const FusedValue& value) {
    switch (value.kind) {
      case FusedValue::Kind::Step:
        return &steps_[std::size_t(value.index)];
      case FusedValue::Kind::Input:
        return &inputs_[std::size_t(value.index)];
      case FusedValue::Kind::Number:
        break;
    }
    return nullptr;
  }

  [[nodiscard]] bool is_input(const T* data) const {
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      if (call_.body.inputs[i] == Spread::Whole && call_.inputs[i].data == data) return true;
    return false;
  }

  void give_home(std::size_t t) {
    const FusedTarget& target = call_.body.targets[t];
    const auto& [data, ld] = call_.targets[t];
    if (!target.is_stored() || target.value.kind != FusedValue::Kind::Step) return;
    Value& value = steps_[std::size_t(target.value.index)];
    if (value.home == nullptr && call_.is_contiguous(ld) && !is_input(data)) value.home = data;
  }

  [[nodiscard]] Memory make() const { return std::make_unique<Buffer<E>>(n_); }

  [[nodiscard]] T number(int index, T otherwise) const {
    return index < 0 ? otherwise : call_.numbers[std::size_t(index)];
  }

  /// The same numbers over the whole space. (1 x is x, a zero's sign and NaN included.)
  void spread(Spread how, const typename FusedCall<T>::Input& input, T* target) const {
    const Index rows = call_.rows, cols = call_.cols;
    if (how == Spread::Whole)
      return E::copy_block({rows, cols, input.data, input.ld, target, rows});
    E::fill(target, n_, T(1));
    if (how == Spread::Column) {
      E::map({Op::mult_by_col, rows, cols, target, Second::Column, input.data, T(0), T(1), target});
    } else if (how == Spread::One) {
      E::map({Op::mult_by_row, n_, 1, target, Second::Row, input.data, T(0), T(1), target});
    } else {
      const Buffer<E> row(cols);
      E::copy_block({1, cols, input.data, input.ld, row.data(), 1});
      E::map({Op::mult_by_row, rows, cols, target, Second::Row, row.data(), T(0), T(1), target});
    }
  }

  /// The value as a matrix of the space.
  Operand whole(const FusedValue& value) {
    const auto index = std::size_t(value.index);
    switch (value.kind) {
      case FusedValue::Kind::Step:
        return {steps_[index].data(), nullptr};
      case FusedValue::Kind::Number: {
        Memory memory = make();
        E::fill(memory->data(), n_, call_.numbers[index]);
        const T* const data = memory->data();
        return {data, std::move(memory)};
      }
      case FusedValue::Kind::Input:
        break;
    }
    const Spread how = call_.body.inputs[index];
    const auto& input = call_.inputs[index];
    if (how == Spread::Whole && call_.is_contiguous(input.ld)) return {input.data, nullptr};
    Memory& memory = inputs_[index].memory;
    if (memory == nullptr) {
      memory = make();
      spread(how, input, memory->data());
    }
    return {memory->data(), nullptr};
  }

  /// Where step s puts its result: its home, an operand that only it needs any more, or new memory.
  T* place_of(std::size_t s) {
    Value& result = steps_[s];
    if (result.home != nullptr) return result.home;
    const FusedStep& step = call_.body.steps[s];
    for (const FusedValue& operand : step.values()) {
      if (operand.kind != FusedValue::Kind::Step || result.memory != nullptr) continue;
      Value& value = steps_[std::size_t(operand.index)];
      if (value.home == nullptr && value.last == std::ptrdiff_t(s))
        result.memory = std::move(value.memory);
    }
    if (result.memory == nullptr) result.memory = make();
    return result.memory->data();
  }

  /// The operation that takes the step's second operand, a vector that lies contiguous, as it is.
  [[nodiscard]] std::optional<Op> vector_form(const FusedStep& step) const {
    const FusedValue& right = step.operands[1];
    if (right.kind != FusedValue::Kind::Input) return std::nullopt;
    const Spread how = call_.body.inputs[std::size_t(right.index)];
    if (how == Spread::Row && call_.inputs[std::size_t(right.index)].ld != 1) return std::nullopt;
    return with_vector(step.op, how);
  }

  /// The second operand of a step, set in its call but for the address.
  Operand second(const FusedStep& step, MapCall<T>& map) {
    const FusedValue& right = step.operands[1];
    const auto index = std::size_t(right.index);
    if (right.kind == FusedValue::Kind::Number && row(step.op).family != Family::Modulate) {
      map.second = Second::Scalar;
      map.scalar = call_.numbers[index];
      return {};
    }
    if (const auto vector = vector_form(step)) {
      map.op = *vector;
      map.second = call_.body.inputs[index] == Spread::Row ? Second::Row : Second::Column;
      return {call_.inputs[index].data, nullptr};
    }
    map.second = Second::Matrix;
    return whole(right);
  }

  void map(std::size_t s) {
    const FusedStep& step = call_.body.steps[s];
    const Operand a = whole(step.operands[0]);
    MapCall<T> map{step.op, call_.rows, call_.cols, a.data, Second::None,
                   nullptr, T(0),       T(1),       nullptr};
    const Operand b = step.count == 2 ? second(step, map) : Operand{};
    map.b = b.data;
    map.target = place_of(s);
    E::map(map);
  }

  /// A reduction, and its vector over the whole space.
  void reduce_step(std::size_t s) {
    const FusedStep& step = call_.body.steps[s];
    const bool lies = step.axis == 0;
    const Buffer<E> vector(lies ? call_.cols : call_.rows);
    const Operand value = whole(step.operands[0]);
    E::reduce({step.op, step.axis, call_.rows, call_.cols, value.data, T(1), T(0), vector.data()});
    spread(lies ? Spread::Row : Spread::Column, {vector.data(), 1}, place_of(s));
  }

  void step(std::size_t s) {
    const FusedStep& step = call_.body.steps[s];
    if (step.count != (step.reduces() ? 1 : fused_operands(step.op)))
      throw InternalError(fmt::format("fused: {} has {} operands", name(step.op), step.count));
    if (step.draws()) {
      T* const target = place_of(s);
      step.op == Op::fill_with_rand ? E::uniform(target, n_) : E::normal(target, n_);
    } else if (step.reduces()) {
      reduce_step(s);
    } else if (row(step.op).family == Family::Where) {
      const auto& [condition, yes, no] = step.operands;
      const Operand a = whole(condition), b = whole(yes), c = whole(no);
      E::where(a.data, b.data, c.data, place_of(s), n_);
    } else {
      map(s);
    }
    for (const FusedValue& operand : step.values()) {
      Value* const value = held(operand);
      if (value != nullptr && value->last == std::ptrdiff_t(s)) value->memory.reset();
    }
    if (steps_[s].last < 0) steps_[s].memory.reset();
  }

  void reduce(std::size_t t, const T* value) {
    const FusedTarget& target = call_.body.targets[t];
    T* const data = call_.targets[t].data;
    const T mult = number(target.mult, T(1)), beta = number(target.beta, T(0));
    if (row(target.op).family != Family::Whole) {
      if (target.is_total())
        E::reduce({target.op, 1, 1, n_, value, mult, beta, data});
      else
        E::reduce({target.op, target.axis, call_.rows, call_.cols, value, mult, beta, data});
      return;
    }
    E::reduce_all({target.op, n_, value, nullptr, mult, beta, data});
  }

  void store(std::size_t t, const T* value) {
    const auto& [data, ld] = call_.targets[t];
    const Spread lies = call_.body.targets[t].lies;
    if (lies != Spread::Whole) {  // the first row of the value, or its first column
      const Index rows = lies == Spread::Column ? call_.rows : 1;
      const Index cols = lies == Spread::Row ? call_.cols : 1;
      return E::copy_block({rows, cols, value, call_.rows, data, rows});
    }
    if (value != data) E::copy_block({call_.rows, call_.cols, value, call_.rows, data, ld});
  }

  /// The values of the targets. An input that is stored elsewhere is copied: it may be a target.
  std::vector<Operand> results() {
    std::vector<Operand> values(call_.targets.size());
    for (std::size_t t = 0; n_ > 0 && t < values.size(); ++t) {
      const FusedTarget& target = call_.body.targets[t];
      values[t] = whole(target.value);
      if (!target.is_stored() || !is_input(values[t].data)) continue;
      if (values[t].data == call_.targets[t].data) continue;
      values[t].memory = make();
      E::copy(values[t].data, values[t].memory->data(), n_);
      values[t].data = values[t].memory->data();
    }
    return values;
  }

  const FusedCall<T>& call_;
  Index n_;
  std::vector<Value> steps_, inputs_;
};

/// Does what the call says, by the engine's other functions.
template <class E>
void unfused(const FusedCall<typename E::value_type>& call) {
  // Where there are no elements there are vectors, of reductions of nothing.
  if (!call.body.is_plain() && (call.rows == 0 || call.cols == 0))
    return run_parts<E>(call, false, [](const auto& part) { Unfused<E>(part).run(); });
  Unfused<E>(call).run();
}

}  // namespace cudamat::detail
