#include "rewriter/regions/statement_text.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <span>
#include <type_traits>
#include <variant>

#include "cudamat/code/step_text.hpp"
#include "npmat/map_tiles.hpp"
#include "npmat/reducers.hpp"
#include "rewriter/expr/number_in.hpp"
#include "rewriter/list/call_form.hpp"
#include "rewriter/list/cost.hpp"
#include "rewriter/list/fusion.hpp"
#include "rewriter/text/saturating.hpp"

namespace rewriter {
namespace {

using cudamat::Family;
using cudamat::FusedStep;
using cudamat::FusedValue;
using cudamat::Spread;
using What = Statement::Kind;
using ValueKind = FusedValue::Kind;

constexpr Index kMostBytes = 32768;  ///< of its local arrays, on the stack

constexpr cudamat::code::Spelling kSpelling{"OnCpu<functors::{}>{{}}", "s{}", "e{}", "n{}"};

/// Of what calls a function of a library: with a number that it knows, the compiler would compute
/// the function itself, which rounds otherwise.
constexpr cudamat::code::Spelling kOpaque{"OnCpu<functors::{}>{{}}", "opaque(s{})", "opaque(e{})",
                                          "opaque(n{})"};

template <class T>
std::string step_text(const FusedStep& step) {
  const npmat::MapTile<T> tile = npmat::map_tile<T>(step.op);
  const bool is_map = tile.scalar != nullptr || tile.matrix != nullptr;
  const bool is_exact =  // whoever computes it
      step.op == Op::mod || step.op == Op::wrap || step.op == Op::floor_divide;
  const bool is_inline =
      is_exact ||
      (tile.is_inline && (!std::is_same_v<T, long double> || cudamat::row(step.op).ulps() == 0));
  return cudamat::code::text(step, is_map && !is_inline ? kOpaque : kSpelling);
}

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

template <class T>
bool StatementText<T>::in_blocks(Op op) {
  return npmat::map_tile<T>(op).in_blocks;
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

/// Of the statement's first operand, or of the target if there is none.
template <class T>
Index StatementText<T>::cost(const Statement& s) const {
  constexpr Index kEngine = 100;                                          // a call of the engine
  constexpr Index kFunction = std::is_same_v<T, long double> ? 500 : 20;  // of one element
  const auto size = [&](Var var) { return list_.variables[var].shape.size(); };
  const Family family = s.kind == What::Call ? cudamat::row(s.op).family : Family::Unary;
  if (s.kind == What::Call && family == Family::Select) return size(s.operands[1].var);
  if (is_short_product(s) || is_short_run(s)) return size(s.operands[0].var);
  if (is_reduction(s)) return saturating_add(kEngine, size(s.operands[0].var));
  if (is_product(s)) {
    const auto [a, b] = std::pair(s.operands[0], s.operands[1]);
    const cudamat::Shape shape = list_.variables[a.var].shape;
    const Index rows = a.transposed ? shape.cols : shape.rows;
    return saturating_add(kEngine, saturating_multiply(rows, size(b.var)) / 4);
  }
  const auto all = elements(s);
  if (!all) return std::numeric_limits<Index>::max();
  Index cost = all->most;
  for (const FusedStep& each : all->steps)
    if (in_blocks(each.op) || cudamat::row(each.op).ulps() > 0)
      cost = saturating_add(cost, kEngine + saturating_multiply(kFunction, all->most));
  return cost;
}

template <class T>
std::string StatementText<T>::why_no_text(const Statement& s) const {
  const auto name = [&] {
    return std::string(s.kind == What::Fused ? "fused" : cudamat::name(s.op));
  };
  if (is_short_product(s) || is_short_run(s) || is_product(s) || is_reduction(s)) return "";
  if (s.kind == What::Call && cudamat::row(s.op).family == Family::Select)
    return cost(s) <= kMostInPlace ? "" : name() + ", large";
  const auto all = elements(s);
  if (!all) return name();
  return all->most <= kMostInPlace && fits_stack(*all) ? "" : name() + ", large";
}

template <class T>
std::optional<std::vector<Touch>> StatementText<T>::touches(const Statement& s) const {
  std::vector<Touch> all;
  const auto add = [&](Var var, bool writes) -> Touch& {
    Touch& touch = all.emplace_back();
    touch.var = var, touch.writes = writes, touch.space = extents(var);
    return touch;
  };
  const auto part = [&](const Access& access, const Extents& space, bool writes) {
    Touch& touch = add(access.var, writes);
    if (access.transposed) return;
    touch.row = access.row, touch.column = access.column, touch.space = space;
    if (access.spread == Spread::Row || access.spread == Spread::One) touch.space.rows = {1};
    if (access.spread == Spread::Column || access.spread == Spread::One) touch.space.cols = {1};
  };
  const bool is_call = s.kind == What::Call;
  if (s.kind == What::Constant) {
    add(s.target, true);
  } else if (s.kind == What::Loop || (is_call && !is_one_by_one(s))) {
    const bool fails = is_call && (cudamat::row(s.op).family == Family::Select ||
                                   (is_product(s) && !is_short_product(s) && !is_tiny_product(s)));
    if (fails) return std::nullopt;
    for (const Statement::Operand& operand : s.operands) add(operand.var, false);
    if (is_call) add(s.target, true);
  } else if (is_call || s.kind == What::Fused) {
    const auto parts = elements(s);
    if (!parts) return std::nullopt;
    for (const Access& each : parts->inputs) part(each, parts->space, false);
    for (const Target& each : parts->targets) part(each.access, parts->space, true);
    for (const Total& each : parts->totals) add(each.var, true);
  }
  return all;
}

/// Whether it is text as elements: in text()'s order.
template <class T>
bool StatementText<T>::is_one_by_one(const Statement& s) const {
  return cudamat::row(s.op).family != Family::Select && !is_short_product(s) && !is_short_run(s) &&
         !is_product(s) && !is_reduction(s);
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
  const bool all_maps = std::ranges::all_of(
      body.steps, [&](const FusedStep& each) { return !each.draws() && !each.reduces(); });
  const bool transposes = std::ranges::any_of(
      s.operands, [](const Statement::Operand& operand) { return operand.transposed; });
  if (!all_stored || !all_maps || transposes) return std::nullopt;
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
    const auto factor = [&](int n, T by_default) {
      return n < 0 ? literal(by_default) : all.numbers[static_cast<std::size_t>(n)];
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
  if (is_product(s)) return product(s, indent);
  if (is_reduction(s)) return reduction(s, indent);
  return ElementsText(*this, *elements(s)).text(indent);
}

template <class T>
std::string StatementText<T>::constant(const Statement& s, const std::string& indent) const {
  return std::visit(
      [&](const auto& data) {
        const auto host =
            cudamat::reformat<T>(std::span(data.data), list_.variables[s.target].shape);
        if (host.values().empty()) return std::string();
        std::string all;
        for (const T value : host.values()) all += (all.empty() ? "" : ", ") + literal(value);
        return fmt::format(
            "{0}{{\n{0}  static const T all[] = {{{1}}};\n"
            "{0}  for (long k = 0; k < {2}; ++k) {3}[k] = all[k];\n{0}}}\n",
            indent, all, host.values().size(), name(s.target));
      },
      *s.data);
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

  /// Whether the elements lie one after the other.
  [[nodiscard]] bool in_order(const Access& access) const {
    return access.spread == Spread::Whole && subscript(access) == place();
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

/// Operations in blocks are calls of the engine for all elements, whose operands and results are
/// local arrays. They divide the steps into stages: a loop each, then the calls. Targets are
/// written in the last one.
template <class T>
class StatementText<T>::ElementsText {
 public:
  ElementsText(const StatementText& statements, Elements all)
      : statements_(statements), all_(std::move(all)), walk_(statements, all_) {
    find_stages();
    find_uses();
  }

  std::string text(const std::string& indent) {
    std::string before, after, stages;
    const auto line = [&](const std::string& text) { return indent + "  " + text + "\n"; };
    for (std::size_t i = 0; i < all_.inputs.size(); ++i)
      before +=
          line(is_single(i)
                   ? fmt::format("const T e{} = *({});", i, walk_.beginning(all_.inputs[i]))
                   : fmt::format("const T* const in{} = {};", i, walk_.beginning(all_.inputs[i])));
    for (std::size_t n = 0; n < all_.numbers.size(); ++n)
      before += line(fmt::format("const T n{} = {};", n, all_.numbers[n]));
    for (std::size_t t = 0; t < all_.targets.size(); ++t)
      before +=
          line(fmt::format("T* const out{} = {};", t, walk_.beginning(all_.targets[t].access)));
    for (std::size_t t = 0; t < all_.totals.size(); ++t) {
      before += line(fmt::format("T run{}[{}];", t, std::max(all_.most, Index(1))));
      after += line(total(t));
    }
    for (int stage = 0; stage <= last_; ++stage) stages += stage_text(stage, indent + "  ", before);
    return fmt::format("{0}{{\n{1}{2}{3}{0}}}\n", indent, before, stages, after);
  }

  /// Elements of all local arrays.
  [[nodiscard]] Index room() const {
    Index arrays = std::ssize(all_.totals);
    for (std::size_t s = 0; s < all_.steps.size(); ++s)
      arrays += is_call(s) ? 1 + all_.steps[s].count : kept_[s] ? 1 : 0;
    return arrays * padded();
  }

 private:
  [[nodiscard]] bool is_single(std::size_t input) const {
    return all_.inputs[input].spread == Spread::One;
  }
  [[nodiscard]] bool is_call(std::size_t s) const { return in_blocks(all_.steps[s].op); }
  [[nodiscard]] Index padded() const {
    return (std::max(all_.most, Index(1)) + npmat::kMapBlock - 1) / npmat::kMapBlock *
           npmat::kMapBlock;
  }

  /// The stage of each step: that in which a loop computes it, or after whose loop it is called.
  void find_stages() {
    for (std::size_t s = 0; s < all_.steps.size(); ++s) {
      int stage = 0;
      for_each_operand(s, [&](const FusedValue& value) {
        if (value.kind == ValueKind::Step)
          stage = std::max(stage, ready(static_cast<std::size_t>(value.index)));
      });
      stages_.push_back(stage);
      last_ = std::max(last_, ready(s));
    }
  }
  [[nodiscard]] int ready(std::size_t s) const { return stages_[s] + (is_call(s) ? 1 : 0); }

  template <class F>
  void for_each_operand(std::size_t s, const F& use) const {
    for (int o = 0; o < all_.steps[s].count; ++o)
      use(all_.steps[s].operands[static_cast<std::size_t>(o)]);
  }

  /// What each stage reads, and which values are kept for a later one.
  void find_uses() {
    kept_.resize(all_.steps.size());
    reads_.resize(static_cast<std::size_t>(last_) + 1);
    const auto use = [&](int stage, const FusedValue& value) {
      if (value.kind != ValueKind::Input && value.kind != ValueKind::Step) return;
      auto& reads = reads_[static_cast<std::size_t>(stage)];
      if (std::ranges::find(reads, value) == reads.end()) reads.push_back(value);
      if (value.kind == ValueKind::Step && stages_[static_cast<std::size_t>(value.index)] < stage)
        kept_[static_cast<std::size_t>(value.index)] = true;
    };
    for (std::size_t s = 0; s < all_.steps.size(); ++s)
      for_each_operand(s, [&](const FusedValue& value) {
        if (!is_call(s) || is_copied(value)) use(stages_[s], value);
      });
    for (const Target& target : all_.targets) use(last_, target.value);
    for (const Total& total : all_.totals) use(last_, total.value);
  }

  // Operands of calls.

  /// Whether it is one number for all elements.
  [[nodiscard]] bool is_number(const FusedValue& value) const {
    return value.kind == ValueKind::Number ||
           (value.kind == ValueKind::Input && is_single(static_cast<std::size_t>(value.index)));
  }
  /// Whether it must be copied to an array: it lies in none in the order of the elements.
  [[nodiscard]] bool is_copied(const FusedValue& value) const {
    if (value.kind == ValueKind::Input)
      return is_number(value) ||
             !walk_.in_order(all_.inputs[static_cast<std::size_t>(value.index)]);
    return value.kind == ValueKind::Number || !is_call(static_cast<std::size_t>(value.index));
  }
  [[nodiscard]] bool is_scalar(std::size_t s, int o) const {
    return o == 1 && is_number(all_.steps[s].operands[1]);
  }
  [[nodiscard]] std::string array(std::size_t s, int o) const {
    const FusedValue& value = all_.steps[s].operands[static_cast<std::size_t>(o)];
    if (is_copied(value)) return fmt::format("a{}_{}", s, o);
    return fmt::format("{}{}", value.kind == ValueKind::Input ? "in" : "v", value.index);
  }

  [[nodiscard]] std::string call(std::size_t s) const {
    const FusedStep& step = all_.steps[s];
    const std::string op =
        fmt::format("{} /* {} */", static_cast<int>(step.op), cudamat::name(step.op));
    if (step.count == 1 || is_scalar(s, 1))
      return fmt::format(
          "engine.map({}, {}, {}, v{}, {});", op, array(s, 0),
          step.count == 1 ? "T(0)" : cudamat::code::text(step.operands[1], kSpelling), s,
          walk_.count());
    return fmt::format("engine.map_arrays({}, {}, {}, v{}, {});", op, array(s, 0), array(s, 1), s,
                       walk_.count());
  }

  std::string stage_text(int stage, const std::string& indent, std::string& before) const {
    std::string inside, calls;
    const auto line = [&](const std::string& text) { return indent + "  " + text + "\n"; };
    const auto declare = [&](const std::string& name) {
      before += fmt::format("{}alignas(64) T {}[{}];\n", indent, name, padded());
    };
    for (const FusedValue& value : reads_[static_cast<std::size_t>(stage)]) {
      const auto index = static_cast<std::size_t>(value.index);
      if (value.kind == ValueKind::Input && !is_single(index))
        inside += line(
            fmt::format("const T e{0} = in{0}[{1}];", index, walk_.subscript(all_.inputs[index])));
      if (value.kind == ValueKind::Step && stages_[index] < stage)
        inside += line(fmt::format("const T s{0} = v{0}[{1}];", index, walk_.place()));
    }
    for (std::size_t s = 0; s < all_.steps.size(); ++s) {
      if (stages_[s] != stage) continue;
      if (!is_call(s)) {
        inside += line(fmt::format("const T s{} = {};", s, step_text<T>(all_.steps[s])));
        if (!kept_[s]) continue;
        declare(fmt::format("v{}", s));
        inside += line(fmt::format("v{0}[{1}] = s{0};", s, walk_.place()));
        continue;
      }
      declare(fmt::format("v{}", s));
      for (int o = 0; o < all_.steps[s].count; ++o) {
        const FusedValue& value = all_.steps[s].operands[static_cast<std::size_t>(o)];
        if (is_scalar(s, o) || !is_copied(value)) continue;
        declare(array(s, o));
        inside += line(fmt::format("{}[{}] = {};", array(s, o), walk_.place(),
                                   cudamat::code::text(value, kSpelling)));
      }
      calls += indent + call(s) + "\n";
    }
    if (stage == last_) {
      for (std::size_t t = 0; t < all_.targets.size(); ++t) {
        const auto& [access, value] = all_.targets[t];
        inside += line(fmt::format("out{}[{}] = {};", t, walk_.subscript(access),
                                   cudamat::code::text(value, kSpelling)));
      }
      for (std::size_t t = 0; t < all_.totals.size(); ++t)
        inside += line(fmt::format("run{}[{}] = {};", t, walk_.place(),
                                   cudamat::code::text(all_.totals[t].value, kSpelling)));
    }
    if (inside.empty()) return calls;
    return fmt::format("{0}{1}{{\n{2}{1}}}\n{3}", walk_.loops(indent), indent, inside, calls);
  }

  [[nodiscard]] std::string total(std::size_t t) const {
    const Total& total = all_.totals[t];
    const std::string value =
        fmt::format("npmat::reduce_run<{}, npmat::kNarrowLanes>(run{}, nullptr, {})",
                    reducer(total.op), t, walk_.count());
    return fmt::format("*{0} = npmat::update(*{0}, {1}, {2}, {3});", statements_.name(total.var),
                       total.beta, result(total.op, value, walk_.count()), total.mult);
  }

  const StatementText& statements_;
  Elements all_;
  Walk walk_;
  std::vector<int> stages_;                     // by step
  int last_ = 0;                                // stage
  std::vector<bool> kept_;                      // by step: its value is, in an array
  std::vector<std::vector<FusedValue>> reads_;  // by stage
};

template <class T>
bool StatementText<T>::Group::meet(Var a, Var b) const {
  return owner(statements_.list_, a) == owner(statements_.list_, b);
}

template <class T>
bool StatementText<T>::Group::uses(Var var) const {
  const auto is = [&](const auto& all, const auto& var_of) {
    return std::ranges::any_of(all, [&](const auto& each) { return meet(var_of(each), var); });
  };
  return is(all_->inputs, [](const Access& access) { return access.var; }) ||
         is(all_->targets, [](const Target& target) { return target.access.var; }) ||
         is(all_->totals, [](const Total& total) { return total.var; });
}

/// Whether in a loop over the elements each sees what it would see after all those before.
template <class T>
bool StatementText<T>::Group::can_follow(const Elements& next) const {
  constexpr std::size_t kMostSteps = 64, kMostMatrices = 24;
  if (!(next.space == all_->space) || all_->steps.size() + next.steps.size() > kMostSteps ||
      all_->inputs.size() + next.inputs.size() > kMostMatrices ||
      all_->targets.size() + next.targets.size() > kMostMatrices)
    return false;
  // The same element, or another memory.
  const auto apart = [&](const Access& a, const Access& b) {
    return !meet(a.var, b.var) || (a == b && a.spread == Spread::Whole);
  };
  const auto is_total = [&](Var var) {
    return std::ranges::any_of(all_->totals,
                               [&](const Total& each) { return meet(each.var, var); });
  };
  for (const Access& input : next.inputs) {
    if (is_total(input.var)) return false;
    for (const Target& before : all_->targets)
      if (!apart(before.access, input)) return false;
  }
  for (const Target& target : next.targets) {
    if (is_total(target.access.var)) return false;
    for (const Target& before : all_->targets)
      if (!apart(before.access, target.access)) return false;
    for (const Access& input : all_->inputs)  // one number is read before all
      if (input.spread != Spread::One && !apart(input, target.access)) return false;
  }
  return std::ranges::none_of(next.totals, [&](const Total& each) { return uses(each.var); });
}

template <class T>
void StatementText<T>::Group::append(const Elements& next) {
  const int steps = static_cast<int>(all_->steps.size());
  const int numbers = static_cast<int>(all_->numbers.size());
  std::vector<FusedValue> inputs;
  for (const Access& each : next.inputs) {
    const auto stored =
        std::ranges::find(all_->targets, each, [](const Target& target) { return target.access; });
    if (stored != all_->targets.end()) {
      inputs.push_back(stored->value);
      continue;
    }
    const auto place = std::ranges::find(all_->inputs, each);
    inputs.push_back(input(static_cast<int>(place - all_->inputs.begin())));
    if (place == all_->inputs.end()) all_->inputs.push_back(each);
  }
  const auto here = [&](FusedValue value) {
    if (value.kind == ValueKind::Input) return inputs[static_cast<std::size_t>(value.index)];
    value.index += value.kind == ValueKind::Step ? steps : numbers;
    return value;
  };
  for (FusedStep each : next.steps) {
    for (int o = 0; o < each.count; ++o)
      each.operands[static_cast<std::size_t>(o)] = here(each.operands[static_cast<std::size_t>(o)]);
    all_->steps.push_back(each);
  }
  all_->numbers.insert(all_->numbers.end(), next.numbers.begin(), next.numbers.end());
  for (const Target& each : next.targets) {
    std::erase_if(all_->targets, [&](const Target& old) { return old.access == each.access; });
    all_->targets.push_back({each.access, here(each.value)});
  }
  for (Total each : next.totals) {
    each.value = here(each.value);
    all_->totals.push_back(std::move(each));
  }
  all_->most = std::max(all_->most, next.most);
}

template <class T>
bool StatementText<T>::Group::add(const Statement& s) {
  const Family family = s.kind == What::Call ? cudamat::row(s.op).family : Family::Unary;
  if (family == Family::Select || statements_.is_short_product(s) || statements_.is_short_run(s) ||
      statements_.is_product(s) || statements_.is_reduction(s))
    return false;
  auto next = statements_.elements(s);
  if (!next) return false;
  if (!all_) {
    all_ = std::move(next);
    return true;
  }
  if (!can_follow(*next)) return false;
  Elements before = *all_;
  append(*next);
  if (statements_.fits_stack(*all_)) return true;
  all_ = std::move(before);
  return false;
}

template <class T>
std::vector<Var> StatementText<T>::Group::made() const {
  std::vector<Var> all;
  for (const Target& target : all_->targets) {
    const Var var = target.access.var;
    if (std::ranges::none_of(all_->inputs, [&](const Access& each) { return meet(each.var, var); }))
      all.push_back(owner(statements_.list_, var));
  }
  return all;
}

template <class T>
void StatementText<T>::Group::forget(const std::vector<Var>& memories) {
  std::erase_if(all_->targets, [&](const Target& target) {
    return std::ranges::find(memories, owner(statements_.list_, target.access.var)) !=
           memories.end();
  });
}

template <class T>
std::string StatementText<T>::Group::text(const std::string& indent) const {
  return ElementsText(statements_, *all_).text(indent);
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
std::string StatementText<T>::literal_of(const Statement& s, std::size_t i, T by_default) const {
  return literal(s.numbers.size() > i ? number_in<T>(s.numbers[i].value()) : by_default);
}

template <class T>
std::string StatementText<T>::short_run(const Statement& s, const std::string& indent) const {
  const Extents of = extents(s.operands[0].var);
  const std::string n = fmt::format("{} * {}", integer(of.rows), integer(of.cols));
  const std::string other = s.op == Op::vdot ? name(s.operands[1].var) : "nullptr";
  const std::string value = fmt::format("npmat::reduce_run<{}, npmat::kNarrowLanes>({}, {}, {})",
                                        reducer(s.op), name(s.operands[0].var), other, n);
  return fmt::format("{0}*{1} = npmat::update(*{1}, {2}, {3}, {4});\n", indent, name(s.target),
                     literal_of(s, 1, 0), result(s.op, value, n), literal_of(s, 0, 1));
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

/// A product that the engine computes: whatever it takes, the runner is not asked.
template <class T>
bool StatementText<T>::is_product(const Statement& s) const {
  if (s.kind != What::Call) return false;
  const Family family = cudamat::row(s.op).family;
  return family == Family::Product || family == Family::AddProduct;
}

/// As Engine::gemm has it. What may be one number has another order of its sum.
template <class T>
bool StatementText<T>::is_tiny_product(const Statement& s) const {
  const auto is_tiny = [&](Var var) {
    const Variable& variable = list_.variables[var];
    const cudamat::Shape shape = variable.shape;
    return !variable.varying && shape.size() > 0 &&
           std::max(shape.rows, shape.cols) <= npmat::kTinyProduct;
  };
  return is_tiny(s.target) && is_tiny(s.operands[0].var) && is_tiny(s.operands[1].var) &&
         list_.variables[s.target].shape != cudamat::Shape{1, 1};
}

template <class T>
std::string StatementText<T>::product(const Statement& s, const std::string& indent) const {
  const ProductFactors factors = product_factors(s);
  const Statement::Operand &a = s.operands[0], &b = s.operands[1];
  const Extents of_a = extents(a.var), of_b = extents(b.var);
  if (is_tiny_product(s))
    return fmt::format(
        "{}npmat::tiny_product<T>({}, {}, {}, {}, {}, {}, {}, {}, {}, {});\n", indent, a.transposed,
        b.transposed, integer(a.transposed ? of_a.cols : of_a.rows),
        integer(b.transposed ? of_b.rows : of_b.cols),
        integer(a.transposed ? of_a.rows : of_a.cols), name(a.var), name(b.var), name(s.target),
        literal(number_in<T>(factors.beta)), literal(number_in<T>(factors.alpha)));
  return fmt::format(
      "{}if (engine.product(calls, {}, {}, {}, {}, {}, {}, {}, {}, {})) return;\n", indent,
      (a.transposed ? 1 : 0) + (b.transposed ? 2 : 0),
      integer(a.transposed ? of_a.cols : of_a.rows), integer(b.transposed ? of_b.rows : of_b.cols),
      integer(a.transposed ? of_a.rows : of_a.cols), name(a.var), name(b.var),
      literal(number_in<T>(factors.beta)), literal(number_in<T>(factors.alpha)), name(s.target));
}

/// The same of a reduction.
template <class T>
bool StatementText<T>::is_reduction(const Statement& s) const {
  if (s.kind != What::Call) return false;
  switch (cudamat::row(s.op).family) {
    case Family::Reduction:
    case Family::ArgReduction:
    case Family::Accumulate:
    case Family::Whole:
      break;
    default:
      return false;
  }
  const Extents of = extents(s.operands[0].var);
  const bool may_be_empty = may_be_zero(of.rows) || may_be_zero(of.cols);
  return !(cudamat::row(s.op).has(cudamat::kNoEmpty) && may_be_empty);
}

template <class T>
std::string StatementText<T>::reduction(const Statement& s, const std::string& indent) const {
  const Statement::Operand& a = s.operands[0];
  const Extents of = extents(a.var);
  const Op op = s.op == Op::add_sums ? Op::sum : s.op;
  const std::string code = fmt::format("{} /* {} */", static_cast<int>(op), cudamat::name(op));
  const std::string factors = literal_of(s, 1, 0) + ", " + literal_of(s, 0, 1);
  if (cudamat::row(s.op).family == Family::Whole)
    return fmt::format("{}if (engine.reduce_all(calls, {}, {} * {}, {}, {}, {}, {})) return;\n",
                       indent, code, integer(of.rows), integer(of.cols), name(a.var),
                       s.op == Op::vdot ? name(s.operands[1].var) : "nullptr", factors,
                       name(s.target));
  const Index axis = a.transposed ? 1 - s.integers[0] : s.integers[0];
  return fmt::format("{}if (engine.reduce(calls, {}, {}, {}, {}, {}, {}, {})) return;\n", indent,
                     code, axis, integer(of.rows), integer(of.cols), name(a.var), factors,
                     name(s.target));
}

template <class T>
bool StatementText<T>::fits_stack(const Elements& all) const {
  const bool calls =
      std::ranges::any_of(all.steps, [](const FusedStep& each) { return in_blocks(each.op); });
  return !calls || ElementsText(*this, all).room() * Index(sizeof(T)) <= kMostBytes;
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
