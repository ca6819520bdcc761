// Streams, events and launches.
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string_view>
#include <thread>
#include <utility>

#include "cudamat/simt/execute.hpp"
#include "cudamat/simt/memory.hpp"
#include "cudamat/simt/runtime.hpp"
#include "cudamat/simt/simt.hpp"

struct CUevent_st {
  int device = 0;
  bool timed = true;
  std::mutex mutex;
  bool recorded = false;
  simt::Stream stream;                 ///< of the last record
  std::uint64_t position = 0;          ///< works of that stream that come before it
  simt::Clock clock;                   ///< what is done once it is
  std::shared_ptr<std::int64_t> when;  ///< nanoseconds of the devices' clock
};

namespace simt {
namespace {

struct Queues {
  std::recursive_mutex mutex;  ///< held while lazy work is done
  std::map<cudaStream_t, Stream> streams;
  std::map<int, Stream> null_streams;  ///< by device
  /// Per-thread default streams, which are among `streams`, too.
  std::map<std::pair<int, std::thread::id>, Stream> of_threads;
  std::map<int, Clock> destroyed;  ///< what was queued on streams that are gone, by device
  std::atomic<Streams> mode = Streams::kEager;
};

Queues& queues() {
  static auto* const the_queues = [] {
    auto* const made = new Queues;
    const char* const value = std::getenv("SIMT_STREAMS");
    const std::string_view text = value == nullptr ? "eager" : value;
    if (text != "eager" && text != "lazy") fail("SIMT_STREAMS=%s: it takes eager or lazy", value);
    if (text == "lazy") made->mode = Streams::kLazy;
    return made;
  }();
  return *the_queues;
}

std::atomic<std::int64_t> launch_count = 0;
std::atomic<std::int64_t> spent = 0;  ///< nanoseconds

}  // namespace

std::int64_t spend(std::int64_t nanoseconds) {
  return spent += nanoseconds;
}

void set_streams(Streams streams) {
  host_waits_for_device(-1);
  queues().mode = streams;
}

Streams streams() {
  return queues().mode;
}

std::int64_t launches() {
  return launch_count;
}

Stream find_stream(cudaStream_t handle) {
  Queues& all = queues();
  const std::lock_guard lock(all.mutex);
  if (handle == cudaStreamPerThread) {
    Stream& stream = all.of_threads[{current_device(), std::this_thread::get_id()}];
    if (stream == nullptr) {
      stream = std::make_shared<CUstream_st>();
      stream->device = current_device();
      stream->blocking = true;
      all.streams.emplace(stream.get(), stream);
    }
    return stream;
  }
  if (handle == nullptr || handle == cudaStreamLegacy) {
    Stream& stream = all.null_streams[current_device()];
    if (stream == nullptr) {
      stream = std::make_shared<CUstream_st>();
      stream->device = current_device();
    }
    return stream;
  }
  const auto found = all.streams.find(handle);
  return found == all.streams.end() ? nullptr : found->second;
}

std::size_t live_streams() {
  const std::lock_guard lock(queues().mutex);
  return queues().streams.size() - queues().of_threads.size();
}

namespace {

bool is_null_stream(const Stream& stream) {
  const auto found = queues().null_streams.find(stream->device);
  return found != queues().null_streams.end() && found->second == stream;
}

/// What the null stream and the blocking ones wait for before they go on.
void finish_before(const Stream& stream) {
  if (is_null_stream(stream)) {
    for (const auto& [handle, other] : std::map(queues().streams))
      if (other->blocking && other->device == stream->device) finish(other);
  } else if (stream->blocking) {
    const auto found = queues().null_streams.find(stream->device);
    if (found != queues().null_streams.end()) finish(found->second);
  }
}

}  // namespace

namespace {

/// Before work of the stream: what the null stream and the blocking ones wait for.
void order_before(const Stream& stream) {
  const std::lock_guard lock(queues().mutex);
  if (is_null_stream(stream)) {
    for (const auto& [handle, other] : queues().streams)
      if (other->blocking && other->device == stream->device)
        order_stream(stream->timeline, clock_of(other->timeline));
  } else if (stream->blocking) {
    const auto found = queues().null_streams.find(stream->device);
    if (found != queues().null_streams.end())
      order_stream(stream->timeline, clock_of(found->second->timeline));
  }
}

}  // namespace

std::uint64_t order(const Stream& stream, const char* name, const std::vector<Use>& uses) {
  order_before(stream);
  return order_work(stream->timeline, name, uses);
}

void submit(const Stream& stream, const char* name, const std::vector<Use>& uses,
            std::function<void()> work) {
  const auto again = [=](const Stream& on) { submit(on, name, uses, work); };
  if (capture(stream, again)) return;
  order(stream, name, uses);
  submit(stream, name, std::move(work));
}

void submit(const Stream& stream, const char* name, std::function<void()> work) {
  const auto run = [name, work = std::move(work)] {
    const Doing doing(name);
    const DeviceAccess access;
    work();
  };
  if (queues().mode == Streams::kEager) {
    const std::lock_guard lock(stream->running);
    run();
    return;
  }
  const std::lock_guard lock(queues().mutex);
  finish_before(stream);
  stream->work.push_back(run);
  ++stream->queued;
}

void finish(const Stream& stream, std::uint64_t up_to) {
  const std::lock_guard lock(queues().mutex);
  while (stream->done < up_to) {
    const std::function<void()> work = std::move(stream->work.front());
    stream->work.pop_front();
    ++stream->done;
    work();
  }
}

void finish(const Stream& stream) {
  const std::lock_guard lock(queues().mutex);
  finish(stream, stream->queued);
}

void finish_device(int device) {
  const std::lock_guard lock(queues().mutex);
  for (const auto& [handle, stream] : std::map(queues().streams))
    if (device == -1 || stream->device == device) finish(stream);
  for (const auto& [number, stream] : std::map(queues().null_streams))
    if (device == -1 || number == device) finish(stream);
}

void host_waits_for_device(int device) {
  finish_device(device);
  const std::lock_guard lock(queues().mutex);
  for (const auto& [handle, stream] : queues().streams)
    if (device == -1 || stream->device == device) order_host(clock_of(stream->timeline));
  for (const auto& [number, stream] : queues().null_streams)
    if (device == -1 || number == device) order_host(clock_of(stream->timeline));
  for (const auto& [number, clock] : queues().destroyed)
    if (device == -1 || number == device) order_host(clock);
}

void host_waits_for(const Stream& stream) {
  finish(stream);
  order_host(clock_of(stream->timeline));
}

void host_waits_for_blocking(int device) {
  const std::lock_guard lock(queues().mutex);
  for (const auto& [handle, stream] : std::map(queues().streams))
    if (stream->blocking && stream->device == device) host_waits_for(stream);
}

// ---- launches ----

namespace {

constexpr unsigned kMostX = 0x7fffffff;
constexpr unsigned kMostYZ = 65535;
constexpr std::size_t kMostThreads = 1024;
constexpr std::size_t kMostShared = std::size_t{48} << 10;

bool valid(const cudaLaunchConfig_t& config) {
  const dim3& blocks = config.gridDim;
  const dim3& threads = config.blockDim;
  if (blocks.x == 0 || blocks.y == 0 || blocks.z == 0) return false;
  if (blocks.x > kMostX || blocks.y > kMostYZ || blocks.z > kMostYZ) return false;
  if (threads.x == 0 || threads.y == 0 || threads.z == 0) return false;
  if (threads.x > kMostThreads || threads.y > kMostThreads || threads.z > 64) return false;
  return std::size_t{threads.x} * threads.y * threads.z <= kMostThreads &&
         config.dynamicSmemBytes <= kMostShared;
}

}  // namespace

namespace {

/// The pointers among the kernel's arguments, and those inside of its other arguments.
std::vector<Use> uses_of(const Kernel& kernel) {
  std::vector<Use> uses;
  for (const Argument& argument : kernel.arguments()) {
    if (argument.is_pointer) {
      const auto* const pointer = *static_cast<const void* const*>(argument.data);
      uses.push_back({pointer, argument.is_const ? Access::kRead : Access::kWrite});
      continue;
    }
    for (std::size_t at = 0; at + sizeof(void*) <= argument.bytes; at += alignof(void*)) {
      const void* word = nullptr;
      std::memcpy(&word, static_cast<const std::byte*>(argument.data) + at, sizeof word);
      uses.push_back({word, Access::kUnsure});
    }
  }
  return uses;
}

}  // namespace

cudaError_t launch(const cudaLaunchConfig_t& config, std::shared_ptr<const Kernel> kernel) {
  if (const cudaError_t error = begin("cudaLaunchKernelEx")) return report(error);
  const Stream stream = find_stream(config.stream);
  if (stream == nullptr || stream->device != current_device())
    return report(cudaErrorInvalidResourceHandle);
  if (!valid(config) || config.numAttrs != 0) return report(cudaErrorInvalidConfiguration);
  const Launch what{launch_name(), config.gridDim, config.blockDim, config.dynamicSmemBytes};
  const std::vector<Use> uses = uses_of(*kernel);
  {
    const Doing doing(what.name);
    for (const Use& use : uses)
      if (use.access != Access::kUnsure) check_kernel_pointer(use.pointer);
  }
  if (const cudaError_t error = work_in_capture(stream)) return report(error);
  const Node node = [what, uses, kernel = std::move(kernel)](const Stream& on) {
    const std::uint64_t position = order(on, what.name, uses);
    submit(on, what.name, [what, uses, position, on, kernel] {
      const Writes writes(on->timeline, position, what.name, uses);
      watch_faults();
      execute(what, *kernel);
      check_canaries(false);
      ++launch_count;
    });
  };
  if (!capture(stream, node)) node(stream);
  return cudaSuccess;
}

}  // namespace simt

// ---- the runtime's calls ----

using simt::begin;
using simt::report;

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  if (const cudaError_t error = begin("cudaStreamCreateWithFlags")) return report(error);
  if (flags != cudaStreamDefault && flags != cudaStreamNonBlocking)
    return report(cudaErrorInvalidValue);
  const auto made = std::make_shared<CUstream_st>();
  made->device = simt::current_device();
  made->blocking = flags == cudaStreamDefault;
  const std::lock_guard lock(simt::queues().mutex);
  simt::queues().streams.emplace(made.get(), made);
  *stream = made.get();
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const cudaError_t error = begin("cudaStreamDestroy");
  const simt::Stream found = stream == nullptr ? nullptr : simt::find_stream(stream);
  if (found == nullptr) return report(cudaErrorInvalidResourceHandle);
  simt::finish(found);
  const std::lock_guard lock(simt::queues().mutex);
  simt::queues().streams.erase(stream);
  simt::Clock& destroyed = simt::queues().destroyed[found->device];
  destroyed.resize(std::max<std::size_t>(destroyed.size(), found->timeline.number + 1));
  destroyed[found->timeline.number] = found->timeline.works;
  return report(error);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (const cudaError_t error = begin("cudaStreamSynchronize")) return report(error);
  const simt::Stream found = simt::find_stream(stream);
  if (found == nullptr) return report(cudaErrorInvalidResourceHandle);
  if (const cudaError_t error = simt::wait_in_capture(found)) return report(error);
  if (stream == nullptr) simt::host_waits_for_blocking(found->device);
  simt::host_waits_for(found);
  simt::trim_at_synchronisation(found->device);
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  if (const cudaError_t error = begin("cudaDeviceSynchronize")) return report(error);
  simt::host_waits_for_device(simt::current_device());
  simt::trim_at_synchronisation(simt::current_device());
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  if (const cudaError_t error = begin("cudaEventCreateWithFlags")) return report(error);
  if ((flags & ~unsigned{cudaEventBlockingSync | cudaEventDisableTiming}) != 0)
    return report(cudaErrorInvalidValue);
  auto made = std::make_unique<CUevent_st>();
  made->device = simt::current_device();
  made->timed = (flags & cudaEventDisableTiming) == 0;
  simt::events().add(made.get());
  *event = made.release();
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (const cudaError_t error = begin("cudaEventRecord")) return report(error);
  const simt::Stream found = simt::find_stream(stream);
  if (found == nullptr || !simt::events().has(event) || event->device != found->device)
    return report(cudaErrorInvalidResourceHandle);
  if (const cudaError_t error = simt::wait_in_capture(found)) return report(error);
  const auto when = std::make_shared<std::int64_t>();
  simt::submit(found, "cudaEventRecord", {}, [when] { *when = simt::spend(1000); });
  const std::lock_guard queue_lock(simt::queues().mutex);
  const std::lock_guard lock(event->mutex);
  event->recorded = true;
  event->stream = found;
  event->position = found->queued;
  event->clock = simt::clock_of(found->timeline);
  event->when = when;
  return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  if (const cudaError_t error = begin("cudaEventQuery")) return report(error);
  if (!simt::events().has(event)) return report(cudaErrorInvalidResourceHandle);
  const std::lock_guard queue_lock(simt::queues().mutex);
  const std::lock_guard lock(event->mutex);
  if (!event->recorded) return cudaSuccess;
  if (event->stream->done < event->position) return report(cudaErrorNotReady);
  simt::order_host(event->clock);
  return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (const cudaError_t error = begin("cudaEventSynchronize")) return report(error);
  if (!simt::events().has(event)) return report(cudaErrorInvalidResourceHandle);
  simt::Stream stream;
  std::uint64_t position = 0;
  simt::Clock clock;
  {
    const std::lock_guard lock(event->mutex);
    if (!event->recorded) return cudaSuccess;
    stream = event->stream;
    position = event->position;
    clock = event->clock;
  }
  simt::finish(stream, position);
  simt::order_host(clock);
  return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  if (const cudaError_t error = begin("cudaStreamWaitEvent")) return report(error);
  const simt::Stream found = simt::find_stream(stream);
  if (found == nullptr || !simt::events().has(event)) return report(cudaErrorInvalidResourceHandle);
  if (flags != 0) return report(cudaErrorInvalidValue);
  if (const cudaError_t error = simt::wait_in_capture(found)) return report(error);
  simt::Stream other;
  std::uint64_t position = 0;
  {
    const std::lock_guard lock(event->mutex);
    if (!event->recorded) return cudaSuccess;
    other = event->stream;
    position = event->position;
    simt::order_stream(found->timeline, event->clock);
  }
  if (other != found)
    simt::submit(found, "cudaStreamWaitEvent", {},
                 [other, position] { simt::finish(other, position); });
  return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  if (const cudaError_t error = begin("cudaEventElapsedTime")) return report(error);
  if (!simt::events().has(start) || !simt::events().has(end) || !start->timed || !end->timed ||
      !start->recorded || !end->recorded)
    return report(cudaErrorInvalidResourceHandle);
  for (const cudaEvent_t event : {start, end})
    if (event->stream->done < event->position) return report(cudaErrorNotReady);
  *milliseconds = static_cast<float>(*end->when - *start->when) * 1e-6f;
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const cudaError_t error = begin("cudaEventDestroy");
  if (event == nullptr || !simt::events().remove(event))
    return report(cudaErrorInvalidResourceHandle);
  delete event;
  return report(error);
}
