// The CUDA engine: cudamat::cuda::Engine<float | double>. cudamat/engine.hpp says what each
// function computes, cudamat/cuda/device.hpp how devices, contexts and memory are governed.
//
// Every call is queued on the stream of the calling thread's context and returns at once; only
// copy_to_host, copy_to_device (until the host's memory has been read), reduce_all to the host,
// select, nonzero, unique, synchronize, and solver where the operand may raise an error (all but
// det, slogdet and qr) wait. Products are cuBLAS's, equations and factorisations cuSOLVER's, sorts
// of long columns and of keys, and selections, CUB's; everything else is done by kernels of ours.
//
// Bits. + - * / sqrt and comparisons are those of npmat (no contraction). Reductions and scans have
// a fixed order that depends on the shape alone, so every GPU gives the same bits and two runs
// agree; that is why they are our own kernels and not CUB's, whose order depends on the device and,
// in scans, on timing. Random numbers are npmat's, cuRAND's Philox stream, uniforms with its bits
// (cudamat/philox.hpp, cudamat/box_muller.hpp). Products repeat on the same device with the same
// cuBLAS.
//
// Fused statements are compiled for the device at their first use, by NVRTC, and kept
// (cudamat/code/cache.hpp); where that is not to be had, or CUDAMAT_COMPILE=off, they run operation
// by operation, with the same results.
//
// Throws LibraryError where CUDA, cuBLAS, cuSOLVER or cuRAND fails, OutOfMemory from allocate; a
// first call without a usable GPU explains what was found (device.hpp, require_device).
#pragma once

#include "cudamat/engine.hpp"

namespace cudamat::cuda {

class Recorder;  // graph.hpp

template <class T>
struct Engine {
  using value_type = T;
  using Recorder = cuda::Recorder;  ///< its calls can be recorded

  static const char* name();

  static T* allocate(Index n);
  static void deallocate(T* data, Index n) noexcept;
  static void copy_to_host(const T* source, T* host, Index n);
  static void copy_to_device(const T* host, T* target, Index n);
  static void copy(const T* source, T* target, Index n);
  static void synchronize();

  static void map(const MapCall<T>& call);
  static void fill(T* target, Index n, T value);
  static void where(const T* cond, const T* yes, const T* no, T* target, Index n);
  static void fused(const FusedCall<T>& call);

  static void reduce(const ReduceCall<T>& call);
  static T reduce_all(Op op, const T* a, const T* b, Index n);
  static void reduce_all(const WholeCall<T>& call);
  static void cumsum(const T* source, T* target, Index rows, Index cols);
  static void sort(T* data, Index rows, Index cols);
  static void argsort(const T* source, T* target, Index rows, Index cols);
  static Index select(const T* source, const T* mask, T* target, Index n);
  static Index nonzero(const T* source, T* target, Index n);
  static Index unique(const T* source, T* target, T* counts, Index n);
  static void search(Side side, const T* edges, Index count, const T* source, T* target, Index n);
  static void solver(const SolverCall<T>& call);

  static void gemm(const GemmCall<T>& call);
  static void correlate(const T* mat, Index rows, Index cols, const T* kernel, Index kernel_rows,
                        Index kernel_cols, T* target);

  static void transpose(const T* source, T* target, Index rows, Index cols, Index inner);
  static void copy_block(const BlockCall<T>& call);
  static void gather_columns(const SelectCall<T>& call);
  static void scatter_columns(const SelectCall<T>& call);
  static void per_row(const PerRowCall<T>& call);

  static void seed(std::uint64_t seed);
  static void uniform(T* target, Index n);
  static void normal(T* target, Index n);
};

static_assert(cudamat::Engine<Engine<float>>);
static_assert(cudamat::Engine<Engine<double>>);

}  // namespace cudamat::cuda
