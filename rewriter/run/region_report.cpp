#include "rewriter/run/region_report.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "npmat/fused_loops.hpp"
#include "rewriter/list/host_numbers.hpp"
#include "rewriter/listing/print_text.hpp"
#include "rewriter/regions/regions.hpp"

namespace rewriter {
namespace {

/// "4-9", or "4".
std::string lines_of_region(const StatementList& list, const Region& region) {
  int first = std::numeric_limits<int>::max(), last = 0;
  for (std::size_t i = region.first; i <= region.last; ++i) {
    const int line = list.statements[i].where.line;
    if (line < 1) continue;
    first = std::min(first, line), last = std::max(last, line);
  }
  if (last == 0) return "-";
  const std::string from = print::line_label(list, first);
  return first == last ? from : from + "-" + print::line_label(list, last);
}

/// "fused (2), print": each reason once, with how often it is one.
template <class Call>
std::string reasons(const std::vector<Call>& calls) {
  std::vector<std::pair<std::string, int>> counts;
  for (const Call& call : calls) {
    const auto place = std::ranges::find(counts, call.why, &std::pair<std::string, int>::first);
    if (place == counts.end())
      counts.emplace_back(call.why, 1);
    else
      ++place->second;
  }
  std::string text;
  for (const auto& [why, count] : counts)
    text += (text.empty() ? "" : "; ") + (count == 1 ? why : fmt::format("{} ({})", why, count));
  return text;
}

template <class T>
std::string report_in(const StatementList& list, const HostNumbers& numbers) {
  const RegionTexts<T> texts(list, numbers);
  std::string report;
  for (const Region& region : regions(list)) {
    const auto [calls, is_shared] = texts.contents(region);
    std::size_t computing = 0;
    for (std::size_t i = region.first; i <= region.last; ++i)
      if (computes(list.statements[i])) ++computing;
    report +=
        fmt::format("#   {}: a {} of {} statements that compute", lines_of_region(list, region),
                    region.is_loop ? "loop" : "chain", computing);
    if (!calls.empty())
      report += fmt::format("; {} {} of the runner: {}", calls.size(),
                            calls.size() == 1 ? "is a call" : "are calls", reasons(calls));
    if (is_shared) report += "; threads share its iterations";
    report += "\n";
  }
  return report;
}

}  // namespace

std::string region_report(const StatementList& list, int bits, const std::vector<bool>& given) {
  using npmat::fused::Compile;
  const Compile mode = npmat::fused::compile_mode();
  if (mode != Compile::Auto && mode != Compile::Now) return "";
  const HostNumbers numbers = bits == 32 ? host_numbers(list, given) : HostNumbers();
  return bits == 32   ? report_in<float>(list, numbers)
         : bits == 64 ? report_in<double>(list, numbers)
                      : report_in<long double>(list, numbers);
}

}  // namespace rewriter
