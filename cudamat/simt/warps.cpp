// The intrinsics of warps: the lanes that a mask names wait for each other.
#include "cudamat/simt/executor.hpp"
#include "cudamat/simt/failure.hpp"

namespace simt {

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
    case WarpOp::kActive:
      return "__activemask";
    default:
      return "__all_sync";
  }
}

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
  if (part.op == WarpOp::kActive) {
    thread.part = part;
    active_.push_back(&thread);
    wait(thread);
    return thread.part.value;
  }
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

/// No other thread of the block can run: lanes of a warp that wait at the same place are together.
void Executor::release_active() {
  for (Thread* const thread : active_)
    for (const Thread* const other : active_)
      if (other->number / kLanes == thread->number / kLanes &&
          same(other->part.place, thread->part.place))
        thread->part.value |= std::uint64_t{1} << other->number % kLanes;
  orderer_->put(std::span(active_));
  queue_.insert(queue_.end(), active_.begin(), active_.end());
  active_.clear();
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
  if (op == WarpOp::kSync) {
    if (watch_ != nullptr) watch_->order_lanes(first, mask);
    return;
  }
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

}  // namespace simt
