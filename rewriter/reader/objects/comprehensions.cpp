// The reader: comprehensions, lambdas and f-strings.
#include <algorithm>

#include "rewriter/reader/operators/text.hpp"
#include "rewriter/reader/selections/packed.hpp"
#include "rewriter/reader/selections/run_lengths.hpp"
#include "rewriter/reader/selections/run_lists.hpp"
#include "rewriter/reader/selections/selection.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/interpreter.hpp"
#include "rewriter/reader/walk/scopes.hpp"

namespace rewriter {

using cudamat::misuse;

constexpr std::size_t kMostElements = 1'000'000;

struct Interpreter::Comprehended {
  std::vector<Value> keys{};
  std::vector<Value> values{};
  std::vector<std::optional<Array>> taken{};  ///< of each value; nothing: it is there
  const Value* first = nullptr;               ///< what it iterates over first, if that is known
};

namespace {

/// What a clause iterates over, and of each item whether the run has it.
struct Clause {
  std::vector<Value> items;
  std::vector<Array> are_there{};  ///< empty: all are
};

Clause clause_of(const Value& iterable) {
  if (const auto* list = iterable.as<RunList>()) {
    const Array room = list->cell->read();
    Clause clause;
    constexpr Index kUnknown = Index{1}
                               << 20;  // run_appends.cpp: it is read again with what it takes
    const Index most = room.shape(room.ndim() - 1);
    for (Index i = 0; i < (most >= kUnknown ? 1 : most); ++i) {
      clause.items.push_back(element_at(*list, {Value{i}}));
      clause.are_there.push_back(Array(i) < list->count->read());
    }
    return clause;
  }
  const auto with_mask = [](const Value& items, const Value& mask) {
    Clause clause;
    for (const Value& each : elements_of(items))
      clause.items.push_back(perhaps_element(each, items, to_array(mask, "a mask")));
    for (const Value& each : elements_of(mask))
      clause.are_there.push_back(to_array(each, "a mask").reshape({}));
    return clause;
  };
  if (const auto* iteration = iterable.as<Iteration>();
      iteration != nullptr && iteration->kind == Iteration::Kind::Selected)
    return with_mask(iteration->parts[0], iteration->parts[1]);
  const auto selection = selection_of(iterable);
  if (!selection || selection->first != 0 || selection->mask.ndim() != 1)
    return {elements_of(iterable)};
  return with_mask(new_array(selection->whole), new_array(selection->mask));
}

Array both(const std::optional<Array>& a, const Array& b) {
  return a ? logical_and(*a, b) : b;
}

}  // namespace

/// Written out element by element.
Value Interpreter::comprehension(ast::ExprId id, const Value* first) {
  const bool of_pairs = static_cast<ast::Bracket>(tree_[id].payload) == ast::Bracket::Dict;
  Comprehended made;
  made.first = first;
  std::vector<Value>& keys = made.keys;
  std::vector<Value>& values = made.values;
  const InUse keys_in_use(*this, keys);
  const InUse values_in_use(*this, values);
  const std::size_t inner = scope().inner.size();
  try {
    comprehend(id, of_pairs ? 2 : 1, std::nullopt, made);
  } catch (...) {
    scope().inner.resize(inner);
    throw;
  }
  scope().inner.resize(inner);
  const auto is_set = [](const std::optional<Array>& taken) { return taken.has_value(); };
  if (std::any_of(made.taken.begin(), made.taken.end(), is_set)) {
    const auto bracket = static_cast<ast::Bracket>(tree_[id].payload);
    if (bracket != ast::Bracket::List && bracket != ast::Bracket::Generator)
      fail(tree_[id].span,
           "a condition of a set or dictionary comprehension must be known when the program is "
           "read; np.where(...) and masks select among elements");
    Value list;
    located(tree_[id].span, [&] { list = run_list_of(values, made.taken); });
    step(list);
    return list;
  }
  switch (static_cast<ast::Bracket>(tree_[id].payload)) {
    case ast::Bracket::List:
      return new_sequence(true, std::move(values));
    case ast::Bracket::Set:
      return call_function({"set", {new_sequence(true, std::move(values))}, {}, result_.steps});
    case ast::Bracket::Generator:
      return gone_through(std::move(values));
    case ast::Bracket::Dict:
      break;
  }
  Dict dict;
  for (std::size_t i = 0; i < keys.size(); ++i) set_key(dict, keys[i], values[i]);
  return {dict};
}

Value Interpreter::generator_expression(ast::ExprId id) {
  const Value over = evaluate(tree_.child(tree_.child(id, 1), 1));
  const bool is_inlined = tree_.inlined_expressions.contains(id);
  if (!is_inlined && !objects_.is_iterator(over)) return comprehension(id, &over);
  const Value made = objects_.new_expression(id, over);
  return is_inlined ? made : objects_.with_items(made);
}

/// Of one over an endless iterator.
std::optional<Value> Objects::next_of_expression(const Items& parts) {
  const auto id = static_cast<ast::ExprId>(parts[0].integer(""));
  const UserFunction& function = *parts[2].as<UserFunction>();
  std::optional<Value> result;
  reader_.in_scope_of(function, [&] {
    for (const auto& [name, value] : function.captured) reader_.scope().names.emplace(name, value);
    const auto clause = reader_.tree_.children(reader_.tree_.child(id, 1));
    for (std::size_t passed = 0; !result; ++passed) {
      if (passed > kMostElements)
        misuse("program", "none of {} items fulfils the condition", kMostElements);
      const auto item = next(parts[1]);
      if (!item) return;
      reader_.scope().inner.clear();
      reader_.bind_inner(clause[0], *item);
      const auto conditions = clause.subspan(2);
      const bool takes = std::all_of(conditions.begin(), conditions.end(), [&](ast::ExprId each) {
        const auto truth = truth_of(this->truth(reader_.evaluate(each, true)));
        if (!truth)
          reader_.fail(reader_.tree_[each].span,
                       "which items an endless iterator yields must be known when the program is "
                       "read");
        return *truth;
      });
      if (takes) result = reader_.evaluate(reader_.tree_.child(id, 0));
    }
  });
  return result;
}

void Interpreter::comprehend(ast::ExprId id, std::size_t generator,
                             const std::optional<Array>& taken_before, Comprehended& made) {
  const auto parts = tree_.children(id);
  std::vector<Value>& values = made.values;
  if (generator == parts.size()) {
    if (values.size() == kMostElements)
      misuse("program", "a comprehension of more than {} elements", kMostElements);
    const bool of_pairs = static_cast<ast::Bracket>(tree_[id].payload) == ast::Bracket::Dict;
    if (of_pairs) made.keys.push_back(evaluate(parts[0]));
    values.push_back(evaluate_if(parts[of_pairs ? 1 : 0], taken_before));
    made.taken.push_back(taken_before);
    refuse_late_names(values.back());
    return;
  }
  const auto clause = tree_.children(parts[generator]);
  const auto take = [&](const Value& item, const Array* is_there) {
    const std::size_t inner = scope().inner.size();
    located(tree_[clause[0]].span, [&] { bind_inner(clause[0], item); });
    std::optional<Array> taken = taken_before;
    if (is_there != nullptr) taken = both(taken, *is_there);
    bool may_be = true;
    for (const ast::ExprId condition : clause.subspan(2)) {
      const Value value = objects_.truth(evaluate_if(condition, taken));
      std::optional<bool> truth;
      located(tree_[condition].span, [&] { truth = truth_of(value); });
      may_be = truth != false;
      if (!may_be) break;
      if (!truth) taken = both(taken, Array(condition_node(value, tree_[condition].span)));
    }
    if (may_be) comprehend(id, generator + 1, taken, made);
    scope().inner.resize(inner);
  };
  Value over;
  Clause through;
  located(tree_[clause[1]].span, [&] {
    const bool is_known = generator == 1 && made.first != nullptr;
    over =
        objects_.iterator_or_items(is_known ? *made.first : evaluate_if(clause[1], taken_before));
    if (!objects_.is_iterator(over)) through = clause_of(over);
  });
  if (objects_.is_iterator(over)) {  // item by item, as the iterator has effects of its own
    while (true) {
      std::optional<Value> item;
      located(tree_[clause[1]].span, [&] { item = objects_.next(over); });
      if (!item) return;
      take(*item, nullptr);
    }
  }
  const InUse in_use(*this, through.items);
  for (std::size_t i = 0; i < through.items.size(); ++i)
    take(through.items[i], through.are_there.empty() ? nullptr : &through.are_there[i]);
}

/// A function that a comprehension leaves sees, in Python, what its names were at the end.
void Interpreter::refuse_late_names(const Value& made) const {
  const auto* function = made.as<UserFunction>();
  if (function == nullptr || function->lambda == ast::kNoExpr) return;
  const ast::ExprId body = tree_.children(function->lambda).back();
  const auto parameters = tree_.parameters_of(tree_.lambdas[tree_[function->lambda].payload]);
  const auto is_late = [&](const std::string& name) {
    return std::none_of(parameters.begin(), parameters.end(),
                        [&](const ast::Parameter& each) { return each.name == name; }) &&
           std::any_of(function->captured.begin(), function->captured.end(),
                       [&](const auto& each) { return each.first == name; });
  };
  for (ast::ExprId part = tree_[body].first; part <= body; ++part)
    if (tree_[part].kind == ast::ExprKind::Name && is_late(tree_.string(part)))
      fail(tree_[part].span,
           fmt::format("in Python this is the last {0}, whichever iteration made the function; "
                       "`lambda ..., {0}={0}:` keeps the current one",
                       tree_.string(part)));
}

/// A name of a comprehension, which hides others until that is made.
void Interpreter::bind_inner(ast::ExprId target, const Value& value) {
  const ast::Expr& expr = tree_[target];
  if (expr.kind == ast::ExprKind::Name) {
    scope().inner.emplace_back(tree_.string(expr), value);
    return;
  }
  if (expr.kind != ast::ExprKind::Tuple && expr.kind != ast::ExprKind::List)
    misuse("program", "a comprehension must assign names");
  each_unpacked(target, value,
                [this](ast::ExprId part, const Value& item) { bind_inner(part, item); });
}

Value Interpreter::new_lambda(ast::ExprId id, ast::ExprId first, std::vector<Value>& values) {
  const auto parts = tree_.children(id);
  UserFunction function{"lambda", 0, {}, id, enclosing(), {}, this};
  std::size_t next = 0;
  std::vector<Value> defaults;
  for (const ast::Parameter& parameter : tree_.parameters_of(tree_.lambdas[tree_[id].payload]))
    defaults.push_back(parameter.value == ast::kNoExpr ? Value{} : values[parts[next++] - first]);
  // What comprehensions around it assign is fixed here, and is a default that nobody gives.
  for (const auto& [name, value] : scope().inner) function.captured.emplace_back(name, value);
  function.defaults = std::move(defaults);
  return {function};
}

std::shared_ptr<Enclosing> Interpreter::enclosing() {
  if (in_module() || scope().is_file) return nullptr;
  if (scope().is_class) return scope().outer;  // methods do not see the names of their class
  if (!scope().enclosing) {
    scope().enclosing =
        std::make_shared<Enclosing>(Enclosing{&scope().names, {}, scope().function, scope().outer});
    enclosings_.push_back(scope().enclosing);
  }
  return scope().enclosing;
}

Value Interpreter::joined_text(ast::ExprId id, ast::ExprId first, std::vector<Value>& values) {
  Value result{std::string()};
  for (const ast::ExprId part : tree_.children(id))
    result = joined_texts(result, values[part - first]);
  return result;
}

}  // namespace rewriter
