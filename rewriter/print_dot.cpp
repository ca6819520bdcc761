#include "rewriter/print.hpp"
#include "rewriter/print_node.hpp"
#include "rewriter/print_text.hpp"

namespace rewriter {

namespace {

std::string print_heads(const std::vector<print::Head>& heads) {
  std::unordered_map<const Node*, std::string> names;
  std::vector<NodePtr> roots;
  for (const print::Head& head : heads) {
    std::string& names_of = names[head.node.get()];
    names_of += (names_of.empty() ? "" : ", ") + head.name;
    roots.push_back(head.node);
  }
  std::unordered_map<const Node*, std::size_t> numbers;
  std::string out =
      "digraph program {\n"
      "  ordering=\"in\";\n"
      "  node [shape=box, style=rounded, fontname=\"Helvetica\"];\n";
  const auto write = [&](const Node& node) {
    const std::size_t number = numbers.emplace(&node, numbers.size() + 1).first->second;
    std::string label;
    if (const auto named = names.find(&node); named != names.end()) label = named->second + " = ";
    label = print::in_quotes(label + print::node_label(node));
    label.pop_back();
    const char* const looks = node.kind == Kind::Number ? ", shape=plaintext"
                              : print::is_leaf(node)    ? ", style=solid"
                              : names.contains(&node)   ? ", style=\"rounded,bold\""
                                                        : "";
    const std::string dims = node.kind == Kind::Number ? "" : "\\n" + print::dims_text(node.dims);
    out += fmt::format("  n{} [label={}{}\"{}];\n", number, label, dims, looks);
    for (const NodePtr& operand : node.args)
      out += fmt::format("  n{} -> n{};\n", numbers.at(operand.get()), number);
  };
  for (const NodePtr& node : in_order(roots)) write(*node);
  return out + "}\n";
}

}  // namespace

std::string print_dot(const Program& program, const PrintOptions& /*options*/) {
  return print_heads(print::heads_of(program));
}

std::string print_dot(const std::vector<NodePtr>& roots, const PrintOptions& /*options*/) {
  return print_heads(print::heads_of(roots));
}

}  // namespace rewriter
