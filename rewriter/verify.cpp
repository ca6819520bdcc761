// verify(): the grammar of statement lists, and what may alias what.
#include <cctype>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "cudamat/error.hpp"
#include "rewriter/statement.hpp"

namespace rewriter {

namespace {

using cudamat::Family;
using cudamat::OpRow;
using cudamat::Shape;

class Verifier {
 public:
  explicit Verifier(const StatementList& list) : list_(list), memory_(list.variables.size()) {}

  void run() {
    variables();
    for (const Binding& input : list_.inputs) bind_input(input);
    for (at_ = 0; at_ < list_.statements.size(); ++at_) {
      statement_ = &list_.statements[at_];
      statement(*statement_);
    }
    statement_ = nullptr;
    std::unordered_set<std::string_view> names;
    for (const Binding& output : list_.outputs) {
      check(names.insert(output.name).second, "two outputs are called '{}'", output.name);
      check_binding("output", output);
      readable("output", output.var);
    }
  }

 private:
  /// What is known of a variable: where its elements lie in its owner's memory; of an owner, also
  /// what happened to that.
  struct Memory {
    bool defined = false;
    bool freed = false;
    bool written = false;
    bool is_input = false;
    Index offset = 0;
  };

  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    std::string where = "statement list";
    if (statement_ != nullptr) {
      where += fmt::format(", statement {}", at_);
      if (statement_->kind == Statement::Kind::Call)
        where += fmt::format(" ({})", cudamat::name(statement_->op));
      if (statement_->where.line > 0) where += fmt::format(", line {}", statement_->where.line);
    }
    throw cudamat::InternalError(where + ": " + fmt::format(format, std::forward<Args>(args)...));
  }
  template <class... Args>
  void check(bool condition, fmt::format_string<Args...> format, Args&&... args) const {
    if (!condition) fail(format, std::forward<Args>(args)...);
  }

  const Variable& variable(Var var) const {
    check(var >= 0 && var < static_cast<Var>(list_.variables.size()), "there is no variable {}",
          var);
    return list_.variables[static_cast<std::size_t>(var)];
  }
  Shape shape(Var var) const { return variable(var).shape; }
  Memory& memory(Var var) { return memory_[static_cast<std::size_t>(var)]; }
  Memory& base(Var var) { return memory(owner(list_, var)); }

  void variables() {
    std::unordered_set<std::string_view> names;
    for (const Variable& v : list_.variables) {
      check(is_identifier(v.name), "'{}' is not the name of a variable", v.name);
      check(names.insert(v.name).second, "two variables are called {}", v.name);
      Index size = 0;
      check(v.shape.rows >= 0 && v.shape.cols >= 0 &&
                !__builtin_mul_overflow(v.shape.rows, v.shape.cols, &size),
            "{} has an impossible shape, {}", v.name, v.shape);
      if (v.view_of == kNoVar) continue;
      const Variable& of = variable(v.view_of);
      check(of.view_of == kNoVar && &of != &v, "{} is a view of {}, which owns no memory", v.name,
            of.name);
    }
  }

  /// ASCII letters as usual; other letters were checked when the program was read.
  static bool is_identifier(std::string_view name) {
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) return false;
    for (const char c : name)
      if (const auto u = static_cast<unsigned char>(c); u < 128 && !std::isalnum(u) && c != '_')
        return false;
    return true;
  }

  void check_binding(std::string_view what, const Binding& binding) {
    const Variable& v = variable(binding.var);
    check(binding.dims.size() <= 2 && matrix_shape(binding.dims) == v.shape,
          "{} {} is an array of shape {}, its variable {} is {}", what, binding.name,
          to_string(binding.dims), v.name, v.shape);
  }

  void bind_input(const Binding& input) {
    check_binding("input", input);
    check(variable(input.var).view_of == kNoVar, "input {} is a view", input.name);
    check(!memory(input.var).defined, "two inputs have the variable {}", variable(input.var).name);
    memory(input.var) = {true, false, true, true, 0};
  }

  // ---- uses and definitions

  void usable(std::string_view what, Var var) {
    const Variable& v = variable(var);
    check(memory(var).defined, "{} {} is used before it is defined", what, v.name);
    check(!base(var).freed, "{} {} is used after its memory was freed", what, v.name);
  }
  void readable(std::string_view what, Var var) {
    usable(what, var);
    check(base(var).written || shape(var).size() == 0, "{} {} is read before anything wrote to it",
          what, variable(var).name);
  }
  void define(Var var, bool owns) {
    const Variable& v = variable(var);
    check(!memory(var).defined, "{} is defined twice", v.name);
    check((v.view_of == kNoVar) == owns, "{} is {}a view", v.name, owns ? "" : "not ");
    memory(var).defined = true;
  }
  void define_view(const Statement& s, Index offset) {
    define(s.target, false);
    const Var of = s.operands[0].var;
    check(owner(list_, s.target) == owner(list_, of), "{} does not show the memory of {}",
          variable(s.target).name, variable(of).name);
    memory(s.target).offset = memory(of).offset + offset;
  }

  bool overlap(Var a, Var b) {
    if (owner(list_, a) != owner(list_, b)) return false;
    const Index size_a = shape(a).size();
    const Index size_b = shape(b).size();
    return size_a != 0 && size_b != 0 && memory(a).offset < memory(b).offset + size_b &&
           memory(b).offset < memory(a).offset + size_a;
  }

  // ---- statements

  void statement(const Statement& s) {
    switch (s.kind) {
      case Statement::Kind::Empty:
        counts(s, 0, 0, 0);
        return define(s.target, true);
      case Statement::Kind::Constant: {
        counts(s, 0, 0, 0);
        define(s.target, true);
        check(s.data != nullptr, "{} is a constant without data", variable(s.target).name);
        const auto elements = std::visit([](const auto& a) { return a.data.size(); }, *s.data);
        check(elements == static_cast<std::size_t>(shape(s.target).size()),
              "{} is {}, its data have {} elements", variable(s.target).name, shape(s.target),
              elements);
        memory(s.target).written = true;
        return;
      }
      case Statement::Kind::Slice: {
        counts(s, 1, 0, 2);
        usable("operand", s.operands[0].var);
        const Shape of = shape(s.operands[0].var);
        range("columns", s.integers, of.cols);
        same("target", shape(s.target), {of.rows, s.integers[1] - s.integers[0]});
        return define_view(s, of.rows * s.integers[0]);
      }
      case Statement::Kind::Reshape:
        counts(s, 1, 0, 0);
        usable("operand", s.operands[0].var);
        check(shape(s.target).size() == shape(s.operands[0].var).size(),
              "{} has another number of elements than {}", shape(s.target),
              shape(s.operands[0].var));
        return define_view(s, 0);
      case Statement::Kind::Seed:
        check(s.target == kNoVar, "a seed has no target");
        return counts(s, 0, 0, 1);
      case Statement::Kind::Free:
        counts(s, 0, 0, 0);
        return free(s.target);
      case Statement::Kind::Call:
        return call(s);
    }
    fail("no kind of statement is called so");
  }

  void free(Var var) {
    const Variable& v = variable(var);
    check(v.view_of == kNoVar, "{} is a view: only its owner's memory is freed", v.name);
    check(!memory(var).freed, "{} is freed twice", v.name);
    usable("target", var);
    check(!memory(var).is_input, "{} is an input: its memory is the caller's", v.name);
    memory(var).freed = true;
  }

  void counts(const Statement& s, std::size_t operands, std::size_t numbers,
              std::size_t integers) const {
    check(s.operands.size() == operands, "takes {} operands; has {}", operands, s.operands.size());
    check(s.numbers.size() == numbers, "takes {} numbers; has {}", numbers, s.numbers.size());
    check(s.integers.size() == integers, "takes {} integers; has {}", integers, s.integers.size());
    for (const auto& operand : s.operands)
      check(!operand.transposed || obeys_flag(s), "reads no transposed operand");
  }
  static bool obeys_flag(const Statement& s) {
    if (s.kind != Statement::Kind::Call) return false;
    switch (cudamat::row(s.op).family) {
      case Family::Product:
      case Family::AddProduct:
      case Family::Reduction:
      case Family::ArgReduction:
      case Family::Accumulate:
        return true;
      default:
        return false;
    }
  }

  void range(std::string_view what, const std::vector<Index>& bounds, Index extent) const {
    check(0 <= bounds[0] && bounds[0] <= bounds[1] && bounds[1] <= extent,
          "{} {}:{} do not lie within 0:{}", what, bounds[0], bounds[1], extent);
  }
  void same(std::string_view what, Shape has, Shape wanted) const {
    check(has == wanted, "{} must be {}; it is {}", what, wanted, has);
  }

  /// The operand's shape as its flag shows it.
  Shape shown(const Statement::Operand& operand) const {
    const Shape s = shape(operand.var);
    return operand.transposed ? s.transposed() : s;
  }

  void call(const Statement& s) {
    const OpRow& row = cudamat::row(s.op);
    arguments(s, row);
    for (const auto& operand : s.operands) readable("operand", operand.var);
    if (reads_target(s))
      readable("target", s.target);
    else
      usable("target", s.target);
    shapes(s, row);
    aliases(s, row);
    base(s.target).written = true;
  }

  void arguments(const Statement& s, const OpRow& row) const {
    switch (row.family) {
      case Family::Unary:
      case Family::Modulate:
      case Family::Transpose:
      case Family::Scan:
        return counts(s, 1, 0, 0);
      case Family::UnaryScalar:
      case Family::Scaled:
        return counts(s, 1, 1, 0);
      case Family::Binary:
        return s.operands.size() == 1 ? counts(s, 1, 1, 0) : counts(s, 2, 0, 0);
      case Family::ColBroadcast:
      case Family::RowBroadcast:
        return counts(s, 2, 0, 0);
      case Family::ColScaled:
        return counts(s, 2, 1, 0);
      case Family::Where:
        return counts(s, 3, 0, 0);
      case Family::Reduction:
        return counts(s, 1, s.op == Op::sum && !s.numbers.empty() ? 1 : 0, 1);
      case Family::ArgReduction:
        return counts(s, 1, 0, 1);
      case Family::Accumulate:
        return counts(s, 1, 2, 1);
      case Family::Whole:
        return counts(s, s.op == Op::vdot ? 2 : 1, 0, 0);
      case Family::Assign:
        return s.operands.empty() ? counts(s, 0, 1, 0) : counts(s, 1, 0, 0);
      case Family::Fill:
        return counts(s, 0, 0, 0);
      case Family::Product:
        return counts(s, 2, s.numbers.empty() ? 0 : 2, 0);
      case Family::AddProduct:
        return counts(s, 2, 2, 0);
      case Family::GetSlice:
      case Family::SetSlice:
        return counts(s, 1, 0, 2);
      case Family::Correlate:
      case Family::Select:
      case Family::PerRow:
      case Family::Composite:
        break;
    }
    fail("no statement has this operation");
  }

  void shapes(const Statement& s, const OpRow& row) const {
    const Shape t = shape(s.target);
    switch (row.family) {
      case Family::ColBroadcast:
      case Family::ColScaled:
        same("mat", shape(s.operands[0].var), t);
        return same("vec", shape(s.operands[1].var), {t.rows, 1});
      case Family::RowBroadcast:
        same("mat", shape(s.operands[0].var), t);
        return same("vec", shape(s.operands[1].var), {1, t.cols});
      case Family::Reduction:
      case Family::ArgReduction:
      case Family::Accumulate: {
        check(s.integers[0] == 0 || s.integers[0] == 1, "axis must be 0 or 1; it is {}",
              s.integers[0]);
        const Shape a = shown(s.operands[0]);
        return same("target", t, s.integers[0] == 0 ? Shape{1, a.cols} : Shape{a.rows, 1});
      }
      case Family::Whole:
        if (s.operands.size() == 2)
          same("the second operand", shape(s.operands[1].var), shape(s.operands[0].var));
        return same("target", t, {1, 1});
      case Family::Product:
      case Family::AddProduct: {
        const Shape a = shown(s.operands[0]);
        const Shape b = shown(s.operands[1]);
        check(a.cols == b.rows, "operands {} and {} do not fit", a, b);
        return same("target", t, {a.rows, b.cols});
      }
      case Family::Transpose:
        return same("target", t, shape(s.operands[0].var).transposed());
      case Family::GetSlice:
      case Family::SetSlice:
        return slice_shapes(s, row);
      default:
        for (const auto& operand : s.operands) same("operand", shape(operand.var), t);
    }
  }

  void slice_shapes(const Statement& s, const OpRow& row) const {
    const bool rows = s.op == Op::get_row_slice || s.op == Op::set_row_slice;
    const bool get = row.family == Family::GetSlice;
    const Shape whole = get ? shape(s.operands[0].var) : shape(s.target);
    const Shape part = get ? shape(s.target) : shape(s.operands[0].var);
    range(rows ? "rows" : "columns", s.integers, rows ? whole.rows : whole.cols);
    const Index count = s.integers[1] - s.integers[0];
    same(get ? "target" : "mat", part, rows ? Shape{count, whole.cols} : Shape{whole.rows, count});
  }

  void aliases(const Statement& s, const OpRow& row) {
    for (const auto& operand : s.operands) {
      if (!overlap(operand.var, s.target) || row.family == Family::Whole) continue;
      const Variable& v = variable(operand.var);
      const Variable& t = variable(s.target);
      check(row.has(cudamat::kInPlace), "target {} overlaps operand {}", t.name, v.name);
      check(
          memory(operand.var).offset == memory(s.target).offset && v.shape.size() == t.shape.size(),
          "target {} partly overlaps operand {}", t.name, v.name);
    }
  }

  const StatementList& list_;
  std::vector<Memory> memory_;
  const Statement* statement_ = nullptr;
  std::size_t at_ = 0;
};

}  // namespace

void verify(const StatementList& list) {
  Verifier(list).run();
}

}  // namespace rewriter
