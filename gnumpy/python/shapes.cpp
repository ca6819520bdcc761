// Shapes, parts and joins, as functions of the module and methods of garray.
#include "gnumpy/build.hpp"
#include "gnumpy/materialize.hpp"
#include "gnumpy/python/array.hpp"

namespace gnumpy::python {

namespace {

/// The same elements with another shape: an alias, or what is pending still as an expression.
ArrayObject reshaped(nb::handle self, Dims dims, const Where& where) {
  if (array_of(self).value.node()->kind == detail::Node::Kind::Expression && is_temporary(self))
    return made(detail::reshape(operand_of(self, where).node, std::move(dims), where));
  garray array = shared_by(self);
  return made(garray(array.reshape(std::move(dims), where).node()));
}

/// reshape(2, 3), reshape((2, 3)), reshape(-1); NumPy's keyword order raises an error.
ArrayObject reshape(nb::handle self, nb::args shape) {
  return reshaped(self, dims_of("reshape", shape), here());
}

/// f(garray) of the elements' own memory: an alias.
template <class F>
ArrayObject alias(nb::handle self, const F& f) {
  garray array = shared_by(self);
  return made(garray(f(array).node()));
}

/// As functions of the module: of what is no garray a new one.
nb::object as_object(nb::handle a, const Where& where) {
  return is_garray_object(a.ptr()) ? nb::borrow(a) : made(to_garray(a, where));
}

std::vector<int> axes_list(const char* op, nb::handle axes) {
  std::vector<int> list;
  for (const Index axis : dims_of(op, axes)) list.push_back(axis_number(op, axis));
  return list;
}

ArrayObject transpose(ArrayArg a, AxesArg axes) {
  const Where where = here();
  if (axes.is_none()) return made(detail::transpose(operand_of(a, where).node, where));
  const garray of = to_garray(a, where);
  compute(of.node());
  const std::vector<int> order = axes_list("transpose", axes);
  return made(computing([&] { return of.transpose(order, where); }));
}

ArrayObject transpose_method(nb::handle self, nb::args axes) {
  if (axes.empty()) return transpose(self, nb::none());
  if (axes.size() == 1) return transpose(self, nb::handle(axes[0]));
  return transpose(self, nb::handle(axes));
}

/// f(garray, where) while other threads run: a copy of its elements, elsewhere.
template <class F>
ArrayObject moved(nb::handle a, const F& f) {
  const Where where = here();
  const garray of = to_garray(a, where);
  compute(of.node());
  return made(computing([&] { return f(of, where); }));
}

void def_aliases(nb::module_& m, Class& type) {
  type.def("reshape", &reshape,
           nb::sig("def reshape(self, *shape: int | tuple[int, ...]) -> garray"),
           "A view of the elements with another shape, one extent of which may be -1.");
  type.def(
      "reshape_2d",
      [](nb::handle self, int row_axes) {
        const int ndim = array_of(self).value.ndim();
        const int rows = row_axes < 0 ? row_axes + ndim : row_axes;
        return alias(self, [&](garray& a) { return a.reshape_2d(rows, here()); });
      },
      "n_dimensions_as_rows"_a,
      "A view as a matrix: the first n_dimensions_as_rows axes (if negative, all but as "
      "many) become its rows, the others its columns.");
  type.def(
      "ravel", [](nb::handle self) { return reshaped(self, {-1}, here()); },
      "A view of the elements as a 1-D array.");
  type.def(
      "squeeze",
      [](nb::handle self, AxisArg axis) {
        return alias(self, [&](garray& a) { return a.squeeze(axes_of("squeeze", axis), here()); });
      },
      "axis"_a = nb::none(), "A view without axes of extent 1.");
  m.def(
      "reshape",
      [](ArrayArg a, ShapeArg shape) {
        const Where where = here();
        return reshaped(as_object(a, where), dims_of("reshape", shape), where);
      },
      "a"_a, "shape"_a, "A view of the elements with another shape.");
  m.def(
      "ravel",
      [](ArrayArg a) {
        const Where where = here();
        return reshaped(as_object(a, where), {-1}, where);
      },
      "a"_a, "A view of the elements as a 1-D array.");
  m.def(
      "squeeze",
      [](ArrayArg a, AxisArg axis) {
        const Where where = here();
        return alias(as_object(a, where),
                     [&](garray& x) { return x.squeeze(axes_of("squeeze", axis), where); });
      },
      "a"_a, "axis"_a = nb::none(), "A view without axes of extent 1.");
  m.def(
      "expand_dims",
      [](ArrayArg a, AxisArg axis) {
        const Where where = here();
        return alias(as_object(a, where),
                     [&](garray& x) { return x.expand_dims(axes_of("expand_dims", axis), where); });
      },
      "a"_a, "axis"_a,
      "A view with additional axes of extent 1 at these positions of the result's "
      "shape.");
}

void def_copies(nb::module_& m, Class& type) {
  type.def_prop_ro(
      "T", [](nb::handle self) { return transpose(self, nb::none()); },
      nb::sig("def T(self) -> garray"),
      "The axes in reverse order: a copy, which products do not need to make.");
  type.def("transpose", &transpose_method,
           nb::sig("def transpose(self, *axes: int | tuple[int, ...]) -> garray"),
           "The axes in another order, or reversed: a copy.");
  type.def(
      "transpose_simple",
      [](nb::handle self, AxesArg axes) {
        if (PyLong_Check(axes.ptr()) == 0) return transpose(self, axes);
        const int ndim = array_of(self).value.ndim();
        const auto first = static_cast<int>(integer("transpose_simple", "axes", axes));
        nb::list order;
        for (int axis = 0; axis < ndim; ++axis) order.append((axis + first) % ndim);
        return transpose(self, nb::tuple(order));
      },
      "axes"_a, "The axes rotated by this number, or in another order: a copy.");
  m.def("transpose", &transpose, "a"_a, "axes"_a = nb::none(),
        "The axes in another order, or reversed: a copy.");
#define COPY(name, doc)                                                             \
  {                                                                                 \
    const auto f = [](ArrayArg a) {                                                 \
      return moved(a, [](const garray& x, const Where& at) { return x.name(at); }); \
    };                                                                              \
    type.def(#name, f, doc);                                                        \
    m.def(#name, f, "a"_a, doc);                                                    \
  }
  COPY(copy, "A copy.")
  COPY(flatten, "A 1-D copy.")
#undef COPY
  for (const char* name : {"__copy__", "__deepcopy__"})
    type.def(name, [](ArrayArg a, nb::args) {
      return moved(a, [](const garray& x, const Where& at) { return x.copy(at); });
    });
#define TWO_AXES(name, doc)                                                                        \
  {                                                                                                \
    const auto f = [](ArrayArg a, int axis1, int axis2) {                                          \
      return moved(a, [&](const garray& x, const Where& at) { return x.name(axis1, axis2, at); }); \
    };                                                                                             \
    type.def(#name, f, "axis1"_a, "axis2"_a, doc);                                                 \
    m.def(#name, f, "a"_a, "axis1"_a, "axis2"_a, doc);                                             \
  }
  TWO_AXES(swapaxes, "Two axes exchanged: a copy.")
#undef TWO_AXES
  m.def(
      "moveaxis",
      [](ArrayArg a, ShapeArg source, ShapeArg destination) {
        const Axes from = axes_of("moveaxis", source), to = axes_of("moveaxis", destination);
        return moved(a, [&](const garray& x, const Where& at) { return x.moveaxis(from, to, at); });
      },
      "a"_a, "source"_a, "destination"_a, "Moves axes to other positions: a copy.");
  const auto tile = [](ArrayArg a, ShapeArg reps) {
    const Dims times = dims_of("tile", reps);
    return moved(a, [&](const garray& x, const Where& at) { return x.tile(times, at); });
  };
  type.def("tile", tile, "reps"_a, "Repeated reps[k] times along axis k.");
  m.def("tile", tile, "a"_a, "reps"_a, "Repeated reps[k] times along axis k.");
#define DIAGONAL(name, doc)                                                             \
  {                                                                                     \
    const auto f = [](ArrayArg a, Index k) {                                            \
      return moved(a, [&](const garray& x, const Where& at) { return x.name(k, at); }); \
    };                                                                                  \
    type.def(#name, f, "k"_a = 0, doc);                                                 \
    m.def(#name, f, "a"_a, "k"_a = 0, doc);                                             \
  }
  DIAGONAL(diagflat, "A square matrix with the elements, ravelled, on the k-th diagonal.")
  DIAGONAL(diag, "diagflat() of a 1-D array, the diagonal of a 2-D array.")
#undef DIAGONAL
#define DIAGONALS(name, doc)                                                               \
  {                                                                                        \
    const auto f = [](ArrayArg a, Index offset, int axis1, int axis2) {                    \
      const Where where = here();                                                          \
      const garray of = to_garray(a, where);                                               \
      compute(of.node());                                                                  \
      return made_scalar(computing([&] { return of.name(offset, axis1, axis2, where); })); \
    };                                                                                     \
    type.def(#name, f, "offset"_a = 0, "axis1"_a = 0, "axis2"_a = 1, doc);                 \
    m.def(#name, f, "a"_a, "offset"_a = 0, "axis1"_a = 0, "axis2"_a = 1, doc);             \
  }
  DIAGONALS(diagonal, "The elements a[i, i + offset] of two axes.")
  DIAGONALS(trace, "The sums of diagonals.")
#undef DIAGONALS
  const auto take = [](ArrayArg a, ArrayArg indices, AxisArg axis) {
    const Where where = here();
    const Axis over = axis_of("take", axis);
    const garray of = to_garray(a, where), at = to_garray(indices, where);
    return made_scalar(computing([&] { return of.take(at, over, where); }));
  };
  type.def("take", take, "indices"_a, "axis"_a = nb::none(),
           "The elements at these indices along the axis, or of all elements in C order.");
  m.def("take", take, "a"_a, "indices"_a, "axis"_a = nb::none(),
        "The elements at these indices along the axis, or of all elements in C order.");
}

template <class F>
ArrayObject joined(nb::handle parts, const F& f) {
  const Where where = here();
  std::vector<garray> arrays;
  for (nb::handle part : nb::iter(parts)) {
    garray each = to_garray(part, where);
    compute(each.node());
    arrays.push_back(std::move(each));
  }
  return made(computing([&] { return f(arrays, where); }));
}

void def_joins(nb::module_& m) {
#define ALONG(name, doc)                                                         \
  m.def(                                                                         \
      #name,                                                                     \
      [](ArraysArg arrays, AxisArg axis) {                                       \
        const int over = axis_of(#name, axis).value_or(0);                       \
        return joined(arrays, [&](std::vector<garray>& parts, const Where& at) { \
          if (axis.is_none())                                                    \
            for (garray & part : parts) part = gnumpy::ravel(part, at);          \
          return gnumpy::name(parts, over, at);                                  \
        });                                                                      \
      },                                                                         \
      "arrays"_a, "axis"_a = 0, doc);
  ALONG(concatenate, "Joins arrays along an existing axis.")
  ALONG(stack, "Joins arrays of the same shape along a new axis.")
#undef ALONG
#define STACK(name, doc)                                                              \
  m.def(                                                                              \
      #name,                                                                          \
      [](ArraysArg arrays) {                                                          \
        return joined(arrays, [](const std::vector<garray>& parts, const Where& at) { \
          return gnumpy::name(parts, at);                                             \
        });                                                                           \
      },                                                                              \
      "arrays"_a, doc);
  STACK(vstack, "Joins arrays as rows, along axis 0.")
  STACK(row_stack, "vstack().")
  STACK(hstack, "Joins arrays along axis 1, or along axis 0 if the first is 1-D.")
  STACK(dstack, "Along axis 2.")
  STACK(column_stack, "Joins arrays as columns, along axis 1.")
#undef STACK
}

}  // namespace

void def_shapes(nb::module_& m, Class& type) {
  def_aliases(m, type);
  def_copies(m, type);
  def_joins(m);
}

}  // namespace gnumpy::python
