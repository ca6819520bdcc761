// The body of run() and of PreparedList, for the source file that instantiates them with an engine.
// See run.hpp and prepared.hpp.
#pragma once

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "npmat/array_text.hpp"
#include "rewriter/expr/text_format.hpp"
#include "rewriter/list/iterations.hpp"
#include "rewriter/list/verify.hpp"
#include "rewriter/run/arena_block.hpp"
#include "rewriter/run/compiled_regions.hpp"
#include "rewriter/run/execute_call.hpp"
#include "rewriter/run/execute_custom.hpp"
#include "rewriter/run/execute_fused.hpp"
#include "rewriter/run/held_constants.hpp"
#include "rewriter/run/held_numbers.hpp"
#include "rewriter/run/held_results.hpp"
#include "rewriter/run/memory_check.hpp"
#include "rewriter/run/prepared.hpp"
#include "rewriter/run/replay.hpp"
#include "rewriter/run/report.hpp"
#include "rewriter/run/run.hpp"

namespace rewriter::detail {

template <class M>
class Runner : private RegionHost {
 public:
  using T = typename M::value_type;

  explicit Runner(const StatementList& list, const std::vector<bool>& overwritten = {},
                  const std::vector<bool>& numbers = {})
      : list_(list),
        arena_(plan_arena(list, static_cast<int>(sizeof(T)))),
        nesting_(loop_nesting(list)),
        variables_(list.loops.size()),
        last_(list.loops.size()),
        numbers_(list, numbers),
        constants_(list, kKeptBytes),
        results_(list, numbers_.plan(), kOnHost ? kKeptBytes : 0),
        regions_(regions_of(list, numbers_.plan())),
        inputs_(list.variables.size()),
        written_(written_memory(list)),
        draws_(std::any_of(list.statements.begin(), list.statements.end(), draws)) {
    for (const Binding& input : list.inputs) inputs_[input.var] = true;
    matrices_.reserve(list.variables.size());
    for (std::size_t i = 0; i < list.variables.size(); ++i)
      matrices_.push_back(M::borrow(nullptr, {}));  // without memory yet
    for (std::size_t i = 0; i < overwritten.size(); ++i)
      if (overwritten[i]) written_[list.inputs[i].var] = true;
  }

  /// PreparedList::run, whose outputs `places` gives once all is computed; `known`: what of that
  /// is known before, empty or by output. `options` and the inputs' memory must last as long as it
  /// runs.
  template <class F>
  typename PreparedList<M>::Bytes run(std::span<const T* const> inputs, std::span<T* const> known,
                                      const F& places, const RunOptions& options) {
    options_ = &options;
    settle(inputs, known);
    memory_.emplace(list_, static_cast<int>(sizeof(T)), options.memory_limit);
    if constexpr (kReplays) {
      replay_.reset();  // of a run that failed
      if (options.replay && !options.after_statement)
        replay_.emplace(list_, plan_replay(list_, sizeof(T), numbers_.plan()));
    }
    const Memory memory(*this);
    allocate();
    for (std::size_t i = 0; i < list_.inputs.size(); ++i)
      guarded(kNoStatement, list_.inputs[i].var,
              [&] { upload(list_.inputs[i], inputs[i], !written_[list_.inputs[i].var]); });
    for (std::size_t i = 0; i < options.numbers.size(); ++i)
      if (options.numbers[i]) numbers_.set(list_.inputs[i].var, *options.numbers[i]);
    if (draws_) M::init_random(options.seed);
    if constexpr (kCompiles) regions_.begin();
    for (std::size_t i = 0; i < list_.statements.size();) {
      if (const std::size_t next = replayed(i); next != i) {
        i = next;
        continue;
      }
      if (options.before_statement) options.before_statement(i);
      ++count_;
      if (const std::size_t next = compiled(i); next != i) {
        i = next;
        continue;
      }
      if (!results_.has(i)) guarded(i, kNoVar, [&] { execute(i); });
      results_.note(i);
      if (options.after_statement) options.after_statement(i, variables_);
      const std::size_t done = i;
      guarded(i, kNoVar, [&] { i = next_after(i); });
      i = compiled(done, i);
    }
    if (options.before_statement) options.before_statement(list_.statements.size());
    const std::span<T* const> outputs = places();
    for (std::size_t i = 0; i < list_.outputs.size(); ++i)
      if (outputs[i] != nullptr) download(list_.outputs[i], outputs[i]);
    if (options.results != nullptr) *options.results = numbers_.results(list_);
    if constexpr (kReplays) {
      remarks_ = replay_ ? replay_->remarks() : std::vector<ReplayRemark>();
      replay_.reset();
    }
    return {memory_->peak(), arena_.bytes};
  }

  /// What the last run replayed, and what not.
  [[nodiscard]] std::vector<ReplayRemark> take_remarks() { return std::move(remarks_); }

 private:
  /// A block up to this size stays with the runner from one run to the next.
  static constexpr Index kKeptBytes = Index(64) << 20;
  static constexpr bool kOnHost = std::is_base_of_v<npmat::Engine<T>, typename M::engine>;
  static constexpr bool kCompiles = std::is_same_v<npmat::Engine<T>, typename M::engine>;
  static constexpr bool kReplays = kRecords<typename M::engine>;

  /// While it lives the run's matrices have memory.
  class Memory {
   public:
    explicit Memory(Runner& runner) : runner_(runner) {}
    ~Memory() {
      for (M& matrix : runner_.matrices_) matrix = M::borrow(nullptr, {});
      if (runner_.arena_.bytes > kKeptBytes) runner_.block_.reset();
    }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

   private:
    Runner& runner_;
  };

  /// Of each variable that has memory of its own, whether a statement writes to that.
  static Table<bool> written_memory(const StatementList& list) {
    Table<bool> written(list.variables.size());
    for (const Statement& s : list.statements)
      if (computes(s))
        for (const Var target : targets_of(s)) written[owner(list, target)] = true;
    return written;
  }

  /// Where the list goes on after the region that begins at the statement, which has run; the
  /// statement itself if there is none.
  std::size_t replayed(std::size_t first) {
    if constexpr (kReplays) {
      if (!replay_ || !replay_->begins(first)) return first;
      const std::int64_t peak = memory_->peak();
      const std::size_t next = replay_->run(
          first,
          [&](std::size_t i) {
            if (options_->before_statement) options_->before_statement(i);
          },
          [&](std::size_t i) { guarded(i, kNoVar, [&] { execute(i); }); },
          [&](std::size_t i, const auto& work) { guarded(i, kNoVar, work); });
      if (replay_->repeats(first)) memory_->set_peak(peak);  // frees wait for what is recorded
      return next;
    }
    return first;
  }

  /// The same of regions that are compiled: where the list goes on after the one that begins at the
  /// statement, and after the rest of the one that ends with a statement that leads to `next`.
  std::size_t compiled(std::size_t first) {
    if constexpr (kCompiles)
      if (!options_->after_statement) return regions_.enter(first, count_, variables_, *this);
    return first;
  }
  std::size_t compiled(std::size_t done, std::size_t next) {
    if constexpr (kCompiles)
      if (!options_->after_statement) return regions_.after(done, next, count_, variables_, *this);
    return next;
  }

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
    if (!s.operands.empty() && !holds(i)) return begins ? nesting_.partner[i] + 1 : i + 1;
    variable = begins ? range.start : is_over ? variable : variable + loop.step;
    return begins ? i + 1 : nesting_.partner[i] + 1;
  }

  /// The condition of a Loop or an End.
  bool holds(std::size_t i) {
    const Var condition = list_.statements[i].operands[0].var;
    if (numbers_.reads(i, 0)) return numbers_[condition] != 0;
    return matrix(condition).asarray()(0, 0) != T(0);
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
      rethrow_with_place(list_, statement, input, *memory_);
    }
  }

  /// Chooses the variables that are at home in an output's memory: on the host, those that own
  /// elements in its order. An input's is where it lies there already, or where none does: others
  /// are copied before a statement runs, but not before it is.
  void settle(std::span<const T* const> inputs, std::span<T* const> outputs) {
    homes_.assign(list_.variables.size(), nullptr);
    if (!kOnHost) return;
    results_.for_each([&](Var var, T* held) { homes_[var] = held; });
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const Binding& output = list_.outputs[i];
      const Variable& variable = list_.variables[output.var];
      if (variable.view_of == kNoVar && !variable.varying && in_memory_order(output))
        homes_[output.var] = outputs[i];
    }
    const auto meets = [&](const T* home, Index n, std::size_t i) {
      const Index size = held_shape(list_.inputs[i]).size();
      return std::less()(home, inputs[i] + size) && std::less()(inputs[i], home + n);
    };
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Binding& input = list_.inputs[i];
      T*& home = homes_[input.var];
      bool stays = home == nullptr || !in_memory_order(input);
      for (std::size_t j = 0; !stays && home != inputs[i] && j < inputs.size(); ++j)
        stays = meets(home, shape(input.var).size(), j);
      if (stays) home = nullptr;
    }
  }

  M& matrix(Var var) { return matrices_[var]; }
  /// In this iteration.
  cudamat::Shape shape(Var var) const { return shape_in(variables_, list_.variables[var]); }

  /// All the memory of the run.
  void allocate() {
    try {
      memory_->check(arena_.bytes);
      if (!block_) block_.emplace(arena_);
    } catch (...) {
      rethrow_at_peak(list_, *memory_);
    }
  }

  void make(Var var, SourceLocation where) {
    T* const home = homes_[var];
    matrix(var) = home != nullptr ? M::borrow(home, shape(var)) : block_->make(var, shape(var));
    memory_->add(var, where);
  }

  /// A Constant's matrix: on the host the one that all runs share.
  template <class U>
  void upload(const Statement& s, const npmat::Array<U>& array) {
    T* const held = constants_.find(s.target, shape(s.target));
    if (kOnHost && homes_[s.target] == nullptr && !written_[s.target]) homes_[s.target] = held;
    make(s.target, s.where);
    M& made = matrix(s.target);
    if (held == nullptr)
      M::engine::copy_to_device(
          cudamat::reformat<T>(std::span<const U>(array.data), made.shape()).data(), made.data(),
          made.size());
    else if (made.data() != held)
      M::engine::copy_to_device(held, made.data(), made.size());
    if (array.data.size() == 1) numbers_.set(s.target, array.data[0]);
  }

  /// An input, from NumPy's memory; where that is in the matrix's order it is copied as it is, or
  /// `lasting` on the host read where it lies.
  void upload(const Binding& input, const T* data, bool lasting) {
    if (!in_memory_order(input)) {
      if constexpr (kOnHost) {
        make(input.var, {0, 0});
        in_c_order_of(const_cast<T*>(data), shape(input.var)).transpose(matrix(input.var));
      } else {
        make(input.var, {0, 0});
        copy_from_c_order(data, matrix(input.var));
      }
      return;
    }
    if (kOnHost && (lasting || homes_[input.var] == data)) {
      matrix(input.var) = M::borrow(const_cast<T*>(data), shape(input.var));
      memory_->add(input.var, {0, 0});
      return;
    }
    make(input.var, {0, 0});
    M::engine::copy_to_device(data, matrix(input.var).data(), matrix(input.var).size());
  }

  /// Copies what lies in C order on the host into a matrix, which turns it; where there is no room
  /// for it twice, the host does.
  static void copy_from_c_order(const T* data, M& to) {
    try {
      M turned = M::empty(to.shape().transposed());
      M::engine::copy_to_device(data, turned.data(), turned.size());
      turned.transpose(to);
    } catch (const cudamat::OutOfMemory&) {
      const std::span<const T> all(data, static_cast<std::size_t>(to.size()));
      const auto host = cudamat::reformat<T>(all, to.shape());
      M::engine::copy_to_device(host.data(), to.data(), to.size());
    }
  }

  /// The way back.
  static void copy_to_c_order(M& from, T* data) {
    try {
      const M turned = from.transpose();
      M::engine::copy_to_host(turned.data(), data, turned.size());
    } catch (const cudamat::OutOfMemory&) {
      const auto& host = from.asarray();
      for (Index i = 0; i < host.shape().rows; ++i)
        for (Index j = 0; j < host.shape().cols; ++j) *data++ = host(i, j);
    }
  }

  /// What lies in C order as a matrix of this shape, as the transpose that Cudamat's order makes
  /// it.
  static M in_c_order_of(T* data, cudamat::Shape shape) {
    return M::borrow(data, shape.transposed());
  }

  void download(const Binding& output, T* data) {
    M& made = matrix(output.var);
    if constexpr (kOnHost) {
      if (in_memory_order(output)) {
        if (made.data() != data) M::engine::copy_to_host(made.data(), data, made.size());
      } else {
        M target = in_c_order_of(data, made.shape());
        made.transpose(target);
      }
    } else if (in_memory_order(output)) {
      M::engine::copy_to_host(made.data(), data, made.size());
    } else {
      copy_to_c_order(made, data);
    }
  }

  void execute(std::size_t i) {
    const Statement& s = list_.statements[i];
    if (s.kind == Statement::Kind::Print) return print(i);  // which calls others' code
    if (s.kind == Statement::Kind::Custom) return execute_custom<M>(s, matrices_, variables_);
    if (s.kind == Statement::Kind::Fused)  // for which an engine may need more
      return numbers_.computes(i) ? compute_numbers(s) : fused_(s, matrices_, variables_);
    const auto before = M::allocations();
    if (numbers_.computes(i))
      compute_numbers(s);
    else
      compute(s);
    if (M::allocations() != before) allocated(list_, i);
  }

  /// On the host; the engine has the targets that it reads, rounded.
  void compute_numbers(const Statement& s) {
    numbers_.compute(s, shift(s.terms), variables_);
    for (const Var target : targets_of(s))
      if (numbers_.plan().to_engine[target]) {
        const T rounded = number_in<T>(numbers_[target]);
        M::engine::copy_to_device(&rounded, matrix(target).data(), 1);
      }
  }

  void compute(const Statement& s) {
    switch (s.kind) {
      case Statement::Kind::Empty:
        return make(s.target, s.where);
      case Statement::Kind::Constant:
        return std::visit([&](const auto& data) { upload(s, data); }, *s.data);
      case Statement::Kind::Slice:
        matrix(s.target) = matrix(s.operands[0].var)
                               .slice(s.integers[0] + shift(s.terms),
                                      s.integers[1] + shift(s.terms) + shift(s.stretch));
        return stage(s);
      case Statement::Kind::Reshape:
        matrix(s.target) = matrix(s.operands[0].var).view(shape(s.target));
        return;
      case Statement::Kind::Seed:
        return M::init_random(static_cast<std::uint64_t>(s.integers[0] + shift(s.terms)));
      case Statement::Kind::Free:
        return free(s.target);
      case Statement::Kind::Call:
        return execute_call<M>(s, matrices_, shift(s.terms), shift(s.stretch));
      case Statement::Kind::Fused:
      case Statement::Kind::Custom:
      case Statement::Kind::Print:
      case Statement::Kind::Loop:
      case Statement::Kind::End:
        return;
    }
  }

  /// Of a slice that graphs read: its columns are copied to where they read them.
  void stage([[maybe_unused]] const Statement& s) {
    if constexpr (kReplays) {
      const auto at = static_cast<std::size_t>(&s - &list_.statements[0]);
      if (replay_ && replay_->is_staged(at))
        matrix(s.target) = replay_->stage(at, matrix(s.target));
    }
  }

  void print(std::size_t i) {
    const Statement& s = list_.statements[i];
    std::string exception, text;
    for (const Statement::Part& part : s.parts) {
      switch (part.kind) {
        case TextPart::Kind::Exception:
          exception = part.text;
          break;
        case TextPart::Kind::Text:
          text += part.text;
          break;
        case TextPart::Kind::Integer:
          text += format_integer(part.constant + shift(part.terms), part.text);
          break;
        case TextPart::Kind::Element:
          text += element_text(i, part);
          break;
      }
    }
    if (!exception.empty()) throw Raised(std::move(exception), std::move(text), s.where);
    if (options_->print) {
      options_->print(text);
    } else {
      std::fwrite(text.data(), 1, text.size(), stdout);
      std::fflush(stdout);  // so that a long run can be followed in a pipe
    }
  }

  std::string element_text(std::size_t i, const Statement::Part& part) {
    const Var var = list_.statements[i].operands[part.operand].var;
    if (const auto array = array_format(part.text)) return array_text(i, part, *array);
    if (numbers_.reads(i, part.operand)) return format_number(numbers_[var], part.dtype, part.text);
    return format_number(matrix(var).asarray()(0, 0), part.dtype, part.text);
  }

  std::string array_text(std::size_t i, const Statement::Part& part, const ArrayFormat& array) {
    const Var var = list_.statements[i].operands[part.operand].var;
    std::vector<T> data(1, numbers_.reads(i, part.operand) ? static_cast<T>(numbers_[var]) : T(0));
    if (!numbers_.reads(i, part.operand)) {
      const auto& host = matrix(var).asarray();
      data.assign(host.values().begin(), host.values().end());
      if (array.dims.size() == 2)
        for (Index k = 0; k < std::ssize(data); ++k)
          data[static_cast<std::size_t>(k)] = host(k / array.dims[1], k % array.dims[1]);
    }
    const npmat::Elements elements = part.dtype == DType::Float  ? npmat::Elements::Floats
                                     : part.dtype == DType::Bool ? npmat::Elements::Bools
                                                                 : npmat::Elements::Integers;
    return array.is_repr ? npmat::array_repr(array.dims, data, elements)
                         : npmat::array_text(array.dims, data, elements);
  }

  // What compiled regions ask.

  void* memory(Var var) override {
    const Variable& variable = list_.variables[var];
    if (homes_[var] != nullptr) return homes_[var];
    if (variable.view_of != kNoVar || inputs_[var]) return matrix(var).data();
    if (!written_[var])
      if (T* const held = constants_.find(var, variable.shape)) return homes_[var] = held;
    return block_->make(var, variable.shape).data();
  }

  double* numbers() override { return numbers_.data(); }

  void call(std::size_t i, void* const* data) override {
    const Statement& s = list_.statements[i];
    for_each_variable(s, [&](Var var) {
      matrix(var) = M::borrow(static_cast<T*>(data[static_cast<std::size_t>(var)]), shape(var));
    });
    guarded(i, kNoVar, [&] { execute(i); });
    if (s.kind == Statement::Kind::Constant) memory_->remove(s.target);  // which is accounted for
  }

  void made(Var var, void* data) override {
    matrix(var) = M::borrow(static_cast<T*>(data), shape(var));
  }

  void bad_index(std::size_t i, double index, Index size) override {
    guarded(i, kNoVar, [&] { detail::bad_index(index, size); });
  }

  void look(std::size_t loop) override {
    if (options_->before_statement) options_->before_statement(loop);
  }

  void account(std::size_t first, std::size_t last) override {
    for (std::size_t i = first; i <= last; ++i) {
      const Statement& s = list_.statements[i];
      if (makes_memory(s)) memory_->add(s.target, s.where);
      if (s.kind == Statement::Kind::Free) memory_->remove(s.target);
    }
  }

  static auto regions_of([[maybe_unused]] const StatementList& list,
                         [[maybe_unused]] const HostNumbers& numbers) {
    if constexpr (kCompiles)
      return CompiledRegions::of<T>(list, numbers);
    else
      return NoRegions();
  }

  // The list does not use its views any more, and must not be able to.
  void free(Var var) {
    matrix(var).free_device_memory();
    if (const auto views = views_of(var); !views.empty())
      for (const Var view : views) matrix(view).free_device_memory();
    if (homes_[var] == nullptr) block_->free(var, list_.variables[var].shape);
    memory_->remove(var);
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
  const RunOptions* options_ = nullptr;  // of the run
  Arena arena_;
  std::optional<LiveMemory> memory_;  // of the run
  std::optional<ArenaBlock<M>> block_;
  Table<M> matrices_;
  Table<T*> homes_;  // by variable, of the run: its memory, if that is not in the block
  Table<std::vector<Var>> views_;
  LoopNesting nesting_;
  LoopVariables variables_;
  Table<Index> last_;  // by loop: its variable in the last iteration
  FusedExecutor<M> fused_;
  HeldNumbers<T> numbers_;
  HeldConstants<T> constants_;
  HeldResults<T> results_;
  std::conditional_t<kCompiles, CompiledRegions, NoRegions> regions_;
  std::int64_t count_ = 0;  // of statements that were run one by one, in all runs
  Table<bool> inputs_;      // by variable: it is one
  Table<bool> written_;     // by variable with memory of its own: a statement writes to that
  bool draws_;
  std::conditional_t<kReplays, std::optional<Replay<M>>, NoReplay> replay_{};
  std::vector<ReplayRemark> remarks_{};
};

}  // namespace rewriter::detail

namespace rewriter {

template <class M>
struct PreparedList<M>::Parts {
  Parts(StatementList given, const std::vector<bool>& overwritten, const std::vector<bool>& numbers)
      : list(std::move(given)),
        memory(list, overwritten, sizeof(T)),
        runner(list, overwritten, numbers) {}

  StatementList list;
  MemoryCheck memory;
  detail::Runner<M> runner;
};

template <class M>
PreparedList<M>::PreparedList(StatementList list, const std::vector<bool>& overwritten,
                              const std::vector<bool>& numbers) {
  verify(list);
  parts_ = std::make_unique<Parts>(std::move(list), overwritten, numbers);
}
template <class M>
PreparedList<M>::~PreparedList() = default;
template <class M>
PreparedList<M>::PreparedList(PreparedList&&) noexcept = default;

template <class M>
const StatementList& PreparedList<M>::list() const {
  return parts_->list;
}

template <class M>
typename PreparedList<M>::Bytes PreparedList<M>::run(std::span<const T* const> inputs,
                                                     std::span<T* const> outputs,
                                                     const RunOptions& options) {
  parts_->memory.template check<T>(inputs, outputs);
  return parts_->runner.run(
      inputs, outputs, [outputs] { return outputs; }, options);
}

template <class M>
RunResult<typename M::value_type> run(
    const StatementList& list,
    const std::map<std::string, npmat::Array<typename M::value_type>>& inputs,
    const RunOptions& options) {
  using T = typename M::value_type;
  verify(list);
  std::vector<const T*> from;
  for (const Binding& input : list.inputs) {
    const auto found = inputs.find(input.name);
    if (found == inputs.end()) missing_input(input);
    check_input(input, found->second.shape);
    (void)found->second.size();  // raises an error for data that do not match their shape
    from.push_back(found->second.data.data());
  }
  RunResult<T> result;
  std::vector<npmat::Array<T>> arrays;
  std::vector<T*> to;
  const auto places = [&] {
    for (const Binding& output : list.outputs) {
      npmat::Array<T>& array = arrays.emplace_back(npmat::Array<T>{output.dims, {}});
      array.data.resize(static_cast<std::size_t>(npmat::element_count(output.dims)));
    }
    for (npmat::Array<T>& array : arrays) to.push_back(array.data.data());
    return std::span<T* const>(to);
  };
  std::vector<bool> numbers;
  for (const auto& number : options.numbers) numbers.push_back(number.has_value());
  detail::Runner<M> runner(list, {}, numbers);
  const auto bytes = runner.run(from, {}, places, options);
  for (std::size_t i = 0; i < arrays.size(); ++i)
    result.outputs.emplace(list.outputs[i].name, std::move(arrays[i]));
  result.peak_bytes = bytes.peak;
  result.arena_bytes = bytes.arena;
  result.replay = runner.take_remarks();
  return result;
}

}  // namespace rewriter
