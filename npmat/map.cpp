// Element-wise operations: one template for all of them, instantiated from the op table's rows.
#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "cudamat/error.hpp"
#include "npmat/engine.hpp"
#include "npmat/map_tiles.hpp"
#include "npmat/parallel.hpp"
#include "npmat/stream.hpp"
#include "npmat/target_clones.hpp"
#include "npmat/vector_math.hpp"

namespace npmat {
namespace {

using cudamat::MapCall;
using cudamat::Op;
using cudamat::Second;
namespace functors = cudamat::functors;

constexpr Index kBlock = kMapBlock;

/// Below these sizes one thread is faster than several.
constexpr Index kArithmeticGrain = 32768;
constexpr Index kMathGrain = 4096;

template <class F, class T>
inline constexpr bool kUnary = std::is_invocable_v<F, T>;

template <class F, class T>
inline constexpr bool kInBlocks = kCallsVectorMath<F> && !std::is_same_v<T, long double>;

template <class F, class T>
inline T evaluate(T x, T y, [[maybe_unused]] T alpha) {
  if constexpr (kUnary<F, T>)
    return F{}(x);
  else if constexpr (std::is_invocable_v<F, T, T>)
    return F{}(x, y);
  else
    return F{}(x, y, alpha);
}

// The loops. `out` may be `a` or `b` itself, which is no dependence between different elements.

template <class F, class T>
CUDAMAT_TARGET_CLONES void loop(const T* a, const T* b, T alpha, T* out, Index n) {
#pragma GCC ivdep
  for (Index i = 0; i < n; ++i) out[i] = evaluate<F>(a[i], b[i], alpha);
}

template <class F, class T>
CUDAMAT_TARGET_CLONES void loop_scalar(const T* a, T b, T alpha, T* out, Index n) {
#pragma GCC ivdep
  for (Index i = 0; i < n; ++i) out[i] = evaluate<F>(a[i], b, alpha);
}

/// The same, with what is faster for some numbers b.
template <class F, class T>
void loop_by_number(const T* a, T b, T alpha, T* out, Index n) {
  using Special = typename ByPower<F>::Type;
  if constexpr (!std::is_void_v<Special> && !std::is_same_v<T, long double>)
    if (is_power_of_two(b)) return loop_scalar<Special>(a, b, alpha, out, n);
  loop_scalar<F>(a, b, alpha, out, n);
}

/// n is a multiple of kBlock; out is aligned, so that the compiler peels nothing off.
template <class F, class T>
CUDAMAT_TARGET_CLONES void blocks(const T* a, const T* b, T alpha, T* out, Index n) {
  out = static_cast<T*>(__builtin_assume_aligned(out, 64));
  for (Index i = 0; i < n; i += kBlock)
#pragma GCC ivdep
    for (Index j = i; j < i + kBlock; ++j) out[j] = evaluate<F>(a[j], b[j], alpha);
}

template <class F, class T>
CUDAMAT_TARGET_CLONES void blocks_scalar(const T* a, T b, T alpha, T* out, Index n) {
  out = static_cast<T*>(__builtin_assume_aligned(out, 64));
  for (Index i = 0; i < n; i += kBlock)
#pragma GCC ivdep
    for (Index j = i; j < i + kBlock; ++j) out[j] = evaluate<F>(a[j], b, alpha);
}

/// Runs n elements in blocks; `out` is a tile with room for whole ones.
template <class F, class T>
void run_blocks(const T* a, const T* b, T alpha, T* out, Index n) {
  const Index whole = n / kBlock * kBlock;
  blocks<F>(a, b, alpha, out, whole);
  if (whole == n) return;
  alignas(64) T last_a[kBlock], last_b[kBlock];
  std::fill(std::copy(a + whole, a + n, last_a), last_a + kBlock, T(1));
  std::fill(std::copy(b + whole, b + n, last_b), last_b + kBlock, T(1));
  blocks<F>(last_a, last_b, alpha, out + whole, kBlock);
}

template <class F, class T>
void run_blocks_scalar(const T* a, T b, T alpha, T* out, Index n) {
  const Index whole = n / kBlock * kBlock;
  blocks_scalar<F>(a, b, alpha, out, whole);
  if (whole == n) return;
  alignas(64) T last_a[kBlock];
  std::fill(std::copy(a + whole, a + n, last_a), last_a + kBlock, T(1));
  blocks_scalar<F>(last_a, b, alpha, out + whole, kBlock);
}

/// F's loops. What takes no second operand has none for a matrix.
template <class F, class T>
MapTile<T> loops_of() {
  if constexpr (kUnary<F, T> && kInBlocks<F, T>)
    return {nullptr, run_blocks_scalar<F, T>, true};
  else if constexpr (kUnary<F, T>)
    return {nullptr, loop_scalar<F, T>, false};
  else if constexpr (kInBlocks<F, T>)
    return {run_blocks<F, T>, run_blocks_scalar<F, T>, true};
  else
    return {loop<F, T>, loop_by_number<F, T>, false};
}

// From here on the operation is its loops, so that what follows is compiled once for all of them.
// The second operand, seen as an array or a number for any range [p, p + n) of the matrix.

template <Second S, class T>
struct Operand;

template <class T>
struct Operand<Second::None, T> {
  explicit Operand(const MapCall<T>&, Index) {}
  void run_range(const MapTile<T>& loops, const MapCall<T>& call, Index p, Index n, T* out) {
    loops.scalar(call.a + p, T(0), call.alpha, out, n);
  }
};

template <class T>
struct Operand<Second::Scalar, T> {
  explicit Operand(const MapCall<T>&, Index) {}
  void run_range(const MapTile<T>& loops, const MapCall<T>& call, Index p, Index n, T* out) {
    loops.scalar(call.a + p, call.scalar, call.alpha, out, n);
  }
};

template <class T>
struct Operand<Second::Matrix, T> {
  explicit Operand(const MapCall<T>&, Index) {}
  void run_range(const MapTile<T>& loops, const MapCall<T>& call, Index p, Index n, T* out) {
    loops.matrix(call.a + p, call.b + p, call.alpha, out, n);
  }
};

/// A short column is repeated until it fills a tile; of a long one a range is a few pieces.
template <class T>
struct Operand<Second::Column, T> {
  alignas(64) T repeated[2 * kTile<T>];
  bool repeats;

  Operand(const MapCall<T>& call, Index count) : repeats(call.rows < kTile<T>) {
    if (!repeats) return;
    const Index length = call.rows + std::min(count, kTile<T>);
    Index filled = call.rows;
    std::copy_n(call.b, filled, repeated);
    for (; filled < length; filled *= 2)
      std::copy_n(repeated, std::min(filled, length - filled), repeated + filled);
  }

  void run_range(const MapTile<T>& loops, const MapCall<T>& call, Index p, Index n, T* out) {
    Index i = p % call.rows;
    if (repeats) return loops.matrix(call.a + p, repeated + i, call.alpha, out, n);
    for (Index done = 0; done < n; i = 0) {
      const Index piece = std::min(call.rows - i, n - done);
      loops.matrix(call.a + p + done, call.b + i, call.alpha, out + done, piece);
      done += piece;
    }
  }
};

/// The numbers of a row are spread over an array where columns are short; of long ones a range is a
/// few pieces with a number each.
template <class T>
struct Operand<Second::Row, T> {
  static constexpr Index kShort = 16;
  alignas(64) T spread[kTile<T> + 2 * kShort];

  explicit Operand(const MapCall<T>&, Index) {}

  void run_range(const MapTile<T>& loops, const MapCall<T>& call, Index p, Index n, T* out) {
    if (call.rows == 1) return loops.matrix(call.a + p, call.b + p, call.alpha, out, n);
    Index j = p / call.rows;
    Index left = call.rows - p % call.rows;
    if (call.rows <= kShort) {
      for (Index done = 0; done < n; done += left, left = call.rows, ++j)
        std::fill_n(spread + done, kShort, call.b[j]);
      return loops.matrix(call.a + p, spread, call.alpha, out, n);
    }
    for (Index done = 0; done < n; left = call.rows, ++j) {
      const Index piece = std::min(left, n - done);
      loops.scalar(call.a + p + done, call.b[j], call.alpha, out + done, piece);
      done += piece;
    }
  }
};

template <Second S, class T>
void map_range(const MapTile<T>& loops, const MapCall<T>& call, Index begin, Index end,
               bool stream) {
  Operand<S, T> operand(call, end - begin);
  const bool tiled = stream || loops.in_blocks;
  constexpr bool kAnyLength = S != Second::Column && S != Second::Row;
  if (!tiled && kAnyLength)
    return operand.run_range(loops, call, begin, end - begin, call.target + begin);
  alignas(64) T tile[kTile<T>];
  Index count = stream ? elements_to_line(call.target + begin, end - begin) : 0;
  if (count == 0) count = kTile<T>;
  for (Index p = begin; p < end; p += count, count = kTile<T>) {
    count = std::min(count, end - p);
    T* const target = call.target + p;
    operand.run_range(loops, call, p, count, tiled ? tile : target);
    if (stream)
      stream_out(tile, target, count);
    else if (tiled)
      std::copy_n(tile, count, target);
  }
  if (stream) stream_fence();
}

template <Second S, class T>
void map_all(const MapTile<T>& loops, const MapCall<T>& call) {
  const Index n = call.rows * call.cols;
  const bool in_place = call.target == call.a || (S == Second::Matrix && call.target == call.b);
  const bool stream = !in_place && n * Index(sizeof(T)) >= kStreamBytes;
  parallel_for(n, loops.in_blocks ? kMathGrain : kArithmeticGrain,
               [&](Index begin, Index end) { map_range<S>(loops, call, begin, end, stream); });
}

template <class T>
void map_loops(const MapTile<T>& loops, const MapCall<T>& call) {
  if (loops.matrix == nullptr) return map_all<Second::None>(loops, call);
  switch (call.second) {
    case Second::Matrix:
      return map_all<Second::Matrix>(loops, call);
    case Second::Scalar:
      return map_all<Second::Scalar>(loops, call);
    // Pieces of a range may start anywhere, so that no vector function may be involved.
    case Second::Column:
      if (!loops.in_blocks) return map_all<Second::Column>(loops, call);
      break;
    case Second::Row:
      if (!loops.in_blocks) return map_all<Second::Row>(loops, call);
      break;
    default:
      break;
  }
  throw cudamat::InternalError(
      fmt::format("map: {} has no implementation of this form", cudamat::name(call.op)));
}

template <class T>
CUDAMAT_TARGET_CLONES void choose(const T* cond, const T* yes, const T* no, T* target, Index n) {
#pragma GCC ivdep
  for (Index i = 0; i < n; ++i) target[i] = cond[i] != T(0) ? yes[i] : no[i];
}

/// Ours, and those that are exact but for fmod.
template <Op kOp, class F>
inline constexpr bool kIsInline = std::is_void_v<typename ByPower<F>::Type> &&
                                  (!std::is_same_v<F, typename OnCpu<F>::Type> ||
                                   cudamat::row(kOp).ulps() == 0);

/// Those of what computes an element from one or two elements, or from one and a number.
template <Op kOp, class Functor, class T>
MapTile<T> tile_of() {
  using cudamat::Family;
  constexpr Family kFamily = cudamat::row(kOp).family;
  if constexpr (kFamily == Family::Unary || kFamily == Family::Binary ||
                kFamily == Family::UnaryScalar || kFamily == Family::Modulate) {
    MapTile<T> loops = loops_of<typename OnCpu<Functor>::Type, T>();
    loops.is_inline = kIsInline<kOp, Functor>;
    return loops;
  } else {
    return {};
  }
}

}  // namespace

template <class T>
MapTile<T> map_tile(Op op) {
  switch (op) {
#define ROW(op, family, style, functor, numpy, facts) \
  case Op::op:                                        \
    return tile_of<Op::op, functors::functor, T>();
    CUDAMAT_MAP_OPS(ROW)
#undef ROW
    default:
      return {};
  }
}

template <class T>
void where_tile(const T* cond, const T* yes, const T* no, T* target, Index n) {
  choose(cond, yes, no, target, n);
}

template <class T>
void Engine<T>::map(const cudamat::MapCall<T>& call) {
  if (call.rows == 0 || call.cols == 0) return;
  switch (call.op) {
#define ROW(op, family, style, functor, numpy, facts) \
  case Op::op:                                        \
    return map_loops(loops_of<OnCpu<functors::functor>::Type, T>(), call);
    CUDAMAT_MAP_OPS(ROW)
#undef ROW
    default:
      throw cudamat::InternalError("map: not an element-wise operation");
  }
}

template <class T>
void Engine<T>::where(const T* cond, const T* yes, const T* no, T* target, Index n) {
  const bool in_place = target == cond || target == yes || target == no;
  const bool stream = !in_place && n * Index(sizeof(T)) >= kStreamBytes;
  parallel_for(n, kArithmeticGrain, [&](Index begin, Index end) {
    if (!stream) return choose(cond + begin, yes + begin, no + begin, target + begin, end - begin);
    alignas(64) T tile[kTile<T>];
    Index count = elements_to_line(target + begin, end - begin);
    if (count == 0) count = kTile<T>;
    for (Index p = begin; p < end; p += count, count = kTile<T>) {
      count = std::min(count, end - p);
      choose(cond + p, yes + p, no + p, tile, count);
      stream_out(tile, target + p, count);
    }
    stream_fence();
  });
}

#define INSTANTIATE(T)                                               \
  template MapTile<T> map_tile(Op);                                  \
  template void where_tile(const T*, const T*, const T*, T*, Index); \
  template void Engine<T>::map(const MapCall<T>&);                   \
  template void Engine<T>::where(const T*, const T*, const T*, T*, Index);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(long double)
#undef INSTANTIATE

}  // namespace npmat
