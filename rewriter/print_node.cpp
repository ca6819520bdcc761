#include "rewriter/print_node.hpp"

#include "rewriter/print_text.hpp"

namespace rewriter::print {

namespace {

/// The first spelling of the op table: "np.exp", ".T"; else Cudamat's name.
std::string numpy_name(Op op) {
  const cudamat::OpRow& row = cudamat::row(op);
  return std::string(row.numpy.empty() ? row.name : row.numpy.substr(0, row.numpy.find(' ')));
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
      return numpy_name(node.op);
    case Kind::LogicalNot:
      return "np.logical_not";
    case Kind::Where:
      return "np.where";
    case Kind::Reduce:
      return numpy_name(node.op) + axis_text(node);
    case Kind::Variance:
      return spread_text("np.var", node);
    case Kind::Deviation:
      return spread_text("np.std", node);
    case Kind::Dot:
      return "np.dot";
    case Kind::Transpose:
      return ".T";
    case Kind::Reshape:
      return ".reshape";
    case Kind::Slice:
      return ranges_text(node);
    case Kind::SetSlice:
      return ranges_text(node) + " =";
    case Kind::Concatenate:
      return fmt::format("np.concatenate axis={}", node.axis);
    case Kind::Copy:
      return ".copy";
    case Kind::LoopValue:
      return to_string(Affine{static_cast<Index>(node.number), node.terms});
    case Kind::LoopBegin:
    case Kind::LoopEnd:
      return fmt::format("for {} in {}", one_line(node.loop->name), range_text(*node.loop));
    case Kind::Carried:
      return fmt::format("{} of the iteration before", node.text.empty() ? "value" : node.text);
    case Kind::After:
      return fmt::format("{} after the loop", node.text.empty() ? "value" : node.text);
    case Kind::Print:
      return "print";
  }
  throw cudamat::InternalError("a node of no kind");
}

}  // namespace

std::string node_label(const Node& node) {
  return plain_label(node) + (node.in_place ? " in place" : "");
}

bool is_leaf(const Node& node) {
  return node.args.empty() && node.kind != Kind::Random && node.kind != Kind::Seed;
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
