// Columns in ascending order: long ones by the digits of their keys (cudamat/sort_keys.hpp), from
// the lowest that differs on; short ones, and those of long double, by comparisons.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "cudamat/sort_keys.hpp"
#include "npmat/engine.hpp"
#include "npmat/parallel.hpp"

namespace npmat {
namespace {

using cudamat::Bits;

constexpr Index kGrain = 4096;  ///< elements below which one thread is enough
constexpr Index kShort = 64;    ///< rows below which comparisons take less time than digits

template <class T>
constexpr bool kHasKeys = std::numeric_limits<T>::digits <= 53;

/// Sorts n items by what `key` says of them, of equal ones the first one first. Returns where they
/// are then: among `items` or in `other`, which has room for as many.
template <class Item, class Key>
Item* sort_by_digits(Item* items, Item* other, std::size_t n, const Key& key) {
  constexpr int kBits = 8;
  using Digits = decltype(key(*items));
  Digits differ = 0;
  for (std::size_t i = 1; i < n; ++i) differ |= key(items[i]) ^ key(items[0]);
  for (int place = 0; differ != 0; place += kBits, differ >>= kBits) {
    const int skipped = std::countr_zero(differ);
    place += skipped;
    differ >>= skipped;
    const auto digit = [&](const Item& item) { return (key(item) >> place) & ((1 << kBits) - 1); };
    std::array<std::size_t, 1 << kBits> next{};
    for (std::size_t i = 0; i < n; ++i) ++next[digit(items[i])];
    std::exclusive_scan(next.begin(), next.end(), next.begin(), std::size_t{0});
    for (std::size_t i = 0; i < n; ++i) other[next[digit(items[i])]++] = items[i];
    std::swap(items, other);
  }
  return items;
}

template <class T>
void sort_column(T* column, Index rows, std::vector<Bits<T>>& keys) {
  const auto n = static_cast<std::size_t>(rows);
  keys.resize(2 * n);
  std::transform(column, column + rows, keys.begin(), cudamat::sort_key<T>);
  const Bits<T>* sorted =
      sort_by_digits(keys.data(), keys.data() + n, n, [](Bits<T> key) { return key; });
  std::transform(sorted, sorted + rows, column, cudamat::sorted_number<T>);
}

/// A column's number, as what sorts it, and its place.
template <class T>
struct Placed {
  Bits<T> key;
  Bits<T> place;
};

template <class T>
void argsort_column(const T* column, T* target, Index rows, std::vector<Placed<T>>& items) {
  const auto n = static_cast<std::size_t>(rows);
  items.resize(2 * n);
  for (std::size_t i = 0; i < n; ++i)
    items[i] = {cudamat::equal_sort_key(column[i]), static_cast<Bits<T>>(i)};
  const Placed<T>* sorted = sort_by_digits(items.data(), items.data() + n, n,
                                           [](const Placed<T>& item) { return item.key; });
  std::transform(sorted, sorted + rows, target,
                 [](const Placed<T>& item) { return static_cast<T>(item.place); });
}

/// Whether digits sort the columns in less time, and their places are numbers of a key's width.
template <class T>
bool has_long_columns(Index rows) {
  return rows >= kShort && (sizeof(T) > 4 || rows <= std::numeric_limits<std::uint32_t>::max());
}

}  // namespace

template <class T>
void Engine<T>::sort(T* data, Index rows, Index cols) {
  if (rows < 2) return;
  parallel_for(cols, std::max(Index(1), kGrain / rows), [&](Index begin, Index end) {
    if constexpr (kHasKeys<T>) {
      if (has_long_columns<T>(rows)) {
        std::vector<Bits<T>> keys;
        for (Index j = begin; j < end; ++j) sort_column(data + rows * j, rows, keys);
        return;
      }
    }
    for (Index j = begin; j < end; ++j) {
      T* const column = data + rows * j;
      T* const nans = std::partition(column, column + rows, [](T x) { return x == x; });
      std::sort(column, nans);
      const auto zeros = std::equal_range(column, nans, T(0));
      std::partition(zeros.first, zeros.second, [](T x) { return std::signbit(x); });  // as keys do
    }
  });
}

template <class T>
void Engine<T>::argsort(const T* source, T* target, Index rows, Index cols) {
  if (rows == 0) return;
  parallel_for(cols, std::max(Index(1), kGrain / rows), [&](Index begin, Index end) {
    if constexpr (kHasKeys<T>) {
      if (has_long_columns<T>(rows)) {
        std::vector<Placed<T>> items;
        for (Index j = begin; j < end; ++j)
          argsort_column(source + rows * j, target + rows * j, rows, items);
        return;
      }
    }
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
