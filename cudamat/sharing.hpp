// How an engine's memory meets that of other libraries: what exchange.hpp needs of an engine in
// addition to engine.hpp. An engine has a function
//   const Sharing& sharing(const E*);
// that is found in its namespace: npmat/exchange.hpp and cudamat/cuda/exchange.hpp have them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cudamat/dlpack.hpp"
#include "cudamat/index.hpp"

namespace cudamat {

/// Keeps memory alive as long as it is held. It may be released in any thread.
using Owner = std::shared_ptr<void>;

/// The number of a stream, as DLPack and the CUDA Array Interface write it: a cudaStream_t, or one
/// of these. Without one (std::nullopt, Python's None) it is the legacy default stream on a GPU;
/// memory of the CPU has no streams.
using StreamNumber = std::intptr_t;
inline constexpr StreamNumber kNoOrder = -1;  ///< the caller ensures the order
inline constexpr StreamNumber kLegacyStream = 1;
inline constexpr StreamNumber kPerThreadStream = 2;

/// Elements in memory: along axis k each is strides[k] elements after the one before.
struct Strided {
  void* data = nullptr;  ///< the first element
  dlpack::Device device{};
  dlpack::DataType type{};
  std::vector<Index> dims{};
  std::vector<Index> strides{};
  bool read_only = false;

  [[nodiscard]] Index size() const {
    Index product = 1;
    for (const Index extent : dims) product *= extent;
    return product;
  }
};

/// Whether an engine can use memory.
struct Reach {
  bool in_place = false;
  bool by_copy = false;
  std::string why{};  ///< unless in place: "it is memory of the host"
};

class Sharing {
 public:
  virtual ~Sharing() = default;

  /// The device of the memory; for nullptr, that of the calling thread.
  [[nodiscard]] virtual dlpack::Device device(const void* data) const = 0;
  /// Whether calls of the calling thread can use this memory, of at least one element.
  [[nodiscard]] virtual Reach reach(const Strided& elements) const = 0;

  /// The stream that the calling thread's calls are queued on; none on a CPU.
  [[nodiscard]] virtual std::optional<StreamNumber> stream() const = 0;
  /// Later calls run after the work that the producer's stream has been given so far.
  virtual void wait_for(std::optional<StreamNumber> producer) const = 0;
  /// Later work on the consumer's stream runs after the work that is queued here. Returns an owner
  /// of `memory` for the consumer; when it is dropped, later calls here run after the consumer's
  /// work.
  [[nodiscard]] virtual Owner lend(Owner memory, std::optional<StreamNumber> consumer) const = 0;
  /// Holds the memory of another library for calls that are queued here; when it is dropped, it
  /// waits for them.
  [[nodiscard]] virtual Owner until_done(Owner memory) const = 0;

  /// Copies elements that are in reach, float or double, to the engine's memory, without gaps, the
  /// last axis fastest. Returns when they have been read.
  virtual void copy(const Strided& from, void* target) const = 0;
};

}  // namespace cudamat
