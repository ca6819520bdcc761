// CUDAMatrix: life, host and device, shapes, slices.
#include "cudamat/python/matrix.hpp"

namespace cudamat::python {

using nb::literals::operator""_a;

PyMatrix& matrix_of(std::string_view op, std::string_view what, nb::handle object) {
  if (is_matrix(object)) return initialized<PyMatrix>(object);
  const bool array = nb::hasattr(object, "__array__");
  throw nb::type_error(fmt::format("[{}] {} must be a CUDAMatrix; got {}{}", op, what,
                                   name_of_type(object),
                                   array ? ", of which CUDAMatrix(array) makes one" : "")
                           .c_str());
}

Shape shape_of(std::string_view op, nb::handle shape) {
  if (PySequence_Check(shape.ptr()) != 0 && PySequence_Size(shape.ptr()) == 2) {
    const auto extent = [&](Py_ssize_t k) {
      const nb::object item = nb::steal(PySequence_GetItem(shape.ptr(), k));
      const nb::object index = nb::steal(PyNumber_Index(item.ptr()));
      if (!index.is_valid()) throw nb::python_error();
      Index value = 0;
      if (!nb::try_cast(index, value))
        throw nb::value_error(fmt::format("[{}] an extent must fit 64 bits; got {}", op,
                                          nb::cast<std::string>(nb::str(index)))
                                  .c_str());
      return value;
    };
    return {extent(0), extent(1)};
  }
  PyErr_Clear();
  throw nb::type_error(fmt::format("[{}] shape must be two numbers, (rows, columns); got {}", op,
                                   nb::cast<std::string>(nb::repr(shape)))
                           .c_str());
}

nb::tuple to_tuple(Shape shape) {
  return nb::make_tuple(shape.rows, shape.cols);
}

namespace {

nb::object two_dimensional(std::string_view op, nb::object array) {
  if (nb::cast<int>(array.attr("ndim")) == 2) return array;
  misuse(op, "a matrix has two dimensions; the array's shape is {}",
         nb::cast<std::string>(nb::repr(array.attr("shape"))));
}

Shape shape_of_array(nb::handle array) {
  return shape_of("CUDAMatrix", array.attr("shape"));
}

/// The device's elements become the host copy's.
template <class M>
void upload(M& matrix, nb::handle array) {
  const Elements elements(array, 'F', false);
  computing([&] {
    M::engine::copy_to_device(static_cast<const typename M::value_type*>(elements.data()),
                              matrix.data(), matrix.size());
  });
}

/// The elements into an array of the matrix's shape and type, in Fortran order.
template <class M>
void download(const M& matrix, nb::handle array) {
  const Elements elements(array, 'F', true);
  computing([&] {
    auto* const to = static_cast<typename M::value_type*>(elements.data());
    if (!matrix.is_transposed()) return M::engine::copy_to_host(matrix.data(), to, matrix.size());
    const M turned = matrix.T().transpose();
    M::engine::copy_to_host(turned.data(), to, turned.size());
  });
}

template <class M>
nb::object downloaded(const M& matrix) {
  nb::object array = empty_array(to_tuple(matrix.shape()), dtype_of<M>, 'F');
  download(matrix, array);
  return array;
}

void copy_to_device(PyMatrix& self) {
  if (!self.host.is_valid())
    misuse("copy_to_device", "there is no host copy; numpy_array or copy_to_host() makes one");
  std::visit(
      [&](auto& matrix) {
        using M = std::remove_cvref_t<decltype(matrix)>;
        self.host =
            two_dimensional("copy_to_device", make_array(self.host, dtype_of<M>, 'F', false));
        const Shape shape = shape_of_array(self.host);
        matrix.set_trans(false);
        if (!matrix.on_device() || matrix.size() != shape.size())
          matrix = M::empty(shape);
        else
          matrix.reshape(shape);
        upload(matrix, self.host);
      },
      self.matrix);
}

/// CUDAMatrix(array).
void construct(PyMatrix* place, nb::handle array, bool copy_to_device, bool copy_on_host,
               nb::handle dtype) {
  if (is_matrix(array))
    throw nb::type_error("[CUDAMatrix] array is a CUDAMatrix; its copy() makes another");
  Any any = make_empty("CUDAMatrix", {}, dtype);
  nb::object host = std::visit(
      [&](auto& matrix) {
        using M = std::remove_cvref_t<decltype(matrix)>;
        nb::object made =
            two_dimensional("CUDAMatrix", make_array(array, dtype_of<M>, 'F', copy_on_host));
        matrix = M::empty(shape_of_array(made));
        if (copy_to_device)
          upload(matrix, made);
        else
          matrix.free_device_memory();
        return made;
      },
      any);
  auto* const self = new (place) PyMatrix(std::move(any));
  self->host = std::move(host);
}

nb::object numpy_array(PyMatrix& self) {
  if (!self.host.is_valid()) copy_to_host(self);
  return self.host;
}

nb::object columns_of_host(const PyMatrix& self, Index first, Index last) {
  return self.host[nb::make_tuple(nb::slice(nb::none(), nb::none(), nb::none()),
                                  nb::slice(nb::cast(first), nb::cast(last), nb::none()))];
}

Index column(const char* what, nb::handle object) {
  const nb::object index = nb::steal(PyNumber_Index(object.ptr()));
  Index value = 0;
  if (index.is_valid() && nb::try_cast(index, value)) return value;
  PyErr_Clear();
  throw nb::type_error(
      fmt::format("[slice] {} must be an integer; got {}", what, name_of_type(object)).c_str());
}

nb::object col_slice(PyMatrix& self, nb::handle first_col, nb::handle last_col, bool include_host) {
  const Index first = column("first_col", first_col), last = column("last_col", last_col);
  return std::visit(
      [&](auto& matrix) {
        PyMatrix part(part_of(matrix, first, last));
        if (include_host && self.host.is_valid())
          part.host =
              is_column(matrix)
                  ? nb::object(self.host[nb::slice(nb::int_(first), nb::int_(last), nb::none())])
                  : columns_of_host(self, first, last);
        return nb::cast(std::move(part), nb::rv_policy::move);
      },
      self.matrix);
}

nb::object reshape(nb::object self, nb::handle shape) {
  std::visit(
      [&](auto& matrix) {
        Shape asked = shape_of("reshape", shape);
        Index& unknown = asked.rows == -1 ? asked.rows : asked.cols;
        const Index known = asked.rows == -1 ? asked.cols : asked.rows;
        if (unknown == -1 && known > 0 && matrix.size() % known == 0)
          unknown = matrix.size() / known;
        matrix.reshape(asked);
      },
      matrix_of("reshape", "self", self).matrix);
  return self;
}

nb::object copy(PyMatrix& self, bool include_host) {
  return std::visit(
      [&](auto& matrix) {
        PyMatrix twin(computing([&] { return matrix.copy(); }));
        if (include_host && self.host.is_valid())
          twin.host = self.host.attr("copy")(nb::arg("order") = "F");
        return nb::cast(std::move(twin), nb::rv_policy::move);
      },
      self.matrix);
}

std::string repr(const PyMatrix& self) {
  return std::visit(
      [&](const auto& matrix) {
        return fmt::format("<CUDAMatrix {}{}, {}{}>", matrix.shape(),
                           matrix.is_transposed() ? ", transposed view" : "",
                           std::remove_cvref_t<decltype(matrix)>::engine::name(),
                           matrix.on_device() ? "" : ", not on the device");
      },
      self.matrix);
}

nb::object as_array(PyMatrix& self) {
  copy_to_host(self);
  return self.host;
}

}  // namespace

nb::object new_array(PyMatrix& self) {
  return std::visit(
      [](auto& matrix) {
        if (!matrix.on_device()) matrix.copy_to_host();  // raises an error
        return downloaded(matrix);
      },
      self.matrix);
}

void copy_to_host(PyMatrix& self) {
  std::visit(
      [&](auto& matrix) {
        using M = std::remove_cvref_t<decltype(matrix)>;
        if (!matrix.on_device()) matrix.copy_to_host();  // raises an error for
        const Shape shape = matrix.shape();
        const auto has = [&](const char* flag) {
          return nb::cast<bool>(nb::object(self.host.attr("flags").attr(flag)));
        };
        const bool fits =
            self.host.is_valid() && shape_of_array(self.host) == shape && has("writeable") &&
            has("f_contiguous") &&
            nb::cast<std::string>(nb::object(self.host.attr("dtype").attr("name"))) == dtype_of<M>;
        if (fits)
          download(matrix, self.host);
        else
          self.host = downloaded(matrix);
      },
      self.matrix);
}

void def_life(nb::module_& m, nb::class_<PyMatrix>& matrix) {
  matrix
      .def("__init__", &construct, "array"_a, "copy_to_device"_a = true, "copy_on_host"_a = true,
           "dtype"_a = nb::none(),
           nb::sig("def __init__(self, array: numpy.typing.ArrayLike, copy_to_device: bool = True, "
                   "copy_on_host: bool = "
                   "True, dtype: numpy.typing.DTypeLike | None = None) -> None"),
           "A matrix with the elements of a 2-D array of any order and type; float32 unless "
           "dtype or use() is float64.\n"
           "numpy_array is a copy of the array. With copy_on_host=False it is the array "
           "itself, if that is in Fortran\n"
           "order and has the type of the matrix.")
      .def_prop_ro(
          "shape",
          [](const PyMatrix& self) {
            return std::visit([](const auto& x) { return to_tuple(x.shape()); }, self.matrix);
          },
          nb::sig("def shape(self) -> tuple[int, int]"),
          "(rows, columns), transposed if the flag is set.")
      .def_prop_ro(
          "dtype",
          [](const PyMatrix& self) {
            return std::visit(
                [](const auto& x) {
                  return numpy().attr("dtype")(dtype_of<std::remove_cvref_t<decltype(x)>>);
                },
                self.matrix);
          },
          nb::sig("def dtype(self) -> numpy.dtype"), "numpy.float32 or numpy.float64.")
      .def_prop_ro(
          "T",
          [](PyMatrix& self) {
            return std::visit([](auto& x) { return made(x.T()); }, self.matrix);
          },
          nb::sig("def T(self) -> CUDAMatrix"),
          "A view of this memory with the transposed flag toggled, for dot, add_dot, "
          "subtract_dot, transpose, copy, reductions\n"
          "and host copies. transpose() makes a transposed copy.")
      .def_prop_rw(
          "numpy_array", &numpy_array,
          [](PyMatrix& self, nb::object array) {
            std::visit(
                [&](auto& x) {
                  const char* const type = dtype_of<std::remove_cvref_t<decltype(x)>>;
                  self.host = two_dimensional("numpy_array",
                                              make_array(array, type, 'F', is_matrix(array)));
                },
                self.matrix);
          },
          nb::for_getter(nb::sig("def numpy_array(self) -> numpy.ndarray")),
          nb::for_setter(
              nb::sig("def numpy_array(self, array: numpy.typing.ArrayLike, /) -> None")),
          "The host copy, in Fortran order; copy_to_host() updates it, copy_to_device() "
          "copies it to the device. It is\n"
          "made at the first use if there is none.")
      .def_prop_ro(
          "is_transposed",
          [](const PyMatrix& self) {
            return std::visit([](const auto& x) { return x.is_transposed(); }, self.matrix);
          },
          "Whether this is a view such as T.")
      .def("copy_to_host", &copy_to_host,
           "Waits for the device and copies the elements into numpy_array.")
      .def("copy_to_device", &copy_to_device,
           "Copies numpy_array to the device; the matrix takes its shape. Raises an error if "
           "there is no host copy.")
      .def("asarray", &as_array, nb::sig("def asarray(self) -> numpy.ndarray"),
           "Calls copy_to_host() and returns numpy_array, which the next call overwrites.")
      .def("copy", &copy, "include_host"_a = false,
           nb::sig("def copy(self, include_host: bool = False) -> CUDAMatrix"),
           "A new matrix with the same elements (and flag).")
      .def(
          "free_device_memory",
          [](PyMatrix& self) { std::visit([](auto& x) { x.free_device_memory(); }, self.matrix); },
          "Frees the device memory when no view uses it; the host copy is kept.")
      .def("reshape", &reshape, "shape"_a,
           nb::sig("def reshape(self, shape: tuple[int, int]) -> CUDAMatrix"),
           "Changes the extents, one of which may be -1; the memory is the same, column by "
           "column. Returns self.")
      .def(
          "resize",
          [](nb::object self, nb::handle shape) {
            std::visit([&](auto& x) { x.resize(shape_of("resize", shape)); },
                       matrix_of("resize", "self", self).matrix);
            return self;
          },
          "shape"_a, nb::sig("def resize(self, shape: tuple[int, int]) -> CUDAMatrix"),
          "Sets the shape; if the number of elements changes, the memory is new and "
          "uninitialised. Returns self.")
      .def(
          "set_trans",
          [](nb::object self, bool transposed) {
            std::visit([&](auto& x) { x.set_trans(transposed); },
                       matrix_of("set_trans", "self", self).matrix);
            return self;
          },
          "is_trans"_a, nb::sig("def set_trans(self, is_trans: bool) -> CUDAMatrix"),
          "Sets the transposed flag of this object.")
      .def("slice", &col_slice, "first_col"_a, "last_col"_a, "include_host"_a = false,
           nb::sig("def slice(self, first_col: int, last_col: int, include_host: bool = False) -> "
                   "CUDAMatrix"),
           "A view of the columns [first_col, last_col), or of these elements of a column.")
      .def("__repr__", &repr)
      .def(
          "__reduce__",
          [](PyMatrix& self) {
            const nb::handle type = nb::type<PyMatrix>();
            const nb::object array = new_array(self);
            return nb::make_tuple(
                type, nb::make_tuple(array, true, true, nb::str(array.attr("dtype").attr("name"))));
          },
          nb::sig("def __reduce__(self) -> tuple"))
      .def(
          "__copy__", [](PyMatrix& self) { return copy(self, true); },
          nb::sig("def __copy__(self) -> CUDAMatrix"))
      .def(
          "__deepcopy__", [](PyMatrix& self, nb::handle) { return copy(self, true); },
          nb::sig("def __deepcopy__(self, memo: dict, /) -> CUDAMatrix"));

  m.def(
      "empty",
      [](nb::handle shape, nb::handle dtype) {
        return nb::cast(PyMatrix(make_empty("empty", shape_of("empty", shape), dtype)),
                        nb::rv_policy::move);
      },
      "shape"_a, "dtype"_a = nb::none(),
      nb::sig("def empty(shape: tuple[int, int], dtype: numpy.typing.DTypeLike | None = None) -> "
              "CUDAMatrix"),
      "An uninitialised matrix.");
  m.def(
      "reformat",
      [](nb::handle array, bool copy) { return make_array(array, default_dtype(), 'F', copy); },
      "array"_a, "copy"_a = true,
      nb::sig("def reformat(array: numpy.typing.ArrayLike, copy: bool = True) -> numpy.ndarray"),
      "The array as CUDAMatrix stores it: float32 (or the type of use()), in Fortran "
      "order.");
}

}  // namespace cudamat::python
