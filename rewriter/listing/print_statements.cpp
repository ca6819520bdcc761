#include "rewriter/listing/print_statements.hpp"

#include <algorithm>
#include <limits>

#include "rewriter/list/cost.hpp"
#include "rewriter/listing/print_text.hpp"

namespace rewriter {

namespace {

using print::columns;
using print::grouped;

constexpr const char* kBold = "\x1b[1m";
constexpr const char* kDim = "\x1b[2m";
constexpr const char* kPeak = "\x1b[33m";
constexpr const char* kReset = "\x1b[0m";

// The statements' column is as wide as its widest text, but within these; longer texts push their
// own comment to the right, and no other.
constexpr int kNarrowest = 40;
constexpr int kWidest = 64;

std::string precision_name(int bytes_per_element) {
  switch (bytes_per_element) {
    case 4:
      return "float32";
    case 8:
      return "float64";
    case 16:
      return "float128";
    default:
      return fmt::format("{} bytes an element", bytes_per_element);
  }
}

/// "1 call", "2 calls", "1,000 calls".
std::string count(Index n, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(n), noun, n == 1 ? "" : "s");
}

class StatementsPrinter {
 public:
  StatementsPrinter(const StatementList& list, const PrintOptions& options)
      : list_(list),
        options_(options),
        names_(list),
        depths_(print::depths(list)),
        memory_(memory_use(list, options.bytes_per_element)) {}

  std::string print();

 private:
  using Kind = Statement::Kind;

  /// A line of text, its memory columns, and how to show it.
  struct Line {
    std::string text;
    Var var = kNoVar;        ///< whose shape is shown
    std::string bytes = {};  ///< +401,408
    std::string total = {};
    bool peak = false;
    bool quiet = false;  ///< bookkeeping, not computation
  };

  const Variable& variable(Var var) const { return list_.variables[var]; }
  Var shown(const Statement& s) const;
  Line statement_line(std::size_t i) const;
  std::vector<Line> lines() const;
  void measure(const std::vector<Line>& lines);
  void write_title();
  void write_heading(int line, const std::string& remark = {});
  void write(const Line& line);
  void write_columns(const Line& line);
  /// "128" and "<=784": the rows and the columns of a matrix, where they vary the most of them.
  std::pair<std::string, std::string> extents(Var var) const;
  void write_summary();
  void pad_to(int column) {
    const int spaces = std::max(column - column_, 0);
    out_.append(static_cast<std::size_t>(spaces), ' ');
    column_ += spaces;
  }
  /// Text that ends at `column`, if there is room for it, and two spaces before it.
  void put_ending_at(int column, std::string_view text) {
    out_ += "  ";
    column_ += 2;
    pad_to(column - columns(text));
    put(text);
  }
  void put(std::string_view text) {
    out_ += text;
    column_ += columns(text);
  }
  void style(const char* code) {
    if (options_.colour) out_ += code;
  }

  const StatementList& list_;
  const PrintOptions& options_;
  print::ListNames names_;
  std::vector<int> depths_;
  MemoryUse memory_;
  std::string out_;
  int column_ = 0;

  int hash_ = 0;  ///< columns: of the `#`, and the ends of the fields after it
  int rows_end_ = 0;
  int shape_end_ = 0;
  int bytes_end_ = 0;
  int total_end_ = 0;
  int line_digits_ = 1;
};

/// The variable whose shape stands beside a statement: of a fused one that has the shape of its
/// space, unless it takes rows of all that have its columns; of a user's operation its first
/// result.
Var StatementsPrinter::shown(const Statement& s) const {
  if (s.kind == Kind::Custom) return s.targets[0];
  if (s.kind != Kind::Fused) return s.target;
  std::vector<Var> whole;
  const auto consider = [&](Var var, std::size_t part, bool has_space) {
    if (has_space) whole.insert(rows_of(s, part) == nullptr ? whole.begin() : whole.end(), var);
  };
  for (std::size_t i = 0; i < s.operands.size(); ++i)
    consider(s.operands[i].var, i, s.fused->inputs[i] == cudamat::Spread::Whole);
  for (std::size_t t = 0; t < s.targets.size(); ++t)
    consider(s.targets[t], s.operands.size() + t, s.fused->targets[t].is_stored());
  return whole.at(0);
}

StatementsPrinter::Line StatementsPrinter::statement_line(std::size_t i) const {
  const Statement& statement = list_.statements[i];
  const Index added = bytes_added(list_, statement, options_.bytes_per_element);
  const std::string indent(static_cast<std::size_t>(2 * depths_[i]), ' ');
  Line line{.text = indent + print::statement_text(list_, statement, names_),
            .var = shown(statement)};
  switch (statement.kind) {
    case Kind::Empty:
    case Kind::Constant:
      line.bytes = "+" + grouped(added);
      line.total = grouped(memory_.after[i]);
      break;
    case Kind::Free:
      line.bytes = added == 0 ? "-0" : grouped(added);
      line.total = grouped(memory_.after[i]);
      break;
    case Kind::Slice:
    case Kind::Reshape:
      line.bytes = "view";
      break;
    case Kind::End:
      line.text.clear();
      break;
    case Kind::Call:
    case Kind::Seed:
    case Kind::Loop:
    case Kind::Print:
    case Kind::Fused:
    case Kind::Custom:
      break;
  }
  line.quiet = statement.kind <= Kind::Reshape || statement.kind == Kind::Free;
  line.peak = memory_.peak_statement == static_cast<std::ptrdiff_t>(i);
  return line;
}

std::vector<StatementsPrinter::Line> StatementsPrinter::lines() const {
  std::vector<Line> result;
  result.reserve(list_.inputs.size() + list_.statements.size() + list_.outputs.size());
  Index total = 0;
  for (const Binding& input : list_.inputs) {
    const Index bytes = bytes_of(list_, input.var, options_.bytes_per_element);
    total += bytes;
    result.push_back({.text = print::binding_text(input, names_, true),
                      .var = input.var,
                      .bytes = "+" + grouped(bytes),
                      .total = grouped(total)});
  }
  if (!result.empty()) result.back().peak = memory_.peak_statement < 0;
  for (std::size_t i = 0; i < list_.statements.size(); ++i) result.push_back(statement_line(i));
  for (const Binding& output : list_.outputs) {
    const Index bytes = variable(output.var).shape.size() * options_.bytes_per_element;
    result.push_back({.text = print::binding_text(output, names_, false),
                      .var = output.var,
                      .bytes = grouped(bytes)});
  }
  return result;
}

std::pair<std::string, std::string> StatementsPrinter::extents(Var var) const {
  const auto& [name, shape, view_of, varying] = variable(var);
  const auto text = [](Index most, bool varies) {
    return fmt::format("{}{}", varies ? "<=" : "", most);
  };
  return {text(shape.rows, varying && !varying->rows.terms.empty()),
          text(shape.cols, varying && !varying->cols.terms.empty())};
}

void StatementsPrinter::measure(const std::vector<Line>& lines) {
  int text = kNarrowest;
  int rows = 1;
  int cols = 1;
  int bytes = static_cast<int>(std::string_view("bytes").size());
  int total = static_cast<int>(std::string_view("total").size());
  for (const Line& line : lines) {
    if (const int width = columns(line.text); width <= kWidest) text = std::max(text, width);
    if (line.var != kNoVar) {
      const auto [high, wide] = extents(line.var);
      rows = std::max(rows, columns(high));
      cols = std::max(cols, columns(wide));
    }
    bytes = std::max(bytes, columns(line.bytes));
    total = std::max(total, columns(line.total));
  }
  hash_ = text + 2;
  rows_end_ = hash_ + 3 + rows;
  shape_end_ = std::max(rows_end_ + 1 + cols, hash_ + 3 + 5);
  bytes_end_ = shape_end_ + 3 + bytes;
  total_end_ = bytes_end_ + 3 + total;
  const auto count_digits = [&](int line) {
    const int number = list_.source ? list_.source->line_in_file(line) : line;
    line_digits_ = std::max(line_digits_, columns(fmt::format("{}", number)));
  };
  for (const auto& [line, remark] : list_.remarks) count_digits(line);
  for (const Statement& statement : list_.statements) count_digits(statement.where.line);
}

void StatementsPrinter::write_heading(int line, const std::string& remark) {
  const std::string text = print::source_line(list_, line) + remark;
  out_ += '\n';
  style(kBold);
  if (line < 1) {
    out_ += "# -";
  } else {
    const std::string label = print::line_label(list_, line);
    const int digits = static_cast<int>(std::min(label.find(' '), label.size()));
    out_ +=
        fmt::format("# {}{}:{}{}",
                    std::string(static_cast<std::size_t>(std::max(0, line_digits_ - digits)), ' '),
                    label, text.empty() ? "" : " ", text);
  }
  style(kReset);
  out_ += '\n';
}

void StatementsPrinter::write_columns(const Line& line) {
  if (line.var != kNoVar) {
    const auto [high, wide] = extents(line.var);
    put_ending_at(rows_end_, high);
    put("x" + wide);
  }
  if (!line.bytes.empty()) {
    put(" ");
    put_ending_at(bytes_end_, line.bytes);
  }
  if (!line.total.empty()) {
    put(" ");
    put_ending_at(total_end_, line.total);
  }
}

void StatementsPrinter::write(const Line& line) {
  column_ = 0;
  if (line.quiet) style(kDim);
  put(line.text);
  if (line.var != kNoVar) {
    put("  ");
    pad_to(hash_);
    style(kDim);
    put("#");
    write_columns(line);
    if (line.peak) {
      style(kReset);
      style(kPeak);
      put(" <- peak");
    }
  }
  if (line.quiet || line.var != kNoVar) style(kReset);
  out_ += '\n';
}

void StatementsPrinter::write_summary() {
  Index calls = 0;
  Index allocations = 0;
  Index views = 0;
  Index frees = 0;
  Index prints = 0;
  const Index loops = std::ssize(list_.loops);
  for (const Statement& statement : list_.statements) {
    prints += statement.kind == Kind::Print;
    calls += computes(statement) || statement.kind == Kind::Seed;
    allocations += statement.kind == Kind::Empty || statement.kind == Kind::Constant;
    views += statement.kind == Kind::Slice || statement.kind == Kind::Reshape;
    frees += statement.kind == Kind::Free;
  }
  out_ +=
      fmt::format("\n# {}: {}, {}, {}", count(std::ssize(list_.statements) - loops, "statement"),
                  count(calls, "call"), count(allocations, "allocation"), count(frees, "free"));
  if (views != 0) out_ += ", " + count(views, "view");
  if (loops != 0) out_ += ", " + count(loops, "loop");
  if (prints != 0) out_ += ", " + count(prints, "print");
  const std::string size = print::binary_size(memory_.peak);
  out_ += fmt::format("\n# peak {} bytes{}, {} of them inputs\n", grouped(memory_.peak),
                      size.empty() ? "" : " (" + size + ")", grouped(memory_.inputs));
}

// What the list is; the columns' names stand beside it if it leaves room, else below.
void StatementsPrinter::write_title() {
  put("# ");
  if (list_.source) put(print::safe(list_.source->name()) + " as ");
  put("Cudamat statements, ");
  put(precision_name(options_.bytes_per_element));
  if (column_ + 2 > hash_) {
    out_ += '\n';
    column_ = 0;
  }
  pad_to(hash_);
}

std::string StatementsPrinter::print() {
  const std::vector<Line> all = lines();
  measure(all);
  write_title();
  put("#  shape");
  put_ending_at(bytes_end_, "bytes");
  put_ending_at(total_end_, "total");
  out_ += '\n';

  std::size_t next = 0;
  for (; next < list_.inputs.size(); ++next) write(all[next]);
  auto remark = list_.remarks.begin();
  const auto write_remarks_before = [&](int line) {
    for (; remark != list_.remarks.end() && remark->first <= line; ++remark)
      write_heading(remark->first, "  # " + print::safe(remark->second));
  };
  int line = -1;
  for (std::size_t i = 0; i < list_.statements.size(); ++i) {
    const Statement& statement = list_.statements[i];
    const Line& text = all[next++];
    if (statement.kind == Kind::End) continue;
    if (statement.where.line != line) {
      line = statement.where.line;
      write_remarks_before(line);
      write_heading(line);
    }
    write(text);
    if (statement.kind == Kind::Loop && list_.statements[i + 1].kind == Kind::End)
      out_ += std::string(text.text.find_first_not_of(' ') + 2, ' ') + "pass\n";
  }
  write_remarks_before(std::numeric_limits<int>::max());
  if (!list_.outputs.empty()) out_ += '\n';
  for (; next < all.size(); ++next) write(all[next]);
  write_summary();
  return std::move(out_);
}

}  // namespace

std::string print_statements(const StatementList& list, const PrintOptions& options) {
  return StatementsPrinter(list, options).print();
}

}  // namespace rewriter
