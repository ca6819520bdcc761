// What a block of statements settled to when the block around it was read before. The body of a
// loop, or of an if, is read until its plan holds; those in it would each be read as often again,
// which is exponential in the depth.
#include <algorithm>
#include <functional>

#include "rewriter/reader/loops/loop_run.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/interpreter.hpp"
#include "rewriter/reader/walk/loop_trace.hpp"
#include "rewriter/reader/walk/scopes.hpp"

namespace rewriter {
namespace {

/// A number for all that the plan of a block may depend on: what kind of value its names have, and
/// which of them share memory.
class StartHash {
 public:
  void add(const Value& value) {
    add(value.held.index());
    add(value.is_numpy ? 1 : 0);
    if (const auto list = list_number(value)) add_first(lists_, *list);
    if (value.is_number()) return value.is_real() ? add_real(value.real()) : add(value.affine(""));
    if (value.is_integer()) return add(value.affine(""));
    if (const auto* object = value.as<ObjectPtr>()) return add(*object);
    if (const auto* text = value.as<std::string>()) return add(*text);
    if (const auto* outside = value.as<OutsideObject>())
      return add(static_cast<std::size_t>(outside->number));
    if (const auto* module = value.as<Module>()) return add(module->name);
    if (const auto* function = value.as<Function>()) {
      is_known_ = is_known_ && !function->self;
      add(static_cast<std::size_t>(function->dtype));
      return add(function->name);
    }
    if (const auto* range = value.as<RangeValue>())
      return add_all({range->start, range->stop, range->step});
    if (const auto* sequence = value.as<Sequence>()) {
      add_all({sequence->list ? 1 : 0, sequence->is_set ? 1 : 0});
      return add(sequence->items);
    }
    if (const auto* dict = value.as<Dict>()) {
      add(dict->type);
      add(dict->keys);
      add(dict->standard);
      return add(dict->values);
    }
    if (const auto* z = value.as<Complex>()) return add(z->parts);
    if (const auto* perhaps = value.as<Perhaps>()) {
      add(perhaps->is_set);
      return add(perhaps->parts);
    }
    if (const auto* list = value.as<NumberList>()) {
      add(list->cell);
      add(list->length);
      return add(list->type);
    }
    if (const auto* list = value.as<RunList>()) {
      add(list->cell);
      add(list->count);
      add(static_cast<std::size_t>(list->form.kind));
      add_all(list->form.dims);
      for (const ElementType& type : list->form.types) add(std::optional(type));
      return;
    }
    if (const auto* function = value.as<UserFunction>()) {
      add_all({function->statement, function->lambda});
      add(function->defaults);
      for (const auto& [name, held] : function->captured) add(held);
      return;
    }
    is_known_ = is_known_ && (value.is_none() || value.as<EllipsisValue>() != nullptr);
  }
  void add(std::size_t number) {
    hash_ ^= number + 0x9e3779b97f4a7c15U + (hash_ << 12U) + (hash_ >> 4U);
    hash_ *= 0xff51afd7ed558ccdU;
    hash_ ^= hash_ >> 32U;
  }
  void add(const std::string& text) { add(std::hash<std::string>{}(text)); }
  template <class Numbers>
  void add_all(const Numbers& numbers) {
    add(std::size(numbers));
    for (const auto number : numbers) add(static_cast<std::size_t>(number));
  }
  void add_all(std::initializer_list<Index> numbers) {
    for (const Index number : numbers) add(static_cast<std::size_t>(number));
  }
  /// Nothing where there was something that the number does not say all of.
  [[nodiscard]] std::optional<std::size_t> result() const {
    return is_known_ ? std::optional(hash_) : std::nullopt;
  }

 private:
  template <class Key>
  void add_first(std::unordered_map<Key, std::size_t>& seen, const Key& key) {
    add(seen.try_emplace(key, seen.size()).first->second);
  }
  void add_real(double number) { add(std::hash<double>{}(number)); }
  void add(const Items& items) {
    add(items.size());
    for (const Value& item : items) add(item);
  }
  void add(const Affine& integer) {
    add(static_cast<std::size_t>(integer.constant));
    for (const LoopTerm& term : integer.terms)
      add_all({term.factor, term.loop->start, term.loop->stop, term.loop->step});
  }
  void add(const std::optional<ElementType>& type) {
    add(type ? 2 * static_cast<std::size_t>(type->dtype) + (type->is_python ? 1 : 0)
             : ~std::size_t{0});
    if (type) add_all(type->dims);
  }
  void add(const ObjectPtr& object) {
    const ObjectPtr root = ArrayObject::root_of(object);
    const ValueType type = type_of({object});
    const Array array = object->read();
    add_first(roots_, static_cast<const ArrayObject*>(root.get()));
    add_all(type.dims);
    add(type.refusal);
    add_all({static_cast<Index>(type.dtype), type.is_scalar ? 1 : 0, type.is_python ? 1 : 0,
             type.contiguous ? 1 : 0, object == root ? 1 : 0, object->float_bits(),
             root->stands_for_part() ? 1 : 0, root->origins().empty() ? 1 : 0});
    if (array.node()->kind == Kind::Constant) add(array.node()->id);  // its elements may count
    if (array.is_number()) add_real(array.node()->number);
  }

  std::size_t hash_ = 0;
  bool is_known_ = true;
  std::unordered_map<std::uint64_t, std::size_t> lists_;
  std::unordered_map<const ArrayObject*, std::size_t> roots_;
};

}  // namespace

std::optional<std::size_t> Interpreter::start_of(const LoopBlock& block,
                                                 const std::vector<std::string>& names) {
  StartHash start;
  const Loop& loop = block.loop;
  start.add_all({block.begin, block.end, static_cast<Index>(loop.form), loop.start, loop.stop,
                 loop.step, block.most, settles_growth_ ? 1 : 0});
  if (block.elements != nullptr) start.add(*block.elements);
  const auto add = [&](const std::unordered_map<std::string, Value>& in) {
    for (const std::string& name : names)
      if (const auto found = in.find(name); found != in.end()) {
        start.add(name);
        start.add(found->second);
      }
    start.add(names.size());
  };
  add(scope().names);
  if (!in_module()) add(module().names);
  for (const Enclosing* outer = scope().outer.get(); outer != nullptr; outer = outer->outer.get())
    add(*outer->names);
  for (const auto& [list, growth] : growths_)
    start.add_all({growth.open ? 1 : 0, growth.room, growth.added});
  return start.result();
}

Interpreter::Owners Interpreter::owners_of(const std::vector<std::string>& names) {
  Owners owners;
  for (const std::string& name : names)
    if (const auto found = scope().names.find(name); found != scope().names.end()) {
      std::size_t k = 0;
      for_each_object(found->second, [&](const ObjectPtr& object) {
        owners.try_emplace(ArrayObject::root_of(object).get(), std::pair(name, k++));
      });
    }
  return owners;
}

bool Interpreter::remember(SettledBlock& settled, const Owners& owners, const LoopBlock& block,
                           LoopPlan& plan) {
  if (!settled.start) return false;
  settled.form = block.loop.form;
  // Room for a list that grows is made anew each time. A name that a condition binds first has its
  // place before the loop around, which finds that out as it reads the block.
  const auto is_hidden = [](const auto& fresh) { return fresh.first.starts_with('<'); };
  if (!plan.lists.empty() || !std::ranges::all_of(plan.fresh, is_hidden)) return false;
  for (const auto& [name, delta] : plan.delta)
    if (const auto found = scope().names.find(name);
        found == scope().names.end() || list_number(found->second))
      return false;
  for (const ObjectPtr& root : plan.written) {
    const auto owner = owners.find(root.get());
    if (owner == owners.end()) return false;
    settled.written.push_back(owner->second);
  }
  if (block.parts_now) {
    settled.parts = block.parts_now();
    if (!settled.parts) return false;
  }
  plan.written.clear();
  plan.mentioned.clear();
  settled.plan = std::move(plan);
  return true;
}

bool Interpreter::recall(const SettledBlock& settled, LoopBlock& block, LoopPlan& plan) {
  const auto& held = scope().names;
  LoopPlan known = settled.plan;
  for (const auto& [name, nth] : settled.written) {
    const auto found = held.find(name);
    ObjectPtr owner;
    std::size_t k = 0;
    if (found != held.end())
      for_each_object(found->second, [&, nth = nth](const ObjectPtr& object) {
        if (k++ == nth) owner = ArrayObject::root_of(object);
      });
    if (!owner) return false;
    known.written.push_back(owner);
  }
  known.mentioned = std::move(plan.mentioned);
  block.loop.form = settled.form;
  if (block.take_parts) block.take_parts(*settled.parts);
  plan = std::move(known);
  return true;
}

}  // namespace rewriter
