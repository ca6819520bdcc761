// Elements picked along an axis: every second one, backwards, by number. On the CPU.
#pragma once

#include <span>

#include "cudamat/engine.hpp"

namespace npmat {

using cudamat::Index;

/// Elements of the middle one of three axes, which has `extent`: pick(k), for k < count, is
/// start + k * stride, or indices[k] if there are such; all of them in [0, extent).
struct Picks {
  Index before = 1, extent = 0, after = 1;
  Index count = 0;
  Index start = 0, stride = 1;
  std::span<const Index> indices = {};

  [[nodiscard]] Index operator()(Index k) const {
    return indices.empty() ? start + k * stride : indices[static_cast<std::size_t>(k)];
  }
};

/// target[b][k][a] = source[b][pick(k)][a]. T: float, double, long double.
template <class T>
void pick(const Picks& picks, const T* source, T* target);

/// target[b][pick(k)][a] = source[b][k][a]; where picks are equal the last is written.
template <class T>
void put(const Picks& picks, const T* source, T* target);

}  // namespace npmat
