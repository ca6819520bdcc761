// Python's objects as arguments of kernels.
#include <cstring>
#include <optional>

#include "cudamat/kernels/signature.hpp"
#include "cudamat/python/kernels.hpp"

namespace cudamat::python {

namespace {

/// Of the buffer protocol: "f", "<i4"; nothing where kernels know no such type.
std::optional<Scalar> scalar_of_format(const char* format, Py_ssize_t bytes) {
  if (format == nullptr) return Scalar::UInt8;
  if (*format == '@' || *format == '=' || *format == '<' || (bytes == 1 && *format != '\0'))
    format += std::strchr("@=<>!", *format) != nullptr;
  if (std::strlen(format) != 1) return {};
  const int log2 = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3;
  const auto whole = [&](int is_unsigned) {
    return static_cast<Scalar>(static_cast<int>(Scalar::Int8) + 2 * log2 + is_unsigned);
  };
  if (*format == '?') return Scalar::Bool;
  if (*format == 'f') return Scalar::Float32;
  if (*format == 'd') return Scalar::Float64;
  if (std::strchr("bhilq", *format) != nullptr) return whole(0);
  if (std::strchr("BHILQ", *format) != nullptr) return whole(1);
  return {};
}

/// Of numpy.dtype, or its name: "float32".
std::optional<Scalar> scalar_of_dtype(const std::string& name) {
  constexpr const char* kNames[] = {"bool",   "int8",  "uint8",  "int16",   "uint16", "int32",
                                    "uint32", "int64", "uint64", "float32", "float64"};
  for (std::size_t k = 0; k < std::size(kNames); ++k)
    if (name == kNames[k]) return static_cast<Scalar>(k);
  return {};
}

bool is_garray(nb::handle object) {
  return nb::hasattr(object, "as_numpy_array");
}

bool is_complex(nb::handle object) {
  return PyComplex_Check(object.ptr()) != 0 ||
         (nb::hasattr(object, "dtype") &&
          nb::cast<std::string>(nb::str(nb::object(object.attr("dtype")))).starts_with("complex"));
}

/// Whether it is the number 0.
bool is_zero(nb::handle object) {
  const nb::object index = nb::steal(PyNumber_Index(object.ptr()));
  if (!index.is_valid()) PyErr_Clear();
  return index.is_valid() && PyObject_IsTrue(index.ptr()) == 0;
}

/// Of numpy.float32 and numpy.bool_; other numbers of NumPy's are as Python's.
std::optional<Argument> numpy_number(PyObject* object) {
  Py_buffer view{};
  if (PyObject_GetBuffer(object, &view, PyBUF_FULL_RO) != 0) {
    PyErr_Clear();
    return {};
  }
  std::optional<Argument> found;
  const auto type = scalar_of_format(view.format, view.itemsize);
  if (view.ndim == 0 && type == Scalar::Float32) {
    float value = 0;
    std::memcpy(&value, view.buf, sizeof value);
    found = value;
  } else if (view.ndim == 0 && type == Scalar::Bool) {
    found = *static_cast<const char*>(view.buf) != 0;
  }
  PyBuffer_Release(&view);
  return found;
}

}  // namespace

struct KernelArguments::Buffer {
  Py_buffer view{};
  ~Buffer() { PyBuffer_Release(&view); }
};

KernelArguments::KernelArguments(std::string kernel, std::span<const KernelParameter> parameters,
                                 nb::handle arguments)
    : kernel_(std::move(kernel)), parameters_(parameters) {
  const nb::tuple given = nb::borrow<nb::tuple>(arguments);
  const auto n = given.size();
  if (n != parameters.size()) {  // the same refusal as in C++, before anything is looked at
    kernels::check_arguments(kernel_, {parameters.begin(), parameters.end()},
                             std::vector<Argument>(n));
  }
  for (std::size_t i = 0; i < n; ++i) arguments_.push_back(argument(i, given[i]));
}

KernelArguments::~KernelArguments() = default;

std::string KernelArguments::what(std::size_t i) const {
  return fmt::format("argument {} ({})", i + 1, parameters_[i].name);
}

void KernelArguments::refuse_type(std::size_t i, const std::string& text) const {
  throw nb::type_error(fmt::format("[{}] {} {}", kernel_, what(i), text).c_str());
}

bool KernelArguments::writes(std::size_t i, Direction direction) const {
  return parameters_[i].is_pointer && !parameters_[i].is_const && direction != Direction::In;
}

Argument KernelArguments::argument(std::size_t i, nb::handle object) {
  const auto directed = [&](auto& marked, Direction direction) {
    const nb::object& array = marked.array;
    const bool of_host =
        PyObject_CheckBuffer(array.ptr()) != 0 && !is_matrix(array) && !is_garray(array);
    return of_host ? of_buffer(i, array, direction) : on_device(i, array, direction);
  };
  if (Directed<Direction::In>* in = nullptr; nb::try_cast(object, in) && in != nullptr)
    return directed(*in, Direction::In);
  if (Directed<Direction::Out>* out = nullptr; nb::try_cast(object, out) && out != nullptr)
    return directed(*out, Direction::Out);
  if (Directed<Direction::InOut>* both = nullptr; nb::try_cast(object, both) && both != nullptr)
    return directed(*both, Direction::InOut);
  PyObject* const o = object.ptr();
  const auto has_memory = [&] {
    return is_matrix(object) || nb::isinstance<DeviceMemory>(object) || is_array(object) ||
           nb::hasattr(object, "gpudata");
  };
  if (parameters_[i].is_pointer && PyIndex_Check(o) && !PyBool_Check(o) && !has_memory()) {
    if (const std::optional<DeviceMemory> memory = DeviceMemory::of(object))
      return of_bytes(i, *memory, memory->bytes(), Direction::InOut);
    if (is_zero(object)) return {nullptr};
  }
  if (PyFloat_Check(o) || PyLong_Check(o)) return number(i, object);
  if (has_memory()) return on_device(i, object, Direction::InOut);
  return number(i, object);
}

/// What has memory of its own; In and Out say what the kernel does with it.
Argument KernelArguments::on_device(std::size_t i, nb::handle object, Direction direction) {
  const KernelParameter& parameter = parameters_[i];
  if (is_matrix(object)) {
    return std::visit(
        [&](auto& m) {
          Argument argument(m);
          argument.direction = direction;
          return argument;
        },
        initialized<PyMatrix>(object).matrix);
  }
  if (nb::isinstance<DeviceMemory>(object)) {
    const DeviceMemory& memory = initialized<DeviceMemory>(object);
    return of_bytes(i, memory, memory.bytes(), direction);
  }
  if (nb::hasattr(object, "gpudata")) return of_gpuarray(i, object, direction);
  if (is_garray(object)) {
    // A copy: what a garray is made of may be computed anew, or be other garrays' as well. Its
    // precision is the engine's, not the program's, so that a kernel's float or double will do.
    Copied copied{nb::borrow(object), object.attr("as_numpy_array")(), {}, {}};
    copied.host = copied.whole;
    if (parameter.type == Scalar::Float32 || parameter.type == Scalar::Float64) {
      const nb::str dtype(parameter.type == Scalar::Float32 ? "float32" : "float64");
      copied.host = copied.whole.attr("astype")(dtype, nb::arg("copy") = false);
      if (!copied.host.is(copied.whole)) copied.before = copied.host.attr("copy")();
    }
    const nb::object host = copied.host;
    if (writes(i, direction)) copied_.push_back(std::move(copied));
    return of_buffer(i, host, parameter.is_const ? Direction::In : direction);
  }
  if (PyObject_CheckBuffer(object.ptr()) != 0)
    refuse_type(i, fmt::format("is a {} of the host: pass In(array) if the kernel reads it, "
                               "Out(array) if it writes it, InOut(array) for both",
                               name_of_type(object)));
  refuse_type(i, fmt::format("must be a CUDAMatrix, a garray, or an array as In, Out or InOut; got "
                             "{}",
                             name_of_type(object)));
}

/// An array's elements; where the parameter points to structs or pointers, its bytes.
Argument KernelArguments::of_gpuarray(std::size_t i, nb::handle object, Direction direction) {
  const std::optional<DeviceMemory> memory = DeviceMemory::of(object.attr("gpudata"));
  if (!memory.has_value())
    refuse_type(i, fmt::format("has no memory that kernels know: {}", name_of_type(object)));
  const auto dtype = nb::cast<std::string>(nb::str(nb::object(object.attr("dtype"))));
  const std::optional<Scalar> type = scalar_of_dtype(dtype);
  if (!type.has_value())
    refuse_type(i, fmt::format("is an array of {}, which kernels do not know", dtype));
  const auto size = nb::cast<Index>(nb::object(object.attr("size")));
  if (parameters_[i].is_pointer && !parameters_[i].is_known)
    return of_bytes(i, *memory, size * Index(kernels::size_of(*type)), direction);
  return in_memory(i, *memory, size, *type, direction);
}

/// So many bytes, as elements of the parameter's type, whatever that is.
Argument KernelArguments::of_bytes(std::size_t i, const DeviceMemory& memory, Index bytes,
                                   Direction direction) {
  const Scalar type = parameters_[i].is_known ? parameters_[i].type : Scalar::UInt8;
  Argument argument = in_memory(i, memory, bytes / Index(kernels::size_of(type)), type, direction);
  argument.untyped = true;
  return argument;
}

Argument KernelArguments::in_memory(std::size_t i, const DeviceMemory& memory, Index size,
                                    Scalar type, Direction direction) {
  memory.check(kernel_, 0, size * Index(kernels::size_of(type)));
  const InUse& use = memories_.emplace_back(memory.allocation);
  if (writes(i, direction)) written_.push_back(memory.allocation.get());
  Argument argument = std::visit([](auto& m) { return Argument(m); }, *use.matrix);
  argument.data = static_cast<std::byte*>(argument.data) + memory.offset;
  argument.type = type;
  argument.direction = direction;
  argument.fresh = !memory.allocation->written;
  argument.size = size;
  argument.shape = {};
  if (argument.on_gpu) kernels::copy_exact_bytes(argument);
  return argument;
}

/// Where the parameter points to structs, e.g. float4*, the array's bytes.
Argument KernelArguments::of_buffer(std::size_t i, nb::handle object, Direction direction) {
  auto buffer = std::make_unique<Buffer>();
  if (PyObject_GetBuffer(object.ptr(), &buffer->view, PyBUF_FULL_RO) != 0) throw nb::python_error();
  const Py_buffer& view = buffer->view;
  const bool as_bytes = parameters_[i].is_pointer && !parameters_[i].is_known;
  const std::optional<Scalar> type =
      as_bytes ? Scalar::UInt8 : scalar_of_format(view.format, view.itemsize);
  if (!type.has_value())
    refuse_type(i,
                fmt::format("has elements of type {}, which kernels do not know",
                            nb::hasattr(object, "dtype")
                                ? nb::cast<std::string>(nb::str(nb::object(object.attr("dtype"))))
                                : std::string(view.format)));
  if (PyBuffer_IsContiguous(&view, 'A') == 0)
    refuse_type(i, "is not contiguous; np.ascontiguousarray() makes a copy that is");
  if (direction != Direction::In && view.readonly != 0)
    refuse_type(i, "is read-only, and the kernel is to write it");
  const Index size = as_bytes ? view.len : view.len / std::max<Py_ssize_t>(view.itemsize, 1);
  Argument argument = Argument::host(view.buf, size, *type, direction);
  argument.untyped = as_bytes;
  buffers_.push_back(std::move(buffer));
  return argument;
}

Argument KernelArguments::number(std::size_t i, nb::handle object) {
  PyObject* const o = object.ptr();
  if (PyBool_Check(o)) return {o == Py_True};
  if (PyFloat_Check(o)) return {PyFloat_AS_DOUBLE(o)};
  if (!PyLong_Check(o) && PyObject_CheckBuffer(o) != 0) {
    if (const std::optional<Argument> typed = numpy_number(o)) return *typed;
  }
  if (PyIndex_Check(o)) {
    const nb::object index = nb::steal(PyNumber_Index(o));
    if (!index.is_valid()) throw nb::python_error();
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
    if (overflow == 0) return {value};
    const unsigned long long large = PyLong_AsUnsignedLongLong(index.ptr());
    if (PyErr_Occurred() == nullptr) return {large};
    PyErr_Clear();
    misuse(Reason::Unsupported, kernel_, "{} is of type {}, which has no value {}", what(i),
           parameters_[i].text, nb::cast<std::string>(nb::str(index)));
  }
  const bool real = !PyUnicode_Check(o) && !PyBytes_Check(o) &&
                    PyType_GetSlot(Py_TYPE(o), Py_nb_float) != nullptr && !is_complex(object);
  if (real) {
    const nb::object value = nb::steal(PyNumber_Float(o));
    if (!value.is_valid()) throw nb::python_error();
    return {PyFloat_AS_DOUBLE(value.ptr())};
  }
  refuse_type(i, fmt::format("must be a number, a CUDAMatrix, a garray, or an array as In, Out or "
                             "InOut; got {}",
                             name_of_type(object)));
}

void KernelArguments::finish(const Reached& reached) {
  for (Allocation* const allocation : written_)
    if (!reached.has(*allocation)) allocation->written = true;
  reached.finish();
  buffers_.clear();
  for (const Copied& copied : copied_) {
    if (copied.before.is_valid()) {  // what the kernel has not changed is not rounded
      const char* const bits =
          nb::cast<int>(nb::object(copied.host.attr("itemsize"))) == 4 ? "int32" : "int64";
      const nb::object changed = numpy().attr("not_equal")(copied.host.attr("view")(bits),
                                                           copied.before.attr("view")(bits));
      numpy().attr("copyto")(copied.whole, copied.host, nb::arg("where") = changed);
    }
    copied.array[nb::ellipsis()] = copied.whole;
  }
}

}  // namespace cudamat::python
