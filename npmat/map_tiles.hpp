// The loops of the element-wise operations (map.cpp), for code that makes values a tile at a time.
#pragma once

#include "cudamat/engine.hpp"

namespace npmat {

using cudamat::Index;

/// Elements that one block of a vector function takes: a multiple of every vector length.
inline constexpr Index kMapBlock = 32;

/// A row of one or two operands: out[i] = f(a[i], b[i]) or f(a[i], b), i < n. out may be an
/// operand. The bits are those of Engine<T>::map.
template <class T>
struct MapTile {
  void (*matrix)(const T* a, const T* b, T alpha, T* out, Index n) = nullptr;
  void (*scalar)(const T* a, T b, T alpha, T* out, Index n) = nullptr;  ///< f(a[i]) too
  /// out is aligned to 64 bytes, and has room for a whole last block.
  bool in_blocks = false;
  /// Calls no function of a library: what a compiler makes of it in another loop are vector
  /// instructions, too, with the same bits.
  bool is_inline = false;
};

/// Null pointers where the row is no such operation.
template <class T>
MapTile<T> map_tile(cudamat::Op op);

/// out[i] = cond[i] != 0 ? yes[i] : no[i]; out may be an operand.
template <class T>
void where_tile(const T* cond, const T* yes, const T* no, T* out, Index n);

}  // namespace npmat
