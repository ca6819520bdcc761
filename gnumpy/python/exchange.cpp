// garray from and for other libraries: DLPack, buffers, the array interfaces.
#include "gnumpy/exchange.hpp"

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "cudamat/python/dlpack.hpp"
#include "gnumpy/engine.hpp"
#include "gnumpy/python/array.hpp"

namespace gnumpy::python {

namespace {

using cudamat::python::array_of_buffer;
using cudamat::python::Asked;
using cudamat::python::capsule_of;
using cudamat::python::exchanging;

/// What others get of it: of a number that in-place operators leave as it is, to be read only.
Exported exported(PyArray& array, const Where& where) {
  if (array.scalar) return {std::as_const(array.value), where};
  return {array.value, where};
}

TensorPtr tensor_of(nb::handle self, copyif copy, std::optional<StreamNumber> consumer = {}) {
  const Where where = here();
  PyArray& array = array_of(self);
  return exchanging(false,
                    [&] { return gnumpy::to_dlpack(exported(array, where), copy, consumer); });
}

nb::object dlpack_of(nb::handle self, nb::handle stream, nb::handle max_version,
                     nb::handle dl_device, nb::handle copy) {
  const Asked asked =
      cudamat::python::asked_of(stream, max_version, dl_device, copy, gnumpy::dlpack_device());
  if (asked.on_host) {
    const nb::object array = to_numpy(array_of(self).value, nb::none());
    return array.attr("__dlpack__")();
  }
  if (asked.versioned) return capsule_of(tensor_of(self, asked.copy, asked.consumer));
  const Where where = here();
  PyArray& array = array_of(self);
  return capsule_of(exchanging(false, [&] {
    return gnumpy::to_dlpack_unversioned(exported(array, where), asked.copy, asked.consumer);
  }));
}

ArrayObject from(nb::handle object, nb::handle copy) {
  const Where where = here();
  const copyif wanted = cudamat::python::copy_of("from_dlpack", copy);
  cudamat::python::Incoming incoming(object, wanted, stream_for_garrays());
  return made(incoming.taken([&](const auto& given) {
    if constexpr (std::is_pointer_v<std::remove_cvref_t<decltype(given)>>)
      return gnumpy::from_dlpack(given, wanted, where);
    else
      return gnumpy::from_cuda_array_interface(given, wanted, where);
  }));
}

/// Whether NumPy can use the engine's memory and type.
bool can_be_shared() {
  return !detail::engine().on_gpu() && detail::engine().element_type().has_value();
}

thread_local bool is_asked = false;  // __array__ asks for the buffer

/// GNUMPY_IMPLICIT_CONVERSION, of what asks for a buffer.
void check_implicit(nb::handle self) {
  const char* const choice = std::getenv("GNUMPY_IMPLICIT_CONVERSION");  // NOLINT(concurrency-*)
  if (is_asked || choice == nullptr || std::string_view(choice) == "allow") return;
  nb::module_::import_("gnumpy._numpy").attr("implicit")(self, "a buffer", 2);
}

int get_buffer(PyObject* self, Py_buffer* view, int flags) noexcept {
  view->obj = nullptr;
  return guarded<int>(-1, [&] {
    check_implicit(self);
    if (!can_be_shared())
      throw nb::buffer_error(
          "a buffer is of float32 or float64 on the CPU; as_numpy_array() makes a "
          "copy of any garray");
    cudamat::python::fill_buffer(self, *view, flags, tensor_of(self, copyif::yes));
    return 0;
  });
}

nb::object as_array(nb::handle self, nb::handle dtype, nb::handle copy) {
  const bool shared = can_be_shared() && !array_of(self).scalar;
  if (!shared && copy.ptr() == Py_False)
    throw nb::value_error("NumPy's arrays of this garray's elements are copies of them");
  if (!shared || copy.ptr() == Py_True) return to_numpy(array_of(self).value, dtype);
  struct Asking {
    Asking() { is_asked = true; }
    ~Asking() { is_asked = false; }
  };
  const Asking asking;
  return array_of_buffer(self, dtype, copy);
}

nb::dict array_interface(nb::handle self) {
  if (!can_be_shared())
    throw nb::attribute_error("__array_interface__ is of float32 or float64 on the CPU");
  try {
    check_implicit(self);
  } catch (nb::python_error& refused) {  // so that NumPy asks __array__, which says why
    throw nb::attribute_error(nb::cast<std::string>(nb::str(refused.value())).c_str());
  }
  const std::shared_ptr<dlpack::ManagedTensorVersioned> tensor = tensor_of(self, copyif::yes);
  array_of(self).told = tensor;
  return cudamat::python::interface_of(tensor->dl_tensor);
}

nb::dict gpu_interface(nb::handle self) {
  if (!detail::engine().on_gpu())
    throw nb::attribute_error("the garray is on the CPU; __dlpack__ and buffers are there");
  const Where where = here();
  PyArray& exporter = array_of(self);
  CudaArrayInterface array =
      exchanging(false, [&] { return gnumpy::cuda_array_interface(exported(exporter, where)); });
  exporter.told = array.owner;
  return cudamat::python::to_dict(array);
}

}  // namespace

void add_buffer_slots(std::vector<PyType_Slot>& slots) {
  slots.push_back({Py_bf_getbuffer, reinterpret_cast<void*>(&get_buffer)});
  slots.push_back({Py_bf_releasebuffer, reinterpret_cast<void*>(&cudamat::python::release_buffer)});
}

void def_exchange(nb::module_& m, Class& type) {
  type.def(
      "__dlpack__", &dlpack_of, nb::kw_only(), "stream"_a = nb::none(),
      "max_version"_a = nb::none(), "dl_device"_a = nb::none(), "copy"_a = nb::none(),
      nb::sig("def __dlpack__(self, *, stream: int | None = None, max_version: tuple[int, int] "
              "| None = None, dl_device: tuple[int, int] | None = None, copy: bool | None = "
              "None) -> object"),
      "A DLPack capsule of the elements in C order, computed if necessary, in this "
      "memory unless copy=True. While it\n"
      "exists, expressions that read the array are computed at once.");
  type.def(
      "__dlpack_device__",
      [](nb::handle) { return cudamat::python::to_tuple(gnumpy::dlpack_device()); },
      nb::sig("def __dlpack_device__(self) -> tuple[int, int]"),
      "(1, 0) on the CPU, (2, number) on a GPU.");
  type.def("_as_numpy", &as_array, "dtype"_a = nb::none(), "copy"_a = nb::none());
  type.def_prop_ro("__array_interface__", &array_interface,
                   nb::sig("def __array_interface__(self) -> dict"),
                   "Version 3, on the CPU; on a GPU AttributeError.");
  type.def_prop_ro("__cuda_array_interface__", &gpu_interface,
                   nb::sig("def __cuda_array_interface__(self) -> dict"),
                   "Version 3, on a GPU; on the CPU AttributeError.");
  m.def("from_dlpack", &from, "x"_a, nb::kw_only(), "copy"_a = nb::none(),
        nb::sig("def from_dlpack(x: object, *, copy: bool | None = None) -> garray"),
        "A garray of an array of another library (with __dlpack__ or "
        "__cuda_array_interface__). It shares memory if that is\n"
        "writable, on the engine's device and in C order without gaps, and is a copy "
        "otherwise; copy=False raises a\n"
        "ValueError instead of copying, copy=True always copies. Elements must have the "
        "engine's type; others raise a\n"
        "BufferError. Writes are visible on both sides.");
}

}  // namespace gnumpy::python
