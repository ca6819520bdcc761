// The reader: lists whose length the run decides.
//
// Where a statement appends that may not run, the outermost statement around it is read again from
// its start, with another form of the list: an array with room for all that may be appended, and
// how many elements there are, an array, too. Appending writes into both, as a program could that
// has no lists. How much room that is, the reading itself finds.
#include <algorithm>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/loop_run.hpp"
#include "rewriter/reader/selection.hpp"
#include "rewriter/reader/table.hpp"

namespace rewriter {

using cudamat::misuse;

constexpr int kMostRuns = 20;
constexpr Index kUnknown = Index{1} << 20;  // room, before the statement was read once

/// What a statement may change, before it.
struct Interpreter::Before {
  struct Content {
    ObjectPtr root;
    Array value{0};
    std::uint64_t writes = 0;
    std::string refusal;
  };
  std::vector<Scope> scopes;
  std::vector<Content> contents;
  std::vector<std::pair<Items, std::vector<Value>>> items;   ///< of lists and dictionaries
  std::vector<std::unordered_map<std::string, Value>> kept;  ///< of enclosings_
  std::size_t steps = 0;
  std::size_t assignments = 0;
  std::size_t assigned = 0;
  int calls = 0;
  decltype(Program::unrolled) unrolled;
  std::size_t written = 0;
};

Interpreter::Before Interpreter::before() {
  Before before;
  std::unordered_set<const ArrayObject*> seen;
  const auto keep = [&](const Items& items) {
    before.items.emplace_back(items, std::vector<Value>(items.begin(), items.end()));
  };
  const auto save = [&](const Value& value) {
    for_each_part(value, [&](const Value& part) {
      if (const auto* sequence = part.as<Sequence>()) keep(sequence->items);
      if (const auto* dict = part.as<Dict>()) keep(dict->keys), keep(dict->values);
      if (const auto* function = part.as<UserFunction>()) keep(function->defaults);
    });
    for_each_object(value, [&](const ObjectPtr& object) {
      object->read();
      const ObjectPtr root = ArrayObject::root_of(object);
      if (seen.insert(root.get()).second)
        before.contents.push_back({root, root->read(), root->writes(), root->refusal()});
    });
  };
  for (const Scope& scope : scopes_) {
    before.scopes.push_back(scope);
    for (const auto& [name, value] : scope.names) save(value);
  }
  for (const auto& enclosing : enclosings_) {
    before.kept.push_back(enclosing->kept);
    for (const auto& [name, value] : enclosing->kept) save(value);
  }
  before.steps = result_.steps.size();
  before.assignments = result_.assignments.size();
  before.assigned = assigned_.size();
  before.calls = calls_;
  before.unrolled = result_.unrolled;
  before.written = result_.written.size();
  return before;
}

void Interpreter::go_back(Before& before) {
  while (scopes_.size() > before.scopes.size()) scopes_.pop_back();
  std::copy(before.scopes.begin(), before.scopes.end(), scopes_.begin());
  enclosings_.resize(before.kept.size());
  for (std::size_t i = 0; i < enclosings_.size(); ++i) enclosings_[i]->kept = before.kept[i];
  for (const Program::Named& input : result_.inputs)
    if (const ObjectPtr& array = inputs_.at(input.name); array->read().node() != input.node)
      array->replace(Array(input.node), 0);
  for (auto& [items, values] : before.items) items.shared() = values;
  for (const Before::Content& content : before.contents) {
    content.root->replace(content.value, content.writes);
    content.root->refuse_writes(content.refusal);
  }
  result_.steps.resize(before.steps);
  result_.assignments.resize(before.assignments);
  result_.unrolled = before.unrolled;
  result_.written.resize(before.written);
  for (; assigned_.size() > before.assigned; assigned_.pop_back()) known_.erase(assigned_.back());
  calls_ = before.calls;
  unsure_ = 0;
}

/// Whether they append to a list, or call what may: a function of the program has a name.
bool Interpreter::may_append(std::uint32_t begin, std::uint32_t end) const {
  const auto appends = [&](const ast::Expr& expr, ast::ExprId id) {
    if (expr.kind == ast::ExprKind::Attribute) return tree_.string(expr) == "append";
    return expr.kind == ast::ExprKind::Call &&
           tree_[tree_.child(id, 0)].kind != ast::ExprKind::Attribute;
  };
  const auto [first, last] = expressions_of(begin, end);
  for (ast::ExprId id = first; id < last; ++id)
    if (appends(tree_[id], id)) return true;
  return false;
}

Interpreter::Flow Interpreter::execute_compound(const ast::Statement& statement,
                                                std::uint32_t index) {
  const auto run = [&] {
    if (statement.kind == ast::StatementKind::For) return run_for(statement, index);
    if (statement.kind == ast::StatementKind::While) return run_while(statement, index);
    return choose(statement, index);
  };
  if (in_loop() || unsure_ > 0 || settles_growth_ || !may_append(index, statement.else_end))
    return run();
  settles_growth_ = true;
  const struct Settled {
    bool& flag;
    ~Settled() { flag = false; }
  } settled{settles_growth_};
  Before start = before();
  for (int runs = 0; runs < kMostRuns; ++runs) {
    for (auto& [number, growth] : growths_) growth.added = 0;
    const SourceLocation place = statement_place_;
    std::optional<Flow> flow;
    try {
      flow = run();
    } catch (const GrowsAtRun&) {
    }
    const bool enough =
        flow && std::all_of(growths_.begin(), growths_.end(), [](const auto& growth) {
          return !growth.second.open ||
                 (growth.second.room < kUnknown && growth.second.added <= growth.second.room);
        });
    if (enough) {
      for (auto& [number, growth] : growths_) growth.open = false;
      return *flow;
    }
    go_back(start);
    statement_place_ = place;
    for (auto& [number, growth] : growths_) {
      if (!growth.open) continue;
      const bool is_known = growth.room > 0 && growth.room < kUnknown;
      growth.room = flow ? std::max(growth.added, is_known ? growth.room : 1) : kUnknown;
      share(with_room(find_list(number), growth.room, growth.type));
    }
  }
  fail(statement.span, "what these statements append does not settle");
}

Value Interpreter::find_list(std::uint64_t number) const {
  Value found;
  for (const Scope& scope : scopes_)
    for (const auto& [name, value] : scope.names)
      for_each_part(value, [&](const Value& part) {
        if (list_number(part) == number) found = part;
      });
  return found;
}

Value Interpreter::with_room(const Value& list, Index room, const ElementType& type) {
  const auto* grown = list.as<RunList>();
  const Array rest = full({room}, 0);
  if (grown != nullptr)
    return {RunList{*new_array(concatenate({grown->cell->read(), rest})).as<ObjectPtr>(),
                    *new_array(grown->count->read().copy()).as<ObjectPtr>(), type, grown->number}};
  const Array items = to_array(list, "the list").as_type(DType::Float);
  const Array count = full({}, static_cast<double>(items.size()), DType::Int);
  return {RunList{*new_array(items.size() > 0 ? concatenate({items, rest}) : rest).as<ObjectPtr>(),
                  *new_array(count).as<ObjectPtr>(), type, *list_number(list)}};
}

/// Whether the list was there before something that only the run decides about.
bool Interpreter::may_not_run(std::uint64_t list) const {
  for (const Scope& scope : scopes_)
    for (const LoopFrame* frame : scope.loops)
      if (frame->loop->form != LoopForm::For && list < frame->begin) return true;
  return false;
}

void Interpreter::append_at_run(const Value& list, const Value& value) {
  refuse_other_than_numbers(value);
  if (const auto* items = list.as<Sequence>())
    for (const Value& item : items->items) refuse_other_than_numbers(item);
  const std::uint64_t number = *list_number(list);
  const auto* grown = list.as<RunList>();
  const Array element = to_array(value, "what is appended");
  const ElementType type = *joined_types(grown != nullptr ? grown->type : element_type(list),
                                         ElementType{element.dtype(), is_python_number(value)});
  if (!in_loop()) {
    const Value longer = with_room(list, 1, type);
    share(longer);
    return append_to(*longer.as<RunList>(), element);
  }
  Growth& growth = growths_[number];
  if (grown == nullptr || grown->type != type || !growth.open) {
    growth = {.type = type, .open = true};
    throw GrowsAtRun{};
  }
  Index times = 1;
  for (const Scope& scope : scopes_)
    for (const LoopFrame* frame : scope.loops) {
      const bool is_while = frame->loop->form == LoopForm::While;
      if (is_while && frame->most == 0)
        misuse("program",
               "the list grows in a loop of which only the run knows how often it runs, and so the "
               "room that it takes; `while ... and k < most:` with `k += 1` has a bound");
      times *= is_while ? frame->most : frame->loop->count();
    }
  growth.added += times;
  append_to(*grown, element);
}

void Interpreter::append_to(const RunList& list, const Array& element) {
  const Array count = list.count->read();
  assign_subscript({list.cell}, {new_array(count)}, new_array(element.as_type(DType::Float)));
  list.count->write(count + 1);
  step({list.cell});
  step({list.count});
}

// ---- reading ----

Value selected_elements(const RunList& list) {
  const Array all = list.cell->read();
  const Array mask = counting(0, 1, all.size()) < list.count->read();
  return select(all.as_type(list.type.dtype), mask, 0);
}

Value element_at(const RunList& list, const std::vector<Value>& index) {
  const bool is_int = index.size() == 1 && (index[0].is_integer() || index[0].is_number());
  if (!is_int)
    misuse("index",
           "an int takes an element of a list whose length is known only when the program runs; "
           "np.array(list) selects them all");
  const Affine at = index[0].affine("the index of a list");
  if (at.least() < 0 && at.greatest() >= 0)
    misuse("index", "this is the place of an element from the start, or from the end");
  const Value place = at.least() < 0 ? new_array(list.count->read() + loop_value(at)) : index[0];
  const Array element = to_array(subscript({list.cell}, {place}), "an element");
  const Array typed = element.as_type(list.type.dtype);
  return list.type.is_python ? python_number(typed) : new_array(typed);
}

}  // namespace rewriter
