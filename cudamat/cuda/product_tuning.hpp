// Products by the best of cuBLASLt's algorithms, measured once a shape. For the engine's own files.
//
// cuBLAS chooses an algorithm by rules of its own, which skinny products may fall between. Here the
// first product of a shape is computed, into memory aside, in cuBLAS's way and by the algorithms
// that cuBLASLt thinks best; the fastest is taken from then on, cuBLAS's way unless another one
// takes less than kWorthIt of its time. Algorithms may round in other orders, and runs are to
// reproduce: the choice is stored on the disk (code/cache.hpp), by shape, device and version of the
// library, for all later processes. Where nothing can be stored nothing is measured.
//
// Measured are products of kLeastOperations to kMostOperations, whose time is neither a launch's
// nor so long that cuBLAS's rules are good; and, as a program whose shapes vary would measure for
// longer than it gains, the first kTunedShapes shapes that a process meets, be they on the disk or
// not. All others are cuBLAS's, as are products of more than 10 ms. Nothing is measured while the
// stream is captured, nor where there is no room for it; processes that measure at a time take what
// the first of them has stored.
//
// CUDAMAT_TUNE=off leaves all products to cuBLAS; auto, empty or missing: as above.
#pragma once

#include <functional>

#include "cudamat/cuda/context.hpp"
#include "cudamat/engine.hpp"

namespace cudamat::cuda {

constexpr double kWorthIt = 0.95;
constexpr double kLeastOperations = double(1 << 21);
constexpr double kMostOperations = double(std::int64_t{1} << 37);
constexpr std::size_t kTunedShapes = 128;

/// Computes the product by the algorithm that was chosen for its shape. False if that is cuBLAS's
/// way, `by_cublas`: nothing is computed then. m, n and k are above 0. Call with the state's mutex
/// held, after cublas_handle(). Throws CUDAMatException for another CUDAMAT_TUNE.
template <class T>
bool tuned_product(State& current, const GemmCall<T>& call, Index lda, Index ldb,
                   const std::function<cublasStatus_t(const GemmCall<T>&)>& by_cublas);

/// Forgets what this process knows; the disk does not.
void forget_choices() noexcept;

}  // namespace cudamat::cuda
