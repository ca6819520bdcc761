// One block at a time: its threads take turns, changing where they wait.
//
// A fiber runs threads of the block one after another until one of them waits; that thread keeps
// the fiber, and another fiber takes over. So a kernel without barriers needs one fiber.
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "cudamat/simt/executor.hpp"
#include "cudamat/simt/failure.hpp"
#include "cudamat/simt/simt.hpp"

constinit thread_local uint3 threadIdx{0, 0, 0};
constinit thread_local uint3 blockIdx{0, 0, 0};
constinit thread_local dim3 blockDim;
constinit thread_local dim3 gridDim;

namespace simt {
namespace {

thread_local Executor* executor = nullptr;

/// Of this thread of the host; made at its first launch.
std::unique_ptr<Executor>& this_executor() {
  thread_local std::unique_ptr<Executor> the_executor;
  if (the_executor == nullptr) the_executor = std::make_unique<Executor>();
  executor = the_executor.get();
  return the_executor;
}

}  // namespace

// ---- threads and fibers ----

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
  char text[200] = "";
  try {
    return kernel_->run_thread();
  } catch (const std::exception& e) {
    std::snprintf(text, sizeof text, ": %s", e.what());
  } catch (...) {
  }
  fail("an exception leaves the kernel%s", text);
}

void Executor::leave(Thread& thread) {
  Warp& warp = warp_of(thread);
  const unsigned bit = 1u << (thread.number % kLanes);
  warp.left |= bit;
  ++left_;
  if ((warp.expected & bit) != 0 && warp.waiting != 0) {
    const int first = thread.number / kLanes * kLanes;
    const Thread& waiting = lane(first, __builtin_ctz(warp.waiting));
    wrong("the thread leaves the kernel while lane %d waits for it in %s (%s:%u)",
          waiting.number % kLanes, name_of(waiting.part.op), waiting.part.place.file_name(),
          waiting.part.place.line());
  }
  if (at_barrier_ == 0) return;
  wrong("the thread leaves the kernel while others wait for it at __syncthreads (%s:%u)",
        barrier_.file_name(), barrier_.line());
  if (at_barrier_ + left_ == threads_.size()) release_block();
}

// ---- __syncthreads ----

[[gnu::always_inline]] inline unsigned Executor::barrier(bool vote, const Place& place) {
  Thread& thread = *current;
  Warp& warp = warp_of(thread);
  const unsigned bit = 1u << (thread.number % kLanes);
  if (left_ != 0)
    wrong("__syncthreads (%s:%u) after %zu threads of the block have left the kernel",
          place.file_name(), place.line(), left_);
  if ((warp.expected & bit) != 0)
    wrong("__syncthreads (%s:%u) while lanes of the warp wait for the thread in an intrinsic",
          place.file_name(), place.line());
  if (at_barrier_ == 0)
    barrier_ = place;
  else if (!same(barrier_, place))
    wrong("__syncthreads (%s:%u) while others wait at another one (%s:%u)", place.file_name(),
          place.line(), barrier_.file_name(), barrier_.line());
  warp.at_barrier |= bit;
  votes_ += unsigned{vote};
  if (++at_barrier_ + left_ == threads_.size()) release_block();
  wait(thread);
  return counted_;
}

void Executor::release_block() {
  at_barrier_ = 0;
  counted_ = std::exchange(votes_, 0);
  for (Warp& warp : warps_) warp.at_barrier = 0;
  if (watch_ != nullptr) watch_->order_block();
  if (orderer_->shuffles()) orderer_->put(std::span(order_));
  queue_.assign(order_.begin(), order_.end());
  next_ = 0;
  if (left_ == 0) return;
  std::erase_if(queue_, [this](const Thread* thread) {
    return (warp_of(*thread).left >> thread->number % kLanes & 1) != 0;
  });
}

/// Fails, unless whoever looks on lets the launch go on: on a GPU threads that have left do not
/// count, any barrier is as good as another, and lanes do not wait for ever for those that are
/// absent.
void Executor::wrong(const char* format, ...) {
  is_wrong_ = true;
  char text[500];
  va_list args;
  va_start(args, format);
  std::vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (watch_ == nullptr || !watch_->tolerates(text)) fail("%s", text);
}

// ---- grid-stride loops ----

namespace {

struct Turned {
  std::mutex mutex;
  std::set<std::pair<std::string, unsigned>> loops;  ///< by file and line
};

Turned& turned() {
  static auto* const the_loops = new Turned;
  return *the_loops;
}

}  // namespace

void Executor::count_turn(const Place& loop) {
  std::vector<Place>& turns = current->turns;
  const auto ended = [&](const Place& other) { return same(loop, other); };
  if (std::ranges::none_of(turns, ended)) return turns.push_back(loop);
  if (std::ranges::any_of(turned_, ended)) return;
  turned_.push_back(loop);
  const std::lock_guard lock(turned().mutex);
  turned().loops.emplace(loop.file_name(), loop.line());
}

std::vector<std::string> loops_that_turned() {
  const std::lock_guard lock(turned().mutex);
  std::vector<std::string> names;
  for (const auto& [file, line] : turned().loops)
    names.push_back(file.substr(file.rfind('/') + 1) + ':' + std::to_string(line));
  return names;
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
  for (Thread& thread : threads_) {
    thread.fiber = nullptr;
    thread.turns.clear();
  }
  left_ = 0;
  at_barrier_ = 0;
  votes_ = 0;
  is_wrong_ = false;
  active_.clear();
  if (orderer_->shuffles()) orderer_->put(std::span(order_));
  queue_.assign(order_.begin(), order_.end());
  next_ = 0;
  current = take();
  Fiber::jump(main_, idle_fiber());
  if (!failure_.empty()) throw Failed(failure_.c_str(), failed_at_, failed_instruction_);
  current = nullptr;
  if (left_ != threads_.size()) fail("some threads of a block wait for ever");  // all are explained
  shared.check();
}

void Executor::abandon(const char* text, const void* instruction) {
  failure_ = text;
  failed_instruction_ = instruction;
  failed_at_ = {true, blockIdx, threadIdx};
  Fiber::jump(*current->fiber, main_);
  std::abort();  // nobody comes back
}

void Executor::run(const Launch& launch, const Kernel& kernel, Watch* watch) {
  kernel_ = &kernel;
  watch_ = watch;
  if (watch != nullptr) watch->current_ = &current;
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
    if (watch != nullptr) watch->begin_block(block);
    run_block();
    if (watch != nullptr) watch->end_block();
  }
}

namespace {

/// The executor, in a kernel; what else calls an intrinsic is a mistake.
Executor& in_kernel(const char* what) {
  if (executor == nullptr || executor->current == nullptr) fail("%s outside a kernel", what);
  return *executor;
}

}  // namespace

void execute(const Launch& launch, const Kernel& kernel) {
  this_executor()->run(launch, kernel, nullptr);
}

void execute(const Launch& launch, const Kernel& kernel, Watch& watch) {
  std::unique_ptr<Executor>& own = this_executor();
  try {
    own->run(launch, kernel, &watch);
  } catch (...) {
    executor = nullptr;
    own.reset();  // with the stacks of threads that will not end
    throw;
  }
}

bool is_watched() {
  return executor != nullptr && executor->current != nullptr && executor->watched();
}

void abandon(const char* text, const void* instruction) {
  executor->abandon(text, instruction);
}

std::pair<const void*, const void*> running_stack() {
  return executor->current->fiber->extent();
}

void block_barrier(const Place& place) {
  in_kernel("__syncthreads").barrier(false, place);
}

unsigned block_vote(bool vote, const Place& place) {
  return in_kernel("__syncthreads").barrier(vote, place);
}

std::uint64_t warp_call(WarpOp op, unsigned mask, std::uint64_t value, int operand, int width,
                        const Place& place) {
  return in_kernel(name_of(op)).warp_call({op, mask, operand, width, value, place});
}

void count_turn(const Place& loop) {
  in_kernel("a grid-stride loop").count_turn(loop);
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
