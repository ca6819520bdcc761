// The reader: lists that grow. All that holds the list gets its new value, found by the list's
// number.
#include <algorithm>
#include <atomic>

#include "rewriter/reader/builtins/text_parts.hpp"
#include "rewriter/reader/selections/run_lists.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/known_values.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/interpreter.hpp"
#include "rewriter/reader/walk/scopes.hpp"
#include "rewriter/text/depth.hpp"

namespace rewriter {

using cudamat::misuse;

std::optional<Flow> Interpreter::append(ast::ExprId expression) {
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
  if (list >= frame.begin || std::any_of(frame.lists.begin(), frame.lists.end(), shows_it)) return;
  unsettled_.unnamed.insert(list);
  misuse("program",
         "the loop over {} appends to a list that has no name of its own; give the list a name "
         "before the loop, or make it a parameter, and append to that",
         frame.loop->name);
}

/// Of what is appended to a list in a loop that is not unrolled.
void Interpreter::refuse_other_than_elements(const Value& value) {
  const auto* object = value.as<ObjectPtr>();
  if (object != nullptr && !(*object)->shape().empty() && keeps_appended_arrays())
    (void)form_of(value, false, true);
  else
    refuse_other_than_numbers(value);
}

Value Interpreter::appended(const Value& list, const Value& value, const std::string& name) {
  if (const auto* sequence = list.as<Sequence>()) {
    Sequence longer = *sequence;
    longer.items.push_back(value);
    if (longer.most > 0 && longer.items.size() > longer.most)
      longer.items.own().erase(longer.items.own().begin());
    return {std::move(longer)};
  }
  refuse_other_than_elements(value);
  NumberList longer = *list.as<NumberList>();
  const Array element = to_array(value, "what is appended to " + name);
  longer.type = joined_types(longer.type, type_of_element(value));
  Dims dims = longer.type->dims;
  dims.insert(dims.begin(), longer.cell->shape()[0]);
  if (longer.cell->shape() != dims)  // while the types settle
    longer.cell = *new_array(full(dims, 0)).as<ObjectPtr>();
  if (longer.length.greatest() < longer.cell->shape()[0]) {
    const Range at{longer.length.constant, longer.length.constant + 1, true, longer.length.terms};
    longer.cell->write(set_slice(longer.cell->read(), {at}, element));
    step({longer.cell});
  } else {
    dims[0] = 1;
    const Array part = element.is_number() ? full({1}, element.node()->number)
                                           : element.reshape(dims).as_type(DType::Float);
    longer.cell = *new_array(concatenate({to_array(list, name), part})).as<ObjectPtr>();
  }
  longer.length = longer.length + Affine{1, {}};
  return {std::move(longer)};
}

}  // namespace rewriter
