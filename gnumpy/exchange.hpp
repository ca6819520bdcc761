// garrays from and for other libraries, in the same memory: DLPack and the CUDA Array Interface.
// cudamat/exchange.hpp says what is so for matrices as well: who keeps memory, streams, errors.
//
//   auto tensor = gpu::to_dlpack(a);            // a's elements, in C order
//   garray b = gpu::from_dlpack(tensor);        // a garray over the producer's memory
//
// Layout    A garray goes out in C order, a view of one with the strides of its slices. What comes
//           in must be in C order without gaps; anything else is refused, with the reason, or
//           copied where copyif says so. Any number of dimensions up to 32.
// Sharing   `a += 1` and writes to subscripts of `a` are seen by the other library, and its writes
//           by `a`; `a = b` gives `a` another value in other memory, as in Python. Values stay
//           values: a copy of `a`, and what is computed of it, does not change when the other
//           library writes. So while memory is shared, expressions that read it are computed at
//           once, operation by operation; copyif::always gives memory of one's own.
//           A const garray goes out read-only. Memory that came in counts as memory of its owner's:
//           memory_in_use() and max_memory_usage() leave it out.
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

/// What an array of another library may be made of: a garray, to be written to; a const one, to be
/// read; a view. What a mask or an index list selects is a copy, which is made where copyif says
/// so.
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

/// Where the memory of garrays is: what __dlpack_device__ tells.
dlpack::Device dlpack_device();
/// What a producer must be told, __dlpack__(stream=...); none on a CPU.
std::optional<StreamNumber> stream_for_garrays();

[[nodiscard]] TensorPtr to_dlpack(const Exported& array, copyif copy = copyif::no,
                                  std::optional<StreamNumber> consumer = {});
[[nodiscard]] UnversionedTensorPtr to_dlpack_unversioned(const Exported& array,
                                                         copyif copy = copyif::no,
                                                         std::optional<StreamNumber> consumer = {});
[[nodiscard]] CudaArrayInterface cuda_array_interface(const Exported& array);

/// Takes the tensor where it does not throw.
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
