// Machine code that was compiled at run time: files without a name, and shared objects loaded from
// them. Internal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cudamat::code {

/// A file in memory, which nothing of is left when it is closed. Its number is above those of the
/// standard streams.
class MemoryFile {
 public:
  MemoryFile() noexcept;
  explicit MemoryFile(std::string_view content) noexcept;
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  /// Negative where there is no memory for it.
  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] std::string content() const;

 private:
  void close() noexcept;

  int number_;
};

/// A shared object, loaded until the end of this object.
class LoadedObject {
 public:
  explicit LoadedObject(std::string_view object);
  ~LoadedObject();
  LoadedObject(const LoadedObject&) = delete;
  LoadedObject& operator=(const LoadedObject&) = delete;

  [[nodiscard]] bool is_loaded() const { return handle_ != nullptr; }
  /// Why it is not.
  [[nodiscard]] const std::string& failure() const { return failure_; }
  /// Null if there is nothing of this name, or the object is not loaded.
  [[nodiscard]] void* find(const std::string& name) const noexcept;
  /// Where addresses in the object count from.
  [[nodiscard]] std::byte* base() const noexcept;
  /// Its file, for other programs as long as it is loaded.
  [[nodiscard]] std::string path() const;

 private:
  MemoryFile file_;  ///< open all the time: the loader knows objects by their file's name
  std::string failure_;
  void* handle_ = nullptr;
};

}  // namespace cudamat::code
