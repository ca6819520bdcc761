// Transposes, in square blocks: whole cache lines are read and whole ones written.
#include <algorithm>
#include <cstring>

#include "npmat/engine.hpp"
#include "npmat/parallel.hpp"
#include "npmat/stream.hpp"

namespace npmat {
namespace {

constexpr Index kSide = 16;      ///< of a block: one or two cache lines
constexpr Index kGrain = 32768;  ///< elements below which one thread is enough

// Small squares in 16-byte vectors, which every machine has: source columns ld_source apart become
// target columns ld_target apart.

template <class T>
struct Square {
  static constexpr Index kSize = 1;
  static void transpose(const T* source, Index, T* target, Index) { *target = *source; }
};

#ifdef __GNUC__
template <class Vector, class T>
inline Vector load(const T* from) {
  Vector vector;
  std::memcpy(&vector, from, sizeof(vector));
  return vector;
}

template <class Vector, class T>
inline void store(T* to, Vector vector) {
  std::memcpy(to, &vector, sizeof(vector));
}

template <>
struct Square<float> {
  static constexpr Index kSize = 4;
  typedef float Vector __attribute__((vector_size(16)));
  typedef int Mask __attribute__((vector_size(16)));

  static void transpose(const float* source, Index ld_source, float* target, Index ld_target) {
    const auto a = load<Vector>(source), b = load<Vector>(source + ld_source);
    const auto c = load<Vector>(source + 2 * ld_source), d = load<Vector>(source + 3 * ld_source);
    constexpr Mask kLow = {0, 4, 1, 5}, kHigh = {2, 6, 3, 7};
    const Vector ac_low = __builtin_shuffle(a, c, kLow), bd_low = __builtin_shuffle(b, d, kLow);
    const Vector ac_high = __builtin_shuffle(a, c, kHigh), bd_high = __builtin_shuffle(b, d, kHigh);
    store(target, __builtin_shuffle(ac_low, bd_low, kLow));
    store(target + ld_target, __builtin_shuffle(ac_low, bd_low, kHigh));
    store(target + 2 * ld_target, __builtin_shuffle(ac_high, bd_high, kLow));
    store(target + 3 * ld_target, __builtin_shuffle(ac_high, bd_high, kHigh));
  }
};

template <>
struct Square<double> {
  static constexpr Index kSize = 2;
  typedef double Vector __attribute__((vector_size(16)));
  typedef long long Mask __attribute__((vector_size(16)));

  static void transpose(const double* source, Index ld_source, double* target, Index ld_target) {
    const auto a = load<Vector>(source), b = load<Vector>(source + ld_source);
    store(target, __builtin_shuffle(a, b, Mask{0, 2}));
    store(target + ld_target, __builtin_shuffle(a, b, Mask{1, 3}));
  }
};
#endif

/// A kSide x kSide block.
template <class T>
void transpose_block(const T* source, Index ld_source, T* target, Index ld_target) {
  constexpr Index kStep = Square<T>::kSize;
  for (Index j = 0; j < kSide; j += kStep)
    for (Index i = 0; i < kSide; i += kStep)
      Square<T>::transpose(source + i + ld_source * j, ld_source, target + j + ld_target * i,
                           ld_target);
}

/// A block cut off by the matrix's edge.
template <class T>
void transpose_edge(const T* source, Index ld_source, T* target, Index ld_target, Index rows,
                    Index cols) {
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j) target[j + ld_target * i] = source[i + ld_source * j];
}

/// Rows [first_row, last_row) and columns [first_col, last_col) of source, rows x cols.
template <class T>
void transpose_range(const T* source, T* target, Index rows, Index cols, Index first_row,
                     Index last_row, Index first_col, Index last_col, bool stream) {
  alignas(64) T block[kSide * kSide];
  for (Index j = first_col; j < last_col; j += kSide)
    for (Index i = first_row; i < last_row; i += kSide) {
      const T* const from = source + i + rows * j;
      T* const to = target + j + cols * i;
      const Index height = std::min(kSide, last_row - i), width = std::min(kSide, last_col - j);
      if (height < kSide || width < kSide) {
        transpose_edge(from, rows, to, cols, height, width);
      } else if (!stream) {
        transpose_block(from, rows, to, cols);
      } else {
        transpose_block(from, rows, block, kSide);
        for (Index line = 0; line < kSide; ++line)
          stream_out(block + kSide * line, to + cols * line, kSide);
      }
    }
  if (stream) stream_fence();
}

}  // namespace

template <class T>
void Engine<T>::transpose(const T* source, T* target, Index rows, Index cols, Index inner) {
  if (rows == 0 || cols == 0 || inner == 0) return;
  if (rows == 1 || cols == 1) return copy(source, target, rows * cols * inner);
  if (inner > 1) {
    const Index grain = std::max(Index(1), kGrain / (cols * inner));
    return parallel_for(rows, grain, [&](Index begin, Index end) {
      for (Index j = 0; j < cols; ++j)
        for (Index i = begin; i < end; ++i)
          std::memcpy(target + inner * (j + cols * i), source + inner * (i + rows * j),
                      std::size_t(inner) * sizeof(T));
    });
  }
  const bool stream = rows * cols * Index(sizeof(T)) >= kStreamBytes;
  const bool by_rows = rows >= cols;
  const Index grain = std::max(kSide, kGrain / std::min(rows, cols) / kSide * kSide);
  parallel_for(std::max(rows, cols), grain, [&](Index begin, Index end) {
    if (by_rows)
      transpose_range(source, target, rows, cols, begin, end, Index(0), cols, stream);
    else
      transpose_range(source, target, rows, cols, Index(0), rows, begin, end, stream);
  });
}

template void Engine<float>::transpose(const float*, float*, Index, Index, Index);
template void Engine<double>::transpose(const double*, double*, Index, Index, Index);
template void Engine<long double>::transpose(const long double*, long double*, Index, Index, Index);

}  // namespace npmat
