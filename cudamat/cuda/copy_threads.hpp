// Copies on the host by several threads: one alone fills a third of what a link to a GPU takes.
#pragma once

#include <cstddef>

namespace cudamat::cuda {

/// std::memcpy, from about a megabyte on by up to four threads, of which the calling one is one.
/// The others are started at the first such copy and wait for the next one; where they cannot be
/// started, or are at work for another thread, the caller copies alone. Throws nothing.
void copy_bytes(void* target, const void* source, std::size_t bytes) noexcept;

}  // namespace cudamat::cuda
