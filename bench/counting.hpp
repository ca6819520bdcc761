// An engine that counts what a program asks of another one: what a hand-written program costs.
#pragma once

#include <algorithm>
#include <cstdint>

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

// Calls that have a struct, and those with arguments of their own.
#define COUNTED(name, Call)                  \
  static void name(const cudamat::Call& c) { \
    ++work().launches;                       \
    E::name(c);                              \
  }
  COUNTED(map, MapCall<T>)
  COUNTED(reduce, ReduceCall<T>)
  COUNTED(gemm, GemmCall<T>)
  COUNTED(copy_block, BlockCall<T>)
  COUNTED(gather_columns, SelectCall<T>)
  COUNTED(scatter_columns, SelectCall<T>)
  COUNTED(per_row, PerRowCall<T>)
  COUNTED(solver, SolverCall<T>)
#undef COUNTED
#define COUNTED(name)                \
  template <class... A>              \
  static auto name(A... arguments) { \
    ++work().launches;               \
    return E::name(arguments...);    \
  }
  COUNTED(copy)
  COUNTED(fill)
  COUNTED(where)
  COUNTED(reduce_all)
  COUNTED(cumsum)
  COUNTED(correlate)
  COUNTED(transpose)
  COUNTED(sort)
  COUNTED(argsort)
  COUNTED(select)
  COUNTED(nonzero)
  COUNTED(unique)
  COUNTED(search)
  COUNTED(uniform)
  COUNTED(normal)
#undef COUNTED
};

}  // namespace bench
