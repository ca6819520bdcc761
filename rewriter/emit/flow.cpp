// The flow of values through a list, as trees and as a graph.
#include "rewriter/list/flow.hpp"

#include <algorithm>
#include <deque>
#include <unordered_set>

#include "rewriter/emit/node.hpp"
#include "rewriter/emit/print.hpp"
#include "rewriter/listing/print_text.hpp"

namespace rewriter {

namespace {

constexpr int kWidestFlow = 80;  // columns before the shapes

/// What both printers say of a step.
class FlowPrinter {
 public:
  explicit FlowPrinter(const StatementList& list)
      : list_(list), names_(list), flow_(flow_of(list)) {}

 protected:
  using Step = Flow::Step;

  [[nodiscard]] const Step& step(std::size_t number) const { return flow_.steps[number]; }
  [[nodiscard]] bool is_input(std::size_t number) const {
    return step(number).statement == Flow::kNone;
  }
  [[nodiscard]] std::string text(std::size_t number) const {
    if (is_input(number)) return names_[step(number).var];
    return print::statement_text(list_, list_.statements[step(number).statement], names_);
  }
  [[nodiscard]] std::string shape(std::size_t number) const {
    const Var var = step(number).var;
    if (var == kNoVar) return "";
    return fmt::format("{}", list_.variables[var].shape);
  }
  /// "for batch in range(0, 78)" of a Loop.
  [[nodiscard]] std::string loop_text(std::size_t statement) const {
    std::string line = print::statement_text(list_, list_.statements[statement], names_);
    if (line.ends_with(':')) line.pop_back();
    return line;
  }
  /// The loops around a step, outermost first.
  [[nodiscard]] std::vector<std::size_t> loops_around(const LoopNesting& nesting,
                                                      std::size_t number) const {
    std::vector<std::size_t> loops;
    for (std::size_t loop = step(number).loop; loop != Flow::kNone; loop = nesting.around[loop])
      loops.insert(loops.begin(), loop);
    return loops;
  }

  const StatementList& list_;
  print::ListNames names_;
  Flow flow_;
};

class FlowTreePrinter : FlowPrinter {
 public:
  explicit FlowTreePrinter(const StatementList& list)
      : FlowPrinter(list), nesting_(loop_nesting(list)), uses_(flow_.steps.size(), 0) {
    for (const Step& s : flow_.steps)
      for (const std::size_t from : s.from)
        uses_[from] += s.loop == step(from).loop ? 1 : 2;  // across a loop: a tree of its own
    for (const std::size_t output : flow_.outputs)
      if (output != Flow::kNone) uses_[output] += 2;
    for (const auto& [from, to] : flow_.carried) uses_[from] += 2;
  }

  std::string print() {
    for (std::size_t i = 0; i < flow_.steps.size(); ++i)
      if (uses_[i] != 1 && !is_input(i)) write_root(i);
    int width = 0;
    for (const auto& [text, dims] : lines_)
      if (const int columns = print::columns(text); !dims.empty() && columns <= kWidestFlow)
        width = std::max(width, columns);
    std::string out;
    for (const auto& [text, dims] : lines_) {
      out += text;
      if (!dims.empty())
        out += std::string(static_cast<std::size_t>(std::max(width - print::columns(text), 0) + 2),
                           ' ') +
               dims;
      out += '\n';
    }
    return out;
  }

 private:
  void put(const std::string& text, std::string dims) {
    lines_.emplace_back(std::string(2 * open_.size(), ' ') + text, std::move(dims));
  }

  void enter(const std::vector<std::size_t>& loops) {
    while (open_.size() > loops.size() || !std::equal(open_.begin(), open_.end(), loops.begin()))
      open_.pop_back();
    for (std::size_t k = open_.size(); k < loops.size(); ++k) {
      put(loop_text(loops[k]) + ":", "");
      open_.push_back(loops[k]);
    }
  }

  void write_root(std::size_t root) {
    enter(loops_around(nesting_, root));
    std::deque<std::size_t> roots{root};
    for (; !roots.empty(); roots.pop_front()) {
      put(fmt::format("%{} {}", roots.front() + 1, text(roots.front())), shape(roots.front()));
      write_operands(roots.front(), "", 0, roots);
    }
  }

  void write_operands(std::size_t number, const std::string& guides, int depth,
                      std::deque<std::size_t>& roots) {
    const std::vector<std::size_t>& from = step(number).from;
    for (std::size_t i = 0; i < from.size(); ++i) {
      const bool last = i + 1 == from.size();
      const std::string branch = guides + (last ? "└─ " : "├─ ");
      const std::size_t operand = from[i];
      if (is_input(operand)) {
        put(branch + text(operand), shape(operand));
      } else if (uses_[operand] != 1 || depth >= print::kDeepest) {
        put(fmt::format("{}%{}", branch, operand + 1), shape(operand));
        if (uses_[operand] == 1) roots.push_back(operand);
      } else {
        put(branch + text(operand), shape(operand));
        write_operands(operand, guides + (last ? "   " : "│  "), depth + 1, roots);
      }
    }
  }

  LoopNesting nesting_;
  std::vector<int> uses_;  // 1: shown where it is used
  std::vector<std::pair<std::string, std::string>> lines_;
  std::vector<std::size_t> open_;  // loops
};

class FlowDotPrinter : FlowPrinter {
 public:
  explicit FlowDotPrinter(const StatementList& list)
      : FlowPrinter(list), nesting_(loop_nesting(list)) {}

  std::string print() {
    std::string out =
        "digraph statements {\n"
        "  ordering=\"in\";\n"
        "  node [shape=box, style=rounded, fontname=\"Helvetica\"];\n";
    std::vector<std::size_t> open;
    std::string edges;
    const std::unordered_set<std::size_t> outputs(flow_.outputs.begin(), flow_.outputs.end());
    for (std::size_t i = 0; i < flow_.steps.size(); ++i) {
      const std::vector<std::size_t> loops = loops_around(nesting_, i);
      for (; open.size() > loops.size() || !std::equal(open.begin(), open.end(), loops.begin());
           open.pop_back())
        out += "  }\n";
      for (std::size_t k = open.size(); k < loops.size(); open.push_back(loops[k++]))
        out += fmt::format("  subgraph cluster_{} {{\n  label={};\n", loops[k],
                           print::in_quotes(loop_text(loops[k])));
      std::string label = print::in_quotes(text(i));
      label.pop_back();
      const bool is_output = outputs.contains(i);
      out += fmt::format("  n{} [label={}{}\"{}];\n", i + 1, label,
                         shape(i).empty() ? "" : "\\n" + shape(i),
                         is_input(i) ? ", style=solid"
                         : is_output ? ", style=\"rounded,bold\""
                                     : "");
      for (const std::size_t from : step(i).from)
        edges += fmt::format("  n{} -> n{};\n", from + 1, i + 1);
    }
    for (; !open.empty(); open.pop_back()) out += "  }\n";
    for (const auto& [from, to] : flow_.carried)
      edges += fmt::format("  n{} -> n{} [style=dashed, constraint=false];\n", from + 1, to + 1);
    return out + edges + "}\n";
  }

 private:
  LoopNesting nesting_;
};

}  // namespace

std::string print_tree(const StatementList& list) {
  return FlowTreePrinter(list).print();
}

std::string print_dot(const StatementList& list) {
  return FlowDotPrinter(list).print();
}

}  // namespace rewriter
