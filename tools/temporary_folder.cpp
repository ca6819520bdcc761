#include "tools/temporary_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <mutex>
#include <set>

#include "cudamat/error.hpp"

namespace tools {

namespace {

std::mutex mutex;
std::set<std::filesystem::path>& folders() {
  static auto* const paths = new std::set<std::filesystem::path>;
  return *paths;
}

/// Of a program that ends at once.
void remove_folders() {
  const std::lock_guard lock(mutex);
  std::error_code ignored;
  for (const std::filesystem::path& path : folders()) std::filesystem::remove_all(path, ignored);
}

}  // namespace

TemporaryFolder::TemporaryFolder(const std::string& prefix) {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  std::string name = (error ? "/tmp" : parent) / (prefix + "-XXXXXX");
  if (mkdtemp(name.data()) == nullptr)
    cudamat::misuse("temporary folder", "{}: {}; TMPDIR may name a folder that can be written to",
                    name, std::strerror(errno));
  path_ = name;
  static const int registered = std::at_quick_exit(remove_folders);
  (void)registered;
  const std::lock_guard lock(mutex);
  folders().insert(path_);
}

TemporaryFolder::~TemporaryFolder() {
  const std::lock_guard lock(mutex);
  folders().erase(path_);
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file) cudamat::misuse("write", "{}: {}", path.string(), std::strerror(errno));
}

}  // namespace tools
