// The body of run(), for the source file that instantiates it with an engine. See run.hpp.
#pragma once

#include <cstdio>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "rewriter/expr/text_format.hpp"
#include "rewriter/list/iterations.hpp"
#include "rewriter/list/verify.hpp"
#include "rewriter/run/arena_block.hpp"
#include "rewriter/run/execute_call.hpp"
#include "rewriter/run/execute_fused.hpp"
#include "rewriter/run/report.hpp"
#include "rewriter/run/run.hpp"

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
        variables_(list.loops.size()),
        last_(list.loops.size()) {
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
      guarded(kNoStatement, input.var, [&] { upload(input, inputs.at(input.name)); });
    M::init_random(options_.seed);
    for (std::size_t i = 0; i < list_.statements.size();) {
      if (options_.before_statement) options_.before_statement(i);
      guarded(i, kNoVar, [&] { execute(i); });
      if (options_.after_statement) options_.after_statement(i, variables_);
      guarded(i, kNoVar, [&] { i = next_after(i); });
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
  /// Where the list goes on after a statement: at the next one, or at the start of a loop's body.
  std::size_t next_after(std::size_t i) {
    const Statement& s = list_.statements[i];
    if (s.kind != Statement::Kind::Loop && s.kind != Statement::Kind::End) return i + 1;
    const ListLoop& loop = list_.loops[s.loop];
    Index& variable = variables_[s.loop];
    const bool begins = s.kind == Statement::Kind::Loop;
    const Loop range = begins ? range_in(variables_, loop) : Loop();
    if (begins && range.count() == 0) return nesting_.partner[i] + 1;
    if (begins) last_[s.loop] = range.last();
    const bool is_over = !begins && (loop.form == LoopForm::If || variable == last_[s.loop]);
    if (is_over && loop.form != LoopForm::While) return i + 1;
    // The look at the condition waits for the device.
    if (!s.operands.empty() && matrix(s.operands[0].var).asarray()(0, 0) == T(0))
      return begins ? nesting_.partner[i] + 1 : i + 1;
    variable = begins ? range.start : is_over ? variable : variable + loop.step;
    return begins ? i + 1 : nesting_.partner[i] + 1;
  }

  /// What a statement's terms add up to in this iteration.
  Index shift(const ListTerms& terms) const { return value_in(variables_, 0, terms); }

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

  M& matrix(Var var) { return matrices_[var]; }
  /// In this iteration.
  cudamat::Shape shape(Var var) const { return shape_in(variables_, list_.variables[var]); }

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

  /// An input, from the memory of a NumPy array; where that is in the matrix's order as it is.
  void upload(const Binding& input, const npmat::Array<T>& array) {
    if (!in_c_order(input)) return upload(input.var, array, {0, 0});
    make(input.var, {0, 0});
    M::engine::copy_to_device(array.data.data(), matrix(input.var).data(),
                              matrix(input.var).size());
  }

  npmat::Array<T> download(const Binding& output) {
    npmat::Array<T> array{output.dims, {}};
    const auto& host = matrix(output.var).asarray();
    if (in_c_order(output)) {
      array.data.assign(host.values().begin(), host.values().end());
      return array;
    }
    array.data.reserve(static_cast<std::size_t>(host.shape().size()));
    for (Index i = 0; i < host.shape().rows; ++i)
      for (Index j = 0; j < host.shape().cols; ++j) array.data.push_back(host(i, j));
    return array;
  }

  void execute(std::size_t i) {
    const Statement& s = list_.statements[i];
    if (s.kind == Statement::Kind::Print) return print(s);  // which calls others' code
    if (s.kind == Statement::Kind::Fused)                   // for which an engine may need more
      return fused_(s, matrices_, variables_);
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
        matrix(s.target) = matrix(s.operands[0].var)
                               .slice(s.integers[0] + shift(s.terms),
                                      s.integers[1] + shift(s.terms) + shift(s.stretch));
        return;
      case Statement::Kind::Reshape:
        matrix(s.target) = matrix(s.operands[0].var).view(shape(s.target));
        return;
      case Statement::Kind::Seed:
        return M::init_random(static_cast<std::uint64_t>(s.integers[0]));
      case Statement::Kind::Free:
        return free(s.target);
      case Statement::Kind::Call:
        return execute_call<M>(s, matrices_, shift(s.terms), shift(s.stretch));
      case Statement::Kind::Fused:
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
      std::fflush(stdout);  // so that a long run can be followed in a pipe
    }
  }

  // The list does not use its views any more, and must not be able to.
  void free(Var var) {
    matrix(var).free_device_memory();
    if (const auto views = views_of(var); !views.empty())
      for (const Var view : views) matrix(view).free_device_memory();
    block_->free(var, list_.variables[var].shape);
    memory_.remove(var);
  }

  /// The variables that show the memory of `var`; the index is made at the first use.
  std::span<const Var> views_of(Var var) {
    if (views_.empty()) {
      views_.resize(list_.variables.size());
      for (std::size_t v = 0; v < list_.variables.size(); ++v)
        if (const Var base = list_.variables[v].view_of; base != kNoVar)
          views_[base].push_back(static_cast<Var>(v));
    }
    return views_[var];
  }

  const StatementList& list_;
  const RunOptions& options_;
  Arena arena_;
  LiveMemory memory_;
  std::optional<ArenaBlock<M>> block_;
  Table<M> matrices_;
  Table<std::vector<Var>> views_;
  LoopNesting nesting_;
  LoopVariables variables_;
  Table<Index> last_;  // by loop: its variable in the last iteration
  FusedExecutor<M> fused_;
};

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
