// A product as several: panels of the target, each computed by one thread with a library that runs
// on one. Which panels there are depends on the product and on thread_count() alone, not on which
// threads happen to be free: so results are the same however busy the machine is.
#pragma once

#include <algorithm>

#include "cudamat/engine.hpp"
#include "npmat/threads.hpp"

namespace npmat {

/// c[i + ldc * j] = beta * c + alpha * op(a) op(b), with the leading dimensions of what is stored.
template <class T>
struct Panel : cudamat::GemmCall<T> {
  Index lda, ldb, ldc;

  explicit Panel(const cudamat::GemmCall<T>& call)
      : cudamat::GemmCall<T>(call),
        lda(call.trans_a ? call.k : call.m),
        ldb(call.trans_b ? call.n : call.k),
        ldc(call.m) {}

  /// Rows [first, last) of the target.
  void take_rows(Index first, Index last) {
    this->a += this->trans_a ? lda * first : first;
    this->c += first;
    this->m = last - first;
  }
  /// Columns [first, last) of the target.
  void take_cols(Index first, Index last) {
    this->b += this->trans_b ? first : ldb * first;
    this->c += ldc * first;
    this->n = last - first;
  }
};

/// A grid of panels, `rows` by `cols`.
struct PanelGrid {
  Index rows = 1, cols = 1;
  Index count() const { return rows * cols; }
};

/// Multiplications that take a thread about 10 microseconds: a product of twice as many, 128 x 128
/// x 128, is done sooner by two threads.
inline constexpr double kPanelWork = 1 << 20;
/// Panels begin at multiples of this, which suits the libraries' kernels.
inline constexpr Index kPanelSide = 16;

/// As many panels as threads, or fewer where the product is small; of the grids with that many, the
/// one that reads least of a and b.
inline PanelGrid panel_grid(Index m, Index n, double work, Index threads) {
  const auto most = static_cast<Index>(std::min(work / kPanelWork, double(threads)));
  const auto fit = [](Index extent) { return std::max(Index(1), extent / kPanelSide); };
  PanelGrid best;
  for (Index rows = 1; rows <= std::min(most, fit(m)); ++rows) {
    const PanelGrid grid{rows, std::min(most / rows, fit(n))};
    const Index more = grid.count() - best.count();
    const bool reads_less = m / grid.rows + n / grid.cols < m / best.rows + n / best.cols;
    if (more > 0 || (more == 0 && reads_less)) best = grid;
  }
  return best;
}

/// Part `k` of `count` of an extent, in multiples of kPanelSide but for the end.
inline Index panel_begin(Index extent, Index k, Index count) {
  return k == count ? extent : extent * k / count / kPanelSide * kPanelSide;
}

template <class T>
double panel_work(const cudamat::GemmCall<T>& call) {
  return double(call.m) * double(call.n) * double(call.k);
}

/// The panels of a product: one if it is small.
template <class T>
PanelGrid panel_grid(const cudamat::GemmCall<T>& call) {
  const double work = panel_work(call);
  return panel_grid(call.m, call.n, work, work < 2 * kPanelWork ? 1 : thread_count());
}

/// Calls multiply(panel) for the panels that make up the product, on up to `threads` threads.
template <class T, class Multiply>
void for_panels(const cudamat::GemmCall<T>& call, const PanelGrid& grid, Index threads,
                const Multiply& multiply) {
  const auto weight = static_cast<Index>(std::min(panel_work(call) / kPanelWork, 1e6));
  for_parts(grid.count(), threads, weight, [&](Index k) noexcept {
    const OneThread one;
    Panel<T> panel(call);
    const Index i = k % grid.rows, j = k / grid.rows;
    panel.take_rows(panel_begin(call.m, i, grid.rows), panel_begin(call.m, i + 1, grid.rows));
    panel.take_cols(panel_begin(call.n, j, grid.cols), panel_begin(call.n, j + 1, grid.cols));
    multiply(panel);
  });
}

}  // namespace npmat
