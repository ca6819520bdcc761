// A fused call's kernel: whether it is loaded, where the call's operands lie, and what the kernel
// is given. For fused.cpp and fused_columns.cpp.
#pragma once

#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "cudamat/code/fused_source.hpp"
#include "cudamat/cuda/engine.hpp"
#include "cudamat/cuda/loaded_kernel.hpp"
#include "cudamat/cuda/memory.hpp"
#include "cudamat/cuda/random.hpp"
#include "cudamat/cuda/reduce_planner.hpp"
#include "cudamat/detail/unfused.hpp"
#include "cudamat/error.hpp"

namespace cudamat::cuda {

using code::FusedLayout;
using code::FusedReduces;

inline constexpr std::size_t kMostFusedKernels = 512;  ///< in memory

// ---- prepared once ----

/// A kernel that is made once. Without `loaded` there is none.
struct MadeKernel {
  std::once_flag once;
  int failures = 0;  ///< of the driver to load it
  std::unique_ptr<LoadedKernel> loaded;
};

/// Whether kernels are compiled (CUDAMAT_COMPILE).
bool compiles_fused();

/// Says, the first time, why there is no kernel.
void explain_once(const std::string& failure);

/// Compiles the source and loads it; nothing where it does not compile, which is said. Throws
/// LibraryError where the driver does not take it now, for want of memory perhaps, and is to be
/// asked again.
void load(MadeKernel& made, const std::string& source);

/// Runs `make`, which loads the kernel, if that was not done before. Without a kernel that is said.
template <class Make>
void make_once(MadeKernel& made, const Make& make) {
  try {
    std::call_once(made.once, make);
  } catch (const LibraryError& error) {  // the next call tries again
    explain_once(error.what());
  }
}

/// A statement that uses its own reductions, as one kernel in which each block has whole columns,
/// whose parts it computes one after the other. False, and nothing is done, where that is not how
/// its reductions are planned.
template <class T>
bool run_columns(const FusedCall<T>& call);

// ---- where the operands lie ----

struct Placed {
  FusedLayout layout;
  Index shift = 0;   ///< of FusedArguments
  Segments shape{};  ///< that reductions reduce, if there are any
  LanePlan lanes{};  ///< and the plan for that, as the layout says
  TilePlan tiles{};
};

/// How the kernel would reduce. aligned: packs of 16 bytes may be read and written everywhere.
template <class T>
void plan(const FusedCall<T>& call, const FusedTarget& target, bool aligned, Placed& placed) {
  const Index n = call.rows * call.cols;
  ReduceCall<T> as{};
  as.axis = target.is_total() ? 1 : target.axis;
  as.rows = target.is_total() ? 1 : call.rows;
  as.cols = target.is_total() ? n : call.cols;
  placed.shape = segments(as);
  if (is_short<T>(placed.shape)) {
    placed.layout.reduces = FusedReduces::Tiles;
    placed.tiles = plan_tiles<T>(placed.shape, aligned);
    placed.layout.plan_packs = placed.tiles.packed;
  } else {
    placed.layout.reduces = FusedReduces::Lanes;
    placed.lanes = plan_lanes<T>(placed.shape, aligned);
    placed.layout.plan_packs = placed.lanes.packed;
  }
}

/// by_columns: a block takes columns, even where all is one long one.
template <class T>
Placed place(const FusedCall<T>& call, bool by_columns = false) {
  constexpr Index kPack = 16 / sizeof(T);
  const FusedBody& body = call.body;
  bool flat = true, dense = true, same_shift = true, even = true;
  Index shift = -1;
  const auto see = [&](const T* data, Index ld) {
    const auto here = static_cast<Index>(std::bit_cast<std::uintptr_t>(data) % 16 / sizeof(T));
    same_shift = same_shift && (shift < 0 || here == shift);
    shift = here;
    if (call.cols == 1) return true;
    even = even && ld % kPack == 0;
    return ld == call.rows;
  };
  for (std::size_t i = 0; i < body.inputs.size(); ++i) {
    if (body.inputs[i] == Spread::Whole)
      flat &= see(call.inputs[i].data, call.inputs[i].ld);
    else
      flat &= body.inputs[i] == Spread::One;
  }
  const FusedTarget* reduced = nullptr;
  for (std::size_t t = 0; t < body.targets.size(); ++t) {
    if (body.targets[t].is_stored())
      dense &= see(call.targets[t].data, call.targets[t].ld);
    else
      reduced = &body.targets[t];
  }
  flat &= dense && !by_columns;
  const bool in_packs = flat || call.cols == 1 || (even && call.rows % kPack == 0);
  const bool aligned = same_shift && shift <= 0 && in_packs;
  bool temporaries = reduced != nullptr;
  for (const FusedStep& step : body.steps) temporaries |= step.op == Op::fill_with_randn;
  if (temporaries) (void)see(nullptr, call.rows);  // as theirs: aligned and contiguous
  const bool packs =
      same_shift && (flat ? call.rows * call.cols : call.rows) >= kPack && (flat || even);
  Placed placed;
  placed.layout = {
      .is_double = sizeof(T) == sizeof(double), .flat = flat, .packs = packs, .dense = dense};
  if (packs) placed.shift = shift;
  if (reduced != nullptr) plan(call, *reduced, aligned, placed);
  return placed;
}

// ---- the arguments ----

/// Those of FusedArguments or FusedReduceArguments in cudamat/cuda, as words of 8 bytes.
class Arguments {
 public:
  template <class U>
  void add(const U& words) {
    static_assert(sizeof(U) % 8 == 0 && alignof(U) == 8);
    std::memcpy(&words_[count_], &words, sizeof(U));
    count_ += sizeof(U) / 8;
  }
  /// The words were an array, in which there is at least one element, of so many words.
  void end_array(std::size_t size, std::size_t words = 1) { count_ += size == 0 ? words : 0; }
  /// At the end of a struct.
  template <class T>
  void add_numbers(std::span<const T> numbers) {
    if (!numbers.empty()) std::memcpy(&words_[count_], numbers.data(), numbers.size_bytes());
    count_ += (std::max(numbers.size(), std::size_t{1}) * sizeof(T) + 7) / 8;
  }
  void* data() { return words_.data(); }

  static constexpr int kMost = 4 + 2 * (code::kMostFusedPointers + 2) +
                               3 * code::kMostFusedUniforms + code::kMostFusedNumbers +
                               int(sizeof(LanePlan) + sizeof(TilePlan)) / 8 +
                               code::kMostFusedReductions * int(sizeof(Update<double>)) / 8;
  /// Whether a part of any size may follow: a kernel's arguments are up to 4096 bytes.
  [[nodiscard]] bool has_room() const { return count_ + kMost <= kMostWords; }

 private:
  static_assert(sizeof(Drawn) == 3 * 8);
  static constexpr std::size_t kMostWords = 4096 / 8;
  static_assert(kMost <= kMostWords);
  std::array<std::uint64_t, kMostWords> words_{};
  std::size_t count_ = 0;
};

/// What a call's kernel reads and writes: the call's own operands and what it has in passing.
template <class T>
class Operands {
 public:
  Operands(const FusedCall<T>& call, const code::FusedKernel& kernel) : call_(call) {
    for (const auto& input : call.inputs) inputs_.push_back(input);
    for (std::size_t normal = 0; normal < kernel.normals.size(); ++normal)
      inputs_.push_back({make(), call.rows});
    for (std::size_t t = 0; t < call.targets.size(); ++t)
      if (call.body.targets[t].is_stored()) stored_.push_back(call.targets[t]);
    while (stored_.size() < kernel.targets) stored_.push_back({make(), call.rows});
  }

  /// In the order of the steps.
  void draw() {
    const Index n = call_.rows * call_.cols;
    std::size_t normals = 0;
    for (const FusedStep& step : call_.body.steps) {
      if (step.op == Op::fill_with_rand) drawn_.push_back(draw_later<T>(n));
      if (step.op == Op::fill_with_randn) Engine<T>::normal(temporaries_[normals++]->data(), n);
    }
  }

  /// Those of FusedArguments, after others.
  void add_to(Arguments& arguments, Index rows, Index cols, Index shift, Index groups) const {
    for (const Index extent : {rows, cols, shift, groups}) arguments.add(extent);
    for (const auto& input : inputs_) arguments.add(input.data);
    arguments.end_array(inputs_.size());
    for (const auto& input : inputs_) arguments.add(input.ld);
    arguments.end_array(inputs_.size());
    for (const auto& target : stored_) arguments.add(target.data);
    arguments.end_array(stored_.size());
    for (const auto& target : stored_) arguments.add(target.ld);
    arguments.end_array(stored_.size());
    for (const Drawn& drawn : drawn_) arguments.add(drawn);
    arguments.end_array(drawn_.size(), sizeof(Drawn) / 8);
    arguments.add_numbers(call_.numbers);
  }

  /// Reduces what the kernel has stored: `reductions`, an input each.
  void reduce(const code::FusedKernel& kernel, const FusedBody& reductions) const {
    std::vector<typename FusedCall<T>::Input> values;
    std::vector<typename FusedCall<T>::Target> targets;
    for (const int stored : kernel.reduced) {
      const auto& [data, ld] = stored_[std::size_t(stored)];
      values.push_back({data, ld});
    }
    for (std::size_t t = 0; t < call_.targets.size(); ++t)
      if (!call_.body.targets[t].is_stored()) targets.push_back(call_.targets[t]);
    detail::unfused<Engine<T>>(
        {reductions, call_.rows, call_.cols, values, call_.numbers, targets});
  }

 private:
  T* make() {
    temporaries_.push_back(std::make_unique<Workspace<T>>(call_.rows * call_.cols));
    return temporaries_.back()->data();
  }

  const FusedCall<T>& call_;
  std::vector<typename FusedCall<T>::Input> inputs_;
  std::vector<typename FusedCall<T>::Target> stored_;
  std::vector<std::unique_ptr<Workspace<T>>> temporaries_;
  std::vector<Drawn> drawn_;
};

/// What becomes of the sums and the like of a target.
template <class T>
Update<T> result_of(const FusedCall<T>& call, const FusedTarget& target, T* data) {
  const auto number = [&](int index, T otherwise) {
    return index < 0 ? otherwise : call.numbers[std::size_t(index)];
  };
  return {data, number(target.mult, T(1)), number(target.beta, T(0)),
          T(target.length(call.rows, call.cols)), target.over_axis() == Op::mean};
}

/// Of a segment, each of which gives a part of its result.
inline Index pieces_of(const Placed& placed) {
  return placed.layout.reduces == FusedReduces::Tiles ? 1 : placed.lanes.pieces;
}

template <class T>
Grid grid_of(const Placed& placed, const code::FusedKernel& kernel) {
  return placed.layout.reduces == FusedReduces::Tiles
             ? grid_of<T>(placed.tiles, code::kFusedName, sizeof(T), kernel.tiles)
             : grid_of<T>(placed.lanes, code::kFusedName, sizeof(T));
}

/// Those of FusedReduceArguments; the results go to `parts`, if there are any.
template <class T>
void add_reducing(Arguments& arguments, const FusedCall<T>& call, const Operands<T>& operands,
                  const Placed& placed,
                  const std::vector<std::unique_ptr<Workspace<T>>>& parts = {}) {
  if (placed.layout.reduces == FusedReduces::Tiles)
    arguments.add(placed.tiles);
  else
    arguments.add(placed.lanes);
  std::size_t part = 0;
  for (std::size_t t = 0; t < call.targets.size(); ++t) {
    const FusedTarget& target = call.body.targets[t];
    if (target.is_stored()) continue;
    arguments.add(parts.empty() ? result_of(call, target, call.targets[t].data)
                                : Update<T>{parts[part++]->data(), T(1), T(0), T(1), false});
  }
  const bool flat = placed.layout.flat;
  operands.add_to(arguments, flat ? call.rows * call.cols : call.rows, flat ? 1 : call.cols, 0, 1);
}

}  // namespace cudamat::cuda
