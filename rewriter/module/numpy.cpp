#include "rewriter/module/numpy.hpp"

#include <memory>
#include <nanobind/ndarray.h>
#include <unordered_map>

#include "npmat/npmat.hpp"

namespace rewriter::module {

nb::object numpy(const char* name) {
  static const nb::object& module = *new nb::object(nb::module_::import_("numpy"));
  return module.attr(name);
}

namespace {

/// NumPy's type, by its letters, of which int64's are not Python's.
nb::handle numpy_type(Code code) {
  static auto& known = *new std::unordered_map<Code, PyObject*>;
  PyObject*& type = known[code];
  if (type == nullptr) {
    const char letters[] = {code == 'q' ? 'l' : code == 'Q' ? 'L' : code, 0};
    type = numpy("dtype")(letters).release().ptr();
  }
  return type;
}

/// Arrays from this size on have memory that npmat keeps when they end.
constexpr std::int64_t kKeptBytes = std::int64_t(1) << 20;

/// Bytes as an array, which holds anything.
nb::object bytes_of_npmat(std::int64_t bytes) {
  constexpr auto kUnit = static_cast<std::int64_t>(sizeof(double));
  using Memory = npmat::CUDAMatrix<double>;
  auto memory = std::make_unique<Memory>(Memory::empty({1, (bytes + kUnit - 1) / kUnit}));
  void* const data = memory->data();
  const nb::capsule owner(memory.release(),
                          [](void* held) noexcept { delete static_cast<Memory*>(held); });
  return nb::ndarray<nb::numpy, std::uint8_t>(data, {static_cast<std::size_t>(bytes)}, owner)
      .cast();
}

}  // namespace

nb::object new_array(nb::handle shape, Code code, std::int64_t size) {
  static PyObject* const empty = numpy("empty").release().ptr();
  static const nb::object& array_of = *new nb::object(numpy("ndarray"));
  const nb::handle type = numpy_type(code);
  if (size >= kKeptBytes / 8)  // else no type makes it large
    if (const auto bytes = size * nb::cast<std::int64_t>(type.attr("itemsize"));
        bytes >= kKeptBytes)
      return array_of(shape, type, bytes_of_npmat(bytes));
  PyObject* arguments[] = {shape.ptr(), type.ptr()};
  PyObject* const array = PyObject_Vectorcall(empty, arguments, 2, nullptr);
  if (array == nullptr) throw nb::python_error();
  return nb::steal(array);
}

}  // namespace rewriter::module
