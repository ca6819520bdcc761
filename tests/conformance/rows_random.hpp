// RowTest of the random rows: their distribution, and that a draw depends on seed and position
// only. That the numbers are cuRAND's is tested with each engine.
#pragma once

#include "tests/conformance/rows_moving.hpp"

namespace conformance {

template <class E>
using Draw = void (*)(Mat<E>& mat);

/// Draws `count` numbers in pieces of the given lengths, again and again.
template <class E>
std::vector<Value<E>> in_pieces(Draw<E> draw, Index count, const std::vector<Index>& lengths) {
  std::vector<Value<E>> result;
  for (std::size_t k = 0; std::ssize(result) < count; ++k) {
    const Index n = std::min(lengths[k % lengths.size()], count - std::ssize(result));
    Framed<E> piece(Shape{n, 1}, static_cast<Index>(k % 4));
    draw(*piece);
    const auto values = piece.contents();
    result.insert(result.end(), values.data(), values.data() + n);
  }
  return result;
}

template <class E>
void check_stream(Draw<E> draw, const std::vector<Index>& lengths) {
  using Numbers = std::vector<Value<E>>;
  constexpr Index kCount = 30000;
  const auto start = [](std::uint64_t seed) { Mat<E>::init_random(seed); };
  start(42);
  const Numbers whole = in_pieces<E>(draw, kCount, {kCount});
  start(42);
  EXPECT_EQ(in_pieces<E>(draw, kCount, {kCount}), whole) << "the seed starts the stream anew";
  start(42);
  EXPECT_EQ(in_pieces<E>(draw, kCount, lengths), whole) << "successive calls continue the stream";
  start(43);
  EXPECT_NE(in_pieces<E>(draw, kCount, {kCount}), whole);
  start(0);
  const Numbers zero = in_pieces<E>(draw, 100, {100});
  Mat<E>::init_random();
  EXPECT_EQ(in_pieces<E>(draw, 100, {100}), zero) << "the default seed is 0";
  start(std::uint64_t{42} << 32);
  EXPECT_NE(in_pieces<E>(draw, 100, {100}), zero) << "all 64 bits of the seed count";
}

/// Raw moments 1 to 4 of n draws against the distribution's, within five standard deviations.
template <class E>
void check_moments(Draw<E> draw, const std::array<double, 4>& moments,
                   const std::array<double, 4>& variances) {
  constexpr Index kCount = 400000;
  Mat<E>::init_random(7);
  std::array<double, 4> sums{};
  for (const auto x : in_pieces<E>(draw, kCount, {kCount})) {
    double power = 1;
    for (double& sum : sums) sum += power *= static_cast<double>(x);
  }
  for (std::size_t k = 0; k < 4; ++k)
    EXPECT_NEAR(sums[k] / kCount, moments[k], 5 * std::sqrt(variances[k] / kCount))
        << "moment " << k + 1;
}

template <>
struct RowTest<Op::fill_with_rand> {
  template <class E>
  static void run() {
    using T = Value<E>;
    const Draw<E> draw = [](Mat<E>& mat) { EXPECT_EQ(&mat.fill_with_rand(), &mat); };
    check_stream<E>(draw, {1, 2, 3, 4, 5, 0, 1000, 33});
    check_moments<E>(draw, {1. / 2, 1. / 3, 1. / 4, 1. / 5},
                     {1. / 12, 4. / 45, 9. / 112, 16. / 225});
    Mat<E>::init_random(3);
    for (const T x : in_pieces<E>(draw, 1000000, {1000000})) {
      ASSERT_GT(x, T(0));
      ASSERT_LE(x, T(1));
    }
  }
};

template <>
struct RowTest<Op::fill_with_randn> {
  template <class E>
  static void run() {
    using T = Value<E>;
    const Draw<E> draw = [](Mat<E>& mat) { EXPECT_EQ(&mat.fill_with_randn(), &mat); };
    check_stream<E>(draw, {1, 2, 3, 4, 5, 0, 1000, 33});  // in the middle of pairs, too
    check_moments<E>(draw, {0, 1, 0, 3}, {1, 2, 15, 96});
    Mat<E>::init_random(5);
    const Host<T> drawn = read(Mat<E>::randn({1, 8}));
    Mat<E>::init_random(5);
    const std::vector<T> again = in_pieces<E>(draw, 8, {8});
    for (Index j = 0; j < 8; ++j) EXPECT_EQ(drawn(0, j), again[static_cast<std::size_t>(j)]);
    // Odd sizes, at odd addresses.
    for (const Index n : {1, 3, 5, 33}) {
      Framed<E> mat(Shape{n, 1}, 1);
      mat->fill_with_randn();
      const Host<T> numbers = mat.contents();
      for (const T x : numbers.values()) EXPECT_TRUE(std::isfinite(x));
    }
  }
};

template <>
struct RowTest<Op::sample_multinomial> {
  template <class E>
  static void run() {
    using T = Value<E>;
    for (const Shape shape : {Shape{0, 3}, {3, 0}, {0, 0}})
      EXPECT_EQ(cudamat::sample_multinomial(Mat<E>::zeros(shape)).shape(), shape);
    check_frequencies<E>();
    check_certain<E>();
    // In place, the same draw.
    const Host<T> probs = Random<T>(41).matrix({100, 7}, 0, 1);
    Mat<E>::init_random(9);
    const Host<T> wanted = read(cudamat::sample_multinomial(Mat<E>(probs)));
    Mat<E>::init_random(9);
    Framed<E> mat(probs);
    EXPECT_EQ(&cudamat::sample_multinomial(*mat, *mat), &*mat);
    expect_same(mat.contents(), wanted);
  }

  /// 40000 draws of one distribution that is not normalised: each frequency within five deviations.
  template <class E>
  static void check_frequencies() {
    using T = Value<E>;
    constexpr Index kDraws = 40000;
    const std::vector<double> weights{0.5, 0, 3, 1.5, 0, 5};  // sum 10
    const Host<T> probs = made_of<T>({kDraws, 6}, [&](Index, Index j) {
      return static_cast<T>(weights[static_cast<std::size_t>(j)]);
    });
    Mat<E>::init_random(11);
    Framed<E> mat(probs), target(probs.shape());
    EXPECT_EQ(&cudamat::sample_multinomial(*mat, *target), &*target);
    expect_same(mat.contents(), probs, "operand");
    const Host<T> drawn = target.contents();
    std::vector<double> counts(6);
    for (Index i = 0; i < kDraws; ++i) {
      int ones = 0;
      for (Index j = 0; j < 6; ++j) {
        ASSERT_TRUE(drawn(i, j) == 0 || drawn(i, j) == 1);
        ones += static_cast<int>(drawn(i, j));
        counts[static_cast<std::size_t>(j)] += static_cast<double>(drawn(i, j));
      }
      ASSERT_EQ(ones, 1) << "row " << i;
    }
    for (std::size_t j = 0; j < 6; ++j) {
      const double p = weights[j] / 10;
      EXPECT_NEAR(counts[j], kDraws * p, 5 * std::sqrt(kDraws * p * (1 - p))) << "column " << j;
    }
  }

  /// A distribution with one possible outcome gives it, wherever it stands.
  template <class E>
  static void check_certain() {
    using T = Value<E>;
    const Host<T> certain =
        made_of<T>({500, 33}, [](Index i, Index j) { return j == (7 * i) % 33 ? T(0.001) : T(0); });
    const Host<T> drawn = read(cudamat::sample_multinomial(Mat<E>(certain)));
    expect_same(drawn,
                made_of<T>({500, 33}, [](Index i, Index j) { return T(j == (7 * i) % 33); }));
  }
};

}  // namespace conformance
