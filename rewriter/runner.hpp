// The body of run(), for the source file that instantiates it with an engine. See run.hpp.
#pragma once

#include <cstdio>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "rewriter/arena_block.hpp"
#include "rewriter/run.hpp"
#include "rewriter/run_report.hpp"
#include "rewriter/text_format.hpp"

namespace rewriter::detail {

template <class M>
class Runner {
 public:
  using T = typename M::value_type;
  using Arrays = std::map<std::string, npmat::Array<T>>;

  Runner(const StatementList& list, const RunOptions& options)
      : list_(list),
        options_(options),
        arena_(plan_arena(list, static_cast<int>(sizeof(T)))),
        memory_(list, static_cast<int>(sizeof(T)), options.memory_limit),
        nesting_(loop_nesting(list)),
        variables_(list.loops.size()) {
    matrices_.reserve(list.variables.size());
    for (std::size_t i = 0; i < list.variables.size(); ++i)
      matrices_.push_back(M::borrow(nullptr, {}));  // without memory yet
  }

  RunResult<T> run(const Arrays& inputs) {
    for (const Binding& input : list_.inputs) {
      const auto found = inputs.find(input.name);
      if (found == inputs.end()) missing_input(input);
      check_input(input, found->second.shape);
      (void)found->second.size();  // refuses data that do not match their shape
    }
    allocate();
    for (const Binding& input : list_.inputs)
      guarded(kNoStatement, input.var, [&] { upload(input.var, inputs.at(input.name), {0, 0}); });
    M::init_random(options_.seed);
    for (std::size_t i = 0; i < list_.statements.size();) {
      if (options_.before_statement) options_.before_statement(i);
      guarded(i, kNoVar, [&] { execute(i); });
      i = next_after(i);
    }
    if (options_.before_statement) options_.before_statement(list_.statements.size());
    RunResult<T> result;
    for (const Binding& output : list_.outputs)
      result.outputs.emplace(output.name, download(output));
    result.peak_bytes = memory_.peak();
    result.arena_bytes = arena_.bytes;
    return result;
  }

 private:
  /// Where the list goes on after a statement: behind it, or at the start of a loop's body.
  std::size_t next_after(std::size_t i) {
    const Statement& s = list_.statements[i];
    if (s.kind != Statement::Kind::Loop && s.kind != Statement::Kind::End) return i + 1;
    const Loop& loop = list_.loops[static_cast<std::size_t>(s.loop)];
    Index& variable = variables_[static_cast<std::size_t>(s.loop)];
    if (s.kind == Statement::Kind::Loop) {
      variable = loop.start;
      return i + 1;
    }
    if (variable == loop.last()) return i + 1;
    variable += loop.step;
    return nesting_.partner[i] + 1;
  }

  /// What a statement's terms add up to in this iteration.
  Index shift(const std::vector<Statement::Term>& terms) const {
    Index sum = 0;
    for (const auto& [loop, factor] : terms)
      sum += factor * variables_[static_cast<std::size_t>(loop)];
    return sum;
  }

  template <class F>
  void guarded(std::size_t statement, Var input, const F& work) {
    try {
      work();
    } catch (const cudamat::InternalError&) {
      throw;
    } catch (...) {
      rethrow_with_place(list_, statement, input, memory_);
    }
  }

  M& matrix(Var var) { return matrices_[static_cast<std::size_t>(var)]; }
  cudamat::Shape shape(Var var) const {
    return list_.variables[static_cast<std::size_t>(var)].shape;
  }
  static T value(double number) { return static_cast<T>(number); }

  /// All the memory of the run.
  void allocate() {
    try {
      memory_.check(arena_.bytes);
      block_.emplace(arena_);
    } catch (...) {
      rethrow_at_peak(list_, memory_);
    }
  }

  void make(Var var, SourceLocation where) {
    matrix(var) = block_->make(var, shape(var));
    memory_.add(var, where);
  }

  template <class U>
  void upload(Var var, const npmat::Array<U>& array, SourceLocation where) {
    const auto host = cudamat::reformat<T>(std::span<const U>(array.data), shape(var));
    make(var, where);
    M::engine::copy_to_device(host.data(), matrix(var).data(), matrix(var).size());
  }

  npmat::Array<T> download(const Binding& output) {
    npmat::Array<T> array{output.dims, {}};
    const auto& host = matrix(output.var).asarray();
    array.data.reserve(static_cast<std::size_t>(host.shape().size()));
    for (Index i = 0; i < host.shape().rows; ++i)
      for (Index j = 0; j < host.shape().cols; ++j) array.data.push_back(host(i, j));
    return array;
  }

  void execute(std::size_t i) {
    const Statement& s = list_.statements[i];
    if (s.kind == Statement::Kind::Print) return print(s);  // which calls others' code
    const auto before = M::allocations();
    compute(s);
    if (M::allocations() != before) allocated(list_, i);
  }

  void compute(const Statement& s) {
    switch (s.kind) {
      case Statement::Kind::Empty:
        return make(s.target, s.where);
      case Statement::Kind::Constant:
        return std::visit([&](const auto& data) { upload(s.target, data, s.where); }, *s.data);
      case Statement::Kind::Slice:
        matrix(s.target) =
            matrix(s.operands[0].var)
                .slice(s.integers[0] + shift(s.terms), s.integers[1] + shift(s.terms));
        return;
      case Statement::Kind::Reshape:
        matrix(s.target) = matrix(s.operands[0].var).view(shape(s.target));
        return;
      case Statement::Kind::Seed:
        return M::init_random(static_cast<std::uint64_t>(s.integers[0]));
      case Statement::Kind::Free:
        return free(s.target);
      case Statement::Kind::Call:
        return call(s);
      case Statement::Kind::Print:
      case Statement::Kind::Loop:
      case Statement::Kind::End:
        return;
    }
  }

  void print(const Statement& s) {
    std::string text;
    for (const Statement::Part& part : s.parts) {
      switch (part.kind) {
        case TextPart::Kind::Text:
          text += part.text;
          break;
        case TextPart::Kind::Integer:
          text += format_integer(part.constant + shift(part.terms), part.text);
          break;
        case TextPart::Kind::Element:
          text += format_number(matrix(s.operands[part.operand].var).asarray()(0, 0), part.dtype,
                                part.text);
          break;
      }
    }
    if (options_.print) {
      options_.print(text);
    } else {
      std::fwrite(text.data(), 1, text.size(), stdout);
      std::fflush(stdout);  // whoever follows a long run in a pipe sees how far it is
    }
  }

  // The list does not use its views any more, and must not be able to.
  void free(Var var) {
    matrix(var).free_device_memory();
    if (const auto views = views_of(var); !views.empty())
      for (const Var view : views) matrix(view).free_device_memory();
    block_->free(var, shape(var));
    memory_.remove(var);
  }

  /// The variables that show the memory of `var`; the index is made at the first use.
  std::span<const Var> views_of(Var var) {
    if (views_.empty()) {
      views_.resize(list_.variables.size());
      for (std::size_t v = 0; v < list_.variables.size(); ++v)
        if (const Var base = list_.variables[v].view_of; base != kNoVar)
          views_[static_cast<std::size_t>(base)].push_back(static_cast<Var>(v));
    }
    return views_[static_cast<std::size_t>(var)];
  }

  void call(const Statement& s);
  void elementwise(const Statement& s, const M& a, M& t);
  void reduction(const Statement& s, M& t);
  void product(const Statement& s, M& t);
  void slice(const Statement& s, M& t);

  /// The operand as its flag says.
  template <class F>
  void with_flag(const Statement::Operand& operand, const F& use) {
    if (operand.transposed)
      use(std::as_const(matrix(operand.var)).T());
    else
      use(std::as_const(matrix(operand.var)));
  }

  const StatementList& list_;
  const RunOptions& options_;
  Arena arena_;
  LiveMemory memory_;
  std::optional<ArenaBlock<M>> block_;
  std::vector<M> matrices_;
  std::vector<std::vector<Var>> views_;
  LoopNesting nesting_;
  std::vector<Index> variables_;  // of the loops
};

template <class M>
void Runner<M>::call(const Statement& s) {
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
        t.assign(cudamat::vdot(operand(0), operand(1)));
      else
        elementwise(s, operand(0), t);
      return;
    case Family::Assign:
      if (s.operands.empty())
        t.assign(value(s.terms.empty() ? s.numbers[0]  // -0 + 0 would be 0
                                       : s.numbers[0] + static_cast<double>(shift(s.terms))));
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
    case Family::Scan:
      operand(0).cumsum(t);
      return;
    default:
      return elementwise(s, operand(0), t);
  }
}

template <class M>
void Runner<M>::elementwise(const Statement& s, const M& a, M& t) {
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
      a.op(value(s.numbers[0]), t);                   \
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
      a.soft_threshold(value(s.numbers[0]), t);
      return;
    case Op::add_col_mult:
      a.add_col_mult(second(), value(s.numbers[0]), t);
      return;
    case Op::add_mult:
      t.add_mult(a, value(s.numbers[0]));
      return;
    case Op::subtract_mult:
      t.subtract_mult(a, value(s.numbers[0]));
      return;
    case Op::mult_by_sigmoid_deriv:
      t.mult_by_sigmoid_deriv(a);
      return;
    case Op::euclid_norm:
      t.assign(a.euclid_norm());
      return;
    case Op::manhattan_norm:
      t.assign(a.manhattan_norm());
      return;
    case Op::allfinite:
      t.assign(T(a.allfinite()));
      return;
    case Op::total_sum:
      t.assign(a.total_sum());
      return;
    case Op::total_max:
      t.assign(a.total_max());
      return;
    case Op::total_mean:
      t.assign(a.total_mean());
      return;
    default:
      throw cudamat::InternalError(fmt::format("run: {} is no call", cudamat::name(s.op)));
  }
}

template <class M>
void Runner<M>::reduction(const Statement& s, M& t) {
  const int axis = static_cast<int>(s.integers[0]);
  const T mult = s.numbers.empty() ? T(1) : value(s.numbers[0]);
  const T beta = s.numbers.size() == 2 ? value(s.numbers[1]) : T(0);
  with_flag(s.operands[0], [&](const M& a) { M::reduce(s.op, a, axis, t, mult, beta); });
}

template <class M>
void Runner<M>::product(const Statement& s, M& t) {
  T alpha = 1;
  T beta = 0;
  if (!s.numbers.empty()) {
    const bool dot = s.op == Op::dot;
    alpha = value(s.numbers[dot ? 1 : 0]);
    beta = value(s.numbers[dot ? 0 : 1]);
    if (s.op == Op::subtract_dot) alpha = -alpha;
  }
  with_flag(s.operands[0], [&](const M& a) {
    with_flag(s.operands[1], [&](const M& b) { M::product(s.op, a, b, t, beta, alpha); });
  });
}

template <class M>
void Runner<M>::slice(const Statement& s, M& t) {
  const M& a = matrix(s.operands[0].var);
  const Index first = s.integers[0] + shift(s.terms);
  const Index last = s.integers[1] + shift(s.terms);
  if (s.op == Op::get_row_slice)
    a.get_row_slice(first, last, t);
  else if (s.op == Op::get_col_slice)
    a.get_col_slice(first, last, t);
  else if (s.op == Op::set_row_slice)
    t.set_row_slice(first, last, a);
  else
    t.set_col_slice(first, last, a);
}

}  // namespace rewriter::detail

namespace rewriter {

template <class M>
RunResult<typename M::value_type> run(
    const StatementList& list,
    const std::map<std::string, npmat::Array<typename M::value_type>>& inputs,
    const RunOptions& options) {
  verify(list);
  return detail::Runner<M>(list, options).run(inputs);
}

}  // namespace rewriter
