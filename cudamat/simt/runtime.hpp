// What the stand-ins for the runtime, cuBLAS, cuSOLVER and cuRAND share. For the execution's own
// files.
#pragma once

#include <cstdint>
#include <cuda_runtime.h>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "cudamat/simt/failure.hpp"
#include "cudamat/simt/ordering.hpp"

/// A stream: work that is queued (lazy), and how far it is done. Guarded by simt::queue_mutex(),
/// but for `running`.
struct CUstream_st {
  int device = 0;
  bool blocking = false;  ///< synchronises with the null stream
  std::deque<std::function<void()>> work;
  std::uint64_t queued = 0;
  std::uint64_t done = 0;
  std::mutex running;              ///< held while its work is done, eagerly
  const void* capturer = nullptr;  ///< set while it is captured
  simt::Timeline timeline;
};

namespace simt {

using Stream = std::shared_ptr<CUstream_st>;

// ---- calls ----

/// At the beginning of every call that can fail: counts it, and returns the fault it is to have, or
/// the error of a missing device.
cudaError_t begin(const char* call, cudaError_t fault = cudaErrorUnknown);
/// Makes an error the thread's last error; returns it.
cudaError_t report(cudaError_t error);

/// cudaSuccess where there is a device.
cudaError_t missing_device();
int current_device();
int device_total();

/// Handles of one kind that were made and not destroyed, for leaks() and to detect others.
class Handles {
 public:
  explicit Handles(const char* what) : what_(what) {}
  void add(const void* handle);
  bool remove(const void* handle);  ///< false if it is none of these
  bool has(const void* handle);
  void list(std::vector<std::string>& lines);

 private:
  const char* what_;
  std::mutex mutex_;
  std::set<const void*> live_;
};
Handles& events();
Handles& cublas_handles();
Handles& cusolver_handles();
Handles& cusolver_params();
Handles& generators();
Handles& graphs();  ///< and those that can be launched

// ---- streams ----

/// The stream of a handle (nullptr: the current device's null stream); nullptr if it is none.
Stream find_stream(cudaStream_t handle);
std::size_t live_streams();
/// Does the work, now or when somebody waits for it; fails if what it uses is not its to use yet
/// (ordering.hpp). `name` is for messages, and must last.
void submit(const Stream& stream, const char* name, const std::vector<Use>& uses,
            std::function<void()> work);
/// The parts of that: the check, with the number of the work, and the rest.
std::uint64_t order(const Stream& stream, const char* name, const std::vector<Use>& uses);
void submit(const Stream& stream, const char* name, std::function<void()> work);
/// The devices' clock, which events read: what a work says that it takes, and a microsecond for
/// each event. Not the host's, so that what is chosen by time is the same in every run.
std::int64_t spend(std::int64_t nanoseconds);
/// Does what the stream's queue holds, up to a number of works since its beginning.
void finish(const Stream& stream, std::uint64_t up_to);
void finish(const Stream& stream);
/// Of one device; -1: of all.
void finish_device(int device);
/// The same, as waits of the host: what it does next comes after all that.
void host_waits_for(const Stream& stream);
void host_waits_for_device(int device);
/// For the streams that synchronise with the null stream.
void host_waits_for_blocking(int device);

// ---- captures (graphs.cpp) ----

/// A work, as it is submitted to a stream: for a graph at each of its launches.
using Node = std::function<void(const Stream&)>;
/// Whether the calling thread captures the stream: the node is the graph's then.
bool capture(const Stream& stream, const Node& node);
/// The errors, if the calling thread captures, of a call of this name; of a wait for the stream; of
/// work on it, which may read or write pageable memory of the host. They end the capture.
cudaError_t forbidden_in_capture(const char* call);
cudaError_t wait_in_capture(const Stream& stream);
/// Of an allocation or a free on another stream: allowed where cudaThreadExchangeStreamCaptureMode
/// made the thread's mode relaxed.
cudaError_t unsafe_in_capture();
cudaError_t work_in_capture(const Stream& stream, bool pageable = false);

// ---- memory ----

void memory_info(int device, std::size_t* free, std::size_t* total);
/// What is left of freed memory goes back to the device, beyond the pool's release threshold.
void trim_at_synchronisation(int device);
/// Device memory for the libraries' results: checked like the target of a copy.
void check_device_range(const void* data, std::size_t bytes, const char* verb);

}  // namespace simt
