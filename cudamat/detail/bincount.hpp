// Counts and sums by key, on the host.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
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

  template <class Key>
  void add(const Key* keys, const T* numbers, Index n) {
    Piece* const pieces = levels_[0].data();
    for (Index k = 0; k < n; ++k) {
      Piece& piece = pieces[keys[k]];
      piece.sum += numbers[k];
      if (++piece.count == kPiece) carry(static_cast<std::size_t>(keys[k]));
    }
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

/// 0 if they are the same number with the same sign. Of floats and doubles as a vector instruction.
template <class T>
auto difference(T a, T b) {
  if constexpr (sizeof(T) == 4)
    return std::bit_cast<std::int32_t>(a) ^ std::bit_cast<std::int32_t>(b);
  else if constexpr (sizeof(T) == 8)
    return std::bit_cast<std::int64_t>(a) ^ std::bit_cast<std::int64_t>(b);
  else
    return a == b ? 0 : 1;
}

/// Numbers that are whole and in [least, end), among which 0 must be, as integers. False where one
/// may be none. What these bounds are rounded to does not matter.
template <class T>
bool find_keys(const T* numbers, Index n, Index least, Index end, std::int32_t* keys) {
  const T low = static_cast<T>(least), high = static_cast<T>(end);
  decltype(difference(low, high)) wrong = 0;
  for (Index k = 0; k < n; ++k) {
    const T bounded = numbers[k] >= low ? numbers[k] : T(0);
    keys[k] = static_cast<std::int32_t>(bounded < high ? bounded : T(0));
  }
  for (Index k = 0; k < n; ++k) wrong |= difference(static_cast<T>(keys[k]), numbers[k]);
  return wrong == 0;
}

/// Calls use(keys, begin, count) for blocks of numbers that find_keys() finds, and other(begin,
/// count) for those of others.
template <class T, class F, class G>
void for_blocks_of_keys(const T* numbers, Index n, Index least, Index end, const F& use,
                        const G& other) {
  constexpr Index kBlock = 1024;
  using Limits = std::numeric_limits<std::int32_t>;
  const bool fit = least >= Limits::min() && least <= 0 && end > 0 && end <= Limits::max();
  std::int32_t keys[kBlock];
  for (Index begin = 0; begin < n; begin += kBlock) {
    const Index count = std::min(kBlock, n - begin);
    if (fit && find_keys(numbers + begin, count, least, end, keys))
      use(keys, begin, count);
    else
      other(begin, count);
  }
}

/// target[a[k]] += b[k], from 0, or + 1 without b. Raises an error for what is no place in the
/// target before anything is written there.
template <class T>
void bincount(const SolverCall<T>& call) {
  const auto blocks = [&](const auto& add) {
    for_blocks_of_keys(call.a, call.rows * call.cols, 0, call.size, add,
                       [&](Index begin, Index count) {
                         for (Index k = begin; k < begin + count; ++k) {
                           check_place(call.a[k], k, call.size);
                           const auto key = static_cast<Index>(call.a[k]);
                           add(&key, k, 1);
                         }
                       });
  };
  if (call.b == nullptr) {
    std::vector<Index> counts(static_cast<std::size_t>(call.size), 0);
    blocks([&](const auto* keys, Index, Index count) {
      for (Index k = 0; k < count; ++k) ++counts[static_cast<std::size_t>(keys[k])];
    });
    std::ranges::copy(counts, call.target);
    return;
  }
  SumsByKey<T> sums(call.size);
  blocks(
      [&](const auto* keys, Index begin, Index count) { sums.add(keys, call.b + begin, count); });
  sums.finish(call.target);
}

}  // namespace cudamat::detail
