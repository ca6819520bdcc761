// What garrays hold of the engine's memory, and for whom. gnumpy's interface to memory.
//
// Freed memory is kept by size and used again, on a GPU by the device that it is of; what belongs
// to a context of the program's own (cudamat::cuda::Context), or is dropped in one, goes back to
// the device's pool. These functions count what garrays hold and what is kept. Sizes are bytes.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace gnumpy {

/// The most bytes that garrays and what is kept for reuse may take; 0, the default: as many as the
/// engine has. Lowering it below what is in use refuses the next allocation, and frees nothing.
void max_memory_usage(std::int64_t bytes);
std::int64_t max_memory_usage();

/// Bytes that garrays hold, temporaries of the expression that runs included.
std::int64_t memory_in_use();
/// Bytes that could be allocated: the engine's free memory and what is kept for reuse, within
/// max_memory_usage. free_first: gives back what is kept before it asks the engine.
std::int64_t memory_available(bool free_first = false);
/// The most that memory_in_use() has been since the start or the last reset_peak_memory().
std::int64_t peak_memory();
void reset_peak_memory();
/// Gives the memory that is kept for reuse back to the engine. Returns the bytes.
std::int64_t free_reuse_cache();

/// A line of the user's program and what the garrays that it made hold now.
struct Allocator {
  std::string file;
  unsigned line = 0;
  std::int64_t bytes = 0;
  std::size_t arrays = 0;
};

/// The lines that hold memory, largest first; those with at least `minimum_bytes`.
std::vector<Allocator> memory_allocators(std::int64_t minimum_bytes = 1);
/// "  401,408 bytes in 1 array, made in train.cpp:12", a line each.
std::string to_string(const std::vector<Allocator>& allocators);

/// The engine, the memory in use, kept and available, and the largest allocators, as text.
std::string status();

}  // namespace gnumpy
