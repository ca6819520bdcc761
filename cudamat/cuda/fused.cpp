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

/// Nothing where it is not compiled, which is said.
std::unique_ptr<LoadedKernel> load(const std::string& source) {
  const Compiled compiled = compile(source, state().capability);
  if (!compiled.failure.empty()) {
    explain_once(compiled.failure);
    return nullptr;
  }
  try {
    return std::make_unique<LoadedKernel>(compiled.code, code::kFusedName);
  } catch (const LibraryError& error) {
    explain_once(error.what());
    return nullptr;
  }
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
  made.loaded = load(code::fused_source(key.body, key.layout, made.kernel));
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

/// Of a segment, each of which gives a part of its result.
Index pieces_of(const Placed& placed) {
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

/// Of a kernel that reduces: pieces of what is reduced give parts, which are reduced in turn.
template <class T>
void launch_reducing(const FusedCall<T>& call, const Operands<T>& operands, const Made& made,
                     const Placed& placed) {
  const auto& [before, length, after] = placed.shape;
  const Index pieces = pieces_of(placed);
  std::vector<std::unique_ptr<Workspace<T>>> parts;
  for (const FusedTarget& target : call.body.targets)
    if (!target.is_stored() && pieces > 1)
      parts.push_back(std::make_unique<Workspace<T>>(before * pieces * after));
  Arguments arguments;
  add_reducing(arguments, call, operands, placed, parts);
  made.loaded->launch(grid_of<T>(placed, made.kernel), arguments.data());
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

// ---- whole columns ----

/// What is made once of a statement's parts; without `loaded` there is no kernel.
struct MadeColumns {
  std::once_flag once;
  std::unique_ptr<LoadedKernel> loaded;
};

struct ColumnsLookup {
  const FusedBody& body;
  const std::vector<FusedLayout>& layouts;
  const std::vector<bool>& late;
  int device;
};
struct ColumnsKey {
  FusedBody body;
  std::vector<FusedLayout> layouts;
  std::vector<bool> late;
  int device;

  explicit ColumnsKey(const ColumnsLookup& from)
      : body(from.body), layouts(from.layouts), late(from.late), device(from.device) {}
  bool operator==(const ColumnsLookup& other) const {
    return device == other.device && layouts == other.layouts && late == other.late &&
           body == other.body;
  }
};
std::size_t hash(const ColumnsLookup& key) {
  return code::Hash().add(key.device).add(key.body).value();
}

code::Recent<ColumnsKey, MadeColumns>& column_kernels() {
  static auto* const the_kernels = new code::Recent<ColumnsKey, MadeColumns>(kMostKernels);
  return *the_kernels;
}

/// Whether all that a statement reduces are columns, from end to end.
bool reduces_columns(const FusedBody& body) {
  return std::ranges::all_of(
             body.steps, [](const FusedStep& s) { return !s.reduces() || s.axis == 0; }) &&
         std::ranges::all_of(body.targets, [](const FusedTarget& target) {
           return target.is_stored() ||
                  (target.is_vector() ? target.lies == Spread::Row
                                      : !target.is_total() && target.axis == 0);
         });
}

/// A part with all that a kernel needs to know of it.
template <class T>
struct ColumnPart {
  detail::FusedPartCall<T> made;
  FusedCall<T> call;
  Placed placed;
  code::FusedKernel kernel;

  ColumnPart(detail::FusedPartCall<T> of)
      : made(std::move(of)), call(made.call()), placed(place(call)) {
    const bool reduces = placed.layout.reduces != FusedReduces::No;
    if (!reduces) placed = place(call, true);
    kernel = code::fused_kernel(call.body, placed.layout);
  }
  /// Whether the kernel is one that a block runs on its columns.
  [[nodiscard]] bool fits() const {
    return kernel.reduces == placed.layout.reduces && pieces_of(placed) <= 1 &&
           code::fused_within_limits(call.body);
  }
  void add_to(Arguments& arguments) const {
    const Operands<T> operands(call, kernel);
    if (kernel.reduces != FusedReduces::No) return add_reducing(arguments, call, operands, placed);
    const Index shift = kernel.pack > 1 ? placed.shift : 0;
    operands.add_to(arguments, call.rows, call.cols, shift, 1);
  }
};

/// A statement that uses its own reductions, as one kernel in which each block has whole columns,
/// whose parts it computes one after the other. False, and nothing is done, where that is not how
/// its reductions are planned.
template <class T>
bool run_columns(const FusedCall<T>& call) {
  if (!is_on() || !reduces_columns(call.body)) return false;
  const std::vector<bool> late = detail::late_targets(call);
  const detail::FusedParts cut = detail::FusedCutter(call.body, late, false).cut();
  const detail::FusedRegion all{0, call.rows, 0, call.cols};
  std::vector<std::unique_ptr<Workspace<T>>> memory;
  std::vector<T*> temporaries;
  for (const Spread how : cut.temporaries) {
    if (how != Spread::Row) return false;
    memory.push_back(std::make_unique<Workspace<T>>(call.cols));
    temporaries.push_back(memory.back()->data());
  }
  std::vector<std::unique_ptr<ColumnPart<T>>> parts;
  std::vector<FusedLayout> layouts;
  Arguments arguments;
  Grid grid{};
  for (const detail::FusedPart& part : cut.parts) {
    if (part.space != Spread::Whole && part.space != Spread::Row) return false;
    parts.push_back(std::make_unique<ColumnPart<T>>(
        detail::FusedPartCall<T>(part, cut, call, all, temporaries)));
    const ColumnPart<T>& made = *parts.back();
    if (!made.fits() || !arguments.has_room()) return false;
    made.add_to(arguments);
    layouts.push_back(made.placed.layout);
    if (made.kernel.reduces == FusedReduces::No) {
      if (parts.size() == 1) return false;  // the first says which columns a block has
      continue;
    }
    const Grid own = grid_of<T>(made.placed, made.kernel);
    const auto shared = std::max(grid.shared_bytes, own.shared_bytes);
    grid = own;
    grid.shared_bytes = shared;
  }
  const ColumnsLookup key{call.body, layouts, late, state().device};
  const std::shared_ptr<MadeColumns> made = column_kernels().at(hash(key), key);
  std::call_once(made->once, [&] {
    std::vector<code::FusedColumnPart> of;
    for (const auto& part : parts) of.push_back({part->call.body, part->placed.layout, part->kernel});
    made->loaded = load(code::fused_columns_source(of));
  });
  if (made->loaded == nullptr) return false;
  if (Recording* const recording = state().recording; recording != nullptr)
    recording->kept.push_back(made);
  made->loaded->launch(grid, arguments.data());
  return true;
}

}  // namespace

/// What uses its own reductions is cut: a kernel, or so, for each of its parts, which compute again
/// what they need rather than read it; or one kernel for all of them. Draws come in the order of
/// the steps, and are not.
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
  else if (run_columns(call))
    return;
  else if (is_on())
    detail::run_parts<Engine<T>>(call, false, run);
  else
    detail::unfused<Engine<T>>(call);
}

template void Engine<float>::fused(const FusedCall<float>&);
template void Engine<double>::fused(const FusedCall<double>&);

}  // namespace cudamat::cuda
