#include "rewriter/list/iterations.hpp"

#include <algorithm>

#include "cudamat/error.hpp"
#include "rewriter/text/saturating.hpp"

namespace rewriter {

Index value_in(const LoopVariables& variables, Index constant, const ListTerms& terms) {
  for (const auto& [loop, factor] : terms)
    constant = checked_sum(constant, checked_product(factor, variables[loop]));
  return constant;
}

cudamat::Shape shape_in(const LoopVariables& variables, const Variable& variable) {
  if (!variable.varying) return variable.shape;
  return {value_in(variables, variable.varying->rows), value_in(variables, variable.varying->cols)};
}

Loop range_in(const LoopVariables& variables, const ListLoop& loop) {
  Loop range = loop;
  range.start = value_in(variables, loop.first());
  range.stop = value_in(variables, loop.end());
  return range;
}

void IterationSpace::open(int loop) {
  open_.push_back(loop);
  known_ = false;
}

void IterationSpace::close() {
  open_.pop_back();
  known_ = false;
}

bool IterationSpace::is_open(int loop) const {
  return std::find(open_.begin(), open_.end(), loop) != open_.end();
}

bool IterationSpace::decides(std::size_t depth) const {
  const auto depends = [&](const ListTerms& terms) {
    return std::any_of(terms.begin(), terms.end(),
                       [&](const ListTerm& term) { return term.loop == open_[depth]; });
  };
  return std::any_of(
      open_.begin() + static_cast<std::ptrdiff_t>(depth) + 1, open_.end(), [&](int loop) {
        return depends(list_.loops[loop].start_terms) || depends(list_.loops[loop].stop_terms);
      });
}

// Where no range inside depends on a variable, what is linear in it is greatest at an end of its
// range, whatever the other variables are.
void IterationSpace::visit(std::size_t depth, LoopVariables& at) {
  constexpr std::size_t kMost = 2'000'000;
  if (depth == open_.size()) return corners_.push_back(at);
  const Loop range = range_in(at, list_.loops[open_[depth]]);
  const Index count = range.count();
  if (count == 0) return;
  const Index next = decides(depth) ? 1 : std::max<Index>(count - 1, 1);
  for (Index i = 0; i < count; i += next) {
    if (++visited_ > kMost)
      cudamat::misuse("program", "loops that depend on each other have too many iterations");
    at[open_[depth]] = range.start + i * range.step;
    visit(depth + 1, at);
  }
}

const std::vector<LoopVariables>& IterationSpace::corners() {
  if (!std::exchange(known_, true)) {
    corners_.clear();
    visited_ = 0;
    LoopVariables at(list_.loops.size());
    visit(0, at);
  }
  return corners_;
}

Index IterationSpace::iterations(std::size_t depth, LoopVariables& at) const {
  if (depth == open_.size()) return 1;
  const Loop range = range_in(at, list_.loops[open_[depth]]);
  const Index count = range.count();
  if (!decides(depth)) {
    at[open_[depth]] = range.start;
    return count == 0 ? 0 : saturating_multiply(count, iterations(depth + 1, at));
  }
  Index all = 0;
  for (Index i = 0; i < count; ++i) {
    at[open_[depth]] = range.start + i * range.step;
    all = saturating_add(all, iterations(depth + 1, at));
  }
  return all;
}

Index IterationSpace::iterations() const {
  if (!varies()) {
    Index product = 1;
    for (const int loop : open_)
      product = saturating_multiply(product, list_.loops[loop].Loop::count());
    return product;
  }
  LoopVariables at(list_.loops.size());
  return iterations(0, at);
}

bool IterationSpace::varies() const {
  return std::any_of(open_.begin(), open_.end(),
                     [&](int loop) { return list_.loops[loop].varies(); });
}

/// Where no range varies, each variable takes its least and its greatest value with all others'.
std::pair<Index, Index> IterationSpace::bounds_of_a_box(const ListInteger& integer) const {
  std::pair<Index, Index> result{integer.constant, integer.constant};
  for (const auto& [number, factor] : integer.terms) {
    const Loop& loop = list_.loops[number];
    const auto [low, high] =
        std::minmax({checked_product(factor, loop.start), checked_product(factor, loop.last())});
    result = {checked_sum(result.first, low), checked_sum(result.second, high)};
  }
  return result;
}

std::pair<Index, Index> IterationSpace::bounds(const ListInteger& integer) {
  if (!varies()) return bounds_of_a_box(integer);
  std::optional<std::pair<Index, Index>> result;
  for (const LoopVariables& corner : corners()) {
    const Index value = value_in(corner, integer);
    if (!result) result = {value, value};
    result = {std::min(result->first, value), std::max(result->second, value)};
  }
  return result.value_or(std::pair(integer.constant, integer.constant));
}

cudamat::Shape IterationSpace::largest(const Extents& extents) {
  return {bounds(extents.rows).second, bounds(extents.cols).second};
}

}  // namespace rewriter
