#include "npmat/compiled_function.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "cudamat/code/cache.hpp"
#include "cudamat/code/recent.hpp"
#include "npmat/machine.hpp"
#include "npmat/signals.hpp"
#include "npmat/system_compiler.hpp"

namespace npmat {
namespace {

using cudamat::code::LoadedObject;
using fused::loop_source;
using fused::LoopCode;

/// The compiler, and the thread that waits for it in the background.
class Workshop {
 public:
  /// What was compiled of the source before; nothing if it is not in the cache.
  std::string find(const std::string& source) { return compiler().find(source); }

  /// Nothing if it cannot be compiled.
  std::string compile(const std::string& source, bool in_background) {
    if (broken_.load()) return {};
    CompiledObject made = compiler().compile(source, in_background);
    if (!made.failure.empty() && !broken_.exchange(true) && !in_background)
      std::fprintf(stderr, "cudamat: fused statements are not compiled: %s\n",
                   made.failure.c_str());
    return std::move(made.object);
  }

  void later(std::function<void()> task) {
    const std::lock_guard lock(mutex_);
    if (!started_) {
      const HeldSignals held;  // handlers of the program run on the program's own threads
      std::thread([this] { work(); }).detach();
      started_ = true;
    }
    tasks_.push_back(std::move(task));
    more_.notify_one();
  }

 private:
  const SystemCompiler& compiler() {
    const std::lock_guard lock(compiler_mutex_);
    if (!compiler_) compiler_.emplace(named_, cache_);
    return *compiler_;
  }

  [[noreturn]] void work() {
    for (;;) {
      std::unique_lock lock(mutex_);
      more_.wait(lock, [&] { return !tasks_.empty(); });
      const std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
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
  std::deque<std::function<void()>> tasks_;
};

Workshop& workshop() {
  return one_per_process<Workshop>();
}

}  // namespace

void CompiledFunction::keep(std::shared_ptr<LoadedObject> object, const std::string& name) {
  object_ = std::move(object);
  address_.store(object_->find(name), std::memory_order_release);
}

void CompiledFunction::load(std::shared_ptr<LoadedObject> object, const std::string& name) {
  const std::lock_guard lock(making_);
  if (address() == nullptr) keep(std::move(object), name);
}

void CompiledFunction::make(const LoopCode& code, bool compiles, bool in_background) {
  const std::lock_guard lock(making_);
  if (address() != nullptr) return;
  const std::string source = loop_source({code});
  std::string object = workshop().find(source);
  if (object.empty() && !compiles) {
    state_ = State::Absent;
    return;
  }
  if (object.empty()) object = workshop().compile(source, in_background);
  if (!object.empty()) keep(std::make_shared<LoadedObject>(object), code.name);
  state_ = State::Done;
}

void CompiledFunction::make_later(LoopCode code, bool compiles) {
  workshop().later([self = shared_from_this(), code = std::move(code), compiles] {
    try {
      self->make(code, compiles, true);
    } catch (const std::exception&) {  // no memory
      self->state_ = State::Done;
    }
  });
}

std::shared_ptr<CompiledFunction> compiled_function(const LoopCode& code) {
  constexpr std::size_t kMost = 256;
  struct Shared : cudamat::code::Recent<std::string, CompiledFunction> {
    Shared() : Recent(kMost) {}
  };
  return one_per_process<Shared>().at(std::hash<std::string>{}(code.name), code.name);
}

std::vector<std::shared_ptr<LoadedObject>> compiled_objects(
    const std::vector<LoopCode>& functions) {
  constexpr std::size_t kFew = 40;  // functions, which take what the headers take
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t count = functions.size();
  if (count == 0) return {};
  const std::size_t units = std::clamp<std::size_t>(count / kFew, 1, cores);
  std::vector<std::shared_ptr<LoadedObject>> objects(count);
  std::atomic<bool> fails = false;  // no memory
  const auto compile = [&](std::size_t unit) noexcept {
    const std::size_t first = count * unit / units, last = count * (unit + 1) / units;
    try {
      const std::string source = loop_source(
          {functions.begin() + std::ptrdiff_t(first), functions.begin() + std::ptrdiff_t(last)});
      std::string object = workshop().find(source);
      if (object.empty()) object = workshop().compile(source, false);
      if (object.empty()) return;
      std::fill(objects.begin() + std::ptrdiff_t(first), objects.begin() + std::ptrdiff_t(last),
                std::make_shared<LoadedObject>(object));
    } catch (const std::bad_alloc&) {
      fails = true;
    }
  };
  std::vector<std::jthread> others;
  std::size_t unit = 1;
  try {
    const HeldSignals held;
    for (; unit < units; ++unit) others.emplace_back(compile, unit);
  } catch (const std::system_error&) {  // no thread
  }
  for (; unit < units; ++unit) compile(unit);
  compile(0);
  others.clear();
  if (fails) throw std::bad_alloc();
  return objects;
}

}  // namespace npmat
