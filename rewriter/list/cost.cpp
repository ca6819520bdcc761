#include "rewriter/list/cost.hpp"

#include <unordered_set>

#include "rewriter/list/iterations.hpp"
#include "rewriter/text/saturating.hpp"

namespace rewriter {

Index bytes_of(const StatementList& list, Var var, int bytes_per_element) {
  const Variable& variable = list.variables[var];
  return variable.view_of == kNoVar ? saturating_multiply(variable.shape.size(), bytes_per_element)
                                    : 0;
}

Index bytes_added(const StatementList& list, const Statement& statement, int bytes_per_element) {
  switch (statement.kind) {
    case Statement::Kind::Empty:
    case Statement::Kind::Constant:
      return bytes_of(list, statement.target, bytes_per_element);
    case Statement::Kind::Free:
      return -bytes_of(list, statement.target, bytes_per_element);
    default:
      return 0;
  }
}

MemoryUse memory_use(const StatementList& list, int bytes_per_element) {
  MemoryUse memory;
  for (const Binding& input : list.inputs)
    memory.inputs = saturating_add(memory.inputs, bytes_of(list, input.var, bytes_per_element));
  Index now = memory.inputs;
  memory.peak = now;
  memory.after.reserve(list.statements.size());
  for (const Statement& statement : list.statements) {
    now = saturating_add(now, bytes_added(list, statement, bytes_per_element));
    if (now > memory.peak) {
      memory.peak = now;
      memory.peak_statement = std::ssize(memory.after);
    }
    memory.after.push_back(now);
  }
  return memory;
}

int launches(const Statement& statement) {
  if (statement.kind == Statement::Kind::Fused) return 1;
  if (statement.kind != Statement::Kind::Call) return 0;
  return cudamat::row(statement.op).family == cudamat::Family::Whole ? 2 : 1;
}

ListCost cost_of(const StatementList& list, int bytes_per_element) {
  std::unordered_set<Var> results;
  for (const Binding& output : list.outputs) results.insert(owner(list, output.var));
  ListCost cost;
  cost.statements = std::ssize(list.statements);
  cost.peak_bytes = memory_use(list, bytes_per_element).peak;
  IterationSpace loops(list);
  std::vector<Index> times{1};  // that the innermost loop's body runs
  for (const Statement& s : list.statements) {
    if (s.kind == Statement::Kind::Loop) {
      loops.open(s.loop);
      times.push_back(loops.iterations());
    } else if (s.kind == Statement::Kind::End) {
      loops.close();
      times.pop_back();
    }
    const bool allocates = s.kind == Statement::Kind::Empty || s.kind == Statement::Kind::Constant;
    cost.calls += s.kind == Statement::Kind::Call || s.kind == Statement::Kind::Fused ||
                  s.kind == Statement::Kind::Seed;
    cost.temporaries += allocates && !results.contains(s.target);
    if (allocates) cost.allocated_bytes += bytes_of(list, s.target, bytes_per_element);
    cost.launches += times.back() * launches(s);
  }
  return cost;
}

}  // namespace rewriter
