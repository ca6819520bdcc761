// Signals are held back in all of it: OpenMP's threads, which take this from who starts them, run
// kernels of oneDNN that a signal's handler would make overwrite memory (npmat/product.cpp).
#include "tools/limits.hpp"

#include <cblas.h>
#ifdef TOOLS_DNNL
#include <oneapi/dnnl/dnnl.h>
#endif
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <omp.h>
#include <string_view>
#include <vector>

#include "npmat/npmat.hpp"
#include "npmat/signals.hpp"

namespace tools {

namespace {

const std::size_t kBlock = std::size_t{roughly() ? 1u : 64u} << 20;
const int kRepeats = roughly() ? 1 : 7;

struct Blocks {
  std::vector<char> source = std::vector<char>(kBlock, 1);
  std::vector<char> target = std::vector<char>(kBlock, 2);
};

/// The calling thread's part of a block.
std::pair<std::size_t, std::size_t> part() {
  const auto threads = static_cast<std::size_t>(omp_get_num_threads());
  const auto size = kBlock / threads / 64 * 64;
  return {size * static_cast<std::size_t>(omp_get_thread_num()), size};
}

template <class T>
std::vector<T> ramp(Index n) {
  std::vector<T> result(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = T(static_cast<int>(i % 17) - 8) / T(8);
  return result;
}

CBLAS_TRANSPOSE flag(bool trans) {
  return trans ? CblasTrans : CblasNoTrans;
}

}  // namespace

bool roughly() {
  const char* const value = std::getenv("SYMDUMP_LIMITS");
  return value != nullptr && std::string_view(value) == "rough";
}

double copy_floor(double bytes) {
  const npmat::HeldSignals held;
  Blocks b;
  const double seconds = best_time(kRepeats, [&] {
#pragma omp parallel
    {
      const auto [begin, size] = part();
      std::memcpy(b.target.data() + begin, b.source.data() + begin, size);
    }
  });
  return bytes * seconds / (2.0 * static_cast<double>(kBlock));
}

double read_floor(double bytes) {
  const npmat::HeldSignals held;
  const std::vector<char> source(kBlock, 1);
  volatile std::uint64_t sink = 0;
  const double seconds = best_time(kRepeats, [&] {
    std::uint64_t total = 0;
#pragma omp parallel reduction(^ : total)
    {
      const auto [begin, size] = part();
      const auto* words = reinterpret_cast<const std::uint64_t*>(source.data() + begin);
      std::uint64_t sums[16] = {};
      for (std::size_t i = 0; i < size / 8; i += 16)
        for (std::size_t lane = 0; lane < 16; ++lane) sums[lane] ^= words[i + lane];
      for (const std::uint64_t sum : sums) total ^= sum;
    }
    sink = total;
  });
  return bytes * seconds / static_cast<double>(kBlock);
}

template <>
double product_floor<float>(bool trans_a, bool trans_b, Index m, Index n, Index k) {
  const npmat::HeldSignals held;
  const auto a = ramp<float>(m * k);
  const auto b = ramp<float>(k * n);
  std::vector<float> c(static_cast<std::size_t>(m * n));
  const Index lda = trans_a ? k : m;
  const Index ldb = trans_b ? n : k;
  double best = best_time(kRepeats, [&] {
    cblas_sgemm(CblasColMajor, flag(trans_a), flag(trans_b), int(m), int(n), int(k), 1, a.data(),
                int(lda), b.data(), int(ldb), 0, c.data(), int(m));
  });
#ifdef TOOLS_DNNL
  // Row-major, so the operands change places.
  best = std::min(best, best_time(kRepeats, [&] {
                    dnnl_sgemm(trans_b ? 'T' : 'N', trans_a ? 'T' : 'N', n, m, k, 1, b.data(), ldb,
                               a.data(), lda, 0, c.data(), m);
                  }));
#endif
  return best;
}

template <>
double product_floor<double>(bool trans_a, bool trans_b, Index m, Index n, Index k) {
  const npmat::HeldSignals held;
  const auto a = ramp<double>(m * k);
  const auto b = ramp<double>(k * n);
  std::vector<double> c(static_cast<std::size_t>(m * n));
  return best_time(kRepeats, [&] {
    cblas_dgemm(CblasColMajor, flag(trans_a), flag(trans_b), int(m), int(n), int(k), 1, a.data(),
                int(trans_a ? k : m), b.data(), int(trans_b ? n : k), 0, c.data(), int(m));
  });
}

template <>
double product_floor<long double>(bool trans_a, bool trans_b, Index m, Index n, Index k) {
  const npmat::HeldSignals held;
  using M = npmat::CUDAMatrix<long double>;
  M a = M::empty(trans_a ? cudamat::Shape{k, m} : cudamat::Shape{m, k});
  M b = M::empty(trans_b ? cudamat::Shape{n, k} : cudamat::Shape{k, n});
  M c = M::empty({m, n});
  a.assign(0.5L);
  b.assign(0.25L);
  return best_time(kRepeats, [&] {
    if (trans_a && trans_b)
      npmat::dot(a.T(), b.T(), c);
    else if (trans_a)
      npmat::dot(a.T(), b, c);
    else if (trans_b)
      npmat::dot(a, b.T(), c);
    else
      npmat::dot(a, b, c);
  });
}

}  // namespace tools
