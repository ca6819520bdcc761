// Exchange with other libraries: what matrices and garrays share, and the functions of matrices.
// Contracts in exchange.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "cudamat/exchange.hpp"

namespace cudamat::exchange {

template <class T>
constexpr std::optional<dlpack::DataType> type_of() {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>)
    return dlpack::DataType{dlpack::Code::Float, 8 * sizeof(T), 1};
  else
    return std::nullopt;
}

/// "float32", "int64", "float16 in 4 lanes".
inline std::string text(dlpack::DataType type) {
  constexpr const char* kNames[] = {"int", "uint", "float", "opaque", "bfloat", "complex", "bool"};
  const auto code = static_cast<std::size_t>(type.code);
  std::string result = code < std::size(kNames) ? fmt::format("{}{}", kNames[code], type.bits)
                                                : fmt::format("type {}, {} bits", code, type.bits);
  if (type.lanes != 1) result += fmt::format(" in {} lanes", type.lanes);
  return result;
}

/// "(2, 3)", as NumPy writes it.
inline std::string text(const std::vector<Index>& dims) {
  std::string result = "(";
  for (std::size_t k = 0; k < dims.size(); ++k)
    result += fmt::format("{}{}", k == 0 ? "" : ", ", dims[k]);
  return result + (dims.size() == 1 ? ",)" : ")");
}

/// Strides of elements in C order without gaps.
inline std::vector<Index> c_strides(const std::vector<Index>& dims) {
  std::vector<Index> strides(dims.size());
  Index step = 1;
  for (std::size_t k = dims.size(); k-- > 0;) {
    strides[k] = step;
    step *= std::max<Index>(dims[k], 1);
  }
  return strides;
}

/// Whether the elements lie in C order without gaps; axes of extent 1 may have any stride.
inline bool is_c_order(const Strided& elements) {
  Index step = 1;
  for (std::size_t k = elements.dims.size(); k-- > 0;) {
    if (elements.dims[k] != 1 && elements.strides[k] != step) return elements.size() == 0;
    step *= elements.dims[k];
  }
  return true;
}

inline void check_stream(std::string_view op, std::optional<StreamNumber> stream) {
  if (stream && (*stream == 0 || *stream < kNoOrder))
    misuse(op,
           "{} is not a stream: 1 is the legacy default stream, 2 the per-thread one, -1 asks for "
           "no order",
           *stream);
}

/// Raises an error for extents that no array has.
inline void check_dims(std::string_view op, const std::vector<Index>& dims) {
  Index size = 1;
  for (const Index extent : dims)
    if (extent < 0 || __builtin_mul_overflow(size, std::max<Index>(extent, 1), &size))
      misuse(Reason::Shape, op, "{} is not a shape", text(dims));
}

/// What a tensor of another library shows.
inline Strided describe(std::string_view op, const dlpack::Tensor& tensor, bool read_only) {
  constexpr int kMostAxes = 64;
  if (tensor.ndim < 0 || tensor.ndim > kMostAxes)
    misuse(Reason::Shape, op, "a tensor of {} dimensions", tensor.ndim);
  if (tensor.ndim > 0 && tensor.shape == nullptr) misuse(op, "the tensor has no shape");
  Strided result{.device = tensor.device, .type = tensor.dtype, .read_only = read_only};
  result.dims.assign(tensor.shape, tensor.shape + tensor.ndim);
  check_dims(op, result.dims);
  if (tensor.strides == nullptr)
    result.strides = c_strides(result.dims);
  else
    result.strides.assign(tensor.strides, tensor.strides + tensor.ndim);
  if (result.size() == 0) return result;
  if (tensor.data == nullptr) misuse(op, "the tensor {} has no memory", text(result.dims));
  result.data = static_cast<char*>(tensor.data) + tensor.byte_offset;
  return result;
}

inline Strided describe(std::string_view op, const dlpack::ManagedTensor& tensor) {
  return describe(op, tensor.dl_tensor, false);
}
inline Strided describe(std::string_view op, const dlpack::ManagedTensorVersioned& tensor) {
  if (tensor.version.major != dlpack::kVersion.major)
    misuse(op, "the tensor is of DLPack {}.{}; versions 1.x are supported", tensor.version.major,
           tensor.version.minor);
  return describe(op, tensor.dl_tensor, (tensor.flags & dlpack::kReadOnly) != 0);
}

/// What an array of the CUDA Array Interface shows; its device is where CUDA says that it is.
inline Strided describe(std::string_view op, const CudaArrayInterface& array,
                        const Sharing& sharing) {
  if (array.version < 2 || array.version > 3)
    misuse(op, "version {} of the CUDA Array Interface; versions 2 and 3 are supported",
           array.version);
  Strided result{.dims = array.shape, .read_only = array.read_only};
  check_dims(op, result.dims);
  if (array.typestr == "<f4" || array.typestr == "<f8")
    result.type = {dlpack::Code::Float,
                   array.typestr == "<f4" ? std::uint8_t{32} : std::uint8_t{64}, 1};
  else
    misuse(Reason::Unsupported, op, "elements of type '{}'; '<f4' and '<f8' are supported",
           array.typestr);
  result.strides = c_strides(result.dims);
  if (array.strides) {
    if (array.strides->size() != result.dims.size())
      misuse(Reason::Shape, op, "{} strides for the shape {}", array.strides->size(),
             text(result.dims));
    const Index bytes = result.type.bits / 8;
    for (std::size_t k = 0; k < result.dims.size(); ++k) {
      result.strides[k] = (*array.strides)[k] / bytes;
      if ((*array.strides)[k] % bytes != 0 && result.dims[k] > 1)
        misuse(op, "a stride of {} bytes is not a multiple of an element's {}", (*array.strides)[k],
               bytes);
    }
  }
  if (result.size() == 0) return result;
  if (array.data == 0) misuse(op, "the array {} has no memory", text(result.dims));
  result.data = reinterpret_cast<void*>(array.data);  // NOLINT(performance-no-int-to-ptr)
  result.device = sharing.device(result.data);
  return result;
}

/// The same, once the calling thread's calls come after the work of the array's stream.
inline Strided arriving(const CudaArrayInterface& array, const Sharing& sharing,
                        const char* engine) {
  constexpr std::string_view kOp = "from_cuda_array_interface";
  check_stream(kOp, array.stream);
  if (!sharing.stream())
    misuse(Reason::Unsupported, kOp, "{} computes on the CPU, where this interface has no memory",
           engine);
  Strided elements = describe(kOp, array, sharing);
  if (array.stream) sharing.wait_for(array.stream);
  return elements;
}

/// Raises an error for elements of another type than the engine's.
inline void check_type(std::string_view op, const Strided& elements,
                       std::optional<dlpack::DataType> type, const char* engine) {
  if (!type)
    misuse(Reason::Unsupported, op,
           "{} has numbers that no other library exchanges; float32 and "
           "float64 can be exchanged",
           engine);
  if (elements.type != *type)
    misuse(Reason::Unsupported, op,
           "the elements are {}, those of {} are {}: convert them there, so that what is rounded "
           "is said",
           text(elements.type), engine, text(*type));
}

/// Whether the elements are to be copied; raises an error for what is not possible. `layout` says
/// why the layout does not allow to share them, or is empty.
inline bool must_copy(std::string_view op, const Strided& elements, const Sharing& sharing,
                      const std::string& layout, copyif copy) {
  if (elements.size() == 0) return true;  // there is nothing to share
  const Reach reach = sharing.reach(elements);
  if (!reach.in_place && !reach.by_copy) misuse(op, "{}", reach.why);
  std::string why = reach.in_place ? layout : reach.why;
  const auto address = reinterpret_cast<std::uintptr_t>(elements.data);
  if (why.empty() && address % (elements.type.bits / 8) != 0)
    why = fmt::format("its memory is not aligned to {} bytes", elements.type.bits / 8);
  if (why.empty() && elements.read_only) why = "its memory must not be written to";
  if (!why.empty() && copy == copyif::no)
    misuse(op, "the array {} cannot be shared: {}; copyif::yes copies it", text(elements.dims),
           why);
  return !why.empty() || copy == copyif::always;
}

/// A tensor that is given away, with what its pointers point to.
template <class Managed>
struct Lent {
  Managed tensor{};
  Owner memory;
  std::vector<Index> dims;
  std::vector<Index> strides;

  static void release(Managed* self) { delete static_cast<Lent*>(self->manager_ctx); }
};

/// The elements as a tensor that holds `memory`.
template <class Managed>
std::unique_ptr<Managed, DeleteTensor> lend(Strided elements, Owner memory, bool is_copy) {
  constexpr bool kVersioned = std::is_same_v<Managed, dlpack::ManagedTensorVersioned>;
  if (!kVersioned && elements.read_only)
    misuse("to_dlpack",
           "the array must not be written to, which only DLPack 1.0 and later can say; "
           "copyif::yes gives a copy");
  auto lent = std::make_unique<Lent<Managed>>();
  lent->memory = std::move(memory);
  lent->dims = std::move(elements.dims);
  lent->strides = std::move(elements.strides);
  Managed& managed = lent->tensor;
  managed.manager_ctx = lent.get();
  managed.deleter = &Lent<Managed>::release;
  managed.dl_tensor = {elements.data,    elements.device,   static_cast<int>(lent->dims.size()),
                       elements.type,    lent->dims.data(), lent->strides.data(),
                       /*byte_offset=*/0};
  if constexpr (kVersioned) {
    managed.version = dlpack::kVersion;
    managed.flags =
        (elements.read_only ? dlpack::kReadOnly : 0) | (is_copy ? dlpack::kIsCopied : 0);
  }
  return std::unique_ptr<Managed, DeleteTensor>(&lent.release()->tensor);
}

/// The elements as the CUDA Array Interface has them.
inline CudaArrayInterface interface_of(Strided elements, const Sharing& sharing, Owner memory) {
  if (elements.device.type != dlpack::DeviceType::Cuda)
    misuse(Reason::Unsupported, "cuda_array_interface",
           "the memory is the CPU's, which this interface does not have; to_dlpack has");
  CudaArrayInterface result{.shape = elements.dims,
                            .typestr = fmt::format("<f{}", elements.type.bits / 8),
                            .data = reinterpret_cast<std::uintptr_t>(elements.data),
                            .read_only = elements.read_only,
                            .stream = sharing.stream(),
                            .owner = std::move(memory)};
  if (!is_c_order(elements)) {
    result.strides = std::move(elements.strides);
    for (Index& stride : *result.strides) stride *= elements.type.bits / 8;
  }
  return result;
}

/// Calls a tensor's deleter at its end, once it has one.
template <class Managed>
struct Taken {
  Taken() = default;
  ~Taken() {
    if (tensor != nullptr) DeleteTensor()(tensor);
  }
  Taken(const Taken&) = delete;
  Taken& operator=(const Taken&) = delete;

  Managed* tensor = nullptr;
};

// ---- matrices ----

template <class E>
const Sharing& sharing_of() {
  return sharing(static_cast<const E*>(nullptr));
}

template <Engine E>
Strided elements_of(std::string_view op, const Matrix<E>& x) {
  Check<Matrix<E>>(op).on_device("mat", x);
  const auto type = type_of<typename E::value_type>();
  if (!type)
    misuse(Reason::Unsupported, op,
           "long double has no type there; convert the elements to float64 first");
  const Shape shape = x.shape();
  void* const data = x.size() == 0 ? nullptr : x.data();
  return {
      data,
      sharing_of<E>().device(data),
      *type,
      {shape.rows, shape.cols},
      x.is_transposed() ? std::vector<Index>{shape.cols, 1} : std::vector<Index>{1, shape.rows}};
}

template <class Managed, Engine E>
std::unique_ptr<Managed, DeleteTensor> lend_matrix(const Matrix<E>& x, copyif copy,
                                                   std::optional<StreamNumber> consumer) {
  check_stream("to_dlpack", consumer);
  Strided elements = elements_of("to_dlpack", x);
  Owner memory = x.owner();
  if (copy == copyif::no && memory == nullptr)
    misuse("to_dlpack",
           "the matrix {} is over memory that is not its own, and nobody would keep that alive; "
           "copyif::yes gives a copy",
           x.shape());
  const bool is_copy = copy == copyif::always || memory == nullptr;
  if (is_copy) {
    const Matrix<E> own = x.copy();
    elements.data = own.size() == 0 ? nullptr : own.data();
    memory = own.owner();
  }
  return lend<Managed>(std::move(elements), sharing_of<E>().lend(std::move(memory), consumer),
                       is_copy);
}

/// How a matrix can show elements: its shape without the flag, and the flag.
struct MatrixLayout {
  Shape stored;
  bool transposed = false;
  std::string why_not{};  ///< nothing if it can where they are
};

inline MatrixLayout matrix_layout(std::string_view op, Strided& elements) {
  if (elements.dims.size() > 2)
    misuse(Reason::Shape, op, "a matrix has two dimensions; the array's shape is {}",
           text(elements.dims));
  while (elements.dims.size() < 2) {
    elements.dims.push_back(1);
    elements.strides.push_back(1);
  }
  const Shape shape{elements.dims[0], elements.dims[1]};
  const Index down = elements.strides[0];
  const Index across = elements.strides[1];
  if ((shape.rows == 1 || down == 1) && (shape.cols == 1 || across == shape.rows)) return {shape};
  const bool by_rows = shape.cols == 1 || (shape.rows > 1 && std::abs(down) > std::abs(across));
  MatrixLayout result{by_rows ? shape.transposed() : shape, by_rows};
  if (shape.cols == 1 || across != 1 || (shape.rows > 1 && down != shape.cols))
    result.why_not =
        fmt::format("its strides are {} (a matrix is column-major or row-major, without gaps)",
                    text(elements.strides));
  return result;
}

/// The matrix, over the elements or over a copy of them. `owner` gives what keeps them.
template <class M>
M matrix_of(std::string_view op, Strided elements, copyif copy, const auto& owner) {
  using T = typename M::value_type;
  const Sharing& sharing = sharing_of<typename M::engine>();
  check_type(op, elements, type_of<T>(), M::engine::name());
  const MatrixLayout layout = matrix_layout(op, elements);
  if (!must_copy(op, elements, sharing, layout.why_not, copy))
    return M::borrow(static_cast<T*>(elements.data), layout.stored, layout.transposed,
                     sharing.until_done(owner()));
  if (!layout.transposed) {
    std::reverse(elements.dims.begin(), elements.dims.end());
    std::reverse(elements.strides.begin(), elements.strides.end());
  }
  M result = M::empty(layout.stored);
  if (result.size() > 0) sharing.copy(elements, result.data());
  result.set_trans(layout.transposed);
  return result;
}

template <class M, class Managed>
M take_matrix(Managed* tensor, copyif copy) {
  auto taken = std::make_shared<Taken<Managed>>();
  M result =
      matrix_of<M>("from_dlpack", describe("from_dlpack", *tensor), copy, [&] { return taken; });
  taken->tensor = tensor;  // nothing can fail any more
  return result;
}

}  // namespace cudamat::exchange

namespace cudamat {

template <Engine E>
dlpack::Device dlpack_device(const Matrix<E>& x) {
  return exchange::sharing_of<E>().device(x.size() == 0 ? nullptr : x.data());
}

template <Engine E>
TensorPtr to_dlpack(const Matrix<E>& x, copyif copy, std::optional<StreamNumber> consumer) {
  return exchange::lend_matrix<dlpack::ManagedTensorVersioned>(x, copy, consumer);
}

template <Engine E>
UnversionedTensorPtr to_dlpack_unversioned(const Matrix<E>& x, copyif copy,
                                           std::optional<StreamNumber> consumer) {
  return exchange::lend_matrix<dlpack::ManagedTensor>(x, copy, consumer);
}

template <Engine E>
CudaArrayInterface cuda_array_interface(const Matrix<E>& x) {
  return exchange::interface_of(exchange::elements_of("cuda_array_interface", x),
                                exchange::sharing_of<E>(), x.owner());
}

template <class M>
std::optional<StreamNumber> stream_for() {
  return exchange::sharing_of<typename M::engine>().stream();
}

template <class M>
M from_dlpack(dlpack::ManagedTensorVersioned* tensor, copyif copy) {
  return exchange::take_matrix<M>(tensor, copy);
}
template <class M>
M from_dlpack(dlpack::ManagedTensor* tensor, copyif copy) {
  return exchange::take_matrix<M>(tensor, copy);
}

template <class M>
M from_cuda_array_interface(const CudaArrayInterface& array, copyif copy) {
  const Sharing& sharing = exchange::sharing_of<typename M::engine>();
  return exchange::matrix_of<M>("from_cuda_array_interface",
                                exchange::arriving(array, sharing, M::engine::name()), copy,
                                [&] { return array.owner; });
}

}  // namespace cudamat
