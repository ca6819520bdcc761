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

  /// Forgets what is left.
  void clear() {
    areas_.clear();
    at_ = 0;
    all_ = asked_ = done_ = 0;
  }
  /// So many bytes are wanted.
  void add(const void* data, Index bytes) {
    const Index lines = (bytes + kLine - 1) / kLine;
    if (lines > 0) areas_.push_back({static_cast<const char*>(data), lines});
    all_ += lines;
  }
  /// While so much is done, in any unit.
  void spread(Index work) { work_ = std::max(Index(1), work); }

  /// What to ask for with `some` of it: of one area, what is due.
  Lines next(Index some) {
    done_ = std::min(work_, done_ + some);
    const Index due = all_ * done_ / work_ - asked_;
    if (due == 0) return {};
    Lines& area = areas_[at_];
    const Lines lines{area.at, std::min(due, area.count)};
    asked_ += lines.count;
    area.at += lines.count * kLine;
    area.count -= lines.count;
    at_ += area.count == 0;
    return lines;
  }

 private:
  std::vector<Lines> areas_;
  std::size_t at_ = 0;
  Index all_ = 0, asked_ = 0;  ///< lines
  Index work_ = 1, done_ = 0;
};

}  // namespace npmat::fused
