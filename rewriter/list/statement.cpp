#include "rewriter/list/statement.hpp"

#include <algorithm>
#include <map>

#include "cudamat/error.hpp"

namespace rewriter {

cudamat::Shape held_shape(const Binding& binding) {
  const cudamat::Shape shape = matrix_shape(binding.dims);
  return binding.transposed ? shape.transposed() : shape;
}

bool in_memory_order(const Binding& binding) {
  const cudamat::Shape shape = held_shape(binding);
  return in_c_order(binding) || shape.rows == 1 || shape.cols == 1;
}

cudamat::Shape matrix_shape(const Dims& dims) {
  switch (dims.size()) {
    case 0:
      return {1, 1};
    case 1:
      return {1, dims[0]};
    case 2:
      return {dims[0], dims[1]};
    default: {
      Index others = 1;
      for (std::size_t i = 0; i + 1 < dims.size(); ++i) others *= dims[i];
      return {dims.back(), others};
    }
  }
}

LoopNesting loop_nesting(const StatementList& list) {
  const std::size_t n = list.statements.size();
  LoopNesting nesting{std::vector(n, kNoStatement), std::vector(n, kNoStatement)};
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < n; ++i) {
    const Statement& s = list.statements[i];
    if (s.kind == Statement::Kind::End) {
      if (open.empty() || list.statements[open.back()].loop != s.loop)
        throw cudamat::InternalError("statement list: an End without its Loop");
      nesting.partner[i] = open.back();
      nesting.partner[open.back()] = i;
      open.pop_back();
    }
    if (!open.empty()) nesting.around[i] = open.back();
    if (s.kind == Statement::Kind::Loop) open.push_back(i);
  }
  if (!open.empty()) throw cudamat::InternalError("statement list: a Loop without an End");
  return nesting;
}

std::vector<int> conditions_around(const StatementList& list) {
  std::vector<int> result;
  result.reserve(list.statements.size());
  int depth = 0;
  for (const Statement& s : list.statements) {
    const bool condition = (s.kind == Statement::Kind::Loop || s.kind == Statement::Kind::End) &&
                           list.loops[static_cast<std::size_t>(s.loop)].may_be_skipped();
    if (condition && s.kind == Statement::Kind::End) --depth;
    result.push_back(depth);
    if (condition && s.kind == Statement::Kind::Loop) ++depth;
  }
  return result;
}

ListInteger sum(const ListInteger& a, const ListInteger& b, Index factor) {
  std::map<int, Index> factors;
  for (const auto& [loop, by] : a.terms) factors[loop] = checked_sum(factors[loop], by);
  for (const auto& [loop, by] : b.terms)
    factors[loop] = checked_sum(factors[loop], checked_product(by, factor));
  ListInteger result{checked_sum(a.constant, checked_product(b.constant, factor)), {}};
  for (const auto& [loop, by] : factors)
    if (by != 0) result.terms.push_back({loop, by});
  return result;
}

ListInteger slice_bound(const Statement& slice, std::size_t which) {
  const ListInteger bound{slice.integers.at(which), slice.terms};
  return which == 1 && !slice.stretch.empty() ? sum(bound, {0, slice.stretch}) : bound;
}

bool same_shape(const StatementList& list, Var a, Var b) {
  const Variable& x = list.variables[a];
  const Variable& y = list.variables[b];
  return x.shape == y.shape && x.varying == y.varying;
}

Var owner(const StatementList& list, Var var) {
  const Var base = list.variables[var].view_of;
  return base == kNoVar ? var : base;
}

bool shows_all(const StatementList& list, Var var, Var owner) {
  const Variable& shown = list.variables[var];
  const Variable& memory = list.variables[owner];
  return var == owner ||
         (shown.varying || memory.varying ? same_shape(list, var, owner)
                                          : shown.shape.size() == memory.shape.size());
}

bool draws(const Statement& s) {
  if (s.kind == Statement::Kind::Fused)
    return std::any_of(s.fused->steps.begin(), s.fused->steps.end(),
                       [](const cudamat::FusedStep& step) { return step.draws(); });
  return s.kind == Statement::Kind::Call && cudamat::row(s.op).family == cudamat::Family::Fill;
}

bool may_raise(const Statement& s) {
  if (s.kind != Statement::Kind::Call) return false;
  const cudamat::Family family = cudamat::row(s.op).family;
  const bool is_total = s.op == Op::det || s.op == Op::slogdet || s.op == Op::qr;
  return family == cudamat::Family::Select || (family == cudamat::Family::Solver && !is_total);
}

bool writes_part(const Statement& call, std::size_t i) {
  if (call.kind == Statement::Kind::Fused)
    return rows_of(call, call.operands.size() + i) != nullptr;
  if (call.kind == Statement::Kind::Custom) return false;
  return cudamat::row(call.op).family == cudamat::Family::SetSlice;
}

bool reads_target(const Statement& call, std::size_t i) {
  using cudamat::Family;
  if (call.kind == Statement::Kind::Fused) {
    const int beta = call.fused->targets[i].beta;
    return beta >= 0 && call.numbers[static_cast<std::size_t>(beta)] != 0;
  }
  if (call.kind == Statement::Kind::Custom) return false;
  switch (cudamat::row(call.op).family) {
    case Family::Scaled:
    case Family::Modulate:
      return true;
    case Family::Select:
      return call.op == Op::set_selected_columns;
    case Family::Product:
      return !call.numbers.empty() && call.numbers[0] != 0;
    case Family::Accumulate:
    case Family::AddProduct:
      return call.numbers[1] != 0;
    default:
      return false;
  }
}

}  // namespace rewriter
