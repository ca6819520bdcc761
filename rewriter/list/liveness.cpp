#include "rewriter/list/liveness.hpp"

#include <algorithm>

namespace rewriter {

Loops loops_of(const StatementList& list) {
  const LoopNesting nesting = loop_nesting(list);
  const std::size_t n = list.statements.size();
  Loops loops;
  std::vector<int> number(n, -1);
  const auto around = [&](std::size_t at) {
    return nesting.around[at] == kNoStatement ? -1 : number[nesting.around[at]];
  };
  for (std::size_t i = 0; i < n; ++i) {
    loops.innermost.push_back(around(i));
    if (list.statements[i].kind != Statement::Kind::Loop) continue;
    number[i] = static_cast<int>(loops.bodies.size());
    loops.bodies.push_back(
        {static_cast<Position>(i), static_cast<Position>(nesting.partner[i]), around(i)});
  }
  return loops;
}

Liveness::Liveness(const StatementList& list)
    : list_(list), loops_(loops_of(list)), memories_(list.variables.size()) {
  const auto memory = [&](Var var) -> Memory& {
    return memories_[static_cast<std::size_t>(owner(list, var))];
  };
  for (const Binding& input : list.inputs) {
    memory(input.var).is_input = true;
    memory(input.var).made = -1;
  }
  for (const Binding& output : list.outputs) memory(output.var).is_output = true;
  for (std::size_t i = 0; i < list.statements.size(); ++i) {
    const Statement& s = list.statements[i];
    const auto at = static_cast<Position>(i);
    if (s.kind == Statement::Kind::Empty || s.kind == Statement::Kind::Constant)
      memory(s.target).made = at;
    if (s.kind == Statement::Kind::Constant)
      memory(s.target).uses.push_back({at, false, true, true});
    if (s.kind == Statement::Kind::Free) memory(s.target).freed = at;
    if (s.kind == Statement::Kind::Call || s.kind == Statement::Kind::Print) note_uses(at, s);
  }
  for (Memory& each : memories_) find_lives(each);
}

void Liveness::note_uses(Position at, const Statement& s) {
  const auto note = [&](Var var, bool reads, bool writes, bool whole) {
    std::vector<Use>& uses = memories_[static_cast<std::size_t>(owner(list_, var))].uses;
    if (uses.empty() || uses.back().at != at)
      uses.push_back({at, reads, writes, whole});
    else
      uses.back() = {at, uses.back().reads || reads, uses.back().writes || writes, false};
  };
  for (const auto& operand : s.operands) note(operand.var, true, false, false);
  if (s.target == kNoVar) return;
  const bool all = cudamat::row(s.op).family != cudamat::Family::SetSlice &&
                   elements(list_, s.target) == elements(list_, owner(list_, s.target));
  note(s.target, reads_target(s), true, all && !reads_target(s));
}

const Liveness::Use* Liveness::use_from(Var var, Position at) const {
  const std::vector<Use>& uses = of(var).uses;
  const auto found =
      std::lower_bound(uses.begin(), uses.end(), at,
                       [](const Use& use, Position position) { return use.at < position; });
  return found == uses.end() ? nullptr : &*found;
}

void Liveness::find_lives(Memory& memory) const {
  std::vector<Span> spans;
  if (memory.is_input) spans.push_back({-1, -1});
  for (const Use& use : memory.uses) {
    if (spans.empty() || use.whole)
      spans.push_back({use.at, use.at});
    else
      spans.back().last = use.at;
  }
  if (memory.is_output) {
    const auto end = static_cast<Position>(list_.statements.size());
    if (spans.empty()) spans.push_back({memory.made, end});
    spans.back().last = end;
  }
  if (!loops_.bodies.empty()) add_loops(memory, spans);
  std::sort(spans.begin(), spans.end(),
            [](const Span& a, const Span& b) { return a.first < b.first; });
  for (const Span& span : spans) {
    if (!memory.lives.empty() && span.first <= memory.lives.back().last)
      memory.lives.back().last = std::max(memory.lives.back().last, span.last);
    else
      memory.lives.push_back(span);
  }
}

// Of the loops inside of the one that allocates the memory, those whose first use of it does not
// write all of it.
void Liveness::add_loops(const Memory& memory, std::vector<Span>& spans) const {
  std::vector<int> seen;
  for (const Use& use : memory.uses) {
    for (int loop = loops_.innermost[static_cast<std::size_t>(use.at)]; loop != block(memory);
         loop = loops_.bodies[static_cast<std::size_t>(loop)].around) {
      if (std::find(seen.begin(), seen.end(), loop) != seen.end()) break;
      seen.push_back(loop);
      const LoopBody& body = loops_.bodies[static_cast<std::size_t>(loop)];
      if (!use.whole) spans.push_back({body.begin, body.end});
    }
  }
}

Index Liveness::least_peak() const {
  const std::size_t end = list_.statements.size() + 1;
  std::vector<Index> change(end + 1, 0);  // by position + 1
  for (std::size_t var = 0; var < memories_.size(); ++var) {
    const Memory& memory = memories_[var];
    const Index size = elements(list_, static_cast<Var>(var));
    const auto add = [&](Position first, Position last) {
      change[static_cast<std::size_t>(first + 1)] += size;
      if (last + 2 < static_cast<Position>(change.size()))
        change[static_cast<std::size_t>(last + 2)] -= size;
    };
    if (memory.is_input)
      add(-1, static_cast<Position>(end) - 1);
    else
      for (const Span& life : memory.lives) add(life.first, life.last);
  }
  Index now = 0;
  Index peak = 0;
  for (const Index each : change) peak = std::max(peak, now += each);
  return peak;
}

}  // namespace rewriter
