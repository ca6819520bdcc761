#include "rewriter/lower/written_loops.hpp"

#include <algorithm>

namespace rewriter {

namespace {

/// The loops are in the order in which they begin, those around others first.
class Tree {
 public:
  explicit Tree(const std::vector<WrittenLoop>& loops) : loops_(loops) {}

  /// The statements from `at` to `end`, with the loops that begin before `until`.
  WrittenBlock block(std::size_t at, std::size_t end, std::size_t until) {
    WrittenBlock result;
    const auto statements = [&](std::size_t to) {
      for (; at < to; ++at) result.push_back({at});
    };
    while (next_ < loops_.size() && loops_[next_].order.front() < until) {
      const WrittenLoop& loop = loops_[next_++];
      statements(loop.positions.front());
      auto region = std::make_shared<WrittenRegion>();
      region->loop = &loop;
      for (std::size_t i = 0; i + 1 < loop.positions.size(); ++i)
        region->iterations.push_back(
            block(loop.positions[i], loop.positions[i + 1], loop.order[i + 1]));
      at = loop.positions.back();
      result.push_back({at, std::move(region)});
    }
    statements(end);
    return result;
  }

 private:
  const std::vector<WrittenLoop>& loops_;
  std::size_t next_ = 0;
};

}  // namespace

WrittenBlock written_program(std::vector<WrittenLoop>& loops, std::size_t statements) {
  std::sort(loops.begin(), loops.end(), [](const WrittenLoop& a, const WrittenLoop& b) {
    return a.order.front() != b.order.front() ? a.order.front() < b.order.front()
                                              : a.order.back() > b.order.back();
  });
  return Tree(loops).block(0, statements, static_cast<std::size_t>(-1));
}

}  // namespace rewriter
