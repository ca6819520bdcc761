// Counts and sums by key, on the host.
#pragma once

#include <utility>
#include <vector>

#include "cudamat/detail/bins.hpp"
#include "cudamat/engine.hpp"
#include "cudamat/error.hpp"

namespace cudamat::detail {

/// Raises an error for what element k counts, if it is no place in a target of `size` elements.
template <class T>
void check_place(T place, Index k, Index size) {
  if (is_place(place, size)) return;
  const auto element = static_cast<long long>(k);
  if (!(place >= 0))
    misuse(Reason::Unsupported, "bincount", "'list' argument must have no negative elements");
  if (place < static_cast<T>(size))
    misuse(Reason::Unsupported, "bincount", "element {} is {}, which is not a whole number",
           element, static_cast<double>(place));
  misuse(Reason::Unsupported, "bincount",
         "element {} is {}, and the target has {} elements, as minlength says", element,
         static_cast<double>(place), static_cast<long long>(size));
}

/// Sums by key, in the order of bins.hpp.
template <class T>
class SumsByKey {
 public:
  explicit SumsByKey(Index size) : size_(static_cast<std::size_t>(size)), levels_(1, none()) {}

  void add(std::size_t key, T number) {
    Piece& piece = levels_[0][key];
    piece.sum += number;
    if (++piece.count == kPiece) carry(key);
  }

  /// Adds up what is left of each level's last piece. No sum is -0: adding 0 changes none.
  void finish(T* target) const {
    for (std::size_t key = 0; key < size_; ++key) {
      T sum = 0;
      for (const std::vector<Piece>& level : levels_) sum = level[key].sum + sum;
      target[key] = sum;
    }
  }

 private:
  /// The last piece of a key on a level, which is not complete.
  struct Piece {
    T sum = 0;
    int count = 0;
  };

  void carry(std::size_t key) {
    for (std::size_t level = 0; levels_[level][key].count == kPiece; ++level) {
      if (level + 1 == levels_.size()) levels_.push_back(none());
      Piece& next = levels_[level + 1][key];
      next.sum += std::exchange(levels_[level][key], {}).sum;
      ++next.count;
    }
  }
  [[nodiscard]] std::vector<Piece> none() const { return std::vector<Piece>(size_); }

  std::size_t size_;
  std::vector<std::vector<Piece>> levels_;
};

/// target[a[k]] += b[k], from 0, or + 1 without b. Raises an error for what is no place in the
/// target before anything is written there.
template <class T>
void bincount(const SolverCall<T>& call) {
  const Index n = call.rows * call.cols;
  const auto each = [n, a = call.a, size = call.size](const auto& add) {
    for (Index k = 0; k < n; ++k) {
      const T place = a[k];
      if (!is_place(place, size)) check_place(place, k, size);
      add(static_cast<std::size_t>(static_cast<Index>(place)), k);
    }
  };
  if (call.b == nullptr) {
    std::vector<Index> counts(static_cast<std::size_t>(call.size), 0);
    each([&](std::size_t key, Index) { ++counts[key]; });
    for (std::size_t key = 0; key < counts.size(); ++key)
      call.target[key] = static_cast<T>(counts[key]);
    return;
  }
  SumsByKey<T> sums(call.size);
  each([&sums, b = call.b](std::size_t key, Index k) { sums.add(key, b[k]); });
  sums.finish(call.target);
}

}  // namespace cudamat::detail
