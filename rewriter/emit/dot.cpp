#include "rewriter/emit/node.hpp"
#include "rewriter/emit/print.hpp"
#include "rewriter/listing/print_text.hpp"

namespace rewriter {

namespace {

/// Heads, and loops as clusters around the nodes of their bodies.
std::string print_heads(const std::vector<print::Head>& heads,
                        const std::vector<print::LoopIds>& loops) {
  std::unordered_map<const Node*, std::string> names;
  std::vector<NodePtr> roots;
  for (const print::Head& head : heads) {
    std::string& names_of = names[head.node.get()];
    names_of += (names_of.empty() ? "" : ", ") + head.name;
    roots.push_back(head.node);
  }
  std::unordered_map<const Node*, std::size_t> numbers;
  std::string edges;
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
    for (const NodePtr& operand : print::shown_operands(node))
      edges += fmt::format("  n{} -> n{};\n", numbers.at(operand.get()), number);
    if (loops.empty()) out += std::exchange(edges, {});
  };
  std::vector<const print::LoopIds*> open;
  auto next = loops.begin();
  for (const NodePtr& node : print::shown_nodes(roots)) {
    for (; !open.empty() && node->id > open.back()->end; open.pop_back()) out += "  }\n";
    for (; next != loops.end() && node->id > next->begin; ++next) {
      if (node->id > next->end) continue;
      out += fmt::format("  subgraph cluster_{} {{\n  label={};\n", next - loops.begin(),
                         print::in_quotes(print::node_label(*next->node)));
      open.push_back(&*next);
    }
    write(*node);
  }
  for (; !open.empty(); open.pop_back()) out += "  }\n";
  for (const print::LoopIds& loop : loops)
    for (std::size_t k = 0; k < loop.node->carried; ++k) {
      const auto from = numbers.find(loop.node->slot_value(k).get());
      const auto to = numbers.find(loop.node->args[1 + 2 * k].get());
      if (from != numbers.end() && to != numbers.end())
        edges += fmt::format("  n{} -> n{} [style=dashed, constraint=false];\n", from->second,
                             to->second);
    }
  return out + edges + "}\n";
}

}  // namespace

std::string print_dot(const Program& program, const PrintOptions& /*options*/) {
  return print_heads(print::heads_of(program), print::loops_of(program));
}

std::string print_dot(const std::vector<NodePtr>& roots, const PrintOptions& /*options*/) {
  return print_heads(print::heads_of(roots), {});
}

}  // namespace rewriter
