#include "npmat/random.hpp"

#include <algorithm>
#include <type_traits>

#include "cudamat/error.hpp"
#include "cudamat/philox.hpp"
#include "npmat/parallel.hpp"
#include "npmat/random_kernels.hpp"

namespace npmat {
namespace {

using cudamat::kPhiloxSubsequences;
using detail::QuadRun;

constexpr std::int64_t kGrain = 4096;  // quads: what a thread is worth starting for
constexpr std::uint64_t kEnd = std::uint64_t{1} << 63;

/// Writes those values of the run, whose first is at stream position `at`, that lie in
/// [first, end); out[0] is position `first`. Only the run's first and last quad may lie partly
/// outside.
template <class T, class Fill>
void fill_part(const Fill& fill, QuadRun run, std::uint64_t at, std::uint64_t first,
               std::uint64_t end, T* out) {
  const auto one_quad = [&](QuadRun quad, std::uint64_t begin) {
    T values[4];
    quad.quads = 1;
    fill(quad, values);
    for (int j = 0; j < 4; ++j) {
      const std::uint64_t p = begin + static_cast<std::uint64_t>(j);
      if (p >= first && p < end) out[p - first] = values[j];
    }
  };
  if (at < first) {
    one_quad(run, at);
    at += 4;
    ++run.subsequence;
    --run.quads;
  }
  if (run.quads > 0 && at + 4 * static_cast<std::uint64_t>(run.quads) > end) {
    QuadRun last = run;
    last.subsequence += static_cast<std::uint32_t>(--run.quads);
    one_quad(last, at + 4 * static_cast<std::uint64_t>(run.quads));
  }
  if (run.quads > 0) fill(run, out + (at - first));
}

/// Calls fill(run, to) for doubles, and widens them.
template <class Fill>
void widen(const Fill& fill, QuadRun run, long double* to) {
  constexpr std::int64_t kQuads = 128;  // at a time: they stay in the first-level cache
  double values[4 * kQuads];
  for (std::int64_t left = run.quads; left > 0; left -= run.quads) {
    run.quads = std::min(kQuads, left);
    fill(run, values);
    to = std::copy_n(values, 4 * run.quads, to);
    run.subsequence += static_cast<std::uint32_t>(run.quads);
  }
}

/// What fills floats and doubles, and with it long doubles.
template <class Fill>
struct Widening {
  Fill fill;
  template <class T>
  void operator()(const QuadRun& run, T* to) const {
    if constexpr (std::is_same_v<T, long double>)
      widen(fill, run, to);
    else
      fill(run, to);
  }
};
constexpr Widening kFillUniform{
    [](const QuadRun& run, auto* to) { detail::fill_uniform(run, to); }};
constexpr Widening kFillNormal{[](const QuadRun& run, auto* to) { detail::fill_normal(run, to); }};

}  // namespace

void Generator::seed(std::uint64_t seed) {
  seed_ = seed;
  seek(0);
}

void Generator::seek(std::uint64_t position) {
  if (position > kEnd)
    cudamat::misuse("seek", "the stream ends at position 2^63; got {}", position);
  position_ = position;
  doubles_.assign(1, {0, 0});
}

void Generator::check(const char* op, std::int64_t n) const {
  if (n < 0) cudamat::misuse(op, "the number of values must not be negative; got {}", n);
  if (static_cast<std::uint64_t>(n) > kEnd - position_)
    cudamat::misuse(op, "the stream ends at position 2^63; asked for {} values from position {}", n,
                    position_);
}

template <class T, class Fill>
void Generator::peek(T* out, std::int64_t first_index, std::int64_t end_index,
                     const Fill& fill) const {
  constexpr bool kDouble = !std::is_same_v<T, float>;
  const std::uint64_t call_quad = position_ / 4;
  const std::uint64_t first = position_ + static_cast<std::uint64_t>(first_index);
  const std::uint64_t end = position_ + static_cast<std::uint64_t>(end_index);
  const std::uint64_t stop = (end + 3) / 4;
  for (std::uint64_t q = first / 4; q < stop;) {
    const auto sub = static_cast<std::uint32_t>(q % kPhiloxSubsequences);
    const std::uint64_t round = q / kPhiloxSubsequences;
    auto next = std::upper_bound(
        doubles_.begin(), doubles_.end(), sub,
        [](std::uint32_t value, const Doubles& entry) { return value < entry.first; });
    std::uint64_t counter = round + std::prev(next)->quads;
    std::uint32_t run_end = next == doubles_.end() ? kPhiloxSubsequences : next->first;
    if constexpr (kDouble) {  // the quads of this subsequence that this very call has finished
      const auto start = static_cast<std::uint32_t>(call_quad % kPhiloxSubsequences);
      counter += round - call_quad / kPhiloxSubsequences - (sub < start ? 1 : 0);
      if (sub < start) run_end = std::min(run_end, start);
    }
    const std::uint64_t quads = std::min<std::uint64_t>(run_end - sub, stop - q);
    fill_part<T>(fill, {seed_, counter, sub, static_cast<std::int64_t>(quads)}, 4 * q, first, end,
                 out);
    q += quads;
  }
}

template <class T, class Fill>
void Generator::draw(T* out, std::int64_t n, const Fill& fill) {
  if (n == 0) return;
  // Ranges of whole quads but for the first and the last one.
  const auto into_quad = static_cast<std::int64_t>(position_ % 4);
  parallel_for((into_quad + n + 3) / 4, kGrain, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t first = std::max<std::int64_t>(0, 4 * begin - into_quad);
    peek(out + first, first, std::min(n, 4 * end - into_quad), fill);
  });
  skip<T>(n);
}

// A double call moved the quads [first_quad, end_quad) to their end: every subsequence has passed
// as many as there are whole rounds among them, those of the rest one more.
void Generator::finish_doubles(std::uint64_t first_quad, std::uint64_t end_quad) {
  const std::uint64_t quads = end_quad - first_quad;
  add_doubles(0, kPhiloxSubsequences, quads / kPhiloxSubsequences);
  const auto start = static_cast<std::uint32_t>(first_quad % kPhiloxSubsequences);
  const auto stop = start + static_cast<std::uint32_t>(quads % kPhiloxSubsequences);
  add_doubles(start, std::min(stop, kPhiloxSubsequences), 1);
  if (stop > kPhiloxSubsequences) add_doubles(0, stop - kPhiloxSubsequences, 1);
}

void Generator::add_doubles(std::uint32_t first, std::uint32_t end, std::uint64_t quads) {
  if (first == end || quads == 0) return;
  const auto at = [](const Doubles& entry, std::uint32_t value) { return entry.first < value; };
  for (const std::uint32_t cut : {first, end}) {  // an entry starts at each end of the range
    const auto place = std::lower_bound(doubles_.begin(), doubles_.end(), cut, at);
    if (cut < kPhiloxSubsequences && (place == doubles_.end() || place->first != cut))
      doubles_.insert(place, {cut, std::prev(place)->quads});
  }
  for (Doubles& entry : doubles_)
    if (entry.first >= first && entry.first < end) entry.quads += quads;
  const auto same = [](const Doubles& a, const Doubles& b) { return a.quads == b.quads; };
  doubles_.erase(std::unique(doubles_.begin(), doubles_.end(), same), doubles_.end());
}

template <class T>
void Generator::skip(std::int64_t n) {
  check("skip", n);
  const std::uint64_t end = position_ + static_cast<std::uint64_t>(n);
  if constexpr (!std::is_same_v<T, float>) finish_doubles(position_ / 4, end / 4);
  position_ = end;
}

template <class T>
void Generator::uniform(T* out, std::int64_t n) {
  check("uniform", n);
  draw(out, n, kFillUniform);
}

template <class T>
void Generator::normal(T* out, std::int64_t n) {
  check("normal", n);
  draw(out, n, kFillNormal);
}

template <class T>
void Generator::peek_uniform(T* out, std::int64_t first, std::int64_t end) const {
  peek(out, first, end, kFillUniform);
}

template <class T>
void Generator::peek_normal(T* out, std::int64_t first, std::int64_t end) const {
  peek(out, first, end, kFillNormal);
}

#define INSTANTIATE(T)                                                         \
  template void Generator::uniform(T*, std::int64_t);                          \
  template void Generator::normal(T*, std::int64_t);                           \
  template void Generator::peek_uniform(T*, std::int64_t, std::int64_t) const; \
  template void Generator::peek_normal(T*, std::int64_t, std::int64_t) const;  \
  template void Generator::skip<T>(std::int64_t);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(long double)
#undef INSTANTIATE

}  // namespace npmat
