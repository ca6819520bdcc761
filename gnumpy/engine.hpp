// The interface of an engine for garrays, in one class, since the engine is chosen at run time.
// Internal to gnumpy.
//
// Memory is a block of `n` elements of the engine's type. Everything here is in elements; shapes of
// arrays are not known. Calls take effect in order; an engine may run them later, and only
// to_host() waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <variant>

#include "cudamat/engine.hpp"
#include "cudamat/sharing.hpp"
#include "gnumpy/plan.hpp"
#include "npmat/picks.hpp"

namespace gnumpy::detail {

using cudamat::Index;
using npmat::Picks;

/// Numbers on the host, in one of the types that users have.
using HostSource =
    std::variant<std::span<const float>, std::span<const double>, std::span<const long double>>;
using HostTarget = std::variant<std::span<float>, std::span<double>, std::span<long double>>;

/// Elements from `offset` on; where columns are copied, they are `ld` elements apart.
struct Block {
  void* data = nullptr;
  Index offset = 0;
  Index ld = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;

  /// "npmat float32", for messages.
  [[nodiscard]] virtual const char* name() const = 0;
  [[nodiscard]] virtual bool on_gpu() const = 0;
  [[nodiscard]] virtual int bytes_per_element() const = 0;
  /// Whole numbers up to this one are numbers of the engine's type.
  [[nodiscard]] virtual Index most_exact() const = 0;
  /// Bytes that the engine's memory has free now; at least 0.
  [[nodiscard]] virtual std::int64_t free_bytes() const = 0;
  /// How other libraries call the type of its numbers, if they have it, and reach its memory.
  [[nodiscard]] virtual std::optional<cudamat::dlpack::DataType> element_type() const = 0;
  [[nodiscard]] virtual const cudamat::Sharing& sharing() const = 0;

  /// Uninitialised. Throws OutOfMemory.
  virtual void* allocate(Index n) = 0;
  virtual void deallocate(void* data, Index n) noexcept = 0;
  /// A number for the calling thread: what it no longer uses may be used again at once, without the
  /// engine being told, by every thread that has the same number. kNoReuse: by none.
  [[nodiscard]] virtual int reuse_among() const noexcept { return 0; }
  static constexpr int kNoReuse = -1;

  /// Between the host and elements [offset, offset + size) of a block; numbers are rounded to the
  /// target's type.
  virtual void to_device(HostSource source, void* target, Index offset) = 0;
  virtual void to_host(const void* source, Index offset, HostTarget target) = 0;

  virtual void fill(void* target, Index offset, Index n, double value) = 0;
  virtual void copy_block(Index rows, Index cols, Block source, Block target) = 0;
  /// target[b][k][a] = source[b][pick(k)][a], and target[b][pick(k)][a] = source[b][k][a], where of
  /// equal picks the last is written.
  virtual void pick(const Picks& picks, Block source, Block target) = 0;
  virtual void put(const Picks& picks, Block source, Block target) = 0;
  /// target[b + inner * (j + cols * i)] = source[b + inner * (i + rows * j)]
  virtual void transpose(Block source, Block target, Index rows, Index cols, Index inner) = 0;
  /// Running sums along the rows of a rows x cols matrix; in place allowed.
  virtual void cumsum(Block source, Block target, Index rows, Index cols) = 0;
  /// Each column of a rows x cols matrix ascending, NaNs last; in place.
  virtual void sort(Block data, Index rows, Index cols) = 0;

  /// Columns by number, which `at` has as whole numbers: of `cols` columns of `rows` elements each.
  /// target column k = source column at[k], and target column at[k] = source column k.
  virtual void gather(Index rows, Index cols, Index count, Block at, Block source,
                      Block target) = 0;
  virtual void scatter(Index rows, Index cols, Index count, Block at, Block source,
                       Block target) = 0;

  // What values choose, of n elements, as cudamat::Engine has it (cudamat/engine.hpp). Those that
  // give a number wait for it. counts and weights without memory: none.
  virtual Index nonzero(Block source, Block target, Index n) = 0;
  virtual Index unique(Block source, Block target, Block counts, Index n) = 0;
  virtual void search(cudamat::Side side, Block edges, Index count, Block source, Block target,
                      Index n) = 0;
  /// Raises an error for, as cudamat's bincount, what is no place in the `size` elements of the
  /// target. Waits.
  virtual void bincount(Block source, Block weights, Index n, Block target, Index size) = 0;

  virtual void seed(std::uint64_t seed) = 0;
  /// On (0, 1]; standard normal.
  virtual void uniform(void* target, Index n) = 0;
  virtual void normal(void* target, Index n) = 0;

  /// The least and the greatest of n elements, at least one; NaN if there is one. Waits.
  virtual std::pair<double, double> extremes(const void* data, Index offset, Index n) = 0;

  /// Runs the plan; memory[i] is what plan.places speak of as i. `after`, if not empty, is called
  /// after every statement that computes.
  using After = std::function<void(const rewriter::Statement&)>;
  virtual void run(const Plan& plan, std::span<void* const> memory, const After& after) = 0;
};

/// The engine that the environment asks for (engine_choice.cpp), chosen at the first use. Throws
/// CUDAMatException if the environment asks for what is not there.
Engine& engine();

}  // namespace gnumpy::detail
