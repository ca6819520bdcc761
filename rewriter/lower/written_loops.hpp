// The statements of a list as a tree of its unrolled loops.
#pragma once

#include <memory>
#include <vector>

#include "rewriter/lower/roll.hpp"

namespace rewriter {

struct WrittenRegion;

/// A statement of the list, or an unrolled loop.
struct WrittenItem {
  std::size_t statement = 0;
  std::shared_ptr<const WrittenRegion> region{};
};
using WrittenBlock = std::vector<WrittenItem>;

struct WrittenRegion {
  const WrittenLoop* loop = nullptr;
  std::vector<WrittenBlock> iterations{};
};

/// The list of that many statements; the loops lie in each other, and must outlive the tree.
WrittenBlock written_program(std::vector<WrittenLoop>& loops, std::size_t statements);

}  // namespace rewriter
