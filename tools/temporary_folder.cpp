#include "tools/temporary_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "cudamat/error.hpp"

namespace tools {

TemporaryFolder::TemporaryFolder(const std::string& prefix) {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  std::string name = (error ? "/tmp" : parent) / (prefix + "-XXXXXX");
  if (mkdtemp(name.data()) == nullptr)
    cudamat::misuse("temporary folder", "{}: {}", name, std::strerror(errno));
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
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
