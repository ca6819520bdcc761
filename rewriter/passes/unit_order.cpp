#include "rewriter/passes/unit_order.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace rewriter {

UnitOrder::UnitOrder(std::vector<std::vector<Index>> before)
    : before_(std::move(before)),
      unit_of_(before_.size()),
      place_(before_.size()),
      unit_at_(before_.size()),
      marked_(before_.size(), 0) {
  std::iota(unit_of_.begin(), unit_of_.end(), 0);
  place_ = unit_at_ = unit_of_;
  for (const Index node : unit_of_) nodes_.push_back({node});
}

UnitOrder::Range UnitOrder::range_of(const std::vector<Index>& units) const {
  Range range{place_[units[0]], place_[units[0]]};
  for (const Index unit : units) {
    range.first = std::min(range.first, place_[unit]);
    range.last = std::max(range.last, place_[unit]);
  }
  return range;
}

bool UnitOrder::mark_needed(const std::vector<Index>& units) {
  const Index first = range_of(units).first;
  const std::size_t outside = ++search_;
  const std::size_t inside = ++search_;
  for (const Index unit : units) marked_[unit] = inside;
  std::vector<Index> open;
  bool is_needed = false;
  const auto enter = [&](Index unit, bool is_inside) {
    for (const Index node : nodes_[unit])
      for (const Index before : before_[node]) {
        const Index of = unit_of_[before];
        if (marked_[of] == inside) is_needed = is_needed || !is_inside;
        if (place_[of] < first || marked_[of] >= outside) continue;
        marked_[of] = outside;
        open.push_back(of);
      }
  };
  for (const Index unit : units) enter(unit, true);
  while (!open.empty()) {
    const Index unit = open.back();
    open.pop_back();
    enter(unit, false);
  }
  return is_needed;
}

bool UnitOrder::has_others_between(const std::vector<Index>& units) {
  return mark_needed(units);
}

void UnitOrder::merge(const std::vector<Index>& units) {
  const Range range = range_of(units);
  mark_needed(units);
  const std::size_t inside = search_;
  const Index into = units.front();
  std::vector<Index> needed{};
  std::vector<Index> others{};
  for (Index place = range.first; place <= range.last; ++place) {
    const Index unit = std::exchange(unit_at_[place], size());
    if (unit == size() || marked_[unit] == inside) continue;
    (marked_[unit] == inside - 1 ? needed : others).push_back(unit);
  }
  for (const Index unit : units) {
    if (unit == into) continue;
    for (const Index node : nodes_[unit]) unit_of_[node] = into;
    nodes_[into].insert(nodes_[into].end(), nodes_[unit].begin(), nodes_[unit].end());
    nodes_[unit].clear();
  }
  std::sort(nodes_[into].begin(), nodes_[into].end());
  Index place = range.first;
  const auto put = [&](Index unit) { unit_at_[place_[unit] = place] = unit, ++place; };
  for (const Index unit : needed) put(unit);
  put(into);
  for (const Index unit : others) put(unit);
}

}  // namespace rewriter
