#include "npmat/fused_loops.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string_view>
#include <vector>

#include "cudamat/code/body_hash.hpp"
#include "cudamat/code/recent.hpp"
#include "cudamat/compile_mode.hpp"
#include "cudamat/error.hpp"
#include "npmat/column_source.hpp"
#include "npmat/compiled_function.hpp"
#include "npmat/map_tiles.hpp"

namespace npmat::fused {
namespace {

using cudamat::FusedBody;
using cudamat::FusedCall;
using cudamat::FusedStep;
using Clock = std::chrono::steady_clock;

constexpr Index kLeast = 8192;           ///< elements of calls that are worth a look for their loop
constexpr std::size_t kMostLoops = 256;  ///< in memory

template <class T>
constexpr std::string_view kTypeName = "long double";
template <>
constexpr std::string_view kTypeName<float> = "float";
template <>
constexpr std::string_view kTypeName<double> = "double";

struct Lookup {
  const FusedBody& body;
  LoopLayout layout;
};

struct Key {
  FusedBody body;
  LoopLayout layout;

  explicit Key(const Lookup& from) : body(from.body), layout(from.layout) {}
  bool operator==(const Lookup& other) const {
    return layout == other.layout && body == other.body;
  }
};

std::size_t hash(const Lookup& key) {
  return cudamat::code::Hash()
      .add(key.layout.type.size())
      .add(key.layout.single)
      .add(key.layout.columns)
      .add(key.layout.late)
      .add(key.body)
      .value();
}

/// Whether its loop would be vector instructions throughout, and more than one step: of one the
/// tiles are a loop already.
template <class T>
bool is_fit(const FusedBody& body) {
  return body.steps.size() > 1 && loop_within_limits(body) &&
         std::all_of(body.steps.begin(), body.steps.end(), [](const FusedStep& step) {
           return step.draws() || step.reduces() || step.op == cudamat::Op::where ||
                  map_tile<T>(step.op).is_inline;
         });
}

LoopCode code_of(const FusedBody& body, const LoopLayout& layout) {
  if (!layout.columns) return loop_code(body, layout);
  std::vector<bool> late;
  for (std::size_t t = 0; t < body.targets.size(); ++t) late.push_back((layout.late >> t & 1) != 0);
  return column_code(body, cudamat::detail::FusedCutter(body, late, true).cut(), layout.type);
}

}  // namespace

/// A body with its layout, and its loop.
struct LoopEntry : CompiledFunction {
  std::once_flag met;
  bool fit = false;     ///< known once it was met
  LoopOutputs outputs;  ///< so is this
};

namespace {

using State = CompiledFunction::State;

/// All loops, and with Compile::Together those that were met.
class Loops {
 public:
  cudamat::code::Recent<Key, LoopEntry> known{kMostLoops};

  void meet(const std::shared_ptr<LoopEntry>& entry, LoopCode code) {
    entry->expect();
    const std::lock_guard lock(mutex_);
    met_.push_back({entry, std::move(code)});
  }

  std::int64_t compile_together() {
    std::vector<Met> all;
    {
      const std::lock_guard lock(mutex_);
      all.swap(met_);
    }
    std::vector<LoopCode> functions;
    for (const Met& each : all)
      if (std::ranges::find(functions, each.code.name, &LoopCode::name) == functions.end())
        functions.push_back(each.code);
    const auto objects = compiled_objects(functions);
    bool fails = false;
    for (const Met& each : all) {
      const auto place = std::ranges::find(functions, each.code.name, &LoopCode::name);
      const auto& object = objects[static_cast<std::size_t>(place - functions.begin())];
      if (object != nullptr) each.entry->load(object, each.code.name);
      fails = fails || object == nullptr;
    }
    return fails ? -1 : std::int64_t(all.size());
  }

 private:
  struct Met {
    std::shared_ptr<LoopEntry> entry;
    LoopCode code;
  };

  std::mutex mutex_;
  std::vector<Met> met_;
};

Loops& loops() {
  return one_per_process<Loops>();
}

std::atomic<std::int64_t> runs = 0;

Compile mode_of_environment() {
  switch (cudamat::compile_mode()) {
    case cudamat::CompileMode::Off:
      return Compile::Off;
    case cudamat::CompileMode::Auto:
      return Compile::Auto;
    case cudamat::CompileMode::Now:
      return Compile::Now;
  }
  return Compile::Auto;
}

std::atomic<Compile>& the_mode() {
  static std::atomic<Compile> mode = mode_of_environment();
  return mode;
}

}  // namespace

Compile compile_mode() {
  return the_mode().load(std::memory_order_relaxed);
}

void set_compile_mode(Compile mode) {
  the_mode() = mode;
}

std::int64_t compiled_runs() {
  return runs.load();
}

std::int64_t compile_together() {
  return loops().compile_together();
}

template <class T>
Loop<T>::Loop(const FusedCall<T>& call, LoopLayout layout) : call_(call), layout_(layout) {
  layout_.type = kTypeName<T>;
  const Compile mode = compile_mode();
  if (mode == Compile::Off || (mode == Compile::Auto && call.rows * call.cols < kLeast)) return;
  try {
    const Lookup key{call.body, layout_};
    entry_ = loops().known.at(hash(key), key);
    std::call_once(entry_->met, [&] {
      entry_->fit = is_fit<T>(call.body);
      if (entry_->fit && !layout.columns) entry_->outputs = loop_outputs(call.body);
    });
    if (!entry_->fit) {
      entry_.reset();
      return;
    }
    const State state = entry_->state();
    if (mode == Compile::Now && state != State::Done)
      entry_->make_now(code_of(key.body, key.layout));
    if (mode == Compile::Together && state == State::New)
      loops().meet(entry_, code_of(key.body, key.layout));
  } catch (const std::bad_alloc&) {  // tiles take less
    entry_.reset();
    return;
  }
  function_ = entry_->address();
  if (function_ != nullptr)
    runs.fetch_add(1, std::memory_order_relaxed);
  else
    began_ = Clock::now();
}

/// Asks for the loop where that is worth it by now.
template <class T>
Loop<T>::~Loop() {
  if (entry_ == nullptr || function_ != nullptr) return;
  entry_->spend(Clock::now() - began_, [&] { return code_of(call_.body, layout_); });
}

template <class T>
bool Loop<T>::may_come() const {
  return function_ != nullptr || (entry_ != nullptr && entry_->state() != State::Done);
}

template <class T>
int Loop<T>::output_of(std::size_t t) const {
  return entry_->outputs.of_target[t];
}

template <class T>
int Loop<T>::outputs() const {
  return int(entry_->outputs.values.size());
}

template class Loop<float>;
template class Loop<double>;
template class Loop<long double>;

}  // namespace npmat::fused
