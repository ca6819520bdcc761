#include "rewriter/list/fusion.hpp"

#include <algorithm>
#include <utility>

#include "rewriter/list/edit.hpp"
#include "rewriter/list/iterations.hpp"

namespace rewriter {

namespace {

using cudamat::Family;
using cudamat::FusedBody;
using cudamat::FusedStep;
using cudamat::FusedTarget;
using cudamat::FusedValue;
using cudamat::Spread;
using SKind = Statement::Kind;
using ValueKind = FusedValue::Kind;

/// Of a fused statement the calls, one after the other.
class Unfuse {
 public:
  Unfuse(StatementList& list, Names& names, IterationSpace& iterations, const Statement& fused)
      : list_(list),
        names_(names),
        iterations_(iterations),
        s_(fused),
        body_(*fused.fused),
        space_(fused_space(list, fused)),
        spreads_(body_.is_plain() ? std::vector(body_.steps.size(), Spread::Whole)
                                  : cudamat::fused_spreads(body_)),
        inputs_(body_.inputs.size(), kNoVar),
        steps_(body_.steps.size(), kNoVar),
        done_(body_.targets.size(), false) {}

  void write() {
    keep_overwritten_inputs();
    for (std::size_t i = 0; i < body_.steps.size(); ++i) steps_[i] = step(i);
    for (std::size_t t = 0; t < body_.targets.size(); ++t)
      if (!done_[t]) target(t);
  }

 private:
  // ---- statements

  Statement& add(SKind kind, Var target) {
    Statement& made = list_.statements.emplace_back();
    made.kind = kind;
    made.target = target;
    made.where = s_.where;
    return made;
  }
  Statement& call(Op op, Var target, std::vector<Statement::Operand> operands,
                  std::vector<Number> numbers = {}) {
    Statement& made = add(SKind::Call, target);
    made.op = op;
    made.operands = std::move(operands);
    made.numbers = std::move(numbers);
    return made;
  }
  Var empty(const Extents& shape) {
    const auto var = static_cast<Var>(list_.variables.size());
    Variable& made = list_.variables.emplace_back();
    made.name = names_.temporary();
    made.shape = iterations_.largest(shape);
    if (!shape.rows.terms.empty() || !shape.cols.terms.empty()) made.varying = shape;
    add(SKind::Empty, var);
    return var;
  }
  const Number& number(int i) const { return s_.numbers[static_cast<std::size_t>(i)]; }

  // ---- values

  Extents extents_of(Var var) const {
    const Variable& v = list_.variables[var];
    return v.varying ? *v.varying : Extents(v.shape);
  }
  Extents extents(Spread spread) const {
    const ListInteger one{1, {}};
    return {spread == Spread::Row || spread == Spread::One ? one : space_.rows,
            spread == Spread::Column || spread == Spread::One ? one : space_.cols};
  }

  bool is_target(Var var) const {
    return std::any_of(s_.targets.begin(), s_.targets.end(),
                       [&](Var target) { return owner(list_, target) == owner(list_, var); });
  }
  /// Inputs that are stored elsewhere, while their own memory is written to.
  void keep_overwritten_inputs() {
    for (const FusedTarget& target : body_.targets) {
      const auto i = static_cast<std::size_t>(target.value.index);
      if (target.value.kind != ValueKind::Input || body_.inputs[i] != Spread::Whole) continue;
      if (inputs_[i] != kNoVar || !is_target(s_.operands[i].var)) continue;
      const Var from = input(i);
      if (from != s_.operands[i].var) continue;  // a copy already
      inputs_[i] = empty(space_);
      call(Op::assign, inputs_[i], {{from}});
    }
  }

  /// As a matrix of its own shape.
  Var input(std::size_t i) {
    if (inputs_[i] != kNoVar) return inputs_[i];
    const Statement::Rows* const rows = rows_of(s_, i);
    if (rows == nullptr) return inputs_[i] = s_.operands[i].var;
    inputs_[i] = empty(extents(body_.inputs[i]));
    slice(Op::get_row_slice, inputs_[i], s_.operands[i].var, *rows);
    return inputs_[i];
  }
  void slice(Op op, Var target, Var operand, const Statement::Rows& rows) {
    Statement& made = call(op, target, {{operand}});
    made.integers = {rows.first.constant, rows.last.constant};
    made.terms = rows.first.terms;
    made.stretch = sum(rows.last, rows.first, -1).terms;
  }
  Spread spread(const FusedValue& value) const {
    return cudamat::spread_of(body_, spreads_, value);
  }
  /// A vector beside a matrix, as calls have one.
  bool is_spread(const FusedValue& value, Spread beside) const {
    return value.kind != ValueKind::Number && spread(value) != beside;
  }
  /// As a matrix of its own shape; numbers have none.
  Var own(const FusedValue& value) {
    const auto i = static_cast<std::size_t>(value.index);
    return value.kind == ValueKind::Step ? steps_[i] : input(i);
  }
  /// As a matrix of the space's shape, or as one of its vectors.
  Var matrix(const FusedValue& value, Spread how) {
    if (value.kind != ValueKind::Number && spread(value) == how) return own(value);
    const Var var = empty(extents(how));
    if (value.kind == ValueKind::Number) {
      call(Op::assign, var, {}, {number(value.index)});
      return var;
    }
    call(Op::assign, var, {}, {1});  // times 1 is itself
    Var vector = own(value);
    const bool is_one = spread(value) == Spread::One;
    if (is_one && how == Spread::Whole) {
      const Var column = empty(extents(Spread::Column));
      call(Op::assign, column, {}, {1});
      call(Op::mult_by_row, column, {{column}, {vector}});
      vector = column;
    }
    const bool lies = is_one ? how == Spread::Column : spread(value) == Spread::Row;
    call(lies ? Op::mult_by_row : Op::mult_by_col, var, {{var}, {vector}});
    return var;
  }

  // ---- steps

  /// The memory that a step's result goes to: a target's if nothing reads what that holds.
  Var room(std::size_t step) {
    for (std::size_t t = 0; t < body_.targets.size(); ++t) {
      const FusedTarget& target = body_.targets[t];
      const FusedValue wanted{ValueKind::Step, static_cast<int>(step)};
      const auto is_read = [&](const Statement::Operand& operand) {
        return owner(list_, operand.var) == owner(list_, s_.targets[t]);
      };
      if (target.value != wanted || target.is_reduced() || target.lies != spreads_[step] ||
          rows_of(s_, s_.operands.size() + t) != nullptr ||
          std::any_of(s_.operands.begin(), s_.operands.end(), is_read))
        continue;
      done_[t] = true;
      return s_.targets[t];
    }
    return empty(extents(spreads_[step]));
  }

  Var step(std::size_t i) {
    const FusedStep& step = body_.steps[i];
    const auto& [first, second, third] = step.operands;
    const Spread how = spreads_[i];
    switch (cudamat::row(step.op).family) {
      case Family::Reduction: {
        const Var a = matrix(first, Spread::Whole);
        const Var to = room(i);
        call(step.op, to, {{a}}).integers = {step.axis};
        return to;
      }
      case Family::Fill: {
        const Var to = room(i);
        call(step.op, to, {});
        return to;
      }
      case Family::Unary: {
        const Var a = matrix(first, how);
        const Var to = room(i);
        call(step.op, to, {{a}});
        return to;
      }
      case Family::UnaryScalar: {
        const Var a = matrix(first, how);
        const Var to = room(i);
        call(step.op, to, {{a}}, {number(second.index)});
        return to;
      }
      case Family::Modulate: {
        const Var a = matrix(first, how);
        const Var acts = matrix(second, how);
        const Var to = room(i);
        call(Op::assign, to, {{a}});
        call(step.op, to, {{acts}});
        return to;
      }
      case Family::Where: {
        const Var condition = matrix(first, how);
        const Var yes = matrix(second, how);
        const Var no = matrix(third, how);
        const Var to = room(i);
        call(Op::where, to, {{condition}, {yes}, {no}});
        return to;
      }
      default:
        return binary(i, step, first, second);
    }
  }

  Var binary(std::size_t i, const FusedStep& step, FusedValue a, FusedValue b) {
    const Spread how = spreads_[i];
    if (is_spread(a, how) && cudamat::row(step.op).has(cudamat::kCommutative)) std::swap(a, b);
    const Var left = matrix(a, how);
    if (b.kind == ValueKind::Number) {
      const Var to = room(i);
      call(step.op, to, {{left}}, {number(b.index)});
      return to;
    }
    if (const std::optional<Op> op = how == Spread::Whole && is_spread(b, how)
                                         ? with_vector(step.op, spread(b))
                                         : std::nullopt) {
      const Var vector = own(b);
      const Var to = room(i);
      call(*op, to, {{left}, {vector}});
      return to;
    }
    const Var right = matrix(b, how);
    const Var to = room(i);
    call(step.op, to, {{left}, {right}});
    return to;
  }

  // ---- targets

  void target(std::size_t t) {
    const FusedTarget& target = body_.targets[t];
    const Var to = s_.targets[t];
    const Statement::Rows* const rows = rows_of(s_, s_.operands.size() + t);
    if (!target.is_reduced() && rows == nullptr && target.value.kind == ValueKind::Number) {
      call(Op::assign, to, {}, {number(target.value.index)});
      return;
    }
    const Var value = matrix(target.value, target.is_reduced() ? Spread::Whole : target.lies);
    if (target.is_stored() && rows != nullptr)
      slice(Op::set_row_slice, to, value, *rows);
    else if (!target.is_reduced() && value != to)
      call(Op::assign, to, {{value}});
    else if (target.is_reduced())
      reduce(target, to, value);
  }
  /// A view of all elements as one row.
  Var lying(Var of) {
    const auto var = static_cast<Var>(list_.variables.size());
    const cudamat::Shape shape = list_.variables[of].shape;
    list_.variables.push_back({names_.temporary(), {1, shape.size()}, owner(list_, of)});
    add(SKind::Reshape, var).operands = {{of}};
    return var;
  }
  void reduce(const FusedTarget& target, Var to, Var value) {
    if (cudamat::row(target.op).family == Family::Whole) {
      call(target.op, to, {{value}});
      return;
    }
    if (target.is_total()) value = lying(value);
    std::vector<Number> numbers;
    if (target.mult >= 0 || target.beta >= 0)
      numbers.push_back(target.mult >= 0 ? number(target.mult) : Number(1));
    if (target.beta >= 0) numbers.push_back(number(target.beta));
    const Op op = target.beta >= 0 ? Op::add_sums : target.op;
    // A standing vector over axis 0, or a lying one over axis 1, is what the transpose gives.
    const bool flagged = !target.is_total() && !(extents_of(to) == extents(target.spread()));
    const int axis = target.is_total() ? 1 : target.axis;
    call(op, to, {{value, flagged}}, std::move(numbers)).integers = {flagged ? 1 - axis : axis};
  }

  StatementList& list_;
  Names& names_;
  IterationSpace& iterations_;  // at the statement
  const Statement& s_;
  const FusedBody& body_;
  const Extents space_;
  const std::vector<Spread> spreads_;  // by step
  std::vector<Var> inputs_;            // by input: the matrix that holds it, once there is one
  std::vector<Var> steps_;
  std::vector<bool> done_;  // by target
};

}  // namespace

bool has_fused(const StatementList& list) {
  return std::any_of(list.statements.begin(), list.statements.end(),
                     [](const Statement& s) { return s.kind == SKind::Fused; });
}

bool has_space(const Statement& fused) {
  const FusedBody& body = *fused.fused;
  return std::find(body.inputs.begin(), body.inputs.end(), Spread::Whole) != body.inputs.end() ||
         std::any_of(body.targets.begin(), body.targets.end(),
                     [](const FusedTarget& target) { return target.is_stored(); });
}

Extents fused_space(const StatementList& list, const Statement& fused) {
  const auto extents = [&](Var var, std::size_t part) {
    const Variable& v = list.variables[var];
    Extents result = v.varying ? *v.varying : Extents(v.shape);
    if (const Statement::Rows* const rows = rows_of(fused, part))
      result.rows = sum(rows->last, rows->first, -1);
    return result;
  };
  for (std::size_t i = 0; i < fused.operands.size(); ++i)
    if (fused.fused->inputs[i] == Spread::Whole) return extents(fused.operands[i].var, i);
  for (std::size_t t = 0; t < fused.targets.size(); ++t)
    if (fused.fused->targets[t].is_stored())
      return extents(fused.targets[t], fused.operands.size() + t);
  throw cudamat::InternalError("a fused statement without a matrix of its whole shape");
}

StatementList unfused(const StatementList& list) {
  if (!has_fused(list)) return list;
  Names names = names_beside(list);
  StatementList result = list;
  result.statements.clear();
  const auto variables = list.variables.size();
  IterationSpace iterations(list);
  for (const Statement& s : list.statements) {
    if (s.kind == SKind::Loop) iterations.open(s.loop);
    if (s.kind == SKind::End) iterations.close();
    if (s.kind == SKind::Fused)
      Unfuse(result, names, iterations, s).write();
    else
      result.statements.push_back(s);
  }
  for (std::size_t var = variables; var < result.variables.size(); ++var) {
    if (result.variables[var].view_of != kNoVar) continue;
    Statement& free = result.statements.emplace_back();
    free.kind = SKind::Free;
    free.target = static_cast<Var>(var);
  }
  std::erase_if(result.remarks,
                [](const auto& remark) { return remark.second.starts_with("fused: "); });
  free_after_last_use(result);
  number_anew(result);
  return result;
}

}  // namespace rewriter
