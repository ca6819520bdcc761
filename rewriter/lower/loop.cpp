// Lowering: loops, what depends on their variables, and what they print.
#include <algorithm>

#include "rewriter/lower/lowering.hpp"

namespace rewriter {

void Lowering::begin_loop(const Node& node) {
  const std::size_t begin = at_;
  const Node& end = *nodes_[loops_.at(begin).end];
  std::vector<Var> slots;
  for (std::size_t k = 0; k < end.carried; ++k)
    slots.push_back(carried_matrix(*end.args[1 + 2 * k], slots));
  for (const Var kept : kept_matrices(end)) slots.push_back(kept);
  for (std::size_t k = 0; k < end.carried; ++k) {
    at_ = position_.at(end.args[1 + 2 * k].get());
    set_value(slots[k]);
  }
  at_ = begin;
  out_.where = node.where;
  const Var condition = node.loop->form == LoopForm::If ? matrix(node.args[0])
                        : node.loop->has_condition()    ? slots[0]
                                                        : kNoVar;
  loop_numbers_[node.loop.get()] = out_.begin_loop(*node.loop, condition);
  slots_.emplace(&end, std::move(slots));
}

// The first value's own matrix does if it is no view and nothing needs that value from here on.
Var Lowering::carried_matrix(const Node& carried, const std::vector<Var>& others) {
  const Var first = matrix(carried.args[0]);
  const auto memory = static_cast<std::size_t>(first);
  const bool owns = out_.owner(first) == first && out_.shape(first) == matrix_shape(carried.dims);
  if (owns && memory_use_[memory] <= at_ &&
      std::find(others.begin(), others.end(), first) == others.end())
    return first;
  const Var copy = out_.empty(matrix_shape(carried.dims), carried.text);
  out_.assign(copy, first);
  return copy;
}

const Node* Lowering::made_as(const Node* value) {
  for (;;) {
    if (value->in_place) {
      value = value->args[0].get();
    } else if (value->kind == Kind::After) {
      const Node& end = *value->args[0];
      const bool carried = value->slot < end.carried;
      value = carried ? end.args[1 + 2 * value->slot]->args[0].get()
                      : end.slot_value(value->slot).get();
    } else {
      return value;
    }
  }
}

std::vector<Var> Lowering::kept_matrices(const Node& end) {
  std::vector<const Node*> after(end.slot_count());
  for (const Node* node : after_[&end]) after[node->slot] = node;
  std::vector<Var> kept;
  for (std::size_t slot = end.carried; slot < end.slot_count(); ++slot) {
    if (after[slot] == nullptr) {
      kept.push_back(kNoVar);
      continue;
    }
    // A loop around this one may want the value, too.
    const Node* const made = made_as(end.slot_value(slot).get());
    const auto wanted = wanted_.find(made);
    const bool made_here = made->id > nodes_[at_]->id;  // else what it holds is needed again
    if (wanted != wanted_.end() && made_here &&
        std::find(kept.begin(), kept.end(), wanted->second) == kept.end()) {
      kept.push_back(wanted->second);
      continue;
    }
    kept.push_back(out_.empty(matrix_shape(after[slot]->dims), after[slot]->text));
    if (made->dims == after[slot]->dims && made_here) wanted_.try_emplace(made, kept.back());
  }
  return kept;
}

void Lowering::end_loop(const Node& node) {
  const std::vector<Var>& slots = slots_.at(&node);
  std::vector<Move> moves;
  for (std::size_t slot = 0; slot < slots.size(); ++slot) {
    if (slots[slot] == kNoVar) continue;
    const Var value = matrix(node.slot_value(slot));
    const bool is_there = out_.owner(value) == slots[slot] &&  // under another name
                          out_.shape(value) == out_.shape(slots[slot]);
    if (value != slots[slot] && !is_there) moves.push_back({slots[slot], value});
  }
  move_all(std::move(moves));
  out_.end_loop();
}

void Lowering::move_all(std::vector<Move> moves) {
  while (!moves.empty()) {
    const auto ready = std::find_if(moves.begin(), moves.end(), [&](const Move& move) {
      return std::none_of(moves.begin(), moves.end(),
                          [&](const Move& other) { return out_.owner(other.from) == move.to; });
    });
    if (ready != moves.end()) {
      out_.assign(ready->to, ready->from);
      moves.erase(ready);
      continue;
    }
    const Var copy = out_.empty(out_.shape(moves.front().from));
    out_.assign(copy, moves.front().from);
    moves.front().from = copy;
  }
}

std::vector<Statement::Term> Lowering::terms(const LoopTerms& terms) const {
  std::vector<Statement::Term> result;
  for (const auto& [loop, factor] : terms) result.push_back({loop_numbers_.at(loop.get()), factor});
  return result;
}

void Lowering::loop_value(const Node& node) {
  const Var t = fresh(node);
  out_.fill(t, node.number);
  out_.add_terms(terms(node.terms));
  set_value(t);
}

void Lowering::print(const Node& node) {
  ListBuilder::Operands operands;
  for (const NodePtr& operand : node.args) operands.push_back({matrix(operand)});
  std::vector<Statement::Part> parts;
  for (const TextPart& part : node.parts)
    parts.push_back({part.kind, part.text, part.integer.constant, terms(part.integer.terms),
                     part.element, part.dtype});
  out_.print(std::move(operands), std::move(parts));
}

}  // namespace rewriter
