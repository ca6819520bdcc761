// The reader: statements.
#include <algorithm>
#include <utility>

#include "rewriter/expr/build.hpp"
#include "rewriter/expr/float_widths.hpp"
#include "rewriter/reader/builtins/text_parts.hpp"
#include "rewriter/reader/operators/perhaps.hpp"
#include "rewriter/reader/selections/selection_writes.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/exchanged.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/promotion.hpp"
#include "rewriter/reader/values/python_types.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/interpreter.hpp"
#include "rewriter/reader/walk/outside.hpp"
#include "rewriter/reader/walk/scopes.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;

Flow Interpreter::execute_block(std::uint32_t begin, std::uint32_t end) {
  for (std::uint32_t i = begin; i < end;) {
    const std::size_t before = raises();
    const std::uint32_t at = i;
    const Flow flow = execute(i);
    i = ast::after(tree_, i);
    const bool is_left = raises() != before && note_raises(before, tree_.statements[at]);
    if (flow == Flow::Perhaps || (is_left && flow == Flow::Next)) return run_rest(i, end);
    if (flow != Flow::Next) return flow;
  }
  return Flow::Next;
}

Flow Interpreter::execute(std::uint32_t index) {
  const ast::Statement& statement = tree_.statements[index];
  located(statement.span, check_stack);
  const SourceLocation caller = std::exchange(statement_place_, place(statement.span));
  const Exchanged executing(executing_, index);  // also where another way is tried
  const At at(statement_place_);
  ++executed_;
  Flow flow = Flow::Next;
  switch (statement.kind) {
    case ast::StatementKind::For:
    case ast::StatementKind::While:
    case ast::StatementKind::If:
    case ast::StatementKind::Try:
      flow = execute_compound(statement, index);
      break;
    case ast::StatementKind::Def:
      define(statement, index);
      break;
    case ast::StatementKind::Class:
      objects_.define(index);
      break;
    case ast::StatementKind::With:
      flow = run_with(statement, index);
      break;
    case ast::StatementKind::Inlined:  // the loop before it has run it, or not
      break;
    default:
      if (functions_append())  // the statement may call one of them
        flow = execute_compound(statement, index);
      else
        flow = execute_or_raise(statement);
  }
  statement_place_ = caller;
  return flow;
}

/// Of `C(...).fit(X).scaled()` the first call.
ast::ExprId Interpreter::constructor_in(ast::ExprId value) const {
  const auto is = [&](ast::ExprId id, ast::ExprKind kind) { return tree_[id].kind == kind; };
  while (is(value, ast::ExprKind::Call) && is(tree_.child(value, 0), ast::ExprKind::Attribute) &&
         is(tree_.child(tree_.child(value, 0), 0), ast::ExprKind::Call))
    value = tree_.child(tree_.child(value, 0), 0);
  return value;
}

Flow Interpreter::execute_simple(const ast::Statement& statement) {
  switch (statement.kind) {
    case ast::StatementKind::Assign: {
      const ast::Expr& first = tree_[tree_.targets(statement)[0]];
      if (first.kind == ast::ExprKind::Name || first.kind == ast::ExprKind::Attribute)
        objects_.suggest(constructor_in(statement.value), tree_.string(first));
      return evaluate_then(statement.value, [&](const Value& value) {
        const std::size_t before = raises();
        const auto targets = tree_.targets(statement);
        for (const ast::ExprId target : targets) assign(target, value);
        if (targets.size() > 1 || tree_[targets[0]].kind != ast::ExprKind::Subscript)
          refuse_raises(before, statement.span);
        return Flow::Next;
      });
    }
    case ast::StatementKind::AugAssign:
      return augment(statement);
    case ast::StatementKind::Annotation:
      annotate(statement);
      break;
    case ast::StatementKind::Import:
      for (const ast::ImportedName& imported : tree_.imported(statement)) import(imported);
      break;
    case ast::StatementKind::Expression:
      if (const auto flow = append(statement.value)) return *flow;
      return evaluate_then(statement.value, [&](const Value& value) {
        step(value);
        return Flow::Next;
      });
    case ast::StatementKind::Return: {
      if (in_module() || scope().is_file) misuse("program", "'return' outside function");
      if (statement.value == ast::kNoExpr) {
        scope().returned = Value{};
        return Flow::Return;
      }
      return evaluate_then(statement.value, [&](const Value& value) {
        scope().returned = value;
        if (scope().returned_expr == ast::kNoExpr ||
            tree_[statement.value].kind != ast::ExprKind::None)
          scope().returned_expr = statement.value;
        return Flow::Return;
      });
    }
    case ast::StatementKind::Break:
      return Flow::Break;
    case ast::StatementKind::Continue:
      return Flow::Continue;
    case ast::StatementKind::Assert:
      return check_assertion(statement, executing_);
    case ast::StatementKind::Raise:
      return raise(statement);
    case ast::StatementKind::Nonlocal:
      for (const std::string& name : nonlocal_names(statement)) scope().nonlocal.insert(name);
      return Flow::Next;
    case ast::StatementKind::Global:
      for (const std::string& name : nonlocal_names(statement)) scope().global.insert(name);
      return Flow::Next;
    case ast::StatementKind::Delete:
      for (const ast::ExprId target : tree_.targets(statement)) remove(target);
      break;
    default:
      break;
  }
  return Flow::Next;
}

void Interpreter::remove(ast::ExprId target) {
  const ast::Expr& expr = tree_[target];
  if (expr.kind == ast::ExprKind::Tuple || expr.kind == ast::ExprKind::List) {
    for (const ast::ExprId part : tree_.children(target)) remove(part);
    return;
  }
  if (expr.kind == ast::ExprKind::Subscript) {
    const auto [object, index] = evaluate_subscript(target);
    if (objects_.remove_item(object, index)) return;
    return delete_item(object, index);
  }
  if (expr.kind == ast::ExprKind::Attribute)
    return objects_.remove(evaluate(tree_.child(target, 0)), tree_.string(expr));
  const std::string& name = tree_.string(expr);
  if (!scope().loops.empty())
    misuse("program", "del in a loop that is not unrolled is not supported");
  (void)lookup(expr);
  if (scope().names.erase(name) == 0)
    misuse("program", "'{}' is a name of another function or of the module", name);
  if (in_module()) {
    known_.erase(name);
    std::erase(assigned_, name);
  }
}

Flow Interpreter::choose(const ast::Statement& statement, std::uint32_t index) {
  Flow flow = Flow::Next;
  const auto choose_by = [&](const Value& condition) {
    const auto truth = truth_of(condition);
    if (!truth) return choose_at_run(statement, index, condition);
    *truth ? note_skipped(statement.end, statement.else_end)
           : note_skipped(index + 1, statement.end);
    return *truth ? execute_block(index + 1, statement.end)
                  : execute_block(statement.end, statement.else_end);
  };
  if (attempt_ != nullptr) {
    located(statement.span, [&] { flow = evaluate_then(statement.value, choose_by, true); });
    return flow;
  }
  Value condition;
  located(statement.span, [&] { condition = evaluate(statement.value, true); });
  return choose_by(condition);
}

void Interpreter::note_skipped(std::uint32_t begin, std::uint32_t end) {
  if (!in_module() && (options_.function.empty() || scopes_.size() > 2)) return;
  for (std::uint32_t i = begin; i < end; ++i)
    for (const auto& [name, binds] : ast::target_names(tree_, tree_.statements[i]))
      result_.skipped.emplace(name, tree_.statements[i].line);
}

/// The value of a statement is computed even if nothing reads it.
void Interpreter::step(const Value& value) {
  if (is_library_) return;  // what is not used of it is not computed
  if (const auto* object = value.as<ObjectPtr>()) result_.steps.push_back((*object)->read().node());
  if (const auto* selected = value.as<Selected>()) {  // which may fail, whether it is read or not
    result_.steps.push_back(selected->whole->read().node());
    result_.steps.push_back(selected->mask->read().node());
  }
  if (const auto* tuple = value.as<Sequence>(); tuple != nullptr && !tuple->list)
    for (const Value& item : tuple->items) step(item);
  if (const auto* z = value.as<Complex>())
    for (const Value& part : z->parts) step(part);
}

void Interpreter::assign(ast::ExprId target, const Value& value) {
  const ast::Expr& expr = tree_[target];
  located(expr.span, [&] {
    switch (expr.kind) {
      case ast::ExprKind::Name:
        return bind(tree_.string(expr), value);
      case ast::ExprKind::Subscript:
        return store(target, value);
      case ast::ExprKind::Attribute:
        return objects_.set(evaluate(tree_.child(target, 0)), objects_.mangled(tree_.string(expr)),
                            value);
      default:
        return unpack(target, value);
    }
  });
}

void Interpreter::bind(const std::string& name, const Value& value) {
  if (value.as<Iteration>() != nullptr) return bind(name, objects_.new_iterator("iter", {value}));
  if (scope().enumerated != nullptr && value.as<Ignored>() != nullptr)
    return bind_member(name, value);
  if (scope().nonlocal.contains(name)) return bind_nonlocal(name, value);
  if (is_shared_global(name) && (in_module() || scope().is_file || scope().global.contains(name)))
    return bind_global(name, value);
  scope().names[name] = value;
  if (is_library_ && value.as<ObjectPtr>() != nullptr && !(*value.as<ObjectPtr>())->shape().empty())
    settle(scope().names[name]);
  if (in_module()) note_name(name);
  note_bound(name);
  note(name);
  note_perhaps(name);
  step(value);
}

/// The name of the module is bound here.
void Interpreter::note_name(const std::string& name) {
  if (name.starts_with('<')) return;
  if (bound_at_.insert_or_assign(name, statement_place_).second) bound_.push_back(name);
}

/// The name now refers to an array that the program made.
void Interpreter::note(const std::string& name) {
  const auto held = scope().names.find(name);
  const auto* object = held == scope().names.end() ? nullptr : held->second.as<ObjectPtr>();
  if (object == nullptr) return;
  if (name.starts_with('<')) return;
  const NodePtr node = (*object)->read().node();
  if (node->kind != Kind::Input || node->text != name) result_.assignments.push_back({name, node});
  if (!in_module()) return;
  if (known_.insert(name).second) assigned_.push_back(name);
  last_[name] = {statement_place_, node};
}

void Interpreter::unpack(ast::ExprId target, const Value& given) {
  each_unpacked(target, given,
                [this](ast::ExprId part, const Value& value) { assign(part, value); });
}

void Interpreter::each_unpacked(ast::ExprId target, const Value& given,
                                const std::function<void(ast::ExprId, const Value&)>& bind) {
  const Value value = objects_.iterable(if_set(given));
  const auto targets = tree_.children(target);
  if (value.as<Ignored>() != nullptr) {
    for (const ast::ExprId each : targets) bind(each, value);
    return;
  }
  if (!iteration_length(value)) {
    refuse_unpacking(value);
    misuse("program", "only tuples, lists, arrays and other iterables can be unpacked; got {}",
           value.description());
  }
  const auto is_starred = [&](ast::ExprId id) { return tree_[id].kind == ast::ExprKind::Starred; };
  const auto star = std::find_if(targets.begin(), targets.end(), is_starred);
  const std::size_t rest = star == targets.end() ? 0 : 1;
  const auto count = static_cast<std::size_t>(*iteration_length(value));
  if (rest == 0 ? count != targets.size() : count + 1 < targets.size())
    throw PythonError(
        "ValueError", "program",
        fmt::format("{} names for {} values", targets.size() - rest, count),
        {{count < targets.size() - rest
              ? fmt::format("not enough values to unpack (expected {}{}, got {})",
                            rest != 0 ? "at least " : "", targets.size() - rest, count)
              : fmt::format("too many values to unpack (expected {})", targets.size())}});
  const std::vector<Value> items = elements_of(value);
  std::size_t next = 0;
  for (const ast::ExprId each : targets) {
    if (!is_starred(each)) {
      bind(each, items[next++]);
      continue;
    }
    const auto first = items.begin() + static_cast<std::ptrdiff_t>(next);
    const std::size_t taken = count + 1 - targets.size();
    bind(tree_.child(each, 0),
         new_sequence(true, {first, first + static_cast<std::ptrdiff_t>(taken)}));
    next += taken;
  }
}

Flow Interpreter::augment(const ast::Statement& statement) {
  const ast::ExprId target = tree_.targets(statement)[0];
  const ast::Expr& expr = tree_[target];
  if (expr.kind == ast::ExprKind::Subscript) return augment_item(statement);
  if (expr.kind == ast::ExprKind::Attribute) {
    const Value object = evaluate(tree_.child(target, 0));
    if (object.as<InstancePtr>() != nullptr || object.as<ClassPtr>() != nullptr ||
        object.as<Module>() != nullptr || object.as<UserFunction>() != nullptr)
      return augment_attribute(statement, object, objects_.mangled(tree_.string(expr)));
    misuse(takes_no_attributes(object) ? Exception::AttributeError : Exception::None, "program",
           "the attributes of {} cannot be assigned", object.description());
  }
  const std::string& name = tree_.string(expr);
  const Value old = if_set(lookup(expr));
  if (const auto* part = old.as<Selected>(); part != nullptr && part->whole->stands_for_part())
    misuse("program",
           "{} is a slice whose bounds are known only at run time; to change it in place write the "
           "slice itself, x[i:j] {}= ...",
           name, ast::spelling(statement.op));
  return evaluate_then(statement.value, [&](const Value& value) {
    const auto* object = old.as<ObjectPtr>();
    const Value result = in_place_result(statement, old, if_set(value), &name);
    if (const auto* selected = old.as<Selected>())  // other names may share it
      write_selected(*selected, ast::spelling(statement.op), result);
    else if (object == nullptr || (*object)->is_scalar())
      bind(name, result);
    return Flow::Next;
  });
}

/// object[index] op= value
Flow Interpreter::augment_item(const ast::Statement& statement, const Value& object,
                               const std::vector<Value>& index) {
  auto held = objects_.item(object, index);
  if (!held) held = missing_item(object, index);
  const Value part = if_set(held ? *held : subscript(object, index));
  return evaluate_then(statement.value, [&](const Value& value) {
    if (object.as<InstancePtr>() != nullptr) {
      (void)objects_.set_item(object, index,
                              in_place_result(statement, part, if_set(value), nullptr));
    } else if (list_number(object)) {
      set_item(object, index, in_place_result(statement, part, if_set(value), nullptr));
    } else {
      const Value result = combine(statement, part, if_set(value));
      check_in_place(ast::spelling(statement.op), part, result);
      assign_subscript(object, index, result);
      written(object);
    }
    return Flow::Next;
  });
}

/// object.name op= value
Flow Interpreter::augment_attribute(const ast::Statement& statement, const Value& object,
                                    const std::string& name) {
  const Value old = if_set(attribute(object, name));
  return evaluate_then(statement.value, [&](const Value& value) {
    const auto* array = old.as<ObjectPtr>();
    const Value result = in_place_result(statement, old, if_set(value), nullptr);
    const bool stays = array != nullptr && !(*array)->is_scalar();
    if (const auto* selected = old.as<Selected>())
      write_selected(*selected, ast::spelling(statement.op), result);
    else if (!stays && !(list_number(old) && list_number(old) == list_number(result)))
      objects_.set(object, name, result);
    return Flow::Next;
  });
}

/// What `old op= right` leaves: the same array or list, changed, or another value. `name`: whose
/// value it is; null if it is an element's.
Value Interpreter::in_place_result(const ast::Statement& statement, const Value& old,
                                   const Value& right, const std::string* name) {
  if (auto result = objects_.in_place(statement.op, old, right)) return std::move(*result);
  const auto* list = old.as<Sequence>();
  if (list != nullptr && list->list && !list->is_set && statement.op == ast::Operator::Add) {
    const std::vector<Value> more = elements_of(right);
    std::vector<Value> held{old};
    const InUse in_use(*this, held);  // in a loop the list becomes another value
    change(
        old,
        [&](auto&, std::vector<Value>& items) {
          items.insert(items.end(), more.begin(), more.end());
          while (list->most > 0 && items.size() > list->most) items.erase(items.begin());
        },
        more);
    return held[0];
  }
  if (list != nullptr && list->list && !list->is_set && statement.op == ast::Operator::Multiply &&
      right.is_integer()) {
    const Items items = combine(statement, old, right).as<Sequence>()->items;
    std::vector<Value> held{old};
    const InUse in_use(*this, held);
    change(old, [&](auto&, auto& values) { values.assign(items.begin(), items.end()); },
           {items.begin(), items.size()});
    return held[0];
  }
  const auto* dict = old.as<Dict>();
  const bool counts = dict != nullptr && dict->type == "Counter" && right.as<Dict>() != nullptr;
  if (list != nullptr && list->kin == "frozenset") return combine(statement, old, right);
  if (counts || (list != nullptr && list->is_set)) {
    const Value made = combine(statement, old, right);
    const Items items = counts ? made.as<Dict>()->values : made.as<Sequence>()->items;
    std::vector<Value> held{old};
    const InUse in_use(*this, held);
    const auto assign = [&](auto& keys, auto& values) {
      if (counts) keys.assign(made.as<Dict>()->keys.begin(), made.as<Dict>()->keys.end());
      values.assign(items.begin(), items.end());
    };
    change(old, assign, {items.begin(), items.size()});
    return held[0];
  }
  if (dict != nullptr && right.as<Dict>() != nullptr && statement.op == ast::Operator::BitOr) {
    Call call{"", {right}, {}, result_.steps};
    (void)call_value({Method{"dict.update", Items({old})}}, call);
    return old;
  }
  if (old.as<NumberList>() != nullptr || (list != nullptr && list->list))
    misuse("program", "'{}=' of a list is not supported; make it an array with np.array(list)",
           ast::spelling(statement.op));
  const auto* object = old.as<ObjectPtr>();
  const bool is_array = object != nullptr && !(*object)->is_scalar();
  // NumPy squares in place for **= 2.0, and leaves integers integers.
  const bool squares = is_array && statement.op == ast::Operator::Power &&
                       is_integer((*object)->read().dtype()) && right.is_number() &&
                       right.real() == 2;
  Value result = combine(statement, old, squares ? Value{std::int64_t{2}} : right);
  if (const auto* z = old.as<Complex>(); z != nullptr && z->parts[0].as<ObjectPtr>() != nullptr &&
                                         !(*z->parts[0].as<ObjectPtr>())->is_scalar()) {
    assign_subscript(old, {Value{EllipsisValue{}}}, result);
    for (const Value& part : z->parts) written(part);
    return old;
  }
  if (!is_array) {
    check_in_place(ast::spelling(statement.op), old, result);
    return result;
  }
  const Array computed = to_array(result, name != nullptr ? *name : "an element");
  const bool of_integers =
      statement.op == ast::Operator::FloorDivide || statement.op == ast::Operator::Modulo ||
      (statement.op >= ast::Operator::BitAnd && statement.op <= ast::Operator::RightShift);
  const Array held = (*object)->read();
  const auto& operands = computed.node()->args;
  const bool is_composed = of_integers && (operands.empty() || operands[0] != held.node());
  if (is_composed) detail::check_in_place(ast::spelling(statement.op), held, computed);
  const Array made = is_composed ? set_slice(held, {}, computed) : in_place(computed, held);
  if (made.shape() != (*object)->shape())
    misuse(Exception::ValueError, "program",
           "non-broadcastable output operand with shape {} doesn't match the broadcast shape {}",
           to_string((*object)->shape()), to_string(made.shape()));
  const int width = width_of(old);  // which the array keeps
  if (width != 0 && made.dtype() == DType::Float && made.node() != held.node())
    made.node()->float_bits = static_cast<std::uint8_t>(width);
  (*object)->write(made);
  if (name != nullptr) note(*name);
  written(old);
  return old;
}

Value Interpreter::binary(ast::Operator op, const Value& left, const Value& right) {
  if (auto result = objects_.binary(op, left, right)) return std::move(*result);
  if (const bool is_identity = op == ast::Operator::Is || op == ast::Operator::IsNot;
      !is_identity && (is_outside(left) || is_outside(right)))
    return ask_python(std::string(ast::spelling(op)), {left, right});
  if (unsure_ == 0) refuse_python_errors(op, left, right);
  if (op == ast::Operator::Power) check_power(left, right);
  return binary_operator(op, left, right);
}

Value Interpreter::combine(const ast::Statement& statement, const Value& left, const Value& right) {
  Value result;
  located(statement.span, [&] { result = binary(statement.op, left, right); });
  return result;
}

/// After an array was written in place: the statement computed what it holds now. The names of an
/// input that was overwritten become outputs.
void Interpreter::written(const Value& value) {
  if (written_by_library_ != nullptr) return written_by_library_->push_back(value);
  step(value);
  note_written_inputs();
}

/// An input that was written in place is a result, as if it had been assigned.
void Interpreter::note_written_inputs() {
  for (const Program::Named& named : result_.inputs) {
    const auto found = scope().names.find(named.name);
    if (found == scope().names.end()) continue;
    const auto* object = found->second.as<ObjectPtr>();
    const bool is_input = object != nullptr && *object == inputs_.at(named.name);
    if (is_input && !known_.contains(named.name) && (*object)->read().node() != named.node)
      note(named.name);
  }
}

}  // namespace rewriter
