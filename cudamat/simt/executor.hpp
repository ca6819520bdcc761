// Runs the threads of one block after the other, as fibers. For execute.cpp and warps.cpp.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "cudamat/simt/execute.hpp"
#include "cudamat/simt/fiber.hpp"
#include "cudamat/simt/order.hpp"

namespace simt {

inline constexpr int kLanes = 32;

const char* name_of(WarpOp op);
/// Whether it is the same call in the source.
inline bool same(const Place& a, const Place& b) {
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
  int number = 0;            ///< in the block
  Fiber* fiber = nullptr;    ///< once it has started
  std::vector<Place> turns;  ///< the loops of which it has ended a turn
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
  void run(const Launch& launch, const Kernel& kernel, Watch* watch);
  /// From a thread of the kernel: nothing of it runs any more, and run() throws.
  [[noreturn]] void abandon(const char* text, const void* instruction);

  /// Returns how many threads of the block have voted for it.
  unsigned barrier(bool vote, const Place& place);
  void count_turn(const Place& loop);
  std::uint64_t warp_call(const WarpPart& part);

  Thread* current = nullptr;  ///< the thread that runs
  SharedMemory shared;
  std::vector<std::unique_ptr<Fiber>> fibers;
  [[nodiscard]] bool watched() const { return watch_ != nullptr; }

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
  [[gnu::format(printf, 2, 3)]] void wrong(const char* format, ...);
  void release_lanes(int first, unsigned mask);
  void release_active();
  void release_waiting();
  void check_part(const Thread& thread, const Warp& warp, const WarpPart& part);
  void check_others(const Thread& thread, const Warp& warp, const WarpPart& part);
  [[nodiscard]] unsigned together(int first, const WarpPart& part) const;
  void complete(int first, unsigned mask);
  int source_of(int lane, const WarpPart& part) const;
  int taken_by(int lane, const WarpPart& part, unsigned mask);
  Warp& warp_of(const Thread& thread) { return warps_[std::size_t(thread.number / kLanes)]; }
  Thread& lane(int first, int lane) { return threads_[std::size_t(first + lane)]; }

  const Kernel* kernel_ = nullptr;
  Watch* watch_ = nullptr;
  std::string failure_;
  Running failed_at_;
  const void* failed_instruction_ = nullptr;
  std::unique_ptr<Orderer> orderer_;
  std::vector<Thread> threads_;
  std::vector<Warp> warps_;
  std::vector<Warp> fresh_warps_;
  std::vector<Thread*> ascending_;
  std::vector<Thread*> order_;
  std::vector<Thread*> queue_;  ///< of threads that can run, from next_ on
  std::size_t next_ = 0;
  std::vector<Thread*> active_;  ///< that ask with whom they are together
  std::size_t left_ = 0;         ///< threads that have left the kernel
  std::size_t at_barrier_ = 0;   ///< threads that wait at __syncthreads
  unsigned votes_ = 0;           ///< of those
  unsigned counted_ = 0;         ///< votes at the last __syncthreads
  bool is_wrong_ = false;        ///< a barrier or an intrinsic was, and the launch goes on
  Place barrier_;
  std::vector<Place> turned_;  ///< loops that took a second turn
  Fiber main_;
  std::vector<Fiber*> idle_;
};

inline Thread* Executor::take() {
  if (next_ == queue_.size()) {
    if (!active_.empty()) release_active();
    if (next_ == queue_.size() && is_wrong_) release_waiting();
  }
  return next_ == queue_.size() ? nullptr : queue_[next_++];
}

/// The thread waits: others run until somebody has put it into the queue and its turn comes.
[[gnu::always_inline]] inline void Executor::wait(Thread& thread) {
  Thread* const next = take();
  if (next == &thread) return;
  current = next;
  Fiber::jump(*thread.fiber, next == nullptr          ? main_
                             : next->fiber == nullptr ? idle_fiber()
                                                      : *next->fiber);
  current = &thread;
  threadIdx = thread.index;
}

}  // namespace simt
