// Fused statements as compiled loops: the system's compiler compiles them, and all intermediate
// values stay in registers. Bodies whose tiles have taken long are compiled in the background, and
// their loops take over when they are ready; nothing waits for a compiler. A loop has the same bits
// as the tiles, because it uses the same functors. Internal to npmat.
//
// CUDAMAT_COMPILE=off: never. auto (the default): bodies that run often. now: all, before they run
// for the first time. If no compiler is found, or one fails, tiles continue; with `now` this is
// reported once on stderr. A body with a function of the C library is not compiled: its vector
// functions give other bits in other loops, and the remaining ones would not be faster.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "cudamat/fused.hpp"
#include "npmat/loop_source.hpp"

namespace npmat::fused {

enum class Compile : std::uint8_t {
  Off,
  Auto,
  Now,
  Together,  ///< for tests: when compile_together is called
};

/// The value of CUDAMAT_COMPILE, unless a test called set_compile_mode. Throws CUDAMatException for
/// an unknown value.
Compile compile_mode();
void set_compile_mode(Compile mode);

/// The number of fused statements that ran as compiled loops in this process.
std::int64_t compiled_runs();

/// Compiles the bodies that were met with Compile::Together as one source. Returns their number; -1
/// if the compiler failed.
std::int64_t compile_together();

/// The loop of npmat/loop_source.hpp.
template <class T>
using LoopFunction = void (*)(const T* const* in, const T* number, T* const* out, long n,
                              const char* ahead, long lines);
/// The code of npmat/column_source.hpp.
template <class T>
using ColumnFunction = void (*)(const T* const* in, const T* const* next, const T* number,
                                T* const* out, long rows, T* scratch, long stride);

struct LoopEntry;

/// What the run of one call has to do with its loop: runs it, or takes the time of the tiles.
template <class T>
class Loop {
 public:
  /// Looks for the loop of this call, whose layout says all but the type. The call must outlive
  /// this.
  Loop(const cudamat::FusedCall<T>& call, LoopLayout layout);
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  /// Null: there is none, so far. It stays loaded as long as this lives.
  [[nodiscard]] LoopFunction<T> function() const {
    return reinterpret_cast<LoopFunction<T>>(function_);
  }
  /// The same of a layout of columns.
  [[nodiscard]] ColumnFunction<T> column_function() const {
    return reinterpret_cast<ColumnFunction<T>>(function_);
  }
  /// Whether there is one now, or may be one later.
  [[nodiscard]] bool may_come() const;
  /// Which of the loop's outputs is target t's, and how many there are.
  [[nodiscard]] int output_of(std::size_t t) const;
  [[nodiscard]] int outputs() const;

 private:
  const cudamat::FusedCall<T>& call_;
  LoopLayout layout_;
  std::shared_ptr<LoopEntry> entry_;
  void* function_ = nullptr;
  std::chrono::steady_clock::time_point began_;
};

}  // namespace npmat::fused
