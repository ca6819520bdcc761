#include "cudamat/cuda/product_tuning.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <cublasLt.h>
#include <map>
#include <optional>

#include "cudamat/code/cache.hpp"
#include "cudamat/cuda/device.hpp"
#include "cudamat/cuda/memory.hpp"
#include "cudamat/cuda/stream.hpp"
#include "cudamat/error.hpp"
#include "cudamat/unless_off.hpp"

namespace cudamat::cuda {
namespace {

constexpr std::uint64_t kWorkspace = std::uint64_t{32} << 20;  ///< the most that one may need
constexpr std::uint32_t kAlignment = 16;  ///< bytes, of what algorithms may count on
constexpr int kCandidates = 8;
constexpr int kSamples = 3;
constexpr int kTurns = 3;  ///< of the fastest and cuBLAS, at the end
constexpr std::chrono::milliseconds kWarmUp{20};
constexpr int kProducts = 4;        ///< in each: launches take less time than what is launched
constexpr float kLongProduct = 10;  ///< milliseconds: left to cuBLAS, whose rules are good there

/// All that the choice depends on.
struct Shape {
  int device;
  bool is_double, tf32, trans_a, trans_b;
  Index m, n, k;
  std::uint32_t alignment;  ///< of all three operands

  auto operator<=>(const Shape&) const = default;
};

/// The bytes that the address is a multiple of, at most kAlignment.
std::uint32_t alignment_of(const void* data) {
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  return static_cast<std::uint32_t>(std::min<std::uintptr_t>(address & -address, kAlignment));
}

template <class T>
Shape shape_of(const State& current, const GemmCall<T>& call) {
  return {
      .device = current.device,
      .is_double = std::is_same_v<T, double>,
      .tf32 = std::is_same_v<T, float> && tf32(),
      .trans_a = call.trans_a,
      .trans_b = call.trans_b,
      .m = call.m,
      .n = call.n,
      .k = call.k,
      .alignment = std::min({alignment_of(call.a), alignment_of(call.b), alignment_of(call.c)})};
}

/// A handle of cuBLAS is one of cuBLASLt.
cublasLtHandle_t lt_handle(const State& current) {
  return reinterpret_cast<cublasLtHandle_t>(current.cublas);
}

/// The product as cuBLASLt describes it: only shapes, so that it serves all contexts.
class Description {
 public:
  Description(const Shape& shape, Index lda, Index ldb) {
    const cudaDataType type = shape.is_double ? CUDA_R_64F : CUDA_R_32F;
    const cublasComputeType_t compute = shape.is_double ? CUBLAS_COMPUTE_64F
                                        : shape.tf32    ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                        : CUBLAS_COMPUTE_32F;
    CUDAMAT_CUDA(cublasLtMatmulDescCreate(&product_, compute, type));
    transpose(CUBLASLT_MATMUL_DESC_TRANSA, shape.trans_a);
    transpose(CUBLASLT_MATMUL_DESC_TRANSB, shape.trans_b);
    const auto layout = [&](cublasLtMatrixLayout_t& made, bool transposed, Index rows, Index cols,
                            Index ld) {
      if (transposed) std::swap(rows, cols);
      CUDAMAT_CUDA(cublasLtMatrixLayoutCreate(&made, type, static_cast<std::uint64_t>(rows),
                                              static_cast<std::uint64_t>(cols), ld));
    };
    layout(a_, shape.trans_a, shape.m, shape.k, lda);
    layout(b_, shape.trans_b, shape.k, shape.n, ldb);
    layout(c_, false, shape.m, shape.n, shape.m);
  }
  ~Description() {
    for (const cublasLtMatrixLayout_t layout : {a_, b_, c_})
      if (layout != nullptr) (void)cublasLtMatrixLayoutDestroy(layout);
    if (product_ != nullptr) (void)cublasLtMatmulDescDestroy(product_);
  }
  Description(const Description&) = delete;
  Description& operator=(const Description&) = delete;

  /// The most promising algorithms, the best first.
  [[nodiscard]] std::vector<cublasLtMatmulHeuristicResult_t> candidates(
      const State& current, std::uint32_t alignment) const {
    cublasLtMatmulPreference_t preference = nullptr;
    CUDAMAT_CUDA(cublasLtMatmulPreferenceCreate(&preference));
    (void)cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                               &kWorkspace, sizeof kWorkspace);
    for (const auto which :
         {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
          CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
      (void)cublasLtMatmulPreferenceSetAttribute(preference, which, &alignment, sizeof alignment);
    std::vector<cublasLtMatmulHeuristicResult_t> found(kCandidates);
    int count = 0;
    const cublasStatus_t status =
        cublasLtMatmulAlgoGetHeuristic(lt_handle(current), product_, a_, b_, c_, c_, preference,
                                       kCandidates, found.data(), &count);
    (void)cublasLtMatmulPreferenceDestroy(preference);
    found.resize(status == CUBLAS_STATUS_SUCCESS ? static_cast<std::size_t>(count) : 0);
    std::erase_if(found, [](const auto& one) { return one.state != CUBLAS_STATUS_SUCCESS; });
    return found;
  }

  /// The bytes that the algorithm needs besides its operands; nothing if the library or the device
  /// cannot run it.
  [[nodiscard]] std::optional<std::size_t> needs(const State& current,
                                                 const cublasLtMatmulAlgo_t& algorithm) const {
    cublasLtMatmulHeuristicResult_t result{};
    if (cublasLtMatmulAlgoCheck(lt_handle(current), product_, a_, b_, c_, c_, &algorithm,
                                &result) != CUBLAS_STATUS_SUCCESS ||
        result.state != CUBLAS_STATUS_SUCCESS || result.workspaceSize > kWorkspace)
      return std::nullopt;
    return result.workspaceSize;
  }

  template <class T>
  cublasStatus_t compute(const State& current, const GemmCall<T>& call,
                         const cublasLtMatmulAlgo_t& algorithm, std::size_t bytes) const {
    const Workspace<char> workspace(static_cast<Index>(bytes));
    return cublasLtMatmul(lt_handle(current), product_, &call.alpha, call.a, a_, call.b, b_,
                          &call.beta, call.c, c_, call.c, c_, &algorithm, workspace.data(), bytes,
                          current.stream);
  }

 private:
  void transpose(cublasLtMatmulDescAttributes_t which, bool transposed) {
    const std::int32_t op = transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    CUDAMAT_CUDA(cublasLtMatmulDescSetAttribute(product_, which, &op, sizeof op));
  }

  cublasLtMatmulDesc_t product_ = nullptr;
  cublasLtMatrixLayout_t a_ = nullptr, b_ = nullptr, c_ = nullptr;
};

struct Algorithm {
  cublasLtMatmulAlgo_t what;
  std::size_t bytes;  ///< of the workspace
};

struct Choice {
  std::unique_ptr<const Description> description;
  std::optional<Algorithm> algorithm;  ///< nothing: cuBLAS's own
};

/// What this process has chosen, for all contexts.
struct Choices {
  std::mutex mutex;
  std::map<Shape, Choice> of;
};

/// Never destroyed: its descriptions are the library's, which may be gone by then.
Choices& choices() {
  static auto* const the_choices = new Choices;
  return *the_choices;
}

// ---- on the disk ----

code::Digest key_of(const Shape& shape) {
  cudaDeviceProp device{};
  CUDAMAT_CUDA(cudaGetDeviceProperties(&device, shape.device));
  return code::Digester()
      .part("product")
      .part(device.name)
      .part(fmt::format("cuBLASLt {}, {} multiprocessors, {} {} {}{} {}x{}x{} aligned to {}",
                        cublasLtGetVersion(), device.multiProcessorCount,
                        shape.is_double ? "double" : "float", shape.tf32 ? "tf32" : "",
                        shape.trans_a ? 'T' : 'N', shape.trans_b ? 'T' : 'N', shape.m, shape.n,
                        shape.k, shape.alignment))
      .finish();
}

/// The algorithm's bytes, which are its own version's; none for cuBLAS's way.
std::string stored(const Choice& choice) {
  if (!choice.algorithm) return {};
  const auto* const bytes = reinterpret_cast<const char*>(&choice.algorithm->what);
  return {bytes, sizeof(cublasLtMatmulAlgo_t)};
}

/// False if it says nothing that can be run.
bool restore(const State& current, const std::string& bytes, Choice& choice) {
  if (bytes.empty()) return true;
  Algorithm algorithm{};
  if (bytes.size() != sizeof algorithm.what) return false;
  std::memcpy(&algorithm.what, bytes.data(), bytes.size());
  const auto needed = choice.description->needs(current, algorithm.what);
  if (!needed) return false;
  algorithm.bytes = *needed;
  choice.algorithm = algorithm;
  return true;
}

// ---- measured ----

/// Milliseconds of `compute`, which enqueues a product; nothing if it cannot. One that takes more
/// than `most` is timed once.
template <class Compute>
std::optional<float> time_of(const Compute& compute, float most) {
  if (compute() != CUBLAS_STATUS_SUCCESS) return std::nullopt;  // and what its first time takes
  std::optional<float> best;
  for (int sample = 0; sample <= kSamples; ++sample) {
    const int products = sample == 0 ? 1 : kProducts;
    Event before(true), after(true);
    before.record();
    for (int i = 0; i < products; ++i)
      if (compute() != CUBLAS_STATUS_SUCCESS) return std::nullopt;
    after.record();
    after.synchronize();
    const float time = elapsed_ms(before, after) / static_cast<float>(products);
    if (sample == 0 && time > most) return time;
    if (sample > 0) best = std::min(best.value_or(time), time);
  }
  return best;
}

/// The last of some measurements that take kWarmUp together: an idle GPU's clocks are low.
template <class Measure>
float warmed_up(const Measure& measure) {
  const auto start = std::chrono::steady_clock::now();
  float time = 0;
  do time = measure();
  while (std::chrono::steady_clock::now() - start < kWarmUp);
  return time;
}

/// The fastest; nothing if it is cuBLAS's way. Throws OutOfMemory where there is no room for the
/// target, LibraryError where cuBLAS's way fails.
template <class T>
std::optional<Algorithm> measure(const State& current, const GemmCall<T>& call,
                                 const Description& description, std::uint32_t alignment,
                                 const std::function<cublasStatus_t(const GemmCall<T>&)>& cublas) {
  const Workspace<T> aside(call.m * call.n);
  GemmCall<T> product = call;
  product.c = aside.data();
  product.beta = T(0);
  const auto usual = [&] {
    const auto time = time_of([&] { return cublas(product); }, kLongProduct);
    if (!time) CUDAMAT_CUDA(CUBLAS_STATUS_EXECUTION_FAILED);
    return *time;
  };
  const auto time_with = [&](const Algorithm& algorithm, float most) -> std::optional<float> {
    try {
      return time_of(
          [&] { return description.compute(current, product, algorithm.what, algorithm.bytes); },
          most);
    } catch (const OutOfMemory&) {  // for its workspace
      return std::nullopt;
    }
  };
  const float first = warmed_up(usual);
  if (first > kLongProduct) return std::nullopt;
  float best = first;
  std::optional<Algorithm> fastest;
  for (const auto& candidate : description.candidates(current, alignment)) {
    const Algorithm algorithm{candidate.algo, candidate.workspaceSize};
    const auto time = time_with(algorithm, 2 * best);
    if (!time || *time >= best) continue;
    best = *time;
    fastest = algorithm;
  }
  if (!fastest) return std::nullopt;
  // Clocks change: what is kept for good has to win in turns, too.
  float by_cublas = usual();
  for (int turn = 1; turn < kTurns; ++turn) {
    best = std::min(best, time_with(*fastest, kLongProduct).value_or(best));
    by_cublas = std::min(by_cublas, usual());
  }
  if (best >= static_cast<float>(kWorthIt) * std::min(first, by_cublas)) return std::nullopt;
  return fastest;
}

/// By us or by others.
bool is_captured(const State& current) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  CUDAMAT_CUDA(cudaStreamIsCapturing(current.stream, &status));
  return status != cudaStreamCaptureStatusNone;
}

/// What the disk or a measurement says; nothing if neither may be asked now.
template <class T>
std::optional<Choice> choose(const State& current, const GemmCall<T>& call, Index lda, Index ldb,
                             const Shape& shape,
                             const std::function<cublasStatus_t(const GemmCall<T>&)>& by_cublas) {
  const code::Cache cache;
  if (cache.folder().empty()) return std::nullopt;
  Choice choice;
  try {
    choice.description = std::make_unique<const Description>(shape, lda, ldb);
    const code::Digest key = key_of(shape);
    std::optional<std::string> known = cache.find(key);
    if (known && restore(current, *known, choice)) return choice;
    if (is_captured(current)) return std::nullopt;
    choice.algorithm = measure(current, call, *choice.description, shape.alignment, by_cublas);
    known = cache.agree(key, stored(choice));
    choice.algorithm.reset();
    if (known) (void)restore(current, *known, choice);
  } catch (const OutOfMemory&) {  // there is no room to measure in
    choice.algorithm.reset();
  } catch (const LibraryError&) {  // what is wrong with the device cuBLAS will say
    choice.algorithm.reset();
  }
  return choice;
}

}  // namespace

template <class T>
bool tuned_product(State& current, const GemmCall<T>& call, Index lda, Index ldb,
                   const std::function<cublasStatus_t(const GemmCall<T>&)>& by_cublas) {
  const double operations =
      2 * static_cast<double>(call.m) * static_cast<double>(call.n) * static_cast<double>(call.k);
  if (operations < kLeastOperations || operations > kMostOperations || !unless_off("CUDAMAT_TUNE"))
    return false;
  const Shape shape = shape_of(current, call);
  const std::lock_guard lock(choices().mutex);
  auto found = choices().of.find(shape);
  if (found == choices().of.end()) {
    if (choices().of.size() >= kTunedShapes) return false;
    std::optional<Choice> choice = choose(current, call, lda, ldb, shape, by_cublas);
    if (!choice) return false;
    found = choices().of.emplace(shape, std::move(*choice)).first;
  }
  auto& [description, algorithm] = found->second;
  if (!algorithm) return false;
  try {
    if (description->compute(current, call, algorithm->what, algorithm->bytes) ==
        CUBLAS_STATUS_SUCCESS)
      return true;
    algorithm.reset();
  } catch (const OutOfMemory&) {  // for the workspace: cuBLAS has one of its own
  }
  return false;
}

template bool tuned_product(State&, const GemmCall<float>&, Index, Index,
                            const std::function<cublasStatus_t(const GemmCall<float>&)>&);
template bool tuned_product(State&, const GemmCall<double>&, Index, Index,
                            const std::function<cublasStatus_t(const GemmCall<double>&)>&);

void forget_choices() noexcept {
  const std::lock_guard lock(choices().mutex);
  choices().of.clear();
}

}  // namespace cudamat::cuda
