#include "rewriter/plan/memory_plan.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "rewriter/list/cost.hpp"
#include "rewriter/list/edit.hpp"
#include "rewriter/listing/print_text.hpp"
#include "rewriter/text/saturating.hpp"

namespace rewriter {

namespace {

using Kind = Statement::Kind;

class Planner {
 public:
  Planner(const StatementList& list, int bytes_per_element)
      : list_(list), live_(list), number_(list.variables.size(), 0) {
    plan_.bytes_per_element = bytes_per_element;
    plan_.arena = plan_arena(list, bytes_per_element);
  }

  MemoryPlan run() {
    for (const Binding& input : list_.inputs) add(input.var, MemoryPlan::Kind::Input);
    for (const Statement& s : list_.statements) {
      if (s.kind == Kind::Empty) add(s.target, MemoryPlan::Kind::Matrix);
      if (s.kind == Kind::Constant) add(s.target, MemoryPlan::Kind::Constant);
    }
    note_lines();
    for (std::size_t var = 0; var < number_.size(); ++var)
      if (list_.variables[var].view_of != kNoVar)
        buffer(static_cast<Var>(var)).views.push_back(static_cast<Var>(var));
    const MemoryUse memory = memory_use(list_, plan_.bytes_per_element);
    plan_.inputs = memory.inputs;
    plan_.peak = memory.peak;
    plan_.peak_at = memory.peak_statement;
    plan_.lower_bound = saturating_multiply(live_.least_peak(), plan_.bytes_per_element);
    name_extents();
    add_up_peak();
    return std::move(plan_);
  }

 private:
  MemoryPlan::Buffer& buffer(Var var) { return plan_.buffers[number_[owner(list_, var)]]; }

  void add(Var var, MemoryPlan::Kind kind) {
    const Liveness::Memory& memory = live_.of(var);
    number_[var] = plan_.buffers.size();
    MemoryPlan::Buffer& added = plan_.buffers.emplace_back();
    added.var = var;
    added.kind = kind;
    added.bytes = bytes_of(list_, var, plan_.bytes_per_element);
    added.offset = plan_.arena.offsets[var];
    added.made = memory.made;
    added.freed = memory.freed == kNowhere ? std::ssize(list_.statements) : memory.freed;
    added.is_output = memory.is_output;
    added.values = live_.lives(var).size();
  }

  void note_lines() {
    const auto note = [&](Var var, int line) {
      if (var == kNoVar || line < 1) return;
      MemoryPlan::Buffer& used = buffer(var);
      used.first_line = used.first_line == 0 ? line : std::min(used.first_line, line);
      used.last_line = std::max(used.last_line, line);
    };
    for (const Statement& s : list_.statements) {
      note(s.target, s.where.line);
      for (const auto& operand : s.operands) note(operand.var, s.where.line);
    }
  }

  void name_extents() {
    const auto note = [&](Index extent, const std::string& meaning, bool adds = false) {
      if (extent < 2) return;
      auto& symbols = plan_.symbols;
      const auto known = std::find_if(symbols.begin(), symbols.end(),
                                      [&](const auto& each) { return each.value == extent; });
      if (known == symbols.end())
        symbols.push_back({fmt::format("n{}", symbols.size() + 1), extent, meaning});
      else if (adds)
        known->meaning += ", " + meaning;
    };
    for (const Binding& input : list_.inputs) {
      const std::string name = print::safe(input.name);
      if (input.dims.size() == 1) note(input.dims[0], "elements of " + name, true);
      if (input.dims.size() != 2) continue;
      note(input.dims[0], "rows of " + name, true);
      note(input.dims[1], "columns of " + name, true);
    }
    for (const MemoryPlan::Buffer& each : plan_.buffers) {
      if (each.kind == MemoryPlan::Kind::Input || !live_at_peak(each)) continue;
      const Variable& v = list_.variables[each.var];
      note(v.shape.rows, "rows of " + v.name);
      note(v.shape.cols, "columns of " + v.name);
    }
  }

  [[nodiscard]] bool live_at_peak(const MemoryPlan::Buffer& buffer) const {
    return buffer.made <= plan_.peak_at && plan_.peak_at < buffer.freed;
  }

  void add_up_peak() {
    std::map<std::vector<std::size_t>, Index> counts;
    for (const MemoryPlan::Buffer& each : plan_.buffers) {
      if (!live_at_peak(each) || each.bytes == 0) continue;
      Index count = 1;
      std::vector<std::size_t> symbols;
      const cudamat::Shape shape = list_.variables[each.var].shape;
      for (const Index extent : {shape.rows, shape.cols}) {
        const auto known = std::find_if(plan_.symbols.begin(), plan_.symbols.end(),
                                        [&](const auto& symbol) { return symbol.value == extent; });
        if (known == plan_.symbols.end())
          count *= extent;
        else
          symbols.push_back(static_cast<std::size_t>(known - plan_.symbols.begin()));
      }
      std::sort(symbols.begin(), symbols.end());
      counts[std::move(symbols)] += count;
    }
    for (auto& [symbols, count] : counts) plan_.peak_terms.push_back({count, symbols});
    std::stable_sort(plan_.peak_terms.begin(), plan_.peak_terms.end(),
                     [](const MemoryPlan::Term& a, const MemoryPlan::Term& b) {
                       return a.symbols.size() > b.symbols.size();
                     });
  }

  const StatementList& list_;
  Liveness live_;
  Table<std::size_t> number_;  // by owner: its buffer
  MemoryPlan plan_;
};

std::string bytes_text(Index bytes) {
  const std::string size = print::binary_size(bytes);
  return print::grouped(bytes) + " bytes" + (size.empty() ? "" : " (" + size + ")");
}

/// "3-9", "3-end", "all"
std::string range_text(const MemoryPlan::Buffer& buffer, std::size_t statements) {
  const bool to_end = buffer.freed == static_cast<Position>(statements);
  if (buffer.made < 0 && to_end) return "all";
  return fmt::format("{}-{}", buffer.made + 1,
                     to_end ? "end" : fmt::format("{}", buffer.freed + 1));
}

std::string lines_text(const StatementList& list, const MemoryPlan::Buffer& buffer) {
  if (buffer.first_line == 0) return "-";
  const auto said = [&](int line) {
    const std::string label = print::line_label(list, line);
    return label.substr(0, label.rfind(' ', label.size()));  // without the function
  };
  return buffer.first_line == buffer.last_line
             ? said(buffer.first_line)
             : fmt::format("{}-{}", said(buffer.first_line), said(buffer.last_line));
}

std::string arena_text(const MemoryPlan& plan) {
  const Index alignment = plan.arena.least - plan.peak;
  const Index gaps = plan.arena.bytes - plan.arena.least;
  std::string beyond;
  if (alignment > 0)
    beyond += fmt::format("; {} bytes so that each begins at a multiple of {}",
                          print::grouped(alignment), kArenaAlignment);
  if (gaps > 0)
    beyond += fmt::format("; {} bytes in gaps, which no order that was tried avoids",
                          print::grouped(gaps));
  return fmt::format("# arena {}, all that a run allocates for them: the peak{}\n",
                     bytes_text(plan.arena.bytes), beyond.empty() ? ", and no more" : beyond);
}

std::string holds_text(const StatementList& list, const MemoryPlan::Buffer& buffer) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (buffer.kind == MemoryPlan::Kind::Input) add("input");
  if (buffer.kind == MemoryPlan::Kind::Constant) add("constant");
  if (buffer.is_output) add("output");
  if (buffer.kind != MemoryPlan::Kind::Input && buffer.values > 1 && buffer.views.empty())
    add(fmt::format("{} values in turn", buffer.values));
  if (!buffer.views.empty()) {
    std::string views = "shown by";
    for (const Var view : buffer.views) views += " " + name_of(list, view);
    add(views);
  }
  return text;
}

}  // namespace

MemoryPlan memory_plan(const StatementList& list, int bytes_per_element) {
  return Planner(list, bytes_per_element).run();
}

std::string peak_formula(const MemoryPlan& plan) {
  std::string sum;
  for (const MemoryPlan::Term& term : plan.peak_terms) {
    std::string product;
    if (term.count != 1 || term.symbols.empty()) product = fmt::format("{}", term.count);
    for (const std::size_t symbol : term.symbols)
      product += (product.empty() ? "" : "*") + plan.symbols[symbol].name;
    sum += (sum.empty() ? "" : " + ") + product;
  }
  return fmt::format("{}*({})", plan.bytes_per_element, sum.empty() ? "0" : sum);
}

std::string statement_with_place(const StatementList& list, Position at) {
  if (at < 0) return "the inputs";
  const Statement& s = list.statements[at];
  std::string text = print::statement_text(list, s, print::ListNames(list));
  if (s.where.line > 0)
    text += list.source ? fmt::format(", {}", list.source->named_line(s.where.line))
                        : fmt::format(", line {}", s.where.line);
  return text;
}

std::string print_memory_plan(const StatementList& list, const MemoryPlan& plan) {
  std::vector<std::array<std::string, 7>> rows = {
      {"buffer", "shape", "bytes", "offset", "statements", "lines", ""}};
  for (const MemoryPlan::Buffer& each : plan.buffers) {
    const cudamat::Shape shape = list.variables[each.var].shape;
    rows.push_back({name_of(list, each.var), fmt::format("{}", shape), print::grouped(each.bytes),
                    print::grouped(each.offset), range_text(each, list.statements.size()),
                    lines_text(list, each), holds_text(list, each)});
  }
  std::array<int, 7> widths{};
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], print::columns(row[i]));
  std::string text = "# the memory plan\n";
  for (const auto& row : rows) {
    std::string line = "#";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string space(static_cast<std::size_t>(widths[i] - print::columns(row[i])), ' ');
      line += "  " + (i == 0 || i == 6 ? row[i] + space : space + row[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  text += fmt::format("# peak {} = {}, at {}\n", bytes_text(plan.peak), peak_formula(plan),
                      plan.peak_at < 0 ? "the inputs alone"
                                       : fmt::format("statement {}: {}", plan.peak_at + 1,
                                                     statement_with_place(list, plan.peak_at)));
  for (const MemoryPlan::Symbol& symbol : plan.symbols)
    text += fmt::format("#   {} = {}  {}\n", symbol.name, symbol.value, symbol.meaning);
  text += fmt::format("# lower bound {}, the most that is live at once: {}\n",
                      bytes_text(plan.lower_bound),
                      plan.peak == plan.lower_bound
                          ? "the plan is optimal for this order"
                          : print::grouped(plan.peak - plan.lower_bound) + " bytes below the peak");
  return text + arena_text(plan);
}

}  // namespace rewriter
