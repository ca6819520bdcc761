#include "cudamat/code/write.hpp"

#include <cerrno>
#include <unistd.h>

#include "cudamat/file_size_signal.hpp"

namespace cudamat::code {

bool write_all(int descriptor, std::string_view content) noexcept {
  const FileSizeSignalBlocked blocked;
  while (!content.empty()) {
    const ssize_t n = write(descriptor, content.data(), content.size());
    if (n <= 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    content.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

}  // namespace cudamat::code
