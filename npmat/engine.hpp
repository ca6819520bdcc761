// The CPU engine: npmat::Engine<float | double | long double>, and with it npmat::CUDAMatrix<T>.
// cudamat/engine.hpp documents the functions.
//
// float32 products use oneDNN, float64 products OpenBLAS, and factorisations its LAPACK in float64.
// Everything else is our own code, on all cores through OpenMP if a call is large enough. Results
// do not depend on the number of threads, except for the last places of float and double products
// and of factorisations. Several threads may compute on different matrices at the same time; they
// share the stream of random numbers.
//
// Transcendental functions are vectorised (vector_math.hpp); a value does not depend on the
// position of its element. Memory is 64-byte aligned; large freed blocks are cached for the next
// request of their size (memory.cpp).
#pragma once

#include "cudamat/engine.hpp"
#include "cudamat/fused.hpp"

namespace npmat {

using cudamat::Index;

template <class T>
struct Engine {
  using value_type = T;

  static const char* name();

  static T* allocate(Index n);
  static void deallocate(T* data, Index n) noexcept;
  static void copy_to_host(const T* source, T* host, Index n);
  static void copy_to_device(const T* host, T* target, Index n);
  static void copy(const T* source, T* target, Index n);
  static void synchronize() {}

  static void map(const cudamat::MapCall<T>& call);
  static void fill(T* target, Index n, T value);
  static void where(const T* cond, const T* yes, const T* no, T* target, Index n);
  /// A fused statement, in tiles, with the bits of the equivalent calls.
  static void fused(const cudamat::FusedCall<T>& call);

  static void reduce(const cudamat::ReduceCall<T>& call);
  static T reduce_all(cudamat::Op op, const T* a, const T* b, Index n);
  static void reduce_all(const cudamat::WholeCall<T>& call);
  static void cumsum(const T* source, T* target, Index rows, Index cols);
  static void sort(T* data, Index rows, Index cols);
  static void argsort(const T* source, T* target, Index rows, Index cols);
  static Index select(const T* source, const T* mask, T* target, Index n);
  static Index nonzero(const T* source, T* target, Index n);
  static Index unique(const T* source, T* target, T* counts, Index n);
  static void search(cudamat::Side side, const T* edges, Index count, const T* source, T* target,
                     Index n);
  static void solver(const cudamat::SolverCall<T>& call);

  static void gemm(const cudamat::GemmCall<T>& call);
  static void correlate(const T* mat, Index rows, Index cols, const T* kernel, Index kernel_rows,
                        Index kernel_cols, T* target);

  static void transpose(const T* source, T* target, Index rows, Index cols, Index inner);
  static void copy_block(const cudamat::BlockCall<T>& call);
  static void gather_columns(const cudamat::SelectCall<T>& call);
  static void scatter_columns(const cudamat::SelectCall<T>& call);
  static void per_row(const cudamat::PerRowCall<T>& call);

  static void seed(std::uint64_t seed);
  static void uniform(T* target, Index n);
  static void normal(T* target, Index n);
};

static_assert(cudamat::Engine<Engine<float>>);
static_assert(cudamat::Engine<Engine<double>>);
static_assert(cudamat::Engine<Engine<long double>>);

}  // namespace npmat
