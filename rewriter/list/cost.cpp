#include "rewriter/list/cost.hpp"

#include <algorithm>
#include <map>
#include <unordered_set>
#include <vector>

#include "cudamat/detail/fused_cut.hpp"
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
  if (statement.kind == Statement::Kind::Fused) {
    const cudamat::FusedBody& body = *statement.fused;
    if (body.is_plain() || body.draws()) return 1;
    const std::vector<bool> apart(body.targets.size(), false);
    return static_cast<int>(cudamat::detail::FusedCutter(body, apart, false).cut().parts.size());
  }
  if (statement.kind == Statement::Kind::Custom) return 1;
  if (statement.kind != Statement::Kind::Call) return 0;
  return cudamat::row(statement.op).family == cudamat::Family::Whole ? 2 : 1;
}

namespace {

/// Elements that a call reads and writes.
template <class Size>
Index elements_moved(const Statement& call, const Size& size) {
  using cudamat::Family;
  const auto operand = [&](std::size_t i) { return size(call.operands[i].var); };
  const auto copied = [](Index elements) { return saturating_multiply(2, elements); };
  switch (cudamat::row(call.op).family) {
    case Family::GetSlice:
      return copied(size(call.target));
    case Family::SetSlice:
      return copied(operand(0));
    case Family::Select:
      return call.op == Op::select_columns ? saturating_add(copied(size(call.target)), operand(1))
                                           : saturating_add(copied(operand(1)), operand(0));
    default:
      break;
  }
  Index elements = size(call.target);
  const auto names = [&](Var var, std::size_t before) {
    return std::any_of(call.operands.begin(),
                       call.operands.begin() + static_cast<std::ptrdiff_t>(before),
                       [&](const Statement::Operand& other) { return other.var == var; });
  };
  for (std::size_t i = 0; i < call.operands.size(); ++i)
    if (!names(call.operands[i].var, i)) elements = saturating_add(elements, operand(i));
  if (reads_target(call) && !names(call.target, call.operands.size()))
    elements = saturating_add(elements, size(call.target));
  return elements;
}

/// Of a Fused or a Custom. Of parts of the same memory, such as the neighbours of a stencil, the
/// largest counts.
Index fused_elements(const StatementList& list, const Statement& fused, const LoopVariables& at) {
  const auto size = [&](Var var, std::size_t part) {
    cudamat::Shape shape = shape_in(at, list.variables[var]);
    if (const Statement::Rows* const rows = rows_of(fused, part))
      shape.rows = value_in(at, rows->last) - value_in(at, rows->first);
    return shape.size();
  };
  std::map<Var, Index> read;  // by memory
  for (std::size_t i = 0; i < fused.operands.size(); ++i) {
    Index& most = read[owner(list, fused.operands[i].var)];
    most = std::max(most, size(fused.operands[i].var, i));
  }
  Index elements = 0;
  for (const auto& [memory, most] : read) elements = saturating_add(elements, most);
  for (std::size_t t = 0; t < fused.targets.size(); ++t) {
    const Index written = size(fused.targets[t], fused.operands.size() + t);
    elements = saturating_add(elements, written);
    if (reads_target(fused, t)) elements = saturating_add(elements, written);
  }
  return elements;
}

}  // namespace

std::optional<Work> work_of(const StatementList& list, const Statement& statement,
                            const LoopVariables& at, int bytes_per_element) {
  using cudamat::Family;
  if (statement.kind == Statement::Kind::Fused || statement.kind == Statement::Kind::Custom)
    return Work{saturating_multiply(fused_elements(list, statement, at), bytes_per_element)};
  if (statement.kind != Statement::Kind::Call) return {};
  const Family family = cudamat::row(statement.op).family;
  if (family == Family::Sort || family == Family::Solver) return {};
  const auto shape = [&](Var var) { return shape_in(at, list.variables[var]); };
  Work work;
  work.bytes = saturating_multiply(
      elements_moved(statement, [&](Var var) { return shape(var).size(); }), bytes_per_element);
  if (family == Family::Product || family == Family::AddProduct) {
    const auto& [var, transposed] = statement.operands[0];
    const Index inner = transposed ? shape(var).rows : shape(var).cols;
    work.flops = saturating_multiply(saturating_multiply(2, shape(statement.target).size()), inner);
  }
  return work;
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
    cost.calls += computes(s) || s.kind == Statement::Kind::Seed;
    cost.temporaries += allocates && !results.contains(s.target);
    if (allocates) cost.allocated_bytes += bytes_of(list, s.target, bytes_per_element);
    cost.launches += times.back() * launches(s);
  }
  return cost;
}

}  // namespace rewriter
