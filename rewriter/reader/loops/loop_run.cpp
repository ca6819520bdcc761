#include "rewriter/reader/loops/loop_run.hpp"

#include <algorithm>
#include <limits>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/operators/perhaps.hpp"
#include "rewriter/reader/selections/run_lists.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/decisions.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/interpreter.hpp"
#include "rewriter/reader/walk/loop_trace.hpp"
#include "rewriter/reader/walk/scopes.hpp"

namespace rewriter {

LoopRun::LoopRun(Interpreter& reader, const LoopBlock& block, LoopPlan& plan)
    : reader_(reader), block_(block), plan_(plan) {
  const Loop& range = block.loop;
  Loop loop = range;
  loop.name = printed_name(variable());
  if (plan.counts) loop = {loop.name + "_count", 0, range.count(), 1, range.form};
  loop_ = std::make_shared<const Loop>(std::move(loop));
  variable_ = plan.counts ? Affine{range.start, {{loop_, range.step}}} : Affine{0, {{loop_, 1}}};
  save();
  make_fresh();
}

LoopRun::Result LoopRun::run() {
  begin();
  try {
    run_body();
  } catch (const cudamat::CUDAMatException&) {
    if (reader_.too_long_) throw;
    if (plan_.error) std::rethrow_exception(plan_.error);
    plan_.error = std::current_exception();
    if (!take_numbers_for_elements()) throw;
    restore();
    return Result::Again;
  }
  if (!(has_condition() ? review_condition() : review()) || take_fresh()) {
    restore();
    return Result::Again;
  }
  plan_.error = nullptr;
  return changing_.empty() ? Result::Settled : Result::Unsettled;
}

void LoopRun::commit() {
  refuse_later_writes();
  follow_memory();
  if (has_condition()) return finish_condition();
  const auto uncertain = uncertain_owners();
  finish();
  for (const auto& [name, owner] : uncertain) refuse_uncertain(name, owner);
}

LoopTrace LoopRun::trace() {
  LoopTrace trace{begin_->id, loop_, {}, {}, {}, {}, {}};
  auto& steps = reader_.result_.steps;
  trace.roots.assign(steps.begin() + static_cast<std::ptrdiff_t>(steps_), steps.end());
  const auto holder = [&](const ObjectPtr& root) -> LoopTrace::Holder {
    if (roots_.contains(root.get())) return {root.get(), {}, nullptr};
    if (const auto found = cells_.find(root.get()); found != cells_.end())
      return {nullptr, carries_[found->second].name, nullptr};
    return {nullptr, {}, root.get()};
  };
  for (const Carry& carry : carries_) {
    const ArrayObject* owner = carry.name.empty() ? carry.cell.get() : nullptr;
    const auto list = lists_.find(owner);  // each run makes room for it anew
    trace.starts.emplace(carry.node.get(), list != lists_.end()
                                               ? LoopTrace::Start{list->second, nullptr}
                                               : LoopTrace::Start{carry.name, owner});
    if (owner != nullptr) trace.roots.push_back(carry.cell->read().node());
    if (owner != nullptr || !is_read(carry.name)) continue;
    trace.types.emplace(carry.name, carry.type);
    if (carry.written()) trace.written.insert(carry.name);
    const Value& end = names().at(carry.name);
    trace.roots.push_back(to_array(end, carry.name).node());
    if (const auto* object = end.as<ObjectPtr>())
      trace.holders.emplace_back(carry.name, holder(ArrayObject::root_of(*object)));
  }
  return trace;
}

// ---- the state before the loop

void LoopRun::save() {
  steps_ = reader_.result_.steps.size();
  assignments_ = reader_.result_.assignments.size();
  assigned_ = reader_.assigned_.size();
  calls_ = reader_.calls_;
  for (const Scope& scope : reader_.scopes_)
    for (const LoopFrame* around : scope.loops)
      rebound_around_.push_back(around->rebound_order.size());
  objects_ = reader_.objects_.count();
  list_ = last_list();
  unrolled_ = reader_.unrolled_.size();
  shared_ = reader_.shared_;
  written_ = reader_.result_.written.size();
  growths_ = reader_.growths_;
  const auto save_value = [this](const Value& value) {
    for_each_object(value, [this](const ObjectPtr& object) {
      object->read();  // what a view shows is computed before the loop, if nothing changes it
      const ObjectPtr root = ArrayObject::root_of(object);
      if (root != object) views_.push_back(object);
      if (roots_.emplace(root.get(), saved_.size()).second)
        saved_.push_back({root, root->read(), root->writes(), root->refusal()});
    });
  };
  if (block_.elements != nullptr) save_value(*block_.elements);
  for (const std::string& name : plan_.mentioned) {
    if (const auto found = names().find(name); found != names().end()) {
      saved_names_.emplace(*found);
      save_value(found->second);
    }
    if (reader_.in_module()) continue;
    const auto& global = reader_.module().names;
    if (const auto found = global.find(name); found != global.end()) save_value(found->second);
  }
  // What functions reach that are defined in the calls around this one; and what loops in functions
  // that the body calls will save in this way.
  for (std::size_t i = 1; i < reader_.scopes_.size(); ++i)
    for (const auto& [name, value] : reader_.scopes_[i].names) save_value(value);
  for (const auto& enclosing : reader_.enclosings_)
    for (const auto& [name, value] : enclosing->kept) save_value(value);
}

void LoopRun::restore() {
  for (const std::string& name : plan_.mentioned)
    if (!saved_names_.contains(name)) names().erase(name);
  for (const auto& [name, value] : saved_names_) names()[name] = value;
  for (const auto& [name, type] : plan_.fresh) names().erase(name);
  for (const std::string& name : frame_.rebound_order)
    if ((name.starts_with("<part") || is_attribute(name)) && !saved_names_.contains(name))
      names().erase(name);
  if (reader_.shared_ != shared_) {  // lists are others now, wherever they are held
    for (const auto& [name, value] : saved_names_)
      if (list_number(value)) reader_.share(value);
    for (auto changed = frame_.changed.rbegin(); changed != frame_.changed.rend(); ++changed)
      reader_.share(*changed);
  }
  for (const Saved& saved : saved_) {
    saved.root->replace(saved.value, saved.writes);
    saved.root->refuse_writes(saved.refusal);
  }
  reader_.calls_ = calls_;
  std::size_t i = 0;
  for (const Scope& scope : reader_.scopes_)
    for (LoopFrame* around : scope.loops) {
      const std::size_t count = rebound_around_[i++];
      for (; around->rebound_order.size() > count; around->rebound_order.pop_back())
        around->rebound.erase(around->rebound_order.back());
    }
  reader_.objects_.forget_after(objects_);
  forget_lists_after(list_);
  reader_.forget_unrolled(unrolled_);
  reader_.result_.written.resize(written_);
  reader_.growths_ = growths_;
  reader_.result_.steps.resize(steps_);
  reader_.result_.assignments.resize(assignments_);
  for (; reader_.assigned_.size() > assigned_; reader_.assigned_.pop_back())
    reader_.known_.erase(reader_.assigned_.back());
}

// ---- the state at the start of an iteration

/// What only a condition makes is read after it only by programs that know that it held.
void LoopRun::make_fresh() {
  for (const auto& [name, type] : plan_.fresh) {
    const bool is_float = type.dtype == DType::Float;
    const Array first =
        full(type.dims, is_float ? std::numeric_limits<double>::quiet_NaN() : 0, type.dtype);
    const Value value{std::make_shared<ArrayObject>(first, type.contiguous, type.is_python)};
    saved_names_.insert_or_assign(name, value);
    names()[name] = value;
  }
}

/// Whether a condition in the body makes names that were not known to be made there.
bool LoopRun::take_fresh() {
  bool found = false;
  for (const auto& [name, type] : frame_.fresh) {
    if (is_attribute(name) && number_of_attribute(name) > objects_) continue;  // made in the body
    found = plan_.fresh.emplace(name, type).second || found;
    plan_.types.emplace(name, type);
    plan_.add_rebound(name);
  }
  return found;
}

void LoopRun::begin() {
  for (const std::string& name : plan_.rebound)
    if (const Value* value = before(name); value != nullptr && name != variable())
      carry_name(name, *value);
  for (const ObjectPtr& root : plan_.written) carry_content(root);
  begin_ = detail::make_node("for", Kind::LoopBegin, DType::Int, {});
  if (block_.condition) begin_->args = {block_.condition};
  begin_->loop = loop_;
  for (Carry& carry : carries_) make_carried(carry);
  for (const Carry& carry : carries_)
    if (!carry.name.empty()) names()[carry.name] = {carry.cell};
  // Where the condition does not hold, the names are what they were, known numbers as well.
  if (has_condition())
    for (const std::string& name : plan_.rebound)
      if (before(name) != nullptr) reader_.note_read(name);
  if (block_.binds_variable) names()[variable()] = {variable_};
}

/// Such an array, whose floats are as wide as the number.
static Array filled_with_number(const Dims& dims, const Array& number) {
  const Array filled = full(dims, number.node()->number, number.dtype());
  filled.node()->float_bits = number.node()->float_bits;
  return filled;
}

static Array first_value(const Value& value, const Dims& dims) {
  Array array = to_array(value, "a name of a loop");
  if (array.is_number()) return filled_with_number(dims, array);
  if (array.shape() == dims) return array;
  const bool fits = broadcast(array.shape(), dims) == dims;
  const Array room = full(dims, 0, array.dtype());
  return fits ? set_slice(room, {}, array) : room;  // of another shape only while types settle
}

void LoopRun::carry_name(const std::string& name, const Value& value) {
  const auto delta = plan_.delta.find(name);
  const auto type = plan_.types.find(name);
  const auto carry = [&](const ValueType& found) {
    const NodePtr initial = first_value(value, found.dims).node();
    const auto* object = value.as<ObjectPtr>();
    if (object == nullptr || (*object)->read().node() != initial)
      reader_.result_.assignments.push_back({printed_name(name), initial});
    const auto cell =
        std::make_shared<ArrayObject>(Array(initial), found.contiguous, found.is_python);
    cell->refuse_writes(found.refusal);
    if (object != nullptr) cell->begins_as(ArrayObject::root_of(*object));
    named_.emplace(name, carries_.size());
    cells_.emplace(cell.get(), carries_.size());
    carries_.push_back({name, cell, initial, found});
  };
  if (type != plan_.types.end())
    carry(type->second);
  else if (value.as<ObjectPtr>() != nullptr)
    carry(type_of(value));
  else if (delta != plan_.delta.end() && value.is_integer())
    names()[name] = integer_value(value.affine("") + counted(delta->second));
  else if (delta != plan_.delta.end())
    carry_list(name, value, delta->second);
}

Affine LoopRun::counted(Index delta) const {
  const Affine past = Affine{0, {{loop_, 1}}} + Affine{-loop_->start, {}};
  return *(past * delta).divided(loop_->step);
}

/// The list gets room for all elements that the loop appends.
void LoopRun::carry_list(const std::string& name, const Value& value, Index growth) {
  const std::uint64_t number = *list_number(value);
  if (!frame_.grown.insert(number).second) return;  // another name refers to it, too
  const auto* list = value.as<NumberList>();
  if (const auto* sequence = value.as<Sequence>(); sequence != nullptr && sequence->most > 0)
    fail(fmt::format("{} is a deque with maxlen, whose loops are unrolled", printed_name(name)));
  if (const auto* sequence = value.as<Sequence>())
    for (const Value& item : sequence->items)
      if (const auto* object = item.as<ObjectPtr>(); object != nullptr && !(*object)->is_scalar()) {
        if ((*object)->shape().empty() || !reader_.keeps_appended_arrays())
          fail(
              fmt::format("the list {} grows in this loop and holds an array of shape {}, which "
                          "shares memory with other names; append numbers only",
                          name, to_string((*object)->shape())));
        (void)rewriter::form_of(item, false, false);  // from now on it is not written
      }
  const Affine length =
      list != nullptr ? list->length : Affine{std::ssize(value.as<Sequence>()->items), {}};
  const Index room = (length + Affine{growth * loop_->count(), {}}).greatest();
  const auto type = plan_.lists.find(name);
  NumberList longer{list != nullptr ? list->cell : nullptr, length + counted(growth),
                    type != plan_.lists.end() ? type->second : element_type(value), number};
  if (list == nullptr || list->cell->shape()[0] < room) {
    Dims dims = longer.type ? longer.type->dims : Dims{};
    dims.insert(dims.begin(), room - length.constant);
    const Array rest = full(dims, 0);
    const bool is_empty = length == Affine{};
    longer.cell = std::make_shared<ArrayObject>(
        is_empty ? rest : concatenate({to_array(value, name).as_type(DType::Float), rest}), true);
  }
  if (list == nullptr || list->cell != longer.cell)
    reader_.result_.assignments.push_back({printed_name(name), longer.cell->read().node()});
  reader_.share({longer});
  const auto same = std::find(plan_.written.begin(), plan_.written.end(), longer.cell);
  if (same == plan_.written.end()) carry_content(longer.cell);
  lists_[longer.cell.get()] = printed_name(name);
}

void LoopRun::carry_content(const ObjectPtr& root) {
  content_.emplace(root.get(), carries_.size());
  const Array content = root->read();
  const ValueType type{content.shape(), content.dtype(), root->is_scalar(), root->is_python()};
  carries_.push_back({"", root, content.node(), type});
}

void LoopRun::make_carried(Carry& carry) {
  const auto node = detail::make_node("for", Kind::Carried, carry.type.dtype, carry.initial->dims,
                                      {carry.initial, begin_});
  node->loop = loop_;
  node->is_scalar = carry.type.is_scalar;
  node->text = carry.name.empty() ? name_of(carry.cell) : printed_name(carry.name);
  carry.node = node;
  carry.cell->replace(Array(carry.node), carry.cell->writes());
  carry.writes = carry.cell->writes();
  carry.perhaps_writes = carry.cell->perhaps_writes();
}

std::string LoopRun::name_of(const ObjectPtr& root) {
  if (const auto list = lists_.find(root.get()); list != lists_.end()) return list->second;
  if (owners_.empty())
    for (const auto& [name, value] : saved_names_)
      if (const auto* object = value.as<ObjectPtr>()) {
        std::string& first = owners_[object->get()];
        if (first.empty() || name < first) first = name;
      }
  const auto found = owners_.find(root.get());
  return found == owners_.end() ? "" : printed_name(found->second);
}

void LoopRun::run_body() {
  frame_.loop = loop_;
  frame_.most = block_.most;
  frame_.begin = new_list();
  frame_.objects = reader_.objects_.count();
  for (const auto& [name, value] : saved_names_)
    if (const auto number = list_number(value)) frame_.lists.emplace(name, *number);
  auto& loops = reader_.scope().loops;
  loops.push_back(&frame_);
  plan_.next_inner = 0;
  LoopPlan* const around = std::exchange(reader_.plan_around_, &plan_);
  const OpenBlock open(loop_->form == LoopForm::For || loop_->form == LoopForm::ForWhile);
  const auto end = [&] {
    reader_.plan_around_ = around;
    loops.pop_back();
  };
  try {
    block_.run(variable_);
  } catch (const RaisedException&) {
    end();
    if (reader_.tried_ > 0 && (loop_->form == LoopForm::If || loop_->form == LoopForm::While))
      reader_.fail(block_.span,
                   "whether an exception is raised in this block is known only at run time, where "
                   "the `try` around it cannot catch it");
    throw;
  } catch (...) {
    end();
    throw;
  }
  end();
}

bool LoopRun::take_numbers_for_elements() {
  bool found = false;
  for (const std::string& name : plan_.rebound) {
    const Value* value = before(name);
    if (value == nullptr || !value->is_number() || name == variable() || !is_read(name)) continue;
    found = plan_.types.try_emplace(name, type_of(*value)).second || found;
  }
  return found;
}

// ---- the state after the loop

void LoopRun::finish() {
  std::vector<NodePtr> args{begin_};
  std::unordered_map<const Node*, std::size_t> slots;
  for (const Carry& carry : carries_) {
    if (!carry.name.empty() && !is_read(carry.name)) continue;
    const NodePtr next = next_value(carry);
    slots.emplace(next.get(), slots_.size());
    slots_.emplace_back(carry.node->text, next);
    args.insert(args.end(), {carry.node, next});
  }
  const std::size_t carried = slots_.size();

  // Arrays that hold what the body computed: those that it wrote, and those that it made.
  std::vector<std::pair<ObjectPtr, std::size_t>> cells;
  std::unordered_set<const ArrayObject*> seen;
  const auto leave = [&](const ObjectPtr& root, const std::string& name) {
    if (!seen.insert(root.get()).second) return;
    const NodePtr node = root->read().node();
    const auto [slot, is_new] = slots.try_emplace(node.get(), slots_.size());
    if (is_new) {
      slots_.emplace_back(name, node);
      args.push_back(node);
    }
    cells.emplace_back(root, slot->second);
  };
  std::vector<std::string> left = frame_.rebound_order;
  std::erase_if(left, [this](const std::string& name) { return !names().contains(name); });
  std::vector<std::string> shared = left;
  for (const Carry& carry : carries_) {
    if (carry.name.empty() || (carry.written() && !is_rebound(carry.name)))
      leave(carry.cell, carry.node->text);
    else if (!is_rebound(carry.name))
      names().at(carry.name) = saved_names_.at(carry.name);
    if (!carry.name.empty() && !is_rebound(carry.name)) shared.push_back(carry.name);
  }
  for (const std::string& name : left)
    for_each_object(names().at(name), [&, &key = name](const ObjectPtr& object) {
      const ObjectPtr root = ArrayObject::root_of(object);
      if (!roots_.contains(root.get()) && !root->is_outdated()) leave(root, printed_name(key));
    });

  const auto end = detail::make_node("for", Kind::LoopEnd, DType::Int, {}, std::move(args));
  end->carried = carried;
  end->loop = loop_;
  reader_.result_.steps.push_back(end);
  std::unordered_map<std::size_t, NodePtr> after;
  for (const auto& [cell, slot] : cells) {
    NodePtr& node = after[slot];
    if (!node) node = after_node(end, slot);
    cell->replace(Array(node), cell->writes());
  }
  for (const ObjectPtr& view : views_) view->forget(begin_->id);
  share_memory(shared);
  if (block_.binds_variable) left.push_back(variable());
  for (const auto& [name, delta] : plan_.delta) left.push_back(name);
  for (const std::string& name : left) {
    Value& value = names().at(name);
    value = fixed(value);
    if (list_number(value)) reader_.share(Value(value));
  }
}

NodePtr LoopRun::next_value(const Carry& carry) {
  if (!carry.name.empty())
    if (const auto* object = names().at(carry.name).as<ObjectPtr>();
        object != nullptr && ArrayObject::root_of(*object)->stands_for_part())
      fail(
          fmt::format("{0} is, in the next iteration, a view of another array at an index that is "
                      "known only at run time; make it a copy",
                      carry.name));
  const Array next =
      carry.name.empty() ? carry.cell->read() : to_array(names().at(carry.name), carry.name);
  if (!next.is_number()) return next.node();
  return filled_with_number(carry.node->dims, next).node();
}

NodePtr LoopRun::after_node(const NodePtr& end, std::size_t slot) {
  const auto& [name, value] = slots_[slot];
  const auto node = detail::make_node("for", Kind::After, value->dtype, value->dims, {end});
  node->slot = slot;
  node->is_scalar = is_numpy_scalar(Array(value));
  node->text = name;
  return node;
}

/// The arrays of a list, which are arrays of their own.
static std::vector<Value> parts_of(const Value& list) {
  const Array whole = to_array(list, "a list");
  const Dims dims(whole.shape().begin() + 1, whole.shape().end());
  std::vector<Value> parts;
  for (Index i = 0; i < whole.shape(0); ++i)
    parts.push_back(new_array(whole.slice({index_range(i, whole.shape(0))}).reshape(dims).copy()));
  return parts;
}

/// Whether it is, or holds, an integer that depends on loops.
static bool depends_on_loops(const Value& value) {
  if (const auto* sequence = value.as<Sequence>())
    return std::any_of(sequence->items.begin(), sequence->items.end(), depends_on_loops);
  if (const auto* dict = value.as<Dict>())
    return std::any_of(dict->values.begin(), dict->values.end(), depends_on_loops);
  if (const auto* z = value.as<Complex>())
    return std::any_of(z->parts.begin(), z->parts.end(), depends_on_loops);
  return value.as<Affine>() != nullptr || value.as<NumberList>() != nullptr ||
         value.as<Text>() != nullptr;
}

Value LoopRun::fixed(Value value) {
  if (const auto* integer = value.as<Affine>())
    return integer_value(integer->with(loop_, loop_->last()));
  if (auto* list = std::get_if<NumberList>(&value.held)) {
    list->length = list->length.with(loop_, loop_->last());
    if (list->length.known() && list->type && !list->type->dims.empty())
      return {Sequence{true, Items(parts_of(value)), list->number}};
  }
  if (auto* text = std::get_if<Text>(&value.held))
    for (Text::Piece& piece : text->pieces)
      if (auto* integer = std::get_if<Affine>(&piece.number))
        *integer = integer->with(loop_, loop_->last());
  const auto fix = [&](Items& items) {
    if (std::none_of(items.begin(), items.end(), depends_on_loops)) return;
    for (Value& item : items.own()) item = fixed(item);
    if (list_number(value)) reader_.share(Value(value));
  };
  if (auto* sequence = std::get_if<Sequence>(&value.held)) fix(sequence->items);
  if (auto* z = std::get_if<Complex>(&value.held)) fix(z->parts);
  if (auto* dict = std::get_if<Dict>(&value.held)) fix(dict->values);
  for_each_object(value, [this](const ObjectPtr& object) { object->fix(loop_, loop_->last()); });
  return value;
}

}  // namespace rewriter
