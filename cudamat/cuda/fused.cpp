// Fused statements: what a kernel computes is compiled at run time. Normals drawn before it are the
// engine's own, and so is what is left of reductions after it.
#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "cudamat/code/body_hash.hpp"
#include "cudamat/code/fused_source.hpp"
#include "cudamat/code/recent.hpp"
#include "cudamat/compile_mode.hpp"
#include "cudamat/cuda/compiler.hpp"
#include "cudamat/cuda/engine.hpp"
#include "cudamat/cuda/loaded_kernel.hpp"
#include "cudamat/cuda/memory.hpp"
#include "cudamat/cuda/random.hpp"
#include "cudamat/cuda/recording.hpp"
#include "cudamat/cuda/reduce.hpp"
#include "cudamat/cuda/reduce_planner.hpp"
#include "cudamat/detail/fused_cut.hpp"
#include "cudamat/detail/unfused.hpp"
#include "cudamat/error.hpp"

namespace cudamat::cuda {
namespace {

using code::FusedLayout;
using code::FusedReduces;

constexpr std::size_t kMostKernels = 512;  ///< in memory

// ---- kernels in memory, by what they are made of ----

struct Lookup {
  const FusedBody& body;
  FusedLayout layout;
  int device;
};

struct Key {
  FusedBody body;
  FusedLayout layout;
  int device;

  explicit Key(const Lookup& from) : body(from.body), layout(from.layout), device(from.device) {}
  bool operator==(const Lookup& other) const {
    return layout == other.layout && device == other.device && body == other.body;
  }
};

std::size_t hash(const Lookup& key) {
  const FusedLayout& layout = key.layout;
  return code::Hash()
      .add(key.device)
      .add(layout.is_double + 2 * layout.flat + 4 * layout.packs + 8 * layout.dense)
      .add(static_cast<int>(layout.reduces) + 4 * layout.plan_packs)
      .add(key.body)
      .value();
}

/// What is made once for a key. Without `loaded` there is no kernel, and will be none.
struct Made {
  std::once_flag once;
  code::FusedKernel kernel;
  FusedBody reductions;  ///< of what the kernel stores, an input each
  std::unique_ptr<LoadedKernel> loaded;
};

/// Never destroyed: the driver may be gone before.
code::Recent<Key, Made>& kernels() {
  static auto* const the_kernels = new code::Recent<Key, Made>(kMostKernels);
  return *the_kernels;
}

void explain_once(const std::string& failure) {
  static std::atomic<bool> said = false;
  if (!said.exchange(true))
    std::fprintf(stderr, "cudamat: fused statements run one operation at a time: %s\n",
                 failure.c_str());
}

void make(Made& made, const Lookup& key) {
  made.kernel = code::fused_kernel(key.body, key.layout);
  made.reductions.numbers = key.body.numbers;
  for (FusedTarget target : key.body.targets) {
    if (target.is_stored()) continue;
    target.value = {FusedValue::Kind::Input, static_cast<int>(made.reductions.targets.size())};
    made.reductions.inputs.push_back(Spread::Whole);
    made.reductions.targets.push_back(target);
  }
  const Compiled compiled =
      compile(code::fused_source(key.body, key.layout, made.kernel), state().capability);
  if (!compiled.failure.empty()) return explain_once(compiled.failure);
  try {
    made.loaded = std::make_unique<LoadedKernel>(compiled.code, code::kFusedName);
  } catch (const LibraryError& error) {
    explain_once(error.what());
  }
}

bool is_on() {
  static const bool on = compile_mode() != CompileMode::Off;
  return on;
}

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

template <class T>
Placed place(const FusedCall<T>& call) {
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
  flat &= dense;
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
  template <class T>
  void add_numbers(std::span<const T> numbers) {
    if (!numbers.empty()) std::memcpy(&words_[count_], numbers.data(), numbers.size_bytes());
  }
  void* data() { return words_.data(); }

 private:
  static_assert(sizeof(Drawn) == 3 * 8);
  static constexpr int kMost = 4 + 2 * (code::kMostFusedPointers + 2) +
                               3 * code::kMostFusedUniforms + code::kMostFusedNumbers +
                               int(sizeof(LanePlan) + sizeof(TilePlan)) / 8 +
                               code::kMostFusedReductions * int(sizeof(Update<double>)) / 8;
  std::array<std::uint64_t, kMost> words_{};
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

  /// Those of FusedArguments, behind others.
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

  /// Reduces what the kernel has stored.
  void reduce(const Made& made) const {
    std::vector<typename FusedCall<T>::Input> values;
    std::vector<typename FusedCall<T>::Target> targets;
    for (const int stored : made.kernel.reduced) {
      const auto& [data, ld] = stored_[std::size_t(stored)];
      values.push_back({data, ld});
    }
    for (std::size_t t = 0; t < call_.targets.size(); ++t)
      if (!call_.body.targets[t].is_stored()) targets.push_back(call_.targets[t]);
    detail::unfused<Engine<T>>(
        {made.reductions, call_.rows, call_.cols, values, call_.numbers, targets});
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

template <class T>
void launch(const FusedCall<T>& call, const Operands<T>& operands, const Made& made,
            const Placed& placed) {
  const code::FusedKernel& kernel = made.kernel;
  const bool flat = placed.layout.flat;
  const Index shift = kernel.pack > 1 ? placed.shift : 0;
  const Index rows = flat ? call.rows * call.cols : call.rows;
  const Index cols = flat ? 1 : call.cols;
  const Index height = (rows + shift + kernel.pack - 1) / kernel.pack;
  const Index threads = Index(kThreads) * blocks_for(height * cols, kThreads);
  const Index groups = std::clamp(threads / height, Index(1), cols);
  Arguments arguments;
  operands.add_to(arguments, rows, cols, shift, groups);
  const unsigned blocks = flat ? blocks_for(height, Index(kThreads) * kernel.batch)
                               : blocks_for(height * groups, kThreads);
  made.loaded->launch({code::kFusedName, dim3(blocks)}, arguments.data());
}

/// What becomes of the sums and the like of a target.
template <class T>
Update<T> result_of(const FusedCall<T>& call, const FusedTarget& target, T* data) {
  const auto number = [&](int index, T otherwise) {
    return index < 0 ? otherwise : call.numbers[std::size_t(index)];
  };
  return {data, number(target.mult, T(1)), number(target.beta, T(0)),
          T(target.length(call.rows, call.cols)), target.over_axis() == Op::mean};
}

/// Of a kernel that reduces: pieces of what is reduced give parts, which are reduced in turn.
template <class T>
void launch_reducing(const FusedCall<T>& call, const Operands<T>& operands, const Made& made,
                     const Placed& placed) {
  const bool tiles = placed.layout.reduces == FusedReduces::Tiles;
  const bool flat = placed.layout.flat;
  const auto& [before, length, after] = placed.shape;
  const Index pieces = tiles ? 1 : placed.lanes.pieces;
  Arguments arguments;
  tiles ? arguments.add(placed.tiles) : arguments.add(placed.lanes);
  std::vector<std::unique_ptr<Workspace<T>>> parts;
  for (std::size_t t = 0; t < call.targets.size(); ++t) {
    const FusedTarget& target = call.body.targets[t];
    if (target.is_stored()) continue;
    if (pieces > 1) parts.push_back(std::make_unique<Workspace<T>>(before * pieces * after));
    arguments.add(pieces > 1 ? Update<T>{parts.back()->data(), T(1), T(0), T(1), false}
                             : result_of(call, target, call.targets[t].data));
  }
  operands.add_to(arguments, flat ? call.rows * call.cols : call.rows, flat ? 1 : call.cols, 0, 1);
  made.loaded->launch(tiles
                          ? grid_of<T>(placed.tiles, code::kFusedName, sizeof(T), made.kernel.tiles)
                          : grid_of<T>(placed.lanes, code::kFusedName, sizeof(T)),
                      arguments.data());
  std::size_t done = 0;
  for (std::size_t t = 0; t < call.targets.size() && pieces > 1; ++t) {
    const FusedTarget& target = call.body.targets[t];
    if (!target.is_stored())
      reduce_parts<T>(target.over_axis(), {before, pieces, after}, parts[done++]->data(),
                      result_of(call, target, call.targets[t].data));
  }
}

/// False where there is no kernel for the call.
template <class T>
bool run_compiled(const FusedCall<T>& call) {
  if (!is_on() || call.body.targets.empty()) return false;
  const Placed placed = place(call);
  const Lookup key{call.body, placed.layout, state().device};
  const std::shared_ptr<Made> made = kernels().at(hash(key), key);
  std::call_once(made->once, [&] {
    if (code::fused_within_limits(call.body)) make(*made, key);
  });
  if (made->loaded == nullptr) return false;
  if (Recording* const recording = state().recording; recording != nullptr)
    recording->kept.push_back(made);
  Operands<T> operands(call, made->kernel);
  operands.draw();
  if (made->kernel.reduces != FusedReduces::No) {
    launch_reducing(call, operands, *made, placed);
  } else {
    launch(call, operands, *made, placed);
    if (!made->reductions.targets.empty()) operands.reduce(*made);
  }
  return true;
}

}  // namespace

/// What uses its own reductions is cut: a kernel, or so, for each of its parts, which compute again
/// what they need rather than read it. Draws come in the order of the steps, and are not.
template <class T>
void Engine<T>::fused(const FusedCall<T>& call) {
  const bool empty = call.rows == 0 || call.cols == 0;
  const auto run = [](const FusedCall<T>& plain) {
    if (!run_compiled(plain)) detail::unfused<Engine<T>>(plain);
  };
  if (empty || (!call.body.is_plain() && call.body.draws()))
    detail::unfused<Engine<T>>(call);
  else if (call.body.is_plain())
    run(call);
  else if (is_on())
    detail::run_parts<Engine<T>>(call, false, run);
  else
    detail::unfused<Engine<T>>(call);
}

template void Engine<float>::fused(const FusedCall<float>&);
template void Engine<double>::fused(const FusedCall<double>&);

}  // namespace cudamat::cuda
