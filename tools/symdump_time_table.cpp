#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "rewriter/listing/print_text.hpp"
#include "rewriter/text/saturating.hpp"
#include "tools/symdump_time.hpp"

namespace symdump {

namespace {

using rewriter::Index;
using rewriter::Statement;
using rewriter::print::columns;
using rewriter::print::grouped;
using Kind = Statement::Kind;
using TimedRun = StatementTimes::Run;

// The first column is as wide as its widest text, but within these, as in a printed list.
constexpr int kNarrowest = 40;
constexpr int kWidest = 64;

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

/// What one or more statements took, in nanoseconds, and what they have to do.
struct Sum {
  double spent = 0;
  double floor = 0;
  Index bytes = 0;
  Index flops = 0;
  bool has_work = false;
  bool has_flops = false;

  void add(const Sum& other) {
    spent += other.spent;
    floor += other.floor;
    bytes = rewriter::saturating_add(bytes, other.bytes);
    flops = rewriter::saturating_add(flops, other.flops);
    has_work = has_work || other.has_work;
    has_flops = has_flops || other.has_flops;
  }
};

std::string milliseconds(double spent) {
  return fmt::format("{:.4f}", spent * 1e-6);
}

std::string percent(double part, double whole) {
  return whole > 0 ? fmt::format("{:.{}f}%", 100 * part / whole, part < 0.1 * whole ? 1 : 0) : "";
}

/// Lines of text, each with cells that end below those of the others.
class TimesTable {
 public:
  using Cells = std::vector<std::string>;

  explicit TimesTable(std::string heading, Cells cells) {
    row(std::move(heading), std::move(cells));
  }
  void row(std::string text, Cells cells) { rows_.push_back({std::move(text), std::move(cells)}); }
  /// A line of its own.
  void heading(const std::string& text) { rows_.push_back({"\n" + text, {}}); }

  [[nodiscard]] std::string print() const {
    int wide = kNarrowest;
    std::vector<int> widths(rows_.front().cells.size());
    for (const auto& [text, cells] : rows_) {
      if (const int width = columns(text); !cells.empty() && width <= kWidest)
        wide = std::max(wide, width);
      for (std::size_t i = 0; i < cells.size(); ++i)
        widths[i] = std::max(widths[i], columns(cells[i]));
    }
    std::string out;
    for (const auto& [text, cells] : rows_) {
      std::string line = text;
      int at = wide;
      int used = columns(text);
      for (std::size_t i = 0; i < cells.size(); ++i) {
        at += 2 + widths[i];
        if (cells[i].empty()) continue;
        const int spaces = std::max(at - used - columns(cells[i]), 2);
        line += std::string(static_cast<std::size_t>(spaces), ' ') + cells[i];
        used += spaces + columns(cells[i]);
      }
      out += line + "\n";
    }
    return out;
  }

 private:
  struct Row {
    std::string text;
    Cells cells;
  };
  std::vector<Row> rows_;
};

class TimesPrinter {
 public:
  TimesPrinter(const StatementTimes& times, const Limits& limits, const TimeReport& report)
      : times_(times), list_(times.list()), limits_(limits), report_(report) {
    for (const TimedRun& run : times.runs())
      if (run.whole) runs_.push_back(&run);
    if (runs_.empty() && !times.runs().empty()) runs_.push_back(&times.runs().front());
    for (std::size_t i = 0; i < list_.statements.size(); ++i) sums_.push_back(sum_of(i));
  }

  std::string print() const { return title() + statements() + "\n" + lines() + "\n" + whole(); }

 private:
  template <class Value>
  double median_of(const Value& value) const {
    std::vector<double> values;
    for (const TimedRun* run : runs_) values.push_back(static_cast<double>(value(*run)));
    return median(std::move(values));
  }

  Sum sum_of(std::size_t i) const {
    const StatementTimes::Done& done = times_.done(i);
    Sum sum{.spent = median_of([&](const TimedRun& run) { return run.spent[i]; }),
            .bytes = done.bytes,
            .flops = done.flops,
            .has_work = done.has_work,
            .has_flops = done.is_product};
    sum.floor = 1e9 * std::max(static_cast<double>(done.bytes) * limits_.seconds_per_byte,
                               static_cast<double>(done.flops) * limits_.seconds_per_flop);
    return sum;
  }

  /// Executions that were compiled loops, in the last of the runs.
  std::int64_t compiled(std::size_t i) const {
    return runs_.empty() ? 0 : runs_.back()->compiled[i];
  }
  bool has_compiled() const {
    return !runs_.empty() &&
           std::ranges::any_of(runs_.back()->compiled, [](auto n) { return n > 0; });
  }

  static bool is_loop(const Statement& s) { return s.kind == Kind::Loop || s.kind == Kind::End; }

  std::string title() const;
  std::string statements() const;
  std::string lines() const;
  std::string whole() const;
  TimesTable::Cells cells(std::size_t statement) const;

  const StatementTimes& times_;
  const rewriter::StatementList& list_;
  const Limits& limits_;
  const TimeReport& report_;
  std::vector<const TimedRun*> runs_;
  std::vector<Sum> sums_;  // by statement
};

std::string TimesPrinter::title() const {
  std::string text = "# times of ";
  if (list_.source) text += rewriter::print::safe(list_.source->name()) + " ";
  text += fmt::format("on {}: ", report_.engine);
  double least = runs_.empty() ? 0 : static_cast<double>(runs_.front()->wall);
  double most = least;
  for (const TimedRun* run : runs_) {
    least = std::min(least, static_cast<double>(run->wall));
    most = std::max(most, static_cast<double>(run->wall));
  }
  if (runs_.size() > 1)
    text += fmt::format("medians of {} runs of {} to {} ms\n", runs_.size(), milliseconds(least),
                        milliseconds(most));
  else
    text += fmt::format("1 run of {} ms\n", milliseconds(most));
  if (!report_.interrupted.empty())
    text += "# interrupted " + report_.interrupted + ": this is what was measured until then\n";
  if (report_.waits)
    text +=
        "# the host waited for each statement; without --time it and the GPU overlap, and the "
        "total is shorter\n";
  text += fmt::format("# limits of this machine, measured before and after: copy {:.1f} GB/s",
                      1e-9 / limits_.seconds_per_byte);
  if (limits_.seconds_per_flop > 0)
    text += fmt::format(", product {:.1f} GFLOP/s", 1e-9 / limits_.seconds_per_flop);
  return text + "; what is in a cache may be faster\n\n";
}

TimesTable::Cells TimesPrinter::cells(std::size_t statement) const {
  const StatementTimes::Done& done = times_.done(statement);
  const Sum& sum = sums_[statement];
  TimesTable::Cells cells{grouped(done.times)};
  if (done.times == 0) return cells;
  cells.push_back(milliseconds(sum.spent));
  cells.push_back(fmt::format("{:.2f}", sum.spent * 1e-3 / static_cast<double>(done.times)));
  if (!sum.has_work) return cells;
  cells.push_back(grouped(sum.bytes));
  cells.push_back(sum.has_flops ? grouped(sum.flops) : "");
  if (sum.spent <= 0) return cells;
  const double work = static_cast<double>(sum.has_flops ? sum.flops : sum.bytes);
  cells.push_back(
      fmt::format("{:.1f} {:<7}", work / sum.spent, sum.has_flops ? "GFLOP/s" : "GB/s"));
  cells.push_back(percent(sum.floor, sum.spent));
  if (const auto n = compiled(statement); n > 0)
    cells.push_back(n == done.times ? "compiled"
                                    : fmt::format("{} of {}", grouped(n), grouped(done.times)));
  return cells;
}

std::string TimesPrinter::statements() const {
  TimesTable::Cells heads{"times", "total ms", "each us", "bytes", "flops", "rate", "of limit"};
  if (has_compiled()) heads.emplace_back("a loop");
  TimesTable table("statement", std::move(heads));
  const rewriter::print::ListNames names(list_);
  const std::vector<int> depths = rewriter::print::depths(list_);
  int line = -1;
  for (std::size_t i = 0; i < list_.statements.size(); ++i) {
    const Statement& s = list_.statements[i];
    if (s.kind == Kind::End) continue;
    if (s.where.line != line) {
      line = s.where.line;
      table.heading(line < 1 ? "# -"
                             : fmt::format("# {}: {}", rewriter::print::line_label(list_, line),
                                           rewriter::print::source_line(list_, line)));
    }
    table.row(std::string(static_cast<std::size_t>(2 * depths[i]), ' ') +
                  rewriter::print::statement_text(list_, s, names),
              cells(i));
  }
  return table.print();
}

std::string TimesPrinter::lines() const {
  std::map<int, Sum> sums;
  Sum all;
  for (std::size_t i = 0; i < list_.statements.size(); ++i) {
    if (is_loop(list_.statements[i])) continue;
    sums[std::max(list_.statements[i].where.line, 0)].add(sums_[i]);
    all.add(sums_[i]);
  }
  TimesTable table("line", {"total ms", "share", "bytes", "flops", "of limit"});
  const auto row = [&](const std::string& text, const Sum& sum) {
    table.row(text,
              {milliseconds(sum.spent), percent(sum.spent, all.spent),
               sum.has_work ? grouped(sum.bytes) : "", sum.has_flops ? grouped(sum.flops) : "",
               sum.has_work ? percent(sum.floor, sum.spent) : ""});
  };
  for (const auto& [line, sum] : sums)
    row(line < 1 ? "-"
                 : fmt::format("{}: {}", rewriter::print::line_label(list_, line),
                               rewriter::print::source_line(list_, line)),
        sum);
  row("all lines", all);
  return table.print();
}

std::string TimesPrinter::whole() const {
  Sum calls;
  double others = 0;
  double bytes_floor = 0;
  for (std::size_t i = 0; i < list_.statements.size(); ++i) {
    if (is_loop(list_.statements[i])) continue;
    if (computes(list_.statements[i]))
      calls.add(sums_[i]);
    else
      others += sums_[i].spent;
    if (!sums_[i].has_flops) bytes_floor += sums_[i].floor;
  }
  const double between = median_of([&](const TimedRun& run) {
    StatementTimes::Nanoseconds rest = run.wall;
    for (std::size_t i = 0; i < list_.statements.size(); ++i)
      if (!is_loop(list_.statements[i])) rest -= run.spent[i];
    return rest;
  });
  const double run = calls.spent + others + between;
  TimesTable table("whole", {"total ms", "share"});
  table.row("in calls", {milliseconds(calls.spent), percent(calls.spent, run)});
  table.row("in other statements", {milliseconds(others), percent(others, run)});
  table.row("between statements", {milliseconds(between), percent(between, run)});
  table.row("a run", {milliseconds(run), percent(run, run)});
  table.row("the host's share: all but the calls",
            {milliseconds(others + between), percent(others + between, run)});
  table.row("floor: bytes at the copy's speed", {milliseconds(bytes_floor)});
  if (calls.has_flops)
    table.row("floor: products at the limits", {milliseconds(calls.floor - bytes_floor)});
  table.row("floor, and its part of a run", {milliseconds(calls.floor), percent(calls.floor, run)});
  return table.print();
}

}  // namespace

std::string print_times(const StatementTimes& times, const Limits& limits,
                        const TimeReport& report) {
  return TimesPrinter(times, limits, report).print();
}

}  // namespace symdump
