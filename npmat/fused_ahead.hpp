// What a thread reads next, asked for while it computes what it has: memory would be idle while
// values in the caches are computed. A little at a time, since a processor waits for the ten or
// twenty lines that it has asked for before it asks for more.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "cudamat/engine.hpp"

namespace npmat::fused {

using cudamat::Index;

/// Of one thread.
class Ahead {
 public:
  static constexpr Index kLine = 64;

  struct Lines {
    const char* at = nullptr;
    Index count = 0;
  };

  /// Forgets what is left, and what there is to do.
  void clear() {
    areas_.clear();
    at_ = 0;
    all_ = 0;
    due_ = 0;
  }
  /// So many bytes are wanted.
  void add(const void* data, Index bytes) {
    const Index lines = (bytes + kLine - 1) / kLine;
    areas_.push_back({static_cast<const char*>(data), lines});
    all_ += lines;
  }
  /// While so much is done, in any unit.
  void spread(Index work) { each_ = double(all_) / double(std::max(Index(1), work)); }

  /// What to ask for with `work` of it.
  Lines next(Index work) {
    due_ += each_ * double(work);
    if (at_ == areas_.size() || due_ < 1) return {};
    Lines& area = areas_[at_];
    const Lines lines{area.at, std::min(Index(due_), area.count)};
    due_ -= double(lines.count);
    area.at += lines.count * kLine;
    area.count -= lines.count;
    at_ += area.count == 0;
    return lines;
  }

 private:
  std::vector<Lines> areas_;
  std::size_t at_ = 0;
  Index all_ = 0;
  double each_ = 0, due_ = 0;
};

}  // namespace npmat::fused
