#include "rewriter/list/liveness.hpp"

#include <algorithm>

namespace rewriter {

Loops loops_of(const StatementList& list) {
  const LoopNesting nesting = loop_nesting(list);
  const std::size_t n = list.statements.size();
  Loops loops;
  Table<int> number(n, -1);
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
    : list_(list), loops_(loops_of(list)), uses_(list), lives_(list.variables.size()) {
  for (std::size_t var = 0; var < lives_.size(); ++var)
    if (list.variables[var].view_of == kNoVar)
      lives_[var] = find_lives(uses_.of(static_cast<Var>(var)));
}

std::vector<Liveness::Span> Liveness::find_lives(const Memory& memory) const {
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
  std::vector<Span> lives;
  for (const Span& span : spans) {
    if (!lives.empty() && span.first <= lives.back().last)
      lives.back().last = std::max(lives.back().last, span.last);
    else
      lives.push_back(span);
  }
  return lives;
}

// Of the loops inside of the one that allocates the memory, those whose first use of it does not
// write all of it.
void Liveness::add_loops(const Memory& memory, std::vector<Span>& spans) const {
  std::vector<int> seen;
  for (const Use& use : memory.uses) {
    for (int loop = loops_.innermost[use.at]; loop != block(memory);
         loop = loops_.bodies[loop].around) {
      if (std::find(seen.begin(), seen.end(), loop) != seen.end()) break;
      seen.push_back(loop);
      const LoopBody& body = loops_.bodies[loop];
      if (!use.whole) spans.push_back({body.begin, body.end});
    }
  }
}

Index Liveness::least_peak() const {
  const std::size_t end = list_.statements.size() + 1;
  Table<Index> change(end + 1, 0);  // by position + 1
  for (std::size_t var = 0; var < lives_.size(); ++var) {
    const Index size = elements(list_, static_cast<Var>(var));
    const auto add = [&](Position first, Position last) {
      change[first + 1] += size;
      if (last + 2 < static_cast<Position>(change.size())) change[last + 2] -= size;
    };
    if (list_.variables[var].view_of == kNoVar && uses_.of(static_cast<Var>(var)).is_input)
      add(-1, static_cast<Position>(end) - 1);
    else
      for (const Span& life : lives_[var]) add(life.first, life.last);
  }
  Index now = 0;
  Index peak = 0;
  for (const Index each : change) peak = std::max(peak, now += each);
  return peak;
}

}  // namespace rewriter
