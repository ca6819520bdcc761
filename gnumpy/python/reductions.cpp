// Reductions and products, as functions of the module and methods of garray.
#include "gnumpy/materialize.hpp"
#include "gnumpy/python/array.hpp"

namespace gnumpy::python {

namespace {

template <class F>
void def_both(nb::module_& m, Class& type, const char* name, F f, const char* doc,
              const char* result = "garray") {
  constexpr const char* kTypes =
      "axis: int | tuple[int, ...] | None = None, keepdims: bool = False";
  m.def(name, f, "a"_a, "axis"_a = nb::none(), "keepdims"_a = false,
        nb::sig(fmt::format("def {}(a: garray | numpy.typing.ArrayLike, {}) -> {}", name, kTypes,
                            result)
                    .c_str()),
        doc);
  type.def(name, f, "axis"_a = nb::none(), "keepdims"_a = false,
           nb::sig(fmt::format("def {}(self, {}) -> {}", name, kTypes, result).c_str()), doc);
}

template <class F>
ArrayObject reduce(const char* op, nb::handle a, nb::handle axis, const F& f) {
  const Where where = here();
  const Axes axes = axes_of(op, axis);
  return made_scalar(f(operand_of(a, where), axes));
}

void def_folds(nb::module_& m, Class& type) {
#define REDUCTION(name, doc)                                             \
  def_both(                                                              \
      m, type, #name,                                                    \
      [](ArrayArg a, AxisArg axis, bool keepdims) {                      \
        return reduce(#name, a, axis, [&](operand x, const Axes& axes) { \
          return gnumpy::name(std::move(x), axes, keepdims);             \
        });                                                              \
      },                                                                 \
      doc);
#define OVER " over one axis, several or all axes, which are kept with extent 1 if keepdims=True."
  REDUCTION(sum, "The sum" OVER)
  REDUCTION(mean, "The mean" OVER)
  REDUCTION(max, "The largest element" OVER " NaN if there is one.")
  REDUCTION(min, "The smallest element" OVER " NaN if there is one.")
  REDUCTION(amax, "The largest element" OVER)
  REDUCTION(amin, "The smallest element" OVER)
  REDUCTION(prod, "The product" OVER)
  REDUCTION(any, "Whether any element is not 0" OVER)
  REDUCTION(all, "Whether no element is 0" OVER)
  REDUCTION(any2, "any() of elements that are 0 or 1" OVER)
  REDUCTION(all2, "all() of elements that are 0 or 1" OVER)
  REDUCTION(norm, "The square root of the sum of squares" OVER)
#undef REDUCTION
#define POSITION(name, doc)                                                \
  def_both(                                                                \
      m, type, #name,                                                      \
      [](ArrayArg a, AxisArg axis, bool keepdims) {                        \
        const Where where = here();                                        \
        const Axis over = axis_of(#name, axis);                            \
        return places(gnumpy::name(operand_of(a, where), over, keepdims)); \
      },                                                                   \
      doc, "numpy.typing.NDArray[numpy.int64] | numpy.int64");
  POSITION(argmax,
           "The index of the largest element along the axis, or in C order, as a NumPy "
           "integer.")
  POSITION(argmin,
           "The index of the smallest element along the axis, or in C order, as a NumPy "
           "integer.")
#undef POSITION
#define MOMENT(name, doc)                                                                     \
  {                                                                                           \
    const auto f = [](ArrayArg a, AxisArg axis, double ddof, bool keepdims) {                 \
      return reduce(#name, a, axis, [&](operand x, const Axes& axes) {                        \
        return gnumpy::name(std::move(x), axes, keepdims, ddof);                              \
      });                                                                                     \
    };                                                                                        \
    m.def(#name, f, "a"_a, "axis"_a = nb::none(), "ddof"_a = 0.0, "keepdims"_a = false, doc); \
    type.def(#name, f, "axis"_a = nb::none(), "ddof"_a = 0.0, "keepdims"_a = false, doc);     \
  }
  MOMENT(var, "The sum of squared differences from the mean, divided by count - ddof.")
  MOMENT(std, "The square root of var().")
#undef MOMENT
}

}  // namespace

nb::object places(const garray& of) {
  const nb::object numbers = to_numpy(of, nb::str("int64"));
  return of.ndim() == 0 ? nb::object(numbers[nb::tuple()]) : numbers;
}

nb::tuple nonzero_of(nb::handle a, const Where& where) {
  const garray of = to_garray(a, where);
  nb::list indices;
  for (const garray& one : computing([&] { return gnumpy::nonzero(of, where); }))
    indices.append(places(one));
  return nb::tuple(indices);
}

namespace {

void def_scans(nb::module_& m, Class& type) {
  const auto cumsum = [](ArrayArg a, AxisArg axis) {
    const Where where = here();
    const garray of = to_garray(a, where);
    const Axis over = axis_of("cumsum", axis);
    return made(computing([&] { return gnumpy::cumsum(of, over, where); }));
  };
  m.def("cumsum", cumsum, "a"_a, "axis"_a = nb::none(),
        "Running sums along the axis, or of all elements in C order.");
  type.def("cumsum", cumsum, "axis"_a = nb::none(),
           "Running sums along the axis, or of all elements in C order.");
  const auto argsort = [](ArrayArg a, AxisArg axis) {
    const Where where = here();
    const garray of = to_garray(a, where);
    const Axis over = axis_of("argsort", axis);
    return places(computing([&] { return gnumpy::argsort(of, over, where); }));
  };
  m.def("argsort", argsort, "a"_a, "axis"_a = -1,
        "The indices that sort the elements in ascending order, NaN last, as NumPy "
        "integers; stable.");
  type.def("argsort", argsort, "axis"_a = -1,
           "The indices that sort the elements in ascending order, NaN last, as NumPy "
           "integers; stable.");
  m.def(
      "sort",
      [](ArrayArg a, AxisArg axis) {
        const Where where = here();
        garray of = to_garray(a, where);
        const bool flat = axis.is_none();
        const int over = axis_of("sort", axis).value_or(-1);
        return made(computing(
            [&] { return gnumpy::sort(flat ? gnumpy::ravel(of, where) : of, over, where); }));
      },
      "a"_a, "axis"_a = -1, "A sorted copy, ascending along the axis, NaN last.");
  type.def(
      "sort",
      [](nb::handle self, int axis) {
        const Where where = here();
        compute(array_of(self).value.node());
        computing([&] { garray_view(array_of(self).value).sort(axis, where); });
      },
      "axis"_a = -1, "Sorts in place, ascending along the axis, NaN last.");
  const auto nonzero = [](ArrayArg a) { return nonzero_of(a, here()); };
  constexpr const char* kNonzero =
      "The indices along each axis of the elements that are not 0, as NumPy integers.";
  m.def("nonzero", nonzero, "a"_a, kNonzero);
  type.def("nonzero", nonzero, kNonzero);
}

void def_numbers(nb::module_& m, Class& type) {
  const auto euclid = [](ArrayArg a) {
    const Where where = here();
    operand of = operand_of(a, where);
    return computing([&] { return gnumpy::euclid_norm(std::move(of)); });
  };
  m.def("euclid_norm", euclid, "a"_a,
        "The square root of the sum of squares of all elements: a float.");
  type.def("euclid_norm", euclid,
           "The square root of the sum of squares of all elements: a float.");
  const auto all_real = [](ArrayArg a) {
    const Where where = here();
    const garray of = to_garray(a, where);
    compute(of.node());
    return computing([&] { return of.all_real(where); });
  };
  m.def("all_real", all_real, "a"_a, "Whether no element is NaN or infinite.");
  type.def("all_real", all_real, "Whether no element is NaN or infinite.");
  const auto eq2 = [](ArrayArg a, ArrayArg b) {
    const Where where = here();
    const garray left = to_garray(a, where), right = to_garray(b, where);
    return computing([&] { return left.eq2(right, where); });
  };
  m.def("eq2", eq2, "a"_a, "b"_a, "Whether shape and elements are equal; NaN equals nothing.");
  type.def("eq2", eq2, "b"_a, "Whether shape and elements are equal; NaN equals nothing.");
  m.def("array_equal", eq2, "a"_a, "b"_a, "eq2().");
}

std::vector<int> axes_in(const char* op, nb::handle axes) {
  const Dims dims = dims_of(op, axes);
  return {dims.begin(), dims.end()};
}

void def_products(nb::module_& m, Class& type) {
#define PRODUCT(name, doc)                                                 \
  {                                                                        \
    const auto f = [](ArrayArg a, ArrayArg b) {                            \
      const Where where = here();                                          \
      operand left = operand_of(a, where), right = operand_of(b, where);   \
      return made_scalar(gnumpy::name(std::move(left), std::move(right))); \
    };                                                                     \
    m.def(#name, f, "a"_a, "b"_a, doc);                                    \
    type.def(#name, f, "b"_a, doc);                                        \
  }
  PRODUCT(dot,
          "np.dot: sums over the last axis of a and the last but one of b (its only one, if "
          "it is 1-D).")
  PRODUCT(matmul, "np.matmul: products of matrices, or of stacks of matrices.")
  PRODUCT(outer, "The products of all pairs of elements, both arrays ravelled.")
#undef PRODUCT
  const auto tensordot = [](ArrayArg a, ArrayArg b, AxesArg axes) {
    const Where where = here();
    if (PySequence_Check(axes.ptr()) == 0) {
      operand left = operand_of(a, where), right = operand_of(b, where);
      return made_scalar(gnumpy::tensordot(std::move(left), std::move(right),
                                           static_cast<int>(integer("tensordot", "axes", axes))));
    }
    if (nb::len(axes) != 2)
      throw nb::value_error("[tensordot] axes must be a number, or two lists of axes");
    const garray left = to_garray(a, where), right = to_garray(b, where);
    return made_scalar(gnumpy::tensordot(left, right, axes_in("tensordot", nb::object(axes[0])),
                                         axes_in("tensordot", nb::object(axes[1])), where));
  };
  m.def("tensordot", tensordot, "a"_a, "b"_a, "axes"_a = 2,
        "np.tensordot: sums over the last axes of a and the first of b, or over two lists "
        "of axes, pair by pair.");
  type.def("tensordot", tensordot, "b"_a, "axes"_a = 2, "tensordot(self, b, axes).");
}

}  // namespace

void def_reductions(nb::module_& m, Class& type) {
  def_folds(m, type);
  def_scans(m, type);
  def_numbers(m, type);
  def_products(m, type);
}

}  // namespace gnumpy::python
