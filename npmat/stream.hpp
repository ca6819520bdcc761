// Writing results: past the caches when a large one goes to memory that was not read.
#pragma once

#include <cstring>

#include "cudamat/engine.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace npmat {

using cudamat::Index;

/// From this size on a fresh target would push everything else out of the caches.
inline constexpr Index kStreamBytes = Index(8) << 20;

/// Bytes of a tile: results are made in one, then moved to the target.
inline constexpr Index kTileBytes = 4096;

template <class T>
inline constexpr Index kTile = kTileBytes / Index(sizeof(T));

/// Elements of [target, target + n) before the first cache line that starts inside.
template <class T>
Index elements_to_line(const T* target, Index n) {
  const auto past = reinterpret_cast<std::uintptr_t>(target) % 64;
  const Index head = past == 0 ? 0 : Index((64 - past) / sizeof(T));
  return head < n ? head : n;
}

namespace detail {
/// Copies `bytes`, a multiple of 64, to where a cache line begins.
void stream_lines(const char* from, char* to, Index bytes);
}  // namespace detail

/// Copies a tile to target without reading the target's lines; lines that are not wholly written
/// are written the ordinary way.
template <class T>
void stream_out(const T* tile, T* target, Index n) {
  const Index head = elements_to_line(target, n);
  std::memcpy(target, tile, std::size_t(head) * sizeof(T));
  const Index bytes = (n - head) * Index(sizeof(T)) / 64 * 64;
  const auto* from = reinterpret_cast<const char*>(tile + head);
  auto* to = reinterpret_cast<char*>(target + head);
  detail::stream_lines(from, to, bytes);
  std::memcpy(to + bytes, from + bytes, std::size_t((n - head) * Index(sizeof(T)) - bytes));
}

/// Orders streamed writes before what this thread does next (the end of a parallel region).
inline void stream_fence() {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

}  // namespace npmat
