// The order in which threads and blocks run. For the execution's own files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "cudamat/simt/simt.hpp"

namespace simt {

/// order_text() into `text`; returns its length.
int write_order(char* text, std::size_t size);

/// Puts ranges, ascending as they come, into the order that a launch has.
class Orderer {
 public:
  /// The order set at this time.
  Orderer();

  /// Whether put() changes with every call.
  [[nodiscard]] bool shuffles() const { return order_ == Order::kShuffle; }

  template <class T>
  void put(std::span<T> items) {
    const std::size_t n = items.size();
    if (order_ == Order::kReverse)
      for (std::size_t i = 0; i < n / 2; ++i) std::swap(items[i], items[n - 1 - i]);
    if (order_ == Order::kShuffle)
      for (std::size_t i = n; i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::size_t below(std::size_t n) {  // splitmix64, scaled
    state_ += 0x9E3779B97F4A7C15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return static_cast<std::size_t>(((z ^ (z >> 31)) >> 32) * n >> 32);
  }

  Order order_;
  std::uint64_t state_;
};

}  // namespace simt
