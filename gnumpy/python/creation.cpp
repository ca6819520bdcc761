// The class garray itself: how one is made, and what it tells of itself.
#include "gnumpy/engine.hpp"
#include "gnumpy/errors.hpp"
#include "gnumpy/materialize.hpp"
#include "gnumpy/python/array.hpp"

namespace gnumpy::python {

namespace {

using cudamat::python::numpy;

constexpr const char* kLike = "numpy.typing.ArrayLike";

void construct(PyArray* place, nb::handle data, bool copy, int ndmin) {
  const Where where = here();
  garray value = to_garray(data, where);
  compute(value.node());
  const bool shares = is_garray_object(data.ptr());
  copy = copy || (shares && array_of(data).scalar);  // numbers do not change
  computing([&] {
    if (shares && copy) value = garray(detail::copy_of(value.node()));
    if (value.ndim() < ndmin) {
      Dims dims = value.shape();
      dims.insert(dims.begin(), static_cast<std::size_t>(ndmin - value.ndim()), 1);
      value = garray(garray(value.reshape(dims, where).node()).node());
    }
  });
  new (place) PyArray{std::move(value), false};
}

nb::tuple shape_of(const garray& value) {
  nb::list shape;
  for (const Index extent : value.shape()) shape.append(extent);
  return nb::tuple(shape);
}

template <class F>
nb::object drawn(std::string_view op, nb::args shape, const F& f) {
  const Where where = here();
  if (shape.size() == 0) return nb::float_(computing([&] { return f(Dims{}, where).item(where); }));
  const Dims dims = dims_of(op, shape);
  return made(computing([&] { return f(dims, where); }));
}

void def_drawing(nb::module_& m, Class& type) {
  m.def(
      "rand",
      [](nb::args shape) {
        return drawn("rand", shape,
                     [](const Dims& dims, const Where& at) { return gnumpy::rand(dims, at); });
      },
      nb::sig("def rand(*shape: int | tuple[int, ...]) -> garray | float"),
      "Uniform random numbers on (0, 1]: rand(2, 3) or rand((2, 3)); without a shape, a "
      "float.");
  m.def(
      "randn",
      [](nb::args shape) {
        return drawn("randn", shape,
                     [](const Dims& dims, const Where& at) { return gnumpy::randn(dims, at); });
      },
      nb::sig("def randn(*shape: int | tuple[int, ...]) -> garray | float"),
      "Standard normal random numbers; arguments as for rand().");
  m.def(
      "seed_rand",
      [](nb::handle seed) {
        const auto number =
            static_cast<std::uint64_t>(seed.is_none() ? 0 : integer("seed_rand", "seed", seed));
        computing([&] { gnumpy::seed_rand(number); });
      },
      "seed"_a = nb::none(), nb::sig("def seed_rand(seed: int | None = None) -> None"),
      "Restarts the stream of random numbers with this seed; 0 by default.");
  type.def(
      "rand",
      [](nb::handle self, const std::string& distribution) {
        const Where where = here();
        if (distribution != "uniform" && distribution != "normal")
          detail::misuse("rand", where,
                         "distribution must be 'uniform' or 'normal'; got '" + distribution + "'");
        const Dims dims = array_of(self).value.shape();
        const bool normal = distribution == "normal";
        return made(computing(
            [&] { return normal ? gnumpy::randn(dims, where) : gnumpy::rand(dims, where); }));
      },
      "distribution"_a = "uniform",
      "An array of this shape with new random numbers, 'uniform' on (0, 1] or 'normal'.");
  type.def(
      "randn",
      [](nb::handle self) {
        const Where where = here();
        const Dims dims = array_of(self).value.shape();
        return made(computing([&] { return gnumpy::randn(dims, where); }));
      },
      "An array of this shape with new standard normal numbers.");
}

/// Elements have the engine's type: the dtype of NumPy's programs has to be one, no more.
void check_dtype(nb::handle dtype) {
  if (!dtype.is_none()) (void)numpy().attr("dtype")(dtype);
}

void def_filled(nb::module_& m) {
#define FILLED(name, doc)                                                  \
  m.def(                                                                   \
      #name,                                                               \
      [](ShapeArg shape, DtypeArg dtype) {                                 \
        const Where where = here();                                        \
        check_dtype(dtype);                                                \
        const Dims dims = dims_of(#name, shape);                           \
        return made(computing([&] { return gnumpy::name(dims, where); })); \
      },                                                                   \
      "shape"_a, "dtype"_a = nb::none(),                                   \
      doc " dtype is ignored: elements have the engine's type.");
  FILLED(empty, "An uninitialised array.")
  FILLED(zeros, "An array of zeros.")
  FILLED(ones, "An array of ones.")
#undef FILLED
  m.def(
      "full",
      [](ShapeArg shape, double value, DtypeArg dtype) {
        const Where where = here();
        check_dtype(dtype);
        const Dims dims = dims_of("full", shape);
        return made(computing([&] { return gnumpy::full(dims, value, where); }));
      },
      "shape"_a, "fill_value"_a, "dtype"_a = nb::none(), "An array filled with a number.");
#define ALIKE(name, doc)                                                 \
  m.def(                                                                 \
      #name,                                                             \
      [](ArrayArg a, DtypeArg dtype) {                                   \
        const Where where = here();                                      \
        check_dtype(dtype);                                              \
        const garray of = to_garray(a, where);                           \
        return made(computing([&] { return gnumpy::name(of, where); })); \
      },                                                                 \
      "a"_a, "dtype"_a = nb::none(), doc);
  ALIKE(empty_like, "An uninitialised array of this shape.")
  ALIKE(zeros_like, "Zeros of this shape.")
  ALIKE(ones_like, "Ones of this shape.")
#undef ALIKE
  m.def(
      "full_like",
      [](ArrayArg a, double value) {
        const Where where = here();
        const garray of = to_garray(a, where);
        return made(computing([&] { return gnumpy::full_like(of, value, where); }));
      },
      "a"_a, "fill_value"_a, "An array of this shape, filled with a number.");
  m.def(
      "eye",
      [](Index n, ExtentArg columns, Index k) {
        const Where where = here();
        const std::optional<Index> cols =
            columns.is_none() ? std::nullopt : std::optional(integer("eye", "M", columns));
        return made(computing([&] { return gnumpy::eye(n, cols, k, where); }));
      },
      "N"_a, "M"_a = nb::none(), "k"_a = 0, "N x M, or N x N; ones where column - row is k.");
  m.def(
      "identity", [](Index n) { return made(gnumpy::identity(n, here())); }, "n"_a, "eye(n).");
  m.def(
      "arange",
      [](double start, NumberArg stop, double step) {
        const Where where = here();
        const double end = stop.is_none() ? start : cudamat::python::number("arange", "stop", stop);
        return made(computing(
            [&] { return gnumpy::arange(stop.is_none() ? 0 : start, end, step, where); }));
      },
      "start"_a, "stop"_a = nb::none(), "step"_a = 1.0,
      "Numbers from start up to stop, excluding stop.");
  m.def(
      "linspace",
      [](double start, double stop, Index num, bool endpoint) {
        const Where where = here();
        return made(computing([&] { return gnumpy::linspace(start, stop, num, endpoint, where); }));
      },
      "start"_a, "stop"_a, "num"_a = 50, "endpoint"_a = true,
      "num evenly spaced numbers from start to stop.");
}

void def_conversions(nb::module_& m, Class& type) {
  constexpr const char* kHost =
      "The elements as a NumPy array, float64 unless dtype is given. Waits.";
  const auto as_numpy = [](nb::handle self, DtypeArg dtype) {
    return to_numpy(array_of(self).value, dtype);
  };
  for (const char* name : {"as_numpy_array", "asarray"})
    type.def(name, as_numpy, "dtype"_a = "float64",
             nb::sig(fmt::format(
                         "def {}(self, dtype: numpy.typing.DTypeLike = 'float64') -> numpy.ndarray",
                         name)
                         .c_str()),
             kHost);
  type.def("astype", as_numpy, "dtype"_a,
           nb::sig("def astype(self, dtype: numpy.typing.DTypeLike) -> numpy.ndarray"), kHost);
  type.def(
      "_as_engine_numpy",
      [](nb::handle self) { return to_numpy(array_of(self).value, nb::none()); },
      "The elements as a NumPy array of the engine's type.");
  m.def(
      "as_numpy_array",
      [](ArrayArg a, DtypeArg dtype) -> nb::object {
        if (is_garray_object(a.ptr())) return to_numpy(array_of(a).value, dtype);
        return numpy().attr("asarray")(a);
      },
      "a"_a, "dtype"_a = "float64",
      nb::sig("def as_numpy_array(a: garray | numpy.typing.ArrayLike, dtype: "
              "numpy.typing.DTypeLike = 'float64') -> numpy.ndarray"),
      "The elements of a garray as a NumPy array; np.asarray() of other objects.");
  m.def(
      "as_garray",
      [](ArrayArg a) -> nb::object {
        return is_garray_object(a.ptr()) ? nb::borrow(a) : made(to_garray(a, here()));
      },
      "a"_a, nb::sig(fmt::format("def as_garray(a: garray | {}) -> garray", kLike).c_str()),
      "The garray itself, or a garray of anything that garray() takes.");
  m.def(
      "as_garray_or_scalar",
      [](ArrayArg a) -> nb::object {
        const bool number = !is_garray_object(a.ptr()) && !is_array(a) && !PyList_Check(a.ptr()) &&
                            !PyTuple_Check(a.ptr());
        return number || is_garray_object(a.ptr()) ? nb::borrow(a) : made(to_garray(a, here()));
      },
      "a"_a, "as_garray(), but numbers stay numbers.");
  m.def(
      "is_garray", [](ArrayArg a) { return is_garray_object(a.ptr()); }, "a"_a,
      "Whether it is a garray.");
  m.def(
      "is_array",
      [](ArrayArg a) {
        return is_garray_object(a.ptr()) || nb::isinstance(a, numpy().attr("ndarray"));
      },
      "a"_a, "Whether it is a garray or a NumPy array.");
  type.def(
      "item",
      [](nb::handle self, nb::args at) {
        if (at.size() == 0) return only_element(self, "item");
        nb::object key = nb::borrow(at);
        if (at.size() == 1 && array_of(self).value.ndim() != 1) {
          const nb::object flat = made(gnumpy::ravel(array_of(self).value, here()));
          return only_element(get_item(flat, nb::handle(at[0])), "item");
        }
        return only_element(get_item(self, key), "item");
      },
      nb::sig("def item(self, *index: int) -> float"),
      "The only element, or the one at an index, as a float. Waits.");
  type.def(
      "fill",
      [](nb::handle self, double value) {
        require_array(self);
        compute(array_of(self).value.node());
        computing([&] { garray_view(array_of(self).value) = value; });
      },
      "value"_a, "Sets every element to the number.");
  type.def(
      "tolist",
      [](nb::handle self) { return to_numpy(array_of(self).value, nb::none()).attr("tolist")(); },
      "The elements as nested lists.");
  type.def("__reduce__", [](nb::handle self) {
    const garray& value = array_of(self).value;
    compute(value.node());
    const bool truths = value.node()->content() == detail::Content::Truths;
    const nb::object dtype = truths ? nb::object(nb::str("bool")) : nb::none();
    return nb::make_tuple(nb::handle(reinterpret_cast<PyObject*>(array_type)),
                          nb::make_tuple(to_numpy(value, dtype)));
  });
}

}  // namespace

void def_creation(nb::module_& m, Class& type) {
  type.def("__init__", &construct, "data"_a, "copy"_a = true, "ndmin"_a = 0,
           nb::sig("def __init__(self, data: garray | numpy.typing.ArrayLike, copy: bool = True, "
                   "ndmin: int = 0) -> None"),
           "A garray with the elements of an array, nested sequences or a number, and at "
           "least ndmin dimensions.");
  type.def_prop_ro(
      "shape", [](nb::handle self) { return shape_of(array_of(self).value); },
      nb::sig("def shape(self) -> tuple[int, ...]"), "The extents.");
  type.def_prop_ro(
      "size", [](nb::handle self) { return array_of(self).value.size(); },
      "The number of elements.");
  type.def_prop_ro(
      "ndim", [](nb::handle self) { return array_of(self).value.ndim(); }, "How many axes.");
  type.def_prop_ro(
      "nbytes", [](nb::handle self) { return array_of(self).value.nbytes(); },
      "The number of bytes of the elements.");
  type.def_prop_ro(
      "nMBytes", [](nb::handle self) { return array_of(self).value.nMBytes(); },
      "nbytes in units of 2^20.");
  type.def_prop_ro(
      "dtype", [](nb::handle) { return numpy().attr("dtype")(engine_dtype()); },
      nb::sig("def dtype(self) -> numpy.dtype"),
      "The engine's type: numpy.float32, or the type that GNUMPY_CPU_PRECISION sets.");
  def_conversions(m, type);
  def_drawing(m, type);
  def_filled(m);
}

}  // namespace gnumpy::python
