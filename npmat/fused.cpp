// Fused statements: every element of the space is computed once, in tiles that stay in the caches.
// What is stored is written from there. Reductions run over the tiles as they run over memory: the
// loops, and so the order, are those of reduce.cpp.
#include <array>
#include <cstring>
#include <memory_resource>

#include "cudamat/detail/unfused.hpp"
#include "npmat/engine.hpp"
#include "npmat/fused_plain.hpp"
#include "npmat/fused_small.hpp"
#include "npmat/fused_tile.hpp"
#include "npmat/reduce_lanes.hpp"
#include "npmat/reductions.hpp"

namespace npmat {
namespace fused {
namespace {

using cudamat::FusedCall;
using cudamat::FusedTarget;
using cudamat::Op;

/// One of the reductions of a statement.
template <class T>
struct Reduced {
  const Reduction<T>* reduction;
  ReduceResults<T> results;
  Place value;
  Index bytes_before;  ///< of the accumulators of those before it
};

/// All of them, side by side: a group of accumulators for reduce_rows.
template <class T>
class Group {
 public:
  /// Accumulators `lane`, lane + 1 ... of each reduction: an array a reduction, in one memory.
  struct Lanes {
    std::byte* memory;
    Index room, lane;
    Lanes operator+(Index lanes) const { return {memory, room, lane + lanes}; }
  };

  class Memory {
   public:
    Memory(Index room, Index bytes)
        : room_(room), scratch_((room * bytes + Index(sizeof(T)) - 1) / Index(sizeof(T))) {}
    Lanes lanes() { return {reinterpret_cast<std::byte*>(scratch_.data()), room_, 0}; }

   private:
    Index room_;
    Scratch<T> scratch_;
  };

  Group(const Program<T>& program, std::pmr::memory_resource* memory) : list_(memory) {
    const FusedCall<T>& call = program.call;
    const auto number = [&](int index, T otherwise) {
      return index < 0 ? otherwise : call.numbers[std::size_t(index)];
    };
    for (std::size_t t = 0; t < call.targets.size(); ++t) {
      const FusedTarget& target = call.body.targets[t];
      if (target.is_stored()) continue;
      const bool mean = target.op == Op::mean || target.op == Op::total_mean;
      const Reduction<T>& by = reduction<T>(target.op);
      list_.push_back({&by,
                       {mean ? target.length(call.rows, call.cols) : -1, number(target.mult, T(1)),
                        number(target.beta, T(0)), call.targets[t].data},
                       program.reduced[t],
                       bytes_});
      bytes_ += Index(by.bytes);
      total_ = target.is_total();
      axis_ = target.axis;
    }
  }

  [[nodiscard]] const std::pmr::vector<Reduced<T>>& list() const { return list_; }
  [[nodiscard]] bool is_total() const { return total_; }
  [[nodiscard]] int axis() const { return axis_; }

  [[nodiscard]] Memory memory(Index count) const { return Memory((count + 63) / 64 * 64, bytes_); }
  static void* accumulators(const Reduced<T>& of, const Lanes& lanes) {
    return lanes.memory + lanes.room * of.bytes_before + lanes.lane * Index(of.reduction->bytes);
  }
  void clear(const Lanes& acc, Index lanes) const {
    for (const auto& of : list_) of.reduction->clear(accumulators(of, acc), lanes);
  }
  void copy(const Lanes& from, Index lanes, const Lanes& to) const {
    for (const auto& of : list_)
      std::memcpy(accumulators(of, to), accumulators(of, from),
                  std::size_t(lanes) * of.reduction->bytes);
  }
  void join(const Lanes& acc, const Lanes& other, Index lanes) const {
    for (const auto& of : list_)
      of.reduction->join(accumulators(of, acc), accumulators(of, other), lanes);
  }
  void fold(const Lanes& acc, Index rows, Index times) const {
    for (const auto& of : list_) of.reduction->fold(accumulators(of, acc), rows, times);
  }
  /// Values first, first + 1 ... of the results are there.
  void finish(Index first, Index some, const Lanes& acc) const {
    for (const auto& of : list_)
      of.reduction->finish(of.results, first, some, accumulators(of, acc));
  }

 private:
  std::pmr::vector<Reduced<T>> list_;
  Index bytes_ = 0;
  bool total_ = false;
  int axis_ = 0;
};

/// Computes what a plan takes, on one thread. The matrix of the plan is a part of the space, from
/// its element `start` on.
template <class T>
class Taken {
 public:
  using Lanes = typename Group<T>::Lanes;

  Taken(const Program<T>& program, const Group<T>& group, Index start, Index room)
      : program_(program), group_(group), start_(start), room_(room), tiles_(program, room, room) {}

  /// Room for what `plan` takes at a time.
  static Index room_for(const Plan& plan) {
    const Index some = std::min(kTile<T>, plan.lanes * plan.steps);
    return std::max({some, plan.rest, 4 * std::min({plan.block, plan.lanes, kTile<T>})});
  }

  void start_at(Index element) { start_ = element; }

  void take(const Plan& plan, Index lane, Index lanes, Index step, Index steps, const Lanes& acc) {
    // Steps are taken by fours: multiples of 4 at a time keep the order.
    const Index wide = std::min(lanes, kTile<T>);
    const Index some = room_ / wide / 4 * 4;
    for (Index done = 0; done < steps; done += some)
      for (Index l = 0; l < lanes; l += wide)
        take_some(plan, lane + l, std::min(wide, lanes - l), step + done,
                  std::min(some, steps - done), acc + l);
  }

  void take_rest(const Plan& plan, const Lanes& acc) {
    if (plan.rest == 0) return;
    const Index at = start_ + plan.lanes * plan.steps;
    tiles_.run(at, at + plan.rest, 0);
    for (const auto& of : group_.list())
      of.reduction->take(values(of.value, at, 0, 0).data, 0, plan.rest, 1,
                         Group<T>::accumulators(of, acc));
  }

  /// Reduces `cols` short columns.
  void take_columns(Index rows, Index j, Index cols, const Lanes& acc) {
    tiles_.run(rows * j, rows * (j + cols), 0);
    for (const auto& of : group_.list())
      of.reduction->columns(values(of.value, rows * j, 0, 0).data, rows, cols,
                            Group<T>::accumulators(of, acc));
  }

 private:
  struct Values {
    const T* data;
    Index ld;
  };

  void take_some(const Plan& plan, Index lane, Index lanes, Index step, Index steps,
                 const Lanes& acc) {
    const Index at = start_ + lane + plan.lanes * step;
    if (lanes == plan.lanes)
      tiles_.run(at, at + lanes * steps, 0);
    else
      for (Index s = 0; s < steps; ++s)
        tiles_.run(at + plan.lanes * s, at + plan.lanes * s + lanes, lanes * s);
    for (const auto& of : group_.list()) {
      const auto [data, ld] = values(of.value, at, lanes, plan.lanes);
      of.reduction->take(data, ld, lanes, steps, Group<T>::accumulators(of, acc));
    }
  }

  Values values(const Place& place, Index at, Index chunk_ld, Index input_ld) {
    if (place.in == Place::In::Chunk) return {tiles_.chunk(place.index), chunk_ld};
    if (place.in == Place::In::Target)
      return values(program_.targets[std::size_t(place.index)], at, input_ld);
    return values(program_.inputs[std::size_t(place.index)], at, input_ld);
  }
  template <class U>
  Values values(const Laid<U>& matrix, Index at, Index ld) const {
    if (matrix.lie == Lie::Line) return {matrix.data + at, ld};
    // Of a row: what a step takes is a part of one column.
    const Index rows = program_.call.rows, j = at / rows;
    return {matrix.data + (at - rows * j) + matrix.ld * j, matrix.ld};
  }

  const Program<T>& program_;
  const Group<T>& group_;
  Index start_, room_;
  Tiles<T> tiles_;
};

/// The source of reduce_rows: what each thread computes for itself.
template <class T>
struct Source {
  const Program<T>& program;
  const Group<T>& group;
  Index start, room;

  [[nodiscard]] Taken<T> on_thread() const { return Taken<T>(program, group, start, room); }
};

/// The source of one that a thread has.
template <class T>
struct Borrowed {
  Taken<T>* from;
  void take(const Plan& plan, Index lane, Index lanes, Index step, Index steps,
            const typename Group<T>::Lanes& acc) const {
    from->take(plan, lane, lanes, step, steps, acc);
  }
  void take_rest(const Plan& plan, const typename Group<T>::Lanes& acc) const {
    from->take_rest(plan, acc);
  }
};

template <class T>
void store(const Program<T>& program) {
  const Index grain = std::max(Index(1), program.grain / kTile<T>) * kTile<T>;
  parallel_for(program.call.rows * program.call.cols, grain, [&](Index begin, Index end) {
    Tiles<T>(program, end - begin, 0).run(begin, end, 0);
  });
}

template <class T>
void reduce_short_columns(const Program<T>& program, const Group<T>& group) {
  const Index rows = program.call.rows, cols = program.call.cols;
  const Index most = std::max(Index(1), std::min(short_columns(rows), kTile<T> / rows));
  parallel_for(cols, std::max(Index(1), program.grain / rows), [&](Index begin, Index end) {
    const Index together = std::min(most, end - begin);
    Taken<T> taken(program, group, 0, rows * together);
    auto memory = group.memory(together);
    for (Index j = begin; j < end; j += together) {
      const Index count = std::min(together, end - j);
      taken.take_columns(rows, j, count, memory.lanes());
      group.finish(j, count, memory.lanes());
    }
  });
}

template <class T>
void reduce_columns(const Program<T>& program, const Group<T>& group) {
  const Index rows = program.call.rows, cols = program.call.cols;
  if (rows < kLongColumn) return reduce_short_columns(program, group);
  const Plan plan(1, rows);
  const Index room = Taken<T>::room_for(plan);
  const auto sink = [&](Index j) {
    return [&group, j](Index, Index, const auto& acc) { group.finish(j, 1, acc); };
  };
  if (cols < kPieces && rows > kPiece) {
    for (Index j = 0; j < cols; ++j)
      reduce_rows(group, plan, Source<T>{program, group, rows * j, room}, true, sink(j));
    return;
  }
  parallel_for(cols, std::max(Index(1), program.grain / rows), [&](Index begin, Index end) {
    Taken<T> taken(program, group, 0, room);
    for (Index j = begin; j < end; ++j) {
      taken.start_at(rows * j);
      reduce_rows(group, plan, Borrowed<T>{&taken}, false, sink(j));
    }
  });
}

template <class T>
void reduce(const Program<T>& program, const Group<T>& group) {
  const Index rows = program.call.rows, cols = program.call.cols;
  const Index rows_of_all = program.walk.rows_of_all;
  if (!group.is_total() && group.axis() == 0) return reduce_columns(program, group);
  const Plan plan = group.is_total()      ? Plan(1, rows * cols)
                    : rows_of_all <= rows ? Plan(rows, cols)
                                          : Plan(rows_of_all, cols).of_rows(rows);
  reduce_rows(group, plan, Source<T>{program, group, 0, Taken<T>::room_for(plan)}, true,
              [&](Index first, Index some, const auto& acc) { group.finish(first, some, acc); });
}

}  // namespace

template <class T>
void run_plain(const FusedCall<T>& call, const Walk& walk) {
  // Of nothing there are only results of reductions.
  if (call.rows == 0 || call.cols == 0) return cudamat::detail::unfused<Engine<T>>(call);
  if (run_small(call)) return;
  alignas(std::max_align_t) std::array<std::byte, 6144> small;
  std::pmr::monotonic_buffer_resource memory(small.data(), small.size());
  const Program<T> program(call, walk, &memory);
  const Group<T> group(program, &memory);
  if (group.list().empty())
    store(program);
  else
    reduce(program, group);
}

template void run_plain(const FusedCall<float>&, const Walk&);
template void run_plain(const FusedCall<double>&, const Walk&);
template void run_plain(const FusedCall<long double>&, const Walk&);

}  // namespace fused

template <class T>
void Engine<T>::fused(const cudamat::FusedCall<T>& call) {
  if (call.body.is_plain())
    fused::run_plain(call, fused::Walk{});
  else
    fused::run_strips(call);
}

template void Engine<float>::fused(const cudamat::FusedCall<float>&);
template void Engine<double>::fused(const cudamat::FusedCall<double>&);
template void Engine<long double>::fused(const cudamat::FusedCall<long double>&);

}  // namespace npmat
