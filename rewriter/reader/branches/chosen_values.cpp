// The reader: values that are neither numbers nor arrays (tuples, complex numbers, what is None
// before), bound by statements that may not run. Numbers and arrays can be chosen at run time, so
// each of them in such a value is a name of its own while the statements are read; conditions.cpp
// has the statements.
#include <algorithm>
#include <limits>

#include "rewriter/reader/loops/loop_run.hpp"
#include "rewriter/reader/operators/complex_parts.hpp"
#include "rewriter/reader/operators/text.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/interpreter.hpp"
#include "rewriter/reader/walk/loop_trace.hpp"
#include "rewriter/reader/walk/scopes.hpp"

namespace rewriter {
namespace {

const Sequence* as_tuple(const Value& value) {
  const auto* sequence = value.as<Sequence>();
  const bool is_plain =
      sequence != nullptr && !sequence->list && !sequence->is_set && sequence->kin.empty();
  return is_plain ? sequence : nullptr;
}

const Sequence* list_in(const Value& value) {
  const auto* sequence = value.as<Sequence>();
  return sequence == nullptr || !sequence->list ? nullptr : sequence;
}

bool is_empty(const Value& value) {
  const auto* list = list_in(value);
  const auto* dict = value.as<Dict>();
  return (list != nullptr && list->items.empty()) ||
         (dict != nullptr && dict->keys.empty() && dict->type.empty());
}

/// What a tuple, a list or a dictionary holds, and a complex number.
const Items& items_of(const Value& value) {
  if (const auto* dict = value.as<Dict>()) return dict->values;
  if (const auto* z = value.as<Complex>()) return z->parts;
  return value.as<Sequence>()->items;
}

/// What stands for None among numbers or arrays like this one: what is an output then is NaN.
Value unset(const Value& like) {
  const ValueType type = type_of(like);
  const double value = type.dtype == DType::Float ? std::numeric_limits<double>::quiet_NaN() : 0;
  const Array made = full(type.dims, value, type.dtype);
  return {std::make_shared<ArrayObject>(made, type.contiguous, type.is_python)};
}

/// Whether other values are in it, which a list or a dictionary shows where it changes.
bool holds_values(const Value& value) {
  return list_number(value).has_value();
}

}  // namespace

/// A value and the names of the numbers and arrays in it.
struct Interpreter::ChosenValue {
  enum class Is : std::uint8_t {
    Data,     ///< a number or an array: a name
    Known,    ///< what stays the same, or a text
    Parts,    ///< a tuple, or a list or a dictionary that was made of what was None
    Perhaps,  ///< None, or empty, or what its one part is: a name says which
  };
  Is kind = Is::Known;
  std::string name;  ///< of the Data, or of what says that there is a value
  Value form{};      ///< Known: that; Parts: the container; Perhaps: what it is without a value
  std::vector<ChosenValue> parts{};

  static std::string part_name(const std::string& of, int depth, std::string_view path) {
    return fmt::format("<part {} of {} {}>", path, of, depth);
  }

  /// Of a value before the statements. `path`: where it is in what the name holds.
  static ChosenValue of(const Value& value, const std::string& name, int depth,
                        const std::string& path) {
    ChosenValue result;
    result.name = part_name(name, depth, path);
    const auto add = [&](const Value& part, std::size_t k) {
      result.parts.push_back(of(part, name, depth, fmt::format("{}.{}", path, k)));
    };
    const auto add_all = [&](const Items& items) {
      result.kind = Is::Parts;
      result.form = as_tuple(value) != nullptr ? new_sequence(false, {}) : Value{Complex{}};
      for (std::size_t k = 0; k < items.size(); ++k) add(items[k], k);
    };
    if (value.is_data()) {
      result.kind = Is::Data;
    } else if (const auto* perhaps = value.as<Perhaps>()) {
      result.kind = Is::Perhaps;
      result.form = perhaps->otherwise();
      result.parts.push_back(of_new(perhaps->value(), name, depth, path + ".0"));
    } else if (value.is_none()) {
      result.kind = Is::Perhaps;
      result.form = value;
    } else if (as_tuple(value) != nullptr || value.as<Complex>() != nullptr) {
      add_all(items_of(value));
    } else {
      result.form = value;
    }
    return result;
  }
  /// The same of what takes the place of None.
  static ChosenValue of_new(const Value& value, const std::string& name, int depth,
                            const std::string& path) {
    ChosenValue result = of(value, name, depth, path);
    const auto* list = list_in(value);
    const auto* dict = value.as<Dict>();
    if (list == nullptr && dict == nullptr) return result;
    result.kind = Is::Parts;
    const Items& items = items_of(value);
    for (std::size_t k = 0; k < items.size(); ++k)
      result.parts.push_back(of(items[k], name, depth, fmt::format("{}.{}", path, k)));
    return result;
  }

  /// Whether no array is in it, and nothing that is one of its kind.
  [[nodiscard]] bool is_plain() const {
    bool plain = !list_number(form);
    for_each_object(form, [&](const ObjectPtr&) { plain = false; });
    return plain && std::all_of(parts.begin(), parts.end(),
                                [](const ChosenValue& part) { return part.is_plain(); });
  }

  template <class F>
  void each_name(const F& f) const {
    if (kind == Is::Data || kind == Is::Perhaps) f(name);
    for (const ChosenValue& part : parts) part.each_name(f);
  }
};

/// A name of the program that such a value is bound to.
struct Interpreter::ChosenName {
  std::string name;
  Value before;
  ChosenValue value;
  int depth = 0;  ///< of such blocks: those in it have other names
};

/// The names refer to what the parts of the value are now.
void Interpreter::bind_parts(const ChosenValue& chosen, const Value& value) {
  using Is = ChosenValue::Is;
  if (chosen.kind == Is::Data) return bind_part(chosen.name, value);
  if (chosen.kind == Is::Perhaps) {
    const auto* perhaps = value.as<Perhaps>();
    const bool is_set = perhaps == nullptr && !chosen.parts.empty() && value.is_data();
    bind_part(chosen.name, perhaps != nullptr ? Value{perhaps->is_set} : Value{is_set});
    if (perhaps != nullptr || is_set)
      bind_parts(chosen.parts[0], perhaps != nullptr ? perhaps->value() : value);
    return;
  }
  if (chosen.kind != Is::Parts) return;
  const Items& items = items_of(value);
  for (std::size_t k = 0; k < chosen.parts.size(); ++k) bind_parts(chosen.parts[k], items[k]);
}

/// The value that the names refer to; nothing where one of them has no value yet.
std::optional<Value> Interpreter::joined_parts(const ChosenValue& chosen) {
  using Is = ChosenValue::Is;
  switch (chosen.kind) {
    case Is::Known:
      return chosen.form;
    case Is::Data: {
      const Value* held = find(chosen.name);
      return held != nullptr ? std::optional(*held) : std::nullopt;
    }
    case Is::Perhaps: {
      const Value is_set = *find(chosen.name);
      const auto truth = truth_of(is_set);
      const auto value =
          chosen.parts.empty() || truth == false ? std::nullopt : joined_parts(chosen.parts[0]);
      if (!value) return chosen.form;
      return truth ? *value : Value{Perhaps{*is_set.as<ObjectPtr>(), Items({*value, chosen.form})}};
    }
    case Is::Parts:
      break;
  }
  std::vector<Value> items;
  for (const ChosenValue& part : chosen.parts) {
    const auto item = joined_parts(part);
    if (!item) return std::nullopt;
    items.push_back(*item);
  }
  if (const auto* dict = chosen.form.as<Dict>()) {
    Dict result;
    result.keys = dict->keys;
    result.values = Items(std::move(items));
    result.type = dict->type;
    result.standard = dict->standard;
    return Value{result};
  }
  if (chosen.form.as<Complex>() != nullptr) return Value{Complex{Items(std::move(items))}};
  return new_sequence(chosen.form.as<Sequence>()->list, std::move(items));
}

/// What the statements have bound becomes that of the names; whether it has the value's form. What
/// has not is left, to be refused.
bool Interpreter::split_parts(ChosenValue& chosen, const Value& now, const ChosenName& of) {
  using Is = ChosenValue::Is;
  const auto bind = [this](const std::string& name, const Value& value) {
    const bool is_new = !scope().names.contains(name);
    bind_part(name, value);
    if (is_new && !scope().loops.empty()) scope().loops.back()->fresh.emplace(name, type_of(value));
  };
  switch (chosen.kind) {
    case Is::Data:
      if (!now.is_data()) return false;
      bind(chosen.name, now);
      return true;
    case Is::Known:
      if (is_same_value(chosen.form, now, ~std::uint64_t{0})) return true;  // and the same lists
      if (!holds_values(now) && known_equal(chosen.form, now) == true) return true;
      if (!is_text(chosen.form) || !is_text(now)) return false;
      chosen.form = chosen_text();
      return true;
    case Is::Perhaps: {
      const auto* perhaps = now.as<Perhaps>();
      if (now.is_none() || is_empty(now)) {
        bind(chosen.name, {false});
        if (!chosen.parts.empty() && chosen.parts[0].kind == Is::Data)
          if (const Value* was = find(chosen.parts[0].name))
            bind(chosen.parts[0].name, unset(*was));
        return now.held.index() == chosen.form.held.index() &&
               list_number(now) == list_number(chosen.form);
      }
      const Value& value = perhaps != nullptr ? perhaps->value() : now;
      if (chosen.parts.empty()) {
        if (holds_values(value) && is_held_elsewhere(*list_number(value), of.name)) return false;
        const std::string path = chosen.name.substr(6, chosen.name.find(' ', 6) - 6) + ".0";
        chosen.parts.push_back(ChosenValue::of_new(value, of.name, of.depth, path));
      }
      bind(chosen.name, perhaps != nullptr ? Value{perhaps->is_set} : Value{true});
      return split_parts(chosen.parts[0], value, of);
    }
    case Is::Parts:
      break;
  }
  if (now.held.index() != chosen.form.held.index()) return false;
  const auto* dict = now.as<Dict>();
  const auto* sequence = now.as<Sequence>();
  if (dict != nullptr) {
    const Items& keys = chosen.form.as<Dict>()->keys;
    const auto equal = [](const Value& a, const Value& b) { return known_equal(a, b) == true; };
    if (!std::equal(keys.begin(), keys.end(), dict->keys.begin(), dict->keys.end(), equal))
      return false;
  } else if (sequence != nullptr &&
             (sequence->list != chosen.form.as<Sequence>()->list || sequence->is_set)) {
    return false;
  }
  if (holds_values(now) && is_held_elsewhere(*list_number(now), of.name)) return false;
  const Items& items = items_of(now);
  if (items.size() != chosen.parts.size()) return false;
  bool fits = true;
  for (std::size_t k = 0; k < items.size(); ++k)
    fits = split_parts(chosen.parts[k], items[k], of) && fits;
  return fits;
}

/// Whether something else than this name, of this scope, holds the list or dictionary of that
/// number.
bool Interpreter::is_held_elsewhere(std::uint64_t list, const std::string& name) const {
  const auto holds = [&](Value value) { return replace_list(value, Value{}, list); };
  for (const Scope& scope : scopes_) {
    for (const auto& [other, value] : scope.names)
      if ((&scope != &scopes_.back() || other != name) && holds(value)) return true;
    for (const auto& [other, value] : scope.inner)
      if (holds(value)) return true;
  }
  for (const auto& enclosing : enclosings_)
    for (const auto& [other, value] : enclosing->kept)
      if (holds(value)) return true;
  return std::any_of(in_use_.begin(), in_use_.end(), [&](const std::vector<Value>* values) {
    return std::any_of(values->begin(), values->end(), holds);
  });
}

/// The names of lists and dictionaries of which the statements assign items.
std::vector<std::string> Interpreter::names_of_items(std::uint32_t begin, std::uint32_t end) {
  constexpr std::size_t kMostItems = 256;
  std::vector<std::string> names;
  for (std::uint32_t i = begin; i < end; ++i) {
    const auto targets = tree_.targets(tree_.statements[i]);
    std::vector<ast::ExprId> left(targets.rbegin(), targets.rend());
    while (!left.empty()) {
      const ast::ExprId target = left.back();
      left.pop_back();
      if (tree_[target].kind == ast::ExprKind::Tuple) {
        const auto parts = tree_.children(target);
        left.insert(left.end(), parts.rbegin(), parts.rend());
      }
      if (tree_[target].kind != ast::ExprKind::Subscript) continue;
      const ast::Expr& object = tree_[tree_.child(target, 0)];
      if (object.kind != ast::ExprKind::Name) continue;
      const std::string& name = tree_.string(object);
      const auto found = scope().names.find(name);
      if (found == scope().names.end()) continue;
      const Value& value = found->second;
      if ((list_in(value) == nullptr && value.as<Dict>() == nullptr) || is_empty(value) ||
          items_of(value).size() > kMostItems || is_held_elsewhere(*list_number(value), name))
        continue;
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

/// The names of its targets, and those of the attributes that it binds of objects with a name.
std::vector<std::pair<std::string, bool>> Interpreter::names_bound_by(
    const ast::Statement& statement) {
  std::vector<std::pair<std::string, bool>> names;
  for (const auto& [name, binds] : ast::target_names(tree_, statement))
    names.emplace_back(name, binds);
  std::vector<ast::ExprId> left(tree_.targets(statement).begin(), tree_.targets(statement).end());
  while (!left.empty()) {
    const ast::Expr& target = tree_[left.back()];
    left.pop_back();
    const auto parts = tree_.children(target);
    if (target.kind == ast::ExprKind::Tuple) left.insert(left.end(), parts.begin(), parts.end());
    if (target.kind != ast::ExprKind::Attribute || tree_[parts[0]].kind != ast::ExprKind::Name)
      continue;
    const auto held = scope().names.find(tree_.string(parts[0]));
    const auto* object = held == scope().names.end() ? nullptr : held->second.as<InstancePtr>();
    if (object != nullptr) names.emplace_back(attribute_name(**object, tree_.string(target)), true);
  }
  return names;
}

std::optional<Interpreter::ChosenName> Interpreter::chosen_name(const std::string& name,
                                                                bool becomes_none) {
  const int depth = split_blocks_ + 1;
  const auto found = scope().names.find(name);
  if (found == scope().names.end()) return std::nullopt;
  const Value value = found->second;
  const bool is_container = is_empty(value) && !is_held_elsewhere(*list_number(value), name);
  const auto* dict = value.as<Dict>();
  if (dict != nullptr && !is_container && dict->type.empty() &&
      !is_held_elsewhere(*list_number(value), name)) {  // another one of the same keys
    (void)find(name);
    return ChosenName{name, value, ChosenValue::of_new(value, name, depth, "0"), depth};
  }
  const bool is_none_later = becomes_none && value.is_data();
  if (as_tuple(value) == nullptr && value.as<Complex>() == nullptr && !value.is_none() &&
      value.as<Perhaps>() == nullptr && !is_container && !is_none_later)
    return std::nullopt;
  ChosenName chosen{name, value, ChosenValue::of(value, name, depth, "0"), depth};
  if (is_container) chosen.value.kind = ChosenValue::Is::Perhaps;
  if (is_none_later) {
    chosen.value = ChosenValue::of({}, name, depth, "0");
    chosen.value.parts.push_back(ChosenValue::of(value, name, depth, "0.0"));
  }
  (void)find(name);  // what it was may be what it stays: loops around carry it
  return chosen;
}

std::vector<Interpreter::ChosenName> Interpreter::chosen_names(std::uint32_t begin,
                                                               std::uint32_t end) {
  std::vector<ChosenName> chosen;
  for (std::uint32_t i = begin; i < end; ++i)
    for (const auto& [name, binds] : names_bound_by(tree_.statements[i])) {
      const auto is_known = [&, &key = name](const ChosenName& each) { return each.name == key; };
      if (!binds || std::any_of(chosen.begin(), chosen.end(), is_known)) continue;
      if (auto each = chosen_name(name)) chosen.push_back(*std::move(each));
    }
  return chosen;
}

Index Interpreter::run_split(LoopBlock& block, const std::vector<std::string>& names,
                             const std::map<std::string, bool>& unsettled) {
  std::vector<ChosenName> chosen;
  for (const auto& [name, becomes_none] : unsettled)
    if (auto each = chosen_name(name, becomes_none)) chosen.push_back(*std::move(each));
  if (chosen.empty()) fail(block.span, "what these statements assign does not settle");
  return run_with_parts(block, names, std::move(chosen));
}

/// Reads a block whose statements bind such names. While its body is read they are what the names
/// of their parts are.
Index Interpreter::run_with_parts(LoopBlock& block, std::vector<std::string> names,
                                  std::vector<ChosenName> chosen) {
  ++split_blocks_;
  const std::set<std::string> around = split_names_;
  for (const ChosenName& each : chosen) {
    split_names_.insert(each.name);
    bind_parts(each.value, each.before);
    each.value.each_name([&](const std::string& part) { names.push_back(part); });
  }
  const auto drop = [&] {
    --split_blocks_;
    split_names_ = around;
    for (const ChosenName& each : chosen)
      each.value.each_name([&](const std::string& part) {
        if (scope().names.contains(part)) (void)take_hidden(part);
      });
  };
  block.parts_now = [&]() -> std::shared_ptr<const std::vector<ChosenValue>> {
    std::vector<ChosenValue> parts;
    for (const ChosenName& each : chosen) {
      if (!each.value.is_plain()) return nullptr;
      parts.push_back(each.value);
    }
    return std::make_shared<const std::vector<ChosenValue>>(std::move(parts));
  };
  block.take_parts = [&](const std::vector<ChosenValue>& parts) {
    for (std::size_t k = 0; k < chosen.size(); ++k) chosen[k].value = parts[k];
  };
  const auto body = block.run;
  block.run = [&](const Affine& at) {
    for (ChosenName& each : chosen)
      scope().names[each.name] = joined_parts(each.value).value_or(each.before);
    body(at);
    for (ChosenName& each : chosen) {
      Value& now = scope().names.at(each.name);
      const Value held = now;
      if (split_parts(each.value, held, each)) now = each.before;
    }
  };
  Index apart = 0;
  try {
    apart = run_settled_or_carry(block, names);
  } catch (...) {
    block.run = body;
    drop();
    throw;
  }
  block.run = body;
  if (apart == 0)
    for (const ChosenName& each : chosen) {
      scope().names[each.name] = joined_parts(each.value).value_or(each.before);
      note_perhaps(each.name);
    }
  drop();
  return apart;
}

void Interpreter::run_with_condition(LoopBlock& block) {
  const bool looks_again =
      block.loop.form == LoopForm::While;  // at its condition, in each iteration
  std::vector<std::string> names = block.choice != ast::kNoExpr
                                       ? mentioned({tree_[block.choice].first, block.choice + 1})
                                       : mentioned(block.begin - (looks_again ? 1 : 0), block.end);
  located(block.span, [&] { declare_inputs(names); });
  block.is_wanted = [this, &block](const std::string& name) { return is_left(name, block); };
  std::vector<ChosenName> chosen = chosen_names(block.begin, block.end);
  for (const std::string& name : names_of_items(block.begin, block.end)) {
    if (std::any_of(chosen.begin(), chosen.end(),
                    [&](const ChosenName& each) { return each.name == name; }))
      continue;
    const int depth = split_blocks_ + 1;
    const Value value = *find(name);
    chosen.push_back({name, value, ChosenValue::of_new(value, name, depth, "0"), depth});
  }
  (void)run_with_parts(block, std::move(names), std::move(chosen));
}

/// A loop, its tuples as they are; if it is none then, each of their parts for itself.
Index Interpreter::run_settled_or_split(LoopBlock& block, const std::vector<std::string>& names) {
  const LoopForm form = block.loop.form;
  const std::size_t returns = scope().returns;
  try {
    return run_settled_or_carry(block, names);
  } catch (const ProgramError&) {
    std::vector<ChosenName> chosen;
    if (!too_long_) chosen = chosen_names(block.begin, block.end);
    if (chosen.empty()) throw;
    const std::exception_ptr first = std::current_exception();
    block.loop.form = form;
    scope().returns = returns;
    try {
      return run_with_parts(block, names, std::move(chosen));
    } catch (const ProgramError&) {
      std::rethrow_exception(first);
    }
  }
}

}  // namespace rewriter
