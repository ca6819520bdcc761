#include "rewriter/module/buffer.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <utility>

#include "cudamat/error.hpp"
#include "npmat/target_clones.hpp"
#include "rewriter/expr/number_in.hpp"
#include "rewriter/module/with_type.hpp"

namespace rewriter::module {

Code code_of(const char* format, Py_ssize_t bytes) {
  if (format == nullptr) return 0;
  if (*format == '@' || *format == '=' || *format == '<' || *format == '|') ++format;
  const bool complex = *format == 'Z';
  if (complex) ++format;
  if (format[0] == 0 || format[1] != 0) return 0;
  Code code = *format;
  if (code == 'l') code = bytes == 8 ? 'q' : 'i';
  if (code == 'L') code = bytes == 8 ? 'Q' : 'I';
  if (complex) return code == 'f' ? 'F' : code == 'd' ? 'D' : code == 'g' ? 'G' : Code(0);
  return std::strchr("?bBhHiIqQfdg", code) != nullptr ? code : Code(0);
}

DType dtype_of(Code code) {
  constexpr std::pair<Code, DType> kTypes[] = {
      {'?', DType::Bool},   {'b', DType::Int8},   {'B', DType::Uint8},
      {'h', DType::Int16},  {'H', DType::Uint16}, {'i', DType::Int32},
      {'I', DType::Uint32}, {'q', DType::Int},    {'Q', DType::Uint64}};
  for (const auto& [known, dtype] : kTypes)
    if (known == code) return dtype;
  return DType::Float;
}

Code code_of(DType dtype, Code floating) {
  constexpr char kCodes[] = "?bBhHiIqQ";
  return dtype == DType::Float ? floating : kCodes[static_cast<std::size_t>(dtype)];
}

namespace {

Code real_of(Code code) {
  return code == 'F' ? 'f' : code == 'D' ? 'd' : code == 'G' ? 'g' : code;
}

/// Calls f(address) for each element, in C order.
template <class F>
void each_element(const Py_buffer& view, const F& f) {
  if (view.ndim == 0) return f(static_cast<char*>(view.buf));
  for (int axis = 0; axis < view.ndim; ++axis)
    if (view.shape[axis] == 0) return;
  std::vector<Py_ssize_t> at(static_cast<std::size_t>(view.ndim));
  const int last = view.ndim - 1;
  char* row = static_cast<char*>(view.buf);
  for (;;) {
    for (Py_ssize_t i = 0; i < view.shape[last]; ++i) f(row + i * view.strides[last]);
    int axis = last - 1;
    for (; axis >= 0; --axis) {
      row += view.strides[axis];
      if (++at[static_cast<std::size_t>(axis)] < view.shape[axis]) break;
      row -= view.shape[axis] * view.strides[axis];
      at[static_cast<std::size_t>(axis)] = 0;
    }
    if (axis < 0) return;
  }
}

/// As NumPy casts; truth is what is not 0.
template <class To, class From>
To cast(From value) {
  if constexpr (std::is_same_v<To, bool>)
    return value != From(0);
  else
    return static_cast<To>(value);
}

template <class T>
void check_whole(T number) {
  if (!is_exact_integer(number))
    throw cudamat::CUDAMatException(
        fmt::format("a result has an integer beyond 2^{}, up to which integers are exact in {} "
                    "bits; a higher precision= allows up to 2^63",
                    kIntegerBits<T>, sizeof(T) * 8));
}

/// Of a result: throws where an integer may have been rounded, or is none of the type.
template <class To, class From>
To result_cast(From value) {
  constexpr int kDigits = std::numeric_limits<To>::digits;
  if constexpr (std::is_integral_v<To> && !std::is_same_v<To, bool>) {
    const bool is_exact_uint64 = kDigits == 64 && std::numeric_limits<From>::digits >= 64 &&
                                 value >= 0 && value < std::ldexp(From(1), 64);
    if (!is_exact_uint64) check_whole(value);
  }
  return cast<To>(value);
}

template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;  ///< for vectors of T

/// The type of T's memory in loops: of bool a number, of which there are vectors.
template <class T>
using Stored = std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>;

/// Casts elements one after the other; not 0 where an integer may have been rounded.
template <class To, class From>
CUDAMAT_TARGET_CLONES Bits<From> cast_run(const From* source, std::int64_t n, To* target) {
  auto* const stored = reinterpret_cast<Stored<To>*>(target);
  const From limit = std::ldexp(From(1), kIntegerBits<From>);
  Bits<From> far = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    stored[i] = static_cast<Stored<To>>(cast<To>(source[i]));
    if constexpr (std::is_integral_v<To> && !std::is_same_v<To, bool>)
      far |= std::abs(source[i]) < limit ? 0 : 1;  // of NaN too
  }
  return far;
}

/// result_cast() of all; loops without branches where nothing is rounded.
template <class To, class From>
void result_cast_all(const From* source, std::int64_t n, To* target) {
  if (cast_run(source, n, target) != 0)
    for (std::int64_t i = 0; i < n; ++i) target[i] = result_cast<To>(source[i]);
}

/// Whether T may not have the integer.
template <class T, class From>
bool is_inexact(From value) {
  if constexpr (std::is_integral_v<From> && sizeof(From) >= sizeof(T)) {
    using Unsigned = std::make_unsigned_t<From>;
    constexpr auto kMost = static_cast<Unsigned>(Unsigned(1) << kIntegerBits<T>);
    constexpr Unsigned kLeast = std::is_signed_v<From> ? kMost : 0;
    return static_cast<Unsigned>(Unsigned(value) + kLeast) > kMost + kLeast;
  }
  return false;
}

/// Reads every `step`-th element; not 0 where one is inexact.
template <int step, class T, class From>
CUDAMAT_TARGET_CLONES Bits<From> read_run(const char* from, std::int64_t n, T* target) {
  Bits<From> inexact = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    Stored<From> value;
    std::memcpy(&value, from + step * i * std::int64_t(sizeof(From)), sizeof(From));
    target[i] = static_cast<T>(value);
    inexact |= is_inexact<T>(value) ? 1 : 0;
  }
  return inexact;
}

template <class T>
[[noreturn]] void refuse_inexact() {
  throw cudamat::CUDAMatException(
      fmt::format("an array has an integer beyond 2^{}, up to which integers are exact in {} "
                  "bits; a higher precision= allows more",
                  kIntegerBits<T>, sizeof(T) * 8));
}

template <class To, class From>
CUDAMAT_TARGET_CLONES void join_run(const From* real, const From* imag, std::int64_t n,
                                    To* target) {
  for (std::int64_t i = 0; i < n; ++i) {
    target[2 * i] = static_cast<To>(real[i]);
    target[2 * i + 1] = static_cast<To>(imag[i]);
  }
}

}  // namespace

Buffer::Buffer(Buffer&& other) noexcept
    : view_(other.view_), code_(other.code_), held_(std::exchange(other.held_, false)) {
  // NumPy's shape and strides lie in the array's own memory, but for a buffer of one dimension of a
  // type that keeps them in the view itself.
  if (view_.shape == &other.view_.len) view_.shape = &view_.len;
  if (view_.strides == &other.view_.itemsize) view_.strides = &view_.itemsize;
}

bool Buffer::take(PyObject* array) {
  release();
  if (PyObject_GetBuffer(array, &view_, PyBUF_STRIDES | PyBUF_FORMAT) != 0) {
    PyErr_Clear();
    return false;
  }
  held_ = true;
  code_ = code_of(view_.format, view_.itemsize);
  if (code_ == 0) release();
  return code_ != 0;
}

void Buffer::release() {
  if (held_) PyBuffer_Release(&view_);
  held_ = false;
}

std::int64_t Buffer::size() const {
  std::int64_t count = 1;
  for (int axis = 0; axis < view_.ndim; ++axis) count *= view_.shape[axis];
  return count;
}

bool Buffer::is_contiguous(char order) const {
  const auto alignment = static_cast<std::uintptr_t>(code_ == 'g' ? 16 : view_.itemsize);
  return reinterpret_cast<std::uintptr_t>(view_.buf) % alignment == 0 &&
         PyBuffer_IsContiguous(&view_, order) != 0;
}

bool Buffer::overlaps(const Buffer& other) const {
  const auto bytes = [](const Py_buffer& view) {
    char* first = static_cast<char*>(view.buf);
    char* last = first + view.itemsize;
    for (int axis = 0; axis < view.ndim; ++axis) {
      if (view.shape[axis] == 0) return std::pair(first, first);
      const Py_ssize_t reach = (view.shape[axis] - 1) * view.strides[axis];
      (reach < 0 ? first : last) += reach;
    }
    return std::pair(first, last);
  };
  const auto [a, a_end] = bytes(view_);
  const auto [b, b_end] = bytes(other.view_);
  return a < b_end && b < a_end;
}

template <class T>
void Buffer::read(T* target, int part) const {
  if (PyBuffer_IsContiguous(&view_, 'C') != 0) return read(target, part, 0, size());
  with_type(real_of(code_), [&](auto* type) {
    using From = std::remove_pointer_t<decltype(type)>;
    bool inexact = false;
    const auto offset = static_cast<Py_ssize_t>(sizeof(From)) * part;
    each_element(view_, [&](const char* at) {
      From value;
      std::memcpy(&value, at + offset, sizeof(From));
      *target++ = cast<T>(value);
      inexact = inexact || is_inexact<T>(value);
    });
    if (inexact) refuse_inexact<T>();
  });
}

template <class T>
void Buffer::read(T* target, int part, std::int64_t first, std::int64_t n) const {
  with_type(real_of(code_), [&](auto* type) {
    using From = std::remove_pointer_t<decltype(type)>;
    const char* const from = static_cast<const char*>(view_.buf) + first * element_bytes() +
                             static_cast<Py_ssize_t>(sizeof(From)) * part;
    const auto inexact = is_complex(code_) ? read_run<2, T, From>(from, n, target)
                                           : read_run<1, T, From>(from, n, target);
    if (inexact != 0) refuse_inexact<T>();
  });
}

template <class T>
void Buffer::write(const T* source, int part) const {
  with_type(real_of(code_), [&](auto* type) {
    using To = std::remove_pointer_t<decltype(type)>;
    const auto offset = static_cast<Py_ssize_t>(sizeof(To)) * part;
    const auto write_one = [&source](char* at) {
      const To value = result_cast<To>(*source++);
      std::memcpy(at, &value, sizeof(To));
    };
    if (PyBuffer_IsContiguous(&view_, 'C') == 0)
      return each_element(view_, [&](char* at) { write_one(at + offset); });
    char* to = static_cast<char*>(view_.buf) + offset;
    for (std::int64_t i = 0; i < size(); ++i, to += view_.itemsize) write_one(to);
  });
}

template <class T>
void cast_elements(const T* source, std::int64_t n, Code code, void* target) {
  with_type(code, [&](auto* type) {
    using To = std::remove_pointer_t<decltype(type)>;
    result_cast_all(source, n, static_cast<To*>(target));
  });
}

template <class T>
void join_elements(const T* real, const T* imag, std::int64_t n, Code code, void* target) {
  const auto join = [&](auto* to) { join_run(real, imag, n, to); };
  if (code == 'F') return join(static_cast<float*>(target));
  if (code == 'D') return join(static_cast<double*>(target));
  join(static_cast<long double*>(target));
}

void check_integer(long double number, Code floating) {
  if (floating == 'f')
    check_whole(static_cast<float>(number));
  else if (floating == 'd')
    check_whole(static_cast<double>(number));
  else
    check_whole(number);
}

#define INSTANTIATE(T)                                                   \
  template void Buffer::read(T*, int) const;                             \
  template void Buffer::read(T*, int, std::int64_t, std::int64_t) const; \
  template void Buffer::write(const T*, int) const;                      \
  template void cast_elements(const T*, std::int64_t, Code, void*);      \
  template void join_elements(const T*, const T*, std::int64_t, Code, void*);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(long double)
#undef INSTANTIATE

}  // namespace rewriter::module
