// The reader: statements that may not run and append to lists. The outermost statement around them
// is read a second time, with lists that have room for all that may be appended.
#include <algorithm>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/loops/loop_run.hpp"
#include "rewriter/reader/selections/run_lists.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/decisions.hpp"
#include "rewriter/reader/values/dtypes.hpp"
#include "rewriter/reader/values/exchanged.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/interpreter.hpp"
#include "rewriter/reader/walk/scopes.hpp"

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
  std::uint64_t objects = 0;
  std::uint64_t lists = 0;
  std::unordered_map<std::string, Value> cached;
  std::size_t unrolled = 0;
  std::size_t written = 0;
  std::size_t imported = 0;
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
  for (const auto& [name, array] : inputs_) save({array});  // also those of calls that have ended
  before.steps = result_.steps.size();
  before.assignments = result_.assignments.size();
  before.assigned = assigned_.size();
  before.calls = calls_;
  before.objects = objects_.count();
  before.lists = last_list();
  before.cached = cached_;
  before.unrolled = unrolled_.size();
  before.written = result_.written.size();
  before.imported = imported_.size();
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
  forget_unrolled(before.unrolled);
  result_.written.resize(before.written);
  for (; assigned_.size() > before.assigned; assigned_.pop_back()) known_.erase(assigned_.back());
  calls_ = before.calls;
  for (; imported_.size() > before.imported; imported_.pop_back()) {
    imported_.back()->names = nullptr;
    imported_.back()->running = nullptr;
  }
  objects_.forget_after(before.objects);
  forget_lists_after(before.lists);
  cached_ = before.cached;
  unsure_ = 0;
}

/// Whether they append to a list, or reach what may: a function of the program, or a bound method.
bool Interpreter::may_append(std::uint32_t begin, std::uint32_t end) const {
  const auto holds_function = [this](const std::unordered_map<std::string, Value>& names,
                                     const std::string& name) {
    const auto found = names.find(name);
    bool any = false;
    if (found != names.end())
      for_each_part(found->second, [&](const Value& part) {
        any = any || part.as<UserFunction>() != nullptr || part.as<Method>() != nullptr ||
              part.as<ClassPtr>() != nullptr || part.as<InstancePtr>() != nullptr ||
              (part.as<Module>() != nullptr && modules_.contains(part.as<Module>()->name));
      });
    return any;
  };
  const auto may = [&](const ast::Expr& expr) {
    if (expr.kind == ast::ExprKind::Attribute && tree_.string(expr) == "append") return true;
    if (expr.kind != ast::ExprKind::Name) return false;
    const std::string& name = tree_.string(expr);
    if (holds_function(scopes_.back().names, name) || holds_function(scopes_[0].names, name))
      return true;
    if (const std::size_t file = scopes_.back().file; file > 0) {
      const FileModule& module = *files_[file - 1];
      if (holds_function(module.names->members, name)) return true;
      if (module.running != nullptr && holds_function(module.running->names, name)) return true;
      if (holds_function(scopes_.back().names, attribute_name(*module.names, name))) return true;
    }
    for (const Enclosing* outer = scopes_.back().outer.get(); outer != nullptr;
         outer = outer->outer.get())
      if (holds_function(*outer->names, name)) return true;
    return false;
  };
  const auto [first, last] = expressions_of(begin, end);
  for (ast::ExprId id = first; id < last; ++id)
    if (may(tree_[id])) return true;
  return false;
}

bool Interpreter::functions_append() {
  if (!functions_append_) {
    const auto appends = [&](std::uint32_t def) {
      const auto [first, last] = expressions_of(def + 1, tree_.statements[def].end);
      for (ast::ExprId id = first; id < last; ++id)
        if (tree_[id].kind == ast::ExprKind::Attribute && tree_.string(id) == "append") return true;
      return false;
    };
    functions_append_ = false;
    for (std::uint32_t i = 0; i < tree_.statements.size() && !*functions_append_;)
      if (tree_.statements[i].kind == ast::StatementKind::Def) {
        functions_append_ = appends(i);
        i = tree_.statements[i].end;
      } else {
        ++i;
      }
  }
  return *functions_append_;
}

Flow Interpreter::execute_compound(const ast::Statement& statement, std::uint32_t index) {
  const auto run = [&] {
    if (statement.kind < ast::StatementKind::For) {
      Flow flow = Flow::Next;
      located(statement.span, [&] { flow = execute_simple(statement); });
      return flow;
    }
    if (statement.kind == ast::StatementKind::For) return run_for(statement, index);
    if (statement.kind == ast::StatementKind::While) return run_while(statement, index);
    if (statement.kind == ast::StatementKind::Try) return run_try(statement, index);
    return choose(statement, index);
  };
  if (in_loop() || unsure_ > 0 || settles_growth_ || !may_append(index, ast::after(tree_, index)))
    return run();
  const Exchanged settles(settles_growth_, true);
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
      // One that the statement makes gets its room where it is made.
      if (const Value list = find_list(number); !list.is_none())
        share(with_room(list, growth.room, growth.form));
    }
  }
  fail(statement.span,
       "the types of what these statements append change in every iteration; in a loop they must "
       "stay the same");
}

/// A list that is made now, with room for what is known to be appended at run time.
Value Interpreter::new_growing(const Value& list) {
  const auto growth = growths_.find(*list_number(list));
  if (growth == growths_.end() || !growth->second.open || growth->second.room == 0) return list;
  return with_room(list, growth->second.room, growth->second.form);
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

Value Interpreter::with_room(const Value& list, Index room, const RunList::Form& form) {
  const Array rest =
      form.kind == RunList::Form::Is::Numbers ? full({room}, 0) : full({count_in(form), room}, 0);
  const auto longer = [&](const Array& items) {
    return concatenate({items, rest}, rest.ndim() - 1);
  };
  if (const auto* grown = list.as<RunList>())
    return {RunList{*new_array(longer(grown->cell->read())).as<ObjectPtr>(),
                    *new_array(grown->count->read().copy()).as<ObjectPtr>(), form, grown->number}};
  (void)form_of_items(list);  // what it holds is not written from now on
  Array items = to_array(list, "the list").as_type(DType::Float);
  const Index length = items.shape(0);
  if (length > 0 && form.kind != RunList::Form::Is::Numbers)
    items = items.reshape({length, -1}).T();
  const Array count = full({}, static_cast<double>(length), DType::Int);
  return {RunList{*new_array(length > 0 ? longer(items) : rest).as<ObjectPtr>(),
                  *new_array(count).as<ObjectPtr>(), form, *list_number(list)}};
}

/// Whether the list existed before a run-time condition.
bool Interpreter::may_not_run(std::uint64_t list) const {
  for (const Scope& scope : scopes_)
    for (const LoopFrame* frame : scope.loops)
      if (frame->loop->form != LoopForm::For && list < frame->begin) return true;
  return false;
}

void Interpreter::append_at_run(const Value& list, const Value& value, bool is_new) {
  const std::uint64_t number = *list_number(list);
  const auto* grown = list.as<RunList>();
  const RunList::Form form =
      joined_forms(grown != nullptr ? std::optional(grown->form) : form_of_items(list),
                   form_of(value, is_new, in_loop()));
  (void)dtype_of(form);
  const Array element = to_array(value, "the value appended");
  if (!in_loop()) {
    const Value longer = with_room(list, 1, form);
    share(longer);
    return append_to(*longer.as<RunList>(), element);
  }
  if (deciding != Deciding::AtRun)
    for (const Scope& scope : scopes_)
      for (const LoopFrame* frame : scope.loops)
        if (frame->loop->form == LoopForm::While && frame->most == 0)
          misuse("program", "the length of the list may be known iteration by iteration");
  Growth& growth = growths_[number];
  if (grown == nullptr || grown->form != form || !growth.open) {
    growth = {.form = form, .open = true};
    throw GrowsAtRun{};
  }
  Index times = 1;
  for (const Scope& scope : scopes_)
    for (const LoopFrame* frame : scope.loops) {
      const bool is_while = frame->loop->form == LoopForm::While;
      if (is_while && frame->most == 0)
        misuse("program",
               "the list grows in a loop whose number of iterations is known only at run time and "
               "has no upper bound; `while ... and k < most:` with `k += 1` gives one");
      times *= is_while ? frame->most : frame->loop->count();
    }
  growth.added += times;
  append_to(*grown, element);
}

void Interpreter::append_to(const RunList& list, const Array& element) {
  const Array count = list.count->read();
  Array item = element.as_type(DType::Float);
  if (list.form.kind != RunList::Form::Is::Numbers) item = item.reshape({-1});
  assign_subscript({list.cell}, place_in(list.form, new_array(count)), new_array(item));
  list.count->write(count + 1);
  step({list.cell});
  step({list.count});
}

/// Its elements, and of what type those are outside.
Program::Returned Interpreter::returned_some(const std::string& name, const RunList& some) {
  using Returned = Program::Returned;
  using As = Returned::Kind;
  Returned result{.kind = As::Some};
  result.text = some.form.kind == RunList::Form::Is::Tuples  ? "tuple"
                : some.form.kind == RunList::Form::Is::Lists ? "list"
                                                             : "";
  result.parts.push_back(returned(name, selected_elements(some)));
  for (const ElementType& type : some.form.types)
    result.parts.push_back({.kind = some.form.kind == RunList::Form::Is::Arrays ? As::None
                                    : type.dtype == DType::Float                ? As::Float
                                    : type.dtype == DType::Bool                 ? As::Bool
                                                                                : As::Int,
                            .is_python = type.is_python});
  return result;
}

}  // namespace rewriter
