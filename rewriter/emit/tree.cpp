#include <algorithm>
#include <deque>

#include "rewriter/emit/node.hpp"
#include "rewriter/emit/print.hpp"
#include "rewriter/listing/print_text.hpp"

namespace rewriter {

namespace {

constexpr int kWidestTree = 60;  // columns before the shapes

class TreePrinter {
 public:
  TreePrinter(std::vector<print::Head> heads, std::vector<print::LoopIds> loops,
              const std::optional<Source>& source)
      : heads_(std::move(heads)), loops_(std::move(loops)), around_(loops_.size()) {
    for (std::size_t i = 0; i < loops_.size(); ++i)
      around_[i] = i == 0 ? loops_.size() : innermost(i - 1, loops_[i].begin);
    list_.source = source;
    std::vector<NodePtr> roots;
    for (const print::Head& head : heads_) {
      ++uses_[head.node.get()];
      roots.push_back(head.node);
    }
    for (const NodePtr& node : print::shown_nodes(roots))
      for (const NodePtr& operand : print::shown_operands(*node)) ++uses_[operand.get()];
  }

  std::string print();

 private:
  struct Line {
    std::string text;
    std::string dims;  // empty: a heading
  };

  /// Of the loop and those around it the first that holds the node of this id; loops_.size(): none.
  [[nodiscard]] std::size_t innermost(std::size_t loop, std::uint64_t id) const {
    while (loop < loops_.size() && id >= loops_[loop].end) loop = around_[loop];
    return loop;
  }
  [[nodiscard]] std::vector<const print::LoopIds*> loops_around(std::uint64_t id) const;
  void write_loops(const print::Head& head);
  void write_head(const print::Head& head);
  void write_pending();
  void write_operands(const Node& node, const std::string& guides, int depth);
  void write_node(const NodePtr& node, const std::string& guides, const char* branch, int depth);
  std::string number() { return fmt::format("%{}", ++numbers_); }
  [[nodiscard]] std::string indent() const { return std::string(2 * open_.size(), ' '); }
  void put(std::string text, const Node& node) {
    lines_.push_back({indent() + std::move(text), print::dims_text(node.dims)});
  }

  std::vector<print::Head> heads_;
  std::vector<print::LoopIds> loops_;        // by where they begin
  std::vector<std::size_t> around_;          // of each the loop that it is in
  std::vector<const print::LoopIds*> open_;  // whose bodies the heads are in
  StatementList list_;                       // for its source
  std::unordered_map<const Node*, int> uses_;
  std::unordered_map<const Node*, std::string> printed_;  // and how to refer to it
  std::deque<std::pair<std::string, NodePtr>> pending_;
  std::vector<Line> lines_;
  int numbers_ = 0;
};

void TreePrinter::write_operands(const Node& node, const std::string& guides, int depth) {
  const std::vector<NodePtr> operands = print::shown_operands(node);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const bool last = i + 1 == operands.size();
    write_node(operands[i], guides, last ? "└─ " : "├─ ", depth + 1);
  }
}

void TreePrinter::write_node(const NodePtr& node, const std::string& guides, const char* branch,
                             int depth) {
  if (const auto found = printed_.find(node.get()); found != printed_.end())
    return put(guides + branch + found->second, *node);
  if (print::is_leaf(*node)) return put(guides + branch + print::node_label(*node), *node);
  if (depth > print::kDeepest) {
    const std::string name = number();
    printed_.emplace(node.get(), name);
    pending_.emplace_back(name, node);
    return put(guides + branch + name + ", below", *node);
  }
  std::string label = print::node_label(*node);
  if (uses_[node.get()] > 1) {
    const std::string name = number();
    printed_.emplace(node.get(), name);
    label = name + " = " + label;
  }
  put(guides + branch + label, *node);
  const bool last = std::string_view(branch) == "└─ ";
  write_operands(*node, guides + (last ? "   " : "│  "), depth);
}

void TreePrinter::write_pending() {
  while (!pending_.empty()) {
    const auto [name, node] = std::move(pending_.front());
    pending_.pop_front();
    lines_.push_back({"", ""});
    put(name + " = " + print::node_label(*node), *node);
    write_operands(*node, "", 0);
  }
}

/// Outermost first.
std::vector<const print::LoopIds*> TreePrinter::loops_around(std::uint64_t id) const {
  const auto after = std::partition_point(
      loops_.begin(), loops_.end(), [id](const print::LoopIds& loop) { return loop.begin < id; });
  std::vector<const print::LoopIds*> loops;
  if (after == loops_.begin()) return loops;
  for (std::size_t loop = innermost(static_cast<std::size_t>(after - loops_.begin()) - 1, id);
       loop < loops_.size(); loop = around_[loop])
    loops.push_back(&loops_[loop]);
  std::reverse(loops.begin(), loops.end());
  return loops;
}

/// Leaves loops and enters others, as the head stands in them.
void TreePrinter::write_loops(const print::Head& head) {
  const std::uint64_t id = head.node->id;
  while (!open_.empty() && (id <= open_.back()->begin || id >= open_.back()->end)) open_.pop_back();
  for (const print::LoopIds* loop : loops_around(id)) {
    if (std::find(open_.begin(), open_.end(), loop) != open_.end()) continue;
    if (!lines_.empty()) lines_.push_back({"", ""});
    lines_.push_back({indent() + print::node_label(*loop->node) + ":", ""});
    open_.push_back(loop);
  }
}

void TreePrinter::write_head(const print::Head& head) {
  write_loops(head);
  if (!lines_.empty()) lines_.push_back({"", ""});
  const std::string text = print::source_line(list_, head.line);
  if (!text.empty())
    lines_.push_back(
        {indent() + fmt::format("# {}: {}", print::line_label(list_, head.line), text), ""});
  const auto found = printed_.find(head.node.get());
  if (found != printed_.end() || print::is_leaf(*head.node)) {
    put(head.name + " = " +
            (found != printed_.end() ? found->second : print::node_label(*head.node)),
        *head.node);
    printed_.try_emplace(head.node.get(), head.name);
    return;
  }
  put(head.name + " = " + print::node_label(*head.node), *head.node);
  printed_.emplace(head.node.get(), head.name);
  write_operands(*head.node, "", 0);
  write_pending();
}

std::string TreePrinter::print() {
  for (const print::Head& head : heads_) write_head(head);
  int width = 0;
  for (const Line& line : lines_)
    if (const int columns = print::columns(line.text); !line.dims.empty() && columns <= kWidestTree)
      width = std::max(width, columns);
  std::string out;
  for (const Line& line : lines_) {
    out += line.text;
    if (!line.dims.empty()) {
      const int spaces = std::max(width - print::columns(line.text), 0) + 2;
      out.append(static_cast<std::size_t>(spaces), ' ');
      out += line.dims;
    }
    out += '\n';
  }
  return out;
}

}  // namespace

std::string print_tree(const Program& program, const PrintOptions& /*options*/) {
  return TreePrinter(print::heads_of(program), print::loops_of(program), program.source).print();
}

std::string print_tree(const std::vector<NodePtr>& roots, const PrintOptions& /*options*/) {
  return TreePrinter(print::heads_of(roots), {}, {}).print();
}

}  // namespace rewriter
