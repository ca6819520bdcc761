// The execution of CUDA sources on the CPU, for tests: what they can set and ask.
//
// The headers in cudamat/simt/include replace CUDA's, so that a C++ compiler builds the
// project's .cu, .cuh and .cpp files unchanged. A kernel's threads run one after another, as fibers
// that change at barriers. It is made to find bugs:
//
//   barriers    __syncthreads that some thread of the block does not reach, or reaches elsewhere; a
//               warp intrinsic with a lane that is absent, has left or waits elsewhere, or with a
//               mask that lacks the caller: a failure.
//   order       Threads and blocks run forward, in reverse or shuffled: a missing barrier changes
//               the result.
//   memory      Device, pinned and shared memory starts as NaN, ends at a page without access, and
//               has no access after it is freed. The bytes that page size leaves over are checked
//               after every kernel.
//   streams     Lazy streams run nothing before something waits for it: a missing synchronisation
//               changes the result. In every run, work of one stream that uses memory which work of
//               another one writes, allocates or frees, or that writes what the other reads, must
//               be ordered after it by an event or a wait of the host (ordering.hpp).
//   graphs      A captured stream's works are kept, and done at each launch of the graph. What CUDA
//               forbids during a capture (waits, allocations, pageable copies, the legacy stream)
//               fails and ends it, and so do events and allocations in stream order.
//   errors      Any call can be made to fail; what was not given back is listed.
//
//   few blocks  With few multiprocessors grids are small and every grid-stride loop takes several
//               turns; which did is counted.
//
// A failure is a line on stderr that names the kernel, the block, the thread and the order, then
// abort(). Not found: races between threads that every order hides, accesses that stray into
// another live allocation, and races between threads of the host.
//
// NVRTC is the system's C++ compiler, where SIMT_COMPILER names one, and missing where it does not.
// What it makes calls back into the program, which must export its symbols (ENABLE_EXPORTS), and is
// kept in the folder that SIMT_CACHE names, for other programs; it counts as compiled all the same.
//
// Environment: SIMT_ORDER=forward|reverse|shuffle[:SEED], SIMT_STREAMS=eager|lazy, SIMT_STRICT=0|1,
// SIMT_COMPILER=g++, SIMT_CACHE=FOLDER, SIMT_MULTIPROCESSORS=COUNTxTHREADS (2x2048).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace simt {

// ---- order ----

enum class Order { kForward, kReverse, kShuffle };

/// For launches from now on, of all threads of the host. A shuffle takes a new order for every
/// block and after every barrier, as determined by the seed and the launches before.
void set_order(Order order, std::uint64_t seed = 0);
Order order();
/// "forward", "reverse", "shuffle:17": what SIMT_ORDER takes.
std::string order_text();

// ---- streams ----

enum class Streams { kEager, kLazy };

/// Eager: work is done when it is queued. Lazy: when something waits for it (a synchronisation, an
/// event, a copy to pageable memory, an allocation that needs the memory). Work that is queued at
/// the time of the call is done first.
void set_streams(Streams streams);
Streams streams();

// ---- memory ----

/// Strict: device memory has no access while nothing of the device runs, so that the host cannot
/// touch it. Slow.
void set_strict(bool strict);

/// Of every device; allocations beyond fail. 4 GiB at the start.
void set_memory(std::size_t bytes);

/// What was made and not given back, one line each: "device memory of 400 bytes", "stream",
/// "event", "pinned memory of 64 bytes", "cuBLAS handle" and others. Does queued work.
std::vector<std::string> leaks();

// ---- devices ----

/// 2 at the start, numbered from 0; 0: as where there is no GPU.
void set_devices(int count);
/// As cudaDriverGetVersion counts (13000 at the start); older than 13000: too old, 0: no driver.
void set_driver_version(int version);
/// 9.0 at the start.
void set_compute_capability(int major, int minor);
/// Whether devices have memory pools: true at the start.
void set_memory_pools(bool supported);

// ---- faults ----

/// The n-th call from now on (1: the next), of those that can fail, returns an error and does
/// nothing: cudaErrorMemoryAllocation for allocations, else cudaErrorUnknown, or what the
/// libraries return. Calls that give something back do so nevertheless. Later calls succeed, or
/// fail too if `sticky`. 0: none.
void fail_call(std::int64_t n, bool sticky = false);
/// How many calls that can fail were made so far.
std::int64_t calls();
/// The name of the last call that fail_call() made fail; "" before.
std::string failed_call();

// ---- compilation ----

/// Of programs from now on; "" as where NVRTC is missing. At the start as SIMT_COMPILER says.
void set_compiler(const std::string& command);

// ---- counts ----

/// Kernels run so far.
std::int64_t launches();
/// Programs compiled so far.
std::int64_t compilations();

/// The grid-stride loops of which some thread has taken a second turn so far, "transpose.cu:49".
std::vector<std::string> loops_that_turned();

}  // namespace simt
