// The element-wise functions of the CPU engine: accuracy against quad precision, special values,
// and bits that do not depend on where an element stands.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <omp.h>
#include <random>
#include <vector>

#include "cudamat/functors.hpp"
#include "npmat/engine.hpp"
#include "tests/conformance/reference.hpp"
#include "tests/thread_counts.hpp"

namespace {

using cudamat::Index;
using cudamat::MapCall;
using cudamat::Op;
using cudamat::Second;
using Exact = long double;

template <class T>
constexpr T kInf = std::numeric_limits<T>::infinity();
template <class T>
constexpr T kNan = std::numeric_limits<T>::quiet_NaN();

template <class T>
std::vector<T> apply(Op op, const std::vector<T>& a) {
  std::vector<T> target(a.size());
  npmat::Engine<T>::map(
      MapCall<T>{op, Index(a.size()), 1, a.data(), Second::None, nullptr, 0, 0, target.data()});
  return target;
}

template <class T>
std::vector<T> apply(Op op, const std::vector<T>& a, const std::vector<T>& b) {
  std::vector<T> target(a.size());
  npmat::Engine<T>::map(MapCall<T>{op, Index(a.size()), 1, a.data(), Second::Matrix, b.data(), 0,
                                   T(0.5), target.data()});
  return target;
}

template <class T>
std::vector<T> apply(Op op, const std::vector<T>& a, T b) {
  std::vector<T> target(a.size());
  npmat::Engine<T>::map(MapCall<T>{op, Index(a.size()), 1, a.data(), Second::Scalar, nullptr, b,
                                   T(0.5), target.data()});
  return target;
}

/// The distance from the exact value in units of the last place of T there.
template <class T>
double ulps(T got, Exact exact) {
  using Limits = std::numeric_limits<T>;
  const T nearest = T(exact);
  if (std::isnan(exact) || std::isnan(got)) return std::isnan(exact) == std::isnan(got) ? 0 : 1e9;
  if (got == nearest) return std::signbit(got) == std::signbit(nearest) ? 0 : 1e9;
  if (std::isinf(got) || std::isinf(nearest)) return 1e9;
  int exponent = 0;
  std::frexp(exact, &exponent);
  exponent = std::max(exponent, Limits::min_exponent) - Limits::digits;
  return double(std::abs(Exact(got) - exact) / std::ldexp(Exact(1), exponent));
}

/// Bit patterns of every kind, and numbers of the magnitudes that occur.
template <class T>
std::vector<T> samples(std::size_t count) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  std::mt19937_64 random(20090612);
  std::vector<T> result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(std::bit_cast<T>(Bits(random())));
  for (double range : {1e-3, 0.3, 1.0, 3.0, 20.0, 110.0, 760.0, 1e5}) {
    std::uniform_real_distribution<double> uniform(-range, range);
    for (std::size_t i = 0; i < count / 4; ++i) result.push_back(T(uniform(random)));
  }
  std::uniform_real_distribution<double> exponent(-50, 0);
  for (std::size_t i = 0; i < count / 2; ++i) result.push_back(T(1 + std::exp2(exponent(random))));
  for (std::size_t i = 0; i < count / 2; ++i) result.push_back(T(1 - std::exp2(exponent(random))));
  for (T edge : {T(0), T(1), std::numeric_limits<T>::denorm_min(), std::numeric_limits<T>::min(),
                 std::numeric_limits<T>::max(), kInf<T>})
    result.insert(result.end(), {edge, -edge});
  result.push_back(kNan<T>);
  // Where exp overflows, turns subnormal and vanishes.
  for (double edge : {88.7228391, -87.3365448, -103.972077, 709.782712893384, -708.396418532264,
                      -745.133219101941}) {
    T x = T(edge);
    for (int i = 0; i < 40; ++i) x = std::nextafter(x, kInf<T>);
    for (int i = 0; i < 80; ++i) result.push_back(x = std::nextafter(x, -kInf<T>));
  }
  return result;
}

/// A row of the op table and how far from the quad reference it may be, in ulp.
struct Function {
  Op op;
  double bound;
};

std::vector<Function> functions() {
  std::vector<Function> result;
  for (const cudamat::OpRow& row : cudamat::kOpTable)
    if (row.family == cudamat::Family::Unary)
      result.push_back({row.op, std::max(double(row.ulps()), 0.5000001)});
  return result;
}
const std::vector<Function> kFunctions = functions();

template <class T>
class EngineMath : public testing::Test {};
using Fast = testing::Types<float, double>;
TYPED_TEST_SUITE(EngineMath, Fast);

TYPED_TEST(EngineMath, FunctionsAreWithinTheirUlps) {
  using T = TypeParam;
  const auto x = samples<T>(12000);
  for (const Function& function : kFunctions) {
    const auto y = apply(function.op, x);
    double worst = 0;
    std::size_t at = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (const double error = ulps(y[i], conformance::expected(function.op, Exact(x[i])));
          error > worst)
        worst = error, at = i;
    EXPECT_LE(worst, function.bound)
        << cudamat::name(function.op) << " at " << x[at] << " gives " << y[at];
  }
}

TYPED_TEST(EngineMath, PowIsWithin16Ulps) {
  using T = TypeParam;
  std::vector<T> x, y;
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(-40, 40);
  for (int i = 0; i < 40000; ++i) {
    x.push_back(T(std::exp2(uniform(random))));
    y.push_back(T(uniform(random)));
    x.push_back(T(uniform(random)));
    y.push_back(T(std::rint(uniform(random))));
    x.push_back(T(1 + std::exp2(uniform(random) / 2 - 21)));
    y.push_back(T(std::exp2(uniform(random) / 2)));
  }
  const T special[] = {T(0), -T(0), T(1), -T(1), T(2), -T(3), T(0.5), kInf<T>, -kInf<T>, kNan<T>};
  for (T base : special)
    for (T exponent : special) x.push_back(base), y.push_back(exponent);
  const auto z = apply(Op::pow, x, y);
  for (std::size_t i = 0; i < x.size(); ++i)
    ASSERT_LE(ulps(z[i], std::pow(Exact(x[i]), Exact(y[i]))), 16) << x[i] << " to the " << y[i];
}

TYPED_TEST(EngineMath, MaximumAndMinimumPassNansOn) {
  using T = TypeParam;
  const std::vector<T> a = {1, kNan<T>, 2, kNan<T>, -kInf<T>}, b = {2, 1, kNan<T>, kNan<T>, 3};
  const auto larger = apply(Op::maximum, a, b), smaller = apply(Op::minimum, a, b);
  EXPECT_EQ(larger[0], 2);
  EXPECT_EQ(smaller[0], 1);
  EXPECT_EQ(smaller[4], -kInf<T>);
  for (std::size_t i : {1, 2, 3}) {
    EXPECT_TRUE(std::isnan(larger[i])) << i;
    EXPECT_TRUE(std::isnan(smaller[i])) << i;
  }
}

TYPED_TEST(EngineMath, SignAndTruthValuesAreNumPys) {
  using T = TypeParam;
  const std::vector<T> x = {T(-3), -T(0), T(0), T(2), kNan<T>, -kInf<T>};
  const auto sign = apply(Op::sign, x);
  EXPECT_THAT((std::vector<T>{sign[0], sign[1], sign[2], sign[3], sign[5]}),
              testing::ElementsAre(-1, 0, 0, 1, -1));
  EXPECT_TRUE(std::isnan(sign[4]));
  EXPECT_THAT(apply(Op::isnan, x), testing::ElementsAre(0, 0, 0, 0, 1, 0));
  EXPECT_THAT(apply(Op::isinf, x), testing::ElementsAre(0, 0, 0, 0, 0, 1));
  EXPECT_THAT(apply(Op::less_than, x, std::vector<T>(6, T(0))),
              testing::ElementsAre(1, 0, 0, 0, 0, 1));
  EXPECT_THAT(apply(Op::equals, x, x), testing::ElementsAre(1, 1, 1, 1, 0, 1));
}

template <class T>
bool same_bits(T x, T y) {
  return std::memcmp(&x, &y, sizeof(T)) == 0;
}

TYPED_TEST(EngineMath, AValueDoesNotDependOnItsPlace) {
  using T = TypeParam;
  const auto x = samples<T>(800);
  const Index n = Index(x.size());
  for (const Function& function : kFunctions) {
    const auto together = apply(function.op, x);
    std::vector<T> apart(x.size());
    // Pieces of 1, 2, 3 ... numbers: every alignment, every length of a tail.
    for (Index begin = 0, length = 1; begin < n; begin += length, ++length) {
      const Index count = std::min(length, n - begin);
      npmat::Engine<T>::map(MapCall<T>{function.op, 1, count, x.data() + begin, Second::None,
                                       nullptr, 0, 0, apart.data() + begin});
    }
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_TRUE(same_bits(together[i], apart[i])) << cudamat::name(function.op) << " of " << x[i];
  }
}

TYPED_TEST(EngineMath, ALargeCallGivesTheBitsOfSmallOnes) {
  using T = TypeParam;
  const std::size_t n = (std::size_t(9) << 20) / sizeof(T) + 13;  // large enough to be streamed
  std::vector<T> a(n), b(n), target(n), in_place;
  for (std::size_t i = 0; i < n; ++i) a[i] = T(i % 1009) / 50 - 10, b[i] = T(i % 641) / 100;
  for (int threads : thread_counts({1, 2, 3})) {
    omp_set_num_threads(threads);
    for (Op op : {Op::add, Op::divide, Op::pow, Op::maximum}) {
      target = apply(op, a, b);
      in_place = a;
      npmat::Engine<T>::map(MapCall<T>{op, Index(n), 1, in_place.data(), Second::Matrix, b.data(),
                                       0, 0, in_place.data()});
      ASSERT_EQ(std::memcmp(target.data(), in_place.data(), n * sizeof(T)), 0);
      for (std::size_t i = 0; i < n; i += 70001) {
        const auto one = apply(op, std::vector<T>{a[i]}, std::vector<T>{b[i]});
        ASSERT_TRUE(same_bits(one[0], target[i])) << cudamat::name(op) << " " << i;
      }
    }
  }
  omp_set_num_threads(omp_get_num_procs());
}

TYPED_TEST(EngineMath, LengthsDoNotOverflow) {
  using T = TypeParam;
  auto x = samples<T>(2000);
  using Limits = std::numeric_limits<T>;
  for (const T value : {T(0), Limits::denorm_min(), Limits::min(), Limits::max(), T(3), T(4),
                        Limits::infinity(), Limits::quiet_NaN()})
    x.push_back(value);
  std::vector<T> a, b;
  for (std::size_t i = 0; i < x.size(); ++i)
    for (const std::size_t step : {std::size_t(0), std::size_t(1), i, x.size() - 3 - i % 8}) {
      a.push_back(x[i]);
      b.push_back(x[(i + step) % x.size()]);
    }
  const auto lengths = apply(Op::hypot, a, b);
  for (std::size_t i = 0; i < a.size(); ++i)
    ASSERT_LE(ulps(lengths[i], std::hypot(Exact(a[i]), Exact(b[i]))), 2.0) << a[i] << ", " << b[i];
}

TEST(EngineMath, LongDoubleRunsTheFunctorsThemselves) {
  const auto x = samples<double>(500);
  const std::vector<Exact> wide(x.begin(), x.end());
  const auto check = [&](Op op, auto functor) {
    const auto y = apply(op, wide);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Exact wanted = functor(wide[i]);
      ASSERT_TRUE(y[i] == wanted || (std::isnan(y[i]) && std::isnan(wanted)))
          << cudamat::name(op) << " of " << x[i];
    }
  };
#define ROW(op, family, style, functor, numpy, facts) check(Op::op, cudamat::functors::functor{});
  CUDAMAT_UNARY_OPS(ROW)
#undef ROW
}

// Of whole numbers mod and its kin do not call std::fmod.
template <class T>
class Remainders : public testing::Test {};
using RemainderTypes = testing::Types<float, double, long double>;
TYPED_TEST_SUITE(Remainders, RemainderTypes);

TYPED_TEST(Remainders, AreThoseOfTheCLibrary) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  std::vector<T> values = {0,
                           T(0.5),
                           Limits::infinity(),
                           Limits::quiet_NaN(),
                           Limits::denorm_min(),
                           Limits::min(),
                           Limits::max(),
                           T(1.75),
                           T(1e-3)};
  for (int k = 0; k <= Limits::digits + 1; ++k)
    for (const int d : {-1, 0, 1}) values.push_back(std::ldexp(T(1), k) + T(d));
  for (const T whole : {T(3), T(7), T(10), T(33), T(255), T(1000003), T(8388607)})
    for (const T factor : {T(1), T(2), T(1001)}) {
      values.push_back(whole * factor);
      values.push_back(whole * factor - 1);
    }
  for (std::size_t i = values.size(); i-- > 0;) values.push_back(-values[i]);
  for (const T x : values)
    for (const T y : values) {
      const T got = cudamat::functors::remainder_of(x, y), want = std::fmod(x, y);
      ASSERT_TRUE(got == want || (std::isnan(got) && std::isnan(want)))
          << x << " % " << y << ": " << got << ", not " << want;
    }
}

// By a power of two they are other instructions, with the same bits.
TYPED_TEST(Remainders, OfPowersOfTwoAreThoseOfTheFunctors) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  std::vector<T> values = {0,
                           Limits::infinity(),
                           Limits::quiet_NaN(),
                           Limits::denorm_min(),
                           3 * Limits::denorm_min(),
                           Limits::min(),
                           Limits::max(),
                           T(1.75),
                           T(1e-3)};
  std::mt19937 random(7);
  for (int k = -40; k <= Limits::digits + 20; ++k)
    for (const int n : {1, 3, int(random() % 100000)}) {
      values.push_back(std::ldexp(T(n), k));
      values.push_back(std::ldexp(T(n) + T(0.3), k));
      values.push_back(std::nextafter(values.back(), T(0)));
    }
  for (std::size_t i = values.size(); i-- > 0;) values.push_back(-values[i]);
  const auto check = [&](Op op, auto functor) {
    for (const T y : {T(1), T(2), T(256), T(65536), T(0x1p31), T(0x1p32), T(0x1p62), T(0.5), T(-4),
                      T(0x1p63), T(3)}) {
      const auto of_number = apply(op, values, y);
      const auto of_array = apply(op, values, std::vector<T>(values.size(), y));
      for (std::size_t i = 0; i < values.size(); ++i) {
        const T want = functor(values[i], y);
        for (const T got : {of_number[i], of_array[i]})
          ASSERT_TRUE((got == want && std::signbit(got) == std::signbit(want)) ||
                      (std::isnan(got) && std::isnan(want)))
              << cudamat::name(op) << " " << values[i] << ", " << y << ": " << got << ", not "
              << want;
      }
    }
  };
  check(Op::mod, cudamat::functors::Mod{});
  check(Op::floor_divide, cudamat::functors::FloorDivide{});
}

}  // namespace
