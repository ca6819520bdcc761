// RowTest of sort: what comes out is in order, and a permutation of what went in.
#pragma once

#include <algorithm>
#include <tuple>

#include "tests/conformance/row_test.hpp"

namespace conformance {

/// What makes two numbers the same, NaNs after all others.
template <class T>
std::tuple<bool, T, bool> sort_key(T x) {
  return {std::isnan(x), std::isnan(x) ? T(0) : x, std::signbit(x)};
}

template <class T>
std::vector<std::tuple<bool, T, bool>> sorted_keys(const T* column, Index n) {
  std::vector<std::tuple<bool, T, bool>> keys;
  std::transform(column, column + n, std::back_inserter(keys), sort_key<T>);
  std::sort(keys.begin(), keys.end());
  return keys;
}

/// Numbers in no order, half of them few, of which many are equal, half of all magnitudes; one of 9
/// is special: infinities, zeros and NaNs of both signs.
template <class T>
Host<T> unsorted(Shape shape, Random<T>& random) {
  const std::array<T, 7> special{kNaN<T>, kInfinity<T>, T(0), -kNaN<T>, -kInfinity<T>, T(-0.0), 1};
  Host<T> result(shape);
  for (Index k = 0; k < shape.size(); ++k) {
    T& number = result.data()[k];
    if (random.integer(0, 8) == 0)
      number = special[static_cast<std::size_t>(random.integer(0, 6))];
    else if (random.integer(0, 1) == 0)
      number = static_cast<T>(random.integer(-shape.rows, shape.rows)) / 4;
    else
      number = std::ldexp(random.uniform(), static_cast<int>(random.integer(-140, 120)));
  }
  return result;
}

template <>
struct RowTest<Op::sort> {
  template <class E>
  static void run() {
    using T = Value<E>;
    Random<T> random(17);
    for (const Shape shape : sizes())
      for (const bool in_place : {false, true}) {
        const Host<T> values = unsorted(shape, random);
        Framed<E> mat(values, 3);
        Framed<E> target(shape, 2);
        Framed<E>& out = in_place ? mat : target;
        EXPECT_EQ(&mat->sort(*out), &*out);
        check_sorted(out.contents(), values);
        if (!in_place) expect_same(mat.contents(), values, "operand");
        if (::testing::Test::HasFailure()) return;
      }
    // In order already, the other way round, and without numbers.
    Mat<E> arranged(Host<T>{{1, 3, -kNaN<T>}, {2, 2, kNaN<T>}, {3, 1, kNaN<T>}});
    expect_same(read(arranged.sort()), Host<T>{{1, 1, kNaN<T>}, {2, 2, kNaN<T>}, {3, 3, kNaN<T>}});
    Mat<E> special(Host<T>{{kNaN<T>}, {kInfinity<T>}, {-kNaN<T>}, {1}, {-kInfinity<T>}, {-2}});
    expect_same(read(special.sort()),
                Host<T>{{-kInfinity<T>}, {-2}, {1}, {kInfinity<T>}, {kNaN<T>}, {kNaN<T>}});
  }

  /// Where blocks of a power of two begin and end, one tile and several.
  static std::vector<Shape> sizes() {
    std::vector<Shape> result = all_pairs({0, 1, 2, 5, 7, 31, 32, 33});
    for (const Index rows : {63, 64, 65, 255, 256, 257, 1000, 2048, 2049, 4096, 5000})
      for (const Index cols : {1, 3}) result.push_back({rows, cols});
    for (const Shape shape : {Shape{3, 2000}, {257, 40}}) result.push_back(shape);
    return result;
  }

  template <class T>
  static void check_sorted(const Host<T>& got, const Host<T>& values) {
    const auto [rows, cols] = values.shape();
    ASSERT_TRUE(got.shape() == values.shape());
    for (Index j = 0; j < cols; ++j) {
      for (Index i = 1; i < rows; ++i)
        ASSERT_TRUE(std::isnan(got(i, j)) || got(i - 1, j) <= got(i, j))
            << fmt::format("{}: elements {} and {} of column {}", values.shape(), i - 1, i, j);
      ASSERT_TRUE(sorted_keys(got.data() + rows * j, rows) ==
                  sorted_keys(values.data() + rows * j, rows))
          << fmt::format("{}: column {} has other numbers than before", values.shape(), j);
    }
  }
};

}  // namespace conformance
