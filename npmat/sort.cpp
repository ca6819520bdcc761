// Columns in ascending order: std::sort of their numbers, with the NaNs put after them first.
#include <algorithm>

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

template void Engine<float>::sort(float*, Index, Index);
template void Engine<double>::sort(double*, Index, Index);
template void Engine<long double>::sort(long double*, Index, Index);

}  // namespace npmat
