// One block at a time: its threads take turns, changing where they wait.
//
// A fiber runs threads of the block one after another until one of them waits; that thread keeps
// the fiber, and another fiber takes over. So a kernel without barriers needs one fiber.
#include "tests/simt/execute.hpp"

#include <exception>
#include <memory>
#include <numeric>
#include <string_view>
#include <vector>

#include "tests/simt/failure.hpp"
#include "tests/simt/fiber.hpp"
#include "tests/simt/order.hpp"

constinit thread_local uint3 threadIdx{0, 0, 0};
constinit thread_local uint3 blockIdx{0, 0, 0};
constinit thread_local dim3 blockDim;
constinit thread_local dim3 gridDim;

namespace simt {
namespace {

constexpr int kLanes = 32;

const char* name_of(WarpOp op) {
  switch (op) {
    case WarpOp::kSync:
      return "__syncwarp";
    case WarpOp::kShfl:
      return "__shfl_sync";
    case WarpOp::kShflUp:
      return "__shfl_up_sync";
    case WarpOp::kShflDown:
      return "__shfl_down_sync";
    case WarpOp::kShflXor:
      return "__shfl_xor_sync";
    case WarpOp::kBallot:
      return "__ballot_sync";
    case WarpOp::kAny:
      return "__any_sync";
    default:
      return "__all_sync";
  }
}

bool same(const Place& a, const Place& b) {
  return a.line() == b.line() && a.column() == b.column() &&
         (a.file_name() == b.file_name() || std::string_view(a.file_name()) == b.file_name());
}

/// What a lane brings to a warp intrinsic, and takes away.
struct WarpPart {
  WarpOp op = WarpOp::kSync;
  unsigned mask = 0;
  int operand = 0;
  int width = 0;
  std::uint64_t value = 0;
  Place place;
};

struct Thread {
  uint3 index{0, 0, 0};
  int number = 0;          ///< in the block
  Fiber* fiber = nullptr;  ///< once it has started
  WarpPart part;
};

/// The lanes of a warp by what they are at, as masks.
struct Warp {
  unsigned lanes = 0;       ///< that exist
  unsigned left = 0;        ///< have left the kernel
  unsigned waiting = 0;     ///< wait in an intrinsic
  unsigned expected = 0;    ///< are named by the masks of those
  unsigned at_barrier = 0;  ///< wait at __syncthreads
};

class Executor {
 public:
  void run(const Launch& launch, const Kernel& kernel);

  void barrier(const Place& place);
  std::uint64_t warp_call(const WarpPart& part);

  Thread* current = nullptr;  ///< the thread that runs
  SharedMemory shared;
  std::vector<std::unique_ptr<Fiber>> fibers;

 private:
  static void work(Fiber& self);
  void prepare(const Launch& launch);
  void run_block();
  void run_threads(Fiber& self);
  void call_kernel(Thread& thread);
  void leave(Thread& thread);
  void wait(Thread& thread);
  Thread* take();
  Fiber& idle_fiber();
  void release_block();
  void release_lanes(int first, unsigned mask);
  void check_part(const Thread& thread, const Warp& warp, const WarpPart& part) const;
  void complete(int first, unsigned mask);
  int source_of(int lane, const WarpPart& part) const;
  Warp& warp_of(const Thread& thread) { return warps_[std::size_t(thread.number / kLanes)]; }
  Thread& lane(int first, int lane) { return threads_[std::size_t(first + lane)]; }

  const Kernel* kernel_ = nullptr;
  std::unique_ptr<Orderer> orderer_;
  std::vector<Thread> threads_;
  std::vector<Warp> warps_;
  std::vector<Warp> fresh_warps_;
  std::vector<Thread*> ascending_;
  std::vector<Thread*> order_;
  std::vector<Thread*> queue_;  ///< of threads that can run, from next_ on
  std::size_t next_ = 0;
  std::size_t left_ = 0;        ///< threads that have left the kernel
  std::size_t at_barrier_ = 0;  ///< threads that wait at __syncthreads
  Place barrier_;
  Fiber main_;
  std::vector<Fiber*> idle_;
};

thread_local Executor* executor = nullptr;

Executor& this_executor() {
  thread_local Executor the_executor;
  executor = &the_executor;
  return the_executor;
}

// ---- threads and fibers ----

Thread* Executor::take() {
  return next_ == queue_.size() ? nullptr : queue_[next_++];
}

Fiber& Executor::idle_fiber() {
  if (idle_.empty()) {
    fibers.push_back(std::make_unique<Fiber>(&Executor::work));
    return *fibers.back();
  }
  Fiber& fiber = *idle_.back();
  idle_.pop_back();
  return fiber;
}

void Executor::work(Fiber& self) {
  executor->run_threads(self);
}

/// Starts threads, for ever; a fiber that has nothing to start is idle. `current` is the thread to
/// start whenever it is entered.
void Executor::run_threads(Fiber& self) {
  for (;;) {
    Thread& thread = *current;
    thread.fiber = &self;
    call_kernel(thread);
    leave(thread);
    Thread* const next = take();
    current = next;
    if (next != nullptr && next->fiber == nullptr) continue;
    idle_.push_back(&self);
    Fiber::jump(self, next == nullptr ? main_ : *next->fiber);
  }
}

void Executor::call_kernel(Thread& thread) {
  threadIdx = thread.index;
  try {
    kernel_->run_thread();
  } catch (const std::exception& e) {
    fail("an exception leaves the kernel: %s", e.what());
  } catch (...) {
    fail("an exception leaves the kernel");
  }
}

/// The thread waits: others run until somebody has put it into the queue and its turn comes.
void Executor::wait(Thread& thread) {
  Thread* const next = take();
  if (next == &thread) return;
  current = next;
  Fiber::jump(*thread.fiber, next == nullptr          ? main_
                             : next->fiber == nullptr ? idle_fiber()
                                                      : *next->fiber);
  current = &thread;
  threadIdx = thread.index;
}

void Executor::leave(Thread& thread) {
  Warp& warp = warp_of(thread);
  const unsigned bit = 1u << (thread.number % kLanes);
  warp.left |= bit;
  ++left_;
  if ((warp.expected & bit) != 0) {
    const int first = thread.number / kLanes * kLanes;
    const Thread& waiting = lane(first, __builtin_ctz(warp.waiting));
    fail("the thread leaves the kernel while lane %d waits for it in %s (%s:%u)",
         waiting.number % kLanes, name_of(waiting.part.op), waiting.part.place.file_name(),
         waiting.part.place.line());
  }
  if (at_barrier_ != 0)
    fail("the thread leaves the kernel while others wait for it at __syncthreads (%s:%u)",
         barrier_.file_name(), barrier_.line());
}

// ---- __syncthreads ----

void Executor::barrier(const Place& place) {
  Thread& thread = *current;
  Warp& warp = warp_of(thread);
  const unsigned bit = 1u << (thread.number % kLanes);
  if (left_ != 0)
    fail("__syncthreads (%s:%u) after %zu threads of the block have left the kernel",
         place.file_name(), place.line(), left_);
  if ((warp.expected & bit) != 0)
    fail("__syncthreads (%s:%u) while lanes of the warp wait for the thread in an intrinsic",
         place.file_name(), place.line());
  if (at_barrier_ == 0)
    barrier_ = place;
  else if (!same(barrier_, place))
    fail("__syncthreads (%s:%u) while others wait at another one (%s:%u)", place.file_name(),
         place.line(), barrier_.file_name(), barrier_.line());
  warp.at_barrier |= bit;
  if (++at_barrier_ == threads_.size()) release_block();
  wait(thread);
}

void Executor::release_block() {
  at_barrier_ = 0;
  for (Warp& warp : warps_) warp.at_barrier = 0;
  if (orderer_->shuffles()) orderer_->put(std::span(order_));
  queue_.assign(order_.begin(), order_.end());
  next_ = 0;
}

// ---- warp intrinsics ----

void Executor::check_part(const Thread& thread, const Warp& warp, const WarpPart& part) const {
  const int self = thread.number % kLanes;
  const auto refuse = [&](const char* what, unsigned lanes) {
    fail("%s (%s:%u) with mask %#x: lane %d %s", name_of(part.op), part.place.file_name(),
         part.place.line(), part.mask, __builtin_ctz(lanes), what);
  };
  if ((part.mask >> self & 1) == 0) refuse("calls it, but is not in the mask", 1u << self);
  if ((part.mask & ~warp.lanes) != 0) refuse("does not exist", part.mask & ~warp.lanes);
  if ((part.mask & warp.left) != 0) refuse("has left the kernel", part.mask & warp.left);
  if ((part.mask & warp.at_barrier) != 0)
    refuse("waits at __syncthreads", part.mask & warp.at_barrier);
  if (part.width <= 0 || part.width > kLanes || (part.width & (part.width - 1)) != 0)
    fail("%s (%s:%u): the width %d is not a power of two up to 32", name_of(part.op),
         part.place.file_name(), part.place.line(), part.width);
  const unsigned together = part.mask & warp.waiting;
  const bool named_elsewhere = (warp.expected >> self & 1) != 0 && together == 0;
  if (together == 0 && !named_elsewhere && (part.mask & warp.expected) == 0) return;
  const int other_lane = __builtin_ctz(together != 0 ? together : warp.waiting);
  const WarpPart& other = threads_[std::size_t(thread.number - self + other_lane)].part;
  if (together == 0 || other.op != part.op || other.mask != part.mask ||
      !same(other.place, part.place))
    fail("%s (%s:%u) with mask %#x while lane %d waits in %s (%s:%u) with mask %#x",
         name_of(part.op), part.place.file_name(), part.place.line(), part.mask, other_lane,
         name_of(other.op), other.place.file_name(), other.place.line(), other.mask);
}

std::uint64_t Executor::warp_call(const WarpPart& part) {
  Thread& thread = *current;
  Warp& warp = warp_of(thread);
  check_part(thread, warp, part);
  thread.part = part;
  warp.waiting |= 1u << (thread.number % kLanes);
  warp.expected |= part.mask;
  if ((warp.waiting & part.mask) == part.mask) {
    warp.waiting &= ~part.mask;
    warp.expected &= ~part.mask;
    const int first = thread.number / kLanes * kLanes;
    complete(first, part.mask);
    release_lanes(first, part.mask);
  }
  wait(thread);
  return thread.part.value;
}

void Executor::release_lanes(int first, unsigned mask) {
  Thread* lanes[kLanes];
  std::size_t n = 0;
  for (unsigned rest = mask; rest != 0; rest &= rest - 1)
    lanes[n++] = &lane(first, __builtin_ctz(rest));
  orderer_->put(std::span(lanes, n));
  queue_.insert(queue_.end(), lanes, lanes + n);
}

/// The lane whose value this one gets, as in the CUDA C++ Programming Guide, "Warp Shuffle
/// Functions": its own where the source lies outside of the segment of `width` lanes.
int Executor::source_of(int lane, const WarpPart& part) const {
  const int segment = lane / part.width * part.width;
  switch (part.op) {
    case WarpOp::kShfl:
      return segment + (part.operand & (part.width - 1));
    case WarpOp::kShflUp:
      return lane - part.operand < segment ? lane : lane - part.operand;
    case WarpOp::kShflDown:
      return lane + part.operand >= segment + part.width ? lane : lane + part.operand;
    default: {
      const int source = lane ^ part.operand;
      return source >= segment + part.width ? lane : source;
    }
  }
}

/// The results of an intrinsic that all lanes of the mask have reached.
void Executor::complete(int first, unsigned mask) {
  const WarpOp op = lane(first, __builtin_ctz(mask)).part.op;
  if (op == WarpOp::kSync) return;
  std::uint64_t values[kLanes];
  unsigned votes = 0;
  for (unsigned rest = mask; rest != 0; rest &= rest - 1) {
    const int i = __builtin_ctz(rest);
    values[i] = lane(first, i).part.value;
    votes |= unsigned{values[i] != 0} << i;
  }
  for (unsigned rest = mask; rest != 0; rest &= rest - 1) {
    const int i = __builtin_ctz(rest);
    WarpPart& part = lane(first, i).part;
    if (op == WarpOp::kBallot) {
      part.value = votes;
    } else if (op == WarpOp::kAny) {
      part.value = votes != 0;
    } else if (op == WarpOp::kAll) {
      part.value = votes == mask;
    } else {
      const int source = source_of(i, part);
      if (source < 0 || (source < kLanes && (mask >> source & 1) == 0))
        fail(
            "%s (%s:%u) with mask %#x: lane %d takes the value of lane %d, which is not in the "
            "mask",
            name_of(op), part.place.file_name(), part.place.line(), mask, i, source);
      part.value = values[source];
    }
  }
}

// ---- blocks ----

void Executor::prepare(const Launch& launch) {
  const std::size_t n = std::size_t{launch.threads.x} * launch.threads.y * launch.threads.z;
  threads_.resize(n);
  ascending_.resize(n);
  fresh_warps_.assign((n + kLanes - 1) / kLanes, Warp{});
  for (std::size_t i = 0; i < n; ++i) {
    const auto at = static_cast<unsigned>(i);
    threads_[i].number = static_cast<int>(i);
    threads_[i].index = {at % launch.threads.x, at / launch.threads.x % launch.threads.y,
                         at / launch.threads.x / launch.threads.y};
    ascending_[i] = &threads_[i];
    fresh_warps_[i / kLanes].lanes |= 1u << i % kLanes;
  }
  order_ = ascending_;
  orderer_->put(std::span(order_));
}

void Executor::run_block() {
  shared.poison();
  warps_ = fresh_warps_;
  for (Thread& thread : threads_) thread.fiber = nullptr;
  left_ = 0;
  at_barrier_ = 0;
  if (orderer_->shuffles()) orderer_->put(std::span(order_));
  queue_.assign(order_.begin(), order_.end());
  next_ = 0;
  current = take();
  Fiber::jump(main_, idle_fiber());
  current = nullptr;
  if (left_ != threads_.size()) fail("some threads of a block wait for ever");  // all are explained
  shared.check();
}

void Executor::run(const Launch& launch, const Kernel& kernel) {
  kernel_ = &kernel;
  orderer_ = std::make_unique<Orderer>();
  gridDim = launch.blocks;
  blockDim = launch.threads;
  shared.resize(launch.shared_bytes);
  prepare(launch);
  std::vector<std::size_t> blocks(std::size_t{launch.blocks.x} * launch.blocks.y * launch.blocks.z);
  std::iota(blocks.begin(), blocks.end(), std::size_t{0});
  orderer_->put(std::span(blocks));
  for (const std::size_t block : blocks) {
    const std::size_t row = block / launch.blocks.x;
    blockIdx = {static_cast<unsigned>(block % launch.blocks.x),
                static_cast<unsigned>(row % launch.blocks.y),
                static_cast<unsigned>(row / launch.blocks.y)};
    run_block();
  }
}

/// The executor, in a kernel; what else calls an intrinsic is a mistake.
Executor& in_kernel(const char* what) {
  if (executor == nullptr || executor->current == nullptr) fail("%s outside of a kernel", what);
  return *executor;
}

}  // namespace

void execute(const Launch& launch, const Kernel& kernel) {
  watch_faults();
  this_executor().run(launch, kernel);
}

void block_barrier(const Place& place) {
  in_kernel("__syncthreads").barrier(place);
}

std::uint64_t warp_call(WarpOp op, unsigned mask, std::uint64_t value, int operand, int width,
                        const Place& place) {
  return in_kernel(name_of(op)).warp_call({op, mask, operand, width, value, place});
}

void* shared_memory() {
  const SharedMemory& shared = in_kernel("shared_memory").shared;
  if (shared.bytes() == 0) fail("the launch gives the block no shared memory");
  return shared.data();
}

Running running() {
  if (executor == nullptr || executor->current == nullptr) return {};
  return {true, blockIdx, threadIdx};
}

const SharedMemory* running_shared_memory() {
  return executor == nullptr || executor->current == nullptr ? nullptr : &executor->shared;
}

bool is_stack_overflow(const void* address) {
  if (executor == nullptr) return false;
  for (const auto& fiber : executor->fibers)
    if (fiber->overflows_at(address)) return true;
  return false;
}

}  // namespace simt
