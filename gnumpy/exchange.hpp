// Sharing the memory of garrays with other libraries: DLPack and the CUDA Array Interface.
// cudamat/exchange.hpp has the rules that also apply to matrices: ownership, streams, errors.
//
//   auto tensor = gpu::to_dlpack(a);            // a's elements, in C order
//   garray b = gpu::from_dlpack(tensor);        // a garray over the producer's memory
//
// Layout    A garray is exported in C order, a view of one with the strides of its slices. Imported
//           arrays must be in C order without gaps; others throw, with the reason, or are copied if
//           copyif permits it. Any number of dimensions up to 32.
// Sharing   `a += 1` and writes to subscripts of `a` are visible to the other library, and its
//           writes to `a`; `a = b` gives `a` another value in other memory, as in Python. Value
//           semantics are kept: a copy of `a`, and expressions of it, do not change when the other
//           library writes. So while memory is shared, expressions that read it are computed at
//           once, operation by operation; copyif::always gives separate memory. A const garray is
//           exported read-only. Imported memory belongs to its owner: memory_in_use() and
//           max_memory_usage() do not count it.
#pragma once

#include <optional>

#include "cudamat/exchange.hpp"
#include "gnumpy/garray.hpp"

namespace gnumpy {

using cudamat::copyif;
using cudamat::CudaArrayInterface;
using cudamat::StreamNumber;
using cudamat::TensorPtr;
using cudamat::UnversionedTensorPtr;
namespace dlpack = cudamat::dlpack;

/// An array to export: a garray, which may be written to; a const garray, which is read-only; or a
/// view. A selection by a mask or an index list is a copy, which is made if copyif permits it.
class Exported {
 public:
  Exported(garray& array, Where at = Where::current());            // NOLINT
  Exported(garray&& array, Where at = Where::current());           // NOLINT
  Exported(const garray& array, Where at = Where::current());      // NOLINT
  Exported(const garray_view& view, Where at = Where::current());  // NOLINT

  detail::NodePtr node;
  bool read_only = false;
  Where where;
};

/// The device of garrays, for __dlpack_device__.
dlpack::Device dlpack_device();
/// The stream to pass to a producer, __dlpack__(stream=...); none on a CPU.
std::optional<StreamNumber> stream_for_garrays();

[[nodiscard]] TensorPtr to_dlpack(const Exported& array, copyif copy = copyif::no,
                                  std::optional<StreamNumber> consumer = {});
[[nodiscard]] UnversionedTensorPtr to_dlpack_unversioned(const Exported& array,
                                                         copyif copy = copyif::no,
                                                         std::optional<StreamNumber> consumer = {});
[[nodiscard]] CudaArrayInterface cuda_array_interface(const Exported& array);

/// Takes ownership of the tensor unless it throws.
[[nodiscard]] garray from_dlpack(dlpack::ManagedTensorVersioned* tensor, copyif copy = copyif::no,
                                 Where where = Where::current());
[[nodiscard]] garray from_dlpack(dlpack::ManagedTensor* tensor, copyif copy = copyif::no,
                                 Where where = Where::current());
template <class Managed>
[[nodiscard]] garray from_dlpack(std::unique_ptr<Managed, cudamat::DeleteTensor>& tensor,
                                 copyif copy = copyif::no, Where where = Where::current()) {
  garray taken = from_dlpack(tensor.get(), copy, where);
  (void)tensor.release();
  return taken;
}
[[nodiscard]] garray from_cuda_array_interface(const CudaArrayInterface& array,
                                               copyif copy = copyif::no,
                                               Where where = Where::current());

}  // namespace gnumpy
