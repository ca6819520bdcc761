// Numbers by position: adds to a range of them, and knows their greatest, in logarithmic time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "cudamat/engine.hpp"

namespace rewriter {

using cudamat::Index;

class RangeMax {
 public:
  /// `size` zeros.
  explicit RangeMax(std::size_t size) : size_(std::max<std::size_t>(size, 1)), nodes_(4 * size_) {}

  /// To all positions first..last, both included.
  void add(std::size_t first, std::size_t last, Index value) {
    if (first <= last) add(0, 0, size_ - 1, first, last, value);
  }
  [[nodiscard]] Index max() const { return nodes_[0].max; }

 private:
  struct Node {
    Index added = 0;  ///< to all positions below it
    Index max = 0;    ///< of these, without what was added above
  };

  void add(std::size_t node, std::size_t low, std::size_t high, std::size_t first, std::size_t last,
           Index value) {
    if (first > high || last < low) return;
    Node& here = nodes_[node];
    if (first <= low && high <= last) {
      here.added += value;
      here.max += value;
      return;
    }
    const std::size_t middle = low + (high - low) / 2;
    add(2 * node + 1, low, middle, first, last, value);
    add(2 * node + 2, middle + 1, high, first, last, value);
    here.max = here.added + std::max(nodes_[2 * node + 1].max, nodes_[2 * node + 2].max);
  }

  std::size_t size_;
  std::vector<Node> nodes_;
};

}  // namespace rewriter
