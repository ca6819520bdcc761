// What the conformance tests share: matrices inside guarded memory, comparisons, random contents,
// and the lists of shapes. Everything is written over an engine E alone.
#pragma once

#include <array>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cudamat/functions.hpp"
#include "cudamat/matrix.hpp"
#include "tests/conformance/reference.hpp"

namespace conformance {

using cudamat::Index;
using cudamat::Op;
using cudamat::Shape;
template <class E>
using Mat = cudamat::Matrix<E>;
template <class E>
using Value = typename E::value_type;
template <class T>
using Host = cudamat::HostMatrix<T>;

/// The type of reference sums over T: at least 11 bits longer, and fast where the machine has one.
template <class T>
using Wider = std::conditional_t<std::is_same_v<T, long double>, Wide, long double>;

/// The unit roundoff.
template <class T>
Wider<T> roundoff() {
  return std::numeric_limits<T>::epsilon() / 2;
}

template <class T>
constexpr T kNaN = std::numeric_limits<T>::quiet_NaN();
template <class T>
constexpr T kInfinity = std::numeric_limits<T>::infinity();

template <class X>
X magnitude(X x) {
  return x < 0 ? -x : x;
}

template <class E>
Host<Value<E>> read(Mat<E>& mat) {
  return mat.asarray();
}
template <class E>
Host<Value<E>> read(Mat<E>&& mat) {
  return mat.asarray();
}

/// A matrix of `shape` (as stored) that is a view of a larger block, `offset` elements from its
/// start, so that its memory may be misaligned. What surrounds it has known contents, which the
/// destructor and contents() check: nobody may write there.
template <class E>
class Framed {
 public:
  using T = Value<E>;

  explicit Framed(const Host<T>& contents, Index offset = 1) : offset_(offset) {
    const Index size = contents.shape().size();
    Host<T> block(Shape{1, offset + size + kAfter});
    for (Index k = 0; k < offset; ++k) block(0, k) = guard(k);
    for (Index k = offset + size; k < offset + size + kAfter; ++k) block(0, k) = guard(k);
    std::copy_n(contents.data(), size, block.data() + offset);
    block_ = Mat<E>(block);
    mat_ = block_.slice(offset, offset + size);
    mat_.reshape(contents.shape());
  }
  /// Filled with NaN, which shows where a target was not written.
  explicit Framed(Shape shape, Index offset = 1) : Framed(Host<T>(shape, kNaN<T>), offset) {}
  ~Framed() { check_guards(block_.asarray()); }
  Framed(const Framed&) = delete;
  Framed& operator=(const Framed&) = delete;

  Mat<E>& operator*() { return mat_; }
  Mat<E>* operator->() { return &mat_; }

  /// The elements as they are stored, whatever the transposed flag.
  Host<T> contents(Shape shape) {
    const Host<T>& block = block_.asarray();
    check_guards(block);
    Host<T> result(shape);
    std::copy_n(block.data() + offset_, shape.size(), result.data());
    return result;
  }
  Host<T> contents() {
    return contents(mat_.is_transposed() ? mat_.shape().transposed() : mat_.shape());
  }

 private:
  static constexpr Index kAfter = 19;

  static T guard(Index k) { return -T(7.25) - static_cast<T>(k % 1000); }

  void check_guards(const Host<T>& block) const {
    const auto check = [&](Index begin, Index end) {
      for (Index k = begin; k < end; ++k)
        if (block(0, k) != guard(k))
          ADD_FAILURE() << "memory outside the matrix was written, at its element " << k - offset_;
    };
    check(0, offset_);
    check(block.shape().cols - kAfter, block.shape().cols);
  }

  Index offset_;
  Mat<E> block_;
  Mat<E> mat_;
};

template <class T>
bool same_contents(const Host<T>& a, const Host<T>& b) {
  if (a.shape() != b.shape()) return false;
  const auto bytes = std::size_t(a.shape().size()) * sizeof(T);
  if (bytes == 0 || std::memcmp(a.data(), b.data(), bytes) == 0) return true;  // most often
  for (Index k = 0; k < a.shape().size(); ++k)
    if (!same_value(a.data()[k], b.data()[k])) return false;
  return true;
}

template <class T>
std::string text(T value) {
  return fmt::format("{}", static_cast<double>(value));
}

/// The same values, bit for bit; NaN is NaN.
template <class T>
void expect_same(const Host<T>& got, const Host<T>& wanted, const std::string& what = "") {
  if (same_contents(got, wanted)) return;
  ASSERT_EQ(fmt::format("{}", got.shape()), fmt::format("{}", wanted.shape())) << what;
  for (Index j = 0; j < got.shape().cols; ++j)
    for (Index i = 0; i < got.shape().rows; ++i)
      ASSERT_TRUE(same_value(got(i, j), wanted(i, j)))
          << what << ": element (" << i << ", " << j << ") of " << fmt::format("{}", got.shape())
          << " is " << text(got(i, j)) << ", expected " << text(wanted(i, j));
}

/// |got - wanted| <= allowed. Of infinite or undefined results the same is demanded exactly.
template <class T>
bool near(T got, Wider<T> wanted, Wider<T> allowed) {
  const T rounded = static_cast<T>(wanted);
  if (same_value(got, rounded)) return true;
  return std::isfinite(got) && std::isfinite(rounded) && magnitude(got - wanted) <= allowed;
}

/// near(), and what is printed of an element otherwise.
template <class T>
void expect_near(T got, Wider<T> wanted, Wider<T> allowed, const std::string& what) {
  if (near(got, wanted, allowed)) return;
  ADD_FAILURE() << what << ": got " << text(got) << ", expected " << text(static_cast<T>(wanted))
                << " within " << static_cast<double>(allowed);
}

/// Elements near a reference; both references are in the shape of the result.
template <class T>
void expect_all_near(const Host<T>& got, const Host<Wider<T>>& wanted,
                     const Host<Wider<T>>& allowed, const std::string& what) {
  ASSERT_TRUE(got.shape() == wanted.shape()) << what;
  for (Index j = 0; j < got.shape().cols; ++j)
    for (Index i = 0; i < got.shape().rows; ++i)
      if (!near(got(i, j), wanted(i, j), allowed(i, j))) {
        expect_near(got(i, j), wanted(i, j), allowed(i, j),
                    fmt::format("{}, element ({}, {})", what, i, j));
        return;
      }
}

template <class T>
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}

  T uniform(T low = -1, T high = 1) {
    return low + (high - low) * static_cast<T>(engine_() >> 11) / T(9007199254740992.0);
  }
  /// A whole number in [low, high].
  Index integer(Index low, Index high) {
    return low + static_cast<Index>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  Host<T> matrix(Shape shape, T low = -1, T high = 1) {
    Host<T> result(shape);
    for (Index k = 0; k < shape.size(); ++k) result.data()[k] = uniform(low, high);
    return result;
  }

 private:
  std::mt19937_64 engine_;
};

template <class T>
Host<T> transposed(const Host<T>& mat) {
  Host<T> result(mat.shape().transposed());
  for (Index j = 0; j < mat.shape().cols; ++j)
    for (Index i = 0; i < mat.shape().rows; ++i) result(j, i) = mat(i, j);
  return result;
}

inline std::vector<Shape> all_pairs(std::initializer_list<Index> extents) {
  std::vector<Shape> result;
  for (const Index rows : extents)
    for (const Index cols : extents) result.push_back({rows, cols});
  return result;
}

/// Every pair of the extents where blocks, vectors and warps begin and end.
inline std::vector<Shape> small_shapes() {
  return all_pairs({0, 1, 5, 7, 31, 32, 33});
}

/// Several blocks and threads, in either direction; none a multiple of a power of two.
inline std::vector<Shape> large_shapes() {
  return {{1, 4097}, {4097, 1}, {1000, 33}, {5, 8009}, {1031, 41}};
}

inline std::vector<Shape> shapes() {
  std::vector<Shape> result = small_shapes();
  for (const Shape shape : large_shapes()) result.push_back(shape);
  return result;
}

}  // namespace conformance
