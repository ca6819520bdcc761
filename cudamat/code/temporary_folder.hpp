// Where a compiler finds what it is to compile.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <unistd.h>

namespace cudamat::code {

/// A new folder among the system's temporary ones, gone with this object in the process that made
/// it. Where none can be made its path is empty, and nothing may be written or read.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// A file, by its path within the folder. False where there is no room.
  [[nodiscard]] bool write(const std::string& name, std::string_view text) const;
  /// Empty if there is none.
  [[nodiscard]] std::string read(const std::string& name) const;

 private:
  std::filesystem::path path_;
  pid_t owner_ = getpid();
};

}  // namespace cudamat::code
