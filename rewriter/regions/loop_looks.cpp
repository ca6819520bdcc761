#include "rewriter/regions/loop_looks.hpp"

#include <algorithm>
#include <limits>

#include "rewriter/text/saturating.hpp"

namespace rewriter {

LoopLooks::LoopLooks(const StatementList& list, const Region& region, const LoopNesting& nesting,
                     const std::vector<Index>& costs)
    : list_(list), first_(region.first), looks_(region.last - region.first + 1) {
  std::vector<int> around;
  for (std::size_t at = nesting.around[first_]; at != kNoStatement; at = nesting.around[at])
    around.push_back(list.statements[at].loop);
  for (auto loop = around.rbegin(); loop != around.rend(); ++loop) enter(list.loops[*loop], *loop);
  struct Open {
    Look* look;
    Index most;  // iterations
  };
  Look chain;
  std::vector<Open> open{{&chain, 1}};
  for (std::size_t i = region.first; i <= region.last; ++i) {
    const Statement& s = list.statements[i];
    Index cost = costs[i - first_];
    if (s.kind == Statement::Kind::Loop) {
      open.push_back({&looks_[i - first_], enter(list.loops[s.loop], s.loop)});
      continue;
    }
    if (s.kind == Statement::Kind::End) {
      const auto [look, most] = open.back();
      open.pop_back();
      cost = saturating_multiply(most, look->cost);
      look->looks = most > 1 && cost > kLookAfter;
      look->strip = std::max<Index>(1, kLookAfter / 2 / look->cost);
      if (look->looks) continue;
    }
    open.back().look->cost = saturating_add(open.back().look->cost, cost);
  }
}

auto LoopLooks::bounds(const ListInteger& value) const -> Bounds {
  Bounds all(static_cast<double>(value.constant), static_cast<double>(value.constant));
  for (const auto& [loop, factor] : value.terms) {
    const auto [least, most] = variables_.at(loop);
    const auto by = static_cast<double>(factor);
    all.first += std::min(by * least, by * most);
    all.second += std::max(by * least, by * most);
  }
  return all;
}

/// Returns how many iterations it has at most.
Index LoopLooks::enter(const ListLoop& loop, int number) {
  if (loop.form == LoopForm::If) return 1;
  if (!loop.has_variable()) return std::numeric_limits<Index>::max();
  const Bounds start = bounds(loop.first()), end = bounds(loop.end());
  const bool up = loop.step > 0;
  const double first = up ? start.first : start.second, last = up ? end.second : end.first;
  variables_[number] = std::minmax(first, last);
  return static_cast<Index>(std::clamp((last - first) / double(loop.step) + 1, 0.0, 1e15));
}

}  // namespace rewriter
