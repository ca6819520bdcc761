// Fused statements that use their own reductions over columns, a column at a time, by compiled code
// (column_source.hpp): all walks through it find it in the first caches.
#pragma once

#include <optional>
#include <vector>

#include "cudamat/detail/fused_cut.hpp"
#include "npmat/fused_loops.hpp"

namespace npmat::fused {

/// What the run of one call has to do with such code: runs it, or takes the time of what runs in
/// its place.
template <class T>
class Columns {
 public:
  /// late: as detail::late_targets() has them. All must outlive this.
  Columns(const cudamat::FusedCall<T>& call, const cudamat::detail::FusedParts& parts,
          const std::vector<bool>& late);

  /// False: there is none, so far.
  bool run() const;
  /// Whether there may be some: what runs in its place need not be compiled.
  [[nodiscard]] bool may_come() const { return loop_ && loop_->may_come(); }

 private:
  [[nodiscard]] bool is_streamed(std::size_t target) const;
  void run(cudamat::Index begin, cudamat::Index end) const;

  const cudamat::FusedCall<T>& call_;
  const cudamat::detail::FusedParts& parts_;
  const std::vector<bool>& late_;
  std::optional<Loop<T>> loop_;
};

}  // namespace npmat::fused
