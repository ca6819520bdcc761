// Fused statements that use their own reductions, a strip of the space at a time.
//
// Strips are some columns where columns are reduced, some rows where rows are: what a strip reduces
// is there from end to end. They are cut for the caches and the threads at hand, which changes no
// bit: columns are reduced each for itself, and rows in the order of the whole space.
#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>

#include "cudamat/detail/fused_cut.hpp"
#include "cudamat/detail/unfused.hpp"
#include "npmat/engine.hpp"
#include "npmat/fused_columns.hpp"
#include "npmat/fused_plain.hpp"
#include "npmat/fused_tile.hpp"
#include "npmat/parallel.hpp"

namespace npmat::fused {
namespace {

using cudamat::FusedBody;
using cudamat::FusedCall;
using cudamat::FusedStep;
using cudamat::Op;
using cudamat::Spread;
using cudamat::detail::FusedHome;
using cudamat::detail::FusedPart;
using cudamat::detail::FusedPartCall;
using cudamat::detail::FusedParts;
using cudamat::detail::FusedRegion;

/// What a strip of columns may have in all its matrices, with what is read ahead for the next one:
/// most of a second-level cache.
constexpr Index kColumnsBytes = Index(384) << 10;
/// And any strip, at most: a thread's part of a third-level cache. Strips of rows are as large as
/// that: of a column they have but a piece, and short pieces cost more than the way to that cache.
constexpr Index kMostBytes = Index(8) << 20;
constexpr Index kPieceRows = 1024;  ///< rows of a strip, if that many fit
constexpr Index kFewestRows = 64;   ///< and at least

/// In which direction strips are cut.
template <class T>
std::optional<int> axis_of(const FusedCall<T>& call) {
  for (const FusedStep& step : call.body.steps)
    if (step.reduces()) return step.axis;
  return std::nullopt;
}

/// Matrices of the space that a strip has in the caches.
int matrices(const FusedParts& cut) {
  int count = 0;
  std::vector<FusedHome> seen;
  for (const FusedPart& part : cut.parts) {
    if (part.space != Spread::Whole) continue;
    for (std::size_t i = 0; i < part.inputs.size(); ++i) {
      if (part.body.inputs[i] != Spread::Whole) continue;
      if (std::find(seen.begin(), seen.end(), part.inputs[i]) == seen.end()) {
        seen.push_back(part.inputs[i]);
        ++count;
      }
    }
  }
  return std::max(1, count);
}

/// What this thread has cut lately: programs run a few statements again and again, and small ones
/// would take longer to cut than to compute.
class Cuts {
 public:
  std::shared_ptr<const FusedParts> of(const FusedBody& body, std::vector<bool> late) {
    for (const Known& known : known_)
      if (known.parts != nullptr && known.late == late && known.body == body) return known.parts;
    cudamat::detail::FusedCutter cutter(body, late, true);
    Known& known = known_[next_];
    known = {body, std::move(late), std::make_shared<const FusedParts>(cutter.cut())};
    next_ = (next_ + 1) % std::size(known_);
    return known.parts;
  }

 private:
  struct Known {
    FusedBody body;
    std::vector<bool> late;
    std::shared_ptr<const FusedParts> parts;
  };
  Known known_[8];
  std::size_t next_ = 0;
};

std::shared_ptr<const FusedParts> cut(const FusedBody& body, std::vector<bool> late) {
  static thread_local Cuts cuts;
  return cuts.of(body, std::move(late));
}

template <class T>
class Strips {
 public:
  /// compiles: whether the loops of parts may be compiled.
  Strips(const FusedCall<T>& call, const FusedParts& cut, int axis, bool compiles)
      : call_(call),
        cut_(cut),
        axis_(axis),
        compiles_(compiles),
        line_((axis == 0 ? call.rows : call.cols) * Index(sizeof(T)) * matrices(cut_)) {
    for (std::size_t p = 0; p < cut_.parts.size(); ++p)
      if (cut_.parts[p].space == Spread::Whole) last_ = p;
  }

  /// False if no strip would fit, or too few threads had one.
  bool run() {
    const Index lines = axis_ == 0 ? call_.cols : call_.rows;
    const bool all_fits = line_ * lines <= kColumnsBytes;
    const Index some = all_fits ? lines : lines_of_strip(lines);
    if (some == 0) return false;
    // Vectors that all strips share would be written by each of them.
    const Spread shared = axis_ == 0 ? Spread::Column : Spread::Row;
    for (const FusedPart& part : cut_.parts)
      if (part.space == shared || part.space == Spread::One) return false;
    parallel_for(lines, some, [&](Index begin, Index end) {
      Memory memory(cut_, region(0, std::min(some, end - begin)));
      Ahead ahead;
      for (Index at = begin; at < end; at += some) {
        const bool looks = axis_ == 0 && at + some < end;
        if (looks) look_ahead(ahead, at + some, std::min(some, end - at - some));
        run(region(at, std::min(some, end - at)), memory.temporaries, looks ? &ahead : nullptr);
      }
    });
    return true;
  }

 private:
  /// The temporaries of a strip.
  struct Memory {
    Memory(const FusedParts& cut, const FusedRegion& largest) : scratch(size(cut, largest)) {
      T* at = scratch.data();
      for (const Spread how : cut.temporaries) {
        temporaries.push_back(at);
        at += rounded(size_of(how, largest));
      }
    }
    static Index rounded(Index n) { return (n + kUnit - 1) / kUnit * kUnit; }
    static Index size(const FusedParts& cut, const FusedRegion& largest) {
      Index sum = 0;
      for (const Spread how : cut.temporaries) sum += rounded(size_of(how, largest));
      return sum;
    }
    static constexpr Index kUnit = 64;
    Scratch<T> scratch;
    std::vector<T*> temporaries;
  };

  [[nodiscard]] FusedRegion region(Index first, Index some) const {
    if (axis_ == 0) return {0, call_.rows, first, some};
    return {first, some, 0, call_.cols};
  }

  /// Columns, or rows, of a strip.
  [[nodiscard]] Index lines_of_strip(Index lines) const {
    const Index threads = thread_count();
    if (axis_ == 0) {
      if (line_ > kMostBytes || lines < threads) return 0;
      return std::clamp(kColumnsBytes / (line_ + line_ahead()), Index(1), lines);
    }
    // Whole cache lines of each column.
    const Index even = lines / threads / kFewestRows * kFewestRows;
    Index some = std::min(kPieceRows, std::max(even, kFewestRows));
    while (some > kFewestRows && some * line_ > kMostBytes)
      some = some / 2 / kFewestRows * kFewestRows;
    return some * line_ > kMostBytes || lines < kFewestRows ? 0 : some;
  }

  /// Whether the next strip's columns of an input are read ahead: one range.
  [[nodiscard]] bool is_read_ahead(std::size_t input) const {
    return call_.body.inputs[input] == Spread::Whole && call_.is_contiguous(call_.inputs[input].ld);
  }
  /// Bytes of a column of those.
  [[nodiscard]] Index line_ahead() const {
    Index inputs = 0;
    for (std::size_t i = 0; i < call_.inputs.size(); ++i) inputs += is_read_ahead(i);
    return inputs * call_.rows * Index(sizeof(T));
  }
  /// While the strip before it is computed.
  void look_ahead(Ahead& ahead, Index next, Index cols) const {
    ahead.clear();
    for (std::size_t i = 0; i < call_.inputs.size(); ++i)
      if (is_read_ahead(i))
        ahead.add(call_.inputs[i].data + call_.rows * next, call_.rows * cols * Index(sizeof(T)));
    Index work = 0;
    for (const FusedPart& part : cut_.parts) work += weight(part);
    ahead.spread(call_.rows * cols * work);
  }

  /// What an element takes, in additions.
  static Index weight(const FusedPart& part) {
    Index sum = 0;
    if (part.space == Spread::Whole)
      for (const FusedStep& step : part.body.steps) {
        const bool divides = step.op == Op::divide || step.op == Op::sqrt;
        sum += cudamat::row(step.op).ulps() > 0 ? 8 : divides ? 2 : 1;
      }
    return sum;
  }

  void run(const FusedRegion& strip, const std::vector<T*>& temporaries, Ahead* ahead) const {
    const bool large = call_.rows * call_.cols * Index(sizeof(T)) >= kStreamBytes;
    for (std::size_t p = 0; p < cut_.parts.size(); ++p) {
      const FusedPart& part = cut_.parts[p];
      const FusedPartCall<T> made(part, cut_, call_, strip, temporaries);
      Walk walk{large && p == last_ ? Writes::Streamed : Writes::Cached};
      if (axis_ == 1 && part.space == Spread::Whole) walk.rows_of_all = call_.rows;
      walk.ahead = ahead;
      walk.weight = weight(part);
      walk.compiles = compiles_;
      run_plain(made.call(), walk);
    }
  }

  const FusedCall<T>& call_;
  const FusedParts& cut_;
  int axis_;
  bool compiles_;
  Index line_;  ///< bytes of a column, or a row, in all matrices
  std::size_t last_ = 0;
};

}  // namespace

template <class T>
void run_strips(const FusedCall<T>& call) {
  // Of nothing there are only vectors; draws come in the order of the steps.
  if (call.rows == 0 || call.cols == 0 || call.body.draws())
    return cudamat::detail::unfused<Engine<T>>(call);
  if (const std::optional<int> axis = axis_of(call)) {
    const std::vector<bool> late = cudamat::detail::late_targets(call);
    const auto parts = cut(call.body, late);
    const Columns<T> columns(call, *parts, late);
    if (columns.run() || Strips<T>(call, *parts, *axis, !columns.may_come()).run()) return;
  }
  cudamat::detail::run_parts<Engine<T>>(call, false,
                                        [](const FusedCall<T>& part) { run_plain(part, Walk{}); });
}

template void run_strips(const FusedCall<float>&);
template void run_strips(const FusedCall<double>&);
template void run_strips(const FusedCall<long double>&);

}  // namespace npmat::fused
