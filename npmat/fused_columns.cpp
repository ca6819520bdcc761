#include "npmat/fused_columns.hpp"

#include <algorithm>
#include <vector>

#include "npmat/column_source.hpp"
#include "npmat/fused_tile.hpp"
#include "npmat/parallel.hpp"
#include "npmat/stream.hpp"

namespace npmat::fused {
namespace {

using cudamat::FusedCall;
using cudamat::Spread;
using cudamat::detail::FusedHome;
using cudamat::detail::FusedParts;

constexpr Index kGrain = 16384;  ///< elements of about 10 microseconds

}  // namespace

template <class T>
Columns<T>::Columns(const FusedCall<T>& call, const FusedParts& parts,
                    const std::vector<bool>& late)
    : call_(call), parts_(parts), late_(late) {
  if (!is_column_length(call.rows) || !has_column_code(call.body, parts)) return;
  LoopLayout layout{.columns = true};
  for (std::size_t t = 0; t < std::min(late.size(), std::size_t(kMostLoopPointers)); ++t)
    layout.late |= std::uint64_t(late[t]) << t;
  loop_.emplace(call, layout);
}

/// Whether a target is written past the caches: one that no walk reads.
template <class T>
bool Columns<T>::is_streamed(std::size_t target) const {
  if (call_.rows * call_.cols * Index(sizeof(T)) < kStreamBytes) return false;
  const auto& last = parts_.parts.back();
  const FusedHome home{FusedHome::Of::Targets, int(target)};
  return call_.body.targets[target].is_stored() && !late_[target] &&
         std::ranges::find(last.targets, home) != last.targets.end();
}

template <class T>
void Columns<T>::run(Index begin, Index end) const {
  const Index rows = call_.rows;
  const std::size_t inputs = call_.inputs.size(), targets = call_.targets.size();
  const Index stride =
      (rows * Index(sizeof(T)) + 63) / 64 * 64 / Index(sizeof(T)) + kGapBytes / Index(sizeof(T));
  const T *in[kMostLoopPointers], *next[kMostLoopPointers];
  T *out[kMostLoopPointers], *streamed[kMostLoopPointers] = {};
  Index in_steps[kMostLoopPointers], out_steps[kMostLoopPointers];
  for (std::size_t i = 0; i < inputs; ++i) {
    const Spread how = call_.body.inputs[i];
    in_steps[i] = how == Spread::Whole || how == Spread::Row ? call_.inputs[i].ld : 0;
    in[i] = call_.inputs[i].data + in_steps[i] * begin;
  }
  Index columns = column_scratch(parts_);
  for (std::size_t t = 0; t < targets; ++t) {
    out_steps[t] = call_.body.targets[t].is_stored() ? call_.targets[t].ld : 1;
    out[t] = call_.targets[t].data + out_steps[t] * begin;
    columns += is_streamed(t);
  }
  Scratch<T> scratch(stride * columns);
  T* buffer = scratch.data() + stride * column_scratch(parts_);
  for (std::size_t t = 0; t < targets; ++t)
    if (is_streamed(t)) {
      streamed[t] = std::exchange(out[t], buffer);
      buffer += stride;
    }
  for (Index j = begin; j < end; ++j) {
    for (std::size_t i = 0; i < inputs; ++i) next[i] = in[i] + in_steps[i];
    loop_->column_function()(in, next, call_.numbers.data(), out, long(rows), scratch.data(),
                             long(stride));
    std::copy_n(next, inputs, in);
    for (std::size_t t = 0; t < targets; ++t) {
      if (streamed[t] == nullptr) {
        out[t] += out_steps[t];
      } else {
        stream_out(out[t], streamed[t], rows);
        streamed[t] += out_steps[t];
      }
    }
  }
  stream_fence();
}

template <class T>
bool Columns<T>::run() const {
  if (!loop_ || loop_->column_function() == nullptr) return false;
  parallel_for(call_.cols, std::max(Index(1), kGrain / call_.rows),
               [&](Index begin, Index end) { run(begin, end); });
  return true;
}

template class Columns<float>;
template class Columns<double>;
template class Columns<long double>;

}  // namespace npmat::fused
