// libcudalearn.so. It computes by calls of libcudamat.so alone, which is what makes the two one:
// the engine, its stream, its memory and the text of the last error are there. (An engine of its
// own would need all of these twice, out of step on a GPU; a private entrance to the other library
// would be a function more than the interface has.)
#include "cudamat/capi/cudamat.h"

namespace {

/// An uninitialised matrix of this size and flag, freed at the end of the scope.
class Temporary {
 public:
  explicit Temporary(const cudamat_struct& like) {
    status_ = init_empty(&mat_, like.size[0], like.size[1]);
    set_transpose(&mat_, like.is_trans);
  }
  ~Temporary() { free_device_memory(&mat_); }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  [[nodiscard]] int status() const { return status_; }
  cudamat_struct* get() { return &mat_; }

 private:
  cudamat_struct mat_{};
  int status_;
};

}  // namespace

// (target * acts) * (1 - acts), with the bits that mult_by_sigmoid_deriv of the C++ interface has.
// Everything that can be wrong with the operands is found before target is written. Flags that
// differ have another status here than in the product.
extern "C" int mult_by_sigmoid_deriv(cudamat_struct* target, cudamat_struct* acts) noexcept {
  if (acts == nullptr || target == nullptr) return mult_elementwise(target, acts, target);
  Temporary rest(*acts);
  int status = rest.status();
  if (status == CUDAMAT_OK) status = mult_by_scalar(acts, -1, rest.get());
  if (status == CUDAMAT_OK) status = add_scalar(rest.get(), 1, rest.get());
  if (status == CUDAMAT_OK) status = mult_elementwise(target, acts, target);
  if (status == CUDAMAT_OK) status = mult_elementwise(target, rest.get(), target);
  return status == CUDAMAT_ERROR_INCOMPATIBLE_TRANSPOSEDNESS ? CUDAMAT_ERROR_TRANSPOSED : status;
}
