// Moving data: copies, blocks, columns and elements by index.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "cudamat/detail/bincount.hpp"
#include "npmat/engine.hpp"
#include "npmat/parallel.hpp"
#include "npmat/stream.hpp"
#include "npmat/target_clones.hpp"

namespace npmat {
namespace {

/// Elements below which one thread is enough.
constexpr Index kGrain = 65536;

template <class T>
void copy_elements(const T* source, T* target, Index n) {
  if (n > 0 && source != target) std::memcpy(target, source, std::size_t(n) * sizeof(T));
}

template <class T>
void copy_parallel(const T* source, T* target, Index n) {
  parallel_for(n, kGrain, [&](Index begin, Index end) {
    copy_elements(source + begin, target + begin, end - begin);
  });
}

/// Of columns [begin, end), row by row.
template <class T>
void copy_rows(const cudamat::BlockCall<T>& call, Index begin, Index end) {
  for (Index i = 0; i < call.rows; ++i) {
    const T* source = call.source + call.source_ld * begin + i;
    T* target = call.target + call.target_ld * begin + i;
    for (Index j = begin; j < end; ++j, source += call.source_ld, target += call.target_ld)
      *target = *source;
  }
}

/// The index that a number means among `count`: whole, negative from the end; -1 for none.
template <class T>
Index resolve(T number, Index count) {
  const T limit = T(count);
  const bool inside = number >= -limit && number < limit;
  const auto index = Index(inside ? number : T(0));
  const bool is_one = inside & (T(index) == number);  // without a branch
  return is_one ? (index < 0 ? index + count : index) : -1;
}

/// Columns of `rows` elements for a thread at a time.
Index column_grain(Index rows) {
  return std::max(Index(1), kGrain / std::max(rows, Index(1)));
}

/// Calls use(k, j) for indices [begin, end) in their order, where j is what index k means; -1 for
/// none.
template <class T, class F>
void for_indices(const cudamat::SelectCall<T>& call, Index begin, Index end, const F& use) {
  const T* const indices = call.indices + begin;
  cudamat::detail::for_blocks_of_keys(
      indices, end - begin, -call.cols, call.cols,
      [&](const std::int32_t* keys, Index at, Index n) {
        for (Index k = 0; k < n; ++k)
          use(begin + at + k, keys[k] < 0 ? keys[k] + call.cols : Index(keys[k]));
      },
      [&](Index at, Index n) {
        for (Index k = at; k < at + n; ++k) use(begin + k, resolve(indices[k], call.cols));
      });
}

/// Whether each key is the one before it + step.
CUDAMAT_TARGET_CLONES bool are_steps(const std::int32_t* keys, Index n, std::int32_t step) {
  std::int32_t others = 0;
  for (Index k = 1; k < n; ++k) others |= (keys[k] - keys[k - 1]) ^ step;
  return others == 0;
}

template <class T>
CUDAMAT_TARGET_CLONES void copy_backwards(const T* last, T* target, Index n) {
  for (Index k = 0; k < n; ++k) target[k] = last[-k];
}

/// The elements that keys in [-cols, cols) mean; forwards or backwards they are copied.
template <class T>
void gather_block(const std::int32_t* keys, Index n, const T* source, Index cols, T* target) {
  const auto place = [cols](std::int32_t key) { return key + (key < 0 ? cols : Index(0)); };
  const bool one_sign = (keys[0] < 0) == (keys[n - 1] < 0);
  const Index step = n > 1 && one_sign ? Index(keys[1]) - keys[0] : 0;
  if ((step == 1 || step == -1) && are_steps(keys, n, std::int32_t(step))) {
    const T* const first = source + place(keys[0]);
    return step == 1 ? copy_elements(first, target, n) : copy_backwards(first, target, n);
  }
  for (Index k = 0; k < n; ++k) target[k] = source[place(keys[k])];
}

/// Columns of one element.
template <class T>
void gather_elements(const cudamat::SelectCall<T>& call) {
  parallel_for(call.count, kGrain, [&](Index begin, Index end) {
    const T* const indices = call.indices + begin;
    T* const target = call.target + begin;
    cudamat::detail::for_blocks_of_keys(
        indices, end - begin, -call.cols, call.cols,
        [&](const std::int32_t* keys, Index at, Index n) {
          gather_block(keys, n, call.source, call.cols, target + at);
        },
        [&](Index at, Index n) {
          for (Index k = at; k < at + n; ++k) {
            const Index j = resolve(indices[k], call.cols);
            target[k] = j >= 0 ? call.source[j] : std::numeric_limits<T>::quiet_NaN();
          }
        });
  });
}

/// The same; of two equal indices the later wins.
template <class T>
void scatter_elements(const cudamat::SelectCall<T>& call) {
  for_indices(call, 0, call.count, [&](Index k, Index j) {
    if (j >= 0) call.target[j] = call.source[k];
  });
}

}  // namespace

template <class T>
void Engine<T>::copy_to_host(const T* source, T* host, Index n) {
  copy_parallel(source, host, n);
}

template <class T>
void Engine<T>::copy_to_device(const T* host, T* target, Index n) {
  copy_parallel(host, target, n);
}

template <class T>
void Engine<T>::copy(const T* source, T* target, Index n) {
  copy_parallel(source, target, n);
}

template <class T>
void Engine<T>::fill(T* target, Index n, T value) {
  const bool stream = n * Index(sizeof(T)) >= kStreamBytes;
  parallel_for(n, kGrain, [&](Index begin, Index end) {
    if (!stream) {
      std::fill(target + begin, target + end, value);
      return;
    }
    alignas(64) T tile[kTile<T>];
    std::fill_n(tile, kTile<T>, value);
    const Index head = elements_to_line(target + begin, end - begin);
    std::fill_n(target + begin, head, value);
    for (Index i = begin + head; i < end; i += kTile<T>)
      stream_out(tile, target + i, std::min(kTile<T>, end - i));
    stream_fence();
  });
}

template <class T>
void Engine<T>::copy_block(const cudamat::BlockCall<T>& call) {
  if (call.rows == 0 || call.cols == 0) return;
  if (call.source_ld == call.rows && call.target_ld == call.rows)
    return copy_parallel(call.source, call.target, call.rows * call.cols);
  constexpr Index kFew = 8;        // rows for which a call of memcpy takes longer than they do
  constexpr Index kColumns = 512;  // whose rows are copied one after the other
  parallel_for(call.cols, column_grain(call.rows), [&](Index begin, Index end) {
    if (call.rows <= kFew) {
      for (Index at = begin; at < end; at += kColumns)
        copy_rows(call, at, std::min(at + kColumns, end));
      return;
    }
    const T* source = call.source + call.source_ld * begin;
    T* target = call.target + call.target_ld * begin;
    for (Index j = begin; j < end; ++j, source += call.source_ld, target += call.target_ld)
      copy_elements(source, target, call.rows);
  });
}

template <class T>
void Engine<T>::gather_columns(const cudamat::SelectCall<T>& call) {
  if (call.rows == 1) return gather_elements(call);
  parallel_for(call.count, column_grain(call.rows), [&](Index begin, Index end) {
    for (Index k = begin; k < end; ++k) {
      const Index j = resolve(call.indices[k], call.cols);
      T* const target = call.target + call.rows * k;
      if (j < 0)
        std::fill_n(target, call.rows, std::numeric_limits<T>::quiet_NaN());
      else
        copy_elements(call.source + call.rows * j, target, call.rows);
    }
  });
}

template <class T>
void Engine<T>::scatter_columns(const cudamat::SelectCall<T>& call) {
  if (call.rows == 1) return scatter_elements(call);
  // Threads share the rows, not the columns: of two equal indices the later must win.
  parallel_for(call.rows, std::max(Index(64), column_grain(call.count)),
               [&](Index begin, Index end) {
                 for (Index k = 0; k < call.count; ++k) {
                   const Index j = resolve(call.indices[k], call.cols);
                   if (j >= 0)
                     copy_elements(call.source + call.rows * k + begin,
                                   call.target + call.rows * j + begin, end - begin);
                 }
               });
}

template <class T>
void Engine<T>::per_row(const cudamat::PerRowCall<T>& call) {
  using cudamat::PerRow;
  const Index count = call.along_rows ? call.rows : call.cols;
  const Index length = call.along_rows ? call.cols : call.rows;
  parallel_for(count, kGrain / 8, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const Index j = resolve(call.indices[i], length);
      T* const element =
          j < 0 ? nullptr : call.mat + (call.along_rows ? i + call.rows * j : j + call.rows * i);
      switch (call.what) {
        case PerRow::Get:
          call.vec[i] = element ? *element : std::numeric_limits<T>::quiet_NaN();
          break;
        case PerRow::Set:
          if (element) *element = call.vec ? call.vec[i] : call.scalar;
          break;
        case PerRow::Increment:
          if (element) *element += T(1);
          break;
      }
    }
  });
}

#define INSTANTIATE(T)                                                     \
  template void Engine<T>::copy_to_host(const T*, T*, Index);              \
  template void Engine<T>::copy_to_device(const T*, T*, Index);            \
  template void Engine<T>::copy(const T*, T*, Index);                      \
  template void Engine<T>::fill(T*, Index, T);                             \
  template void Engine<T>::copy_block(const cudamat::BlockCall<T>&);       \
  template void Engine<T>::gather_columns(const cudamat::SelectCall<T>&);  \
  template void Engine<T>::scatter_columns(const cudamat::SelectCall<T>&); \
  template void Engine<T>::per_row(const cudamat::PerRowCall<T>&);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(long double)
#undef INSTANTIATE

}  // namespace npmat
