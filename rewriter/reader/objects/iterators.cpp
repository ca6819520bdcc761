// The reader: iterators, and loops over them.
#include <algorithm>

#include "rewriter/reader/objects/returned.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/exchanged.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/python_types.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/interpreter.hpp"
#include "rewriter/reader/walk/objects.hpp"
#include "rewriter/reader/walk/scopes.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

constexpr std::size_t kMostItems = 100'000;

/// The argument of StopIteration.
Value stop_value(const Value& returned) {
  return returned.is_none() ? Value{std::string()} : returned;
}

}  // namespace

Value Objects::new_iterator(std::string kind, std::vector<Value> sources) {
  if (!iterator_) {
    iterator_ = std::make_shared<Class>();
    iterator_->name = "iterator";
  }
  const Value made = new_object(iterator_, std::move(kind));
  const InstancePtr& self = *made.as<InstancePtr>();
  self->attributes = {"sources", "state"};
  for (const std::string& name : self->attributes)
    names_.emplace_back(self, attribute_name(*self, name));
  reader_.bind_part(attribute_name(*self, "sources"), new_sequence(false, std::move(sources)));
  reader_.bind_part(attribute_name(*self, "state"), {Index{0}});
  return made;
}

bool Objects::is_iterator(const Value& value) {
  const auto* object = value.as<InstancePtr>();
  return object != nullptr &&
         ((*object)->type == iterator_ || (*object)->type->member("__next__") != nullptr);
}

Value Objects::iterator_or_self(const Value& value) {
  const auto made = call_method(value, "__iter__", {});
  return !made ? value : is_iterator(*made) ? *made : iterator_or_self(*made);
}

Value Objects::iterator_or_items(const Value& value) {
  Value items = with_items(iterator_or_self(value));
  return is_iterator(items) ? items : iterable(items);
}

std::vector<Value> Objects::rest_of(const Value& iterator) {
  std::vector<Value> items;
  while (auto item = next(iterator)) {
    items.push_back(*std::move(item));
    if (items.size() > kMostItems)
      misuse("program", "an iterator yields more than {} items and may never end", kMostItems);
  }
  return items;
}

std::optional<Value> Objects::next(const Value& iterator, const Value& sent) {
  const InstancePtr& self = *iterator.as<InstancePtr>();
  if (self->type != iterator_) {
    const Exchanged tried(reader_.tried_, reader_.tried_ + 1);
    try {
      return call_method(iterator, "__next__", {});
    } catch (const RaisedException& raised) {
      if (!raised.is_a(*exception_class("StopIteration"))) throw;
      return std::nullopt;
    }
  }
  if (self->name == "generator") return next_of_generator(self, sent);
  if (self->name == "expression") {
    const Value held = *read(attribute_name(*self, "sources"));
    return next_of_expression(held.as<Sequence>()->items);
  }
  const std::string held = attribute_name(*self, "state");
  const Index at = read(held)->integer("a place");
  const Value sources = *read(attribute_name(*self, "sources"));
  const Items& parts = sources.as<Sequence>()->items;
  const auto item_of = [&](const Value& source) -> std::optional<Value> {
    if (is_iterator(source)) return next(source);
    const auto length = iteration_length(source);
    if (!length) misuse("program", "{} cannot be iterated over item by item", source.description());
    if (at >= *length) return std::nullopt;
    return iteration_element(source, {at, {}});
  };
  std::optional<Value> result;
  if (self->name == "count") {
    result = at == 0 ? parts[0]
                     : reader_.binary(ast::Operator::Add, parts[0],
                                      reader_.binary(ast::Operator::Multiply, {at}, parts[1]));
  } else if (self->name == "cycle") {
    const Index length = iteration_length(parts[0]).value_or(0);
    if (length > 0) result = iteration_element(parts[0], {at % length, {}});
  } else if (self->name == "islice") {
    const Index step = parts.size() > 3 && !parts[3].is_none() ? parts[3].integer("a step") : 1;
    if (step < 1) misuse("islice", "the step must be at least 1; got {}", step);
    Index wanted = at == 0 ? parts[1].is_none() ? 0 : parts[1].integer("a bound") : at - 1 + step;
    const bool ends = !parts[2].is_none() && wanted >= parts[2].integer("a bound");
    if (ends) wanted = std::max(at, parts[2].integer("a bound"));
    for (Index skipped = at; skipped < wanted; ++skipped) (void)next(parts[0]);
    if (!ends) result = next(parts[0]);
    reader_.bind_part(held, {wanted + 1});
    return result;
  } else if (self->name == "map" || self->name == "filter") {
    while (!result) {
      const auto item = next(parts[1]);
      if (!item) return std::nullopt;
      Call asked{"", {*item}, {}, reader_.result_.steps};
      Value made = parts[0].is_none() ? *item : reader_.call_value(parts[0], asked);
      const auto takes = self->name == "map" ? std::optional(true) : truth_of(truth(made));
      if (!takes) misuse("filter", "which items it takes must be known when the program is read");
      if (*takes) result = self->name == "map" ? made : *item;
    }
  } else {  // iter, enumerate, zip
    std::vector<Value> items;
    const std::size_t first = self->name == "enumerate" ? 1 : 0;
    if (first > 0) items.push_back(reader_.binary(ast::Operator::Add, parts[0], {at}));
    for (std::size_t i = first; i < parts.size(); ++i) {
      auto item = item_of(parts[i]);
      if (!item) return std::nullopt;
      items.push_back(*std::move(item));
    }
    result = self->name == "iter" ? items[0] : new_sequence(false, std::move(items));
  }
  reader_.bind_part(held, {at + 1});
  return result;
}

std::optional<Value> Objects::call_of_iterator(std::string_view name, const Call& call) {
  const Value& self = call.arguments.at(0);
  if (name == "close") {
    refuse_unfinished(self);
    reader_.bind_part(attribute_name(**self.as<InstancePtr>(), "state"), {});
    return Value{};
  }
  if (name == "send" && call.arguments.size() != 2) misuse("send", "takes one argument");
  if (auto item = next(self, name == "send" ? call.arguments[1] : Value{})) return item;
  throw PythonError("StopIteration", std::string(name), "the iterator has no more items",
                    {stop_value(returned_by(*this, self))});
}

std::optional<Value> Objects::call_iteration(Call& call) {
  const std::string& name = call.name;
  auto& arguments = call.arguments;
  if (name == "next" && !arguments.empty()) {
    if (arguments[0].as<Iteration>() != nullptr)
      arguments[0] = new_iterator("iter", {arguments[0]});
    if (!is_iterator(arguments[0]))
      misuse(python_type(arguments[0]).empty() ? Exception::None : Exception::TypeError, "next",
             "{} is not an iterator; iter(...) makes one", arguments[0].description());
    if (auto item = next(arguments[0])) return item;
    if (arguments.size() > 1) return arguments[1];
    throw PythonError("StopIteration", "next", "the iterator has no more items",
                      {stop_value(returned_by(*this, arguments[0]))});
  }
  if (name == "iter" && arguments.size() == 1) {
    const Value items = iterator_or_items(arguments[0]);
    return is_iterator(items) ? items : new_iterator("iter", {items});
  }
  if (name == "enumerate" || name == "zip" || name == "itertools.islice")
    for (Value& each : arguments)
      if (each.as<InstancePtr>() != nullptr) each = iterator_or_self(each);
  const bool any = std::any_of(arguments.begin(), arguments.end(),
                               [&](const Value& each) { return is_iterator(each); });
  if (!any) return std::nullopt;
  if (name == "itertools.takewhile" && arguments.size() == 2) {  // of one that may never end
    std::vector<Value> items;
    while (auto item = next(arguments[1])) {
      Call asked{"", {*item}, {}, reader_.result_.steps};
      const auto holds = truth_of(reader_.call_value(arguments[0], asked));
      if (!holds) misuse(name, "which items it takes must be known when the program is read");
      if (!*holds) break;
      items.push_back(*std::move(item));
      if (items.size() > kMostItems)
        misuse(name, "an iterator yields more than {} items and may never end", kMostItems);
    }
    return new_sequence(true, std::move(items));
  }
  if (name == "enumerate") {
    Value start{Index{0}};
    if (arguments.size() > 1) start = arguments[1];
    for (const auto& [keyword, value] : call.keywords) start = value;
    return new_iterator("enumerate", {start, arguments[0]});
  }
  if (name == "zip") return new_iterator("zip", arguments);
  if ((name == "map" || name == "filter") && arguments.size() == 2 && is_endless(arguments[1]))
    return new_iterator(name, arguments);
  if (name == "itertools.islice") {
    std::vector<Value> bounds{arguments[0], {Index{0}}, arguments.at(1)};
    if (arguments.size() > 2) bounds = arguments;
    return new_iterator("islice", bounds);
  }
  return std::nullopt;
}

Flow Interpreter::run_over_iterator(const ast::Statement& statement, std::uint32_t index,
                                    const Value& iterator) {
  JumpLevel level(*this, jumps_in(index + 1, statement.end));
  Pace pace(work_done());
  Flow flow = Flow::Next;
  Program::Written written{{row_name(), 0, 0, 1}, statement.line, {}};
  level.begin();
  while (flow != Flow::Break && flow != Flow::Return) {
    std::optional<Value> item;
    statement_place_ = place(statement.span);
    const std::uint64_t before_item = work_done().nodes;
    located(statement.span, [&] {
      const std::size_t before = raises();
      item = objects_.next(iterator);
      refuse_raises(before, tree_[statement.value].span);
    });
    if (!item) break;
    written.nodes.push_back(before_item);
    const auto iterate = [&] {
      level.begin_iteration();
      located(statement.span, [&] { assign(tree_.targets(statement)[0], *item); });
      return execute_block(index + 1, statement.end);
    };
    const Value goes_on = level.may_be_left() ? scope().names.at(level.go()) : Value{true};
    if (truth_of(goes_on)) {
      flow = iterate();
    } else {
      fail(statement.span,
           "a loop over an iterator must not be left under a run-time condition; iterate over a "
           "list of its items: list(...)");
    }
    pace.iterated(work_done());
    check_length(statement, pace, nullptr, 0);
  }
  note_unrolled(statement, pace, nullptr);
  written.range.stop = std::ssize(written.nodes);
  note_written(std::move(written), 0);
  if (flow == Flow::Return || flow == Flow::Break)
    located(statement.span, [&] { objects_.refuse_unfinished(iterator); });
  if (flow == Flow::Return) return flow;
  return flow == Flow::Break ? Flow::Next : leave_loop(statement, level);
}

}  // namespace rewriter
