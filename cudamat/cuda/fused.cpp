// Fused statements: what a kernel computes is compiled at run time. Normals drawn before it are the
// engine's own, and so is what is left of reductions after it.
#include <algorithm>
#include <atomic>
#include <cstdio>

#include "cudamat/code/body_hash.hpp"
#include "cudamat/code/recent.hpp"
#include "cudamat/compile_mode.hpp"
#include "cudamat/cuda/compiler.hpp"
#include "cudamat/cuda/fused_call.hpp"
#include "cudamat/cuda/recording.hpp"
#include "cudamat/cuda/reduce.hpp"
#include "cudamat/detail/fused_cut.hpp"

namespace cudamat::cuda {

bool compiles_fused() {
  static const bool on = compile_mode() != CompileMode::Off;
  return on;
}

void explain_once(const std::string& failure) {
  static std::atomic<bool> said = false;
  if (!said.exchange(true))
    std::fprintf(stderr, "cudamat: fused statements run one operation at a time: %s\n",
                 failure.c_str());
}

void load(MadeKernel& made, const std::string& source) {
  constexpr int kTries = 3;
  const Compiled compiled = compile(source, state().capability);
  if (!compiled.failure.empty()) return explain_once(compiled.failure);
  try {
    made.loaded = std::make_unique<LoadedKernel>(compiled.code, code::kFusedName);
  } catch (const LibraryError&) {
    if (++made.failures < kTries) throw;
  }
}

namespace {

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

/// What is made once for a key.
struct Made : MadeKernel {
  code::FusedKernel kernel;
  FusedBody reductions;  ///< of what the kernel stores, an input each
};

/// Never destroyed: the driver may be gone before.
code::Recent<Key, Made>& kernels() {
  static auto* const the_kernels = new code::Recent<Key, Made>(kMostFusedKernels);
  return *the_kernels;
}

void make(Made& made, const Lookup& key) {
  made.kernel = code::fused_kernel(key.body, key.layout);
  made.reductions = {};
  made.reductions.numbers = key.body.numbers;
  for (FusedTarget target : key.body.targets) {
    if (target.is_stored()) continue;
    target.value = {FusedValue::Kind::Input, static_cast<int>(made.reductions.targets.size())};
    made.reductions.inputs.push_back(Spread::Whole);
    made.reductions.targets.push_back(target);
  }
  load(made, code::fused_source(key.body, key.layout, made.kernel));
}

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
  if (!compiles_fused() || call.body.targets.empty()) return false;
  const Placed placed = place(call);
  const Lookup key{call.body, placed.layout, state().device};
  const std::shared_ptr<Made> made = kernels().at(hash(key), key);
  make_once(*made, [&] {
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
    if (!made->reductions.targets.empty()) operands.reduce(made->kernel, made->reductions);
  }
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
  else if (compiles_fused())
    detail::run_parts<Engine<T>>(call, false, run);
  else
    detail::unfused<Engine<T>>(call);
}

template void Engine<float>::fused(const FusedCall<float>&);
template void Engine<double>::fused(const FusedCall<double>&);

}  // namespace cudamat::cuda
