#include "rewriter/emit/node.hpp"

#include <algorithm>
#include <unordered_set>

#include "rewriter/expr/custom.hpp"
#include "rewriter/listing/print_text.hpp"

namespace rewriter::print {

namespace {

/// "np.exp", ".T"; else Cudamat's name.
std::string spelling(Op op) {
  const std::string_view first = cudamat::first_spelling(op);
  return std::string(first.empty() ? cudamat::name(op) : first);
}

std::string axis_text(const Node& node) {
  std::string text;
  if (node.axis >= 0) text += fmt::format(" axis={}", node.axis);
  if (node.keepdims) text += " keepdims=True";
  return text;
}

std::string ranges_text(const Node& node) {
  std::string text = "[";
  for (const Range& range : node.ranges) {
    if (text.size() > 1) text += ", ";
    const std::string start = to_string(Affine{range.start, range.shift});
    text += range.drops_axis ? start : start + ":" + to_string(Affine{range.stop, range.shift});
  }
  return text + "]";
}

std::string spread_text(const char* name, const Node& node) {
  return name + axis_text(node) + (node.number == 0 ? "" : " ddof=" + decimal(node.number));
}

/// "custom both 0.5", "custom both, operand 0: rows 0:2, transposed".
std::string custom_label(const CustomUse& use) {
  std::string text = "custom " + use.operation->name;
  for (const double number : use.numbers) text += " " + python_number(number);
  for (std::size_t i = 0; i < use.operands.size(); ++i) {
    const CustomUse::Operand& operand = use.operands[i];
    if (!operand.is_part && !operand.transposed) continue;
    text += fmt::format(", operand {}:", i);
    if (operand.is_part)
      text += fmt::format(" rows {}:{}", to_string(Affine{operand.rows.start, operand.rows.shift}),
                          to_string(Affine{operand.rows.stop, operand.rows.shift}));
    if (operand.transposed) text += operand.is_part ? ", transposed" : " transposed";
  }
  return text;
}

std::string plain_label(const Node& node) {
  switch (node.kind) {
    case Kind::Number:
      return python_number(node.number);
    case Kind::Input:
      return one_line(node.text);
    case Kind::Data:
      return "data";
    case Kind::Constant:
      return node.text.empty() ? "constant" : one_line(node.text);
    case Kind::Fill:
      return node.number == 0   ? "np.zeros"
             : node.number == 1 ? "np.ones"
                                : "np.full " + python_number(node.number);
    case Kind::Seed:
      return "np.random.seed " + decimal(node.number);
    case Kind::Random:
    case Kind::Map:
    case Kind::Whole:
      return spelling(node.op);
    case Kind::LogicalNot:
      return "np.logical_not";
    case Kind::Where:
      return "np.where";
    case Kind::Reduce:
      return spelling(node.op) + axis_text(node);
    case Kind::Variance:
      return spread_text("np.var", node);
    case Kind::Deviation:
      return spread_text("np.std", node);
    case Kind::Sort:
      return fmt::format("np.{} axis=0", cudamat::name(node.op));
    case Kind::Solver:
      return fmt::format("{}{}", node.op == Op::bincount ? "np." : "np.linalg.",
                         cudamat::name(node.op));
    case Kind::Scan:
      return fmt::format("np.{}", cudamat::name(node.op));
    case Kind::Dot:
      return "np.dot";
    case Kind::Transpose:
      return node.axes.empty() ? ".T"
                               : fmt::format("np.transpose axes=({})", fmt::join(node.axes, ", "));
    case Kind::Reshape:
      return node.by_columns ? ".reshape order='F'" : ".reshape";
    case Kind::Broadcast:
      return "np.broadcast_to";
    case Kind::Slice:
      return ranges_text(node);
    case Kind::SetSlice:
      return ranges_text(node) + " =";
    case Kind::Take:
      return fmt::format("np.take axis={}", node.axis);
    case Kind::Put:
      return fmt::format("[indices] = axis={}", node.axis);
    case Kind::Concatenate:
      return fmt::format("np.concatenate axis={}", node.axis);
    case Kind::Copy:
      return ".copy";
    case Kind::LoopValue:
      return to_string(Affine{static_cast<Index>(node.number), node.terms});
    case Kind::LoopBegin:
    case Kind::LoopEnd:
      return loop_text(node.loop->form, one_line(node.loop->name), range_text(*node.loop),
                       "its condition");
    case Kind::Carried:
      return fmt::format("{} of the iteration before", node.text.empty() ? "value" : node.text);
    case Kind::After:
      return fmt::format("{} after the loop", node.text.empty() ? "value" : node.text);
    case Kind::Print:
      return "print";
    case Kind::Custom:
      return custom_label(*node.custom);
    case Kind::CustomResult:
      return fmt::format("result {}", node.slot);
  }
  throw cudamat::InternalError("unknown node kind");
}

}  // namespace

std::string node_label(const Node& node) {
  return plain_label(node) + (node.in_place ? " in place" : "");
}

bool is_leaf(const Node& node) {
  return node.args.empty() && node.kind != Kind::Random && node.kind != Kind::Seed;
}

std::vector<NodePtr> shown_operands(const Node& node) {
  if (node.kind == Kind::Carried) return {node.args[0]};
  if (node.kind == Kind::After) return {node.args[0]->slot_value(node.slot)};
  return node.args;
}

std::vector<NodePtr> shown_nodes(const std::vector<NodePtr>& roots) {
  std::vector<NodePtr> found;
  std::unordered_set<const Node*> seen;
  const auto visit = [&](const NodePtr& node) {
    if (seen.insert(node.get()).second) found.push_back(node);
  };
  for (const NodePtr& root : roots) visit(root);
  for (std::size_t next = 0; next < found.size(); ++next)
    for (const NodePtr& operand : shown_operands(*found[next])) visit(operand);
  std::sort(found.begin(), found.end(),
            [](const NodePtr& a, const NodePtr& b) { return a->id < b->id; });
  return found;
}

std::vector<LoopIds> loops_of(const Program& program) {
  std::vector<LoopIds> loops;
  for (const NodePtr& step : program.steps)
    if (step->kind == Kind::LoopEnd) loops.push_back({step->args[0]->id, step->id, step});
  std::sort(loops.begin(), loops.end(),
            [](const LoopIds& a, const LoopIds& b) { return a.begin < b.begin; });
  return loops;
}

std::vector<Head> heads_of(const Program& program) {
  const auto& named = program.assignments.empty() ? program.results : program.assignments;
  std::unordered_map<std::string, int> times;
  for (const Program::Named& input : program.inputs) times[input.name] = 1;
  std::vector<Head> heads;
  heads.reserve(named.size());
  for (const Program::Named& value : named) {
    if (value.node == nullptr) continue;
    const int n = ++times[value.name];
    heads.push_back({n == 1 ? value.name : fmt::format("{}#{}", value.name, n), value.node,
                     value.node->where.line});
  }
  return heads;
}

std::vector<Head> heads_of(const std::vector<NodePtr>& roots) {
  std::vector<Head> heads;
  heads.reserve(roots.size());
  for (const NodePtr& root : roots)
    heads.push_back({roots.size() == 1 ? "result" : fmt::format("result {}", heads.size() + 1),
                     root, root->where.line});
  return heads;
}

}  // namespace rewriter::print
