// What implementations of Sharing have in common.
#pragma once

#include <cstring>
#include <fmt/format.h>
#include <string>

#include "cudamat/sharing.hpp"

namespace cudamat {

/// Whether programs on the CPU read and write the memory.
inline bool is_of_host(dlpack::Device device) {
  return device.type == dlpack::DeviceType::Cpu || device.type == dlpack::DeviceType::CudaHost;
}

inline std::string text(dlpack::Device device) {
  switch (device.type) {
    case dlpack::DeviceType::Cpu:
      return "the CPU";
    case dlpack::DeviceType::CudaHost:
      return "the CPU (pinned memory)";
    case dlpack::DeviceType::Cuda:
      return fmt::format("CUDA device {}", device.id);
    case dlpack::DeviceType::CudaManaged:
      return fmt::format("CUDA device {} (managed memory)", device.id);
    case dlpack::DeviceType::Rocm:
      return fmt::format("ROCm device {}", device.id);
  }
  return fmt::format("device {} of DLPack's type {}", device.id, static_cast<int>(device.type));
}

/// Calls row(first element, count, stride) for each row along the last axis, in C order.
template <class F>
void for_rows(const Strided& from, const F& row) {
  if (from.size() == 0) return;
  const std::size_t axes = from.dims.size();
  const std::size_t bytes = from.type.bits / 8;
  const Index count = axes == 0 ? 1 : from.dims[axes - 1];
  const Index stride = axes == 0 ? 1 : from.strides[axes - 1];
  std::vector<Index> at(axes, 0);
  const char* first = static_cast<const char*>(from.data);
  while (true) {
    row(first, count, stride);
    std::size_t axis = axes == 0 ? 0 : axes - 1;
    for (; axis-- > 0;) {  // the next row: an odometer over the other axes
      first += from.strides[axis] * static_cast<Index>(bytes);
      if (++at[axis] < from.dims[axis]) break;
      first -= from.strides[axis] * static_cast<Index>(bytes) * from.dims[axis];
      at[axis] = 0;
      if (axis == 0) return;
    }
    if (axes < 2) return;
  }
}

/// Copies elements of the host to the target, without gaps, the last axis fastest.
inline void pack_on_host(const Strided& from, void* target) {
  const std::size_t bytes = from.type.bits / 8;
  char* to = static_cast<char*>(target);
  for_rows(from, [&](const char* first, Index count, Index stride) {
    if (stride == 1) {
      std::memcpy(to, first, static_cast<std::size_t>(count) * bytes);
      to += static_cast<std::size_t>(count) * bytes;
      return;
    }
    for (Index k = 0; k < count; ++k, to += bytes)
      std::memcpy(to, first + k * stride * static_cast<Index>(bytes), bytes);
  });
}

}  // namespace cudamat
