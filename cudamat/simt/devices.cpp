// Devices and errors.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "cudamat/simt/runtime.hpp"
#include "cudamat/simt/simt.hpp"

namespace simt {
namespace {

std::atomic<int> device_count = 2;
std::atomic<int> driver_version = CUDART_VERSION;
std::atomic<int> capability = 90;
std::atomic<bool> memory_pools = true;
thread_local int thread_device = 0;
thread_local cudaError_t last_error = cudaSuccess;

constexpr std::size_t kSharedLimit = std::size_t{48} << 10;

struct Multiprocessors {
  int count = 2;
  int threads = 2048;  ///< of each
};

const Multiprocessors& multiprocessors() {
  static const Multiprocessors the_multiprocessors = [] {
    Multiprocessors made;
    const char* const value = std::getenv("SIMT_MULTIPROCESSORS");
    if (value == nullptr) return made;
    char end = '\0';
    if (std::sscanf(value, "%dx%d%c", &made.count, &made.threads, &end) != 2 || made.count < 1 ||
        made.threads < 1)
      fail("SIMT_MULTIPROCESSORS=%s: it takes COUNTxTHREADS, as 2x2048", value);
    return made;
  }();
  return the_multiprocessors;
}

}  // namespace

cudaError_t missing_device() {
  if (driver_version < CUDART_VERSION) return cudaErrorInsufficientDriver;
  return device_count == 0 ? cudaErrorNoDevice : cudaSuccess;
}

void set_devices(int count) {
  device_count = count;
}
void set_driver_version(int version) {
  driver_version = version;
}
void set_compute_capability(int major, int minor) {
  capability = 10 * major + minor;
}
void set_memory_pools(bool supported) {
  memory_pools = supported;
}

cudaError_t report(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

int current_device() {
  return thread_device;
}
int device_total() {
  return device_count;
}

}  // namespace simt

// ---- devices ----

using simt::begin;
using simt::report;

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 0;
  if (const cudaError_t error = begin("cudaGetDeviceCount")) return report(error);
  *count = simt::device_total();
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  if (const cudaError_t error = begin("cudaSetDevice")) return report(error);
  if (device < 0 || device >= simt::device_total()) return report(cudaErrorInvalidDevice);
  simt::thread_device = device;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) {
  if (const cudaError_t error = begin("cudaGetDevice")) return report(error);
  *device = simt::thread_device;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* prop, int device) {
  if (const cudaError_t error = begin("cudaGetDeviceProperties")) return report(error);
  if (device < 0 || device >= simt::device_total()) return report(cudaErrorInvalidDevice);
  *prop = {};
  std::snprintf(prop->name, sizeof prop->name, "SIMT on the CPU");
  std::size_t free = 0;
  simt::memory_info(device, &free, &prop->totalGlobalMem);
  prop->sharedMemPerBlock = simt::kSharedLimit;
  prop->warpSize = warpSize;
  prop->maxThreadsPerBlock = 1024;
  prop->major = simt::capability / 10;
  prop->minor = simt::capability % 10;
  prop->multiProcessorCount = simt::multiprocessors().count;
  prop->maxThreadsPerMultiProcessor = simt::multiprocessors().threads;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attr, int device) {
  if (const cudaError_t error = begin("cudaDeviceGetAttribute")) return report(error);
  if (device < 0 || device >= simt::device_total()) return report(cudaErrorInvalidDevice);
  switch (attr) {
    case cudaDevAttrMaxThreadsPerBlock:
      *value = 1024;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      *value = int{simt::kSharedLimit};
      break;
    case cudaDevAttrWarpSize:
      *value = warpSize;
      break;
    case cudaDevAttrClockRate:
      *value = 1000000;
      break;
    case cudaDevAttrMultiProcessorCount:
      *value = simt::multiprocessors().count;
      break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      *value = simt::multiprocessors().threads;
      break;
    case cudaDevAttrComputeCapabilityMajor:
      *value = simt::capability / 10;
      break;
    case cudaDevAttrComputeCapabilityMinor:
      *value = simt::capability % 10;
      break;
    case cudaDevAttrMemoryPoolsSupported:
      *value = simt::memory_pools ? 1 : 0;
      break;
    default:
      return report(cudaErrorInvalidValue);
  }
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version = simt::driver_version;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

// ---- errors ----

namespace {

struct ErrorText {
  cudaError_t error;
  const char* name;
  const char* text;
};
constexpr ErrorText kErrors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInitializationError, "cudaErrorInitializationError", "initialization error"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {cudaErrorInvalidPitchValue, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
    {cudaErrorInvalidDevicePointer, "cudaErrorInvalidDevicePointer", "invalid device pointer"},
    {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection",
     "invalid copy direction for memcpy"},
    {cudaErrorInsufficientDriver, "cudaErrorInsufficientDriver",
     "CUDA driver version is insufficient for CUDA runtime version"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress",
     "an illegal memory access was encountered"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    {cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported",
     "operation not permitted when stream is capturing"},
    {cudaErrorStreamCaptureInvalidated, "cudaErrorStreamCaptureInvalidated",
     "operation failed due to a previous error during capture"},
    {cudaErrorStreamCaptureImplicit, "cudaErrorStreamCaptureImplicit",
     "operation would make the legacy stream depend on a capturing blocking stream"},
    {cudaErrorStreamCaptureWrongThread, "cudaErrorStreamCaptureWrongThread",
     "attempt to terminate a thread-local capture sequence from another thread"},
    {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
};

const ErrorText* find_error(cudaError_t error) {
  const auto* const found = std::ranges::find(kErrors, error, &ErrorText::error);
  return found == std::end(kErrors) ? nullptr : found;
}

}  // namespace

const char* cudaGetErrorName(cudaError_t error) {
  const ErrorText* const found = find_error(error);
  return found == nullptr ? "unrecognized error code" : found->name;
}

const char* cudaGetErrorString(cudaError_t error) {
  const ErrorText* const found = find_error(error);
  return found == nullptr ? "unrecognized error code" : found->text;
}

cudaError_t cudaGetLastError() {
  return std::exchange(simt::last_error, cudaSuccess);
}

cudaError_t cudaPeekAtLastError() {
  return simt::last_error;
}
