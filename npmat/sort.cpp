// Columns in ascending order: std::sort of their numbers, with the NaNs put after them first.
#include <algorithm>
#include <numeric>
#include <vector>

#include "npmat/engine.hpp"
#include "npmat/parallel.hpp"

namespace npmat {
namespace {

constexpr Index kGrain = 4096;  ///< elements below which one thread is enough

}  // namespace

template <class T>
void Engine<T>::sort(T* data, Index rows, Index cols) {
  if (rows < 2) return;
  parallel_for(cols, std::max(Index(1), kGrain / rows), [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      T* const column = data + rows * j;
      std::sort(column, std::partition(column, column + rows, [](T x) { return x == x; }));
    }
  });
}

template <class T>
void Engine<T>::argsort(const T* source, T* target, Index rows, Index cols) {
  if (rows == 0) return;
  parallel_for(cols, std::max(Index(1), kGrain / rows), [&](Index begin, Index end) {
    std::vector<Index> order(static_cast<std::size_t>(rows));
    for (Index j = begin; j < end; ++j) {
      const T* const column = source + rows * j;
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
        return column[a] < column[b] || (column[a] == column[a] && column[b] != column[b]);
      });
      std::transform(order.begin(), order.end(), target + rows * j,
                     [](Index i) { return static_cast<T>(i); });
    }
  });
}

template void Engine<float>::argsort(const float*, float*, Index, Index);
template void Engine<double>::argsort(const double*, double*, Index, Index);
template void Engine<long double>::argsort(const long double*, long double*, Index, Index);
template void Engine<float>::sort(float*, Index, Index);
template void Engine<double>::sort(double*, Index, Index);
template void Engine<long double>::sort(long double*, Index, Index);

}  // namespace npmat
