// find_problem() and verify(): the grammar of statement lists, and what may alias what.
#include "rewriter/list/verify.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "cudamat/call_rules.hpp"
#include "cudamat/error.hpp"
#include "cudamat/fused_rules.hpp"
#include "rewriter/expr/custom.hpp"
#include "rewriter/expr/text_format.hpp"
#include "rewriter/list/call_form.hpp"
#include "rewriter/list/iterations.hpp"
#include "rewriter/list/names.hpp"
#include "rewriter/list/statement.hpp"

namespace rewriter {

namespace {

using cudamat::Family;
using cudamat::OpRow;
using cudamat::Shape;

class Verifier {
 public:
  explicit Verifier(const StatementList& list)
      : list_(list), memory_(list.variables.size()), iterations_(list) {}

  std::optional<Problem> run() {
    try {
      variables();
      loop_nesting(list_);
      inputs();
      statements();
      outputs();
    } catch (Problem& problem) {
      return std::move(problem);
    } catch (const cudamat::CUDAMatException& error) {  // of IterationSpace
      return Problem{place_, at_, std::string(error.message())};
    }
    return std::nullopt;
  }

 private:
  /// What is known of a variable: where its elements lie in its owner's memory; of an owner, also
  /// what happened to that.
  struct Memory {
    bool defined = false;
    bool freed = false;
    bool written = false;
    bool is_input = false;
    bool out_of_scope = false;
    int loop = kNoLoop;                   ///< whose body made it
    std::optional<ListInteger> offset{};  ///< none: anywhere in it
  };
  static constexpr int kNoLoop = -1;

  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    throw Problem{place_, at_, fmt::format(format, std::forward<Args>(args)...)};
  }
  template <class... Args>
  void check(bool condition, fmt::format_string<Args...> format, Args&&... args) const {
    if (!condition) fail(format, std::forward<Args>(args)...);
  }

  const Variable& variable(Var var) const {
    check(var >= 0 && var < static_cast<Var>(list_.variables.size()), "there is no variable {}",
          var);
    return list_.variables[var];
  }
  /// In the iteration that is looked at.
  Shape shape(Var var) const {
    const Variable& v = variable(var);
    return v.varying && iteration_ != nullptr ? shape_in(*iteration_, v) : v.shape;
  }
  Memory& memory(Var var) { return memory_[var]; }
  const Memory& memory(Var var) const { return memory_[var]; }
  Memory& base(Var var) { return memory(owner(list_, var)); }

  void variables() {
    place_ = Problem::Place::Variable;
    for (at_ = 0; at_ < list_.variables.size(); ++at_) {
      const Variable& v = list_.variables[at_];
      check(is_identifier(v.name), "'{}' is not the name of a variable", v.name);
      check(variable_names_.insert(v.name).second, "two variables are called {}", v.name);
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

  void check_binding(std::string_view what, const Binding& binding) {
    const Variable& v = variable(binding.var);
    check(!binding.transposed || binding.dims.size() <= 2,
          "{} {} is transposed, and has {} dimensions", what, binding.name, binding.dims.size());
    check(held_shape(binding) == v.shape && !v.varying,
          "{} {} is an array of shape {}{}, its variable {} is {}", what, binding.name,
          to_string(binding.dims), binding.transposed ? ", transposed" : "", v.name, v.shape);
  }

  void inputs() {
    place_ = Problem::Place::Input;
    for (at_ = 0; at_ < list_.inputs.size(); ++at_) bind_input(list_.inputs[at_]);
  }
  void statements() {
    place_ = Problem::Place::Statement;
    for (at_ = 0; at_ < list_.statements.size(); ++at_) statement(list_.statements[at_]);
  }
  void outputs() {
    place_ = Problem::Place::Output;
    std::unordered_set<std::string_view> names;
    for (at_ = 0; at_ < list_.outputs.size(); ++at_) {
      const Binding& output = list_.outputs[at_];
      check(names.insert(output.name).second, "two outputs are called '{}'", output.name);
      check_binding("output", output);
      readable("output", output.var);
    }
  }

  void bind_input(const Binding& input) {
    check_binding("input", input);
    check(variable(input.var).view_of == kNoVar, "input {} is a view", input.name);
    check(!memory(input.var).defined, "two inputs have the variable {}", variable(input.var).name);
    check(input_names_.insert(input.name).second, "two inputs are called '{}'", input.name);
    Memory& made = memory(input.var);
    made.defined = made.written = made.is_input = true;
    made.offset = ListInteger{};
  }

  // ---- uses and definitions

  void usable(std::string_view what, Var var) {
    const Variable& v = variable(var);
    check(memory(var).defined, "{} {} is used before it is defined", what, v.name);
    check(!memory(var).out_of_scope, "{} {} is used outside the loop that defines it", what,
          v.name);
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
    if (v.varying) {
      check_terms(v.varying->rows.terms);
      check_terms(v.varying->cols.terms);
      const Shape least{iterations_.bounds(v.varying->rows).first,
                        iterations_.bounds(v.varying->cols).first};
      const Shape most = iterations_.largest(*v.varying);
      check(least.rows >= 0 && least.cols >= 0, "{} would be {} in an iteration", v.name, least);
      check(v.shape == most, "{} is {} at most, not {}", v.name, most, v.shape);
    }
    memory(var).offset = ListInteger{};
    memory(var).defined = true;
    memory(var).loop = open_.empty() ? kNoLoop : open_.back().loop;
    if (!open_.empty()) open_.back().defined.push_back(var);
  }
  /// A view `columns` columns after the beginning of what it shows.
  void define_view(const Statement& s, const ListInteger& columns) {
    define(s.target, false);
    const Var of = s.operands[0].var;
    check(owner(list_, s.target) == owner(list_, of), "{} does not show the memory of {}",
          variable(s.target).name, variable(of).name);
    std::optional<ListInteger>& offset = memory(s.target).offset = memory(of).offset;
    if (offset && !(columns == ListInteger{})) {
      const ListInteger rows = extents_of(of).rows;
      offset =
          rows.terms.empty() ? std::optional(sum(*offset, columns, rows.constant)) : std::nullopt;
    }
  }

  Extents extents_of(Var var) const {
    const Variable& v = variable(var);
    return v.varying ? *v.varying : Extents(v.shape);
  }
  /// Elements, in every iteration: what is not linear is not looked at in a few of them.
  bool have_same_size(Var a, Var b) const {
    const std::optional<ListInteger> size_a = size_of(a);
    const std::optional<ListInteger> size_b = size_of(b);
    if (size_a && size_b) return *size_a == *size_b;
    const auto [rows_a, cols_a] = extents_of(a);
    const auto [rows_b, cols_b] = extents_of(b);
    return (rows_a == rows_b && cols_a == cols_b) || (rows_a == cols_b && cols_a == rows_b);
  }
  bool is_always_empty(Var var) {
    const auto [rows, cols] = extents_of(var);
    return iterations_.bounds(rows).second == 0 || iterations_.bounds(cols).second == 0;
  }
  /// Its elements, unless they are not linear in the loops' variables.
  std::optional<ListInteger> size_of(Var var) const {
    const auto [rows, cols] = extents_of(var);
    if (rows.terms.empty()) return sum({}, cols, rows.constant);
    if (cols.terms.empty()) return sum({}, rows, cols.constant);
    return std::nullopt;
  }

  bool overlap(Var a, Var b) {
    if (owner(list_, a) != owner(list_, b)) return false;
    if (is_always_empty(a) || is_always_empty(b)) return false;
    return !lies_before(a, b) && !lies_before(b, a);
  }
  /// Whether all of `a` lies before all of `b`, in every iteration.
  bool lies_before(Var a, Var b) {
    const std::optional<ListInteger>& begin_a = memory(a).offset;
    const std::optional<ListInteger>& begin_b = memory(b).offset;
    const std::optional<ListInteger> size = size_of(a);
    return begin_a && begin_b && size &&
           iterations_.bounds(sum(sum(*begin_a, *size), *begin_b, -1)).second <= 0;
  }
  bool coincide(Var a, Var b) const {
    const std::optional<ListInteger>& begin_a = memory(a).offset;
    const std::optional<ListInteger>& begin_b = memory(b).offset;
    return owner(list_, a) == owner(list_, b) &&
           (a == b || (begin_a && begin_b && sum(*begin_a, *begin_b, -1) == ListInteger{} &&
                       have_same_size(a, b)));
  }

  // ---- statements

  void statement(const Statement& s) {
    terms(s);
    check(s.parts.empty() || s.kind == Statement::Kind::Print, "has parts to print");
    const bool is_fused = s.kind == Statement::Kind::Fused;
    const bool is_custom = s.kind == Statement::Kind::Custom;
    check(is_fused || s.fused == nullptr, "is not fused");
    check(is_custom || s.custom == nullptr, "is not a custom operation");
    check(is_fused || is_custom || (s.targets.empty() && s.rows.empty()), "has one target");
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
        in_iterations(s, [&] {
          const Shape of = shape(s.operands[0].var);
          range("columns", s, of.cols);
          same("target", shape(s.target), {of.rows, length(s)});
        });
        return define_view(s, slice_bound(s, 0));
      }
      case Statement::Kind::Reshape:
        counts(s, 1, 0, 0);
        usable("operand", s.operands[0].var);
        check(have_same_size(s.target, s.operands[0].var),
              "{} has a different element count from {}", shape(s.target),
              shape(s.operands[0].var));
        return define_view(s, {});
      case Statement::Kind::Seed:
        check(s.target == kNoVar, "a seed has no target");
        return counts(s, 0, 0, 1);
      case Statement::Kind::Free:
        counts(s, 0, 0, 0);
        return free(s.target);
      case Statement::Kind::Call:
        return call(s);
      case Statement::Kind::Loop:
        return begin_loop(s);
      case Statement::Kind::End:
        return end_loop(s);
      case Statement::Kind::Print:
        return print(s);
      case Statement::Kind::Fused:
        return fused(s);
      case Statement::Kind::Custom:
        return custom(s);
    }
    fail("unknown statement kind");
  }

  /// What adds to a statement's integers or number stands where it can, and its loops are open.
  void terms(const Statement& s) {
    const bool call = s.kind == Statement::Kind::Call;
    const Family family = cudamat::row(s.op).family;
    const bool seeds = s.kind == Statement::Kind::Seed;
    const bool takes_terms = seeds || s.kind == Statement::Kind::Slice ||
                             (call && (family == Family::GetSlice || family == Family::SetSlice ||
                                       (family == Family::Assign && s.operands.empty())));
    check(takes_terms || s.terms.empty(), "depends on no loop");
    check((takes_terms && !seeds && family != Family::Assign) || s.stretch.empty(),
          "has no length");
    check_terms(s.terms);
    if (seeds && !s.terms.empty()) return (void)iterations_.bounds(s.integers.at(0), s.terms);
    check_terms(s.stretch);
    if (s.terms.empty() || family != Family::Assign || s.numbers.size() != 1) return;
    constexpr double kLimit = 0x1p63;
    const double number = s.numbers[0].value();
    check(std::trunc(number) == number && std::abs(number) < kLimit,
          "adds a loop's variable to {}, which is not whole, or not below 2^63", number);
    iterations_.bounds(static_cast<Index>(number), s.terms);
  }
  void check_terms(const std::vector<Statement::Term>& terms) const {
    for (const auto& [loop, factor] : terms) {
      const auto same = [&, number = loop](const Open& open) { return open.loop == number; };
      check(factor != 0 && std::any_of(open_.begin(), open_.end(), same),
            "depends on a loop that it is not in");
    }
  }

  void begin_loop(const Statement& s) {
    check(s.target == kNoVar, "a loop has no target");
    check(s.loop >= 0 && s.loop < std::ssize(list_.loops), "there is no loop {}", s.loop);
    check(loops_seen_.insert(s.loop).second, "loop {} appears twice", loop(s.loop).name);
    const ListLoop& begun = loop(s.loop);
    condition(s, begun.has_condition());
    check(begun.step != 0, "the loop over {} has the step 0", begun.name);
    check_terms(begun.start_terms);
    check_terms(begun.stop_terms);
    const bool skipped = may_be_skipped(begun);
    if (begun.has_variable()) {
      check(is_identifier(begun.name), "'{}' is not the name of a loop's variable", begun.name);
      check(!variable_names_.contains(begun.name), "a variable and a loop are called {}",
            begun.name);
      for (const Open& open : open_)
        check(loop(open.loop).name != begun.name, "nested loops both use {}", begun.name);
    }
    open_.push_back({s.loop, s.operands, skipped});
    iterations_.open(s.loop);
    const bool runs = begun.varies() ? !iterations_.corners().empty() : begun.Loop::count() > 0;
    check(runs, "the loop over {} never runs", begun.name);
  }
  /// Whether in some iteration of the loops around it the body of a loop may not run.
  bool may_be_skipped(const ListLoop& begun) {
    if (!begun.varies()) return begun.has_condition();
    const ListInteger length =
        begun.step > 0 ? sum(begun.end(), begun.first(), -1) : sum(begun.first(), begun.end(), -1);
    return begun.has_condition() || iterations_.bounds(length).first <= 0;
  }
  void condition(const Statement& s, bool wanted) {
    counts(s, wanted ? 1 : 0, 0, 0);
    if (!wanted) return;
    readable("condition", s.operands[0].var);
    same("condition", shape(s.operands[0].var), {1, 1});
  }

  void end_loop(const Statement& s) {
    condition(s, loop(s.loop).repeats_condition());
    check(s.operands.empty() || s.operands == open_.back().condition,
          "the loop ends with another condition than it begins with");
    for (const Var var : open_.back().perhaps_written) memory(var).written = false;
    for (const Var var : open_.back().defined) {
      if (variable(var).view_of == kNoVar && !memory(var).freed)
        throw Problem{Problem::Place::Variable, static_cast<std::size_t>(var),
                      fmt::format("the loop's body does not free {}", variable(var).name)};
      memory(var).out_of_scope = true;
    }
    open_.pop_back();
    iterations_.close();
  }
  const ListLoop& loop(int number) const { return list_.loops[number]; }

  void print(const Statement& s) {
    counts(s, s.operands.size(), 0, 0);
    check(s.target == kNoVar, "a print has no target");
    for (const auto& operand : s.operands) {
      readable("operand", operand.var);
    }
    bool behind_text = false;
    for (const Statement::Part& part : s.parts) {
      if (part.kind == TextPart::Kind::Exception) {
        check(&part == s.parts.data() && !part.text.empty(), "names an exception inside a string");
        continue;
      }
      const bool is_text = part.kind == TextPart::Kind::Text;
      check(!is_text || !(part.text.empty() || behind_text), "has an empty or a divided string");
      behind_text = is_text;
      if (is_text) continue;
      const auto array = array_format(part.text);
      check(array || is_number_format(part.text), "'{}' is not a number format", part.text);
      if (part.kind == TextPart::Kind::Element) {
        check(part.operand < s.operands.size(), "prints an operand that it does not have");
        same("operand", shape(s.operands[part.operand].var),
             array ? matrix_shape(array->dims) : cudamat::Shape{1, 1});
      } else {
        check(!array, "prints a number in the shape of an array");
      }
      check_terms(part.terms);
      iterations_.bounds(part.constant, part.terms);  // throws if 64 bits do not hold them
    }
  }

  void free(Var var) {
    const Variable& v = variable(var);
    check(v.view_of == kNoVar, "{} is a view: only its owner's memory is freed", v.name);
    check(!memory(var).freed, "{} is freed twice", v.name);
    usable("target", var);
    check(!memory(var).is_input, "{} is an input: its memory is the caller's", v.name);
    check(memory(var).loop == (open_.empty() ? kNoLoop : open_.back().loop),
          "{} is freed in another loop than it is made in", v.name);
    memory(var).freed = true;
  }

  void counts(const Statement& s, std::size_t operands, std::size_t numbers,
              std::size_t integers) const {
    check(s.operands.size() == operands, "takes {} operands; has {}", operands, s.operands.size());
    check(s.numbers.size() == numbers, "takes {} numbers; has {}", numbers, s.numbers.size());
    check(s.integers.size() == integers, "takes {} integers; has {}", integers, s.integers.size());
    const CallForm* const form =
        s.kind == Statement::Kind::Call ? call_form(cudamat::row(s.op)) : nullptr;
    for (const auto& operand : s.operands)
      check(!operand.transposed || (form != nullptr && form->obeys_flag) ||
                (s.custom != nullptr && s.custom->strided),
            "does not accept transposed operands");
  }

  /// Calls check() for iterations between which all others lie, if it looks at what varies.
  template <class F>
  void in_iterations(const Statement& s, const F& check) {
    const auto varies = [&](Var var) { return var != kNoVar && variable(var).varying; };
    bool once = s.stretch.empty() && s.rows.empty();
    for_each_variable(s, [&](Var var) { once = once && !varies(var); });
    if (once) return check();
    for (const LoopVariables& each : iterations_.corners()) {
      iteration_ = &each;
      check();
    }
    iteration_ = nullptr;
  }
  /// How much a slice takes.
  Index length(const Statement& s) const {
    const Index constant = s.integers[1] - s.integers[0];
    return iteration_ == nullptr ? constant : value_in(*iteration_, constant, s.stretch);
  }

  void range(std::string_view what, const Statement& s, Index extent) {
    Index first = s.integers[0];
    Index last = s.integers[1];
    if (iteration_ != nullptr) {
      first = value_in(*iteration_, slice_bound(s, 0));
      last = value_in(*iteration_, slice_bound(s, 1));
    } else if (first <= last) {
      first = iterations_.bounds(first, s.terms).first;
      last = iterations_.bounds(last, s.terms).second;
    }
    obeys([&] { Check(s.op).range(what, first, last, extent); });
  }
  void same(std::string_view what, Shape has, Shape wanted) const {
    check(has == wanted, "{} must be {}; got {}", what, wanted, has);
  }

  /// An operand, or some rows of one, as the rules of calls look at it.
  class Seen {
   public:
    Seen(Verifier& verifier, Statement::Operand operand, const Statement::Rows* rows = nullptr)
        : verifier_(verifier), operand_(operand), rows_(rows) {}
    Shape shape() const {
      Shape stored = verifier_.shape(operand_.var);
      if (rows_ != nullptr) stored.rows = verifier_.value(sum(rows_->last, rows_->first, -1));
      return operand_.transposed ? stored.transposed() : stored;
    }
    bool is_transposed() const { return operand_.transposed; }
    static bool on_device() { return true; }
    friend bool overlap(const Seen& a, const Seen& b) { return a.overlaps(b); }
    friend bool coincide(const Seen& a, const Seen& b) { return a.coincides_with(b); }

   private:
    bool overlaps(const Seen& other) const {
      return verifier_.overlap(operand_.var, other.operand_.var) &&
             !(verifier_.same_matrix(operand_.var, other.operand_.var) &&
               (lies_above(other) || other.lies_above(*this)));
    }
    bool coincides_with(const Seen& other) const {
      if (rows_ == nullptr && other.rows_ == nullptr)
        return verifier_.coincide(operand_.var, other.operand_.var);
      return rows_ != nullptr && other.rows_ != nullptr && *rows_ == *other.rows_ &&
             verifier_.same_matrix(operand_.var, other.operand_.var);
    }
    /// In every iteration, of the same matrix.
    bool lies_above(const Seen& other) const {
      return rows_ != nullptr && other.rows_ != nullptr &&
             verifier_.iterations_.bounds(sum(rows_->last, other.rows_->first, -1)).second <= 0;
    }

    Verifier& verifier_;
    Statement::Operand operand_;
    const Statement::Rows* rows_;
  };
  bool same_matrix(Var a, Var b) const { return coincide(a, b) && extents_of(a) == extents_of(b); }
  /// In the iteration that is looked at.
  Index value(const ListInteger& integer) const {
    return iteration_ == nullptr ? integer.constant : value_in(*iteration_, integer);
  }
  using Check = cudamat::Check<Seen>;

  /// What the rules of calls refuse is the statement's problem.
  template <class F>
  void obeys(F&& rules) const {
    try {
      rules();
    } catch (const cudamat::CUDAMatException& error) {
      fail("{}", error.message());
    }
  }

  void call(const Statement& s) {
    const OpRow& row = cudamat::row(s.op);
    arguments(s, row);
    for (const auto& operand : s.operands) readable("operand", operand.var);
    if (reads_target(s))
      readable("target", s.target);
    else
      usable("target", s.target);
    in_iterations(s, [&] { operands(s, row); });
    write(owner(list_, s.target));
  }

  void fused(const Statement& s) {
    check(s.fused != nullptr && s.target == kNoVar, "is fused without a body");
    const cudamat::FusedBody& body = *s.fused;
    obeys([&] { cudamat::rules::fused_body(body); });
    counts(s, body.inputs.size(), static_cast<std::size_t>(body.numbers), 0);
    check(s.targets.size() == body.targets.size(), "has {} targets; the body {}", s.targets.size(),
          body.targets.size());
    const std::size_t parts = s.operands.size() + s.targets.size();
    check(s.rows.empty() || s.rows.size() == parts, "has rows of {} matrices; there are {}",
          s.rows.size(), parts);
    for (std::size_t i = 0; i < s.targets.size(); ++i)
      check(body.targets[i].is_stored() || rows_of(s, s.operands.size() + i) == nullptr,
            "what is reduced goes into a matrix of its own, not into rows of one");
    for_each_terms(s, [&](const ListTerms& terms) { check_terms(terms); });
    for (const auto& operand : s.operands) readable("operand", operand.var);
    for (std::size_t i = 0; i < s.targets.size(); ++i)
      if (reads_target(s, i))
        readable("target", s.targets[i]);
      else
        usable("target", s.targets[i]);
    in_iterations(s, [&] { fused_parts(s); });
    for (const Var target : s.targets) write(owner(list_, target));
  }

  void fused_parts(const Statement& s) {
    std::vector<Seen> inputs, targets;
    const auto see = [&](std::vector<Seen>& parts, Statement::Operand operand, std::size_t i) {
      const Statement::Rows* const rows = rows_of(s, i);
      parts.emplace_back(*this, operand, rows);
      if (rows == nullptr) return;
      obeys([&] {
        cudamat::Check<Seen>("fused").range("rows", value(rows->first), value(rows->last),
                                            shape(operand.var).rows);
      });
    };
    for (std::size_t i = 0; i < s.operands.size(); ++i) see(inputs, s.operands[i], i);
    for (std::size_t i = 0; i < s.targets.size(); ++i)
      see(targets, {s.targets[i]}, s.operands.size() + i);
    obeys([&] { cudamat::rules::fused<Seen>(*s.fused, inputs, targets); });
  }

  void custom(const Statement& s) {
    check(s.custom != nullptr && s.target == kNoVar, "is a custom operation that is not defined");
    counts(s, s.custom->operands, s.custom->numbers, s.custom->operands);
    const std::size_t parts = s.operands.size() + s.targets.size();
    check(s.rows.empty() || s.rows.size() == parts, "has rows of {} matrices; there are {}",
          s.rows.size(), parts);
    check(s.rows.empty() || s.custom->strided, "takes no rows of a matrix, but copies of them");
    for (std::size_t i = 0; i < s.targets.size(); ++i)
      check(rows_of(s, s.operands.size() + i) == nullptr, "does not write into rows of a matrix");
    for_each_terms(s, [&](const ListTerms& terms) { check_terms(terms); });
    for (const auto& operand : s.operands) readable("operand", operand.var);
    for (std::size_t i = 0; i < s.targets.size(); ++i) {
      usable("target", s.targets[i]);
      for (const auto& operand : s.operands) apart(s.targets[i], "operand", operand.var);
      for (std::size_t k = 0; k < i; ++k) apart(s.targets[i], "target", s.targets[k]);
    }
    in_iterations(s, [&] { custom_shapes_of(s); });
    for (const Var target : s.targets) write(owner(list_, target));
  }
  void apart(Var target, std::string_view what, Var other) {
    check(!overlap(target, other), "target {} overlaps {} {}", variable(target).name, what,
          variable(other).name);
  }
  void custom_shapes_of(const Statement& s) {
    std::vector<Dims> dims;
    for (std::size_t i = 0; i < s.operands.size(); ++i) {
      const Statement::Rows* const rows = rows_of(s, i);
      const Statement::Operand operand = s.operands[i];
      if (rows != nullptr)
        obeys([&] {
          cudamat::Check<Seen>(s.custom->name)
              .range("rows", value(rows->first), value(rows->last), shape(operand.var).rows);
        });
      const Shape shown = Seen(*this, operand, rows).shape();
      Dims all = {shown.rows, shown.cols};
      const Index ndim = s.integers[i];
      check(ndim >= 0 && ndim <= 2 && std::all_of(all.begin(), all.end() - ndim, is_one),
            "operand {} is {}: no array of {} dimensions", variable(operand.var).name, shown, ndim);
      dims.emplace_back(all.end() - ndim, all.end());
    }
    std::vector<Dims> results;
    obeys([&] { results = custom_shapes(*s.custom, dims); });
    check(results.size() == s.targets.size(), "has {} targets; the operation {} results",
          s.targets.size(), results.size());
    for (std::size_t i = 0; i < results.size(); ++i)
      same("target " + variable(s.targets[i]).name, shape(s.targets[i]), matrix_shape(results[i]));
  }
  static bool is_one(Index extent) { return extent == 1; }

  /// What the innermost loop that may be skipped is the first to write may not be written after it.
  void write(Var memory_of) {
    if (std::exchange(memory(memory_of).written, true)) return;
    const auto open = std::find_if(open_.rbegin(), open_.rend(),
                                   [this](const Open& each) { return each.may_be_skipped; });
    if (open != open_.rend()) open->perhaps_written.push_back(memory_of);
  }

  void arguments(const Statement& s, const OpRow& row) const {
    using What = CallArgument::What;
    const CallForm* const form = call_form(row);
    check(form != nullptr, "no statement has this operation");
    std::size_t operands = form->on_target ? 0 : 1;
    std::size_t numbers = 0;
    std::size_t integers = 0;
    for (const CallArgument& argument : form->arguments) {
      const bool number =
          argument.what == What::Number ||
          (argument.what == What::OperandOrNumber && s.operands.size() <= argument.index);
      const bool if_present = argument.when == CallArgument::When::IfPresent;
      operands += (argument.what == What::Operand &&
                   !(if_present && s.operands.size() <= argument.index)) ||
                  (argument.what == What::OperandOrNumber && !number);
      numbers += number && !(if_present && s.numbers.empty());
      integers += argument.what == What::Integer;
    }
    counts(s, operands, numbers, integers);
  }

  /// Shapes, and what may alias what.
  void operands(const Statement& s, const OpRow& row) {
    namespace rules = cudamat::rules;
    if (row.family == Family::GetSlice || row.family == Family::SetSlice) return slice(s, row);
    if (row.family == Family::Whole) same("target", shape(s.target), {1, 1});
    const Seen target(*this, {s.target});
    const auto operand = [&](std::size_t i) { return Seen(*this, s.operands[i]); };
    obeys([&] {
      switch (row.family) {
        case Family::Unary:
        case Family::UnaryScalar:
          return rules::unary(s.op, operand(0), target);
        case Family::Binary:
          if (s.operands.size() == 1) return rules::unary(s.op, operand(0), target);
          return rules::binary(s.op, operand(0), operand(1), target);
        case Family::ColBroadcast:
        case Family::RowBroadcast:
        case Family::ColScaled:
          return rules::broadcast(s.op, operand(0), operand(1), target);
        case Family::Scaled:
          return rules::update(s.op, "mat2", operand(0), target);
        case Family::Modulate:
          return rules::update(s.op, "acts", operand(0), target);
        case Family::Assign:
          if (!s.operands.empty()) rules::update(s.op, "val", operand(0), target);
          return;
        case Family::Where:
          return rules::where(operand(0), operand(1), operand(2), target);
        case Family::Reduction:
        case Family::ArgReduction:
        case Family::Accumulate:
          return rules::reduction(s.op, operand(0), s.integers[0], target);
        case Family::Whole:  // a number, which the target then gets: it may lie in what was read
          if (s.operands.size() == 2) Check(s.op).same("m2", operand(1), "m1", operand(0));
          return;
        case Family::Product:
        case Family::AddProduct:
          return rules::product(s.op, operand(0), operand(1), target);
        case Family::Transpose:
          return rules::transpose(operand(0), target);
        case Family::Select:
          return select(s);
        case Family::Scan:
          return rules::along_columns(s.op, operand(0), target);
        case Family::Sort:
          return rules::sort(s.op, operand(0), target);
        case Family::Solver: {
          const Seen a = operand(0);
          if (s.operands.size() == 1) return rules::solver<Seen>(s.op, a, nullptr, target);
          const Seen b = operand(1);
          return rules::solver<Seen>(s.op, a, &b, target);
        }
        case Family::Fill:
        case Family::GetSlice:
        case Family::SetSlice:
        case Family::Correlate:  // and the others of which there are no statements
        case Family::PerRow:
        case Family::Composite:
          return;
      }
    });
  }

  void select(const Statement& s) {
    const bool gets = s.op == Op::select_columns;
    const Seen target(*this, {s.target});
    const Seen indices(*this, s.operands[gets ? 1 : 0]);
    const Seen mat(*this, s.operands[gets ? 0 : 1]);
    const Seen& whole = gets ? mat : target;
    const Seen& part = gets ? target : mat;
    const Index count = part.shape().cols;
    const Shape vector = indices.shape();
    const auto [rows, cols] = extents_of(s.operands[gets ? 1 : 0].var);
    const ListInteger one{1, {}};
    check(vector.size() == count && (rows == one || cols == one),
          "indices must be a vector of {}; got {}", count, vector);
    const Check rule(s.op);
    rule.shape(gets ? "target" : "source", part, {whole.shape().rows, part.shape().cols},
               gets ? "the rows of mat" : "the rows of self", whole.shape());
    rule.apart(gets ? "mat" : "source", mat, target).apart("indices", indices, target);
  }

  /// In a list a slice has no memory in common with all of what it is taken from or put into.
  void slice(const Statement& s, const OpRow& row) {
    const bool rows = s.op == Op::get_row_slice || s.op == Op::set_row_slice;
    const bool get = row.family == Family::GetSlice;
    const Seen mat(*this, s.operands[0]);
    const Seen target(*this, {s.target});
    const Seen& whole = get ? mat : target;
    range(rows ? "rows" : "columns", s, rows ? whole.shape().rows : whole.shape().cols);
    obeys([&] {
      cudamat::rules::slice_shape(s.op, whole, length(s), get ? target : mat);
      Check(s.op).apart("mat", mat, target, get ? "target" : "self");
    });
  }

  /// A loop whose body is being checked, and what that has defined.
  struct Open {
    int loop;
    std::vector<Statement::Operand> condition;
    bool may_be_skipped;
    std::vector<Var> defined{};
    std::vector<Var> perhaps_written{};  ///< of a loop that may be skipped
  };

  const StatementList& list_;
  Table<Memory> memory_;
  std::vector<Open> open_;
  IterationSpace iterations_;                 // of open_
  const LoopVariables* iteration_ = nullptr;  // the one that is looked at, if several are
  std::unordered_set<int> loops_seen_;
  std::unordered_set<std::string_view> variable_names_;
  std::unordered_set<std::string_view> input_names_;
  Problem::Place place_ = Problem::Place::Variable;  ///< what is looked at, with at_
  std::size_t at_ = 0;
};

}  // namespace

std::optional<Problem> find_problem(const StatementList& list) {
  return Verifier(list).run();
}

void verify(const StatementList& list) {
  const std::optional<Problem> problem = find_problem(list);
  if (!problem) return;
  std::string where = "statement list";
  if (problem->place == Problem::Place::Statement) {
    const Statement& statement = list.statements[problem->index];
    where += fmt::format(", statement {}", problem->index);
    if (statement.kind == Statement::Kind::Call)
      where += fmt::format(" ({})", cudamat::name(statement.op));
    if (statement.custom != nullptr) where += fmt::format(" ({})", statement.custom->name);
    if (statement.where.line > 0)
      where += fmt::format(", line {}", list.source ? list.source->label(statement.where.line)
                                                    : fmt::format("{}", statement.where.line));
  }
  throw cudamat::InternalError(where + ": " + problem->text);
}

}  // namespace rewriter
