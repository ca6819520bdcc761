#include "rewriter/listing/diff.hpp"

#include <algorithm>
#include <unordered_set>

#include "rewriter/list/cost.hpp"
#include "rewriter/listing/print_text.hpp"
#include "rewriter/text/align.hpp"
#include "rewriter/text/unicode.hpp"

namespace rewriter {

namespace {

/// The text in so many columns, cut or filled up.
std::string fitted(const std::string& text, int width) {
  constexpr std::string_view kCut = "...";
  std::string out;
  int used = 0;
  const bool cut = print::columns(text) > width;
  const int room = cut ? width - static_cast<int>(kCut.size()) : width;
  for (std::size_t i = 0; i < text.size();) {
    const Character c = decode_utf8(text, i);
    const int columns = c.valid ? display_width(c.code) : 1;
    if (used + columns > room) break;
    out.append(text, i, static_cast<std::size_t>(c.length));
    used += columns;
    i += static_cast<std::size_t>(c.length);
  }
  if (cut) {
    out += kCut;
    used += static_cast<int>(kCut.size());
  }
  return out.append(static_cast<std::size_t>(width - used), ' ');
}

/// What is compared: the lines of print_statements() without their comments, source lines among
/// them.
std::vector<std::string> lines_of(const StatementList& list) {
  const print::ListNames names(list);
  std::vector<std::string> lines;
  for (const Binding& input : list.inputs) lines.push_back(print::binding_text(input, names, true));
  int line = 0;
  std::size_t depth = 0;
  for (const Statement& s : list.statements) {
    if (s.where.line != line) {
      line = s.where.line;
      lines.push_back(line < 1 ? "# -"
                               : fmt::format("# {}: {}", print::line_label(list, line),
                                             print::source_line(list, line)));
    }
    depth -= s.kind == Statement::Kind::End;
    if (s.kind != Statement::Kind::End)
      lines.push_back(std::string(2 * depth, ' ') + print::statement_text(list, s, names));
    depth += s.kind == Statement::Kind::Loop;
  }
  for (const Binding& output : list.outputs)
    lines.push_back(print::binding_text(output, names, false));
  return lines;
}

class DiffPrinter {
 public:
  DiffPrinter(const StatementList& a, const StatementList& b, const DiffOptions& options)
      : a_(lines_of(a)), b_(lines_of(b)), side_((std::max(options.width, 20) - 3) / 2) {}

  std::string print(const std::string& name_a, const std::string& name_b) {
    row(name_a, ' ', name_b);
    std::size_t i = 0;
    std::size_t j = 0;
    auto pairs = common_subsequence(a_, b_);
    pairs.emplace_back(a_.size(), b_.size());
    for (const auto& [next_i, next_j] : pairs) {
      while (i < next_i || j < next_j) {
        const bool left = i < next_i;
        const bool right = j < next_j;
        row(left ? a_[i++] : "", left && right ? '|' : left ? '<' : '>', right ? b_[j++] : "");
      }
      if (i < a_.size()) row(a_[i++], ' ', b_[j++]);
    }
    return std::move(out_);
  }

 private:
  void row(const std::string& left, char mark, const std::string& right) {
    std::string line = fmt::format("{} {} {}", fitted(left, side_), mark, fitted(right, side_));
    line.erase(line.find_last_not_of(' ') + 1);
    out_ += line + '\n';
  }

  std::vector<std::string> a_;
  std::vector<std::string> b_;
  int side_;
  std::string out_;
};

std::string table(const ListCost& a, const std::string& name_a, const ListCost& b,
                  const std::string& name_b) {
  constexpr int kLabel = 16;
  constexpr int kColumn = 16;
  const auto name = [](const std::string& path) {
    const std::string cut = fitted(path.substr(path.rfind('/') + 1), kColumn);
    const std::size_t end = cut.find_last_not_of(' ') + 1;
    return std::string(cut.size() - end, ' ') + cut.substr(0, end);
  };
  std::string out = fmt::format("\n{:{}}  {}  {}  {:>{}}\n", "", kLabel, name(name_a), name(name_b),
                                "difference", kColumn);
  const auto row = [&](std::string_view label, Index x, Index y) {
    out += fmt::format("{:<{}}  {:>{}}  {:>{}}  {:>{}}\n", label, kLabel, print::grouped(x),
                       kColumn, print::grouped(y), kColumn,
                       (y > x ? "+" : "") + print::grouped(y - x), kColumn);
  };
  row("statements", a.statements, b.statements);
  row("calls", a.calls, b.calls);
  row("temporaries", a.temporaries, b.temporaries);
  row("allocated bytes", a.allocated_bytes, b.allocated_bytes);
  row("peak bytes", a.peak_bytes, b.peak_bytes);
  row("kernel launches", a.launches, b.launches);
  return out;
}

}  // namespace

std::string print_diff(const StatementList& a, const std::string& name_a, const StatementList& b,
                       const std::string& name_b, const DiffOptions& options) {
  const std::string safe_a = print::safe(name_a);
  const std::string safe_b = print::safe(name_b);
  return DiffPrinter(a, b, options).print(safe_a, safe_b) +
         table(cost_of(a, options.bytes_per_element), safe_a, cost_of(b, options.bytes_per_element),
               safe_b);
}

}  // namespace rewriter
