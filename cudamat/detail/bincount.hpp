// Counts, on the host.
#pragma once

#include <algorithm>
#include <vector>

#include "cudamat/engine.hpp"
#include "cudamat/error.hpp"

namespace cudamat::detail {

/// target[a[k]] += b[k], from 0. Refuses what is no place in the target.
template <class T>
void bincount(const SolverCall<T>& call) {
  std::vector<T> counts(static_cast<std::size_t>(call.size), T(0));
  for (Index k = 0; k < call.rows * call.cols; ++k) {
    const T place = call.a[k];
    if (!(place >= 0))
      misuse(Reason::Unsupported, "bincount", "'list' argument must have no negative elements");
    if (!(place < static_cast<T>(call.size)))
      misuse(Reason::Unsupported, "bincount",
             "element {} counts {}, and the target has {} elements, as minlength says",
             static_cast<long long>(k), static_cast<double>(place),
             static_cast<long long>(call.size));
    counts[static_cast<std::size_t>(place)] += call.b[k];
  }
  std::copy(counts.begin(), counts.end(), call.target);
}

}  // namespace cudamat::detail
