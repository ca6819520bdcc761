// A function that the system's compiler makes at run time: in the background, or at once. Its code
// is in the cache on the disk (cudamat/code/cache.hpp) from then on. Internal.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <string>
#include <vector>

#include "cudamat/code/loaded_object.hpp"
#include "npmat/loop_source.hpp"

namespace npmat {

class CompiledFunction : public std::enable_shared_from_this<CompiledFunction> {
 public:
  using Nanoseconds = std::chrono::nanoseconds;
  enum class State : std::uint8_t {
    New,
    Asked,   ///< for, on the disk
    Absent,  ///< from there
    Wanted,  ///< from the compiler
    Done,    ///< is there, or never will be
  };

  /// Its address; null: there is none, so far. It stays loaded as long as this lives.
  [[nodiscard]] void* address() const { return address_.load(std::memory_order_acquire); }
  [[nodiscard]] State state() const { return state_.load(); }

  /// Makes it before this returns; if no compiler can, that is reported once on stderr. Throws
  /// nothing but std::bad_alloc.
  void make_now(const fused::LoopCode& code) { make(code, true, false); }

  /// Adds to the time that was spent for want of the function; after 5 ms it is looked for on the
  /// disk, and after 200 ms, about what a compiler takes, compiled in the background. `code()` is
  /// called when it is needed.
  template <class F>
  void spend(Nanoseconds time, const F& code) {
    const Nanoseconds::rep spent = spent_.fetch_add(time.count()) + time.count();
    State seen = state_.load(std::memory_order_relaxed);
    const bool compiles = seen == State::Absent && spent >= kCompile.count();
    if (!compiles && (seen != State::New || spent < kAsk.count())) return;
    if (!state_.compare_exchange_strong(seen, compiles ? State::Wanted : State::Asked)) return;
    try {
      make_later(code(), compiles);
    } catch (const std::exception&) {  // no memory, or no thread
      state_ = State::Done;
    }
  }

  /// load() will be called: until then nothing else makes it.
  void expect() { state_ = State::Wanted; }
  /// Takes it from an object that is loaded.
  void load(std::shared_ptr<cudamat::code::LoadedObject> object, const std::string& name);

 private:
  static constexpr Nanoseconds kAsk = std::chrono::milliseconds(5);
  static constexpr Nanoseconds kCompile = std::chrono::milliseconds(200);

  /// With `making_` locked.
  void keep(std::shared_ptr<cudamat::code::LoadedObject> object, const std::string& name);
  void make(const fused::LoopCode& code, bool compiles, bool in_background);
  void make_later(fused::LoopCode code, bool compiles);

  std::atomic<State> state_ = State::New;
  std::atomic<Nanoseconds::rep> spent_ = 0;
  std::shared_ptr<cudamat::code::LoadedObject> object_;  ///< written before the address is
  std::atomic<void*> address_ = nullptr;
  std::mutex making_;
};

/// That of the code, which all who have such code share.
std::shared_ptr<CompiledFunction> compiled_function(const fused::LoopCode& code);

/// The object of each function, compiled now: many functions as several sources, on several cores.
/// Null where that failed.
std::vector<std::shared_ptr<cudamat::code::LoadedObject>> compiled_objects(
    const std::vector<fused::LoopCode>& functions);

/// The one T of this process, never destroyed: threads may use it until the process is gone. The
/// child of a fork, which has not got them, begins anew.
template <class T>
T& one_per_process() {
  static std::atomic<T*> the_one = nullptr;
  if (T* const made = the_one.load(std::memory_order_acquire)) return *made;
  static const int registered = pthread_atfork(nullptr, nullptr, [] { the_one.store(nullptr); });
  (void)registered;
  auto fresh = std::make_unique<T>();
  T* none = nullptr;
  return the_one.compare_exchange_strong(none, fresh.get()) ? *fresh.release() : *none;
}

}  // namespace npmat
