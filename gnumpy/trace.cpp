#include "gnumpy/trace.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>

#include "gnumpy/engine.hpp"
#include "gnumpy/work.hpp"
#include "rewriter/print.hpp"

namespace gnumpy {

namespace {

struct Totals {
  std::atomic<std::int64_t> expressions = 0, statements = 0, launches = 0, allocations = 0;
};
Totals totals;

bool tracing() {
  static const bool on = [] {
    const char* const text = std::getenv("GNUMPY_TRACE");
    return text != nullptr && std::string_view(text) == "1";
  }();
  return on;
}

}  // namespace

Work work_done() {
  return {totals.expressions, totals.statements, totals.launches, totals.allocations};
}

namespace detail {

void ran(const rewriter::StatementList& list, int launches, const std::source_location& where) {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  totals.expressions.fetch_add(1, kRelaxed);
  totals.statements.fetch_add(static_cast<std::int64_t>(list.statements.size()), kRelaxed);
  totals.launches.fetch_add(launches, kRelaxed);
  if (tracing()) std::fputs((text_of(list, where) + "\n").c_str(), stderr);
}

bool counted(int launches) {
  totals.statements.fetch_add(1, std::memory_order_relaxed);
  totals.launches.fetch_add(launches, std::memory_order_relaxed);
  return tracing();
}

void print_statement(const std::string& text, const Node& made, const std::source_location& where) {
  const Index rows = made.dims.empty() ? 1 : made.dims.back();
  fmt::print(stderr, "# {}:{}\n{:<40}  #  {}x{}\n\n", where.file_name(), where.line(), text, rows,
             rows == 0 ? 0 : made.size / rows);
}

void moved(const Node& leaf, bool to_host, const std::source_location& where) {
  if (!counted(0)) return;
  if (to_host)
    fmt::print(stderr, "# what {}:{} made is read on the host\n\n", where.file_name(),
               where.line());
  else
    print_statement("t = cm.CUDAMatrix(data)", leaf, where);
}

void allocated() {
  totals.allocations.fetch_add(1, std::memory_order_relaxed);
}

std::string text_of(const rewriter::StatementList& list, const std::source_location& where) {
  return fmt::format("# {}:{}\n{}", where.file_name(), where.line(),
                     rewriter::print_statements(list, {engine().bytes_per_element()}));
}

}  // namespace detail
}  // namespace gnumpy
