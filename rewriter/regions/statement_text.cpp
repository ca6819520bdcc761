#include "rewriter/regions/statement_text.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "cudamat/code/step_text.hpp"
#include "npmat/map_tiles.hpp"
#include "npmat/reducers.hpp"
#include "rewriter/expr/number_in.hpp"
#include "rewriter/list/call_form.hpp"
#include "rewriter/list/fusion.hpp"

namespace rewriter {
namespace {

using cudamat::Family;
using cudamat::FusedStep;
using cudamat::FusedValue;
using cudamat::Spread;
using What = Statement::Kind;
using ValueKind = FusedValue::Kind;

constexpr Index kMostElements = 8192;  ///< of a statement that is text; the engine has more threads

constexpr cudamat::code::Spelling kSpelling{"OnCpu<functors::{}>{{}}", "s{}", "e{}", "n{}"};

bool is_one(const ListInteger& value) {
  return value.terms.empty() && value.constant == 1;
}

/// What reduces: a reducer of npmat/reducers.hpp, in T. Empty for others.
std::string reducer(Op op) {
  switch (op) {
    case Op::total_sum:
    case Op::total_mean:
      return "npmat::Total<T>";
    case Op::total_max:
      return "npmat::Plain<T, functors::Max>";
    case Op::euclid_norm:
      return "npmat::Squares<T>";
    case Op::manhattan_norm:
      return "npmat::Magnitudes<T>";
    case Op::vdot:
      return "npmat::Products<T>";
    default:
      if (cudamat::row(op).family != Family::Reduction) return "";
      return fmt::format("npmat::Plain<T, functors::{}>", cudamat::code::functor(op));
  }
}

bool may_be_zero(const ListInteger& value) {
  return !value.terms.empty() || value.constant == 0;
}

/// `value` of `n` elements, reduced in T, as the op's result.
std::string result(Op op, const std::string& value, const std::string& n) {
  if (op == Op::euclid_norm) return fmt::format("T(std::sqrt({}))", value);
  if (op == Op::mean || op == Op::total_mean) return fmt::format("T({}) / T({})", value, n);
  return fmt::format("T({})", value);
}

/// The number as T has it.
template <class T>
std::string literal(T number) {
  if (std::isnan(number)) return "T(__builtin_nan(\"\"))";
  if (std::isinf(number)) return number < 0 ? "T(-__builtin_inf())" : "T(__builtin_inf())";
  return fmt::format("T({:a}L)", static_cast<long double>(number));
}

FusedStep step(Op op, std::initializer_list<FusedValue> operands) {
  FusedStep made{op, static_cast<int>(operands.size())};
  std::ranges::copy(operands, made.operands.begin());
  return made;
}

constexpr FusedValue input(int i) {
  return {ValueKind::Input, i};
}
constexpr FusedValue number(int i) {
  return {ValueKind::Number, i};
}

}  // namespace

template <class T>
std::string StatementText<T>::name(Var var) const {
  return list_.variables[var].name + "_";
}

template <class T>
std::string StatementText<T>::loop_name(int loop) const {
  const std::string& name = list_.loops[loop].name;
  return name.empty() ? fmt::format("loop{}_", loop) : name + "_";
}

template <class T>
std::string StatementText<T>::integer(const ListInteger& value) const {
  std::string text;
  for (const auto& [loop, factor] : value.terms) {
    if (!text.empty()) text += " + ";
    text += factor == 1 ? loop_name(loop) : fmt::format("{}L * {}", factor, loop_name(loop));
  }
  if (text.empty()) return fmt::format("{}L", value.constant);
  if (value.constant != 0) text += fmt::format(" + {}L", value.constant);
  return "(" + text + ")";
}

template <class T>
Extents StatementText<T>::extents(Var var) const {
  const Variable& variable = list_.variables[var];
  return variable.varying ? *variable.varying : Extents(variable.shape);
}

/// Whether the operation has the same bits in any loop: it calls no vector function of a library.
template <class T>
bool StatementText<T>::is_exact(Op op) const {
  return !npmat::map_tile<T>(op).in_blocks;
}

/// Whether it is a reduction of a run of elements, all of the space's.
template <class T>
bool StatementText<T>::is_total(const cudamat::FusedTarget& target, const Extents& space) const {
  return target.is_reduced() && !reducer(target.op).empty() &&
         (target.is_total() || (target.axis == 1 && is_one(space.rows)));
}

template <class T>
cudamat::Shape StatementText<T>::most(const Extents& extents, Var of) const {
  const cudamat::Shape shape = list_.variables[of].shape;
  return {extents.rows.terms.empty() ? extents.rows.constant : shape.rows,
          extents.cols.terms.empty() ? extents.cols.constant : shape.cols};
}

template <class T>
Index StatementText<T>::most_elements(const Statement& s) const {
  if (s.kind == What::Call && cudamat::row(s.op).family == Family::Select)
    return list_.variables[s.operands[1].var].shape.size();
  if (is_short_product(s) || is_short_run(s))
    return list_.variables[s.operands[0].var].shape.size();
  const auto all = elements(s);
  if (!all) return std::numeric_limits<Index>::max();
  return all->most;
}

template <class T>
bool StatementText<T>::has_text(const Statement& s) const {
  return most_elements(s) <= kMostElements;
}

template <class T>
auto StatementText<T>::elements(const Statement& s) const -> std::optional<Elements> {
  auto all = s.kind == What::Call ? elements_of_call(s) : elements_of_fused(s);
  if (!all) return all;
  Var whole = all->targets.empty() ? kNoVar : all->targets[0].access.var;
  for (const Access& access : all->inputs)
    if (whole == kNoVar && access.spread == Spread::Whole) whole = access.var;
  if (whole == kNoVar) return std::nullopt;
  all->most = most(all->space, whole).size();
  const bool may_be_empty = may_be_zero(all->space.rows) || may_be_zero(all->space.cols);
  for (const Total& total : all->totals)
    if (all->most >= npmat::kLongColumn ||
        (cudamat::row(total.op).has(cudamat::kNoEmpty) && may_be_empty))
      return std::nullopt;
  return all;
}

template <class T>
auto StatementText<T>::elements_of_call(const Statement& s) const -> std::optional<Elements> {
  const auto operand = [&](std::size_t i, Spread spread = Spread::Whole) {
    return Access{s.operands[i].var, spread};
  };
  const Access target{s.target};
  const auto copy = [](Access from, Access to, Extents space) -> Elements {
    return {std::move(space), {std::move(from)}, {}, {}, {{std::move(to), input(0)}}};
  };
  Elements all{extents(s.target), {}, {}, {}, {{target, {ValueKind::Step, 0}}}};
  const auto compute = [&](std::vector<Access> inputs,
                           std::initializer_list<FusedValue> values) -> std::optional<Elements> {
    if (!is_exact(s.op)) return std::nullopt;
    all.inputs = std::move(inputs);
    for (const Number& each : s.numbers) all.numbers.push_back(literal(number_in<T>(each.value())));
    all.steps.push_back(step(s.op, values));
    return all;
  };
  switch (cudamat::row(s.op).family) {
    case Family::Unary:
      return compute({operand(0)}, {input(0)});
    case Family::Binary:
    case Family::UnaryScalar:
      if (s.operands.size() == 1) return compute({operand(0)}, {input(0), number(0)});
      return compute({operand(0), operand(1)}, {input(0), input(1)});
    case Family::ColBroadcast:
      return compute({operand(0), operand(1, Spread::Column)}, {input(0), input(1)});
    case Family::RowBroadcast:
      return compute({operand(0), operand(1, Spread::Row)}, {input(0), input(1)});
    case Family::ColScaled:
      return compute({operand(0), operand(1, Spread::Column)}, {input(0), input(1), number(0)});
    case Family::Scaled:
      return compute({target, operand(0)}, {input(0), input(1), number(0)});
    case Family::Modulate:
      return compute({target, operand(0)}, {input(0), input(1)});
    case Family::Where:
      return compute({operand(0), operand(1), operand(2)}, {input(0), input(1), input(2)});
    case Family::Assign:
      if (!s.operands.empty()) return copy(operand(0), target, all.space);
      all.numbers = {s.terms.empty() ? literal(number_in<T>(s.numbers[0].value()))
                                     : fmt::format("T({:a} + static_cast<double>({}))",
                                                   s.numbers[0].value(), integer({0, s.terms}))};
      all.targets[0].value = number(0);
      return all;
    case Family::Transpose: {
      Access from = operand(0);
      from.transposed = true;
      return copy(from, target, all.space);
    }
    case Family::GetSlice: {
      Access from = operand(0);
      (s.op == Op::get_row_slice ? from.row : from.column) = slice_bound(s, 0);
      return copy(from, target, all.space);
    }
    case Family::SetSlice: {
      Access to = target;
      (s.op == Op::set_row_slice ? to.row : to.column) = slice_bound(s, 0);
      return copy(operand(0), to, extents(s.operands[0].var));
    }
    default:
      return std::nullopt;
  }
}

template <class T>
auto StatementText<T>::elements_of_fused(const Statement& s) const -> std::optional<Elements> {
  const cudamat::FusedBody& body = *s.fused;
  const Extents space = fused_space(list_, s);
  const bool all_stored =
      std::ranges::all_of(body.targets, [&](const cudamat::FusedTarget& target) {
        return target.is_stored() || is_total(target, space);
      });
  const bool all_exact = std::ranges::all_of(body.steps, [&](const FusedStep& each) {
    return !each.draws() && !each.reduces() && is_exact(each.op);
  });
  const bool transposes = std::ranges::any_of(
      s.operands, [](const Statement::Operand& operand) { return operand.transposed; });
  if (!all_stored || !all_exact || transposes) return std::nullopt;
  const auto access = [&](Var var, std::size_t part, Spread spread) {
    Access made{var, spread};
    if (const Statement::Rows* const rows = rows_of(s, part)) made.row = rows->first;
    return made;
  };
  Elements all{space, {}, {}, body.steps, {}};
  for (std::size_t i = 0; i < s.operands.size(); ++i)
    all.inputs.push_back(access(s.operands[i].var, i, body.inputs[i]));
  for (const Number& each : s.numbers) all.numbers.push_back(literal(number_in<T>(each.value())));
  for (std::size_t t = 0; t < s.targets.size(); ++t) {
    const cudamat::FusedTarget& target = body.targets[t];
    const auto factor = [](int n, T by_default) {
      return n < 0 ? literal(by_default) : fmt::format("n{}", n);
    };
    if (target.is_stored())
      all.targets.push_back(
          {access(s.targets[t], s.operands.size() + t, Spread::Whole), target.value});
    else
      all.totals.push_back(
          {s.targets[t], target.value, target.op, factor(target.mult, 1), factor(target.beta, 0)});
  }
  return all;
}

template <class T>
std::string StatementText<T>::text(std::size_t statement, const std::string& indent) const {
  const Statement& s = list_.statements[statement];
  if (s.kind == What::Call && cudamat::row(s.op).family == Family::Select)
    return select(s, statement, indent);
  if (is_short_product(s)) return short_product(s, indent);
  if (is_short_run(s)) return short_run(s, indent);
  return text(*elements(s), indent);
}

/// How the elements of a space are gone over, and their places in the matrices.
template <class T>
class StatementText<T>::Walk {
 public:
  Walk(const StatementText& statements, Elements& all)
      : statements_(statements),
        rows_(statements.integer(all.space.rows)),
        cols_(statements.integer(all.space.cols)),
        one_row_(is_one(all.space.rows)),
        one_column_(is_one(all.space.cols)),
        flat_(!one_row_ && !one_column_) {
    const auto look = [&](Access& access) {
      if ((one_row_ && access.spread == Spread::Column) ||
          (one_column_ && access.spread == Spread::Row))
        access.spread = Spread::One;
      const bool contiguous = access.spread == Spread::Whole && !access.transposed &&
                              statements.extents(access.var).rows == all.space.rows;
      if (!contiguous && access.spread != Spread::One) flat_ = false;
    };
    for (Access& access : all.inputs) look(access);
    for (Target& target : all.targets) look(target.access);
  }

  [[nodiscard]] std::string count() const { return fmt::format("{} * {}", rows_, cols_); }

  /// Where an element is among all, column by column.
  [[nodiscard]] std::string place() const {
    if (flat_) return "k";
    if (one_row_) return one_column_ ? "0" : "j";
    return one_column_ ? "i" : fmt::format("i + {} * j", rows_);
  }

  /// The subscript of an element in the matrix, from where the access begins.
  [[nodiscard]] std::string subscript(const Access& access) const {
    if (flat_) return "k";
    const std::string ld = statements_.integer(statements_.extents(access.var).rows);
    std::string at;
    if (!one_row_ && access.spread != Spread::Row) at = access.transposed ? ld + " * i" : "i";
    if (!one_column_ && access.spread != Spread::Column)
      at += (at.empty() ? "" : " + ") + (access.transposed ? "j" : ld + " * j");
    return at.empty() ? "0" : at;
  }

  [[nodiscard]] std::string beginning(const Access& access) const {
    std::string from = statements_.name(access.var);
    if (!(access.row == ListInteger{})) from += " + " + statements_.integer(access.row);
    if (!(access.column == ListInteger{}))
      from += fmt::format(" + {} * {}", statements_.integer(statements_.extents(access.var).rows),
                          statements_.integer(access.column));
    return from;
  }

  /// One loop where all matrices are contiguous, or have one row or column.
  [[nodiscard]] std::string loops(const std::string& indent) const {
    const auto loop = [&](char variable, const std::string& count, bool inner) {
      return fmt::format("{0}{1}for (long {2} = 0; {2} < {3}; ++{2})\n",
                         inner ? indent + "NO_DEPENDENCE\n" : "", indent, variable, count);
    };
    if (flat_) return loop('k', count(), true);
    return (one_column_ ? "" : loop('j', cols_, one_row_)) +
           (one_row_ ? "" : loop('i', rows_, true));
  }

 private:
  const StatementText& statements_;
  std::string rows_, cols_;
  bool one_row_, one_column_, flat_;
};

template <class T>
std::string StatementText<T>::text(Elements all, const std::string& indent) const {
  const Walk walk(*this, all);
  std::string before, inside, after;
  const auto add = [&](std::string& to, const std::string& line) {
    to += (&to == &inside ? indent + "    " : indent + "  ") + line + "\n";
  };
  for (std::size_t i = 0; i < all.inputs.size(); ++i) {
    const Access& access = all.inputs[i];
    const std::string beginning = walk.beginning(access);
    if (access.spread == Spread::One) {
      add(before, fmt::format("const T e{} = *({});", i, beginning));
      continue;
    }
    add(before, fmt::format("const T* const in{} = {};", i, beginning));
    add(inside, fmt::format("const T e{0} = in{0}[{1}];", i, walk.subscript(access)));
  }
  for (std::size_t n = 0; n < all.numbers.size(); ++n)
    add(before, fmt::format("const T n{} = {};", n, all.numbers[n]));
  for (std::size_t s = 0; s < all.steps.size(); ++s)
    add(inside, fmt::format("const T s{} = {};", s, cudamat::code::text(all.steps[s], kSpelling)));
  for (std::size_t t = 0; t < all.targets.size(); ++t) {
    const auto& [access, value] = all.targets[t];
    add(before, fmt::format("T* const out{} = {};", t, walk.beginning(access)));
    add(inside, fmt::format("out{}[{}] = {};", t, walk.subscript(access),
                            cudamat::code::text(value, kSpelling)));
  }
  for (std::size_t t = 0; t < all.totals.size(); ++t) {
    const Total& total = all.totals[t];
    add(before, fmt::format("T run{}[{}];", t, std::max(all.most, Index(1))));
    add(inside, fmt::format("run{}[{}] = {};", t, walk.place(),
                            cudamat::code::text(total.value, kSpelling)));
    const std::string value =
        fmt::format("npmat::reduce_run<{}, npmat::kNarrowLanes>(run{}, nullptr, {})",
                    reducer(total.op), t, walk.count());
    add(after, fmt::format("*{0} = npmat::update(*{0}, {1}, {2}, {3});", name(total.var),
                           total.beta, result(total.op, value, walk.count()), total.mult));
  }
  return fmt::format("{0}{{\n{1}{2}{0}  {{\n{3}{0}  }}\n{4}{0}}}\n", indent, before,
                     walk.loops(indent + "  "), inside, after);
}

/// A reduction of one row of elements, or of all, that is one number.
template <class T>
bool StatementText<T>::is_short_run(const Statement& s) const {
  if (s.kind != What::Call || reducer(s.op).empty()) return false;
  const Extents of = extents(s.operands[0].var);
  const Index most = list_.variables[s.operands[0].var].shape.size();
  const bool whole = cudamat::row(s.op).family == Family::Whole;
  const bool along = whole || (is_one(of.rows) && (s.integers[0] == 1) != s.operands[0].transposed);
  const bool may_be_empty = may_be_zero(of.rows) || may_be_zero(of.cols);
  return along && most < npmat::kLongColumn &&
         !(cudamat::row(s.op).has(cudamat::kNoEmpty) && may_be_empty);
}

template <class T>
std::string StatementText<T>::short_run(const Statement& s, const std::string& indent) const {
  const Extents of = extents(s.operands[0].var);
  const std::string n = fmt::format("{} * {}", integer(of.rows), integer(of.cols));
  const std::string other = s.op == Op::vdot ? name(s.operands[1].var) : "nullptr";
  const auto factor = [&](std::size_t i, T by_default) {
    return literal(s.numbers.size() > i ? number_in<T>(s.numbers[i].value()) : by_default);
  };
  const std::string value = fmt::format("npmat::reduce_run<{}, npmat::kNarrowLanes>({}, {}, {})",
                                        reducer(s.op), name(s.operands[0].var), other, n);
  return fmt::format("{0}*{1} = npmat::update(*{1}, {2}, {3}, {4});\n", indent, name(s.target),
                     factor(1, 0), result(s.op, value, n), factor(0, 1));
}

/// As Engine::gemm has it.
template <class T>
bool StatementText<T>::is_short_product(const Statement& s) const {
  if (s.kind != What::Call) return false;
  const Family family = cudamat::row(s.op).family;
  if (family != Family::Product && family != Family::AddProduct) return false;
  const Variable& target = list_.variables[s.target];
  const Index most = list_.variables[s.operands[0].var].shape.size();
  return !target.varying && target.shape == cudamat::Shape{1, 1} && most <= npmat::kShortSum;
}

template <class T>
std::string StatementText<T>::short_product(const Statement& s, const std::string& indent) const {
  const ProductFactors factors = product_factors(s);
  const Extents k = extents(s.operands[0].var);
  return fmt::format("{0}*{1} = npmat::short_product({2}, {3}, {4} * {5}, *{1}, {6}, {7});\n",
                     indent, name(s.target), name(s.operands[0].var), name(s.operands[1].var),
                     integer(k.rows), integer(k.cols), literal(number_in<T>(factors.beta)),
                     literal(number_in<T>(factors.alpha)));
}

template <class T>
std::string StatementText<T>::select(const Statement& s, std::size_t at,
                                     const std::string& indent) const {
  const bool gets = s.op == Op::select_columns;
  const Var indices = s.operands[gets ? 1 : 0].var, from = s.operands[gets ? 0 : 1].var;
  const Extents count = extents(indices), indexed = extents(gets ? from : s.target);
  const std::string size = integer(indexed.cols), rows = integer(indexed.rows);
  return fmt::format(
      "{0}for (long k = 0; k < {1} * {2}; ++k) {{\n"
      "{0}  const T index = {3}[k];\n"
      "{0}  if (!(index >= -T({4}) && index < T({4})) || index != T(long(index)))\n"
      "{0}    return calls->bad_index(calls, {5}, index, {4});\n"
      "{0}  const long at = long(index) + (index < 0 ? {4} : 0);\n"
      "{0}  for (long i = 0; i < {6}; ++i) {7}[i + {6} * {8}] = {9}[i + {6} * {10}];\n"
      "{0}}}\n",
      indent, integer(count.rows), integer(count.cols), name(indices), size, at, rows,
      name(s.target), gets ? "k" : "at", name(from), gets ? "at" : "k");
}

template class StatementText<float>;
template class StatementText<double>;
template class StatementText<long double>;

}  // namespace rewriter
