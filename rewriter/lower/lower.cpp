#include "rewriter/lower/lower.hpp"

#include <algorithm>
#include <limits>
#include <unordered_set>
#include <utility>

#include "cudamat/error.hpp"
#include "rewriter/list/edit.hpp"
#include "rewriter/list/verify.hpp"
#include "rewriter/lower/lowering.hpp"
#include "rewriter/lower/matrices.hpp"

namespace rewriter {

namespace {

std::map<int, std::string> remarks_of(const Program& program) {
  std::map<int, std::string> remarks;
  for (const auto& [line, what] : program.left_out) remarks[line] = "ignored: " + what;
  for (const auto& [name, about] : program.no_results)
    remarks.try_emplace(about.first, fmt::format("no output: {}, {}", name, about.second));
  for (const auto& [line, unrolled] : program.unrolled) {
    const auto several = [](Index count, std::string_view noun) {
      return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
    };
    remarks[line] = fmt::format("unrolled: {}{}{}{}", several(unrolled.iterations, "iteration"),
                                unrolled.loops > 1 ? " of " + several(unrolled.loops, "loop") : "",
                                unrolled.why.empty() ? "" : "; ", unrolled.why);
  }
  return remarks;
}

constexpr std::size_t kForever = std::numeric_limits<std::size_t>::max();

}  // namespace

Lowering::Lowering(const Program& program, const std::vector<NodePtr>& roots,
                   const std::vector<Program::Named>& outputs)
    : nodes_(in_order(roots)), loops_(nodes_), parameters_(program.parameters) {
  out_.list.source = program.source;
  out_.list.remarks = remarks_of(program);
  for (std::size_t i = 0; i < nodes_.size(); ++i) position_.emplace(nodes_[i].get(), i);
  count_uses(outputs);
  for (const auto& [name, node] : program.inputs) out_.names.keep(name);
  for (const auto& [name, node] : program.assignments) {
    out_.names.keep(name);
    names_.try_emplace(node.get(), name);
  }
  for (const NodePtr& node : nodes_)
    if (node->kind == Kind::LoopBegin)
      out_.names.keep(node->loop->name);
    else if (node->kind == Kind::After)
      after_[node->args[0].get()].push_back(node.get());
    else if (node->kind == Kind::CustomResult)
      results_[node->args[0].get()].push_back(node.get());

  value_.assign(nodes_.size(), kNoVar);
  is_turned_.assign(nodes_.size(), false);
  for (const auto& [name, node] : program.inputs) declare_input(name, *node);
  for (const NodePtr& node : nodes_)
    if (node->kind == Kind::Input) declare_input(node->text, *node);
  for (at_ = 0; at_ < nodes_.size(); ++at_) {
    statements_before_.push_back(out_.list.statements.size());
    lower(*nodes_[at_]);
  }

  for (const auto& [name, node] : outputs) {
    out_.where = node->where;
    out_.list.outputs.push_back({name, matrix(node), node->dims});
  }
}

void Lowering::count_uses(const std::vector<Program::Named>& outputs) {
  last_use_ = loops_.last_uses(nodes_, false);
  users_.resize(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    for (const NodePtr& operand : nodes_[i]->args)
      if (const auto found = position_.find(operand.get()); found != position_.end())
        users_[found->second].push_back(i);
  for (const auto& [name, node] : outputs) last_use_[position_.at(node.get())] = kForever;
}

std::vector<WrittenLoop> Lowering::written_loops(const Program& program) const {
  std::vector<WrittenLoop> loops;
  for (const Program::Written& written : program.written) {
    WrittenLoop loop{written.range, written.line, {}, {}};
    for (const std::uint64_t id : written.nodes) {
      const auto next = std::upper_bound(
          nodes_.begin(), nodes_.end(), id,
          [](std::uint64_t before, const NodePtr& node) { return before < node->id; });
      const auto position = static_cast<std::size_t>(next - nodes_.begin());
      loop.order.push_back(id);
      loop.positions.push_back(next == nodes_.end() ? out_.list.statements.size()
                                                    : statements_before_[position]);
    }
    const bool is_empty = loop.order.size() > 1 && loop.positions.front() == loop.positions.back();
    if (!is_empty) loops.push_back(std::move(loop));  // else read anew, and nothing of it is left
  }
  return loops;
}

StatementList Lowering::finish(const Program& program) {
  std::vector<WrittenLoop> loops = written_loops(program);
  if (loops.empty()) {
    add_frees(out_.list);
    return std::move(out_.list);
  }
  StatementList written = out_.list;
  if (roll_loops(out_, std::move(loops))) {
    add_frees(out_.list);
    if (!find_problem(out_.list)) return std::move(out_.list);
  }
  add_frees(written);
  return written;
}

void Lowering::declare_input(const std::string& name, const Node& node) {
  const auto [known, is_new] = inputs_.try_emplace(name, kNoVar);
  if (is_new) {
    known->second = out_.variable(matrix_shape(node.dims), name);
    out_.list.inputs.push_back({name, known->second, node.dims});
  } else {
    const auto same = [&](const Binding& input) { return input.name == name; };
    const auto& inputs = out_.list.inputs;
    const Dims& dims = std::find_if(inputs.begin(), inputs.end(), same)->dims;
    if (dims != node.dims)
      cudamat::misuse("lower", "input {} is used with two shapes, {} and {}", name, to_string(dims),
                      to_string(node.dims));
  }
  if (const auto found = position_.find(&node); found != position_.end()) {
    at_ = found->second;
    set_value(known->second);
  }
}

std::string Lowering::name_of(const Node& node) const {
  const auto found = names_.find(&node);
  return found == names_.end() ? std::string() : found->second;
}

void Lowering::set_value(Var var) {
  value_[at_] = var;
  const auto memory = static_cast<std::size_t>(out_.owner(var));
  if (memory >= memory_use_.size()) memory_use_.resize(memory + 1, 0);
  memory_use_[memory] = std::max(memory_use_[memory], last_use_[at_]);
}

Var Lowering::matrix(const NodePtr& operand) {
  const Var var = value_[position_.at(operand.get())];
  if (var != kNoVar) return var;
  if (operand->kind != Kind::Number)
    throw cudamat::InternalError("lower: an operand comes after the node that reads it");
  const Var t = out_.empty({1, 1}, name_of(*operand));
  out_.fill(t, number(*operand));
  return t;
}

Number Lowering::number(const Node& node) const {
  const auto found = parameters_.find(&node);
  return found == parameters_.end() ? Number(node.number) : Number(node.number, found->second);
}

// Overwriting args[0] is safe if nothing that lives in its memory is read after this node, and if
// this node's other operands do not lie in that memory: they may be args[0] itself, which a call
// reads where it writes.
bool Lowering::may_overwrite(const Node& node) const {
  const bool writes_part = node.kind == Kind::SetSlice || node.kind == Kind::Put;
  if (!node.in_place || (node.kind != Kind::Map && !writes_part)) return false;
  const NodePtr& first = node.args[0];
  const Var var = value_[position_.at(first.get())];
  if (var == kNoVar || first->dims != node.dims) return false;
  const Var memory = out_.owner(var);
  if (memory_use_[memory] > at_) return false;
  if (writes_part) return true;  // it copies such a value first
  return std::all_of(node.args.begin() + 1, node.args.end(), [&](const NodePtr& other) {
    const Var value = value_[position_.at(other.get())];
    return value == kNoVar || value == var || out_.owner(value) != memory;
  });
}

Var Lowering::target(const Node& node) {
  return may_overwrite(node) ? value_[position_.at(node.args[0].get())] : fresh(node);
}

Var Lowering::fresh(const Node& node) {
  const auto found = wanted_.find(&node);
  if (found == wanted_.end()) return out_.empty(matrix_shape(node.dims), name_of(node));
  const Var var = found->second;
  wanted_.erase(found);
  return var;
}

void Lowering::lower(const Node& node) {
  out_.where = node.where;
  switch (node.kind) {
    case Kind::Number:
    case Kind::Input:
      return;
    case Kind::Data:
    case Kind::Constant:
    case Kind::Fill:
    case Kind::Random:
    case Kind::Seed:
      return lower_leaf(node);
    case Kind::Map:
    case Kind::LogicalNot:
    case Kind::Where:
      return lower_map(node);
    case Kind::Reduce:
      return reduce(node);
    case Kind::Variance:
    case Kind::Deviation:
      return variance(node);
    case Kind::Whole: {
      const Var a = matrix(node.args[0]);
      const Var t = target(node);
      out_.unary(node.op, a, t);
      return set_value(t);
    }
    case Kind::Scan:
    case Kind::Sort: {
      const Var a = matrix(node.args[0]);
      const Var t = fresh(node);
      out_.unary(node.op, a, t);
      return set_value(t);
    }
    case Kind::Solver:
      return solver(node);
    case Kind::Dot:
      return dot(node);
    case Kind::Transpose:
    case Kind::Copy: {
      const Var a = matrix(node.args[0]);
      const Var t = target(node);
      out_.unary(node.kind == Kind::Copy ? Op::assign : Op::transpose, a, t);
      return set_value(t);
    }
    case Kind::Reshape:
      return reshape(node);
    case Kind::Broadcast:
      return broadcast(node);
    case Kind::Slice:
      return slice(node);
    case Kind::SetSlice:
      return set_slice(node);
    case Kind::Take:
      return take(node);
    case Kind::Put:
      return put(node);
    case Kind::Concatenate:
      return concatenate(node);
    case Kind::LoopValue:
      return loop_value(node);
    case Kind::LoopBegin:
      return begin_loop(node);
    case Kind::Carried:
      return;  // its loop has set it
    case Kind::LoopEnd:
      return end_loop(node);
    case Kind::After:
      return set_value(slots_.at(node.args[0].get())[node.slot]);
    case Kind::Print:
      return print(node);
    case Kind::Custom:
      return custom(node);
    case Kind::CustomResult:
      return set_value(slots_.at(node.args[0].get())[node.slot]);
  }
  throw cudamat::InternalError("lower: unknown node kind");
}

void Lowering::lower_leaf(const Node& node) {
  const Shape shape = node.kind == Kind::Seed ? Shape{} : matrix_shape(node.dims);
  switch (node.kind) {
    case Kind::Seed:
      out_.seed(static_cast<std::int64_t>(node.number));
      return out_.add_terms(terms(node.terms));
    case Kind::Data:
    case Kind::Constant:
      return set_value(out_.constant(shape, node, name_of(node)));
    default: {
      const Var t = fresh(node);
      if (node.kind == Kind::Fill)
        out_.fill(t, node.number);
      else
        out_.call(node.op, t, {});
      return set_value(t);
    }
  }
}

namespace {

std::vector<Program::Named> chosen(const Program& program, const std::vector<std::string>& names) {
  if (names.empty()) return program.results;
  std::unordered_map<std::string, const Program::Named*> results;
  std::string known;
  for (const Program::Named& result : program.results) {
    results.emplace(result.name, &result);
    known += (known.empty() ? "" : ", ") + result.name;
  }
  std::vector<Program::Named> found;
  std::unordered_set<std::string> seen;
  for (const std::string& name : names) {
    const auto result = results.find(name);
    if (result == results.end())
      cudamat::misuse("lower", "the program assigns no array to '{}'; it assigns {}", name,
                      known.empty() ? "none" : known);
    if (seen.insert(name).second) found.push_back(*result->second);
  }
  return found;
}

bool are_matrices(const Program& program, const std::vector<NodePtr>& roots) {
  const std::vector<NodePtr> nodes = in_order(roots);
  return std::all_of(nodes.begin(), nodes.end(),
                     [](const NodePtr& node) { return node->ndim() <= 2; }) &&
         std::all_of(program.inputs.begin(), program.inputs.end(),
                     [](const Program::Named& input) { return input.node->ndim() <= 2; });
}

void set_dims(std::vector<Binding>& bindings, const std::string& name, const Dims& dims) {
  for (Binding& binding : bindings)
    if (binding.name == name) binding.dims = dims;
}

}  // namespace

StatementList lower(const Program& program, const std::vector<std::string>& outputs,
                    Layout layout) {
  const std::vector<Program::Named> results = chosen(program, outputs);
  std::vector<NodePtr> roots = program.steps;
  for (const Program::Named& result : results) roots.push_back(result.node);
  if (layout == Layout::Matrices && are_matrices(program, roots))
    return Lowering(program, roots, results).finish(program);
  const MatrixProgram matrices = to_matrices(program, roots, results, layout);
  StatementList list =
      Lowering(matrices.program, matrices.roots, matrices.outputs).finish(matrices.program);
  if (layout == Layout::COrder) return list;
  for (const NodePtr& node : in_order(roots))
    if (node->kind == Kind::Input) set_dims(list.inputs, node->text, node->dims);
  for (const auto& [name, node] : program.inputs) set_dims(list.inputs, name, node->dims);
  for (const auto& [name, node] : results) set_dims(list.outputs, name, node->dims);
  return list;
}

std::vector<UnrolledWarning> unrolled_warnings(const Program& program, const StatementList& list) {
  constexpr std::uint64_t kMany = 1000;
  std::vector<UnrolledWarning> warnings;
  if (list.statements.size() <= kMany) return warnings;  // all that is long became loops again
  for (const auto& [line, unrolled] : program.unrolled) {
    const auto remark = list.remarks.find(line);
    const std::string written_out = fmt::format("unrolled: {} iteration", unrolled.iterations);
    if (unrolled.operations <= kMany || remark == list.remarks.end() ||
        !remark->second.starts_with(written_out))
      continue;
    const std::string place = unrolled.line == 0 || unrolled.line == line || !program.source
                                  ? ""
                                  : fmt::format("line {}: ", program.source->label(unrolled.line));
    warnings.push_back(
        {line, fmt::format("this loop is unrolled, into about {} operations{}{}{}{}{}",
                           unrolled.operations, unrolled.why.empty() ? "" : ", since ", place,
                           unrolled.why, unrolled.advice.empty() ? "" : "; ", unrolled.advice)});
  }
  return warnings;
}

StatementList lower(const NodePtr& root, const std::string& result) {
  Program program;
  program.assignments.push_back({result, root});
  program.results = program.assignments;
  program.steps.push_back(root);
  return lower(program);
}

}  // namespace rewriter
