#include <algorithm>
#include <utility>

#include "gnumpy/build.hpp"
#include "gnumpy/errors.hpp"
#include "gnumpy/functions.hpp"
#include "gnumpy/materialize.hpp"

namespace gnumpy {

using detail::NodePtr;
namespace sym = rewriter;

#define REDUCTION(name, ...)                                        \
  garray name(operand a, const Axes& axis, Keepdims keep) {         \
    return detail::reduce(sym::Op::name, std::move(a), axis, keep); \
  }
CUDAMAT_FOLD_OPS(REDUCTION)
#undef REDUCTION
#define REDUCTION(name, ...)                                        \
  garray name(operand a, Axis axis, Keepdims keep) {                \
    return detail::reduce(sym::Op::name, std::move(a), axis, keep); \
  }
CUDAMAT_ARG_OPS(REDUCTION)
#undef REDUCTION

namespace {

/// Squared differences from the mean.
garray squares(const operand& a, const Axes& axes, const Where& where) {
  detail::materialize(a.node);
  const operand means(mean(a, axes, keepdims), where);
  const operand from_mean(garray(a - means).materialize(), where);
  return from_mean * from_mean;
}

}  // namespace

garray var(operand a, const Axes& axis, Keepdims keep, double ddof) {
  const Where where = a.where;
  double count = 1;
  for (const std::size_t k : detail::normalize_axes("var", axis, a.node->ndim(), where))
    count *= static_cast<double>(a.node->dims[k]);
  operand values(squares(a, axis, where), where);
  if (ddof == 0) return mean(std::move(values), axis, keep);
  return operand(sum(std::move(values), axis, keep), where) /
         operand(std::max(count - ddof, 0.0), where);
}

garray std(operand a, const Axes& axis, Keepdims keep, double ddof) {
  const Where where = a.where;
  return sqrt(operand(var(std::move(a), axis, keep, ddof), where));
}

garray norm(operand a, const Axes& axis, Keepdims keep) {
  const Where where = a.where;
  if (axis.listed && axis.listed->size() != 1 && axis.listed->size() != 2)
    detail::misuse("norm", where, "Improper number of dimensions to norm: one axis, two, or all");
  if (axis.listed || keep.yes) {
    const garray squares = square(std::move(a));
    return squares.sum(axis, keep, where).sqrt(where);
  }
  const NodePtr from = detail::stored(std::move(a.node));
  return garray(detail::make_expression(detail::tree_of(*from).euclid_norm(), {from},
                                        detail::Content::Numbers, where));
}

double euclid_norm(operand a) {
  return norm(std::move(a)).item();
}

garray All::operator()(operand a, Axes axis, Keepdims keep) const {
  return detail::reduce(sym::Op::all, std::move(a), axis, keep);
}

garray any(operand a, const Axes& axis, Keepdims keep) {
  return detail::reduce(sym::Op::any, std::move(a), axis, keep);
}

garray any2(operand a, const Axes& axis, Keepdims keep) {
  const Where where = a.where;
  return operand(sum(std::move(a), axis, keep), where) > operand(0, where);
}

garray all2(operand a, const Axes& axis, Keepdims keep) {
  const Where where = a.where;
  const operand one(1, where);
  return operand(sum(operand(one - std::move(a), where), axis, keep), where) == operand(0, where);
}

}  // namespace gnumpy
