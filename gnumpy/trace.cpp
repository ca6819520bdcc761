#include "gnumpy/trace.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>

#include "cudamat/say.hpp"
#include "gnumpy/engine.hpp"
#include "gnumpy/work.hpp"
#include "rewriter/listing/print_statements.hpp"

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

void ran(const Plan& plan, const std::source_location& where) {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  totals.expressions.fetch_add(1, kRelaxed);
  totals.statements.fetch_add(std::ssize(plan.list.statements), kRelaxed);
  totals.launches.fetch_add(plan.launches, kRelaxed);
  if (tracing()) cudamat::say("{}\n", text_of(plan, where));
}

bool counted(int launches) {
  totals.statements.fetch_add(1, std::memory_order_relaxed);
  totals.launches.fetch_add(launches, std::memory_order_relaxed);
  return tracing();
}

void print_statement(const std::string& text, const Node& made, const std::source_location& where) {
  const Index rows = made.dims.empty() ? 1 : made.dims.back();
  cudamat::say("# {}:{}\n{}\n", where.file_name(), where.line(),
               statement_text(text, rows, rows == 0 ? 0 : made.size / rows));
}

std::string statement_text(const std::string& text, Index rows, Index cols) {
  return fmt::format("{:<40}  #  {}x{}\n", text, rows, cols);
}

void moved(const Node& leaf, bool to_host, const std::source_location& where) {
  if (!counted(0)) return;
  if (to_host)
    cudamat::say("# what {}:{} made is read on the host\n\n", where.file_name(), where.line());
  else
    print_statement("t = cm.CUDAMatrix(data)", leaf, where);
}

void allocated() {
  totals.allocations.fetch_add(1, std::memory_order_relaxed);
}

std::string text_of(const Plan& plan, const std::source_location& where) {
  std::string text =
      fmt::format("# {}:{}\n{}", where.file_name(), where.line(),
                  rewriter::print_statements(plan.list, {engine().bytes_per_element()}));
  const auto name = [&](Var var) {
    return plan.list.variables[static_cast<std::size_t>(var)].name;
  };
  for (const auto& [var, input] : plan.shared)
    text += fmt::format("# {} lies in the memory of {}, which nothing reads any more\n", name(var),
                        name(input));
  return text;
}

}  // namespace detail
}  // namespace gnumpy
