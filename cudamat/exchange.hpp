// Matrices from and for other libraries, in the same memory: DLPack and the CUDA Array Interface.
//
//   #include "cudamat/exchange.hpp"   // with npmat/exchange.hpp or cudamat/cuda/exchange.hpp
//   auto tensor = cudamat::to_dlpack(x);                  // what x shows; release() gives it away
//   auto y = cudamat::from_dlpack<CUDAMatrix>(tensor);    // a view of the producer's memory
//
// Layout    A matrix goes out with its strides: column-major, or row-major with the transposed
//           flag. What comes in must be column-major or row-major without gaps; row-major is a
//           matrix with the flag. 0-d is 1 x 1, 1-d of n elements n x 1. Anything else is refused,
//           with the reason, or copied where copyif says so. The type must be the matrix's: no
//           number is ever rounded on the way. long double has no DLPack type.
// Memory    What goes out keeps the memory alive until its deleter is called, in whatever thread,
//           even after the matrix, or the engine's shutdown. What came in is kept until the last
//           matrix and view of it is gone; its deleter is called then, on a GPU after a wait for
//           what was queued. Both sides see each other's writes.
// Read-only memory is refused, or copied: a matrix can be written to.
// Streams   A consumer says on which stream it will use a tensor, and to_dlpack lets that stream
//           wait for what is queued here (nothing waits on the host). As a consumer, give the
//           producer stream_for<M>(). Where a consumer's tensor is dropped, later calls come after
//           what the legacy stream was given; for a stream of its own, which may be gone by then,
//           the host waits for the device.
// Errors    CUDAMatException; what was to be taken is still the caller's then.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cudamat/dlpack.hpp"
#include "cudamat/matrix.hpp"
#include "cudamat/sharing.hpp"

namespace cudamat {

/// Whether a copy is made where memory cannot be shared.
enum class copyif : std::uint8_t {
  no,      ///< never: it is refused
  yes,     ///< where it cannot be shared
  always,  ///< even where it could
};

/// Calls the deleter.
struct DeleteTensor {
  template <class Managed>
  void operator()(Managed* tensor) const noexcept {
    if (tensor->deleter != nullptr) tensor->deleter(tensor);
  }
};
using TensorPtr = std::unique_ptr<dlpack::ManagedTensorVersioned, DeleteTensor>;
using UnversionedTensorPtr = std::unique_ptr<dlpack::ManagedTensor, DeleteTensor>;

/// The CUDA Array Interface, version 3: the entries of the dictionary in Python.
struct CudaArrayInterface {
  std::vector<Index> shape{};
  std::string typestr{};    ///< "<f4", "<f8"
  std::uintptr_t data = 0;  ///< 0 without elements
  bool read_only = false;
  std::optional<std::vector<Index>> strides{};  ///< in bytes; none: in C order without gaps
  /// On which the elements are ready: 1, 2 or a cudaStream_t, never 0; none: they are ready.
  std::optional<StreamNumber> stream{};
  int version = 3;
  Owner owner{};  ///< keeps the memory alive; not an entry: the object in Python does that there
};

// ---- to others ----

/// Where the matrix's memory is: what __dlpack_device__ tells.
template <Engine E>
dlpack::Device dlpack_device(const Matrix<E>& x);

/// The matrix for a consumer that uses it on this stream (without one: the legacy default stream).
/// A matrix over memory that nobody counts (Matrix::borrow) is refused or copied.
template <Engine E>
[[nodiscard]] TensorPtr to_dlpack(const Matrix<E>& x, copyif copy = copyif::no,
                                  std::optional<StreamNumber> consumer = {});
/// The same for consumers that know nothing of version 1.
template <Engine E>
[[nodiscard]] UnversionedTensorPtr to_dlpack_unversioned(const Matrix<E>& x,
                                                         copyif copy = copyif::no,
                                                         std::optional<StreamNumber> consumer = {});

/// The matrix for consumers of the CUDA Array Interface. Refuses memory of the CPU.
template <Engine E>
[[nodiscard]] CudaArrayInterface cuda_array_interface(const Matrix<E>& x);

// ---- from others ----

/// What a producer must be told, __dlpack__(stream=...): the stream of the calling thread's calls;
/// none on a CPU.
template <class M>
std::optional<StreamNumber> stream_for();

/// A matrix of what the tensor shows. Takes the tensor: its deleter is called when the memory is
/// not used any more, at once if it was copied.
template <class M>
[[nodiscard]] M from_dlpack(dlpack::ManagedTensorVersioned* tensor, copyif copy = copyif::no);
template <class M>
[[nodiscard]] M from_dlpack(dlpack::ManagedTensor* tensor, copyif copy = copyif::no);
template <class M, class Managed>
[[nodiscard]] M from_dlpack(std::unique_ptr<Managed, DeleteTensor>& tensor,
                            copyif copy = copyif::no) {
  M taken = from_dlpack<M>(tensor.get(), copy);
  (void)tensor.release();
  return taken;
}

/// A matrix of what the interface describes, whose `owner` is kept; later calls come after the
/// work of its stream.
template <class M>
[[nodiscard]] M from_cuda_array_interface(const CudaArrayInterface& array,
                                          copyif copy = copyif::no);

}  // namespace cudamat

#include "cudamat/detail/exchange.hpp"
