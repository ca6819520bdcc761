// One call of a statement list on the matrices of its variables, on any engine.
#pragma once

#include <algorithm>
#include <span>
#include <type_traits>
#include <utility>

#include "cudamat/detail/bincount.hpp"
#include "cudamat/functions.hpp"
#include "npmat/engine.hpp"
#include "rewriter/expr/number_in.hpp"
#include "rewriter/list/call_form.hpp"
#include "rewriter/list/statement.hpp"

namespace rewriter {
namespace detail {

/// NumPy's error where an index is out of bounds.
[[noreturn]] inline void bad_index(double index, Index size) {
  cudamat::misuse("index", "index {} is out of bounds for axis with size {}", index, size);
}

/// The matrices by variable; `shift` and `stretch` are what these terms of the statement add up to
/// in this iteration.
template <class M>
class CallExecutor {
 public:
  using T = typename M::value_type;

  CallExecutor(std::span<M> matrices, Index shift, Index stretch)
      : matrices_(matrices), shift_(shift), stretch_(stretch) {}

  void call(const Statement& s);

 private:
  void elementwise(const Statement& s, const M& a, M& t);
  void reduction(const Statement& s, M& t);
  void product(const Statement& s, M& t);
  void slice(const Statement& s, M& t);
  void select(const Statement& s, M& t);

  M& matrix(Var var) { return matrices_[static_cast<std::size_t>(var)]; }
  static T value(double number) { return number_in<T>(number); }

  /// The operand as its flag says.
  template <class F>
  void with_flag(const Statement::Operand& operand, const F& use) {
    if (operand.transposed)
      use(std::as_const(matrix(operand.var)).T());
    else
      use(std::as_const(matrix(operand.var)));
  }

  std::span<M> matrices_;
  Index shift_;
  Index stretch_;
};

template <class M>
void CallExecutor<M>::call(const Statement& s) {
  using cudamat::Family;
  M& t = matrix(s.target);
  const auto operand = [&](std::size_t i) -> const M& { return matrix(s.operands[i].var); };
  switch (cudamat::row(s.op).family) {
    case Family::Reduction:
    case Family::ArgReduction:
    case Family::Accumulate:
      return reduction(s, t);
    case Family::Product:
    case Family::AddProduct:
      return product(s, t);
    case Family::GetSlice:
    case Family::SetSlice:
      return slice(s, t);
    case Family::Where:
      cudamat::where(operand(0), operand(1), operand(2), t);
      return;
    case Family::Whole:
      if (s.op == Op::vdot)
        cudamat::vdot(operand(0), operand(1), t);
      else
        elementwise(s, operand(0), t);
      return;
    case Family::Assign:
      if (s.operands.empty())
        t.assign(value(s.terms.empty() ? s.numbers[0].value()  // -0 + 0 would be 0
                                       : s.numbers[0].value() + static_cast<double>(shift_)));
      else
        t.assign(operand(0));
      return;
    case Family::Fill:
      if (s.op == Op::fill_with_rand)
        t.fill_with_rand();
      else
        t.fill_with_randn();
      return;
    case Family::Transpose:
      operand(0).transpose(t);
      return;
    case Family::Select:
      return select(s, t);
    case Family::Scan:
      operand(0).cumsum(t);
      return;
    case Family::Sort:
      if (s.op == Op::sort)
        operand(0).sort(t);
      else
        operand(0).argsort(t);
      return;
    case Family::Solver:
      M::solver(s.op, operand(0), s.operands.size() == 2 ? &operand(1) : nullptr,
                s.numbers.empty() ? T(0) : value(s.numbers[0].value()), t);
      return;
    default:
      return elementwise(s, operand(0), t);
  }
}

template <class M>
void CallExecutor<M>::elementwise(const Statement& s, const M& a, M& t) {
  const auto second = [&]() -> const M& { return matrix(s.operands[1].var); };
  switch (s.op) {
#define ROW(op, family, style, functor, numpy, facts) \
  case Op::op:                                        \
    a.op(t);                                          \
    return;
    CUDAMAT_UNARY_OPS(ROW)
#undef ROW
#define ROW(op, family, style, functor, numpy, facts) \
  case Op::op:                                        \
    if (s.operands.size() == 2)                       \
      a.op(second(), t);                              \
    else                                              \
      a.op(value(s.numbers[0].value()), t);           \
    return;
    CUDAMAT_BINARY_OPS(ROW)
#undef ROW
#define ROW(op, family, style, functor, numpy, facts) \
  case Op::op:                                        \
    a.op(second(), t);                                \
    return;
    CUDAMAT_BROADCAST_OPS(ROW)
#undef ROW
    case Op::soft_threshold:
      a.soft_threshold(value(s.numbers[0].value()), t);
      return;
    case Op::add_col_mult:
      a.add_col_mult(second(), value(s.numbers[0].value()), t);
      return;
    case Op::add_mult:
      t.add_mult(a, value(s.numbers[0].value()));
      return;
    case Op::subtract_mult:
      t.subtract_mult(a, value(s.numbers[0].value()));
      return;
    case Op::mult_by_sigmoid_deriv:
      t.mult_by_sigmoid_deriv(a);
      return;
    case Op::euclid_norm:
      a.euclid_norm(t);
      return;
    case Op::manhattan_norm:
      a.manhattan_norm(t);
      return;
    case Op::allfinite:
      a.allfinite(t);
      return;
    case Op::total_sum:
      a.total_sum(t);
      return;
    case Op::total_max:
      a.total_max(t);
      return;
    case Op::total_mean:
      a.total_mean(t);
      return;
    default:
      throw cudamat::InternalError(fmt::format("run: {} is not a call", cudamat::name(s.op)));
  }
}

template <class M>
void CallExecutor<M>::reduction(const Statement& s, M& t) {
  const int axis = static_cast<int>(s.integers[0]);
  const T mult = s.numbers.empty() ? T(1) : value(s.numbers[0].value());
  const T beta = s.numbers.size() == 2 ? value(s.numbers[1].value()) : T(0);
  with_flag(s.operands[0], [&](const M& a) { M::reduce(s.op, a, axis, t, mult, beta); });
}

template <class M>
void CallExecutor<M>::product(const Statement& s, M& t) {
  const ProductFactors factors = product_factors(s);
  const T beta = value(factors.beta), alpha = value(factors.alpha);
  with_flag(s.operands[0], [&](const M& a) {
    with_flag(s.operands[1], [&](const M& b) { M::product(s.op, a, b, t, beta, alpha); });
  });
}

template <class M>
void CallExecutor<M>::slice(const Statement& s, M& t) {
  const M& a = matrix(s.operands[0].var);
  const Index first = s.integers[0] + shift_;
  const Index last = s.integers[1] + shift_ + stretch_;
  if (s.op == Op::get_row_slice)
    a.get_row_slice(first, last, t);
  else if (s.op == Op::get_col_slice)
    a.get_col_slice(first, last, t);
  else if (s.op == Op::set_row_slice)
    t.set_row_slice(first, last, a);
  else
    t.set_col_slice(first, last, a);
}

/// NumPy's error where an index is out of bounds; Cudamat's calls would go on with NaN.
template <class M>
void CallExecutor<M>::select(const Statement& s, M& t) {
  const bool gets = s.op == Op::select_columns;
  M& first = matrix(s.operands[0].var);
  M& second = matrix(s.operands[1].var);
  M& indices = gets ? second : first;
  const Index extent = gets ? first.cols() : t.cols();
  const auto check = [extent](std::span<const T> all) {
    const T least = static_cast<T>(-extent), end = static_cast<T>(extent);
    cudamat::detail::for_blocks_of_keys(
        all.data(), std::ssize(all), -extent, extent, [](const auto&...) {},
        [&](Index begin, Index count) {
          for (const T index : all.subspan(std::size_t(begin), std::size_t(count)))
            if (!(index >= least && index < end) || index != static_cast<T>(Index(index)))
              bad_index(static_cast<double>(index), extent);
        });
  };
  if constexpr (std::is_base_of_v<npmat::Engine<T>, typename M::engine>)
    check({indices.data(), static_cast<std::size_t>(indices.size())});
  else
    check(indices.asarray().values());
  if (gets)
    first.select_columns(indices, t);
  else
    t.set_selected_columns(indices, second);
}

}  // namespace detail

/// Requires a statement of kind Call in a list that verify() accepts.
template <class M>
void execute_call(const Statement& call, std::span<M> matrices, Index shift = 0,
                  Index stretch = 0) {
  detail::CallExecutor<M>(matrices, shift, stretch).call(call);
}

}  // namespace rewriter
