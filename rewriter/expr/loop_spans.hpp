// Where loops are in an order of nodes, and how long their values live. Internal to the rewriter.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "rewriter/expr/node.hpp"

namespace rewriter {

class LoopSpans {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  struct Span {
    std::size_t begin = 0;       ///< of the LoopBegin
    std::size_t end = 0;         ///< of the LoopEnd
    std::size_t parent = kNone;  ///< the loop around it
  };

  /// `order`: from in_order(), with the LoopEnd of each loop; InternalError without.
  explicit LoopSpans(const std::vector<NodePtr>& order);

  /// The loop that starts or ends at this position.
  [[nodiscard]] const Span& at(std::size_t position) const { return spans_[loop_of_[position]]; }
  [[nodiscard]] const std::vector<Span>& all() const { return spans_; }

  /// How long a value that is made at `made` and read at `read` must live: the end of the loops
  /// that are around the reading and not around the making.
  [[nodiscard]] std::size_t until(std::size_t made, std::size_t read) const;

  /// The last position that needs each node's value; its own, if nothing reads it. A Carried node
  /// reads its first value where the loop begins. Its LoopEnd reads it where `ends_read_carried`
  /// and the loop has a condition: that does not hold, and it is what is left. Memory that a
  /// Carried node and the value after it share is left as it is then, and a body that runs may
  /// write it.
  [[nodiscard]] std::vector<std::size_t> last_uses(const std::vector<NodePtr>& order,
                                                   bool ends_read_carried) const;

 private:
  std::vector<Span> spans_;
  std::vector<std::size_t> loop_of_;  // by position: the innermost; kNone outside
};

}  // namespace rewriter
