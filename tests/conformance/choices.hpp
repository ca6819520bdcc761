// What values choose: select, nonzero, unique, searchsorted and histogram, against loops over the
// C++ library's containers; and what they refuse.
#pragma once

#include <algorithm>
#include <map>
#include <numeric>

#include "tests/conformance/misuse.hpp"
#include "tests/conformance/rows_sort.hpp"

template <class E>
class Choices : public Misuse<E> {
 protected:
  using V = conformance::Value<E>;
  using Numbers = conformance::Host<V>;
  using Index = cudamat::Index;
  using Shape = cudamat::Shape;

  /// A row of NaN, which shows what was not written, that begins with the numbers.
  static Numbers begins_with(const std::vector<V>& numbers, Index size) {
    Numbers result(Shape{1, size}, conformance::kNaN<V>);
    std::copy(numbers.begin(), numbers.end(), result.data());
    return result;
  }

  /// Small whole numbers of which about so many of a hundred are not 0.
  static Numbers sparse(Shape shape, Index percent, conformance::Random<V>& random) {
    Numbers result(shape);
    for (Index k = 0; k < shape.size(); ++k)
      result.data()[k] =
          random.integer(0, 99) < percent ? static_cast<V>(random.integer(1, 9)) : V(0);
    return result;
  }

  static std::vector<Shape> shapes() {
    return {{0, 0}, {0, 4}, {1, 1}, {1, 33}, {7, 5}, {33, 31}, {300, 41}, {1, 40'001}};
  }

  /// How often each number is there, NaN apart.
  struct Counted {
    std::map<V, Index> numbers;
    Index nans = 0;
    bool has_zero = false;  // with the sign +

    explicit Counted(const Numbers& values) {
      for (Index k = 0; k < values.shape().size(); ++k) {
        const V x = values.data()[k];
        has_zero = has_zero || (x == 0 && !std::signbit(x));
        if (std::isnan(x))
          ++nans;
        else
          ++numbers[x];
      }
    }
    [[nodiscard]] std::vector<V> keys() const {
      std::vector<V> result;
      for (const auto& [number, count] : numbers)
        result.push_back(number == 0 ? (has_zero ? V(0) : -V(0)) : number);
      if (nans > 0) result.push_back(conformance::kNaN<V>);
      return result;
    }
    [[nodiscard]] std::vector<V> counts() const {
      std::vector<V> result;
      for (const auto& [number, count] : numbers) result.push_back(static_cast<V>(count));
      if (nans > 0) result.push_back(static_cast<V>(nans));
      return result;
    }
  };

  /// The call returns its target.
  static void expect_same_target(conformance::Mat<E>& target, conformance::Mat<E>& returned) {
    EXPECT_EQ(&returned, &target);
  }

  /// The sum in the order of cudamat/detail/bins.hpp.
  static V in_pieces(std::vector<V> numbers) {
    while (numbers.size() > 1) {
      std::vector<V> sums;
      for (std::size_t k = 0; k < numbers.size(); ++k) {
        if (k % 64 == 0) sums.push_back(0);
        sums.back() += numbers[k];
      }
      numbers = sums;
    }
    return numbers.empty() ? V(0) : V(0) + numbers[0];
  }

  static void check_unique(const Numbers& values) {
    conformance::Framed<E> a(values, 3), target(Shape{1, values.shape().size() + 2}, 2),
        counts(Shape{values.shape().size(), 1}), alone(Shape{1, values.shape().size()});
    const Counted wanted(values);
    const auto found = static_cast<Index>(wanted.keys().size());
    const std::string what = fmt::format("{}", values.shape());
    EXPECT_EQ(cudamat::unique(*a, *target, *counts), found) << what;
    EXPECT_EQ(cudamat::unique(*a, *alone), found) << what;
    conformance::expect_same(a.contents(), values, what);
    conformance::expect_same(target.contents(), begins_with(wanted.keys(), target->size()), what);
    conformance::expect_same(alone.contents(), begins_with(wanted.keys(), alone->size()), what);
    const Numbers column = counts.contents();
    conformance::expect_same(Numbers(conformance::transposed(column)),
                             begins_with(wanted.counts(), counts->size()), what);
  }
};
TYPED_TEST_SUITE_P(Choices);

#define REFUSES(text, matrices, ...) this->refuses(text, matrices, [&] { (void)(__VA_ARGS__); })
#define MATRICES(...) (typename TestFixture::Matrices{__VA_ARGS__})

TYPED_TEST_P(Choices, SelectKeepsTheOrder) {
  CONFORMANCE_NAMES;
  conformance::Random<T> random(31);
  for (const cm::Shape shape : this->shapes())
    for (const cm::Index percent : {0, 3, 50, 100}) {
      const Host values = random.matrix(shape);
      Host mask = this->sparse(shape, percent, random);
      if (shape.size() > 5 && percent == 50) {  // what is true in NumPy
        mask.data()[1] = conformance::kNaN<T>;
        mask.data()[3] = std::numeric_limits<T>::denorm_min();
        mask.data()[4] = -T(0);
      }
      std::vector<T> wanted, places;
      for (cm::Index k = 0; k < shape.size(); ++k)
        if (mask.data()[k] != 0) {
          wanted.push_back(values.data()[k]);
          places.push_back(static_cast<T>(k));
        }
      conformance::Framed<TypeParam> a(values, 2), chosen(mask, 3), column({shape.size() + 1, 1}),
          row({1, shape.size()}, 2);
      EXPECT_EQ(cm::select(*a, *chosen, *column), std::ssize(wanted));
      EXPECT_EQ(cm::nonzero(*chosen, *row), std::ssize(places));
      expect_same(a.contents(), values);
      expect_same(chosen.contents(), mask);
      expect_same(Host(conformance::transposed(column.contents())),
                  this->begins_with(wanted, shape.size() + 1));
      expect_same(row.contents(), this->begins_with(places, shape.size()));
      if (::testing::Test::HasFailure()) return;
    }
}

TYPED_TEST_P(Choices, AMaskMayBeWhatIsSelected) {
  CONFORMANCE_NAMES;
  const M a(Host{{0, 3}, {-2, 0}});
  M t = M::empty({1, 4});
  EXPECT_EQ(cm::select(a, a, t), 2);
  expect_same(t.slice(0, 2).asarray(), Host{{-2, 3}});
}

TYPED_TEST_P(Choices, UniqueIsNumPys) {
  CONFORMANCE_NAMES;
  conformance::Random<T> random(32);
  const T nan = conformance::kNaN<T>, inf = conformance::kInfinity<T>;
  for (const cm::Shape shape : this->shapes()) {
    this->check_unique(conformance::unsorted(shape, random));
    this->check_unique(Host(shape, T(2)));
    this->check_unique(Host(shape, nan));
    Host all_different(shape);
    for (cm::Index k = 0; k < shape.size(); ++k)
      all_different.data()[k] = static_cast<T>((k * 7919) % (shape.size() + 1)) - 20;
    this->check_unique(all_different);
    if (::testing::Test::HasFailure()) return;
  }
  this->check_unique(Host{{-T(0), 1, -T(0)}});
  this->check_unique(Host{{-T(0), 0, -T(0), inf, -nan, nan, -inf, -inf}});
}

TYPED_TEST_P(Choices, SearchesCountEdgesAsNumPyDoes) {
  CONFORMANCE_NAMES;
  using cm::Side;
  const T nan = conformance::kNaN<T>, inf = conformance::kInfinity<T>;
  const M edges(Host{{-1, 0, 0, 2}}), x(Host{{-2, -1, T(-0.5), -T(0), 0, 1, 2, 3, inf, -inf, nan}});
  M t = M::empty({1, 11});
  this->expect_same_target(t, cm::searchsorted(edges, x, Side::Left, t));
  expect_same(t.asarray(), Host{{0, 0, 1, 1, 1, 3, 3, 4, 4, 0, 4}});
  cm::searchsorted(edges, x, Side::Right, t);
  expect_same(t.asarray(), Host{{0, 1, 1, 3, 3, 3, 4, 4, 4, 0, 4}});
  cm::searchsorted(edges, x, Side::Bins, t);
  expect_same(t.asarray(), Host{{0, 1, 1, 3, 3, 3, 3, 4, 4, 0, 4}});
  const M none = M::empty({1, 0});
  cm::searchsorted(none, x, Side::Bins, t);
  expect_same(t.asarray(), Host(cm::Shape{1, 11}, T(0)));
  const M of_nan(Host{{1, nan, nan}});
  cm::searchsorted(of_nan, x, Side::Left, t);
  expect_same(t.asarray(), Host{{0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 1}});
  cm::searchsorted(of_nan, x, Side::Right, t);
  expect_same(t.asarray(), Host{{0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 3}});

  conformance::Random<T> random(33);
  std::vector<T> sorted(1001);
  for (T& edge : sorted) edge = static_cast<T>(random.integer(-300, 300)) / 8;
  std::sort(sorted.begin(), sorted.end());
  Host row(cm::Shape{1, 1001});
  std::copy(sorted.begin(), sorted.end(), row.data());
  for (const cm::Shape shape : this->shapes()) {
    Host values(shape), left(shape), right(shape);
    for (cm::Index k = 0; k < shape.size(); ++k) {
      const T value = values.data()[k] = static_cast<T>(random.integer(-330, 330)) / 8;
      left.data()[k] =
          static_cast<T>(std::lower_bound(sorted.begin(), sorted.end(), value) - sorted.begin());
      right.data()[k] =
          static_cast<T>(std::upper_bound(sorted.begin(), sorted.end(), value) - sorted.begin());
    }
    conformance::Framed<TypeParam> a(values), target(shape, 2);
    const M all(row);
    cm::searchsorted(all, *a, Side::Left, *target);
    expect_same(target.contents(), left);
    cm::searchsorted(all, *a, Side::Right, *a);  // in place
    expect_same(a.contents(), right);
  }
}

TYPED_TEST_P(Choices, HistogramsAreNumPys) {
  CONFORMANCE_NAMES;
  const T nan = conformance::kNaN<T>, inf = conformance::kInfinity<T>;
  const M x(Host{{-1, 0, T(0.5), 1, 1, 3}, {4, 2, nan, inf, T(3.5), T(-0.25)}});
  const M edges(Host{{0, 1, 1, 3}});
  M t = M::empty({1, 3});
  this->expect_same_target(t, cm::histogram(x, edges, t));
  expect_same(t.asarray(), Host{{2, 0, 4}});
  const M weights(Host{{100, 1, T(0.5), 2, 4, 8}, {100, 16, 100, 100, 100, 100}});
  cm::histogram(x, edges, weights, t);
  expect_same(t.asarray(), Host{{T(1.5), 0, 30}});
  const M column(Host{{0}, {2}, {inf}});  // its last bin has infinity
  M two = M::empty({1, 2});
  cm::histogram(x, column, two);
  expect_same(two.asarray(), Host{{4, 5}});
  cm::histogram(M::empty({0, 3}), edges, t);
  expect_same(t.asarray(), Host{{0, 0, 0}});
}

TYPED_TEST_P(Choices, CountsAndSumsByKey) {
  CONFORMANCE_NAMES;
  conformance::Random<T> random(34);
  for (const cm::Index n : {0, 1, 64, 65, 4096, 4097, 10'000, 70'001})
    for (const cm::Index size : {1, 2, 7, 256, 257, 5000}) {
      if (n == 70'001 && size > 7) continue;
      Host keys(cm::Shape{1, n});
      // Most are one key, the last keys have none.
      for (cm::Index k = 0; k < n; ++k)
        keys.data()[k] = static_cast<T>(random.integer(0, 3) != 0
                                            ? size / 3
                                            : random.integer(0, std::max<cm::Index>(0, size - 3)));
      const Host weights = random.matrix({1, n});
      std::vector<std::vector<T>> by_key(static_cast<std::size_t>(size));
      for (cm::Index k = 0; k < n; ++k)
        by_key[static_cast<std::size_t>(keys.data()[k])].push_back(weights.data()[k]);
      Host counts(cm::Shape{1, size}), sums(cm::Shape{1, size});
      for (cm::Index k = 0; k < size; ++k) {
        const std::vector<T>& numbers = by_key[static_cast<std::size_t>(k)];
        counts.data()[k] = static_cast<T>(numbers.size());
        sums.data()[k] = this->in_pieces(numbers);
        using Wider = conformance::Wider<T>;
        Wider exact = 0, magnitude = 0;
        for (const T number : numbers) {
          exact += number;
          magnitude += std::abs(number);
        }
        const Wider allowed = 30 * conformance::roundoff<T>() * magnitude;
        ASSERT_LE(conformance::magnitude(sums.data()[k] - exact), allowed);
      }
      conformance::Framed<TypeParam> a(keys, 2), b(weights, 3), target({1, size});
      EXPECT_EQ(&cm::bincount(*a, *target), &*target);
      expect_same(target.contents(), counts, fmt::format("{} of {}", n, size));
      EXPECT_EQ(&cm::bincount(*a, *b, *target), &*target);
      expect_same(target.contents(), sums, fmt::format("{} of {}", n, size));
      expect_same(a.contents(), keys);
      expect_same(b.contents(), weights);
      if (::testing::Test::HasFailure()) return;
    }
}

TYPED_TEST_P(Choices, CountsRefuseWhatIsNoPlace) {
  CONFORMANCE_NAMES;
  const T nan = conformance::kNaN<T>;
  M w = this->made(1, 1000), t = this->made(1, 6);
  const auto with = [](cm::Index at, T value, cm::Index after) {
    Host host(cm::Shape{1, 1000}, T(1));
    host(0, at) = value;
    if (after < 1000) host(0, after) = 77;
    return M(host);
  };
  const auto check = [&](M a, const std::string& text) {
    this->refuses(text, MATRICES(&a, &t), [&] { cm::bincount(a, t); });
    this->refuses(text, MATRICES(&a, &w, &t), [&] { cm::bincount(a, w, t); });
  };
  const std::string negative = "[bincount] 'list' argument must have no negative elements";
  check(with(3, -1, 900), negative);
  check(with(3, nan, 900), negative);
  check(with(999, T(-0.5), 1000), negative);
  check(with(3, T(1.5), 900), "[bincount] element 3 is 1.5, which is not a whole number");
  check(with(700, 6, 900),
        "[bincount] element 700 is 6, and the target has 6 elements, as minlength says");
  check(with(0, T(5.5), 1000), "[bincount] element 0 is 5.5, which is not a whole number");
  check(with(5, conformance::kInfinity<T>, 900),
        "[bincount] element 5 is inf, and the target has 6 elements, as minlength says");
  M a = with(0, -T(0), 1000), none = M::empty({1, 0});
  cm::bincount(a, t);
  expect_same(t.asarray(), Host{{1, 999, 0, 0, 0, 0}});
  EXPECT_THROW(cm::bincount(a, none), cm::CUDAMatException);
  EXPECT_NO_THROW(cm::bincount(none, M::empty({1, 0})));
}

TYPED_TEST_P(Choices, RefuseMisuse) {
  CONFORMANCE_NAMES;
  M a = this->made(2, 3), b = this->made(3, 2), t = this->made(1, 6), few = this->made(1, 5),
    wide = this->made(2, 4), edges = this->made(1, 3);
  REFUSES("[select] mask must be 2x3 to match a 2x3; got 3x2", MATRICES(&a, &b, &t),
          cm::select(a, b, t));
  REFUSES("[select] target must be a vector with room for 6 elements; got 1x5", MATRICES(&a, &few),
          cm::select(a, a, few));
  REFUSES("[nonzero] target must be a vector with room for 6 elements; got 2x4",
          MATRICES(&a, &wide), cm::nonzero(a, wide));
  REFUSES("[unique] counts must be a vector with room for 6 elements; got 1x5",
          MATRICES(&a, &t, &few), cm::unique(a, t, few));
  REFUSES(
      "[unique] counts 1x6 overlaps target 1x6, which is read while it is written; use another "
      "target",
      MATRICES(&a, &t), cm::unique(a, t, t));
  REFUSES(
      "[unique] target 1x6 overlaps a 1x6, which is read while it is written; use another "
      "target",
      MATRICES(&t), cm::unique(t, t));
  REFUSES(
      "[nonzero] a 3x2 is a transposed view, which this operation does not accept; use a "
      "transposed copy",
      MATRICES(&a, &t), cm::nonzero(a.T(), t));
  REFUSES("[searchsorted] edges must be a vector of 0 or more elements; got 2x3", MATRICES(&a, &b),
          cm::searchsorted(a, b, cm::Side::Left, b));
  REFUSES("[searchsorted] target must be 2x3 to match a 2x3; got 3x2", MATRICES(&a, &b, &edges),
          cm::searchsorted(edges, a, cm::Side::Left, b));
  REFUSES("[histogram] target must be 1x2 to match edges 1x3; got 1x6", MATRICES(&a, &t, &edges),
          cm::histogram(a, edges, t));
  M two = this->made(1, 2), one = this->made(1, 1);
  REFUSES("[histogram] weights must be 2x3 to match a 2x3; got 3x2", MATRICES(&a, &b, &two, &edges),
          cm::histogram(a, edges, b, two));
  REFUSES("[histogram] edges must be a vector of 2 or more elements; got 1x1",
          MATRICES(&a, &two, &one), cm::histogram(a, one, two));
}

#undef REFUSES
#undef MATRICES

REGISTER_TYPED_TEST_SUITE_P(Choices, SelectKeepsTheOrder, AMaskMayBeWhatIsSelected, UniqueIsNumPys,
                            SearchesCountEdgesAsNumPyDoes, HistogramsAreNumPys, CountsAndSumsByKey,
                            CountsRefuseWhatIsNoPlace, RefuseMisuse);
