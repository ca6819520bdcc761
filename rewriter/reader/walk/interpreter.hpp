// How the reader works inside: one object that runs a program's statements in order, as Python
// would, on symbolic arrays. The public side is reader.hpp.
//
// A loop's body is run once. Values that an iteration takes from the previous one (arrays that are
// written in place, names that are read before they are assigned) are Carried nodes while it runs;
// see loops.cpp.
#pragma once

#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "rewriter/python/ast.hpp"
#include "rewriter/reader/builtins/text_parts.hpp"
#include "rewriter/reader/modules/modules.hpp"
#include "rewriter/reader/operators/indexing.hpp"
#include "rewriter/reader/reader.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/decisions.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/loop_trace.hpp"
#include "rewriter/reader/walk/objects.hpp"
#include "rewriter/reader/walk/scopes.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

struct LoopBlock;
struct LoopPlan;
struct Selection;
struct SettledBlock;

class Interpreter final : public Caller {
 public:
  /// Of a program; both live as long as this.
  Interpreter(const ast::Program& tree, const ReadOptions& options,
              const std::map<std::string, ModuleFile>& modules = {}, Decisions decisions = {});
  /// Of a file of the library, whose functions may be called.
  static std::unique_ptr<Interpreter> of_library(const ast::Program& tree);
  ~Interpreter();
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;
  Program run();
  /// The statement of the module that is, or was, being run.
  [[nodiscard]] std::uint32_t of_module() const { return of_module_; }
  /// Whether a loop was too long to be unrolled.
  [[nodiscard]] bool is_too_long() const { return too_long_; }
  /// Whether the loop that appends an array to a list is to stay one; see ReadOptions.
  bool keeps_appended_arrays() {
    appends_arrays_ = true;
    return options_.loops_append_arrays;
  }
  /// Whether that has been asked.
  [[nodiscard]] bool appends_arrays() const { return appends_arrays_; }
  /// The result of the file's function `name`. Its errors are those of the call: the user sees no
  /// place of the file.
  Value call_library(const std::string& name, const Call& call);
  /// What a file of the library calls `name`; null for nothing.
  const Value* library_function(const std::string& name);

  struct ChosenValue;  ///< chosen_values.cpp

 private:
  /// While it lives, a call has names of its own.
  class Entered;
  class WithSteps;
  /// While it lives, these values are in use: lists among them grow as others do.
  class InUse {
   public:
    InUse(Interpreter& reader, std::vector<Value>& values) : reader_(reader) {
      reader_.in_use_.push_back(&values);
    }
    ~InUse() { reader_.in_use_.pop_back(); }
    InUse(const InUse&) = delete;
    InUse& operator=(const InUse&) = delete;

   private:
    Interpreter& reader_;
  };

  // ---- branches/exceptions.cpp, attempt.cpp
  /// Thrown where the program ends itself.
  struct Ended {};
  Flow check_assertion(const ast::Statement& statement, std::uint32_t index);
  bool attempts_assertion(const ast::Statement& statement, const Value& condition);
  Value told_argument(ast::ExprId part);
  Flow raise(const ast::Statement& statement);
  [[noreturn]] void throw_raised(const ast::Statement& statement);
  /// With the expression's value as its text.
  Flow raise(const std::string& type, ast::ExprId text);
  Flow raise_told(const std::string& type, const Value& told);
  /// Where NumPy raises a negative power of integers to an integer, the list does.
  void check_power(const Value& base, const Value& exponent) override;
  [[nodiscard]] bool is_library() const override { return is_library_; }
  /// Whether what is read runs under a run-time condition.
  [[nodiscard]] bool is_perhaps() const;
  /// As the program has it.
  std::string description(ast::ExprId exception);
  /// The text, or where it cannot be had the program's.
  Value message(ast::ExprId text);
  Flow execute_or_raise(const ast::Statement& statement);
  /// Under a run-time condition: what was raised while the statement was read is raised there.
  Flow raise_at_run(const RaisedException& raised, Span span);
  /// Of an error that Python or NumPy has, too, its exception. Without arguments its text is not
  /// known to be theirs.
  [[noreturn]] void throw_raised(Span span, const std::string& message, const std::string& type,
                                 std::vector<Value> arguments = {});
  // A `raise` under a run-time condition, perhaps in a function that is called: it notes which one
  // it is, and nothing runs from there to the end of the block of its `try`.
  /// A `try` whose block is being read.
  struct Attempt;
  /// Whether it leaves the innermost `try`; false where what is raised is known.
  bool leaves_attempt(const ast::Statement& statement);
  /// How many of them have been read in the innermost `try`.
  [[nodiscard]] std::size_t raises() const;
  /// Whether one of them was reached.
  [[nodiscard]] Value is_left();
  /// Does the work of the statement that is executed where that is not so.
  Flow unless_left(const std::function<Flow()>& work);
  /// The same if there were fewer raises() before; else simply does the work.
  Flow unless_raised(std::size_t before, const std::function<Flow()>& work);
  /// Of a statement that was read: whether one of them is in it. Throws for a statement that
  /// would do something else after it.
  bool note_raises(std::size_t before, const ast::Statement& statement);
  void refuse_raises(std::size_t before, Span span) const;
  Flow run_attempt(const ast::Statement& statement, std::uint32_t index, Attempt& attempt,
                   std::uint32_t otherwise);

  // ---- statements.cpp, results.cpp
  void run_program();
  void run_module();
  void run_function();
  void collect_results();
  void collect_globals();
  struct Collected;
  void collect(const std::string& name, const Value& value, Collected& all);
  void collect_array(const std::string& name, const Value& value, Collected& all);
  void collect_selection(const std::string& name, const Value& value, Collected& all);
  void no_result(const std::string& name, const std::string& what, Collected& all);
  void note_name(const std::string& name);
  void bind_member(const std::string& name, const Value& value);
  void return_results(const Scope& call);
  Program::Returned returned(const std::string& name, const Value& value);
  Program::Returned described(const std::string& name, const Value& value);
  Program::Returned returned_some(const std::string& name, const RunList& some);
  Program::Returned returned_object(const std::string& name, const Value& object);
  /// Those of ReadOptions::objects.
  std::vector<InstancePtr> objects_of_caller();
  void return_objects(const std::vector<InstancePtr>& objects);
  std::string add_result(const std::string& name, const NodePtr& node);
  std::string add_selection(const std::string& name, const Selection& selection);
  /// Runs statements [begin, end), up to one that leaves them.
  Flow execute_block(std::uint32_t begin, std::uint32_t end);
  Flow execute(std::uint32_t index);
  [[nodiscard]] ast::ExprId constructor_in(ast::ExprId value) const;
  Flow execute_simple(const ast::Statement& statement);
  Flow choose(const ast::Statement& statement, std::uint32_t index);
  void remove(ast::ExprId target);
  void assign(ast::ExprId target, const Value& value);
  void bind(const std::string& name, const Value& value);
  /// The names of a `nonlocal` statement.
  [[nodiscard]] std::vector<std::string> nonlocal_names(const ast::Statement& statement) const;
  /// In the function around the one that is being run.
  void bind_nonlocal(const std::string& name, const Value& value);
  bool is_shared_global(const std::string& name);
  std::string global_name(const std::string& name);
  void bind_global(const std::string& name, const Value& value);
  void note(const std::string& name);
  /// The loops around see that the name, of the innermost scope, was read or bound.
  void note_read(const std::string& name);
  void note_bound(const std::string& name);
  void unpack(ast::ExprId target, const Value& given);
  /// Binds each name of a tuple or list of names to what it gets of the value.
  void each_unpacked(ast::ExprId target, const Value& given,
                     const std::function<void(ast::ExprId, const Value&)>& bind);
  void store(ast::ExprId target, const Value& value);
  Flow augment(const ast::Statement& statement);
  Flow augment_item(const ast::Statement& statement);
  Flow augment_item(const ast::Statement& statement, const Value& object,
                    const std::vector<Value>& index);
  Flow augment_attribute(const ast::Statement& statement, const Value& object,
                         const std::string& name);
  Value binary(ast::Operator op, const Value& left, const Value& right) override;
  Value combine(const ast::Statement& statement, const Value& left, const Value& right);
  Value in_place_result(const ast::Statement& statement, const Value& old, const Value& right,
                        const std::string* name);
  void written(const Value& value);
  void note_written_inputs();
  void step(const Value& value) override;
  /// What statements [begin, end) assign is not assigned, since they do not run.
  void note_skipped(std::uint32_t begin, std::uint32_t end);

  // ---- names.cpp: inputs, names and modules
  void declare(const std::string& name, const Dims& dims);
  ObjectPtr declared_input(const std::string& name, const Dims& dims);
  void refuse_other_shape(const std::string& name, const Dims& dims) const;
  void annotate(const ast::Statement& statement);
  Dims declared_dims(const std::string& name, ast::ExprId annotation);
  std::optional<Value> given_from_outside(const std::string& name);
  Value lookup(const ast::Expr& expr);
  /// The value of a name that the program has bound; it counts as read.
  const Value* find(const std::string& name);
  /// The first line in which the function that is being run binds the name, but for its parameters:
  /// in all of the function it is then another name than the module's. 0 if none does.
  int assigned_in_function(const std::string& name);

  // ---- imports.cpp
  void import(const ast::ImportedName& imported);
  void import_all(const ast::ImportedName& imported);
  Value member(const Module& module, const std::string& name);
  static std::optional<Value> known_member(const Module& module, const std::string& name);
  static Value rest_of_pythons(const std::string& module, const std::string& name);
  /// Of what the notation lacks.
  [[noreturn]] void refuse_use(const Module& module) const;
  [[noreturn]] void refuse_module(const std::string& name) const;
  Value left_out_member(const std::string& name) const;
  bool import_file(const ast::ImportedName& imported);
  Value imported_from(FileModule& file, const std::string& name);
  void import_all_of(FileModule& file);
  FileModule& run_file(const std::string& name);
  void execute_file(FileModule& module);
  const Value* global_of(FileModule& module, const std::string& name);
  void set_global(FileModule& module, const std::string& name, const Value& value);
  Value member_of_file(FileModule& module, const std::string& name);

  // ---- expressions.cpp
  std::pair<Value, std::vector<Value>> evaluate_subscript(ast::ExprId target);
  void compute(ast::ExprId id, ast::ExprId first, std::vector<Value>& values);
  Value computed(ast::ExprId id, ast::ExprId first, std::vector<Value>& values);
  std::vector<Value> elements_from(std::size_t begin, ast::ExprId id, ast::ExprId first,
                                   std::vector<Value>& values);
  Value unary(ast::Operator op, const Value& value);
  Value item(Value& object, std::vector<Value> index, Span where);
  Value dictionary(ast::ExprId id, ast::ExprId first, std::vector<Value>& values);
  Value formatted(ast::ExprId id, ast::ExprId first, std::vector<Value>& values);
  Value attribute(const Value& object, const std::string& name);
  static std::vector<Value> with_known_places(std::vector<Value> index);
  Value slice(ast::ExprId id, ast::ExprId first, std::vector<Value>& values);

  // ---- choices.cpp: the order of evaluation, `a if b else c`, `and` and `or`
  class Evaluation;
  /// What of the program's state an expression may change.
  struct Watch;
  /// `is_condition`: of the value only its truth counts.
  Value evaluate(ast::ExprId root, bool is_condition = false);
  struct EvaluationLevel;
  /// Evaluates an expression of the statement that is executed, then does the work with its value.
  /// What follows an exception under a run-time condition, which a `try` takes, is done where that
  /// is not raised.
  Flow evaluate_then(ast::ExprId root, const std::function<Flow(const Value&)>& work,
                     bool is_condition = false);
  static Value conditional(const Value& value, const Value& condition, const Value& other);
  Watch watch(ast::ExprId id);
  /// Of a value that may not be taken: "and this one writes into an array".
  [[noreturn]] static void refuse_effect(std::string_view effect);
  /// What computing `value` since then did apart from giving a value; empty if nothing.
  std::string_view effect_of(const Watch& since, const Value& value);
  void roll_back(const Watch& since);

  // ---- calls.cpp: functions of the program and of the notation, lists
  Value call(ast::ExprId id, ast::ExprId first, std::vector<Value>& values);
  Value call_user(const UserFunction& function, const Call& call);
  Value run_user(const UserFunction& function, const Call& call);
  /// Does the work in a scope of the function's.
  void in_scope_of(const UserFunction& function, const std::function<void()>& work);
  void bind_arguments(std::span<const ast::Parameter> parameters, const UserFunction& function,
                      const Call& call);
  void check_is_ignored(const Ignored& ignored, const Call& call) const;
  Value call_ignored(const Ignored& ignored, const Call& call);
  Value deep_copy(const Value& value);

  // ---- outside.cpp: objects of Python's own
  /// What Python gives; raises an error for arguments that are not known when the program is read.
  Value ask_python(const std::string& what, const std::vector<Value>& arguments,
                   const std::vector<std::pair<std::string, Value>>& keywords = {});
  /// A call of such an object, or of a function of Python's with one; nothing of other calls.
  std::optional<Value> call_outside(const Value& callee, const Call& call);
  void define(const ast::Statement& statement, std::uint32_t index);
  /// The names that the body of a class binds; `at_end` is called while they are a scope's.
  std::unordered_map<std::string, Value> run_class_body(std::uint32_t index, const Class& made,
                                                        const std::function<void()>& at_end);
  Flow run_with(const ast::Statement& statement, std::uint32_t index);
  bool manager_takes_exceptions(const Value& manager);
  Flow run_try(const ast::Statement& statement, std::uint32_t index);
  /// Whether a handler takes it: its exception is an object of one of these classes.
  bool handles(const ast::Statement& handler, const ClassPtr& raised);
  void bind_inputs(const UserFunction& function);
  bool declared_by_module(const std::string& name);

  // ---- objects/growing_lists.cpp, collections.cpp
  /// Runs `list.append(value)` if the expression is that.
  std::optional<Flow> append(ast::ExprId expression);
  void append(const std::vector<Value>& list, ast::ExprId expression, const Value& value);
  /// Which list it is is known only at run time: it is not changed any more, nor are those it may
  /// be.
  void freeze(const Value& list) override;
  void change(const Value& list,
              const std::function<void(std::vector<Value>&, std::vector<Value>&)>& work,
              std::span<const Value> fresh = {}) override;
  void change(const Value& list,
              const std::function<void(std::vector<Value>&, std::vector<Value>&)>& work,
              const Value& fresh) {
    change(list, work, {&fresh, 1});
  }
  Value method(const Method& bound, const Call& call);
  /// Counts the elements that an insertion or a removal moves; raises an error for too many.
  void move_elements(std::size_t count) override;
  void set_item(const Value& container, const std::vector<Value>& index, const Value& value);
  std::optional<Value> missing_item(const Value& container, const std::vector<Value>& index);
  void delete_item(const Value& container, const std::vector<Value>& index) override;
  /// Functions of Python that call functions they are given: map, sorted(key=...).
  Value call_value(const Value& callee, Call& made) override {
    return call_value(callee, made, ast::kNoExpr);
  }
  /// `expression`: the call, where it is in the program.
  Value call_value(const Value& callee, Call& made, ast::ExprId expression);
  std::vector<Value> apply_each(const Value& function,
                                const std::vector<std::vector<Value>>& arguments) override;
  void leave_out(const std::string& what) override;
  /// Two prints, under an `if`.
  bool print_either(const Call& call) override;
  /// `first`: what it iterates over first, if that is evaluated already.
  Value comprehension(ast::ExprId id, const Value* first = nullptr);
  /// Its items; of an endless iterator, and for a loop that is read as one over the expression, an
  /// iterator that makes them one by one.
  Value generator_expression(ast::ExprId id);

  // ---- branches/patterns.cpp: match
  Value match_case(ast::ExprId id);
  /// Whether the value is as the pattern says; binds the names in that.
  Value matches(ast::ExprId pattern, const Value& value);
  Value matches_all(std::span<const ast::ExprId> patterns, const Value& value);
  Value matches_class(ast::ExprId pattern, const Value& value);
  /// What a comprehension makes, and which of it the run takes.
  struct Comprehended;
  /// `taken`: the run-time condition under which it is reached.
  void comprehend(ast::ExprId id, std::size_t generator, const std::optional<Array>& taken,
                  Comprehended& made);
  Value evaluate_if(ast::ExprId expr, const std::optional<Array>& taken);
  void bind_inner(ast::ExprId target, const Value& value);
  void refuse_late_names(const Value& made) const;
  Value joined_text(ast::ExprId id, ast::ExprId first, std::vector<Value>& values);
  Value new_lambda(ast::ExprId id, ast::ExprId first, std::vector<Value>& values);
  std::shared_ptr<Enclosing> enclosing();
  void refuse_other_than_elements(const Value& value);
  Value appended(const Value& list, const Value& value, const std::string& name);

  // ---- branches/run_appends.cpp: lists whose length is known only at run time

  struct Before;
  /// Thrown where the outermost statement has to be read again, with another form of a list.
  struct GrowsAtRun {};
  Before before();
  void go_back(Before& before);
  [[nodiscard]] bool may_append(std::uint32_t begin, std::uint32_t end) const;
  /// Whether a statement in some function of the program appends to a list.
  bool functions_append();
  Flow execute_compound(const ast::Statement& statement, std::uint32_t index);
  Value new_growing(const Value& list);
  [[nodiscard]] Value find_list(std::uint64_t number) const;
  static Value with_room(const Value& list, Index room, const RunList::Form& form);
  [[nodiscard]] bool may_not_run(std::uint64_t list) const;
  /// `is_new`: nothing else holds the value, as the list's display makes it.
  void append_at_run(const Value& list, const Value& value, bool is_new);
  void append_to(const RunList& list, const Array& element);

  /// All that holds the list of this number, in any scope, now holds it as it is here. Gives the
  /// names of each scope that refer to it.
  std::vector<std::vector<std::string>> share(const Value& list);
  /// The list grew, which these names refer to. Raises an error where a loop would not see that.
  void note_growth(LoopFrame& frame, std::uint64_t list, const std::vector<std::string>& names);

  // ---- branches/conditions.cpp, jumps.cpp: what is decided at run time
  using Jumps = ast::Jumps;
  /// A loop of the program while it is read: `break`, `continue` and `return` may leave it, or its
  /// iterations, under a run-time condition.
  class JumpLevel {
   public:
    JumpLevel(Interpreter& reader, const Jumps& jumps, bool is_while = false);
    ~JumpLevel();
    JumpLevel(const JumpLevel&) = delete;
    JumpLevel& operator=(const JumpLevel&) = delete;

    [[nodiscard]] const Jumps& jumps() const { return jumps_; }
    /// The name of what holds as long as the loop goes on, and of its variable's last value.
    [[nodiscard]] std::string go() const;
    [[nodiscard]] std::string last() const;
    /// Of what a while with an else, which asks for `go` after it, needs to go on.
    [[nodiscard]] std::string condition() const;
    /// Whether something that has been read leaves the loop, a jump or an exception.
    [[nodiscard]] bool may_be_left() const;
    /// Nothing has left the loop.
    void begin() const;
    void begin_iteration() const;
    /// The loop is over: what jumps from here on leaves the loop around it.
    void end();

   private:
    Interpreter& reader_;
    Jumps jumps_;
    bool is_own_;
    int number_;
  };
  [[nodiscard]] Jumps jumps_in(std::uint32_t begin, std::uint32_t end) const {
    return ast::jumps_in(tree_, begin, end);
  }
  [[nodiscard]] bool always_returns(std::uint32_t begin, std::uint32_t end) const;
  /// Whether the statements end a function, as far as their text says, that gives None.
  [[nodiscard]] bool may_return_none(std::uint32_t begin, std::uint32_t end) const;
  /// The value of the one side that the run takes, which alone is evaluated.
  Value choose_value(ast::ExprId choice, const Value& condition,
                     const std::function<Value()>& value, const std::function<Value()>& other);
  [[nodiscard]] std::uint32_t statement_of(ast::ExprId id);
  void refuse_in_loops(Span span) const;
  static bool is_choice(const ast::Expr& expr);
  static std::string jump_name(int level);
  static std::string go_name(int level);
  static std::string choice_name(ast::ExprId choice);
  static std::string set_name(ast::ExprId choice);  ///< of whether what is chosen is not None
  /// Names that programs cannot have, for conditions known only at run time: `go` of a loop holds
  /// while it goes on, `jump` where the rest of an iteration, or of a function, does not run.
  [[nodiscard]] static const std::vector<std::string>& hidden_names();

  // ---- branches/chosen_values.cpp: tuples, and what is None, which statements bind that may not
  // run
  struct ChosenName;
  std::vector<std::pair<std::string, bool>> names_bound_by(const ast::Statement& statement);
  std::vector<ChosenName> chosen_names(std::uint32_t begin, std::uint32_t end);
  /// What such a statement makes of the name, if that is a value of parts.
  std::optional<ChosenName> chosen_name(const std::string& name, bool becomes_none = false);
  /// run_with_parts(), of names that reading the block has found.
  Index run_split(LoopBlock& block, const std::vector<std::string>& names,
                  const std::map<std::string, bool>& unsettled);
  void bind_parts(const ChosenValue& chosen, const Value& value);
  std::optional<Value> joined_parts(const ChosenValue& chosen);
  bool split_parts(ChosenValue& chosen, const Value& now, const ChosenName& of);
  std::vector<std::string> names_of_items(std::uint32_t begin, std::uint32_t end);
  [[nodiscard]] bool is_held_elsewhere(std::uint64_t list, const std::string& name) const;
  Index run_with_parts(LoopBlock& block, std::vector<std::string> names,
                       std::vector<ChosenName> chosen);
  Index run_settled_or_split(LoopBlock& block, const std::vector<std::string>& names);
  /// Names that are not None where the condition is `truth`, as its text says.
  [[nodiscard]] std::vector<std::string> names_set_where(ast::ExprId condition, bool truth) const;
  /// Runs statements [begin, end), where these names are not None.
  Flow run_set(const std::vector<std::string>& set, std::uint32_t begin, std::uint32_t end);
  void note_perhaps(const std::string& name);
  void note_perhaps_returned(const Program::Returned& returned);
  [[nodiscard]] std::optional<SourceLocation> last_written(const std::string& name) const;
  bool print_perhaps(const Value& callee, const Call& made);
  /// Where an expression computes with what may be None, it is what it is else.
  void settle_operands(const ast::Expr& expr, ast::ExprId id, ast::ExprId first,
                       std::vector<Value>& values);

  void bind_hidden(const std::string& name, const Value& value);
  void bind_part(const std::string& name, const Value& value);
  Value take_hidden(const std::string& name);
  /// Statements that may not run have left their block like this.
  void leave(Flow flow);
  std::vector<std::string> names_of_jumps(const Jumps& jumps);
  void leave_values();
  /// Runs statements [begin, end) if nothing before them has left the block.
  Flow run_rest(std::uint32_t begin, std::uint32_t end);
  Flow leave_loop(const ast::Statement& statement, JumpLevel& level);
  /// Runs a function's body in the scope of its call.
  void execute_body(const ast::Statement& def, std::uint32_t index);
  /// Reads a while as one loop; its condition, now, is not known to be false. Raises an error for a
  /// body that is known to leave the loop, and says so.
  /// The condition of a `while`, which does not hold where evaluating it raises an exception.
  Value while_condition(const ast::Statement& statement);
  void run_while_loop(const ast::Statement& statement, std::uint32_t index, const Value& condition,
                      const JumpLevel& level, bool& leaves_at_once);
  /// Whether a value holds, as Python's truth value.
  Value truth_value(const Value& value, Span span);
  /// Whether a value holds, as an array () of booleans.
  NodePtr condition_node(const Value& value, Span span);
  /// Runs both parts of an if, each where it is chosen.
  Flow choose_at_run(const ast::Statement& statement, std::uint32_t index, const Value& condition);
  /// Runs statements [begin, end) where the condition holds; `run` does, if that is more than they
  /// say, or no more than a side of that choice in them.
  void run_if(NodePtr condition, Span span, std::uint32_t begin, std::uint32_t end,
              std::function<Flow()> run = {}, ast::ExprId choice = ast::kNoExpr);
  /// Runs statements that may not run, or not as often as their loop says.
  void run_with_condition(LoopBlock& block);
  /// Whether a statement of the function, or module, outside of [begin, end) mentions the name.
  bool is_mentioned_outside(const std::string& name, std::uint32_t begin, std::uint32_t end);
  /// Whether only one of these statements runs: they are parts of a loop over a generator and of an
  /// Inlined statement after it, or of two of those.
  bool excludes(std::uint32_t one, std::uint32_t other);
  bool is_left(const std::string& name, const LoopBlock& block);

  // ---- loops/loops.cpp
  friend class LoopRun;
  friend class Objects;
  Flow run_for(const ast::Statement& statement, std::uint32_t index);
  class ForLoop;
  class Settling;
  Flow run_over(const ast::Statement& statement, std::uint32_t index, const Value& given);
  // ---- loops/pieces.cpp
  std::vector<Index> known_among(const std::vector<ast::ExprId>& expressions);
  /// The range of a loop that cannot be read as one, in pieces whose iterations may be alike.
  std::vector<RangeValue> pieces_of(const LoopBlock& block);
  /// Runs the body once for each item that the iterator gives.
  Flow run_over_iterator(const ast::Statement& statement, std::uint32_t index,
                         const Value& iterator);
  /// The block of an Inlined statement, with these names of the generator.
  Flow run_inlined(std::uint32_t statement,
                   const std::vector<std::pair<std::string, Value>>& names);
  Flow run_else(const ast::Statement& statement);
  /// Reads the loop, if what it carries has types that one body does for; else nothing, and gives
  /// the number of its first iterations that must be kept apart. Its body may turn out to leave it:
  /// then it runs while it has not.
  Index run_settled(LoopBlock& block, const std::vector<std::string>& names);

  // ---- loops/carried_items.cpp
  struct CarriedItems;
  Value joined_items(const CarriedItems& list);
  void note_change(const Value& list);
  /// Reads the block, in which the items of these lists and dictionaries are names.
  std::vector<CarriedItems> name_items(const std::set<std::uint64_t>& lists,
                                       std::vector<std::string>& names);
  void run_with_items(const std::vector<CarriedItems>& carried, Span span,
                      const std::function<void()>& body);
  Index run_carrying(LoopBlock& block, std::vector<std::string> names,
                     const std::set<std::uint64_t>& lists);
  /// run_settled(); if items of lists or the parts of values prevent that, with these carried.
  [[nodiscard]] std::string name_for_list(std::uint64_t number) const;
  Index run_naming(LoopBlock& block, std::vector<std::string> names,
                   const std::set<std::uint64_t>& lists);
  Index run_settled_or_carry(LoopBlock& block, const std::vector<std::string>& names);

  // ---- loops/loop_memo.cpp
  /// Equal numbers: the block finds the same, as far as its plan may depend on it. Nothing where
  /// that cannot be said.
  std::optional<std::size_t> start_of(const LoopBlock& block,
                                      const std::vector<std::string>& names);
  /// Of owners of memory before a block: a name, and which of the arrays in its value it is.
  using Owners = std::unordered_map<const ArrayObject*, std::pair<std::string, std::size_t>>;
  Owners owners_of(const std::vector<std::string>& names);
  /// Keeps the plan, which held; false where it says something that a later run cannot find again.
  bool remember(SettledBlock& settled, const Owners& owners, const LoopBlock& block,
                LoopPlan& plan);
  bool recall(const SettledBlock& settled, LoopBlock& block, LoopPlan& plan);

  // ---- loops/unroll.cpp
  /// The variable of a loop that has none of its own in the program.
  const std::string& row_name();
  Flow run_while(const ast::Statement& statement, std::uint32_t index);
  /// Runs the body once for each element from `first` on, since it cannot be read once for all:
  /// `why`.
  Flow unroll(const ast::Statement& statement, std::uint32_t index, const Value& iterated,
              Index first, const std::exception_ptr& why, JumpLevel& level, bool selects = false);
  [[nodiscard]] Work work_done() const;
  /// How often this While runs at most, whose body begins there; 0 where its text does not say.
  Index most_iterations(const ast::Statement& loop, std::uint32_t begin);
  Index most_of_falling(const ast::Statement& loop, std::uint32_t begin,
                        const std::unordered_map<std::string, int>& assigned);
  /// What an expression of names that the loop does not assign is at most.
  std::optional<double> known_bound(ast::ExprId id,
                                    const std::unordered_map<std::string, int>& assigned);
  /// `left`: how many iterations are still to come, surely.
  void check_length(const ast::Statement& statement, const Pace& pace,
                    const std::exception_ptr& why, Index left);
  Loop variable_of(const ast::Statement& statement, const Value& iterated);
  void note_written(Program::Written written, Index first);
  void note_unrolled(const ast::Statement& statement, const Pace& pace,
                     const std::exception_ptr& why);
  /// Takes back all changes but so many.
  void forget_unrolled(std::size_t changes);
  /// What the text of statements [begin, end) says of the names that they assign and the arrays
  /// that they write in place.
  void planned(std::uint32_t begin, std::uint32_t end, LoopPlan& plan);
  LoopPlan planned(const LoopBlock& block);
  std::vector<std::string> hidden_names_of(const LoopBlock& block);
  /// Of statements [begin, end): their expressions stand together. The first one, and the end.
  [[nodiscard]] std::pair<ast::ExprId, ast::ExprId> expressions_of(std::uint32_t begin,
                                                                   std::uint32_t end) const;
  /// The names that these statements hold, each once; all of the module, if they call a function of
  /// the program.
  std::vector<std::string> mentioned(std::uint32_t begin, std::uint32_t end);
  std::vector<std::string> mentioned(std::pair<ast::ExprId, ast::ExprId> expressions);
  void run_selected(const ast::Statement& statement, std::uint32_t index, const Value& iterated,
                    const Affine& at);
  void declare_inputs(const std::vector<std::string>& names);
  [[nodiscard]] bool in_loop() const;

  // ---- errors and places

  /// Runs `work`; its errors are shown at `span`.
  template <class F>
  void located(Span span, F&& work) {
    if (is_library_) return work();
    try {
      work();
    } catch (const ProgramError&) {
      throw;
    } catch (const PythonError& error) {
      throw_raised(span, plain(error), error.type(), error.arguments());
    } catch (const OverEdge& error) {
      edge_ = error.edge();
      throw ProgramError(tree_.source, span, plain(error));
    } catch (const Misuse& error) {
      if (error.exception() == Exception::None)
        throw ProgramError(tree_.source, span, plain(error));
      throw_raised(span, plain(error), std::string(name(error.exception())));
    } catch (const cudamat::CUDAMatException& error) {
      throw ProgramError(tree_.source, span, plain(error));
    }
  }
  [[noreturn]] void fail(Span span, const std::string& message) const {
    if (is_library_) throw cudamat::CUDAMatException("program", message);
    throw ProgramError(tree_.source, span, message);
  }
  /// Messages about the program itself need no "[program]" in front.
  static std::string plain(const cudamat::CUDAMatException& error);
  SourceLocation place(Span span) const;

  Scope& scope() { return scopes_.back(); }
  Scope& module() { return scopes_.front(); }
  [[nodiscard]] bool in_module() const { return scopes_.size() == 1; }

  /// What a library function computes of constants is a constant, and an element of one a number.
  static void settle(Value& value);

  const ast::Program& tree_;
  bool is_library_ = false;  ///< its statements have the place of the call, its errors none
  const ReadOptions& options_;
  Decisions decisions_;
  bool appends_arrays_ = false;
  std::uint32_t of_module_ = 0;
  Objects objects_{*this};
  Program result_;
  std::vector<Value>* written_by_library_ = nullptr;  ///< takes the arrays that it wrote into
  SourceLocation statement_place_;
  std::uint64_t moved_ = 0;  ///< elements of lists, by insertions and removals before them
  Unsettled unsettled_;
  std::optional<EdgeOfAxis> edge_;            ///< that a loop could not be read over, the last one
  bool keys_are_added_ = false;               ///< by a loop that could not be read, to a dictionary
  std::set<std::uint64_t> carried_lists_;     ///< of blocks around in which their items are names
  std::set<std::string> split_names_;         ///< of blocks around that are read part by part
  std::unordered_set<std::uint64_t> frozen_;  ///< lists that are not changed any more
  std::uint32_t executing_ = 0;               ///< the statement
  std::deque<Scope> scopes_{1};
  std::vector<std::vector<Value>*> in_use_;  ///< of the expressions that are being evaluated
  std::unordered_map<std::string, ObjectPtr> inputs_;
  std::unordered_set<std::string> undefined_;      ///< names that nothing has, nor may be given
  std::unordered_map<std::string, int> declared_;  ///< the lines of the inputs' declarations
  /// Of each function, by the statement of its def: the names that it binds, and in which line.
  std::unordered_map<std::uint32_t, std::unordered_map<std::string, int>> locals_;
  int split_blocks_ = 0;                     ///< around, of which names are bound part by part
  Attempt* attempt_ = nullptr;               ///< the innermost one
  int tried_ = 0;                            ///< blocks around whose exceptions a `try` may catch
  const RaisedException* caught_ = nullptr;  ///< the exception that is being handled
  LoopPlan* plan_around_ = nullptr;          ///< of the block that is being read
  int evaluations_ = 0;                      ///< expressions around that are being evaluated
  /// Of those: choices of which only the side that is taken is evaluated.
  std::unordered_set<ast::ExprId> apart_;
  int unsure_ = 0;  ///< choices around, of which the side that is read may not be taken
  int calls_ = 0;   ///< of the program's functions
  std::unordered_map<std::uint32_t, int> open_calls_;  ///< by the statement of the function
  std::optional<bool> functions_append_;
  std::unordered_map<ObjectPtr, std::string> returned_arrays_;  ///< the names of their results
  std::set<std::uint64_t> returned_objects_;    ///< their numbers; attributes are described once
  std::vector<std::set<std::string>> globals_;  ///< of each file: names of `global` statements
  std::map<std::string, FileModule> modules_;   ///< by name: those that are files
  std::vector<FileModule*> files_;              ///< the same, of each file after the first
  std::vector<FileModule*> imported_;           ///< of those: what has begun to run, in order
  /// Of functions that keep their results: these, by the call.
  std::unordered_map<std::string, Value> cached_;
  /// The statements that mention each name, in order.
  std::unordered_map<std::string, std::vector<std::uint32_t>> mentions_;
  std::optional<std::vector<Alternative>> alternatives_;
  std::vector<std::uint32_t> statements_of_;  ///< by expression: whose text holds it
  std::string row_;                           ///< what a loop over elements calls its variable
  std::uint64_t shared_ = 0;                  ///< how often a list became another
  /// Each change of result_.unrolled: its line, and what was there before.
  std::vector<std::pair<int, std::optional<Program::Unrolled>>> unrolled_;
  std::map<std::uint64_t, Growth> growths_;  ///< of lists, by their numbers
  bool settles_growth_ = false;              ///< a statement around finds the room that they take
  std::uint64_t executed_ = 0;               ///< statements
  bool too_long_ = false;  ///< an unrolled loop was, so that one around it is, too
  std::vector<std::shared_ptr<Enclosing>> enclosings_;
  /// Of each file: of `from numpy import *`.
  std::vector<std::vector<std::string>> star_prefixes_;
  std::vector<std::string> assigned_;        ///< the module's array names by first assignment
  std::vector<Program::Named> overwritten_;  ///< inputs of the function that is the program
  std::vector<std::string> bound_;           ///< the module's names, by first assignment
  std::unordered_map<std::string, SourceLocation> bound_at_;  ///< where they were bound last
  std::unordered_map<std::string, Assigned> last_;
  std::unordered_set<std::string> known_;  ///< the same, to look them up
};

/// numpy's own names for numbers and for None.
std::optional<Value> module_constant(std::string_view name);

}  // namespace rewriter
