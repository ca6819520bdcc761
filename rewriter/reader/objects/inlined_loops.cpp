// The reader: loops over generators and generator expressions that are read as loops of these; see
// inlining.hpp.
#include <algorithm>
#include <limits>

#include "rewriter/python/inlining.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/entered.hpp"
#include "rewriter/reader/walk/interpreter.hpp"
#include "rewriter/reader/walk/objects.hpp"
#include "rewriter/reader/walk/scopes.hpp"

namespace rewriter {

namespace {

constexpr Index kEndless = Index{1} << 40;

using Around = ast::Iterable::Call;

std::string_view name_of(Around::Kind kind) {
  switch (kind) {
    case Around::Kind::Enumerate:
      return "enumerate";
    case Around::Kind::Zip:
      return "zip";
    case Around::Kind::Islice:
      break;
  }
  return "islice";
}

/// What the program passes to such a call is among the sources of its iterator from here on.
std::size_t first_source(Around::Kind kind) {
  return kind == Around::Kind::Enumerate ? 1 : 0;
}

}  // namespace

/// What zip takes items from, as a value whose items have indices; nothing of other values.
std::optional<Value> Objects::indexable(const Value& source) {
  if (source.as<RangeValue>() != nullptr || source.as<Sequence>() != nullptr) return source;
  if (const auto* array = source.as<ObjectPtr>(); array != nullptr)
    return (*array)->shape().empty() ? std::nullopt : std::optional(source);
  if (const auto* iteration = source.as<Iteration>();
      iteration != nullptr && iteration->kind != Iteration::Kind::Selected)
    return new_sequence(false, elements_of(source));
  const auto* counter = source.as<InstancePtr>();
  if (counter == nullptr || (*counter)->type != iterator_ || (*counter)->name != "count")
    return std::nullopt;
  const auto part = [&](const char* name) { return *read(attribute_name(**counter, name)); };
  const Value sources = part("sources");
  const Items& parts = sources.as<Sequence>()->items;
  const auto is_int = [](const Value& value) {
    return value.as<Index>() != nullptr && !value.is_numpy;
  };
  if (!is_int(parts[0]) || !is_int(parts[1]) || parts[1].integer("") == 0) return std::nullopt;
  const Index step = parts[1].integer("");
  const Index start = parts[0].integer("") + part("state").integer("") * step;
  return Value{RangeValue{start, start + step * kEndless, step}};
}

/// Takes the calls around a generator apart; nothing if they are no such calls, or have begun.
std::optional<Objects::Unwrapped> Objects::unwrapped(std::uint32_t statement,
                                                     const Value& iterator) {
  const ast::Iterable& text = reader_.tree_.iterables[reader_.tree_.statements[statement].iterable];
  Unwrapped result{iterator};
  Index room = kEndless, room_after = kEndless;
  std::vector<Value> held;  // an iterator within another has one more reference
  for (std::size_t level = 0; level < text.calls.size(); ++level) {
    const Around& call = text.calls[level];
    const auto* self = result.generator.as<InstancePtr>();
    if (self == nullptr || (*self)->type != iterator_ || (*self)->name != name_of(call.kind))
      return std::nullopt;
    const auto state = read(attribute_name(**self, "state"));
    if (!state || state->as<Index>() == nullptr || *state->as<Index>() != 0) return std::nullopt;
    held.push_back(*read(attribute_name(**self, "sources")));
    const Items& sources = held.back().as<Sequence>()->items;
    const std::size_t first = first_source(call.kind);
    if (call.kind == Around::Kind::Enumerate) {
      result.names.emplace_back(ast::loop_names::count(statement, level), sources[0]);
    } else if (call.kind == Around::Kind::Islice) {
      if (sources.size() > 3 || sources[2].is_none() || sources[1].is_none() ||
          sources[1].integer("a bound") != 0)
        return std::nullopt;
      room = std::min(room, sources[2].integer("a bound"));
    } else if (sources.size() != call.count) {
      return std::nullopt;
    }
    for (std::uint32_t k = 0; call.kind == Around::Kind::Zip && k < call.count; ++k) {
      if (k == call.place) continue;
      const auto items = indexable(sources[k]);
      if (!items) return std::nullopt;
      Index& limit = k < call.place ? room : room_after;
      limit = std::min(limit, iteration_length(*items).value_or(0));
      result.names.emplace_back(ast::loop_names::source(statement, level, k), *items);
    }
    result.generator = Value(sources[first + call.place]);
  }
  if (room == 0) return std::nullopt;
  result.names.emplace_back(ast::loop_names::steps(statement), Value{Index{0}});
  result.names.emplace_back(ast::loop_names::room(statement), Value{room});
  result.names.emplace_back(ast::loop_names::room_after(statement), Value{room_after});
  return result;
}

/// Adds the names of a generator that has not begun, if this is the statement for it.
bool Objects::takes_generator(std::uint32_t statement, const InstancePtr& self, Inlined& result) {
  const auto part = [&](const char* name) { return *read(attribute_name(*self, name)); };
  const ast::Statement& inlined = reader_.tree_.statements[statement];
  const Value sources = part("sources");
  const Items& made = sources.as<Sequence>()->items;
  const Value state = part("state");
  if (self->name == "expression") {
    if (made[0].integer("") != Index{reader_.tree_.iterables[inlined.iterable].generator})
      return false;
    result.names.emplace_back(ast::loop_names::first(statement), made[1]);
    return true;
  }
  if (self->name != "generator" || state.as<Sequence>() == nullptr) return false;
  const UserFunction& function = *made[0].as<UserFunction>();
  if (inlined.def != function.statement || !function.captured.empty() ||
      function.owner != &reader_ || has_begun(state, function))
    return false;
  const Enclosing* const around = function.enclosing.get();  // of this call, or of one around both
  if (around != nullptr && around->names != &reader_.scope().names &&
      around != reader_.scope().outer.get())
    return false;
  const Dict& names = *state.as<Sequence>()->items[0].as<Dict>();
  for (std::size_t i = 0; i < names.keys.size(); ++i)
    result.names.emplace_back(ast::inlined_name(*names.keys[i].as<std::string>(), statement),
                              names.values[i]);
  return true;
}

/// Whether the loop changes a list that zip takes items from: Python's iterator sees that.
bool Objects::changes_source(std::uint32_t statement, const Unwrapped& parts) {
  const auto is_source = [&](const std::string& name) {
    const Value* held = reader_.find(name);
    const auto number = held == nullptr ? std::nullopt : list_number(*held);
    return number && std::any_of(parts.names.begin(), parts.names.end(), [&](const auto& part) {
             return list_number(part.second) == number;
           });
  };
  const ast::Program& tree = reader_.tree_;
  const auto [first, last] = reader_.expressions_of(statement + 1, tree.statements[statement].end);
  for (ast::ExprId id = first; id < last; ++id) {
    if (tree[id].kind != ast::ExprKind::Attribute ||
        !has_word(" append extend insert pop remove clear ", tree.string(id)))
      continue;
    const ast::ExprId object = tree.child(id, 0);
    if (tree[object].kind == ast::ExprKind::Name && is_source(tree.string(object))) return true;
  }
  return false;
}

std::optional<Objects::Inlined> Objects::inlined(std::uint32_t loop, const Value& iterator) {
  const InstancePtr& outer = *iterator.as<InstancePtr>();
  constexpr long kOwn = 2;  // references: of the expression's value, and of the loop
  if (outer->type != iterator_ || outer.use_count() > kOwn) return std::nullopt;
  const auto& statements = reader_.tree_.statements;
  for (std::uint32_t at = statements[loop].else_end;
       at < statements.size() && statements[at].kind == ast::StatementKind::Inlined;
       at = statements[at].end) {
    auto parts = unwrapped(at, iterator);
    if (!parts || changes_source(at, *parts)) continue;
    const auto* self = parts->generator.as<InstancePtr>();
    if (self == nullptr || (*self)->type != iterator_) continue;
    const long own = *self == outer ? kOwn : 1;
    if (self->use_count() > own + 1) continue;  // `parts` has one more
    Inlined result{at, std::move(parts->names)};
    if (!takes_generator(at, *self, result)) continue;
    reader_.bind_part(attribute_name(**self, "state"), {});
    return result;
  }
  return std::nullopt;
}

Value Objects::new_expression(ast::ExprId id, const Value& first) {
  UserFunction function{"genexpr", kLambdas + id, {}, ast::kNoExpr, reader_.enclosing(),
                        {},        &reader_};
  for (const auto& [name, value] : reader_.scope().inner)
    function.captured.emplace_back(name, value);
  return new_iterator("expression", {{Index{id}}, first, {std::move(function)}});
}

bool Objects::is_endless(const Value& value) {
  const auto* self = value.as<InstancePtr>();
  if (self == nullptr || (*self)->type != iterator_) return false;
  const std::string& name = (*self)->name;
  if (name == "count" || name == "cycle") return true;
  const Value sources = *read(attribute_name(**self, "sources"));
  const Items& parts = sources.as<Sequence>()->items;
  if (name == "generator") {
    const ast::Program& tree = reader_.tree_;
    const std::uint32_t def = parts[0].as<UserFunction>()->statement;
    for (std::uint32_t i = def + 1; i < tree.statements[def].end; ++i) {
      const ast::Statement& each = tree.statements[i];
      if (each.kind == ast::StatementKind::While && tree[each.value].kind == ast::ExprKind::True &&
          yields(i))
        return true;
    }
    return false;
  }
  if (name == "expression")
    return is_endless(parts[1]) &&
           reader_.tree_[static_cast<ast::ExprId>(parts[0].integer(""))].child_count == 2;
  if (name == "enumerate" || name == "map" || name == "filter") return is_endless(parts[1]);
  if (name == "islice") return parts[2].is_none() && is_endless(parts[0]);
  return name == "zip" && !parts.empty() &&
         std::all_of(parts.begin(), parts.end(),
                     [&](const Value& part) { return is_endless(part); });
}

/// Whether it is a generator expression whose items are not made yet.
bool Objects::is_expression(const Value& value) const {
  const auto* self = value.as<InstancePtr>();
  return self != nullptr && (*self)->type == iterator_ && (*self)->name == "expression";
}

Value Objects::with_items(const Value& iterator) {
  const auto* self = iterator.as<InstancePtr>();
  if (self == nullptr || (*self)->type != iterator_) return iterator;
  const Value sources = *read(attribute_name(**self, "sources"));
  const Items& parts = sources.as<Sequence>()->items;
  if (is_endless(iterator)) return iterator;
  if (is_expression(iterator))
    return reader_.comprehension(static_cast<ast::ExprId>(parts[0].integer("")), &parts[1]);
  const std::string& name = (*self)->name;
  if (name != "enumerate" && name != "zip" && name != "islice") return iterator;
  std::vector<Value> made;
  for (const Value& part : parts) made.push_back(with_items(part));
  const auto is_same = [](const Value& before, const Value& now) {
    const auto* given = before.as<InstancePtr>();
    return given == nullptr ||
           (now.as<InstancePtr>() != nullptr && *given == *now.as<InstancePtr>());
  };
  if (std::equal(parts.begin(), parts.end(), made.begin(), is_same)) return iterator;
  if (name == "enumerate") std::swap(made[0], made[1]);
  Call call{
      name == "islice" ? "itertools.islice" : name, std::move(made), {}, reader_.result_.steps};
  if (auto again = call_iteration(call)) return *again;
  return call_function(call);
}

Flow Interpreter::run_inlined(std::uint32_t statement,
                              const std::vector<std::pair<std::string, Value>>& names) {
  const auto own_names = [&] {
    const std::string end = fmt::format(" {}>", statement);
    std::vector<std::string> own;
    for (const auto& [name, value] : scope().names)
      if (name.ends_with(end) && ast::is_inlined_name(name)) own.push_back(name);
    return own;
  };
  // What a condition in it makes has a value before the loops around, and keeps it.
  const std::vector<std::string> kept = own_names();
  const auto is_kept = [&](const std::string& name) {
    return std::find(kept.begin(), kept.end(), name) != kept.end() ||
           std::any_of(scope().loops.begin(), scope().loops.end(),
                       [&](const LoopFrame* frame) { return frame->fresh.contains(name); });
  };
  const auto forget = [&] {
    for (const std::string& name : own_names())
      if (!is_kept(name)) (void)take_hidden(name);
  };
  std::vector<std::pair<std::string, std::optional<Index>>> lengths;  // of lists that zip reads
  for (const auto& [name, value] : names) {
    const auto* list = value.as<Sequence>();
    if (list != nullptr && list->list && name.starts_with("<source "))
      lengths.emplace_back(name, iteration_length(value));
    bind_part(name, value);
  }
  try {
    const Flow flow = execute_block(statement + 1, tree_.statements[statement].end);
    for (const auto& [name, length] : lengths) {
      const auto now = scope().names.find(name);
      if (now != scope().names.end() && iteration_length(now->second) != length)
        fail(tree_.statements[statement].span,
             "the list changes while a loop runs over it; let it run over a copy");
    }
    forget();
    return flow;
  } catch (...) {
    forget();
    throw;
  }
}

}  // namespace rewriter
