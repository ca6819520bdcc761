// gnumpy's interface to memory: the memory that garrays hold, and the lines that made them.
//
// Freed memory is cached by size and reused, on a GPU by arrays of the same device. Memory of a
// program's own context (cudamat::cuda::Context), or that is dropped in one, returns to the
// device's pool. These functions count the memory of garrays and the cache. Sizes are in bytes.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace gnumpy {

/// The maximum number of bytes for garrays and the cache; 0, the default: as many as the engine
/// has. A limit below the current use makes the next allocation fail, and frees nothing.
void max_memory_usage(std::int64_t bytes);
std::int64_t max_memory_usage();

/// Bytes that garrays hold, including temporaries of a running expression.
std::int64_t memory_in_use();
/// Bytes that could be allocated: the engine's free memory and the cache, within max_memory_usage.
/// free_first: empties the cache before asking the engine.
std::int64_t memory_available(bool free_first = false);
/// The maximum of memory_in_use() since the start or the last reset_peak_memory().
std::int64_t peak_memory();
void reset_peak_memory();
/// Empties the cache. Returns the number of bytes that were freed.
std::int64_t free_reuse_cache();

/// A line of the user's program and the memory of the garrays that it made.
struct Allocator {
  std::string file;
  unsigned line = 0;
  std::int64_t bytes = 0;
  std::size_t arrays = 0;
};

/// The lines that hold at least `minimum_bytes`, largest first.
std::vector<Allocator> memory_allocators(std::int64_t minimum_bytes = 1);
/// "  401,408 bytes in 1 array, made in train.cpp:12", one entry per line.
std::string to_string(const std::vector<Allocator>& allocators);

/// The engine, the memory in use, cached and available, and the largest allocators, as text.
std::string status();

}  // namespace gnumpy
