// Counts and sums by key, on the host.
#pragma once

#include <utility>
#include <vector>

#include "cudamat/detail/bins.hpp"
#include "cudamat/engine.hpp"
#include "cudamat/error.hpp"

namespace cudamat::detail {

/// Refuses what element k counts, if it is no place in a target of `size` elements.
template <class T>
void check_place(T place, Index k, Index size) {
  if (is_place(place, size)) return;
  const auto element = static_cast<long long>(k);
  if (!(place >= 0))
    misuse(Reason::Unsupported, "bincount", "'list' argument must have no negative elements");
  if (place < static_cast<T>(size))
    misuse(Reason::Unsupported, "bincount", "element {} counts {}, which is no whole number",
           element, static_cast<double>(place));
  misuse(Reason::Unsupported, "bincount",
         "element {} counts {}, and the target has {} elements, as minlength says", element,
         static_cast<double>(place), static_cast<long long>(size));
}

/// Sums by key, in the order of bins.hpp.
template <class T>
class SumsByKey {
 public:
  explicit SumsByKey(Index size) : added_(static_cast<std::size_t>(size), 0), levels_(1, zeros()) {}

  void add(std::size_t key, T number) {
    levels_[0][key] += number;
    Index whole = ++added_[key];  // pieces of the level that are complete
    for (std::size_t level = 0; whole % kPiece == 0; ++level, whole /= kPiece) {
      if (level + 1 == levels_.size()) levels_.push_back(zeros());
      levels_[level + 1][key] += std::exchange(levels_[level][key], T(0));
    }
  }

  /// Adds up what is left of each level's last piece. No sum is -0: adding 0 changes none.
  void finish(T* target) {
    for (std::size_t key = 0; key < added_.size(); ++key) {
      T sum = 0;
      for (const std::vector<T>& level : levels_) sum = level[key] + sum;
      target[key] = sum;
    }
  }

 private:
  [[nodiscard]] std::vector<T> zeros() const { return std::vector<T>(added_.size(), T(0)); }

  std::vector<Index> added_;
  std::vector<std::vector<T>> levels_;
};

/// target[a[k]] += b[k], from 0, or + 1 without b. Refuses what is no place in the target before
/// anything is written.
template <class T>
void bincount(const SolverCall<T>& call) {
  const Index n = call.rows * call.cols;
  for (Index k = 0; k < n; ++k) check_place(call.a[k], k, call.size);
  if (call.b == nullptr) {
    std::vector<Index> counts(static_cast<std::size_t>(call.size), 0);
    for (Index k = 0; k < n; ++k) ++counts[static_cast<std::size_t>(call.a[k])];
    for (std::size_t key = 0; key < counts.size(); ++key)
      call.target[key] = static_cast<T>(counts[key]);
    return;
  }
  SumsByKey<T> sums(call.size);
  for (Index k = 0; k < n; ++k) sums.add(static_cast<std::size_t>(call.a[k]), call.b[k]);
  sums.finish(call.target);
}

}  // namespace cudamat::detail
