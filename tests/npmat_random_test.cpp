// npmat::Generator against published vectors, values that cuRAND made, a plain model of the stream,
// and long double arithmetic. The direct comparison with cuRAND is npmat_random_curand_test.cpp.
#include <bit>
#include <cmath>
#include <cstdint>
#include <gmock/gmock.h>
#include <omp.h>
#include <random>
#include <vector>

#include "cudamat/box_muller.hpp"
#include "cudamat/error.hpp"
#include "cudamat/philox.hpp"
#include "npmat/random.hpp"
#include "tests/thread_counts.hpp"

namespace {

using cudamat::PhiloxWords;
using npmat::Generator;
using testing::ElementsAre;
using testing::HasSubstr;

template <class T>
std::vector<T> uniform(Generator& generator, std::int64_t n) {
  std::vector<T> values(static_cast<std::size_t>(n));
  generator.uniform(values.data(), n);
  return values;
}

template <class T>
std::vector<T> normal(Generator& generator, std::int64_t n) {
  std::vector<T> values(static_cast<std::size_t>(n));
  generator.normal(values.data(), n);
  return values;
}

/// |a - b| in units in the last place of b.
template <class T>
double ulps(T a, long double b) {
  const T nearest = std::abs(static_cast<T>(b));
  const T ulp = std::nextafter(nearest, std::numeric_limits<T>::max()) - nearest;
  return static_cast<double>(std::abs(a - b) / ulp);
}

// The published vectors: kat_vectors of Random123, lines philox4x32.
TEST(Philox, GivesTheKnownAnswersOfRandom123) {
  const auto ten = [](PhiloxWords c, std::uint32_t k0, std::uint32_t k1) {
    return std::to_array(cudamat::philox4x32<10>(c, k0, k1).w);
  };
  const auto seven = [](PhiloxWords c, std::uint32_t k0, std::uint32_t k1) {
    return std::to_array(cudamat::philox4x32<7>(c, k0, k1).w);
  };
  constexpr std::uint32_t kOnes = 0xffffffff;
  const PhiloxWords pi{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}};
  EXPECT_THAT(seven({{0, 0, 0, 0}}, 0, 0),
              ElementsAre(0x5f6fb709, 0x0d893f64, 0x4f121f81, 0x4f730a48));
  EXPECT_THAT(ten({{0, 0, 0, 0}}, 0, 0),
              ElementsAre(0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8));
  EXPECT_THAT(ten({{kOnes, kOnes, kOnes, kOnes}}, kOnes, kOnes),
              ElementsAre(0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd));
  EXPECT_THAT(ten(pi, 0xa4093822, 0x299f31d0),
              ElementsAre(0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1));
}

TEST(Philox, UniformsReachOneAndNeverZero) {
  EXPECT_EQ(cudamat::philox_uniform_float(0), 0x1p-33f);
  EXPECT_EQ(cudamat::philox_uniform_float(1), 0x1.8p-32f);
  EXPECT_EQ(cudamat::philox_uniform_float(0xffffffffu), 1.0f);
  EXPECT_EQ(cudamat::philox_uniform_double(0), 0x1p-54);
  EXPECT_EQ(cudamat::philox_uniform_double(std::uint64_t{1} << 32), 0x1p-32 + 0x1p-54);
  EXPECT_EQ(cudamat::philox_uniform_double(0xffffffff001fffffu), 1.0);  // z = 2^53 - 1
  EXPECT_EQ(cudamat::philox_uniform_double(0xffffffff001ffffeu), 1.0 - 0x1p-52);
  EXPECT_EQ(cudamat::philox_uniform_double(0xffffffffffe00000u), 1.0 - 0x1p-21);  // x and y overlap
}

// What cuRAND gave (libcurand 10.4.0 of CUDA 13.0): curandCreateGeneratorHost with
// CURAND_RNG_PSEUDO_PHILOX4_32_10 and CURAND_ORDERING_PSEUDO_LEGACY, a fresh one for each column,
// one call of 600002 values, of which these positions are kept. The uniforms are their bits.
struct Recorded {
  std::uint64_t seed;
  std::size_t position;
  std::uint32_t uniform_float;
  std::uint64_t uniform_double;
  float normal_float;
  double normal_double;
};
// clang-format off
constexpr Recorded kRecorded[] = {
    {0x0u, 0, 0x3ecc4fd2u, 0x3fec2d38d787e8d6u, -0x1.d96d5ap-1f, -0x1.3dd8613bc2037p-2},
    {0x0u, 1, 0x3f6169c6u, 0x3fe3601bc757ac4cu, 0x1.fb7668p-1f, -0x1.97360dc4ab0f7p-2},
    {0x0u, 2, 0x3f3c57acu, 0x3fd72c81c7099949u, -0x1.eda36ep-2f, 0x1.511c9c2dc0cf4p-2},
    {0x0u, 3, 0x3f1b00dcu, 0x3fa2fdf5d4574eb8u, -0x1.3c373ap-1f, 0x1.63083a0442085p+0},
    {0x0u, 4, 0x3f044516u, 0x3fee11ad510515e2u, -0x1.b38d5cp-2f, -0x1.19374fb285ef3p-5},
    {0x0u, 262143, 0x3ef5ff7bu, 0x3fecd59f458101b0u, -0x1.c80b9ep-1f, 0x1.9e6c9f300c17bp-3},
    {0x0u, 262144, 0x3f78e4cdu, 0x3fd471cca0754653u, 0x1.7254ccp-3f, 0x1.7f25097b96df4p+0},
    {0x0u, 262147, 0x3d17eff6u, 0x3fdb504eb492269fu, 0x1.a9d92ep-1f, -0x1.302c446b990a9p+0},
    {0x0u, 524288, 0x3c9f5465u, 0x3fe6327ec2fdc354u, 0x1.45a4fap+1f, -0x1.b46f4dc189b5cp-2},
    {0x0u, 600000, 0x3f0100c8u, 0x3fd94680644908d5u, 0x1.e40a62p-5f, 0x1.897a49312380dp-3},
    {0x2au, 0, 0x3f1ceaf0u, 0x3fddfd537715e0a7u, 0x1.8d59c4p-3f, 0x1.0938d6e3710a3p+0},
    {0x2au, 1, 0x3eefea92u, 0x3fd5d0acd0bea15bu, -0x1.f0bcb8p-1f, -0x1.54abf38e526c1p-1},
    {0x2au, 2, 0x3d95fa85u, 0x3fd4ee9ac6f6424fu, 0x1.ec8674p+0f, 0x1.b1706d3b4c821p-2},
    {0x2au, 3, 0x3eae8568u, 0x3fdd1380b9deb4ddu, -0x1.3c51acp+0f, -0x1.6f13555a03774p+0},
    {0x2au, 4, 0x3c24cddau, 0x3fc028f483ccdda6u, 0x1.14a7e6p+1f, -0x1.f9be3fcfaa932p+0},
    {0x2au, 262143, 0x3edfecfeu, 0x3fcde7ffa1aee8aeu, -0x1.3cff06p+0f, 0x1.df52f43ab4375p-6},
    {0x2au, 262144, 0x3f7cdb21u, 0x3fe510eb6a0c0226u, 0x1.1cf426p-3f, -0x1.cf0bca1278e2cp-1},
    {0x2au, 262147, 0x3ee89c0eu, 0x3fd84398d1fcaa87u, -0x1.1b4e68p+0f, -0x1.4be76a676d9a9p-1},
    {0x2au, 524288, 0x3f536c02u, 0x3fead975853023bcu, -0x1.099972p-1f, 0x1.2e1b7d720c1a3p-1},
    {0x2au, 600000, 0x3f49d1c8u, 0x3fe21a15568927b8u, 0x1.5fea86p-1f, 0x1.89b06fd1b108ep-1},
    {0x123456789abcdef0u, 0, 0x3d12c9b4u, 0x3fde0e12e2593689u, 0x1.f57690p-2f, 0x1.12c05caef4377p+0},
    {0x123456789abcdef0u, 1, 0x3ef07098u, 0x3fc59df1496e02fau, -0x1.444404p+1f, 0x1.3322b6419260ap-1},
    {0x123456789abcdef0u, 2, 0x3f49fb81u, 0x3fd8273d34fb3335u, 0x1.33b236p-1f, -0x1.a573e90766d6bp-1},
    {0x123456789abcdef0u, 3, 0x3e2cef93u, 0x3fe3362ddef0bb00u, 0x1.57f67ap-2f, -0x1.20a691916dd0ep+0},
    {0x123456789abcdef0u, 4, 0x3e64bf5bu, 0x3fc37e0352bf5acau, 0x1.6a4912p+0f, 0x1.b0b6359d38255p+0},
    {0x123456789abcdef0u, 262143, 0x3f71432bu, 0x3fda371b1bb1b9cdu, 0x1.61bc32p+0f, -0x1.de47655682715p-2},
    {0x123456789abcdef0u, 262144, 0x3e627666u, 0x3fc8a9beb3a6605eu, 0x1.35b1fap+0f, 0x1.8fbd22159d6c9p+0},
    {0x123456789abcdef0u, 262147, 0x3f19b16fu, 0x3fdb5abffa324569u, -0x1.1eec4cp+1f, -0x1.3db6834758ea0p+0},
    {0x123456789abcdef0u, 524288, 0x3f050998u, 0x3fea4d89e77cb5eau, 0x1.121cb6p+0f, -0x1.3e06520569798p-1},
    {0x123456789abcdef0u, 600000, 0x3e865d46u, 0x3fec4de4e008ce26u, 0x1.48aee8p+0f, 0x1.a8f38b580ed41p-3},
};
// clang-format on

TEST(Generator, ReproducesRecordedCurandValues) {
  constexpr std::int64_t kCount = 600002;
  std::uint64_t drawn = 1;
  std::vector<float> uf, nf;
  std::vector<double> ud, nd;
  for (const Recorded& r : kRecorded) {
    SCOPED_TRACE(testing::Message() << "seed " << r.seed << ", position " << r.position);
    if (drawn != r.seed) {
      drawn = r.seed;
      Generator a(r.seed), b(r.seed), c(r.seed), d(r.seed);
      uf = uniform<float>(a, kCount);
      ud = uniform<double>(b, kCount);
      nf = normal<float>(c, kCount);
      nd = normal<double>(d, kCount);
    }
    EXPECT_EQ(std::bit_cast<std::uint32_t>(uf[r.position]), r.uniform_float);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(ud[r.position]), r.uniform_double);
    // Less than 3 units of ours and less than 2.5 of cuRAND's, on either side of the true value.
    EXPECT_LE(ulps(nf[r.position], r.normal_float), 5);
    EXPECT_LE(ulps(nd[r.position], r.normal_double), 5);
  }
}

// Recorded likewise, from one generator: the last value of each call.
TEST(Generator, ReproducesARecordedMixOfTypes) {
  Generator g(7);
  const auto last_float = [&](std::int64_t n) {
    return std::bit_cast<std::uint32_t>(uniform<float>(g, n).back());
  };
  const auto last_double = [&](std::int64_t n) {
    return std::bit_cast<std::uint64_t>(uniform<double>(g, n).back());
  };
  EXPECT_EQ(last_float(3), 0x3de9d5d2u);
  EXPECT_EQ(last_double(300000), 0x3fe6cb5869c72d90u);
  EXPECT_EQ(last_float(262143), 0x3f365ac4u);
  EXPECT_EQ(last_double(2), 0x3fd53ce347865c77u);
  EXPECT_EQ(last_float(262140), 0x3f381139u);
  EXPECT_EQ(last_double(5), 0x3fc2609009e7fe62u);
}

/// The stream value by value, as cudamat/philox.hpp words it: a counter for every subsequence.
class Model {
 public:
  Model(std::uint64_t seed, std::uint64_t position)
      : seed_(seed), position_(position), counters_(cudamat::kPhiloxSubsequences) {
    for (std::uint64_t s = 0; s < counters_.size(); ++s)
      counters_[s] =
          position / cudamat::kPhiloxRound + (s < position % cudamat::kPhiloxRound / 4 ? 1 : 0);
  }
  float next_float() {
    const auto [counter, sub, value] = step(1);
    return cudamat::philox_uniform_float(cudamat::philox_words(seed_, counter, sub).w[value]);
  }
  double next_double() {
    const auto [counter, sub, value] = step(2);
    const PhiloxWords words = cudamat::philox_words(seed_, counter + value / 2, sub);
    const std::uint32_t* two = words.w + value % 2 * 2;
    return cudamat::philox_uniform_double(two[0] | std::uint64_t{two[1]} << 32);
  }

 private:
  struct Place {
    std::uint64_t counter;
    std::uint32_t subsequence;
    std::uint32_t value;
  };
  Place step(std::uint64_t counters) {
    const auto value = static_cast<std::uint32_t>(position_ % 4);
    const auto sub = static_cast<std::uint32_t>(position_ / 4 % cudamat::kPhiloxSubsequences);
    const Place place{counters_[sub], sub, value};
    if (value == 3) counters_[sub] += counters;
    ++position_;
    return place;
  }
  std::uint64_t seed_, position_;
  std::vector<std::uint64_t> counters_;
};

TEST(Generator, AgreesWithAPlainModelOfTheStreamThroughMixedCalls) {
  std::mt19937_64 random(1);
  constexpr std::int64_t kSizes[] = {0,    1,    2,     3,      4,      5,      7,     13,
                                     1000, 4099, 65536, 262143, 262144, 262149, 400001};
  for (int trial = 0; trial < 12; ++trial) {
    const std::uint64_t seed = random();
    const std::uint64_t start = trial % 3 == 0 ? 0 : random() >> (2 + random() % 60);
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", start " << start);
    Generator g(seed);
    g.seek(start);
    Model model(seed, start);
    for (int call = 0; call < 12; ++call) {
      const std::int64_t n = kSizes[random() % std::size(kSizes)];
      std::int64_t wrong = 0;
      if (random() % 2 == 0) {
        for (const float x : uniform<float>(g, n)) wrong += x != model.next_float();
      } else {
        for (const double x : uniform<double>(g, n)) wrong += x != model.next_double();
      }
      ASSERT_EQ(wrong, 0) << "call " << call << " of " << n;
    }
  }
}

TEST(Generator, IsRightBeyondPositionTwoToThe32) {
  for (const int power : {32, 34, 48, 50, 62}) {
    const std::uint64_t start = (std::uint64_t{1} << power) - 5;
    Generator floats(3), doubles(3);
    floats.seek(start);
    doubles.seek(start);
    Model float_model(3, start), double_model(3, start);
    for (const float x : uniform<float>(floats, 11)) EXPECT_EQ(x, float_model.next_float());
    for (const double x : uniform<double>(doubles, 11)) EXPECT_EQ(x, double_model.next_double());
    EXPECT_EQ(floats.position(), start + 11);
  }
}

TEST(Philox, PlacesEveryValueOfAStreamOfOneType) {
  constexpr std::uint64_t kSeed = 6;
  Generator a(kSeed), b(kSeed);
  const std::vector<float> f = uniform<float>(a, 600000);
  const std::vector<double> d = uniform<double>(b, 600000);
  for (std::size_t p = 0; p < f.size(); ++p) {
    const cudamat::PhiloxPlace one = cudamat::philox_place(p, 1), two = cudamat::philox_place(p, 2);
    const PhiloxWords w = cudamat::philox_words(kSeed, one.counter, one.subsequence);
    const PhiloxWords v =
        cudamat::philox_words(kSeed, two.counter + two.value / 2, two.subsequence);
    const std::size_t first = two.value % 2 * 2;
    ASSERT_EQ(f[p], cudamat::philox_uniform_float(w.w[one.value])) << p;
    ASSERT_EQ(d[p],
              cudamat::philox_uniform_double(v.w[first] | std::uint64_t{v.w[first + 1]} << 32))
        << p;
  }
}

template <class T>
class Draws : public testing::Test {};
using Types = testing::Types<float, double, long double>;
TYPED_TEST_SUITE(Draws, Types);

TYPED_TEST(Draws, SuccessiveCallsContinueTheStream) {
  constexpr std::int64_t kParts[] = {1, 3, 4, 5, 7, 1000, 0, 131072, 262143, 1, 70001};
  std::int64_t total = 0;
  for (const std::int64_t n : kParts) total += n;
  Generator whole(5), parts(5), whole_normal(5), parts_normal(5);
  std::vector<TypeParam> u, z;
  for (const std::int64_t n : kParts) {
    for (const TypeParam x : uniform<TypeParam>(parts, n)) u.push_back(x);
    for (const TypeParam x : normal<TypeParam>(parts_normal, n)) z.push_back(x);
  }
  EXPECT_TRUE(u == uniform<TypeParam>(whole, total));
  EXPECT_TRUE(z == normal<TypeParam>(whole_normal, total));
}

TYPED_TEST(Draws, DoNotDependOnTheNumberOfThreads) {
  constexpr std::int64_t kCount = 1000003;
  const int threads = omp_get_max_threads();
  const auto draw = [&](int count) {
    omp_set_num_threads(count);
    Generator g(11);
    std::vector<TypeParam> values = uniform<TypeParam>(g, kCount);
    for (const TypeParam x : normal<TypeParam>(g, kCount)) values.push_back(x);
    return values;
  };
  const std::vector<TypeParam> one = draw(1);
  for (const int count : thread_counts({2, 3, 7}))
    EXPECT_TRUE(draw(count) == one) << count << " threads";
  omp_set_num_threads(threads);
}

TYPED_TEST(Draws, WriteNothingAroundTheTarget) {
  for (std::int64_t skip = 0; skip < 5; ++skip) {
    for (std::int64_t n = 0; n < 70; ++n) {
      Generator g(1);
      uniform<TypeParam>(g, skip);
      std::vector<TypeParam> values(static_cast<std::size_t>(n + 2), TypeParam(-9));
      g.uniform(values.data() + 1, n);
      EXPECT_EQ(values.front(), TypeParam(-9));
      EXPECT_EQ(values.back(), TypeParam(-9));
      for (std::int64_t i = 1; i <= n; ++i) EXPECT_GT(values[static_cast<std::size_t>(i)], 0);
    }
  }
}

// Means of n independent values: their standard errors follow from the moments of the distribution,
// and five of them are allowed. The seed is fixed, so the test does not flicker.
TYPED_TEST(Draws, HaveTheMomentsOfTheirDistributions) {
  constexpr std::int64_t kCount = 4000000;
  const long double bound = 5 / std::sqrt(static_cast<long double>(kCount));
  Generator g(2024);
  const std::vector<TypeParam> u = uniform<TypeParam>(g, kCount);
  const std::vector<TypeParam> z = normal<TypeParam>(g, kCount);
  long double u1 = 0, u2 = 0, u_next = 0, z1 = 0, z2 = 0, z3 = 0, z4 = 0, z_next = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    const long double a = u[i] - 0.5L, b = z[i];
    ASSERT_TRUE(u[i] > 0 && u[i] <= 1);
    u1 += a;
    u2 += a * a;
    z1 += b;
    z2 += b * b;
    z3 += b * b * b;
    z4 += b * b * b * b;
    if (i > 0) u_next += a * (u[i - 1] - 0.5L), z_next += b * z[i - 1];
  }
  EXPECT_NEAR(u1 / kCount, 0, bound * std::sqrt(1 / 12.0L));
  EXPECT_NEAR(u2 / kCount, 1 / 12.0L, bound * std::sqrt(1 / 180.0L));
  EXPECT_NEAR(u_next / kCount, 0, bound / 12);
  EXPECT_NEAR(z1 / kCount, 0, bound);
  EXPECT_NEAR(z2 / kCount, 1, bound * std::sqrt(2.0L));
  EXPECT_NEAR(z3 / kCount, 0, bound * std::sqrt(15.0L));
  EXPECT_NEAR(z4 / kCount, 3, bound * std::sqrt(96.0L));
  EXPECT_NEAR(z_next / kCount, 0, bound);
}

// Against long double. The bounds are those of the header: below 1.5 for sine and cosine, and for
// the logarithm; a normal is a product of a root (half the logarithm's error and its own half) and
// a sine, with half a unit for the product: below 3.
template <class T>
void expect_accurate(T u, T w) {
  T sin_w, cos_w, first, second;
  cudamat::sin_cos(w, sin_w, cos_w);
  cudamat::box_muller(u, w, first, second);
  const long double log_u = -2 * std::log(static_cast<long double>(u));
  const long double s = std::sqrt(log_u), angle = w;
  ASSERT_LE(ulps(cudamat::minus_two_log(u), log_u), 1.5) << u;
  ASSERT_LE(ulps(sin_w, std::sin(angle)), 1.5) << w;
  ASSERT_LE(ulps(cos_w, std::cos(angle)), 1.5) << w;
  ASSERT_LE(ulps(first, s * std::sin(angle)), 3) << u << ' ' << w;
  ASSERT_LE(ulps(second, s * std::cos(angle)), 3) << u << ' ' << w;
}

TEST(BoxMuller, IsAccurateToThreeUnitsInTheLastPlace) {
  const long double pi = std::acos(-1.0L);
  Generator g(8);
  const std::vector<float> f = uniform<float>(g, 400000);
  for (std::size_t i = 0; i < f.size(); i += 2)
    expect_accurate(f[i], f[i + 1] * static_cast<float>(2 * pi));
  const std::vector<double> d = uniform<double>(g, 400000);
  for (std::size_t i = 0; i < d.size(); i += 2)
    expect_accurate(d[i], d[i + 1] * static_cast<double>(2 * pi));
}

TEST(BoxMuller, IsAccurateAtTheEndsAndAtMultiplesOfAQuarterTurn) {
  const long double pi = std::acos(-1.0L);
  for (const float u : {0x1p-33f, 0x1.8p-32f, 0.5f, 0x1.6a09e6p-1f, 0x1.6a09e8p-1f, 0x1.fffffep-1f})
    for (int k = 0; k <= 8; ++k)
      for (const float next : {0.0f, 10.0f}) {
        const auto w = static_cast<float>(k * pi / 4);
        expect_accurate(u, k == 0 ? 0x1p-31f : std::nextafter(w, next));
      }
  for (const double u : {0x1p-54, 0x1p-30, 0.5, 0x1.6a09e667f3bcdp-1, 0x1.fffffffffffffp-1})
    for (int k = 0; k <= 8; ++k)
      for (const double next : {0.0, 10.0}) {
        const auto w = static_cast<double>(k * pi / 4);
        expect_accurate(u, k == 0 ? 0x1p-52 : std::nextafter(w, next));
      }
  float first, second;
  cudamat::box_muller(1.0f, 1.0f, first, second);
  EXPECT_EQ(first, 0);
  EXPECT_EQ(second, 0);
}

TEST(Generator, WidensTheDoublesForLongDouble) {
  Generator a(4), b(4);
  const std::vector<long double> wide = uniform<long double>(a, 100003);
  const std::vector<double> narrow = uniform<double>(b, 100003);
  for (std::size_t i = 0; i < wide.size(); ++i)
    ASSERT_EQ(wide[i], static_cast<long double>(narrow[i]));
}

TEST(Generator, SeedGoesBackToTheStart) {
  Generator g(1), fresh(2);
  uniform<double>(g, 300001);
  g.seed(2);
  EXPECT_EQ(g.position(), 0u);
  EXPECT_TRUE(uniform<double>(g, 300000) == uniform<double>(fresh, 300000));
}

TEST(Generator, SeekSkipsFloats) {
  Generator a(9), b(9);
  uniform<float>(a, 300001);
  b.seek(300001);
  EXPECT_TRUE(uniform<double>(a, 300000) == uniform<double>(b, 300000));
}

template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const cudamat::CUDAMatException& e) {
    return e.what();
  }
  return "nothing was refused";
}

TEST(Generator, RefusesNegativeCountsAndTheEndOfTheStream) {
  Generator g(1);
  float x[2] = {};
  EXPECT_THAT(refusal([&] { g.uniform(x, -1); }), HasSubstr("[uniform] the number of values"));
  EXPECT_THAT(refusal([&] { g.normal(x, -1); }), HasSubstr("[normal] the number of values"));
  const std::uint64_t end = std::uint64_t{1} << 63;
  EXPECT_THAT(refusal([&] { g.seek(end + 1); }), HasSubstr("[seek] the stream ends"));
  g.seek(end - 1);
  EXPECT_THAT(refusal([&] { g.uniform(x, 2); }), HasSubstr("asked for 2 values from position"));
  EXPECT_EQ(g.position(), end - 1);
  g.uniform(x, 1);
  EXPECT_GT(x[0], 0);
}

}  // namespace
