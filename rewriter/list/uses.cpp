#include "rewriter/list/uses.hpp"

#include <algorithm>

namespace rewriter {

namespace {

using SKind = Statement::Kind;

auto place_of(std::vector<Use>& uses, Position at) {
  return std::lower_bound(uses.begin(), uses.end(), at,
                          [](const Use& use, Position position) { return use.at < position; });
}

void insert(std::vector<Position>& positions, Position at) {
  const auto place = std::lower_bound(positions.begin(), positions.end(), at);
  if (place == positions.end() || *place != at) positions.insert(place, at);
}

void remove(std::vector<Position>& positions, Position at) {
  const auto place = std::lower_bound(positions.begin(), positions.end(), at);
  if (place != positions.end() && *place == at) positions.erase(place);
}

/// Both in order: linear in those that are added where they come last.
template <class T>
void merge(std::vector<T>& all, const std::vector<T>& added) {
  const auto before = [](const T& a, const T& b) {
    if constexpr (requires { a.at; })
      return a.at < b.at;
    else
      return a < b;
  };
  const bool are_last = all.empty() || added.empty() || before(all.back(), added.front());
  const std::ptrdiff_t size = std::ssize(all);
  all.insert(all.end(), added.begin(), added.end());
  if (!are_last) std::inplace_merge(all.begin(), all.begin() + size, all.end(), before);
}

}  // namespace

Position Uses::Memory::next_mention(Position after) const {
  const auto use = std::upper_bound(uses.begin(), uses.end(), after,
                                    [](Position at, const Use& each) { return at < each.at; });
  const auto view = std::upper_bound(shown.begin(), shown.end(), after);
  if (use == uses.end()) return view == shown.end() ? kNowhere : *view;
  return view == shown.end() ? use->at : std::min(use->at, *view);
}

Position Uses::Memory::last_mention() const {
  return std::max(uses.empty() ? kNowhere : uses.back().at,
                  shown.empty() ? kNowhere : shown.back());
}

std::vector<Position> Uses::Memory::mentions() const {
  std::vector<Position> all = shown;
  for (const Use& use : uses) all.push_back(use.at);
  std::inplace_merge(all.begin(), all.begin() + std::ssize(shown), all.end());
  return all;
}

Uses::Uses(const StatementList& list)
    : list_(list), memories_(list.variables.size()), conditions_(conditions_around(list)) {
  for (const Binding& input : list.inputs) {
    of(input.var).is_input = true;
    of(input.var).made = -1;
  }
  for (const Binding& output : list.outputs) of(output.var).is_output = true;
  for (std::size_t var = 0; var < list.variables.size(); ++var)
    if (const Var base = list.variables[var].view_of; base != kNoVar)
      of(base).views.push_back(static_cast<Var>(var));
  for (Position at = 0; at < std::ssize(list.statements); ++at) note(at);
}

void Uses::note_use(Var var, const Use& use) {
  Memory& memory = of(var);
  const bool is_last = memory.uses.empty() || memory.uses.back().at < use.at;
  const auto place = is_last ? memory.uses.end() : place_of(memory.uses, use.at);
  if (place == memory.uses.end() || place->at != use.at)
    memory.uses.insert(place, use);
  else
    *place = {use.at, place->reads || use.reads, place->writes || use.writes, false};
  if (use.writes) insert(memory.writes, use.at);
}

void Uses::note(Position at) {
  const Statement& s = list_.statements[at];
  switch (s.kind) {
    case SKind::Empty:
      of(s.target).made = at;
      return;
    case SKind::Constant:
      of(s.target).made = at;
      return note_use(s.target, {at, false, true, true});
    case SKind::Slice:
    case SKind::Reshape:
      return insert(of(s.target).shown, at);
    case SKind::Free:
      of(s.target).freed = at;
      return;
    case SKind::Call:
    case SKind::Print:
    case SKind::Loop:
    case SKind::End:
    case SKind::Fused:
    case SKind::Custom:
      break;
    case SKind::Seed:
      return;
  }
  for (const auto& operand : s.operands) note_use(operand.var, {at, true, false, false});
  const std::span<const Var> targets = targets_of(s);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const Position made = of(targets[i]).made;
    const bool all = conditions_[at] == (made < 0 ? 0 : conditions_[made]) && !writes_part(s, i) &&
                     shows_all(list_, targets[i], owner(list_, targets[i]));
    note_use(targets[i], {at, reads_target(s, i), true, all && !reads_target(s, i)});
  }
}

void Uses::forget(Position at) {
  const Statement& s = list_.statements[at];
  const auto forget_at = [&](Var var) {
    Memory& memory = of(var);
    const auto place = place_of(memory.uses, at);
    if (place != memory.uses.end() && place->at == at) memory.uses.erase(place);
    remove(memory.writes, at);
    remove(memory.shown, at);
  };
  for_each_variable(s, forget_at);
}

void Uses::move(Var from, Var to) {
  Memory& source = of(from);
  Memory& target = of(to);
  const int conditions = target.made < 0 ? 0 : conditions_[target.made];
  for (Use& use : source.uses) use.whole = use.whole && conditions_[use.at] == conditions;
  merge(target.uses, source.uses);
  merge(target.writes, source.writes);
  merge(target.shown, source.shown);
  source = {};
}

const Use* Uses::use_from(Var var, Position at) const {
  const std::vector<Use>& uses = of(var).uses;
  const auto found =
      std::lower_bound(uses.begin(), uses.end(), at,
                       [](const Use& use, Position position) { return use.at < position; });
  return found == uses.end() ? nullptr : &*found;
}

}  // namespace rewriter
