#include "cudamat/python/dlpack.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <type_traits>
#include <vector>

#include "cudamat/sharing_copy.hpp"

namespace cudamat::python {

namespace {

using dlpack::ManagedTensor;
using dlpack::ManagedTensorVersioned;

/// Another library's tensor, with a deleter that may be called in any thread and with any lock.
template <class From>
struct Proxy : Late {
  Proxy(From* original, bool read_only) : from(original) {
    if constexpr (std::is_same_v<From, ManagedTensorVersioned>) {
      tensor = *original;
    } else {
      tensor.version = dlpack::kVersion;
      tensor.dl_tensor = original->dl_tensor;
    }
    if (read_only) tensor.flags |= dlpack::kReadOnly;
    tensor.manager_ctx = static_cast<Late*>(this);
    tensor.deleter = [](ManagedTensorVersioned* self) {
      with_interpreter(static_cast<Late*>(self->manager_ctx));
    };
    end = [](Late* late) {
      auto* const self = static_cast<Proxy*>(late);
      DeleteTensor()(self->from);
      delete self;
    };
  }

  ManagedTensorVersioned tensor{};
  From* from;
};

struct HeldObject : Late {
  explicit HeldObject(nb::handle object) : held(object.inc_ref()) {
    end = [](Late* late) {
      auto* const self = static_cast<HeldObject*>(late);
      self->held.dec_ref();
      delete self;
    };
  }

  nb::handle held;
};

/// Keeps the object; anyone may let go of it, in any thread.
Owner owner_of(nb::handle object) {
  return {new HeldObject(object), [](HeldObject* held) { with_interpreter(held); }};
}

}  // namespace

void refuse(const CUDAMatException& error, bool taking) {
  constexpr std::string_view kInCpp = "copyif::yes";
  std::string text = error.what();
  const bool copy_would_do = text.find(kInCpp) != std::string::npos;
  for (std::size_t at; (at = text.find(kInCpp)) != std::string::npos;)
    text.replace(at, kInCpp.size(), "copy=None");
  if (taking && copy_would_do) throw nb::value_error(text.c_str());
  throw nb::buffer_error(text.c_str());
}

// ---- to others ----

namespace {

std::int64_t integer(std::string_view what, nb::handle object) {
  const nb::object index = nb::steal(PyNumber_Index(object.ptr()));
  const long long value = index.is_valid() ? PyLong_AsLongLong(index.ptr()) : -1;
  if (PyErr_Occurred() == nullptr) return value;
  PyErr_Clear();
  throw nb::type_error(fmt::format("[__dlpack__] {} must be an integer; got {}", what,
                                   nb::cast<std::string>(nb::repr(object)))
                           .c_str());
}

/// A pair of integers.
std::array<std::int64_t, 2> pair(std::string_view what, nb::handle object) {
  if (PyTuple_Check(object.ptr()) == 0 || PyTuple_Size(object.ptr()) != 2)
    throw nb::type_error(fmt::format("[__dlpack__] {} must be two integers; got {}", what,
                                     nb::cast<std::string>(nb::repr(object)))
                             .c_str());
  return {integer(what, PyTuple_GetItem(object.ptr(), 0)),
          integer(what, PyTuple_GetItem(object.ptr(), 1))};
}

template <class Managed>
constexpr const char* kName = "dltensor";
template <>
constexpr const char* kName<dlpack::ManagedTensorVersioned> = "dltensor_versioned";
template <class Managed>
constexpr const char* kUsed = "used_dltensor";
template <>
constexpr const char* kUsed<dlpack::ManagedTensorVersioned> = "used_dltensor_versioned";

template <class Managed>
nb::object new_capsule(std::unique_ptr<Managed, DeleteTensor> tensor) {
  const auto unused = [](PyObject* capsule) {
    if (PyCapsule_IsValid(capsule, kName<Managed>) == 0) return;  // whoever renamed it has it
    const nb::error_scope no_error;
    DeleteTensor()(static_cast<Managed*>(PyCapsule_GetPointer(capsule, kName<Managed>)));
  };
  nb::object capsule = nb::steal(PyCapsule_New(tensor.get(), kName<Managed>, unused));
  if (!capsule.is_valid()) throw nb::python_error();
  (void)tensor.release();
  return capsule;
}

}  // namespace

copyif copy_of(std::string_view op, nb::handle copy) {
  if (copy.is_none()) return copyif::yes;
  if (copy.ptr() == Py_True) return copyif::always;
  if (copy.ptr() == Py_False) return copyif::no;
  throw nb::type_error(fmt::format("[{}] copy must be None, True or False; got {}", op,
                                   nb::cast<std::string>(nb::repr(copy)))
                           .c_str());
}

Asked asked_of(nb::handle stream, nb::handle max_version, nb::handle dl_device, nb::handle copy,
               dlpack::Device here) {
  Asked asked{.copy = copy_of("__dlpack__", copy)};
  const bool on_gpu = here.type != dlpack::DeviceType::Cpu;
  if (!max_version.is_none()) asked.versioned = pair("max_version", max_version)[0] >= 1;
  if (!dl_device.is_none()) {
    const auto [type, id] = pair("dl_device", dl_device);
    const bool is_here = type == static_cast<int>(here.type) && id == here.id;
    asked.on_host = !is_here && type == static_cast<int>(dlpack::DeviceType::Cpu);
    if (!is_here && !asked.on_host)
      throw nb::buffer_error(
          fmt::format("[__dlpack__] the elements are on {}; dl_device ({}, {}) cannot be had",
                      cudamat::text(here), type, id)
              .c_str());
    if (asked.on_host && asked.copy == copyif::no)
      throw nb::buffer_error(
          "[__dlpack__] the elements are on a GPU; dl_device asks for a copy on "
          "the CPU, and copy=False for none");
  }
  if (stream.is_none() || asked.on_host) return asked;
  const std::int64_t number = integer("stream", stream);
  if (!on_gpu && number != kNoOrder)
    throw nb::value_error(
        fmt::format("[__dlpack__] the memory is the CPU's, which has no stream {}; give None",
                    number)
            .c_str());
  if (number == 0 || number < kNoOrder)
    throw nb::value_error(
        fmt::format("[__dlpack__] {} is not a stream: 1 is the legacy default stream, 2 the "
                    "per-thread one, -1 asks for no order",
                    number)
            .c_str());
  asked.consumer = number;
  return asked;
}

nb::object capsule_of(TensorPtr tensor) {
  return new_capsule(std::move(tensor));
}
nb::object capsule_of(UnversionedTensorPtr tensor) {
  return new_capsule(std::move(tensor));
}

nb::tuple to_tuple(dlpack::Device device) {
  return nb::make_tuple(static_cast<int>(device.type), device.id);
}

namespace {

/// Of a buffer: the tensor, and extents and strides as Py_buffer has them.
struct Exported {
  TensorPtr tensor;
  std::vector<Py_ssize_t> shape, strides;  // strides in bytes
};

bool in_order(const Py_buffer& view, bool rows_first) {
  Py_ssize_t step = view.itemsize;
  for (int k = 0; k < view.ndim; ++k) {
    const int axis = rows_first ? view.ndim - 1 - k : k;
    if (view.shape[axis] == 0) return true;
    if (view.shape[axis] != 1 && view.strides[axis] != step) return view.len == 0;
    step *= view.shape[axis];
  }
  return true;
}

[[noreturn]] void no_buffer(const char* text) {
  throw nb::buffer_error(text);
}

/// Raises BufferError unless the elements lie as the flags ask.
void check_order(const Py_buffer& view, int flags) {
  const bool c = in_order(view, true), f = in_order(view, false);
  const auto asks = [&](int flag) { return (flags & flag) == flag; };
  if (asks(PyBUF_C_CONTIGUOUS) && !c) no_buffer("the elements are not in C order");
  if (asks(PyBUF_F_CONTIGUOUS) && !f) no_buffer("the elements are not in Fortran order");
  if (asks(PyBUF_ANY_CONTIGUOUS) && !c && !f) no_buffer("there are gaps between the elements");
  if (!asks(PyBUF_STRIDES) && !c)
    no_buffer("the elements are not in C order, and the buffer is asked for without strides");
}

}  // namespace

void fill_buffer(nb::handle self, Py_buffer& view, int flags, TensorPtr tensor) {
  static char nothing = 0;  // where a buffer without elements is
  const dlpack::Tensor& elements = tensor->dl_tensor;
  const bool read_only = (tensor->flags & dlpack::kReadOnly) != 0;
  if (read_only && (flags & PyBUF_WRITABLE) == PyBUF_WRITABLE)
    no_buffer("the elements must not be written to");
  auto exported = std::make_unique<Exported>();
  view.itemsize = elements.dtype.bits / 8;
  view.len = view.itemsize;
  for (int k = 0; k < elements.ndim; ++k) {
    exported->shape.push_back(elements.shape[k]);
    exported->strides.push_back(elements.strides[k] * view.itemsize);
    view.len *= elements.shape[k];
  }
  view.buf = elements.data == nullptr ? &nothing : elements.data;
  view.readonly = read_only ? 1 : 0;
  view.ndim = elements.ndim;
  view.shape = exported->shape.data();
  view.strides = exported->strides.data();
  view.suboffsets = nullptr;
  check_order(view, flags);
  static char single[] = "f", twice[] = "d";
  view.format = (flags & PyBUF_FORMAT) != PyBUF_FORMAT ? nullptr
                : view.itemsize == sizeof(float)       ? single
                                                       : twice;
  if ((flags & PyBUF_STRIDES) != PyBUF_STRIDES) view.strides = nullptr;
  if ((flags & PyBUF_ND) != PyBUF_ND) view.shape = nullptr;
  exported->tensor = std::move(tensor);
  view.internal = exported.release();
  view.obj = self.inc_ref().ptr();
}

void release_buffer(PyObject* /*self*/, Py_buffer* view) noexcept {
  delete static_cast<Exported*>(view->internal);
}

nb::object array_of_buffer(nb::handle self, nb::handle dtype, nb::handle copy) {
  const nb::object view = nb::steal(PyMemoryView_FromObject(self.ptr()));
  if (!view.is_valid()) throw nb::python_error();
  nb::object array = numpy().attr("asarray")(view);
  const nb::object type =
      dtype.is_none() ? nb::object(array.attr("dtype")) : nb::object(numpy().attr("dtype")(dtype));
  const bool converts = !type.equal(array.attr("dtype"));
  if (converts && copy.ptr() == Py_False)
    throw nb::value_error(
        fmt::format("[__array__] the elements are {}; as {} they are a copy, which copy=False does "
                    "not allow",
                    nb::cast<std::string>(array.attr("dtype").attr("name")),
                    nb::cast<std::string>(type.attr("name")))
            .c_str());
  if (converts) return array.attr("astype")(type);
  return copy.ptr() == Py_True ? nb::object(array.attr("copy")("K")) : array;
}

namespace {

template <class Numbers>
nb::tuple tuple_of(const Numbers& numbers) {
  nb::list items;
  for (const std::int64_t number : numbers) items.append(number);
  return nb::tuple(items);
}

}  // namespace

nb::dict to_dict(const CudaArrayInterface& array) {
  nb::dict entries;
  entries["shape"] = tuple_of(array.shape);
  entries["typestr"] = array.typestr;
  entries["data"] = nb::make_tuple(array.data, array.read_only);
  entries["strides"] = array.strides ? nb::object(tuple_of(*array.strides)) : nb::none();
  entries["stream"] = array.stream ? nb::object(nb::int_(*array.stream)) : nb::none();
  entries["version"] = array.version;
  return entries;
}

nb::dict interface_of(const dlpack::Tensor& tensor) {
  const int bytes = tensor.dtype.bits / 8;
  std::vector<std::int64_t> shape, strides;
  for (int k = 0; k < tensor.ndim; ++k) {
    shape.push_back(tensor.shape[k]);
    strides.push_back(tensor.strides[k] * bytes);
  }
  nb::dict entries;
  entries["shape"] = tuple_of(shape);
  entries["typestr"] = fmt::format("<f{}", bytes);
  entries["data"] = nb::make_tuple(reinterpret_cast<std::uintptr_t>(tensor.data), false);
  entries["strides"] = tuple_of(strides);
  entries["version"] = 3;
  return entries;
}

// ---- from others ----

namespace {

nb::object asked(const nb::object& method, nb::handle stream, bool no_copy) {
  nb::dict arguments;
  if (!stream.is_none()) arguments["stream"] = stream;
  const nb::dict early(nb::borrow<nb::dict>(nb::steal(PyDict_Copy(arguments.ptr()))));
  arguments["max_version"] = nb::make_tuple(dlpack::kVersion.major, dlpack::kVersion.minor);
  if (no_copy) arguments["copy"] = false;
  try {
    return method(**arguments);
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_TypeError)) throw;
  }
  return method(**early);  // of before DLPack 1.0
}

nb::object entry(nb::handle entries, const char* name) {
  PyObject* const value = PyDict_GetItemString(entries.ptr(), name);
  return value == nullptr ? nb::none() : nb::borrow(value);
}

std::vector<Index> indices(nb::handle sequence) {
  std::vector<Index> numbers;
  for (const nb::handle each : sequence) numbers.push_back(nb::cast<Index>(each));
  return numbers;
}

CudaArrayInterface interface_from(nb::handle object) {
  const nb::object entries = object.attr("__cuda_array_interface__");
  if (PyDict_Check(entries.ptr()) == 0)
    throw nb::type_error("[from_dlpack] __cuda_array_interface__ must be a dictionary");
  try {
    CudaArrayInterface array{.shape = indices(entry(entries, "shape")),
                             .typestr = nb::cast<std::string>(entry(entries, "typestr")),
                             .version = nb::cast<int>(entry(entries, "version")),
                             .owner = owner_of(object)};
    const nb::object data = entry(entries, "data"), strides = entry(entries, "strides"),
                     stream = entry(entries, "stream");
    array.data = nb::cast<std::uintptr_t>(nb::object(data[0]));
    array.read_only = nb::cast<bool>(nb::object(data[1]));
    if (!strides.is_none()) array.strides = indices(strides);
    if (!stream.is_none()) array.stream = nb::cast<StreamNumber>(stream);
    return array;
  } catch (const nb::cast_error&) {
    throw nb::type_error(
        fmt::format("[from_dlpack] no __cuda_array_interface__ as it should be: {}",
                    nb::cast<std::string>(nb::repr(entries)))
            .c_str());
  }
}

}  // namespace

Incoming::Incoming(nb::handle object, copyif copy, std::optional<StreamNumber> stream) {
  if (PyCapsule_CheckExact(object.ptr())) {
    capsule_ = nb::borrow(object);
    return;
  }
  if (nb::hasattr(object, "__dlpack__") && nb::hasattr(object, "__dlpack_device__")) {
    const nb::object device = object.attr("__dlpack_device__")();
    const auto type = static_cast<dlpack::DeviceType>(nb::cast<int>(nb::int_(device[0])));
    const bool on_gpu = type == dlpack::DeviceType::Cuda || type == dlpack::DeviceType::CudaManaged;
    const nb::object number =
        on_gpu && stream ? nb::object(nb::int_(*stream)) : nb::object(nb::none());
    capsule_ = asked(object.attr("__dlpack__"), number, copy == copyif::no);
    // JAX's arrays never change, and it knows no flag that says so.
    immutable_ =
        nb::cast<std::string>(nb::str(object.type().attr("__module__"))).starts_with("jax");
    return;
  }
  if (nb::hasattr(object, "__cuda_array_interface__")) {
    interface_ = interface_from(object);
    return;
  }
  throw nb::attribute_error(
      fmt::format("[from_dlpack] a {} has neither __dlpack__ and __dlpack_device__ nor "
                  "__cuda_array_interface__",
                  name_of_type(object))
          .c_str());
}

Incoming::Taking::Taking(nb::handle from, bool immutable) : capsule(from) {
  const auto take = [&]<class Managed>(Managed* /*type*/) {
    void* const inside = PyCapsule_GetPointer(capsule.ptr(), kName<Managed>);
    tensor = &(new Proxy<Managed>(static_cast<Managed*>(inside), immutable))->tensor;
    PyCapsule_SetName(capsule.ptr(), kUsed<Managed>);
    give_back = [](nb::handle to, ManagedTensorVersioned* taken) {
      delete static_cast<Proxy<Managed>*>(static_cast<Late*>(taken->manager_ctx));
      PyCapsule_SetName(to.ptr(), kName<Managed>);
    };
  };
  if (PyCapsule_IsValid(capsule.ptr(), kName<ManagedTensorVersioned>) != 0)
    take(static_cast<ManagedTensorVersioned*>(nullptr));
  else if (PyCapsule_IsValid(capsule.ptr(), kName<ManagedTensor>) != 0)
    take(static_cast<ManagedTensor*>(nullptr));
  else
    throw nb::value_error(
        fmt::format("[from_dlpack] {} holds no tensor of DLPack's; one can be taken once",
                    nb::cast<std::string>(nb::repr(capsule)))
            .c_str());
}

Incoming::Taking::~Taking() {
  if (tensor != nullptr) give_back(capsule, tensor);
}

}  // namespace cudamat::python
