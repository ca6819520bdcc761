#include "npmat/picks.hpp"

#include <algorithm>
#include <type_traits>

#include "npmat/parallel.hpp"
#include "npmat/target_clones.hpp"

namespace npmat {
namespace {

/// Elements below which one thread is enough.
constexpr Index kGrain = 65536;

/// Picks [first, last) of row b.
struct Piece {
  Index b = 0, first = 0, last = 0;
};

/// f(piece) for pieces that are all picks of all rows, on one thread or more.
template <class F>
void over_pieces(const Picks& picks, bool in_parallel, const F& f) {
  const auto some = [&](Index begin, Index end) {
    for (Index at = begin; at < end;) {
      const Index first = at % picks.count;
      const Index last = std::min(picks.count, first + end - at);
      f({at / picks.count, first, last});
      at += last - first;
    }
  };
  const Index all = picks.before * picks.count;
  if (in_parallel)
    parallel_for(all, std::max<Index>(1, kGrain / picks.after), some);
  else
    some(0, all);
}

template <class T, class Stride>
CUDAMAT_TARGET_CLONES void spread(const T* from, T* to, Index n, Stride stride) {
#pragma GCC ivdep
  for (Index k = 0; k < n; ++k) to[k * stride] = from[k];
}

template <class T, class Stride>
CUDAMAT_TARGET_CLONES void collect(const T* from, T* to, Index n, Stride stride) {
#pragma GCC ivdep
  for (Index k = 0; k < n; ++k) to[k] = from[k * stride];
}

/// f(stride), which is a constant where loops gain by it.
template <class F>
void with_stride(Index stride, const F& f) {
  switch (stride) {
    case -1:
      return f(std::integral_constant<Index, -1>());
    case 2:
      return f(std::integral_constant<Index, 2>());
    default:
      return f(stride);
  }
}

}  // namespace

template <class T>
void pick(const Picks& picks, const T* source, T* target) {
  if (picks.count == 0 || picks.after == 0) return;
  const Index after = picks.after;
  over_pieces(picks, true, [&](const Piece& piece) {
    const T* const from = source + piece.b * picks.extent * after;
    T* const to = target + piece.b * picks.count * after;
    if (after > 1) {
      for (Index k = piece.first; k < piece.last; ++k)
        std::copy_n(from + picks(k) * after, after, to + k * after);
    } else if (picks.indices.empty()) {
      with_stride(picks.stride, [&](auto stride) {
        collect(from + picks(piece.first), to + piece.first, piece.last - piece.first, stride);
      });
    } else {
      const Index* const indices = picks.indices.data();
      for (Index k = piece.first; k < piece.last; ++k) to[k] = from[indices[k]];
    }
  });
}

template <class T>
void put(const Picks& picks, const T* source, T* target) {
  if (picks.count == 0 || picks.after == 0) return;
  const Index after = picks.after;
  over_pieces(picks, picks.indices.empty(), [&](const Piece& piece) {
    const T* const from = source + piece.b * picks.count * after;
    T* const to = target + piece.b * picks.extent * after;
    if (after > 1) {
      for (Index k = piece.first; k < piece.last; ++k)
        std::copy_n(from + k * after, after, to + picks(k) * after);
    } else if (picks.indices.empty()) {
      with_stride(picks.stride, [&](auto stride) {
        spread(from + piece.first, to + picks(piece.first), piece.last - piece.first, stride);
      });
    } else {
      const Index* const indices = picks.indices.data();
      for (Index k = piece.first; k < piece.last; ++k) to[indices[k]] = from[k];
    }
  });
}

#define INSTANTIATE(T)                            \
  template void pick(const Picks&, const T*, T*); \
  template void put(const Picks&, const T*, T*);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(long double)
#undef INSTANTIATE

}  // namespace npmat
