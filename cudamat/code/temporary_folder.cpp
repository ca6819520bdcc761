#include "cudamat/code/temporary_folder.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace cudamat::code {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  std::error_code error;
  std::string name = (fs::temp_directory_path(error) / "cudamat-XXXXXX").string();
  if (!error && mkdtemp(name.data()) != nullptr) path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty() && getpid() == owner_) fs::remove_all(path_, ignored);
}

bool TemporaryFolder::write(const std::string& name, std::string_view text) const {
  const fs::path path = path_ / name;
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  return file.good();
}

std::string TemporaryFolder::read(const std::string& name) const {
  std::ifstream file(path_ / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace cudamat::code
