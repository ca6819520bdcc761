// Blocks of the engine's memory, each held by the garrays that show it. Internal to gnumpy.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <source_location>

#include "cudamat/error.hpp"
#include "gnumpy/engine.hpp"

namespace gnumpy::detail {

/// What numbers mean as a subscript. NumPy's sums of booleans are booleans; ours are numbers, so as
/// subscripts they are neither.
enum class Content : std::uint8_t { Numbers, Truths, SumsOfTruths };

/// What Storage() throws: nothing was done yet.
class Refused : public cudamat::OutOfMemory {
  using OutOfMemory::OutOfMemory;
};

/// Memory of `size` elements, given back with the last reference.
class Storage {
 public:
  /// Uninitialised. Throws Refused: what was asked, in use and allowed, and the lines that hold
  /// most.
  Storage(Index size, std::source_location where);
  /// Another library's memory, which `owner` keeps; it is shared.
  Storage(void* data, Index size, std::shared_ptr<void> owner, std::source_location where);
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] Index size() const { return size_; }
  [[nodiscard]] const std::source_location& where() const { return where_; }
  [[nodiscard]] const Storage* next() const { return next_; }

  /// Whether another library may write to it, as often as share() was called more than unshare().
  /// In any thread.
  [[nodiscard]] bool is_shared() const { return sharers_.load() > 0; }
  void share() { ++sharers_; }
  void unshare() { --sharers_; }

  /// Of all that was written here.
  Content content = Content::Numbers;

 private:
  void* data_ = nullptr;
  Index size_ = 0;
  int reuse_among_;  // where it was taken: Engine::reuse_among()
  std::source_location where_;
  std::shared_ptr<void> owner_;  // of memory that is not the engine's
  std::atomic<int> sharers_ = 0;
  Storage* previous_ = nullptr;  // all of them are in one list
  Storage* next_ = nullptr;
};

using StoragePtr = std::shared_ptr<Storage>;

/// Whether garrays hold clearly more memory than when this was last asked and so.
bool memory_has_grown();

}  // namespace gnumpy::detail
