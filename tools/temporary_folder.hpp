// A folder for files that another program is to read or write.
#pragma once

#include <filesystem>
#include <string>

namespace tools {

/// A new folder, for this user alone, that goes with this object, whatever lies in it.
class TemporaryFolder {
 public:
  /// In the system's folder for temporary files (TMPDIR, else /tmp); its name begins with `prefix`.
  /// Throws CUDAMatException where none can be made.
  explicit TemporaryFolder(const std::string& prefix);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// The whole text of a file; empty if there is none.
std::string file_text(const std::filesystem::path& path);

/// Writes the file. Throws CUDAMatException, with the path and the reason, if that fails.
void write_file(const std::filesystem::path& path, const std::string& text);

}  // namespace tools
