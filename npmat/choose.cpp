// What values choose: selections, places, distinct numbers, searches.
#include <algorithm>
#include <cmath>
#include <vector>

#include "cudamat/detail/bins.hpp"
#include "npmat/engine.hpp"
#include "npmat/parallel.hpp"

namespace npmat {
namespace {

constexpr Index kGrain = 4096;  ///< elements below which one thread is enough

/// target[found] = item(k) for the elements of the mask that are not 0. Without branches, which
/// could not be foreseen; nothing is written beyond what is found.
template <class T, class Item>
Index choose(const T* mask, T* target, Index n, const Item& item) {
  const auto count = static_cast<Index>(std::count_if(mask, mask + n, [](T x) { return x != 0; }));
  Index found = 0;
  for (Index k = 0; found < count; ++k) {
    target[found] = item(k);
    found += mask[k] != 0 ? 1 : 0;
  }
  return count;
}

}  // namespace

template <class T>
Index Engine<T>::select(const T* source, const T* mask, T* target, Index n) {
  return choose(mask, target, n, [&](Index k) { return source[k]; });
}

template <class T>
Index Engine<T>::nonzero(const T* source, T* target, Index n) {
  return choose(source, target, n, [](Index k) { return static_cast<T>(k); });
}

template <class T>
Index Engine<T>::unique(const T* source, T* target, T* counts, Index n) {
  std::vector<T> sorted(source, source + n);
  sort(sorted.data(), n, 1);
  const auto nans = std::find_if(sorted.begin(), sorted.end(), [](T x) { return x != x; });
  Index found = 0;
  const auto put = [&](T number, std::ptrdiff_t count) {
    target[found] = number;
    if (counts != nullptr) counts[found] = static_cast<T>(count);
    ++found;
  };
  for (auto first = sorted.begin(); first != nans;) {
    auto last = std::find_if(first, nans, [&](T x) { return x != *first; });
    put(*first == 0 && std::any_of(first, last, [](T x) { return !std::signbit(x); }) ? T(0)
                                                                                      : *first,
        last - first);
    first = last;
  }
  if (nans != sorted.end()) put(*nans, sorted.end() - nans);
  return found;
}

template <class T>
void Engine<T>::search(cudamat::Side side, const T* edges, Index count, const T* source, T* target,
                       Index n) {
  parallel_for(n, kGrain, [&](Index begin, Index end) {
    for (Index k = begin; k < end; ++k)
      target[k] = static_cast<T>(cudamat::detail::edges_before(side, edges, count, source[k]));
  });
}

#define INSTANTIATE(T)                                             \
  template Index Engine<T>::select(const T*, const T*, T*, Index); \
  template Index Engine<T>::nonzero(const T*, T*, Index);          \
  template Index Engine<T>::unique(const T*, T*, T*, Index);       \
  template void Engine<T>::search(cudamat::Side, const T*, Index, const T*, T*, Index);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(long double)
#undef INSTANTIATE

}  // namespace npmat
