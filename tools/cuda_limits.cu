#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "cudamat/cuda/launch.cuh"
#include "cudamat/cuda/memory.hpp"
#include "cudamat/cuda/random.hpp"
#include "tools/cuda_limits.hpp"

namespace tools::gpu {
namespace {

using namespace cudamat::cuda;

constexpr Index kBytes = Index{512} << 20;  ///< what the limits of bandwidth are measured on
constexpr int kRepeats = 15;
constexpr std::uint64_t kAhead = 60'000;  ///< nanoseconds that the host has to queue what is timed

/// Adds up all packs; the sum is written only if it is a number that it never is.
__global__ void read_all(const Pack<float>* __restrict__ data, Index packs, float* never) {
  float sum = 0;
  for (Index i = first_item(); i < packs; i += stride()) {
    const Pack<float> pack = data[i];
    for (int k = 0; k < Pack<float>::kSize; ++k) sum += pack.v[k];
  }
  if (sum == -1.0f) *never = sum;
}

/// Keeps the stream busy while the host queues what is measured.
__global__ void keep_busy(std::uint64_t nanoseconds) {
  const auto now = [] {
    std::uint64_t time = 0;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
    return time;
  };
  for (const std::uint64_t start = now(); now() - start < nanoseconds;) {
  }
}

/// Calls work() until the clocks are up: an idle GPU's are low, and it takes a while. At least
/// twice.
void warm_up(cudaStream_t stream, const std::function<void()>& work) {
  static bool first = true;
  const std::chrono::milliseconds enough(std::exchange(first, false) ? 600 : 3);
  const auto start = std::chrono::steady_clock::now();
  do {
    for (int i = 0; i < 2; ++i) work();
    CUDAMAT_CUDA(cudaStreamSynchronize(stream));
  } while (std::chrono::steady_clock::now() - start < enough);
}

}  // namespace

double time(int repeats, const std::function<void()>& work) {
  const cudaStream_t stream = state().stream;
  cudaEvent_t start = nullptr;
  cudaEvent_t stop = nullptr;
  CUDAMAT_CUDA(cudaEventCreateWithFlags(&start, cudaEventDefault));
  CUDAMAT_CUDA(cudaEventCreateWithFlags(&stop, cudaEventDefault));
  warm_up(stream, work);
  std::vector<float> milliseconds(static_cast<std::size_t>(repeats));
  for (float& one : milliseconds) {
    CUDAMAT_CUDA(cudaStreamSynchronize(stream));
    keep_busy<<<1, 1, 0, stream>>>(kAhead);
    CUDAMAT_CUDA(cudaEventRecord(start, stream));
    work();
    CUDAMAT_CUDA(cudaEventRecord(stop, stream));
    CUDAMAT_CUDA(cudaEventSynchronize(stop));
    CUDAMAT_CUDA(cudaEventElapsedTime(&one, start, stop));
  }
  CUDAMAT_CUDA(cudaEventDestroy(start));
  CUDAMAT_CUDA(cudaEventDestroy(stop));
  std::nth_element(milliseconds.begin(), milliseconds.begin() + repeats / 2, milliseconds.end());
  return milliseconds[static_cast<std::size_t>(repeats / 2)] * 1e-3;
}

double copy_floor(double bytes) {
  const Workspace<char> source(kBytes);
  const Workspace<char> target(kBytes);
  CUDAMAT_CUDA(cudaMemsetAsync(source.data(), 1, kBytes, state().stream));
  const double seconds = time(kRepeats, [&] {
    CUDAMAT_CUDA(cudaMemcpyAsync(target.data(), source.data(), kBytes, cudaMemcpyDeviceToDevice,
                                 state().stream));
  });
  return seconds * bytes / (2.0 * kBytes);
}

double read_floor(double bytes) {
  const Workspace<char> source(kBytes);
  const Workspace<float> never(1);
  CUDAMAT_CUDA(cudaMemsetAsync(source.data(), 1, kBytes, state().stream));
  const Index packs = kBytes / Index(sizeof(Pack<float>));
  const double seconds = time(kRepeats, [&] {
    launch({.name = "read_all", .blocks = blocks_for(packs, kThreads)}, read_all,
           reinterpret_cast<const Pack<float>*>(source.data()), packs, never.data());
  });
  return seconds * bytes / kBytes;
}

double link_floor(double bytes, bool to_device) {
  constexpr std::size_t kPinned = std::size_t{64} << 20;
  void* host = nullptr;
  CUDAMAT_CUDA(cudaMallocHost(&host, kPinned));
  const Workspace<char> device(kPinned);
  const double seconds = time(kRepeats, [&] {
    CUDAMAT_CUDA(to_device ? cudaMemcpyAsync(device.data(), host, kPinned, cudaMemcpyHostToDevice,
                                             state().stream)
                           : cudaMemcpyAsync(host, device.data(), kPinned, cudaMemcpyDeviceToHost,
                                             state().stream));
  });
  CUDAMAT_CUDA(cudaFreeHost(host));
  return seconds * bytes / double(kPinned);
}

template <class T>
double product_floor(bool trans_a, bool trans_b, Index m, Index n, Index k) {
  cublasHandle_t handle = nullptr;
  CUDAMAT_CUDA(cublasCreate(&handle));
  CUDAMAT_CUDA(cublasSetStream(handle, state().stream));
  const Workspace<T> a(m * k);
  const Workspace<T> b(k * n);
  const Workspace<T> c(m * n);
  for (const auto& [data, size] : {std::pair{a.data(), m * k}, std::pair{b.data(), k * n}})
    draw_at<T>({1, 0, nullptr}, Distribution::Uniform, data, size);  // zeros would be faster
  const cublasOperation_t op_a = trans_a ? CUBLAS_OP_T : CUBLAS_OP_N;
  const cublasOperation_t op_b = trans_b ? CUBLAS_OP_T : CUBLAS_OP_N;
  const T one = 1;
  const T zero = 0;
  const double seconds = time(kRepeats, [&] {
    if constexpr (sizeof(T) == sizeof(float))
      CUDAMAT_CUDA(cublasSgemm_64(handle, op_a, op_b, m, n, k, &one, a.data(), trans_a ? k : m,
                                  b.data(), trans_b ? n : k, &zero, c.data(), m));
    else
      CUDAMAT_CUDA(cublasDgemm_64(handle, op_a, op_b, m, n, k, &one, a.data(), trans_a ? k : m,
                                  b.data(), trans_b ? n : k, &zero, c.data(), m));
  });
  CUDAMAT_CUDA(cublasDestroy(handle));
  return seconds;
}

template double product_floor<float>(bool, bool, Index, Index, Index);
template double product_floor<double>(bool, bool, Index, Index, Index);

}  // namespace tools::gpu
