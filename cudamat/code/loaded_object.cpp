#include "cudamat/code/loaded_object.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cudamat/code/write.hpp"

namespace cudamat::code {

MemoryFile::MemoryFile() noexcept : number_(memfd_create("cudamat", MFD_CLOEXEC)) {
  if (number_ > 2 || number_ < 0) return;
  // A program without standard streams: these numbers will be the child's.
  const int other = fcntl(number_, F_DUPFD_CLOEXEC, 3);
  close();
  number_ = other;
}

MemoryFile::MemoryFile(std::string_view content) noexcept : MemoryFile() {
  if (number_ < 0) return;
  if (write_all(number_, content))
    (void)lseek(number_, 0, SEEK_SET);
  else
    close();
}

MemoryFile::~MemoryFile() {
  close();
}

std::string MemoryFile::content() const {
  const off_t size = lseek(number_, 0, SEEK_END);
  std::string result(static_cast<std::size_t>(std::max<off_t>(size, 0)), '\0');
  std::size_t got = 0;
  while (got < result.size()) {
    const ssize_t n =
        pread(number_, result.data() + got, result.size() - got, static_cast<off_t>(got));
    if (n <= 0 && errno == EINTR) continue;
    if (n <= 0) break;
    got += static_cast<std::size_t>(n);
  }
  result.resize(got);
  return result;
}

void MemoryFile::close() noexcept {
  if (number_ >= 0) (void)::close(number_);
  number_ = -1;
}

LoadedObject::LoadedObject(std::string_view object) : file_(object) {
  if (file_.number() < 0) {
    failure_ = std::strerror(errno);
    return;
  }
  handle_ = dlopen(path().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr) failure_ = dlerror();
}

LoadedObject::~LoadedObject() {
  if (handle_ != nullptr) (void)dlclose(handle_);
}

void* LoadedObject::find(const std::string& name) const noexcept {
  return handle_ == nullptr ? nullptr : dlsym(handle_, name.c_str());
}

std::byte* LoadedObject::base() const noexcept {
  link_map* map = nullptr;
  if (handle_ != nullptr) (void)dlinfo(handle_, RTLD_DI_LINKMAP, &map);
  return map == nullptr ? nullptr : reinterpret_cast<std::byte*>(map->l_addr);
}

std::string LoadedObject::path() const {
  return fmt::format("/proc/{}/fd/{}", getpid(), file_.number());
}

}  // namespace cudamat::code
