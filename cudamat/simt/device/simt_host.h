// What a library of users' kernels calls back: the program that executes it hands it this table.
#pragma once

#include <cstdarg>

#include "simt_device.h"

namespace simt {

struct Host {
  /// Before an access; `code` is the address after the call that makes it.
  void (*touch)(const void* data, std::size_t bytes, Touch what, const void* code);
  /// An access to an address that is no multiple of its size.
  void (*misaligned)(const void* data, std::size_t bytes, Touch what, const void* code);
  /// A function begins, with a frame here.
  void (*enter)(const void* frame, const void* code);
  std::uint64_t (*warp_call)(WarpOp op, unsigned mask, std::uint64_t value, int operand, int width,
                             const Place& place);
  /// __syncthreads; returns how many threads of the block have voted for it.
  unsigned (*barrier)(bool vote, const Place& place);
  void (*fence)();
  /// Memory of the kernels' heap; nullptr where that is full. It outlives the launch.
  void* (*allocate)(std::size_t bytes);
  void (*release)(void* data, const void* code);
  /// printf().
  int (*print)(const char* format, std::va_list arguments);
  /// These end the launch.
  void (*fail)(const char* text, const Place& place);
  void (*fail_at)(const char* text, const void* code);
  const uint3* thread;
  const uint3* block;
  const dim3* block_dim;
  const dim3* grid_dim;
};

}  // namespace simt
