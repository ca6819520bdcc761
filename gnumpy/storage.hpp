// Blocks of the engine's memory, each held by the garrays that show it. Internal to gnumpy.
#pragma once

#include <memory>
#include <source_location>

#include "gnumpy/engine.hpp"

namespace gnumpy::detail {

/// Memory of `size` elements, given back with the last reference.
class Storage {
 public:
  /// Uninitialised. Throws OutOfMemory: what was asked, in use and allowed, and the lines that hold
  /// most.
  Storage(Index size, std::source_location where);
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] Index size() const { return size_; }
  [[nodiscard]] const std::source_location& where() const { return where_; }
  [[nodiscard]] const Storage* next() const { return next_; }

 private:
  void* data_ = nullptr;
  Index size_ = 0;
  std::source_location where_;
  Storage* previous_ = nullptr;  // all of them are in one list
  Storage* next_ = nullptr;
};

using StoragePtr = std::shared_ptr<Storage>;

}  // namespace gnumpy::detail
