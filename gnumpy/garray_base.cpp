#include "gnumpy/garray_base.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gnumpy/build.hpp"
#include "gnumpy/errors.hpp"
#include "gnumpy/functions.hpp"
#include "gnumpy/materialize.hpp"
#include "gnumpy/trace.hpp"
#include "npmat/array_text.hpp"

namespace gnumpy {

using detail::NodePtr;

// ---- what it is, reading ----

Index garray_base::shape(int axis, Where where) const {
  return shape()[detail::normalize_axis("shape", axis, ndim(), where)];
}

std::int64_t garray_base::nbytes() const {
  return size() * detail::engine().bytes_per_element();
}

Index garray_base::len(Where where) const {
  if (ndim() == 0) detail::misuse("len", where, "an array without dimensions has no length");
  return shape()[0];
}

void garray_base::check_ndim(int wanted, const Where& where) const {
  if (ndim() != wanted)
    detail::misuse("extents", where,
                   fmt::format("the array has {} dimensions, not {}; its shape is {}", ndim(),
                               wanted, shape().str()));
}

namespace {

template <class Number>
std::string text_of(const garray_base& a) {
  const npmat::Array<Number> array = a.as_numpy_array<Number>();
  return npmat::array_text(array.shape, array.data);
}

}  // namespace

std::string garray_base::str() const {
  switch (detail::engine().bytes_per_element()) {
    case sizeof(float):
      return text_of<float>(*this);
    case sizeof(double):
      return text_of<double>(*this);
    default:
      return text_of<long double>(*this);
  }
}

template <std::floating_point Number>
std::vector<Number> garray_base::to_vector() const {
  const detail::Lock lock;
  const NodePtr leaf = detail::leaf_of(node_);
  std::vector<Number> elements(static_cast<std::size_t>(size()));
  if (size() > 0) {
    detail::engine().to_host(leaf->storage->data(), leaf->offset, std::span<Number>(elements));
    detail::moved(*leaf, true, node_->where);
  }
  return elements;
}
template std::vector<float> garray_base::to_vector<float>() const;
template std::vector<double> garray_base::to_vector<double>() const;
template std::vector<long double> garray_base::to_vector<long double>() const;

double garray_base::only(std::string_view what, const Where& where) const {
  if (size() == 1) return to_vector<double>()[0];
  const std::string made = fmt::format("{}:{}", node_->where.file_name(), node_->where.line());
  detail::misuse(what, where,
                 fmt::format("an array of shape {}{} is not one {}; write {}", shape().str(),
                             what == "item" ? ", made in " + made + "," : ", made here,",
                             what == "bool" ? "truth value" : "number",
                             what == "bool" ? "gpu::any(a) or gpu::all(a)"
                                            : "a[i], or a.to_vector() for all of them"));
}

double garray_base::item(Where where) const {
  return only("item", where);
}

double garray_base::whole(int bits, bool is_signed) const {
  const double number = std::trunc(only("int", node_->where));
  const double limit = std::ldexp(1.0, bits);
  if (number >= (is_signed ? -limit : 0) && number < limit) return number;
  detail::misuse(
      "int", node_->where,
      fmt::format("the number {} does not fit {} integer of {} bits", only("int", node_->where),
                  is_signed ? "a signed" : "an unsigned", bits + (is_signed ? 1 : 0)));
}

garray garray_base::value(const Where& where) const {
  return garray(detail::make_copy(detail::leaf_of(node_), where));
}

bool garray_base::all_real(Where where) const {
  return isreal(where).all2({}, {}, where).item(where) != 0;
}

bool garray_base::eq2(const garray_base& other, Where where) const {
  return shape() == other.shape() &&
         (operand(*this, where) == operand(other, where)).all2({}, {}, where).item(where) != 0;
}

double garray_base::euclid_norm(Where where) const {
  return gnumpy::euclid_norm(operand(*this, where));
}

// ---- functions as methods ----

#define METHOD(name, ...)                                  \
  garray garray_base::name(Where where) const& {           \
    return gnumpy::name(operand(*this, where));            \
  }                                                        \
  garray garray_base::name(Where where)&& {                \
    return gnumpy::name(operand(std::move(*this), where)); \
  }
GNUMPY_UNARY_FUNCTIONS(METHOD)
#undef METHOD
#define METHOD(name, ...)                                                         \
  garray garray_base::name(const Axes& axis, Keepdims keep, Where where) const& { \
    return gnumpy::name(operand(*this, where), axis, keep);                       \
  }                                                                               \
  garray garray_base::name(const Axes& axis, Keepdims keep, Where where)&& {      \
    return gnumpy::name(operand(std::move(*this), where), axis, keep);            \
  }
GNUMPY_REDUCTIONS(METHOD)
#undef METHOD
#define METHOD(name, ...)                                                  \
  garray garray_base::name(Axis axis, Keepdims keep, Where where) const& { \
    return gnumpy::name(operand(*this, where), axis, keep);                \
  }                                                                        \
  garray garray_base::name(Axis axis, Keepdims keep, Where where)&& {      \
    return gnumpy::name(operand(std::move(*this), where), axis, keep);     \
  }
GNUMPY_POSITIONS(METHOD)
#undef METHOD
#define METHOD(name, ...)                                                                     \
  garray garray_base::name(const Axes& axis, Keepdims keep, double ddof, Where where) const { \
    return gnumpy::name(operand(*this, where), axis, keep, ddof);                             \
  }
GNUMPY_MOMENTS(METHOD)
#undef METHOD
#define METHOD(name, ...)                                                \
  garray garray_base::name(operand b, Where where) const& {              \
    return gnumpy::name(operand(*this, where), std::move(b));            \
  }                                                                      \
  garray garray_base::name(operand b, Where where)&& {                   \
    return gnumpy::name(operand(std::move(*this), where), std::move(b)); \
  }
GNUMPY_BINARY_METHODS(METHOD)
#undef METHOD

garray garray_base::T(Where where) const& {
  return detail::transpose(operand(*this, where).node, where);
}
garray garray_base::T(Where where) && {
  return detail::transpose(operand(std::move(*this), where).node, where);
}

garray garray_base::transpose(std::vector<int> axes, Where where) const {
  std::vector<std::size_t> order;
  for (const int axis : axes) {
    order.push_back(detail::normalize_axis("transpose", axis, ndim(), where));
    if (std::count(order.begin(), order.end(), order.back()) > 1)
      detail::misuse("transpose", where, "repeated axis in transpose");
  }
  if (order.size() != shape().size())
    detail::misuse(
        "transpose", where,
        fmt::format("axes don't match array: {} axes for {} dimensions", order.size(), ndim()));
  const bool is_matrix_T = order.size() == 2 && order[0] == 1;
  return is_matrix_T ? T(where) : garray(detail::permute(operand(*this, where).node, order, where));
}

garray garray_base::transpose(Where where) const {
  return T(where);
}

garray garray_base::transpose_simple(std::vector<int> axes, Where where) const {
  return transpose(std::move(axes), where);
}

garray garray_base::copy(Where where) const {
  return value(where);
}

std::vector<garray> garray_base::nonzero(Where where) const {
  return gnumpy::nonzero(*this, where);
}

std::vector<garray> garray_base::where(Where place) const {
  return nonzero(place);
}

garray garray_base::swapaxes(int first, int second, Where where) const {
  return gnumpy::swapaxes(*this, first, second, where);
}

garray garray_base::tile(Shape reps, Where where) const {
  return gnumpy::tile(*this, std::move(reps), where);
}

garray garray_base::moveaxis(const Axes& source, const Axes& destination, Where where) const {
  return gnumpy::moveaxis(*this, source, destination, where);
}

garray garray_base::diagflat(Index offset, Where where) const {
  return gnumpy::diagflat(*this, offset, where);
}

garray garray_base::diagonal(Index offset, int axis1, int axis2, Where where) const {
  return gnumpy::diagonal(*this, offset, axis1, axis2, where);
}

garray garray_base::diag(Index offset, Where where) const {
  return gnumpy::diag(*this, offset, where);
}

garray garray_base::trace(Index offset, int axis1, int axis2, Where where) const {
  return gnumpy::trace(*this, offset, axis1, axis2, where);
}

garray garray_base::flatten(Where where) const {
  return gnumpy::ravel(*this, where);
}

garray garray_base::take(const garray_base& indices, Axis axis, Where where) const {
  return gnumpy::take(*this, indices, axis, where);
}

garray garray_base::take(const std::vector<Index>& indices, Axis axis, Where where) const {
  return gnumpy::take(*this, indices, axis, where);
}

garray garray_base::take(std::initializer_list<Index> indices, Axis axis, Where where) const {
  return gnumpy::take(*this, std::vector<Index>(indices), axis, where);
}

garray garray_base::cumsum(Axis axis, Where where) const {
  return gnumpy::cumsum(*this, axis, where);
}

garray garray_base::argsort(Axis axis, Where where) const {
  return gnumpy::argsort(*this, axis, where);
}

garray garray_base::tensordot(operand b, int axes, Where where) const {
  return gnumpy::tensordot(operand(*this, where), std::move(b), axes);
}

garray garray_base::clip(const std::optional<operand>& low, const std::optional<operand>& high,
                         Where where) const {
  return gnumpy::clip(operand(*this, where), low, high);
}

garray garray_base::round(int decimals, Where where) const {
  return gnumpy::round(operand(*this, where), decimals);
}

}  // namespace gnumpy
