// The reader: tuples that statements bind which may not run. conditions.cpp has the statements.
#include <algorithm>

#include "rewriter/reader/loop_run.hpp"

namespace rewriter {

namespace {

const Sequence* as_tuple(const Value& value) {
  const auto* sequence = value.as<Sequence>();
  return sequence == nullptr || sequence->list || sequence->is_set ? nullptr : sequence;
}

/// The values in a tuple, and in the tuples in it.
void add_leaves(const Value& value, std::vector<Value>& leaves) {
  const Sequence* const tuple = as_tuple(value);
  if (tuple == nullptr) return leaves.push_back(value);
  for (const Value& item : tuple->items) add_leaves(item, leaves);
}

std::vector<Value> leaves_of(const Value& value) {
  std::vector<Value> leaves;
  add_leaves(value, leaves);
  return leaves;
}

/// The tuple with these leaves instead.
Value with_leaves(const Value& value, std::vector<Value>::const_iterator& leaf) {
  const Sequence* const tuple = as_tuple(value);
  if (tuple == nullptr) return *leaf++;
  std::vector<Value> items;
  for (const Value& item : tuple->items) items.push_back(with_leaves(item, leaf));
  return new_sequence(false, std::move(items));
}

bool have_one_form(const Value& a, const Value& b) {
  const Sequence* const left = as_tuple(a);
  const Sequence* const right = as_tuple(b);
  if (left == nullptr || right == nullptr) return left == right;
  return std::equal(left->items.begin(), left->items.end(), right->items.begin(),
                    right->items.end(), have_one_form);
}

}  // namespace

/// A tuple that statements bind anew which may not run: the run chooses between numbers and arrays,
/// so each of those in it is a name of its own meanwhile.
struct Interpreter::ChosenTuple {
  std::string name;
  Value before;
  std::vector<Value> leaves;  ///< at first those of `before`
  std::uint32_t block = 0;    ///< where the statements begin: blocks in it have other names

  [[nodiscard]] std::string part(std::size_t k) const {
    return fmt::format("<part {} of {} {}>", k, name, block);
  }
  [[nodiscard]] Value with(const std::vector<Value>& others) const {
    auto next = others.begin();
    return with_leaves(before, next);
  }
};

std::vector<Interpreter::ChosenTuple> Interpreter::tuples_bound_in(std::uint32_t begin,
                                                                   std::uint32_t end) {
  std::vector<ChosenTuple> tuples;
  for (std::uint32_t i = begin; i < end; ++i)
    for (const auto& [name, binds] : ast::target_names(tree_, tree_.statements[i])) {
      const auto found = scope().names.find(name);
      const auto is_known = [&](const ChosenTuple& tuple) { return tuple.name == name; };
      if (!binds || found == scope().names.end() || as_tuple(found->second) == nullptr ||
          std::any_of(tuples.begin(), tuples.end(), is_known))
        continue;
      (void)find(name);  // what it was may be what it stays: loops around carry it
      tuples.push_back({name, found->second, leaves_of(found->second), begin});
    }
  return tuples;
}

/// What the statements have bound to the names becomes that of the names' parts. A tuple of another
/// form is left, to be refused.
void Interpreter::split_tuples(std::vector<ChosenTuple>& tuples) {
  for (ChosenTuple& tuple : tuples) {
    Value& now = scope().names.at(tuple.name);
    if (!have_one_form(now, tuple.before)) continue;
    const std::vector<Value> leaves = leaves_of(now);
    bool fits = true;
    for (std::size_t k = 0; k < leaves.size(); ++k) {
      Value& leaf = tuple.leaves[k];
      const bool same = known_equal(leaf, leaves[k]) == true;
      if (leaf.is_data() && leaves[k].is_data())
        bind_hidden(tuple.part(k), leaves[k]);
      else if (is_text(leaf) && is_text(leaves[k]) && !same)
        leaf = chosen_text();
      else
        fits = fits && same;
    }
    if (fits) now = tuple.before;
  }
}

void Interpreter::run_with_condition(LoopBlock& block) {
  std::vector<std::string> names = mentioned(block.begin, block.end);
  located(block.span, [&] { declare_inputs(names); });
  block.is_wanted = [this, &block](const std::string& name) { return is_left(name, block); };
  std::vector<ChosenTuple> tuples = tuples_bound_in(block.begin, block.end);
  const auto joined = [&](const ChosenTuple& tuple, const auto& part) {
    std::vector<Value> leaves = tuple.leaves;
    for (std::size_t k = 0; k < leaves.size(); ++k)
      if (leaves[k].is_data()) leaves[k] = part(tuple.part(k));
    return tuple.with(leaves);
  };
  for (const ChosenTuple& tuple : tuples)
    for (std::size_t k = 0; k < tuple.leaves.size(); ++k)
      if (tuple.leaves[k].is_data()) {
        bind_hidden(tuple.part(k), tuple.leaves[k]);
        names.push_back(tuple.part(k));
      }
  const auto body = std::move(block.run);
  block.run = [&](const Affine& at) {
    for (const ChosenTuple& tuple : tuples)
      scope().names[tuple.name] =
          joined(tuple, [&](const std::string& part) { return scope().names.at(part); });
    body(at);
    split_tuples(tuples);
  };
  run_settled(block, names);
  for (const ChosenTuple& tuple : tuples)
    scope().names[tuple.name] =
        joined(tuple, [&](const std::string& part) { return take_hidden(part); });
}

}  // namespace rewriter
