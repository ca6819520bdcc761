// The intrinsics of warps: the lanes that a mask names wait for each other.
#include <algorithm>

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

void Executor::check_part(const Thread& thread, const Warp& warp, const WarpPart& part) {
  const int self = thread.number % kLanes;
  const auto check = [&](unsigned lanes, const char* what) {
    if (lanes != 0)
      wrong("%s (%s:%u) with mask %#x: lane %d %s", name_of(part.op), part.place.file_name(),
            part.place.line(), part.mask, __builtin_ctz(lanes), what);
  };
  check(1u << self & ~part.mask, "calls it, but is not in the mask");
  check(part.mask & ~warp.lanes, "does not exist");
  check(part.mask & warp.left, "has left the kernel");
  check(part.mask & warp.at_barrier, "waits at __syncthreads");
  if (part.width <= 0 || part.width > kLanes || (part.width & (part.width - 1)) != 0)
    wrong("%s (%s:%u): the width %d is not a power of two up to 32", name_of(part.op),
          part.place.file_name(), part.place.line(), part.width);
  check_others(thread, warp, part);
}

/// Lanes that wait for each other are at the same call.
void Executor::check_others(const Thread& thread, const Warp& warp, const WarpPart& part) {
  const int self = thread.number % kLanes;
  const unsigned together = part.mask & warp.waiting;
  const bool named_elsewhere = (warp.expected >> self & 1) != 0 && together == 0;
  if (together == 0 && !named_elsewhere && (part.mask & warp.expected) == 0) return;
  if (warp.waiting == 0) return;  // those that were waited for are absent
  const int other_lane = __builtin_ctz(together != 0 ? together : warp.waiting);
  const WarpPart& other = threads_[std::size_t(thread.number - self + other_lane)].part;
  if (together == 0 || other.op != part.op || other.mask != part.mask ||
      !same(other.place, part.place))
    wrong("%s (%s:%u) with mask %#x while lane %d waits in %s (%s:%u) with mask %#x",
          name_of(part.op), part.place.file_name(), part.place.line(), part.mask, other_lane,
          name_of(other.op), other.place.file_name(), other.place.line(), other.mask);
}

/// The lanes of the warp that wait at this call.
unsigned Executor::together(int first, const WarpPart& part) const {
  unsigned lanes = 0;
  for (unsigned rest = warps_[std::size_t(first / kLanes)].waiting; rest != 0; rest &= rest - 1) {
    const WarpPart& other = threads_[std::size_t(first + __builtin_ctz(rest))].part;
    if (other.op == part.op && same(other.place, part.place)) lanes |= rest & -rest;
  }
  return lanes;
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
  const int first = thread.number / kLanes * kLanes;
  if ((part.mask & ~(is_wrong_ ? together(first, part) : warp.waiting)) == 0) {
    warp.waiting &= ~part.mask;
    warp.expected &= ~part.mask;
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

/// No other thread of the block can run, and lanes wait for some that are absent: those of a warp
/// that wait at the same call go on with each other, as they mostly do on a GPU, where that is
/// undefined.
void Executor::release_waiting() {
  for (std::size_t w = 0; w < warps_.size(); ++w) {
    Warp& warp = warps_[w];
    const int first = static_cast<int>(w) * kLanes;
    while (warp.waiting != 0) {
      const unsigned lanes = together(first, lane(first, __builtin_ctz(warp.waiting)).part);
      warp.waiting &= ~lanes;
      complete(first, lanes);
      release_lanes(first, lanes);
    }
    warp.expected = 0;
  }
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
  const int width = std::clamp(part.width, 1, kLanes);  // another one was told
  const int segment = lane / width * width;
  switch (part.op) {
    case WarpOp::kShfl:
      return segment + (part.operand & (width - 1));
    case WarpOp::kShflUp:
      return lane - part.operand < segment ? lane : lane - part.operand;
    case WarpOp::kShflDown:
      return lane + part.operand >= segment + width ? lane : lane + part.operand;
    default: {
      const int source = lane ^ part.operand;
      return source >= segment + width ? lane : source;
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
      const bool is_there = source >= 0 && source < kLanes && (mask >> source & 1) != 0;
      if (!is_there)
        wrong(
            "%s (%s:%u) with mask %#x: lane %d takes the value of lane %d, which is not in the "
            "mask",
            name_of(op), part.place.file_name(), part.place.line(), part.mask, i, source);
      part.value = values[is_there ? source : i];
    }
  }
}

}  // namespace simt
