// CUDAMatrix from and for other libraries: DLPack, buffers, the array interfaces.
#include "cudamat/exchange.hpp"

#include "cudamat/python/dlpack.hpp"
#include "cudamat/python/matrix.hpp"
#include "npmat/exchange.hpp"

#ifdef CUDAMAT_PYTHON_CUDA
#include "cudamat/cuda/exchange.hpp"
#endif

namespace cudamat::python {

using nb::literals::operator""_a;

namespace {

/// Where the elements are, or those of new matrices of its kind would be.
template <class M>
dlpack::Device device_of(const M& x) {
  return exchange::sharing_of<typename M::engine>().device(x.size() == 0 ? nullptr : x.data());
}

template <class M>
inline constexpr bool on_cpu = std::is_same_v<M, npmat::CUDAMatrix<typename M::value_type>>;

nb::object dlpack_of(PyMatrix& self, nb::handle stream, nb::handle max_version,
                     nb::handle dl_device, nb::handle copy) {
  return std::visit(
      [&](auto& x) {
        const Asked asked = asked_of(stream, max_version, dl_device, copy, device_of(x));
        if (asked.on_host) return nb::object(new_array(self).attr("__dlpack__")());
        if (!asked.versioned)
          return capsule_of(exchanging(
              false, [&] { return to_dlpack_unversioned(x, asked.copy, asked.consumer); }));
        return capsule_of(
            exchanging(false, [&] { return to_dlpack(x, asked.copy, asked.consumer); }));
      },
      self.matrix);
}

nb::object from(nb::handle object, nb::handle copy) {
  const copyif wanted = copy_of("from_dlpack", copy);
  const Any single = make_nothing(false), twice = make_nothing(true);
  const auto stream = std::visit(
      [](const auto& x) { return stream_for<std::remove_cvref_t<decltype(x)>>(); }, single);
  const auto is_double = [](const auto& given) {
    if constexpr (std::is_pointer_v<std::remove_cvref_t<decltype(given)>>)
      return given->dl_tensor.dtype.bits == 64;
    else
      return given.typestr == "<f8";
  };
  Incoming incoming(object, wanted, stream);
  Any made = incoming.taken([&](const auto& given) {
    return std::visit(
        [&](const auto& x) {
          using M = std::remove_cvref_t<decltype(x)>;
          if constexpr (std::is_pointer_v<std::remove_cvref_t<decltype(given)>>)
            return Any(from_dlpack<M>(given, wanted));
          else
            return Any(from_cuda_array_interface<M>(given, wanted));
        },
        is_double(given) ? twice : single);
  });
  return nb::cast(PyMatrix(std::move(made)), nb::rv_policy::move);
}

/// What has the matrix's memory: the matrix keeps it for those who know the address.
template <class M>
void keep(PyMatrix& self, const M& x) {
  const Owner memory = x.owner();
  if (self.told.empty() || self.told.back() != memory) self.told.push_back(memory);
}

nb::dict array_interface(PyMatrix& self) {
  return std::visit(
      [&](auto& x) {
        if constexpr (!on_cpu<std::remove_cvref_t<decltype(x)>>)
          throw nb::attribute_error("the matrix is on a GPU; __cuda_array_interface__ tells where");
        const TensorPtr tensor = exchanging(false, [&] { return to_dlpack(x); });
        keep(self, x);
        return interface_of(tensor->dl_tensor);
      },
      self.matrix);
}

nb::dict gpu_interface(PyMatrix& self) {
  return std::visit(
      [&](auto& x) -> nb::dict {
        if constexpr (on_cpu<std::remove_cvref_t<decltype(x)>>) {
          throw nb::attribute_error("the matrix is on the CPU; __dlpack__ and buffers are there");
        } else {
          const CudaArrayInterface array =
              exchanging(false, [&] { return cuda_array_interface(x); });
          keep(self, x);
          return to_dict(array);
        }
      },
      self.matrix);
}

nb::object as_array(nb::handle self, nb::handle dtype, nb::handle copy) {
  PyMatrix& matrix = checked<PyMatrix>(self);
  return std::visit(
      [&](auto& x) {
        using M = std::remove_cvref_t<decltype(x)>;
        if (on_cpu<M> && x.on_device()) return array_of_buffer(self, dtype, copy);
        if (copy.ptr() == Py_False && x.on_device())
          throw nb::value_error(
              "the matrix is on a GPU; NumPy's arrays of its elements are copies");
        nb::object array = new_array(matrix);
        return dtype.is_none() ? array : array.attr("astype")(dtype, "copy"_a = false);
      },
      matrix.matrix);
}

int get_buffer(PyObject* self, Py_buffer* view, int flags) noexcept {
  view->obj = nullptr;
  try {
    std::visit(
        [&](auto& x) {
          if constexpr (!on_cpu<std::remove_cvref_t<decltype(x)>>)
            throw nb::buffer_error("the matrix is on a GPU; asarray() copies it to the host");
          else
            fill_buffer(self, *view, flags, exchanging(false, [&] { return to_dlpack(x); }));
        },
        initialized<PyMatrix>(self).matrix);
    return 0;
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_BufferError, error.what());
  }
  return -1;
}

}  // namespace

PyType_Slot matrix_slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(&get_buffer)},
                              {Py_bf_releasebuffer, reinterpret_cast<void*>(&release_buffer)},
                              {0, nullptr}};

void def_exchange(nb::module_& m, nb::class_<PyMatrix>& matrix) {
  matrix
      .def(
          "__dlpack__", &dlpack_of, nb::kw_only(), "stream"_a = nb::none(),
          "max_version"_a = nb::none(), "dl_device"_a = nb::none(), "copy"_a = nb::none(),
          nb::sig("def __dlpack__(self, *, stream: int | None = None, max_version: tuple[int, int] "
                  "| None = None, dl_device: tuple[int, int] | None = None, copy: bool | None = "
                  "None) -> object"),
          "A DLPack capsule of the elements, column-major (row-major for T), in this memory "
          "unless copy=True.")
      .def(
          "__dlpack_device__",
          [](const PyMatrix& self) {
            return std::visit([](const auto& x) { return to_tuple(device_of(x)); }, self.matrix);
          },
          nb::sig("def __dlpack_device__(self) -> tuple[int, int]"),
          "(1, 0) on the CPU, (2, number) on a GPU.")
      .def("__array__", &as_array, "dtype"_a = nb::none(), "copy"_a = nb::none(),
           nb::sig("def __array__(self, dtype: numpy.typing.DTypeLike | None = None, copy: bool | "
                   "None = None) -> numpy.ndarray"),
           "The elements as a NumPy array: on the CPU in the matrix's own memory, unless "
           "copy=True or another dtype is\n"
           "given; on a GPU a copy.")
      .def_prop_ro("__array_interface__", &array_interface,
                   nb::sig("def __array_interface__(self) -> dict"),
                   "Version 3, on the CPU; on a GPU AttributeError.")
      .def_prop_ro("__cuda_array_interface__", &gpu_interface,
                   nb::sig("def __cuda_array_interface__(self) -> dict"),
                   "Version 3, on a GPU; on the CPU AttributeError.");
  m.def("from_dlpack", &from, "x"_a, nb::kw_only(), "copy"_a = nb::none(),
        nb::sig("def from_dlpack(x: object, *, copy: bool | None = None) -> CUDAMatrix"),
        "A matrix of an array of another library (with __dlpack__ or "
        "__cuda_array_interface__). It shares memory if\n"
        "that is writable and column-major or row-major without gaps, and is a copy "
        "otherwise; copy=False raises a\n"
        "ValueError instead of copying, copy=True always copies. Elements are float32 or "
        "float64 and keep their type;\n"
        "others raise a BufferError. A vector of n elements becomes n x 1.");
}

}  // namespace cudamat::python
