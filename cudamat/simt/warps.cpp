// The intrinsics of warps: the lanes that a mask names wait for each other.
#include <algorithm>
#include <functional>

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
    case WarpOp::kMatchAny:
      return "__match_any_sync";
    case WarpOp::kMatchAll:
      return "__match_all_sync";
    case WarpOp::kReduceAdd:
      return "__reduce_add_sync";
    case WarpOp::kReduceMin:
      return "__reduce_min_sync";
    case WarpOp::kReduceMax:
      return "__reduce_max_sync";
    case WarpOp::kReduceAnd:
      return "__reduce_and_sync";
    case WarpOp::kReduceOr:
      return "__reduce_or_sync";
    case WarpOp::kReduceXor:
      return "__reduce_xor_sync";
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

namespace {

/// The values that the lanes of a mask bring to an intrinsic.
struct Brought {
  /// The lanes whose value the condition holds for.
  template <class Condition>
  unsigned lanes(const Condition& condition) const {
    unsigned found = 0;
    for (unsigned rest = mask; rest != 0; rest &= rest - 1)
      if (condition(values[__builtin_ctz(rest)])) found |= rest & -rest;
    return found;
  }

  template <class Step>
  std::uint64_t folded(const Step& step) const {
    std::uint64_t result = values[__builtin_ctz(mask)];
    for (unsigned rest = mask & (mask - 1); rest != 0; rest &= rest - 1)
      result = step(result, values[__builtin_ctz(rest)]);
    return result;
  }

  unsigned mask = 0;
  std::uint64_t values[kLanes];
};

/// A signed number and an unsigned one of 32 bits, as they were widened.
bool is_less(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b);
}

/// What the lanes have together: the same for each.
std::uint64_t combined(WarpOp op, const Brought& brought) {
  const unsigned mask = brought.mask;
  const std::uint64_t first = brought.values[__builtin_ctz(mask)];
  const auto votes = [&] { return brought.lanes([](std::uint64_t value) { return value != 0; }); };
  switch (op) {
    case WarpOp::kBallot:
      return votes();
    case WarpOp::kAny:
      return votes() != 0;
    case WarpOp::kMatchAll:
      return brought.lanes([&](std::uint64_t value) { return value == first; }) == mask ? mask : 0;
    case WarpOp::kReduceAdd:
      return brought.folded(std::plus<>());
    case WarpOp::kReduceMin:
      return brought.folded([](auto a, auto b) { return is_less(b, a) ? b : a; });
    case WarpOp::kReduceMax:
      return brought.folded([](auto a, auto b) { return is_less(a, b) ? b : a; });
    case WarpOp::kReduceAnd:
      return brought.folded(std::bit_and<>());
    case WarpOp::kReduceOr:
      return brought.folded(std::bit_or<>());
    case WarpOp::kReduceXor:
      return brought.folded(std::bit_xor<>());
    default:
      return votes() == mask;
  }
}

bool is_shuffle(WarpOp op) {
  return WarpOp::kShfl <= op && op <= WarpOp::kShflXor;
}

}  // namespace

/// The lane whose value a lane takes: its own where the other brings none.
int Executor::taken_by(int lane, const WarpPart& part, unsigned mask) {
  const int source = source_of(lane, part);
  if (source >= 0 && source < kLanes && (mask >> source & 1) != 0) return source;
  wrong("%s (%s:%u) with mask %#x: lane %d takes the value of lane %d, which is not in the mask",
        name_of(part.op), part.place.file_name(), part.place.line(), part.mask, lane, source);
  return lane;
}

/// The results of an intrinsic that all lanes of the mask have reached.
void Executor::complete(int first, unsigned mask) {
  const WarpOp op = lane(first, __builtin_ctz(mask)).part.op;
  if (op == WarpOp::kSync) {
    if (watch_ != nullptr) watch_->order_lanes(first, mask);
    return;
  }
  Brought brought{mask, {}};
  for (unsigned rest = mask; rest != 0; rest &= rest - 1)
    brought.values[__builtin_ctz(rest)] = lane(first, __builtin_ctz(rest)).part.value;
  const std::uint64_t together = is_shuffle(op) ? 0 : combined(op, brought);
  for (unsigned rest = mask; rest != 0; rest &= rest - 1) {
    const int i = __builtin_ctz(rest);
    WarpPart& part = lane(first, i).part;
    if (is_shuffle(op))
      part.value = brought.values[taken_by(i, part, mask)];
    else if (op == WarpOp::kMatchAny)
      part.value = brought.lanes([own = part.value](std::uint64_t value) { return value == own; });
    else
      part.value = together;
  }
}

}  // namespace simt
