#include <vector>

#include "rewriter/emit/array_library.hpp"
#include "rewriter/list/edit.hpp"

namespace rewriter::emit {

namespace {

using cudamat::Family;
using SKind = Statement::Kind;
using Operand = Statement::Operand;

/// Writes the statements of a list anew, some as several.
class Writer {
 public:
  Writer(const StatementList& list, ArrayLibrary library)
      : from_(list), library_(library), names_(names_beside(list)), result_(list) {
    result_.statements.clear();
  }

  StatementList write() {
    for (const Statement& s : from_.statements) {
      now_ = &s;
      if (s.kind == SKind::Call)
        call(s);
      else
        result_.statements.push_back(s);
    }
    return std::move(result_);
  }

 private:
  void call(const Statement& s);
  void scaled(const Statement& s, Op op);
  void accumulated(const Statement& s, double mult, double beta);

  void add(Op op, Var target, std::vector<Operand> operands, std::vector<Number> numbers = {},
           std::vector<Index> integers = {}) {
    Statement& s = result_.statements.emplace_back();
    s.op = op;
    s.target = target;
    s.operands = std::move(operands);
    s.numbers = std::move(numbers);
    s.integers = std::move(integers);
    s.where = now_->where;
  }
  /// A temporary of the shape of `like` while `use` writes statements with it.
  template <class F>
  void with_temporary(Var like, const F& use) {
    const auto temporary = static_cast<Var>(result_.variables.size());
    Variable variable = result_.variables[like];
    variable.name = names_.temporary();
    variable.view_of = kNoVar;
    result_.variables.push_back(std::move(variable));
    const auto memory = [&](SKind kind) {
      Statement& s = result_.statements.emplace_back();
      s.kind = kind;
      s.target = temporary;
      s.where = now_->where;
    };
    memory(SKind::Empty);
    use(temporary);
    memory(SKind::Free);
  }
  void multiply(Var t, double by) {
    if (by != 1) add(Op::mult, t, {{t}}, {by});
  }

  const StatementList& from_;
  ArrayLibrary library_;
  Names names_;
  StatementList result_;
  const Statement* now_ = nullptr;
};

/// t = x + factor * y
void Writer::scaled(const Statement& s, Op op) {
  const bool column = s.op == Op::add_col_mult;
  const Operand x = column ? s.operands[0] : Operand{s.target};
  const Operand y = s.operands[column ? 1 : 0];
  if (s.numbers[0] == 1) return add(op, s.target, {x, y});
  if (s.numbers[0] == -1) return add(op == Op::add ? Op::subtract : Op::add, s.target, {x, y});
  with_temporary(y.var, [&](Var scaled) {
    add(Op::mult, scaled, {y}, {s.numbers[0]});
    add(op, s.target, {x, {scaled}});
  });
}

/// t = beta * t + mult * (the sum or the product).
void Writer::accumulated(const Statement& s, double mult, double beta) {
  const Op op = cudamat::row(s.op).family == Family::Reduction ? s.op
                : s.op == Op::add_sums                         ? Op::sum
                                                               : Op::dot;
  if (beta == 0) {
    add(op, s.target, s.operands, {}, s.integers);
    return multiply(s.target, mult);
  }
  with_temporary(s.target, [&](Var sum) {
    add(op, sum, s.operands, {}, s.integers);
    if (mult != -1) multiply(sum, mult);
    multiply(s.target, beta);
    add(mult == -1 ? Op::subtract : Op::add, s.target, {{s.target}, {sum}});
  });
}

void Writer::call(const Statement& s) {
  const bool torch = library_ == ArrayLibrary::Torch;
  const auto number = [&](std::size_t i) { return s.numbers[i].value(); };
  switch (cudamat::row(s.op).family) {
    case Family::ColScaled:
    case Family::Scaled:
      if (torch && s.numbers[0] != 1 && s.numbers[0] != -1) break;
      return scaled(s, s.op == Op::subtract_mult ? Op::subtract : Op::add);
    case Family::Accumulate:
      return accumulated(s, number(0), number(1));
    case Family::Reduction:
      if (s.numbers.empty()) break;
      return accumulated(s, number(0), s.numbers.size() == 2 ? number(1) : 0);
    case Family::Product:
    case Family::AddProduct: {
      if (s.numbers.empty()) break;
      const bool dot = s.op == Op::dot;  // beta, alpha; the others: mult, beta
      const double mult = number(dot ? 1 : 0) * (s.op == Op::subtract_dot ? -1 : 1);
      const double beta = number(dot ? 0 : 1);
      if (torch) return add(Op::add_dot, s.target, s.operands, {mult, beta});
      return accumulated(s, mult, beta);
    }
    default:
      break;
  }
  result_.statements.push_back(s);
}

}  // namespace

StatementList one_operation_each(const StatementList& list, ArrayLibrary library) {
  return Writer(list, library).write();
}

}  // namespace rewriter::emit
