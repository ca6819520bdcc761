// The reader: items of lists and dictionaries that a loop, or a block that may not run, binds anew:
// the parameters of a model in `params[k] = params[k] - rate * grads[k]`. Each item is a name of
// its own while the block is read, and so is carried as names are; what holds the list, and under
// how many names, stays as it is.
#include <algorithm>
#include <cctype>
#include <iterator>

#include "rewriter/reader/loops/loop_run.hpp"
#include "rewriter/reader/operators/perhaps.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/exchanged.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/interpreter.hpp"
#include "rewriter/reader/walk/scopes.hpp"

namespace rewriter {
namespace {

constexpr std::size_t kMostItems = 256;

const Items* items_of(const Value& value) {
  if (const auto* dict = value.as<Dict>()) return &dict->values;
  const auto* sequence = value.as<Sequence>();
  return sequence != nullptr && sequence->list && !sequence->is_set ? &sequence->items : nullptr;
}

Value with_items(const Value& list, std::vector<Value> items) {
  Value result = list;
  if (auto* dict = std::get_if<Dict>(&result.held))
    dict->values = Items(std::move(items));
  else if (auto* sequence = std::get_if<Sequence>(&result.held))
    sequence->items = Items(std::move(items));
  return result;
}

/// Whether they differ by the values of numbers and arrays alone.
bool have_one_form(const Value& a, const Value& b, std::uint64_t begin) {
  const Items* was = items_of(a);
  const Items* now = items_of(b);
  if (was == nullptr || now == nullptr || a.held.index() != b.held.index() ||
      was->size() != now->size() || was->size() > kMostItems)
    return false;
  if (const auto* dict = a.as<Dict>())
    for (std::size_t k = 0; k < was->size(); ++k)
      if (known_equal(dict->keys[k], b.as<Dict>()->keys[k]) != true) return false;
  for (std::size_t k = 0; k < was->size(); ++k)
    if (!((*was)[k].is_data() && (*now)[k].is_data()) &&
        !is_same_value((*was)[k], (*now)[k], begin))
      return false;
  return true;
}

}  // namespace

void LoopRun::note_unsettled(const std::string& name, const Value& was, const Value& now) {
  for (const auto& [each, value] : saved_names_) {
    const auto number = list_number(value);
    if (number && frame_.grown.contains(*number) && *number < frame_.begin &&
        have_one_form(value, reader_.find_list(*number), frame_.begin))
      reader_.unsettled_.lists.insert(*number);
  }
  if (was.as<Dict>() != nullptr && now.as<Dict>() != nullptr)
    reader_.keys_are_added_ = was.as<Dict>()->keys.size() < now.as<Dict>()->keys.size();
  const auto has_parts = [](const Value& value) {
    return value.is_none() || value.as<Perhaps>() != nullptr || value.as<Complex>() != nullptr ||
           (value.as<Sequence>() != nullptr && !value.as<Sequence>()->list);
  };
  if (has_parts(was) || (was.is_data() && has_parts(now)))
    reader_.unsettled_.names.emplace(name, now.is_none() || now.as<Perhaps>() != nullptr);
}

struct Interpreter::CarriedItems {
  std::uint64_t number = 0;
  Value before;
  std::vector<std::string> names;  ///< of its items; empty: it stays the same
};

/// The list, with what its items' names stand for.
Value Interpreter::joined_items(const CarriedItems& list) {
  std::vector<Value> items(items_of(list.before)->begin(), items_of(list.before)->end());
  for (std::size_t k = 0; k < items.size(); ++k)
    if (!list.names[k].empty()) items[k] = *find(list.names[k]);
  return with_items(list.before, std::move(items));
}

/// The loops around see that the list changes, which is this one before.
void Interpreter::note_change(const Value& list) {
  for (const Scope& scope : scopes_)
    for (LoopFrame* frame : scope.loops)
      if (frame->grown.insert(*list_number(list)).second) frame->changed.push_back(list);
}

/// Names for the items of these lists, which the loop is to carry.
std::vector<Interpreter::CarriedItems> Interpreter::name_items(const std::set<std::uint64_t>& lists,
                                                               std::vector<std::string>& names) {
  std::vector<CarriedItems> carried;
  for (const std::uint64_t number : lists) {
    CarriedItems& list = carried.emplace_back(CarriedItems{number, find_list(number), {}});
    std::string holder = fmt::format("<items {}>", number);
    for (const auto& [name, value] : scope().names) {
      if (list_number(value) != number) continue;
      names.push_back(name);
      if (holder.starts_with("<items") || name < holder) holder = name;
    }
    const Items& items = *items_of(list.before);
    for (std::size_t k = 0; k < items.size(); ++k) {
      const bool changes = items[k].is_data();
      list.names.push_back(changes ? fmt::format("<part 1.{} of {} {}>", k, holder, split_blocks_)
                                   : "");
      if (!changes) continue;
      names.push_back(list.names[k]);
      bind_part(list.names[k], items[k]);
    }
  }
  return carried;
}

/// The body, which finds the lists with what their items' names stand for, and leaves it to these.
void Interpreter::run_with_items(const std::vector<CarriedItems>& carried, Span span,
                                 const std::function<void()>& body) {
  for (const CarriedItems& list : carried) {
    note_change(list.before);
    share(joined_items(list));
  }
  body();
  for (const CarriedItems& list : carried) {
    const Value now = find_list(list.number);
    if (!have_one_form(list.before, now, ~std::uint64_t{0}))
      fail(span,
           fmt::format("{} becomes {} in this loop", list.before.description(), now.description()));
    const std::vector<Value> items(items_of(now)->begin(), items_of(now)->end());
    for (std::size_t k = 0; k < items.size(); ++k)
      if (!list.names[k].empty()) bind_part(list.names[k], items[k]);
    share(list.before);
  }
}

Index Interpreter::run_carrying(LoopBlock& block, std::vector<std::string> names,
                                const std::set<std::uint64_t>& lists) {
  const Exchanged depth(split_blocks_, split_blocks_ + 1);
  std::set<std::uint64_t> all = carried_lists_;
  all.insert(lists.begin(), lists.end());
  const Exchanged around(carried_lists_, std::move(all));
  const std::vector<CarriedItems> carried = name_items(lists, names);
  const auto body = block.run;
  block.run = [&](const Affine& at) { run_with_items(carried, block.span, [&] { body(at); }); };
  const auto leave = [&](bool as_before) {
    block.run = body;
    for (const CarriedItems& list : carried) {
      if (as_before) {
        share(list.before);
        continue;
      }
      note_change(list.before);
      const auto held = share(joined_items(list));
      for (std::size_t i = 0; i < scopes_.size(); ++i)
        for (LoopFrame* frame : scopes_[i].loops) note_growth(*frame, list.number, held[i]);
    }
    for (const CarriedItems& list : carried)
      for (const std::string& name : list.names)
        if (scope().names.contains(name)) (void)take_hidden(name);
  };
  Index apart = 0;
  try {
    apart = run_settled_or_carry(block, names);
  } catch (...) {
    leave(true);
    throw;
  }
  leave(apart > 0);
  return apart;
}

/// What reaches the list of this number in a value: "_loss" of {"loss": []}.
static std::optional<std::string> path_to(const Value& value, std::uint64_t number) {
  if (list_number(value) == number) return "";
  const auto* dict = value.as<Dict>();
  const Items* items = items_of(value);
  for (std::size_t k = 0; items != nullptr && k < items->size(); ++k) {
    const auto rest = path_to((*items)[k], number);
    if (!rest) continue;
    std::string key = dict == nullptr ? std::to_string(k) : "";
    if (const auto* text = dict == nullptr ? nullptr : dict->keys[k].as<std::string>())
      std::copy_if(text->begin(), text->end(), std::back_inserter(key),
                   [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; });
    return "_" + key + *rest;
  }
  return std::nullopt;
}

/// Such a list's name while a loop is read: "<history_loss 7>".
std::string Interpreter::name_for_list(std::uint64_t number) const {
  std::string best = "list";
  for (const Scope& each : scopes_)
    for (const auto& [name, value] : each.names)
      if (const auto path = path_to(value, number); path && !name.starts_with("<part")) {
        const std::string found = printed_name(name) + *path;
        if (best == "list" || found < best) best = found;
      }
  return fmt::format("<{} {}>", best, number);
}

Index Interpreter::run_naming(LoopBlock& block, std::vector<std::string> names,
                              const std::set<std::uint64_t>& lists) {
  std::vector<std::string> bound;
  for (const std::uint64_t number : lists) {
    const std::string name = name_for_list(number);
    if (!scope().names.contains(name)) {
      bind_part(name, find_list(number));
      bound.push_back(name);
    }
    names.push_back(name);
  }
  const auto drop = [&] {
    for (const std::string& name : bound) (void)take_hidden(name);
  };
  try {
    const Index apart = run_settled_or_carry(block, names);
    drop();
    return apart;
  } catch (...) {
    drop();
    throw;
  }
}

Index Interpreter::run_settled_or_carry(LoopBlock& block, const std::vector<std::string>& names) {
  const LoopForm form = block.loop.form;
  const std::size_t returns = scope().returns;
  const Exchanged around(unsettled_, Unsettled{});
  try {
    return run_settled(block, names);
  } catch (const ProgramError&) {
    Unsettled found = std::exchange(unsettled_, {});
    std::erase_if(found.lists, [&](std::uint64_t each) { return carried_lists_.contains(each); });
    std::erase_if(found.names, [&](const auto& each) { return split_names_.contains(each.first); });
    std::erase_if(found.unnamed, [&](std::uint64_t each) {  // a loop around is to name it, too
      return std::find(names.begin(), names.end(), name_for_list(each)) != names.end();
    });
    if (too_long_ || !found.any()) throw;
    const std::exception_ptr first = std::current_exception();
    block.loop.form = form;
    scope().returns = returns;
    try {
      if (!found.unnamed.empty()) return run_naming(block, names, found.unnamed);
      if (!found.lists.empty()) return run_carrying(block, names, found.lists);
      return run_split(block, names, found.names);
    } catch (const ProgramError&) {
      std::rethrow_exception(first);
    }
  }
}

}  // namespace rewriter
