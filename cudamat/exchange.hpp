// Sharing the memory of matrices with other libraries: DLPack and the CUDA Array Interface.
//
//   #include "cudamat/exchange.hpp"   // with npmat/exchange.hpp or cudamat/cuda/exchange.hpp
//   auto tensor = cudamat::to_dlpack(x);                  // a view of x; release() gives it away
//   auto y = cudamat::from_dlpack<CUDAMatrix>(tensor);    // a view of the producer's memory
//
// Layout    A matrix is exported with its strides: column-major, or row-major with the transposed
//           flag. Imported arrays must be column-major or row-major without gaps; a row-major array
//           becomes a matrix with the flag. 0-d becomes 1 x 1, 1-d of n elements n x 1. Other
//           arrays throw, with the reason, or are copied if copyif permits it. The type must be
//           that of the matrix: no number is rounded. long double has no DLPack type.
// Memory    Exported memory is kept alive until its deleter is called, in any thread, even after
//           the matrix or the engine's shutdown. Imported memory is kept until the last matrix and
//           view of it is gone; then its deleter is called, on a GPU after a wait for queued work.
//           Writes are visible on both sides. Read-only memory throws or is copied, because a
//           matrix can be written to.
// Streams   A consumer says on which stream it will use a tensor, and to_dlpack makes that stream
//           wait for work that is queued here; the host does not wait. As a consumer, pass
//           stream_for<M>() to the producer. When a consumer drops a tensor, later calls are
//           ordered after the work of the legacy stream; for another stream, which may not exist
//           any more, the host waits for the device.
// Errors    CUDAMatException; the tensor then still belongs to the caller.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cudamat/dlpack.hpp"
#include "cudamat/matrix.hpp"
#include "cudamat/sharing.hpp"

namespace cudamat {

/// Whether to copy if memory cannot be shared.
enum class copyif : std::uint8_t {
  no,      ///< never; throws
  yes,     ///< if memory cannot be shared
  always,  ///< always
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
  /// The stream on which the elements are ready: 1, 2 or a cudaStream_t, never 0; none: they are
  /// ready.
  std::optional<StreamNumber> stream{};
  int version = 3;
  Owner owner{};  ///< keeps the memory alive; not an entry: the object in Python does that there
};

// ---- export ----

/// The device of the matrix, for __dlpack_device__.
template <Engine E>
dlpack::Device dlpack_device(const Matrix<E>& x);

/// Exports the matrix to a consumer that uses it on this stream (by default the legacy default
/// stream). A matrix over memory without an owner (Matrix::borrow) throws or is copied.
template <Engine E>
[[nodiscard]] TensorPtr to_dlpack(const Matrix<E>& x, copyif copy = copyif::no,
                                  std::optional<StreamNumber> consumer = {});
/// The same for consumers that do not support version 1.
template <Engine E>
[[nodiscard]] UnversionedTensorPtr to_dlpack_unversioned(const Matrix<E>& x,
                                                         copyif copy = copyif::no,
                                                         std::optional<StreamNumber> consumer = {});

/// Exports the matrix to consumers of the CUDA Array Interface. Throws for memory of the CPU.
template <Engine E>
[[nodiscard]] CudaArrayInterface cuda_array_interface(const Matrix<E>& x);

// ---- import ----

/// The stream to pass to a producer, __dlpack__(stream=...): that of the calling thread; none on a
/// CPU.
template <class M>
std::optional<StreamNumber> stream_for();

/// Imports a tensor as a matrix, and takes ownership: its deleter is called when the memory is no
/// longer used, at once if it was copied.
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

/// Imports the array that the interface describes, and keeps `owner`; later calls are ordered after
/// the work of its stream.
template <class M>
[[nodiscard]] M from_cuda_array_interface(const CudaArrayInterface& array,
                                          copyif copy = copyif::no);

}  // namespace cudamat

#include "cudamat/detail/exchange.hpp"
