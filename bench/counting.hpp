// An engine that counts what a program asks of another one: what a hand-written program costs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "cudamat/engine.hpp"

namespace bench {

struct Work {
  std::int64_t launches = 0;     ///< calls that compute or move something on the device
  std::int64_t allocations = 0;  ///< of matrices
  std::int64_t bytes = 0;        ///< that matrices hold now
  std::int64_t peak_bytes = 0;   ///< the most that they have held
};

/// E, and the sum of what has been asked of it. For one thread.
template <cudamat::Engine E>
struct Counting : E {
  using T = typename E::value_type;
  using Index = cudamat::Index;

  static Work& work() {
    static Work work;
    return work;
  }

  static T* allocate(Index n) {
    Work& sum = work();
    ++sum.allocations;
    sum.bytes += n * static_cast<Index>(sizeof(T));
    sum.peak_bytes = std::max(sum.peak_bytes, sum.bytes);
    return E::allocate(n);
  }
  static void deallocate(T* data, Index n) noexcept {
    work().bytes -= n * static_cast<Index>(sizeof(T));
    E::deallocate(data, n);
  }

#define COUNTED(name)                              \
  template <class... A>                            \
  static auto name(A&&... arguments) {             \
    ++work().launches;                             \
    return E::name(std::forward<A>(arguments)...); \
  }
  COUNTED(copy)
  COUNTED(map)
  COUNTED(fill)
  COUNTED(where)
  COUNTED(reduce)
  COUNTED(reduce_all)
  COUNTED(cumsum)
  COUNTED(gemm)
  COUNTED(correlate)
  COUNTED(transpose)
  COUNTED(copy_block)
  COUNTED(gather_columns)
  COUNTED(scatter_columns)
  COUNTED(per_row)
  COUNTED(uniform)
  COUNTED(normal)
#undef COUNTED
};

}  // namespace bench
