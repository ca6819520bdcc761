// The reader: lists whose length is known only at run time.
//
// Where a statement appends that may not run, the outermost statement around it is read again from
// its start, with another form of the list: an array with room for all that may be appended, and
// how many elements there are, an array, too. Appending writes into both, as a program could that
// has no lists. How much room that is, the reading itself finds.
#include <algorithm>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/exchanged.hpp"
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

Interpreter::Flow Interpreter::execute_compound(const ast::Statement& statement,
                                                std::uint32_t index) {
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

namespace {

using Form = RunList::Form;
using Is = RunList::Form::Is;

/// In Python the list holds this array itself, here a copy: nothing may write to it any more.
void keep_as_it_is(const ObjectPtr& array, bool may_be_written) {
  const auto refuse = [] {
    misuse("program",
           "the program writes to this array after it is appended, and the list would share the "
           "change; append a copy of it: x.copy()");
  };
  std::vector<ObjectPtr> left{ArrayObject::root_of(array)};
  std::unordered_set<const ArrayObject*> seen{left[0].get()};
  while (!left.empty()) {
    const ObjectPtr owner = std::move(left.back());
    left.pop_back();
    if (may_be_written && owner->may_be_written()) refuse();
    owner->refuse_writes(
        "a list holds this array and would share the change; append a copy of it: x.copy()");
    const auto add = [&](const ObjectPtr& other) {
      if (other != nullptr && seen.insert(other.get()).second)
        left.push_back(ArrayObject::root_of(other));
    };
    add(owner->beginning());
    for (const ObjectPtr& origin : owner->origins()) add(origin);
  }
}

Form form_of(const Value& value, bool is_new, bool may_be_written) {
  const auto* object = value.as<ObjectPtr>();
  if (object != nullptr && !(*object)->shape().empty()) {
    if (!is_held_once(*object)) keep_as_it_is(*object, may_be_written);
    const Array array = (*object)->read();
    return {Is::Arrays, array.shape(), {{array.dtype(), false}}};
  }
  const auto* sequence = value.as<Sequence>();
  const bool is_row = sequence != nullptr && (!sequence->list || is_new) && !sequence->is_set &&
                      !sequence->items.empty();
  if (!is_row) {
    refuse_other_than_numbers(value);
    return {Is::Numbers,
            {},
            {{to_array(value, "the value appended").dtype(), is_python_number(value)}}};
  }
  Form form{sequence->list ? Is::Lists : Is::Tuples, {std::ssize(sequence->items)}, {}};
  for (const Value& item : sequence->items) {
    refuse_other_than_numbers(item);
    form.types.push_back({to_array(item, "the value appended").dtype(), is_python_number(item)});
  }
  return form;
}

Form joined_forms(const std::optional<Form>& a, const Form& b) {
  if (!a) return b;
  if (a->kind != b.kind || a->dims != b.dims)
    misuse("program",
           "a list that grows under a run-time condition must hold numbers, or arrays or tuples of "
           "one shape; got shape {} and {}",
           to_string(b.dims), to_string(a->dims));
  Form form = b;
  for (std::size_t k = 0; k < form.types.size(); ++k)
    form.types[k] = *joined_types(a->types[k], b.types[k]);
  return form;
}

/// How many numbers an array or a tuple has.
Index size_of(const Form& form) {
  Index size = 1;
  for (const Index dim : form.dims) size *= dim;
  return size;
}

/// cell[place] of numbers, or the column.
std::vector<Value> place_in(const Form& form, const Value& place) {
  if (form.kind == Is::Numbers) return {place};
  return {{Slice{}}, place};
}

/// Of np.array(list).
DType dtype_of(const Form& form) {
  std::optional<ElementType> type;
  for (ElementType each : form.types) {
    each.is_python = true;
    if (form.types.size() > 1 && each.dtype == DType::Bool)
      misuse(
          "program",
          "tuples of booleans in a list that grows under a run-time condition are not supported");
    type = joined_types(type, each);
  }
  return type->dtype;
}

/// Of the elements that a list has before.
std::optional<Form> form_of_items(const Value& list) {
  std::optional<Form> form;
  if (list.as<NumberList>() != nullptr) {
    if (const auto type = element_type(list)) form = Form{Is::Numbers, {}, {*type}};
  } else if (const auto* sequence = list.as<Sequence>()) {
    for (const Value& item : sequence->items)
      form = joined_forms(form, form_of(item, false, false));
  }
  return form;
}

}  // namespace

Value Interpreter::with_room(const Value& list, Index room, const RunList::Form& form) {
  const Array rest = form.kind == Is::Numbers ? full({room}, 0) : full({size_of(form), room}, 0);
  const auto longer = [&](const Array& items) {
    return concatenate({items, rest}, rest.ndim() - 1);
  };
  if (const auto* grown = list.as<RunList>())
    return {RunList{*new_array(longer(grown->cell->read())).as<ObjectPtr>(),
                    *new_array(grown->count->read().copy()).as<ObjectPtr>(), form, grown->number}};
  (void)form_of_items(list);  // what it holds is not written from now on
  Array items = to_array(list, "the list").as_type(DType::Float);
  const Index length = items.shape(0);
  if (length > 0 && form.kind != Is::Numbers) items = items.reshape({length, -1}).T();
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
  const Form form =
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
  if (list.form.kind != Is::Numbers) item = item.reshape({-1});
  assign_subscript({list.cell}, place_in(list.form, new_array(count)), new_array(item));
  list.count->write(count + 1);
  step({list.cell});
  step({list.count});
}

// ---- reading ----

/// The list of those numbers whose `taken` is 1, and not 0.
static Value compacted(const Array& numbers, const Array& taken, Form form) {
  const Array cell = take(numbers.as_type(DType::Float), argsort(Array(0) - taken, 0));
  return {RunList{*new_array(cell).as<ObjectPtr>(),
                  *new_array(reduce(Op::sum, taken).reshape({})).as<ObjectPtr>(), std::move(form)}};
}

Value run_list_of(const Array& numbers, const Array& mask, bool is_python) {
  return compacted(numbers, mask.as_type(DType::Int),
                   Form{Is::Numbers, {}, {{numbers.dtype(), is_python}}});
}

Value joined_run_lists(const Value& left, const Value& right) {
  std::optional<Form> form;
  std::vector<Array> numbers, taken;
  for (const Value* list : {&left, &right}) {
    const auto* run = list->as<RunList>();
    const std::optional<Form> own = run != nullptr ? run->form : form_of_items(*list);
    if (!own) continue;  // an empty list
    form = joined_forms(form, *own);
    if (form->kind != Is::Numbers)
      misuse("program",
             "'+' of lists whose length is known only at run time is supported for lists of "
             "numbers; np.concatenate joins arrays");
    numbers.push_back(run != nullptr ? run->cell->read()
                                     : to_array(*list, "the list").as_type(DType::Float));
    const Index room = numbers.back().shape(0);
    taken.push_back(run != nullptr ? (counting(0, 1, room) < run->count->read()).as_type(DType::Int)
                                   : full({room}, 1, DType::Int));
  }
  return compacted(concatenate(numbers, 0), concatenate(taken, 0), *std::move(form));
}

namespace {

/// Whether the value may be such an element; throws where the run alone could say it.
bool may_be_element(const Value& value, const Form& form) {
  const auto is_number = [](const Value& each) {
    const auto* object = each.as<ObjectPtr>();
    if (object != nullptr && !(*object)->shape().empty())
      misuse("program",
             "'==' of a list that holds arrays and one whose length is known only at run time is "
             "not supported");
    const bool is_open = each.as<Perhaps>() != nullptr || each.as<Complex>() != nullptr;
    if (is_open || (each.as<InstancePtr>() != nullptr && !whole_of(each).is_number()))
      misuse("program",
             "'==' of {} and an element of a list whose length is known only at run time is not "
             "supported",
             each.description());
    return object != nullptr || each.as<Affine>() != nullptr || whole_of(each).is_number();
  };
  if (form.kind == Is::Numbers) return is_number(value);
  const auto* row = value.as<Sequence>();
  return row != nullptr && row->list == (form.kind == Is::Lists) && !row->is_set &&
         std::ssize(row->items) == form.dims[0] &&
         std::all_of(row->items.begin(), row->items.end(), is_number);
}

/// Of `length` elements: whether those of the two, columns of numbers, are equal.
Array equal_columns(const Array& a, const Array& b, Index length) {
  const auto first = [&](const Array& all) {
    std::vector<Range> ranges(static_cast<std::size_t>(all.ndim()));
    for (int axis = 0; axis < all.ndim(); ++axis)
      ranges[static_cast<std::size_t>(axis)] =
          Range{0, axis + 1 == all.ndim() ? length : all.shape(axis)};
    return all.slice(ranges);
  };
  return equal(first(a), first(b));
}

}  // namespace

Value equal_run_lists(const Value& left, const Value& right) {
  const bool is_first = left.as<RunList>() != nullptr;
  const RunList& list = *(is_first ? left : right).as<RunList>();
  const Value& other = is_first ? right : left;
  const Array count = list.count->read(), cell = list.cell->read();
  const Index room = cell.shape(cell.ndim() - 1);
  if (list.form.kind == Is::Arrays)
    misuse("program",
           "'==' of a list of arrays whose length is known only at run time is not supported");
  if (const auto* run = other.as<RunList>()) {
    const Array as_long = equal(count, run->count->read());
    if (run->form.kind != list.form.kind || run->form.dims != list.form.dims)
      return python_number(logical_and(as_long, equal(count, 0)));
    const Array its = run->cell->read();
    const Index both = std::min(room, its.shape(its.ndim() - 1));
    const Array rest = counting(0, 1, both) >= count;
    return python_number(
        logical_and(as_long, reduce(Op::all, logical_or(equal_columns(cell, its, both), rest))));
  }
  if (other.as<NumberList>() == nullptr) {
    const auto* sequence = other.as<Sequence>();
    if (sequence == nullptr || !sequence->list || sequence->is_set ||
        std::ssize(sequence->items) > room)
      return {false};
    for (const Value& item : sequence->items)
      if (!may_be_element(item, list.form)) return {false};
    if (sequence->items.empty()) return python_number(equal(count, 0));
  }
  Array its = to_array(other, "a list");
  if (its.shape(0) > room || its.ndim() != (list.form.kind == Is::Numbers ? 1 : 2)) return {false};
  const Index length = its.shape(0);
  if (its.ndim() > 1) its = its.T();
  return python_number(
      logical_and(equal(count, length), reduce(Op::all, equal_columns(cell, its, length))));
}

Value run_list_of(const std::vector<Value>& items, const std::vector<std::optional<Array>>& taken) {
  std::optional<Form> form;
  std::vector<Array> rows, masks;
  for (std::size_t i = 0; i < items.size(); ++i) {
    form = joined_forms(form, form_of(items[i], true, false));
    const Array row = to_array(items[i], "an item").as_type(DType::Float);
    rows.push_back(row.is_number() ? full({1}, row.node()->number) : row.reshape({1, -1}));
    const Array is_taken = taken[i] ? taken[i]->as_type(DType::Int) : full({1}, 1, DType::Int);
    masks.push_back(is_taken.reshape({1}));
  }
  (void)dtype_of(*form);
  const Array mask = concatenate(masks, 0);
  const Array order = argsort(Array(0) - mask, 0);
  const auto count = static_cast<Index>(items.size());
  Array cell = take(concatenate(rows, 0).reshape({count, -1}), order, 0);
  cell = form->kind == Is::Numbers ? cell.reshape({count}) : cell.T();
  return {RunList{*new_array(cell).as<ObjectPtr>(),
                  *new_array(reduce(Op::sum, mask).reshape({})).as<ObjectPtr>(), *form}};
}

Value selected_elements(const RunList& list) {
  Array all = list.cell->read();
  const Index room = all.shape(all.ndim() - 1);
  const Array mask = counting(0, 1, room) < list.count->read();
  if (list.form.kind != Is::Numbers) {
    Dims dims = list.form.dims;
    dims.insert(dims.begin(), room);
    all = all.T().reshape(std::move(dims));
  }
  return select(all.as_type(dtype_of(list.form)), mask, 0);
}

Call of_selected_elements(const Call& call) {
  Call selected = call;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const auto* list = call.arguments[i].as<RunList>();
    if (list == nullptr) continue;
    selected.arguments[i] = selected_elements(*list);
    if (list->form.kind == Is::Numbers) continue;
    const bool is_alone = call.arguments.size() == 1 && call.keywords.empty();
    const bool stacks =
        call.name == "np.stack" ||
        ((call.name == "np.vstack" || call.name == "np.row_stack") && list->form.dims.size() == 1);
    if (stacks && is_alone) {
      selected.name = "np.array";
    } else if (call.name == "sum" && is_alone && list->form.kind == Is::Arrays) {
      selected.name = "np.sum";
      selected.keywords.emplace_back("axis", Value{std::int64_t{0}});
    } else if (call.name != "len" && !call.name.starts_with("np.")) {
      misuse(call.name,
             "{} of a list of arrays or tuples whose length is known only at run time is not "
             "supported; np.array(list) makes an array of them",
             call.name);
    }
  }
  return selected;
}

Value element_at(const RunList& list, const std::vector<Value>& index) {
  const bool is_int = index.size() == 1 && (index[0].is_integer() || index[0].is_number());
  if (!is_int)
    misuse("index",
           "a list whose length is known only at run time takes one int as its index; "
           "np.array(list) makes an array of it");
  if (list.form.kind == Is::Lists)
    misuse("index",
           "the index of a list of lists must be known when the program is read; np.array(list)[i] "
           "selects a row, and a list of tuples takes any index");
  const Affine at = index[0].affine("the index of a list");
  if (at.least() < 0 && at.greatest() >= 0)
    misuse("index",
           "the index of a list whose length is known only at run time must count from the start, "
           "or from the end, in every iteration");
  const Value place = at.least() < 0 ? new_array(list.count->read() + loop_value(at)) : index[0];
  const Array element = to_array(subscript({list.cell}, place_in(list.form, place)), "an element");
  const auto number = [](const Array& array, const ElementType& type) {
    const Array typed = array.as_type(type.dtype);
    return type.is_python ? python_number(typed) : new_array(typed);
  };
  if (list.form.kind == Is::Numbers) return number(element, list.form.types[0]);
  if (list.form.kind == Is::Arrays) {
    const Value row =
        new_array(element.reshape(list.form.dims).as_type(list.form.types[0].dtype).copy());
    (*row.as<ObjectPtr>())
        ->refuse_writes(
            "this array is an item of a list, which would share the change; write to a copy: "
            "x.copy()");
    return row;
  }
  std::vector<Value> items;
  for (std::size_t k = 0; k < list.form.types.size(); ++k)
    items.push_back(
        number(element.slice({index_range(static_cast<Index>(k), list.form.dims[0])}).reshape({}),
               list.form.types[k]));
  return new_sequence(false, std::move(items));
}

/// Its elements, and of what type those are outside.
Program::Returned Interpreter::returned_some(const std::string& name, const RunList& some) {
  using Returned = Program::Returned;
  using As = Returned::Kind;
  Returned result{.kind = As::Some};
  result.text = some.form.kind == Is::Tuples ? "tuple" : some.form.kind == Is::Lists ? "list" : "";
  result.parts.push_back(returned(name, selected_elements(some)));
  for (const ElementType& type : some.form.types)
    result.parts.push_back({.kind = some.form.kind == Is::Arrays ? As::None
                                    : type.dtype == DType::Float ? As::Float
                                    : type.dtype == DType::Bool  ? As::Bool
                                                                 : As::Int,
                            .is_python = type.is_python});
  return result;
}

}  // namespace rewriter
