// The reader: the order in which the parts of an expression are evaluated. Of `a if b else c` one
// of a and c is, of `a and b` and `a or b` the right side only where the left one does not decide.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "rewriter/expr/integers.hpp"
#include "rewriter/reader/operators/perhaps.hpp"
#include "rewriter/reader/operators/text.hpp"
#include "rewriter/reader/table/table.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/decisions.hpp"
#include "rewriter/reader/values/exchanged.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/interpreter.hpp"
#include "rewriter/reader/walk/scopes.hpp"

namespace rewriter {

using cudamat::misuse;

static bool is_element(const Value& value) {
  const auto* object = value.as<ObjectPtr>();
  return object == nullptr ? value.is_number() || value.is_integer() : (*object)->is_scalar();
}

/// What a run-time index does where it is out of bounds.
static constexpr std::string_view kMayFail = "may raise an error";

struct Interpreter::Watch {
  bool needed = false;  ///< only calls and subscripts do more than give a value
  std::uint64_t newest = 0;
  std::size_t steps = 0;
  std::size_t assignments = 0;
  std::vector<std::pair<ObjectPtr, NodePtr>> arrays;  ///< that names reach, and what they held
};

/// One expression's parts in Python's order, as a stack of what is still to be done: expressions
/// may be nested to any depth.
class Interpreter::Evaluation {
 public:
  /// `is_condition`: of the value only its truth counts.
  Evaluation(Interpreter& reader, ast::ExprId root, bool is_condition)
      : reader_(reader), root_(root), first_(tree()[root].first), values_(root - first_ + 1) {
    if (is_condition) note_truth(root);
  }
  ~Evaluation() { reader_.unsure_ -= static_cast<int>(watches_.size()); }  // after an error
  Evaluation& operator=(const Evaluation&) = delete;

  /// Where an exception under a run-time condition may leave it, that is not the last that it does.
  Value run() {
    const std::size_t before = reader_.raises();
    while (has_more()) {
      if (reader_.raises() != before) reader_.refuse_raises(before, tree()[root_].span);
      go_on();
    }
    return std::move(values_.back());
  }
  /// And then the work with the value; what follows such an exception is done where it is not
  /// raised.
  Flow run_then(const std::function<Flow(const Value&)>& work) {
    while (has_more()) {
      const std::size_t before = reader_.raises();
      go_on();
      if (reader_.raises() == before) continue;
      if (!binds_new_object())
        return reader_.unless_left([&] { return Evaluation(*this).run_then(work); });
    }
    const Exchanged evaluations(reader_.evaluations_, 0);
    const Exchanged apart(reader_.apart_, std::unordered_set<ast::ExprId>());
    return work(values_.back());
  }

 private:
  /// Whether all that is left to do is to give names to an object of the program's, which the
  /// program does not read after an exception.
  [[nodiscard]] bool binds_new_object() {
    const ast::Statement& statement = tree().statements[reader_.executing_];
    return !has_more() && values_.back().as<InstancePtr>() != nullptr &&
           statement.kind == ast::StatementKind::Assign &&
           std::ranges::all_of(tree().targets(statement), [&](ast::ExprId target) {
             return tree()[target].kind == ast::ExprKind::Name &&
                    !reader_.scope().names.contains(tree().string(target));
           });
  }
  /// What is left to do of the other one.
  Evaluation(const Evaluation& other)
      : reader_(other.reader_),
        root_(other.root_),
        first_(other.first_),
        at_(other.at_),
        values_(other.values_),
        truths_(other.truths_),
        tasks_(other.tasks_),
        begun_(other.begun_) {}

  enum class Step : std::uint8_t {
    Enter,    ///< evaluate the parts and then the expression
    Compute,  ///< the parts are evaluated
    Choose,   ///< the condition, or the left side, is evaluated
    Combine,  ///< both sides of a choice that the run makes are evaluated
    Take,     ///< the value of the one above it in the stack is this one's part
    Watch,
    Check,
  };
  struct Task {
    Step step = Step::Enter;
    ast::ExprId id = 0;
    ast::ExprId part = 0;  ///< Take
  };

  [[nodiscard]] const ast::Program& tree() const { return reader_.tree_; }
  Value& value(ast::ExprId id) { return values_[id - first_]; }
  void push(Step step, ast::ExprId id, ast::ExprId part = 0) { tasks_.push_back({step, id, part}); }
  [[nodiscard]] bool has_more() const { return at_ <= root_ || !tasks_.empty(); }
  /// Evaluates the next part; where their order depends on values, does the next task.
  void go_on() {
    if (at_ == first_ && has_choices()) {
      at_ = root_ + 1;
      return push(Step::Enter, root_);
    }
    if (at_ <= root_) return compute(at_++);
    const Task task = tasks_.back();
    tasks_.pop_back();
    perform(task);
  }
  void compute(ast::ExprId id) {
    reader_.compute(id, first_, values_);
    if (settle_by_value(value(id))) reader_.result_.decided.insert(reader_.statement_place_.line);
    if (truths_.contains(id)) value(id) = reader_.objects_.truth(truth_if_set(value(id)));
  }

  static bool is_ordered(const ast::Expr& expr) {
    return expr.kind == ast::ExprKind::Lambda || expr.kind == ast::ExprKind::Comprehension ||
           expr.kind == ast::ExprKind::Case || Interpreter::is_choice(expr);
  }
  [[nodiscard]] bool has_choices() const {
    for (ast::ExprId id = first_; id <= root_; ++id)
      if (is_ordered(tree()[id])) return true;
    return false;
  }

  void perform(const Task& task) {
    switch (task.step) {
      case Step::Enter:
        return enter(task.id);
      case Step::Compute:
        return compute(task.id);
      case Step::Choose: {
        const ast::Expr& expr = tree()[task.id];
        const At at(reader_.place(expr.token));
        return reader_.located(expr.span, [&] {
          if (expr.kind == ast::ExprKind::Conditional)
            choose(task.id);
          else
            decide(task.id);
        });
      }
      case Step::Combine:
        return reader_.located(tree()[task.id].span, [&] {
          if (tree()[task.id].kind == ast::ExprKind::Conditional)
            combine_conditional(task.id);
          else
            combine(task.id);
        });
      case Step::Take:
        value(task.id) = std::move(value(task.part));
        return;
      case Step::Watch:
        watches_.push_back(reader_.watch(task.id));
        ++reader_.unsure_;
        return;
      case Step::Check:
        reader_.located(tree()[task.id].span, [&] { check(task.part, task.id); });
        watches_.pop_back();
        --reader_.unsure_;
        return;
    }
  }

  void enter(ast::ExprId id) {
    const ast::Expr& expr = tree()[id];
    const auto parts = tree().children(id);
    if (expr.kind == ast::ExprKind::Comprehension || expr.kind == ast::ExprKind::Case)
      return push(Step::Compute, id);
    if (expr.kind == ast::ExprKind::Lambda) {
      push(Step::Compute, id);
      for (std::size_t i = parts.size() - 1; i-- > 0;) push(Step::Enter, parts[i]);
      return;
    }
    if (Interpreter::is_choice(expr)) {
      if (expr.kind == ast::ExprKind::Conditional) note_truth(parts[1]);
      push(Step::Choose, id);
      return push(Step::Enter, parts[expr.kind == ast::ExprKind::Conditional ? 1 : 0]);
    }
    push(Step::Compute, id);
    for (std::size_t i = parts.size(); i-- > 0;)
      if (parts[i] != ast::kNoExpr) push(Step::Enter, parts[i]);
  }

  void take(ast::ExprId id, ast::ExprId part) {
    push(Step::Take, id, part);
    push(Step::Enter, part);
  }

  void choose(ast::ExprId id) {
    const auto parts = tree().children(id);
    const Value& condition = value(parts[1]);
    if (const auto truth = truth_of(reader_.objects_.truth(condition)))
      return take(id, parts[*truth ? 0 : 2]);
    const auto* object = condition.as<ObjectPtr>();
    check_has_truth(condition);
    if ((object == nullptr || !(*object)->is_scalar()) && condition.as<Affine>() == nullptr)
      misuse("program",
             "the truth of {} is known only at run time; np.where(condition, a, b) "
             "chooses element by element",
             condition.description());
    push(Step::Combine, id);
    if (is_apart(id)) return;
    begun_[id] = {reader_.result_.steps.size(), reader_.result_.assignments.size()};
    for (const ast::ExprId part : {parts[2], parts[0]}) {
      push(Step::Check, part, id);
      push(Step::Enter, part);
      push(Step::Watch, part);
    }
  }

  void decide(ast::ExprId id) {
    const auto parts = tree().children(id);
    const ast::Operator op = tree()[id].op;
    const auto truth = truth_of(reader_.objects_.truth(value(parts[0])));
    if (!truth) {
      check_has_truth(value(parts[0]));
      push(Step::Combine, id);
      if (is_apart(id)) return;
      push(Step::Check, parts[1], id);
      push(Step::Enter, parts[1]);
      return push(Step::Watch, parts[1]);
    }
    if (*truth == (op == ast::Operator::And)) return take(id, parts[1]);
    value(id) = std::move(value(parts[0]));
  }

  static void refuse_many(const Value& side, ast::Operator op) {
    const auto* object = side.as<ObjectPtr>();
    if (object != nullptr && to_array(side, "a side").size() != 1)
      misuse("program",
             "the truth of {} is known only at run time; np.logical_{}(a, b) works "
             "element by element",
             side.description(), ast::spelling(op));
  }

  /// A side that does more than give a value, or may raise an error, is evaluated anew where it is
  /// taken.
  void check(ast::ExprId choice, ast::ExprId side) {
    const std::string_view effect = reader_.effect_of(watches_.back(), value(side));
    if (effect.empty()) return;
    if (watches_.size() > 1 || reader_.unsure_ > 1) {
      if (effect == kMayFail) return;
      refuse_effect(effect);
    }
    reader_.roll_back(watches_.back());
    reader_.apart_.insert(choice);
  }
  [[nodiscard]] bool is_apart(ast::ExprId choice) const { return reader_.apart_.contains(choice); }

  [[nodiscard]] std::function<Value()> later(ast::ExprId part) const {
    return [this, part] { return reader_.evaluate(part, truths_.contains(part)); };
  }

  /// `a if b else c`, where the truth of b is known only at run time.
  void combine_conditional(ast::ExprId id) {
    const auto parts = tree().children(id);
    const auto both_are = [&](bool (*is_such)(const Value&)) {
      return !is_apart(id) && is_such(value(parts[0])) && is_such(value(parts[2]));
    };
    if (both_are(is_element)) return compute(id);
    if (both_are(is_text)) {
      value(id) = chosen_text();
      return;
    }
    const bool is_new = reader_.apart_.insert(id).second;
    const bool has_text = is_text(value(parts[0])) || is_text(value(parts[2]));
    if (is_new && !has_text &&
        is_side(id)) {  // the choice around it has no single number there, either
      value(id) = value(parts[is_element(value(parts[0])) ? 2 : 0]);
      return;
    }
    if (is_new) {  // what the sides need is computed where one of them is taken
      reader_.result_.steps.resize(begun_.at(id).first);
      reader_.result_.assignments.resize(begun_.at(id).second);
    }
    value(id) = reader_.choose_value(id, value(parts[1]), later(parts[0]), later(parts[2]));
  }
  /// Whether the choice is a side of another one, which is evaluated to see what it is.
  [[nodiscard]] bool is_side(ast::ExprId id) const {
    if (tasks_.empty() || tasks_.back().step != Step::Check || tasks_.back().id != id) return false;
    return tree()[tasks_.back().part].kind == ast::ExprKind::Conditional;
  }

  /// `a and b`, where the truth of a is known only at run time.
  void combine(ast::ExprId id) {
    const auto parts = tree().children(id);
    const bool is_and = tree()[id].op == ast::Operator::And;
    const Value& left = value(parts[0]);
    const Value& right = value(parts[1]);
    if (!truths_.contains(id)) {
      if (is_apart(id)) {
        const auto first = [left] { return left; };
        value(id) = is_and ? reader_.choose_value(id, left, later(parts[1]), first)
                           : reader_.choose_value(id, left, first, later(parts[1]));
        return;
      }
      value(id) = is_and ? conditional(right, left, left) : conditional(left, left, right);
      return;
    }
    const auto truth = [&](const Value& side) {
      return Array(reader_.condition_node(side, tree()[id].span));
    };
    if (is_apart(id)) {
      const auto known = [is_and] { return Value{!is_and}; };
      const auto decided = [&] { return python_number(truth(reader_.evaluate(parts[1], true))); };
      value(id) = is_and ? reader_.choose_value(id, left, decided, known)
                         : reader_.choose_value(id, left, known, decided);
      return;
    }
    refuse_many(right, tree()[id].op);
    const Array a = truth(left);
    const Array b = truth(right);
    value(id) = python_number(is_and ? logical_and(a, b) : logical_or(a, b));
  }

  void note_truth(ast::ExprId id) {
    std::vector<ast::ExprId> left{id};
    while (!left.empty()) {
      const ast::ExprId next = left.back();
      left.pop_back();
      truths_.insert(next);
      const ast::Operator op = tree()[next].op;
      const bool passes_truth =
          op == ast::Operator::And || op == ast::Operator::Or || op == ast::Operator::Not;
      if (passes_truth)
        left.insert(left.end(), tree().children(next).begin(), tree().children(next).end());
    }
  }

  Interpreter& reader_;
  ast::ExprId root_;
  ast::ExprId first_;
  ast::ExprId at_ = first_;  ///< the next part, where they are evaluated in their order
  std::vector<Value> values_;
  std::unordered_set<ast::ExprId> truths_;  ///< expressions of which only the truth counts
  InUse in_use_{reader_, values_};
  std::vector<Task> tasks_;
  std::vector<Watch> watches_;
  /// Steps and assignments before the sides of a choice.
  std::unordered_map<ast::ExprId, std::pair<std::size_t, std::size_t>> begun_;
};

/// What one expression has found out holds within it.
struct Interpreter::EvaluationLevel {
  explicit EvaluationLevel(Interpreter& of) : reader(of) { ++reader.evaluations_; }
  ~EvaluationLevel() {
    if (--reader.evaluations_ == 0) reader.apart_.clear();
  }
  EvaluationLevel(const EvaluationLevel&) = delete;
  EvaluationLevel& operator=(const EvaluationLevel&) = delete;

  Interpreter& reader;
};

Value Interpreter::evaluate(ast::ExprId root, bool is_condition) {
  const EvaluationLevel level(*this);
  return Evaluation(*this, root, is_condition).run();
}

Flow Interpreter::evaluate_then(ast::ExprId root, const std::function<Flow(const Value&)>& work,
                                bool is_condition) {
  if (attempt_ == nullptr) return work(evaluate(root, is_condition));
  const EvaluationLevel level(*this);
  return Evaluation(*this, root, is_condition).run_then(work);
}

// ---- choices that are made at run time ----

namespace {

/// The arrays that a value holds.
template <class F>
void each_array(const Value& value, const F& use) {
  std::vector<const Value*> left{&value};
  while (!left.empty()) {
    const Value* next = left.back();
    left.pop_back();
    if (const auto* object = next->as<ObjectPtr>()) use(*object);
    if (const auto* list = next->as<NumberList>()) use(list->cell);
    if (const auto* list = next->as<RunList>()) use(list->cell), use(list->count);
    if (const auto* sequence = next->as<Sequence>())
      for (const Value& item : sequence->items) left.push_back(&item);
    if (const auto* dict = next->as<Dict>())
      for (const Value& item : dict->values) left.push_back(&item);
    if (const auto* method = next->as<Method>())
      for (const Value& item : method->self) left.push_back(&item);
    if (const auto* iteration = next->as<Iteration>())
      for (const Value& item : iteration->parts) left.push_back(&item);
    if (const auto* z = next->as<Complex>())
      for (const Value& item : z->parts) left.push_back(&item);
    if (const auto* perhaps = next->as<Perhaps>()) {
      use(perhaps->is_set);
      for (const Value& item : perhaps->parts) left.push_back(&item);
    }
    if (const auto* function = next->as<UserFunction>())
      for (const Value& standard : function->defaults) left.push_back(&standard);
  }
}

/// Whether the indices of a Take or Put are none that the run can find out of bounds.
bool stays_within(const Node& node) {
  if (node.args[1]->kind == Kind::Constant) return true;
  const auto extent =
      static_cast<double>(node.args[0]->dims[static_cast<std::size_t>(std::max(0, node.axis))]);
  const detail::Bounds indices = detail::bounds(*node.args[1]);
  return indices.least >= -extent && indices.greatest < extent;
}

/// What computing these, as far as their nodes are newer than `newest`, does beside giving values.
std::string_view effect_of_nodes(std::vector<const Node*> left, std::uint64_t newest) {
  std::unordered_set<const Node*> seen;
  std::string_view effect;
  while (!left.empty()) {
    const Node* node = left.back();
    left.pop_back();
    if (node->id <= newest || !seen.insert(node).second) continue;
    if (node->kind == Kind::Print) return is_raise(*node) ? "raises an exception" : "prints";
    if (node->kind == Kind::Random || node->kind == Kind::Seed) return "draws random numbers";
    if ((node->kind == Kind::Take || node->kind == Kind::Put) && !stays_within(*node))
      effect = kMayFail;
    for (const NodePtr& operand : node->args) left.push_back(operand.get());
  }
  return effect;
}

}  // namespace

Interpreter::Watch Interpreter::watch(ast::ExprId id) {
  Watch watch;
  for (ast::ExprId part = tree_[id].first; part <= id; ++part)
    watch.needed = watch.needed || tree_[part].kind == ast::ExprKind::Call ||
                   tree_[part].kind == ast::ExprKind::Subscript;
  if (!watch.needed) return watch;
  watch.newest = newest_node();
  watch.steps = result_.steps.size();
  watch.assignments = result_.assignments.size();
  const auto keep = [&](const ObjectPtr& object) {
    const ObjectPtr root = ArrayObject::root_of(object);
    watch.arrays.emplace_back(root, root->read().node());
  };
  for (const Scope& scope : scopes_)
    for (const auto& [name, value] : scope.names) each_array(value, keep);
  return watch;
}

void Interpreter::refuse_effect(std::string_view effect) {
  misuse("program",
         "which value is chosen is known only at run time, so both are computed, and this one {}; "
         "compute it before, in a statement of its own",
         effect);
}

std::string_view Interpreter::effect_of(const Watch& since, const Value& value) {
  if (!since.needed) return "";
  for (const auto& [array, node] : since.arrays)
    if (array->read().node() != node) return "writes into an array";
  for (const Program::Named& input : result_.inputs)
    if (input.node->id > since.newest && inputs_.at(input.name)->read().node() != input.node)
      return "writes into an array";
  std::vector<const Node*> roots;
  for (std::size_t i = since.steps; i < result_.steps.size(); ++i)
    roots.push_back(result_.steps[i].get());
  std::vector<ObjectPtr> arrays;
  each_array(value, [&](const ObjectPtr& object) {
    arrays.push_back(object);
    roots.push_back(object->read().node().get());
  });
  return effect_of_nodes(std::move(roots), since.newest);
}

void Interpreter::roll_back(const Watch& since) {
  for (const auto& [array, node] : since.arrays)
    if (array->read().node() != node) array->write(Array(node));
  for (const Program::Named& input : result_.inputs)
    if (input.node->id > since.newest) inputs_.at(input.name)->write(Array(input.node));
  result_.steps.resize(since.steps);
  result_.assignments.resize(since.assignments);
}

/// Where the choice is known only at run time, both values are numbers or elements.
Value Interpreter::conditional(const Value& value, const Value& condition, const Value& other) {
  if (!is_element(value) || !is_element(other))
    misuse("program", "a choice made at run time is between numbers; got {} and {}",
           value.description(), other.description());
  const Array a = to_array(value, "a choice");
  const Array b = to_array(other, "a choice");
  const bool of_truths = a.dtype() == DType::Bool || b.dtype() == DType::Bool;
  const bool from_python = is_python_number(value) && is_python_number(other);
  if (of_truths && (a.dtype() != b.dtype() || is_python_number(value) != is_python_number(other)))
    misuse(
        "program",
        "a choice made at run time is between values of one type; one of these is a boolean of {}",
        a.dtype() != b.dtype() ? "the other none" : "Python and the other of NumPy");
  if (a.dtype() != b.dtype() && from_python)
    misuse("program",
           "a choice made at run time is between values of one type; one of "
           "these is an int and the other a float: write both as floats, as in 1.0");
  const Array choice = where(to_array(condition, "the condition"), a, b, true);
  return from_python ? python_number(choice) : new_array(choice);
}

/// What the run may not come to is evaluated for all that.
Value Interpreter::evaluate_if(ast::ExprId expr, const std::optional<Array>& taken) {
  if (!taken) return evaluate(expr);
  const Watch since = watch(expr);
  ++unsure_;
  Value value;
  try {
    value = evaluate(expr);
  } catch (...) {
    --unsure_;
    throw;
  }
  --unsure_;
  if (const std::string_view effect = effect_of(since, value); !effect.empty())
    located(tree_[expr].span, [&] { refuse_effect(effect); });
  return value;
}

}  // namespace rewriter
