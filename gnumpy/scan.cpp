#include <algorithm>
#include <numeric>
#include <utility>

#include "gnumpy/build.hpp"
#include "gnumpy/functions.hpp"
#include "gnumpy/number_check.hpp"
#include "gnumpy/say.hpp"
#include "gnumpy/selection.hpp"
#include "gnumpy/settle.hpp"
#include "gnumpy/trace.hpp"

namespace gnumpy {

using detail::Node;
using detail::NodePtr;

namespace {

/// What an engine does along the first axis, or along the last, done along any: the axis goes to
/// `place`, run(from, to) fills an array of that shape, and the axis goes back.
template <class Run>
garray along_axis(const garray& a, std::size_t axis, std::size_t place, const Where& where,
                  const Run& run) {
  std::vector<std::size_t> axes(a.shape().size());
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(axis));
  axes.insert(axes.begin() + static_cast<std::ptrdiff_t>(place), axis);
  const NodePtr from = detail::permute(operand(a, where).node, axes, where);
  const NodePtr to = detail::make_empty(from->dims, where);
  if (a.size() > 0) {
    detail::settle(from);
    run(*from, *to);
  }
  std::vector<std::size_t> back(axes.size());
  for (std::size_t k = 0; k < axes.size(); ++k) back[axes[k]] = k;
  return garray(detail::permute(to, back, where));
}

}  // namespace

// The engine sums along the rows of a matrix by columns: over the slowest of two axes.
garray cumsum(const garray& a, std::optional<int> axis, Where where) {
  if (!axis) return cumsum(a.ravel(where), 0, where);
  const std::size_t along = detail::normalize_axis("cumsum", *axis, a.ndim(), where);
  return along_axis(a, along, 0, where, [&](const Node& from, const Node& to) {
    const Index count = a.shape()[along];
    detail::engine().cumsum({from.storage->data(), from.offset, 0}, {to.storage->data(), 0, 0},
                            a.size() / count, count);
    detail::ran(to, where, "x.cumsum(target=t)");
    if (detail::checks_numbers())
      detail::check_numbers("cumsum", to.storage->data(), 0, to.size, where);
  });
}

garray garray::cumsum(std::optional<int> axis, Where where) const {
  return gnumpy::cumsum(*this, axis, where);
}

// The engine sorts the columns of a matrix by columns: the fastest axis.
garray sort(const garray& a, int axis, Where where) {
  const std::size_t along = detail::normalize_axis("sort", axis, a.ndim(), where);
  const auto last = static_cast<std::size_t>(a.ndim() - 1);
  return along_axis(a, along, last, where, [&](const Node& from, const Node& to) {
    const Index count = a.shape()[along];
    detail::engine().copy_block(a.size(), 1, {from.storage->data(), from.offset, a.size()},
                                {to.storage->data(), 0, a.size()});
    detail::engine().sort(to.storage->data(), count, a.size() / count);
    detail::ran(to, where, "x.sort(target=t)");
  });
}

void garray::sort(int axis, Where where) {
  const garray sorted = gnumpy::sort(*this, axis, where);
  (*this)(ellipsis) = sorted;
}

std::vector<garray> nonzero(const garray& a, Where where) {
  const std::vector<double> elements = a.to_vector();
  std::vector<std::vector<double>> indices(a.shape().size());
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (elements[i] == 0) continue;
    auto rest = static_cast<Index>(i);
    for (std::size_t axis = a.shape().size(); axis-- > 0;) {
      indices[axis].push_back(static_cast<double>(rest % a.shape()[axis]));
      rest /= a.shape()[axis];
    }
  }
  std::vector<garray> result;
  for (const std::vector<double>& axis : indices) result.emplace_back(axis, std::nullopt, where);
  return result;
}

std::vector<garray> garray::nonzero(Where where) const {
  return gnumpy::nonzero(*this, where);
}

}  // namespace gnumpy
