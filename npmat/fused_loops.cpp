#include "npmat/fused_loops.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <optional>
#include <pthread.h>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "cudamat/code/body_hash.hpp"
#include "cudamat/code/cache.hpp"
#include "cudamat/code/loaded_object.hpp"
#include "cudamat/code/recent.hpp"
#include "cudamat/compile_mode.hpp"
#include "cudamat/error.hpp"
#include "npmat/column_source.hpp"
#include "npmat/machine.hpp"
#include "npmat/map_tiles.hpp"
#include "npmat/signals.hpp"
#include "npmat/system_compiler.hpp"

namespace npmat::fused {
namespace {

using cudamat::FusedBody;
using cudamat::FusedCall;
using cudamat::FusedStep;
using cudamat::code::LoadedObject;
using Clock = std::chrono::steady_clock;
using Nanoseconds = std::int64_t;

constexpr Index kLeast = 8192;           ///< elements of calls that are worth a look for their loop
constexpr Nanoseconds kAsk = 5'000'000;  ///< of tiles, before the disk is asked for the loop
constexpr Nanoseconds kCompile = 200'000'000;  ///< and before it is compiled: about what that takes
constexpr std::size_t kMostLoops = 256;        ///< in memory

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

/// A body with its layout, and what became of it.
struct LoopEntry {
  enum class State : std::uint8_t {
    New,
    Asked,   ///< for, on the disk
    Absent,  ///< from there
    Wanted,  ///< from the compiler
    Done,    ///< is there, or never will be
  };

  std::once_flag met;
  bool fit = false;     ///< known once it was met
  LoopOutputs outputs;  ///< so is this
  std::atomic<State> state = State::New;
  std::atomic<Nanoseconds> spent = 0;    ///< in tiles
  std::shared_ptr<LoadedObject> object;  ///< written before `function`, as the latter is released
  std::atomic<void*> function = nullptr;
  std::mutex making;

  void load(std::shared_ptr<LoadedObject> made, const std::string& name) {
    object = std::move(made);
    function.store(object->find(name), std::memory_order_release);
  }
};

namespace {

using State = LoopEntry::State;

struct Task {
  std::shared_ptr<LoopEntry> entry;
  LoopCode code;
  bool compiles;  ///< where the disk does not have it
};

/// All loops, and the thread that makes them.
class Loops {
 public:
  cudamat::code::Recent<Key, LoopEntry> known{kMostLoops};

  /// The loop of the task, if it can be had.
  void make(const Task& task, bool in_background) {
    const std::lock_guard lock(task.entry->making);
    if (task.entry->function.load() != nullptr) return;
    const std::string source = loop_source({task.code});
    const SystemCompiler& by = compiler();
    std::string object = by.find(source);
    if (object.empty() && !task.compiles) {
      task.entry->state = State::Absent;
      return;
    }
    if (object.empty() && !broken_.load()) {
      CompiledObject made = by.compile(source, in_background);
      if (!made.failure.empty()) fail(made.failure, in_background);
      object = std::move(made.object);
    }
    if (!object.empty()) task.entry->load(std::make_shared<LoadedObject>(object), task.code.name);
    task.entry->state = State::Done;
  }

  /// The same, on the thread for that.
  void add(Task task) {
    const std::lock_guard lock(mutex_);
    if (!started_) {
      const HeldSignals held;  // handlers of the program run on the program's own threads
      std::thread([this] { work(); }).detach();
      started_ = true;
    }
    tasks_.push_back(std::move(task));
    more_.notify_one();
  }

  void met(Task task) {
    task.entry->state = State::Wanted;
    const std::lock_guard lock(mutex_);
    met_.push_back(std::move(task));
  }

  std::int64_t compile_together() {
    std::vector<Task> tasks;
    {
      const std::lock_guard lock(mutex_);
      tasks.swap(met_);
    }
    std::vector<LoopCode> functions;
    for (const Task& task : tasks)
      if (std::ranges::find(functions, task.code.name, &LoopCode::name) == functions.end())
        functions.push_back(task.code);
    const std::string source = loop_source(functions);
    std::string object = compiler().find(source);
    if (object.empty()) object = compiler().compile(source, false).object;
    if (object.empty()) return -1;
    const auto loaded = std::make_shared<LoadedObject>(object);
    for (const Task& task : tasks) task.entry->load(loaded, task.code.name);
    return std::int64_t(tasks.size());
  }

 private:
  const SystemCompiler& compiler() {
    const std::lock_guard lock(compiler_mutex_);
    if (!compiler_) compiler_.emplace(named_, cache_);
    return *compiler_;
  }

  void fail(const std::string& failure, bool in_background) {
    if (!broken_.exchange(true) && !in_background)
      std::fprintf(stderr, "cudamat: fused statements are not compiled: %s\n", failure.c_str());
  }

  [[noreturn]] void work() {
    for (;;) {
      std::unique_lock lock(mutex_);
      more_.wait(lock, [&] { return !tasks_.empty(); });
      const Task task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      try {
        make(task, true);
      } catch (const std::exception&) {  // no memory
        task.entry->state = State::Done;
      }
    }
  }

  static std::string named() {
    const char* const value = std::getenv("CXX");
    return value == nullptr ? "" : value;
  }

  // The environment is read by a thread of the program: it may change it later.
  const std::string named_ = named();
  const Machine machine_ = machine();
  const cudamat::code::Cache cache_;
  std::mutex compiler_mutex_;
  std::optional<SystemCompiler> compiler_;
  std::atomic<bool> broken_ = false;  ///< a compiler that failed once is not asked again

  std::mutex mutex_;
  std::condition_variable more_;
  bool started_ = false;
  std::deque<Task> tasks_;
  std::vector<Task> met_;  ///< with Compile::Together
};

/// Never destroyed: its thread works until the process is gone. The child of a fork has not got
/// that thread, and begins anew.
std::atomic<Loops*> the_loops = nullptr;

Loops& loops() {
  if (Loops* const made = the_loops.load(std::memory_order_acquire)) return *made;
  static const int registered = pthread_atfork(nullptr, nullptr, [] { the_loops.store(nullptr); });
  (void)registered;
  auto fresh = std::make_unique<Loops>();
  Loops* none = nullptr;
  return the_loops.compare_exchange_strong(none, fresh.get()) ? *fresh.release() : *none;
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
    const State state = entry_->state.load();
    if (mode == Compile::Now && state != State::Done)
      loops().make({entry_, code_of(key.body, key.layout), true}, false);
    if (mode == Compile::Together && state == State::New)
      loops().met({entry_, code_of(key.body, key.layout), true});
  } catch (const std::bad_alloc&) {  // tiles take less
    entry_.reset();
    return;
  }
  function_ = entry_->function.load(std::memory_order_acquire);
  if (function_ != nullptr)
    runs.fetch_add(1, std::memory_order_relaxed);
  else
    began_ = Clock::now();
}

/// Asks for the loop where that is worth it by now.
template <class T>
Loop<T>::~Loop() {
  if (entry_ == nullptr || function_ != nullptr) return;
  const auto took = std::chrono::nanoseconds(Clock::now() - began_).count();
  const Nanoseconds spent = entry_->spent.fetch_add(took, std::memory_order_relaxed) + took;
  State seen = entry_->state.load(std::memory_order_relaxed);
  const bool compiles = seen == State::Absent && spent >= kCompile;
  if (!compiles && (seen != State::New || spent < kAsk)) return;
  if (!entry_->state.compare_exchange_strong(seen, compiles ? State::Wanted : State::Asked)) return;
  try {
    loops().add({entry_, code_of(call_.body, layout_), compiles});
  } catch (const std::exception&) {  // no memory, or no thread
    entry_->state = State::Done;
  }
}

template <class T>
bool Loop<T>::may_come() const {
  return function_ != nullptr || (entry_ != nullptr && entry_->state.load() != State::Done);
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
