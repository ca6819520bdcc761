// The reader: lists that grow.
//
// A list is a value here, with a number that says which of Python's lists it is. Where it grows,
// all that refers to the list of that number is replaced: names of every scope, items of other
// sequences, defaults of parameters, and what expressions that are being evaluated hold.
#include <algorithm>
#include <atomic>

#include "rewriter/reader/compose.hpp"
#include "rewriter/reader/interpreter.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

/// Each thread has numbers of its own: lists of the library's files are every reader's.
std::uint64_t& lists_made() {
  constexpr int kNumbersOfThread = 40;
  static std::atomic<std::uint64_t> threads{0};
  static thread_local std::uint64_t made = threads++ << kNumbersOfThread;
  return made;
}

}  // namespace

std::uint64_t new_list() {
  return ++lists_made();
}

std::uint64_t last_list() {
  return lists_made();
}

void forget_lists_after(std::uint64_t number) {
  lists_made() = number;
}

std::optional<std::uint64_t> list_number(const Value& value) {
  if (const auto* grown = value.as<NumberList>()) return grown->number;
  if (const auto* grown = value.as<RunList>()) return grown->number;
  if (const auto* dict = value.as<Dict>()) return dict->number;
  const auto* sequence = value.as<Sequence>();
  if (sequence == nullptr || !sequence->list) return std::nullopt;
  return sequence->number;
}

static bool may_hold_lists(const Value& value) {
  return value.as<Sequence>() != nullptr || value.as<Dict>() != nullptr ||
         value.as<NumberList>() != nullptr || value.as<RunList>() != nullptr ||
         value.as<UserFunction>() != nullptr || value.as<Iteration>() != nullptr ||
         value.as<Method>() != nullptr || value.as<Perhaps>() != nullptr;
}

bool replace_list(Value& value, const Value& list, std::uint64_t number) {
  if (list_number(value) == number) {
    value = list;
    return true;
  }
  bool found = false;
  const auto replace = [&](Items& items) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (!may_hold_lists(items[i])) continue;
      Value item = items[i];
      if (!replace_list(item, list, number)) continue;
      items.own()[i] = item;
      items.note(item);
      found = true;
    }
  };
  if (auto* sequence = std::get_if<Sequence>(&value.held)) replace(sequence->items);
  if (auto* dict = std::get_if<Dict>(&value.held)) replace(dict->values);
  if (auto* function = std::get_if<UserFunction>(&value.held)) {
    replace(function->defaults);
    for (auto& [name, held] : function->captured) found = replace_list(held, list, number) || found;
  }
  if (auto* iteration = std::get_if<Iteration>(&value.held)) replace(iteration->parts);
  if (auto* method = std::get_if<Method>(&value.held)) replace(method->self);
  if (auto* perhaps = std::get_if<Perhaps>(&value.held)) replace(perhaps->parts);
  return found;
}

std::optional<Interpreter::Flow> Interpreter::append(ast::ExprId expression) {
  const ast::Expr& call = tree_[expression];
  if (call.kind != ast::ExprKind::Call || call.child_count != 2) return std::nullopt;
  const ast::Expr& method = tree_[tree_.child(expression, 0)];
  if (method.kind != ast::ExprKind::Attribute || tree_.string(method) != "append")
    return std::nullopt;
  const ast::ExprId object = tree_.child(tree_.child(expression, 0), 0);
  std::vector<Value> list{evaluate(object)};
  if (const auto* self = list[0].as<InstancePtr>();
      self != nullptr && (*self)->type->container && (*self)->type->member("append") == nullptr)
    list[0] = objects_.items_of(list[0]);
  const auto number = list_number(list[0]);
  if (!number) return std::nullopt;
  const InUse in_use(*this, list);  // the argument's functions may append to it
  const ast::ExprKind given = tree_[tree_.child(expression, 1)].kind;
  if (given == ast::ExprKind::Starred || given == ast::ExprKind::Keyword ||
      list[0].as<Dict>() != nullptr)
    return std::nullopt;
  return evaluate_then(tree_.child(expression, 1), [&](const Value& value) {
    const At at(place(call.span));
    append(list, expression, value);
    return Flow::Next;
  });
}

/// Of a list in use: the expression is `list.append(value)`.
void Interpreter::append(const std::vector<Value>& list, ast::ExprId expression,
                         const Value& value) {
  const std::uint64_t number = *list_number(list[0]);
  if (unsure_ > 0) refuse_effect("appends to a list");
  if (frozen_.contains(number)) change(list[0], [](auto&, auto&) {});  // says why not
  if (!in_loop() && list[0].as<Sequence>() != nullptr) {
    const std::size_t most = list[0].as<Sequence>()->most;
    change(
        list[0],
        [&](auto&, auto& items) {
          items.push_back(value);
          if (most > 0 && items.size() > most) items.erase(items.begin());
        },
        value);
    step(value);
    return;
  }
  const auto stays_a_loop = [](const Scope& each) {
    return std::any_of(each.loops.begin(), each.loops.end(), [](const LoopFrame* frame) {
      return frame->loop->form == LoopForm::For || frame->loop->form == LoopForm::ForWhile;
    });
  };
  if (contents_are_known && list[0].as<RunList>() == nullptr && may_not_run(number) &&
      std::any_of(scopes_.begin(), scopes_.end(), stays_a_loop))
    misuse("program", "what is appended may be known iteration by iteration");
  if (list[0].as<RunList>() != nullptr || may_not_run(number)) {
    append_at_run(list[0], value, tree_[tree_.child(expression, 1)].kind == ast::ExprKind::List);
    return;
  }
  const ast::ExprId object = tree_.child(tree_.child(expression, 0), 0);
  const bool named = tree_[object].kind == ast::ExprKind::Name;
  const Value before = list[0];
  const auto names =
      share(appended(list[0], value, named ? tree_.string(tree_[object]) : "the list"));
  for (std::size_t i = 0; i < scopes_.size(); ++i)
    for (LoopFrame* frame : scopes_[i].loops) {
      if (!frame->grown.contains(number)) frame->changed.push_back(before);
      note_growth(*frame, number, names[i]);
    }
}

std::vector<std::vector<std::string>> Interpreter::share(const Value& list) {
  ++shared_;
  const std::uint64_t number = *list_number(list);
  std::vector<std::vector<std::string>> result;
  for (Scope& scope : scopes_) {
    std::vector<std::string>& names = result.emplace_back();
    for (auto& [name, value] : scope.names)
      if (replace_list(value, list, number) && list_number(value) == number) names.push_back(name);
    std::sort(names.begin(), names.end());
  }
  for (const std::string& name : result.back())  // loops of the callers see attributes, too
    if (is_attribute(name))
      for (std::size_t i = 0; i + 1 < result.size(); ++i) result[i].push_back(name);
  for (const auto& enclosing : enclosings_)
    for (auto& [name, value] : enclosing->kept) replace_list(value, list, number);
  for (Scope& scope : scopes_)
    for (auto& [name, value] : scope.inner) replace_list(value, list, number);
  for (std::vector<Value>* values : in_use_)
    for (Value& value : *values) replace_list(value, list, number);
  return result;
}

void Interpreter::note_growth(LoopFrame& frame, std::uint64_t list,
                              const std::vector<std::string>& names) {
  frame.grown.insert(list);
  for (const std::string& name : names) {
    if (!frame.rebound.insert(name).second) continue;
    frame.rebound_order.push_back(name);
    frame.read.insert(name);
  }
  const auto shows_it = [&](const auto& held) {
    return held.second == list && frame.read.contains(held.first);
  };
  if (list < frame.begin && std::none_of(frame.lists.begin(), frame.lists.end(), shows_it))
    misuse("program",
           "the loop over {} appends to a list that has no name of its own; give the list a name "
           "before the loop, or make it a parameter, and append to that",
           frame.loop->name);
}

/// An array of one number is not a number: the list holds the array itself, and shows what is
/// written to it later.
static bool is_array(const Value& value) {
  const auto* object = value.as<ObjectPtr>();
  return object != nullptr && !(*object)->is_scalar();
}

static void refuse_shared(const Value& value) {
  const auto* object = value.as<ObjectPtr>();
  if (is_array(value) && !is_held_once(*object))
    misuse("program",
           "a list that grows in a loop takes numbers; this is an array of shape () that shares "
           "memory with other names. Append a copy of it: x.copy()");
}

void refuse_other_than_numbers(const Value& value) {
  const auto* object = value.as<ObjectPtr>();
  if (object != nullptr ? !(*object)->shape().empty() : !value.is_number() && !value.is_integer())
    misuse("program",
           "a list that grows in a loop takes numbers and single elements; got {}. Write a row "
           "into an array instead: x[i] = row",
           value.description());
  refuse_shared(value);
}

Value Interpreter::appended(const Value& list, const Value& value, const std::string& name) {
  if (const auto* sequence = list.as<Sequence>()) {
    Sequence longer = *sequence;
    longer.items.push_back(value);
    if (longer.most > 0 && longer.items.size() > longer.most)
      longer.items.own().erase(longer.items.own().begin());
    return {std::move(longer)};
  }
  refuse_other_than_numbers(value);
  NumberList longer = *list.as<NumberList>();
  const Array element = to_array(value, "what is appended to " + name);
  if (longer.length.greatest() < longer.cell->shape()[0]) {
    const Range at{longer.length.constant, longer.length.constant + 1, true, longer.length.terms};
    longer.cell->write(set_slice(longer.cell->read(), {at}, element));
    step({longer.cell});
  } else {
    const Array part = element.is_number() ? full({1}, element.node()->number)
                                           : element.reshape({1}).as_type(DType::Float);
    longer.cell = *new_array(concatenate({to_array(list, name), part})).as<ObjectPtr>();
  }
  longer.length = longer.length + Affine{1, {}};
  longer.type = joined_types(longer.type, ElementType{element.dtype(), is_python_number(value)});
  return {std::move(longer)};
}

}  // namespace rewriter
