// One run of a loop's body by the reader. Internal to it; interpreter.hpp has the rest.
//
// The body of a `while` or an `if` with a run-time condition is handled in the same way: all names
// that it assigns are carried, since they may keep their values.
//
// The body is run once, for any iteration. An iteration depends on the one before it through arrays
// that the body writes in place (their owners' contents are Carried nodes while it runs) and names
// that it reads before it assigns them (bound to arrays of their own that hold Carried nodes).
// Which ones these are is guessed from the text; if the run shows that some were missed, it is
// repeated from the state before the loop. After the loop, everything that the body made and names
// still reach holds After nodes.
#pragma once

#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "rewriter/reader/operators/perhaps.hpp"
#include "rewriter/reader/selections/run_lists.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/interpreter.hpp"
#include "rewriter/reader/walk/loop_trace.hpp"
#include "rewriter/reader/walk/scopes.hpp"

namespace rewriter {

/// Calls f with each array object that the value holds.
template <class F>
void for_each_object(const Value& value, const F& f) {
  if (const auto* object = value.as<ObjectPtr>()) f(*object);
  if (const auto* list = value.as<NumberList>()) f(list->cell);
  if (const auto* list = value.as<RunList>()) f(list->cell), f(list->count);
  if (const auto* selected = value.as<Selected>()) f(selected->whole), f(selected->mask);
  if (const auto* function = value.as<Function>(); function != nullptr && function->self)
    f(function->self);
  if (const auto* text = value.as<Text>())
    for (const Text::Piece& piece : text->pieces)
      if (const auto* object = std::get_if<ObjectPtr>(&piece.number)) f(*object);
  if (const auto* sequence = value.as<Sequence>())
    for (const Value& item : sequence->items) for_each_object(item, f);
  if (const auto* dict = value.as<Dict>())
    for (const Value& item : dict->values) for_each_object(item, f);
  if (const auto* iteration = value.as<Iteration>())
    for (const Value& part : iteration->parts) for_each_object(part, f);
  if (const auto* z = value.as<Complex>())
    for (const Value& part : z->parts) for_each_object(part, f);
  if (const auto* perhaps = value.as<Perhaps>()) {
    f(perhaps->is_set);
    for (const Value& part : perhaps->parts) for_each_object(part, f);
  }
  if (const auto* called = value.as<UserFunction>()) {
    for (const Value& standard : called->defaults) for_each_object(standard, f);
    for (const auto& [name, held] : called->captured) for_each_object(held, f);
  }
  if (const auto* bound = value.as<Method>())
    for (const Value& self : bound->self) for_each_object(self, f);
}

/// Known values that are the same: numbers, texts, tuples of such. Lists that were made before the
/// list `begin` are so only where they are one.
bool is_same_value(const Value& a, const Value& b, std::uint64_t begin);

struct SettledBlock;

/// What is known of a loop before its body runs; each run may add to it.
struct LoopPlan {
  std::vector<std::string> mentioned;  ///< all names that the body can reach
  std::vector<std::string> rebound;    ///< names that the body assigns
  std::unordered_set<std::string> rebound_set;
  std::unordered_set<std::string> kept;     ///< names that it assigns the same object, as `x = x`
  std::unordered_set<std::string> dropped;  ///< names that a run did not assign
  std::vector<ObjectPtr> written;           ///< owners of memory that it writes in place
  std::map<std::string, Index> delta;       ///< integers that change in steps; lists that grow
  /// What an iteration finds: of names whose type is not that of their value before the loop, and
  /// of numbers that change.
  ValueTypes types;
  std::map<std::string, std::optional<ElementType>> lists;  ///< the same of lists that grow
  /// The loop counts from 0 by 1, and its variable follows: what changes by less than the step in
  /// each iteration has no other form.
  bool counts = false;
  std::exception_ptr error{};  ///< of the first run, if it failed
  /// Names that a body with a condition makes and others read: what they are if it does not run.
  ValueTypes fresh;
  /// What the blocks in it settled to when they were last read, in their order.
  std::vector<std::shared_ptr<const SettledBlock>> inner;
  std::size_t next_inner = 0;

  /// An integer changes by `change` in each iteration, which its loop's step does not divide.
  void add_delta(const std::string& name, Index change, Index step) {
    delta[name] = change;
    counts = counts || change % step != 0;
  }

  void add_rebound(const std::string& name) {
    if (!kept.contains(name) && rebound_set.insert(name).second) rebound.push_back(name);
  }
};

/// The plan of a block that held; a block that starts alike takes it.
struct SettledBlock {
  std::optional<std::size_t> start;  ///< Interpreter::start_of
  LoopForm form = LoopForm::For;
  LoopPlan plan{};  ///< without arrays
  /// Those that it writes in place: a name, and which of the arrays in its value.
  std::vector<std::pair<std::string, std::size_t>> written{};
  std::shared_ptr<const std::vector<Interpreter::ChosenValue>> parts{};
};

/// What is run as a loop's body.
struct LoopBlock {
  std::uint32_t begin = 0;            ///< its statements
  std::uint32_t end = 0;              ///<
  ast::ExprId choice = ast::kNoExpr;  ///< instead of them, a side of this choice in them
  Span span;                          ///< the line before them
  Loop loop;                          ///< with the variable's name as the program has it
  Index most = 0;                     ///< of a While: iterations; 0 if known at run time only
  bool binds_variable = false;        ///< that name is bound to the variable; else `run` sees to it
  const Value* elements = nullptr;    ///< what it runs over, if that is no range
  std::function<void(const Affine& variable)> run;
  std::function<void()> check{};  ///< raises the errors of a body that settled
  NodePtr condition{};            ///< of an If
  std::string condition_name{};  ///< of a While and a ForWhile: holds what the next iteration needs
  /// Of a block with a condition: whether something outside of it may read the name.
  std::function<bool(const std::string&)> is_wanted{};
  /// Of a block whose names are bound part by part: what their parts are, without arrays, or null.
  std::function<std::shared_ptr<const std::vector<Interpreter::ChosenValue>>()> parts_now{};
  std::function<void(const std::vector<Interpreter::ChosenValue>&)> take_parts{};
};

class LoopRun {
 public:
  enum class Result {
    Again,      ///< the plan was not right, and says more now
    Unsettled,  ///< what the next iteration finds has other types
    Settled,
  };

  LoopRun(Interpreter& reader, const LoopBlock& block, LoopPlan& plan);

  /// Runs the body. After `Again` everything is as before the loop. Also after an error, if numbers
  /// that are taken for constants may be its reason: the plan then takes them for elements.
  Result run();
  /// What the body computed.
  [[nodiscard]] LoopTrace trace();
  /// Whether the body assigned the name.
  [[nodiscard]] bool rebinds(const std::string& name) const { return is_rebound(name); }
  /// What the next iteration finds.
  [[nodiscard]] const ValueTypes& types_at_end() const { return ends_; }
  /// A name whose type changes.
  [[nodiscard]] const std::string& changing() const { return changing_; }
  /// The state after the loop; or everything as it was before it.
  void commit();
  void restore();

 private:
  using Names = std::unordered_map<std::string, Value>;

  /// An array that an iteration finds as the one before left it.
  struct Carry {
    std::string name;  ///< of the name that refers to it; empty: the owner's content
    ObjectPtr cell;
    NodePtr initial;
    ValueType type{};
    NodePtr node{};
    std::uint64_t writes = 0;          ///< of the cell, before the body
    std::uint64_t perhaps_writes = 0;  ///< likewise

    [[nodiscard]] bool written() const { return cell->writes() != writes; }
    [[nodiscard]] bool perhaps_written() const {
      return written() || cell->perhaps_writes() != perhaps_writes;
    }
  };
  /// An owner of memory before the loop.
  struct Saved {
    ObjectPtr root;
    Array value;
    std::uint64_t writes;
    std::string refusal;
  };
  /// Memory of the run: an owner's from before the loop, or what an owner of the body made in an
  /// iteration.
  struct Memory {
    const ArrayObject* owner = nullptr;
    Index iteration = kBefore;

    static constexpr Index kBefore = -1;
    friend auto operator<=>(const Memory&, const Memory&) = default;
  };
  /// What a name refers to at the start of an iteration; `by_view`: a view shows it.
  struct Held {
    Memory memory;
    bool by_view = false;
  };
  /// By carry; nothing for those that are not arrays or have no name.
  using State = std::vector<std::optional<Held>>;
  /// A State by which two are compared: owner, number of what the body made, by_view.
  using Form = std::vector<std::tuple<const ArrayObject*, std::size_t, bool>>;
  /// A name that reaches an owner of memory.
  using Sharing = std::unordered_map<const ArrayObject*, std::string>;

  Names& names() { return reader_.scope().names; }
  const std::string& variable() const { return block_.loop.name; }
  /// Whether the body may run never: what it assigns may stay what it was.
  bool has_condition() const { return block_.loop.has_condition(); }
  [[noreturn]] void fail(const std::string& message) const {
    reader_.fail(block_.span, spoken(message));
  }

  // ---- loop_run.cpp
  void save();
  void make_fresh();
  bool take_fresh();
  void begin();
  void carry_name(const std::string& name, const Value& value);
  void carry_list(const std::string& name, const Value& value, Index growth);
  void carry_content(const ObjectPtr& root);
  void make_carried(Carry& carry);
  std::string name_of(const ObjectPtr& root);
  void run_body();
  bool take_numbers_for_elements();
  void finish();
  NodePtr next_value(const Carry& carry);
  NodePtr after_node(const NodePtr& end, std::size_t slot);
  /// The value with the loop's variable at its last.
  Value fixed(Value value);
  /// What `delta` in each iteration have added up to at the start of one.
  [[nodiscard]] Affine counted(Index delta) const;

  // ---- loop_review.cpp
  bool review();
  /// The reader sees why the body does not settle: the name, and which lists and dictionaries hold
  /// other numbers and arrays than before.
  void note_unsettled(const std::string& name, const Value& was, const Value& now);
  bool review_name(const std::string& name, const Value& was);
  bool review_integer(const std::string& name, const Value& was, const Value& now);
  [[nodiscard]] std::optional<ElementType> type_of_list(const std::string& name,
                                                        const Value& was) const;
  bool review_list(const std::string& name, const Affine& was, const Affine& now);
  bool review_array(const std::string& name, const Value& was, const Value& now);

  // ---- loop_condition.cpp: bodies that may not run
  bool review_condition();
  bool review_contents();
  bool drop_unbound();
  bool review_fresh(const std::string& name, const Value& now);
  bool review_change(const std::string& name, const Value& was, const Value& now);
  [[nodiscard]] ValueType joined(const std::string& name, const ValueType& was,
                                 const ValueType& now) const;
  void finish_condition();
  [[nodiscard]] std::vector<ObjectPtr> possible_owners(const Value& value) const;
  [[nodiscard]] std::vector<std::pair<std::string, ObjectPtr>> uncertain_owners() const;
  void refuse_uncertain(const std::string& name, const ObjectPtr& owner);
  void refuse_later_writes() const;
  [[nodiscard]] std::unordered_set<std::string> uncertain_names() const;

  // ---- loop_aliases.cpp
  void follow_memory();
  [[nodiscard]] static Form form_of(const State& state);
  [[nodiscard]] State first_state() const;
  [[nodiscard]] std::optional<Held> held_at_end(const Value& value, const State& start,
                                                Index iteration) const;
  [[nodiscard]] Sharing other_holders() const;
  /// The same, found where it is first asked for.
  [[nodiscard]] const Sharing& others() const {
    if (!others_) others_ = other_holders();
    return *others_;
  }
  void check_sharing(const State& state) const;
  [[noreturn]] void fail_shared(const std::string& name, const std::string& other) const;
  void share_memory(const std::vector<std::string>& left);
  void make_one(const Memory& memory, const std::vector<std::string>& holders);

  const Value* before(const std::string& name) const {
    const auto found = saved_names_.find(name);
    return found == saved_names_.end() ? nullptr : &found->second;
  }
  const Carry* carry_of(const std::string& name) const {
    const auto found = named_.find(name);
    return found == named_.end() ? nullptr : &carries_[found->second];
  }
  const Carry* carry_of(const ObjectPtr& root) const {
    const auto found = content_.find(root.get());
    return found == content_.end() ? nullptr : &carries_[found->second];
  }
  bool is_read(const std::string& name) const {
    return has_condition() || frame_.read.contains(name);
  }
  bool is_rebound(const std::string& name) const { return frame_.rebound.contains(name); }
  /// Whether the name, which has a value now, had one before the loop.
  bool was_bound(const std::string& name) const {
    return saved_names_.contains(name) || !is_rebound(name);
  }

  Interpreter& reader_;
  const LoopBlock& block_;
  LoopPlan& plan_;
  LoopPtr loop_;
  Affine variable_;  // its value
  LoopFrame frame_{};

  Names saved_names_;
  std::vector<Saved> saved_;
  std::unordered_map<const ArrayObject*, std::size_t> roots_;   // before the loop: of saved_
  std::unordered_map<const ArrayObject*, std::string> owners_;  // of arrays: their first names
  std::vector<ObjectPtr> views_;                                // before the loop
  std::size_t steps_ = 0;
  std::size_t assignments_ = 0;
  std::size_t assigned_ = 0;
  int calls_ = 0;
  std::uint64_t objects_ = 0;
  std::uint64_t list_ = 0;
  std::vector<std::size_t> rebound_around_;  // how many names the loops around had bound
  std::map<std::uint64_t, Growth> growths_;
  std::size_t unrolled_ = 0;
  std::uint64_t shared_ = 0;
  std::size_t written_ = 0;

  std::shared_ptr<Node> begin_;
  std::vector<Carry> carries_;
  std::unordered_map<std::string, std::size_t> named_;           // of carries_
  std::unordered_map<const ArrayObject*, std::size_t> content_;  // of carries_
  std::unordered_map<const ArrayObject*, std::size_t> cells_;    // of carries_ that have a name
  std::unordered_map<const ArrayObject*, std::string> lists_;    // that grow in this loop
  std::vector<std::pair<std::string, NodePtr>> slots_;
  ValueTypes ends_;  // of the names that an iteration reads before it assigns them
  std::string changing_;
  mutable std::optional<Sharing> others_;  // names that refer to the same throughout the loop
  State last_;                             // at the start of the last iteration
  std::set<Memory> wrote_;  // memory that some iteration writes through a carried name
};

}  // namespace rewriter
