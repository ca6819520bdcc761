// What OpenBLAS asks for. As it is loaded, it asks for a buffer for each thread that OpenMP may
// have, again and again until it gets it; then for one for each thread that calls it.
#pragma once

#include <cstddef>
#include <sys/mman.h>

namespace npmat {

/// Of address space, a buffer: that of builds for x86-64, the largest one.
inline constexpr std::size_t kBlasBuffer = std::size_t(128) << 20;

/// Asked for as OpenBLAS does; MAP_FAILED if there is no room.
inline void* map_room(std::size_t bytes) {
  return mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/// Whether so many bytes can be had now.
inline bool has_room(std::size_t bytes) {
  void* const room = map_room(bytes);
  return room != MAP_FAILED && munmap(room, bytes) == 0;
}

}  // namespace npmat
