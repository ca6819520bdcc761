// Devices and contexts.
#include "cudamat/cuda/context.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

#include "cudamat/cuda/device.hpp"
#include "cudamat/cuda/product_tuning.hpp"
#include "cudamat/error.hpp"

namespace cudamat::cuda {
namespace {

constexpr int kOldestCapability = 75;  ///< the kernels are compiled for 7.5 and later

std::string version(int number) {
  return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

std::string driver() {
  int number = 0;
  if (cudaDriverGetVersion(&number) != cudaSuccess || number == 0) return "no driver";
  return fmt::format("driver for CUDA {}", version(number));
}

/// The capability of a device as 10 * major + minor; 0 if it cannot be asked.
int capability(int device) {
  int major = 0;
  int minor = 0;
  if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess ||
      cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) != cudaSuccess)
    return 0;
  return 10 * major + minor;
}

bool has_pools(int device) {
  int pools = 0;
  return cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, device) == cudaSuccess &&
         pools != 0;
}

struct Found {
  int devices = 0;
  std::string why_none;
};

Found find_devices() {
  Found found;
  const cudaError_t status = cudaGetDeviceCount(&found.devices);
  if (status == cudaSuccess && found.devices > 0) {
    const bool is_new = capability(0) >= kOldestCapability;
    if (is_new && has_pools(0)) return found;
    found.why_none =
        is_new ? "the GPU's driver has no memory pools, as some virtual GPUs' have not"
               : fmt::format("the GPU has compute capability {}.{}, and 7.5 or later is needed",
                             capability(0) / 10, capability(0) % 10);
  } else {
    found.why_none = status == cudaSuccess ? "there is no GPU" : cudaGetErrorString(status);
  }
  (void)cudaGetLastError();
  int runtime = 0;
  (void)cudaRuntimeGetVersion(&runtime);
  found.devices = 0;
  found.why_none += fmt::format(" ({}, runtime {})", driver(), version(runtime));
  return found;
}

std::mutex defaults_mutex;

/// The default contexts by device. Never destroyed: matrices may be freed after static objects.
std::vector<std::shared_ptr<State>>& defaults() {
  static auto* const states = new std::vector<std::shared_ptr<State>>;
  return *states;
}

thread_local int thread_device = 0;
thread_local State* thread_default = nullptr;      ///< that of thread_device, once it was asked for
thread_local std::shared_ptr<State> thread_scope;  ///< of the innermost Context::Scope

State& default_state() {
  if (thread_default != nullptr) return *thread_default;
  require_device();
  const std::lock_guard lock(defaults_mutex);
  const auto index = static_cast<std::size_t>(thread_device);
  if (defaults().size() <= index) defaults().resize(index + 1);
  if (defaults()[index] == nullptr) defaults()[index] = std::make_shared<State>(thread_device);
  thread_default = defaults()[index].get();
  return *thread_default;
}

/// The memory of all contexts on a device, in a pool of our own: what others in the process set in
/// the device's default pool is theirs, and what they see of it. Never destroyed, as what is freed
/// after static objects goes back to it.
cudaMemPool_t pool_of(int device) {
  static auto* const pools = new std::map<int, cudaMemPool_t>;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const auto found = pools->find(device);
  if (found != pools->end()) return found->second;
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.handleTypes = cudaMemHandleTypeNone;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = device;
  cudaMemPool_t pool = nullptr;
  CUDAMAT_CUDA(cudaMemPoolCreate(&pool, &properties));
  std::uint64_t keep_all = ~std::uint64_t{0};  // freed memory stays in the pool
  const cudaError_t status =
      cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep_all);
  if (status != cudaSuccess) (void)cudaMemPoolDestroy(pool);
  CUDAMAT_CUDA(status);
  return pools->emplace(device, pool).first->second;
}

std::atomic<bool> use_tf32 = false;
std::atomic<bool> program_ends = false;

}  // namespace

// ---- the state of a context ----

State::State(int on_device) : device(on_device) {
  CUDAMAT_CUDA(cudaSetDevice(device));
  capability = cuda::capability(device);
  CUDAMAT_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  int threads_each = 0;
  CUDAMAT_CUDA(
      cudaDeviceGetAttribute(&threads_each, cudaDevAttrMaxThreadsPerMultiProcessor, device));
  resident_threads = std::int64_t{multiprocessors} * threads_each;
  std::size_t free_memory = 0;
  CUDAMAT_CUDA(cudaMemGetInfo(&free_memory, &total_memory));
  pool = pool_of(device);
  CUDAMAT_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
}

State::~State() {
  if (program_ends) {  // the libraries may be gone already; the driver takes everything back
    (void)staging.release();
    return;
  }
  const DeviceScope scope(device);
  release_handles();
  (void)cudaStreamDestroy(stream);
}

void State::release_handles() noexcept {
  const std::scoped_lock lock(mutex, transfers);
  if (cublas != nullptr) (void)cublasDestroy(cublas);
  cublas = nullptr;
  if (cusolver.params != nullptr) (void)cusolverDnDestroyParams(cusolver.params);
  if (cusolver.handle != nullptr) (void)cusolverDnDestroy(cusolver.handle);
  cusolver = {};
  for (RandomStream* const random : {&random_float, &random_double}) {
    if (random->generator != nullptr) (void)curandDestroyGenerator(random->generator);
    *random = RandomStream{.seed = random->seed};
  }
  staging.reset();
}

void State::make_room() noexcept {
  (void)cudaGetLastError();
  (void)cudaStreamSynchronize(stream);
  (void)cudaMemPoolTrimTo(pool, 0);
}

cublasHandle_t State::cublas_handle() {
  if (cublas == nullptr) {
    cublasHandle_t handle = nullptr;
    CUDAMAT_CUDA(create_handle(*this, [&] { return cublasCreate(&handle); }));
    const cublasStatus_t status = cublasSetStream(handle, stream);
    if (status != CUBLAS_STATUS_SUCCESS) (void)cublasDestroy(handle);
    CUDAMAT_CUDA(status);
    cublas = handle;
    cublas_math = CUBLAS_DEFAULT_MATH;
  }
  const cublasMath_t wanted = use_tf32 ? CUBLAS_TF32_TENSOR_OP_MATH : CUBLAS_DEFAULT_MATH;
  if (cublas_math != wanted) CUDAMAT_CUDA(cublasSetMathMode(cublas, wanted));
  cublas_math = wanted;
  return cublas;
}

const Cusolver& State::cusolver_handle() {
  if (cusolver.handle == nullptr) {
    cusolverDnHandle_t handle = nullptr;
    CUDAMAT_CUDA(create_handle(*this, [&] { return cusolverDnCreate(&handle); }));
    cusolverDnParams_t params = nullptr;
    cusolverStatus_t status = cusolverDnSetStream(handle, stream);
    if (status == CUSOLVER_STATUS_SUCCESS) status = cusolverDnCreateParams(&params);
    if (status != CUSOLVER_STATUS_SUCCESS) (void)cusolverDnDestroy(handle);
    CUDAMAT_CUDA(status);
    cusolver = {handle, params};
  }
  return cusolver;
}

bool note_end_of_program() {
  (void)std::atexit([] { program_ends = true; });
  return true;
}

State* state_if_any() noexcept {
  return thread_scope != nullptr ? thread_scope.get() : thread_default;
}

State& known_state() {
  return thread_scope != nullptr ? *thread_scope : default_state();
}

State& state() {
  State& current = known_state();
  // Others in the thread may have made another device current. To ask takes a fraction of what it
  // takes to set it, and every statement does.
  int device = -1;
  if (cudaGetDevice(&device) != cudaSuccess || device != current.device)
    CUDAMAT_CUDA(cudaSetDevice(current.device));
  return current;
}

// ---- devices ----

int device_count() noexcept try {
  return find_devices().devices;
} catch (...) {  // no memory for the text
  return 0;
}

std::string describe_device() {
  const Found found = find_devices();
  if (found.devices == 0) return "no usable GPU: " + found.why_none;
  cudaDeviceProp properties{};
  CUDAMAT_CUDA(cudaGetDeviceProperties(&properties, current_device()));
  return fmt::format("{}, compute capability {}.{}, {:.1f} GiB, {}", properties.name,
                     properties.major, properties.minor,
                     static_cast<double>(properties.totalGlobalMem) / (1 << 30), driver());
}

namespace {
int attribute(cudaDeviceAttr which) {
  int value = 0;
  CUDAMAT_CUDA(cudaDeviceGetAttribute(&value, which, current_device()));
  return value;
}
}  // namespace

int multiprocessors() {
  return attribute(cudaDevAttrMultiProcessorCount);
}
int clock_rate() {
  return attribute(cudaDevAttrClockRate);
}

void require_device() {
  const Found found = find_devices();
  if (found.devices == 0)
    misuse(
        "cuda",
        "no usable GPU: {}. On the CPU, npmat has the same interface (npmat::CUDAMatrix<float>), "
        "and GNUMPY_USE_GPU=no chooses it for programs that let the environment choose",
        found.why_none);
}

void cuda_set_device(int device) {
  require_device();
  const int count = device_count();
  if (device < 0 || device >= count)
    misuse("cuda_set_device", "there is no device {}; devices are numbered 0 to {}", device,
           count - 1);
  if (thread_scope != nullptr)
    misuse("cuda_set_device", "the thread is in a Context of its own, which has a device");
  if (capability(device) < kOldestCapability)
    misuse("cuda_set_device", "device {} has compute capability {}.{}, and 7.5 or later is needed",
           device, capability(device) / 10, capability(device) % 10);
  if (device == thread_device) return;
  thread_device = device;
  thread_default = nullptr;
}

int current_device() {
  return thread_scope != nullptr ? thread_scope->device : thread_device;
}

bool in_default_context() noexcept {
  return thread_scope == nullptr;
}

void cuda_sync_threads() {
  CUDAMAT_CUDA(cudaStreamSynchronize(state().stream));
}

void cublas_init(int /*max_ones*/) {
  State& current = state();
  const std::lock_guard lock(current.mutex);
  (void)current.cublas_handle();
}

void cublas_shutdown() {
  if (state_if_any() == nullptr) return;  // nothing was started here
  State& current = state();
  const cudaError_t status = cudaStreamSynchronize(current.stream);
  current.release_handles();
  forget_choices();
  (void)cudaMemPoolTrimTo(current.pool, 0);
  (void)cudaGetLastError();
  CUDAMAT_CUDA(status);
}

// ---- contexts ----

Context::Context(int device) {
  require_device();
  if (device < -1 || device >= device_count())
    misuse("Context", "there is no device {}; devices are numbered 0 to {}", device,
           device_count() - 1);
  state_ = std::make_shared<State>(device == -1 ? current_device() : device);
}

Context::~Context() {
  if (state_ != nullptr) (void)cudaStreamSynchronize(state_->stream);
}

Context::Context(Context&&) noexcept = default;

Context& Context::operator=(Context&& other) noexcept {
  std::swap(state_, other.state_);  // its destructor waits
  return *this;
}

cudaError_t order_streams(cudaStream_t first, cudaStream_t then) noexcept {
  cudaEvent_t event = nullptr;
  cudaError_t status = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  if (status != cudaSuccess) return status;
  status = cudaEventRecord(event, first);
  if (status == cudaSuccess) status = cudaStreamWaitEvent(then, event, 0);
  (void)cudaEventDestroy(event);
  return status;
}

void not_recorded(const State& state, const char* what) {
  if (state.recording != nullptr) misuse(what, "cannot be recorded as a part of a graph");
}

Context::Scope::Scope(const Context& context) : Scope(context.state_) {}

Context::Scope::Scope(std::shared_ptr<State> state) noexcept : previous_(std::move(thread_scope)) {
  thread_scope = std::move(state);
}

Context::Scope::~Scope() {
  thread_scope = std::move(previous_);
}

// ---- arithmetic ----

void set_tf32(bool on) {
  if (use_tf32.exchange(on) != on)
    std::fprintf(stderr, "cudamat: float32 products %s\n",
                 on ? "round their operands to TF32 (10 bits of mantissa)" : "are IEEE float32");
}

bool tf32() {
  return use_tf32;
}

}  // namespace cudamat::cuda
