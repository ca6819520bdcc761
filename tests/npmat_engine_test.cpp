// The CPU engine: broadcasting, products, moving data, memory.
#include <cmath>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <omp.h>
#include <random>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "cudamat/error.hpp"
#include "npmat/engine.hpp"

namespace {

using cudamat::Index;
using cudamat::Op;
using cudamat::Second;

__extension__ typedef __float128 Quad;

/// A type with digits to spare.
template <class T>
using Wide = std::conditional_t<sizeof(T) <= 8, long double, Quad>;

template <class T>
constexpr T kNan = std::numeric_limits<T>::quiet_NaN();

template <class T>
std::vector<T> numbers(Index n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<T> result(static_cast<std::size_t>(n));
  for (T& x : result) x = T(uniform(random));
  return result;
}

/// 0, 1, 2 ...
template <class T>
std::vector<T> counted(Index n) {
  std::vector<T> result(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = T(i);
  return result;
}

template <class T>
class Engine : public testing::Test {};
using All = testing::Types<float, double, long double>;
TYPED_TEST_SUITE(Engine, All);

// ---- broadcasting

TYPED_TEST(Engine, VectorsMeetEveryElementOfTheirRowOrColumn) {
  using T = TypeParam;
  const std::pair<Index, Index> shapes[] = {
      {1, 1},    {1, 3000}, {3000, 1}, {2, 2},    {3, 4000}, {5, 7},       {16, 300},  {17, 300},
      {255, 40}, {256, 40}, {1023, 9}, {1024, 9}, {1025, 9}, {2000, 1300}, {3, 700001}};
  for (const auto& [rows, cols] : shapes) {
    const auto a = numbers<T>(rows * cols, 1), b = numbers<T>(std::max(rows, cols), 2);
    for (Second second : {Second::Column, Second::Row})
      for (bool in_place : {false, true}) {
        std::vector<T> target = in_place ? a : std::vector<T>(a.size() + 1, T(-7));
        const Op op = second == Second::Column ? Op::add_col_vec : Op::div_by_row;
        const T* const source = in_place ? target.data() : a.data();
        npmat::Engine<T>::map({op, rows, cols, source, second, b.data(), 0, 0, target.data()});
        for (Index i = 0; i < rows * cols; ++i) {
          const T x = a[std::size_t(i)];
          const T expected = second == Second::Column ? x + b[std::size_t(i % rows)]
                                                      : x / b[std::size_t(i / rows)];
          ASSERT_EQ(target[std::size_t(i)], expected) << rows << "x" << cols << " at " << i;
        }
        if (!in_place) {
          ASSERT_EQ(target.back(), T(-7)) << "written past the end";
        }
      }
  }
}

TYPED_TEST(Engine, WhereTakesNanForTrue) {
  using T = TypeParam;
  std::vector<T> cond = {0, 1, T(-0.0), kNan<T>}, yes = {1, 2, 3, 4}, no = {5, 6, 7, 8};
  npmat::Engine<T>::where(cond.data(), yes.data(), no.data(), cond.data(), 4);
  EXPECT_THAT(cond, testing::ElementsAre(5, 2, 7, 4));
}

TYPED_TEST(Engine, WhereAndFillOfLargeArrays) {
  using T = TypeParam;
  const Index n = (Index(9) << 20) / Index(sizeof(T)) + 5;
  std::vector<T> cond(std::size_t(n), 0), target(std::size_t(n) + 2, T(-7));
  for (Index i = 0; i < n; i += 3) cond[std::size_t(i)] = 1;
  const auto yes = counted<T>(n);
  const std::vector<T> no(std::size_t(n), T(0.5));
  npmat::Engine<T>::where(cond.data(), yes.data(), no.data(), target.data() + 1, n);
  for (Index i = 0; i < n; ++i) ASSERT_EQ(target[std::size_t(i) + 1], i % 3 == 0 ? T(i) : T(0.5));
  npmat::Engine<T>::fill(target.data() + 1, n, T(3));
  for (Index i = 0; i < n; ++i) ASSERT_EQ(target[std::size_t(i) + 1], T(3));
  EXPECT_EQ(target.front(), T(-7));
  EXPECT_EQ(target.back(), T(-7));
}

// ---- products

template <class T>
void check_product(bool trans_a, bool trans_b, Index m, Index n, Index k, T alpha, T beta) {
  const auto a = numbers<T>(m * k, 3), b = numbers<T>(k * n, 4), before = numbers<T>(m * n, 5);
  auto c = beta == 0 ? std::vector<T>(before.size(), kNan<T>) : before;
  npmat::Engine<T>::gemm({trans_a, trans_b, m, n, k, alpha, a.data(), b.data(), beta, c.data()});
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < m; ++i) {
      Wide<T> exact = 0, size = 0;
      for (Index p = 0; p < k; ++p) {
        const Wide<T> term = Wide<T>(a[std::size_t(trans_a ? p + k * i : i + m * p)]) *
                             b[std::size_t(trans_b ? j + n * p : p + k * j)];
        exact += term, size += term < 0 ? -term : term;
      }
      exact = alpha * exact;
      if (beta != 0) exact += Wide<T>(beta) * before[std::size_t(i + m * j)];
      // Rounding errors of dot products grow at most with k, and in fact with its root.
      const T bound =
          std::numeric_limits<T>::epsilon() *
          (T(size) * (2 + std::sqrt(T(k))) * (1 + std::abs(alpha)) + 2 * std::abs(beta));
      ASSERT_LE(std::abs(c[std::size_t(i + m * j)] - T(exact)), bound)
          << m << "x" << n << "x" << k << " " << trans_a << trans_b;
    }
}

TYPED_TEST(Engine, ProductsOfEveryShape) {
  using T = TypeParam;
  const Index shapes[][3] = {{1, 1, 1},    {1, 5, 3},    {5, 1, 3},     {2, 3, 1},
                             {7, 8, 9},    {16, 16, 16}, {31, 33, 32},  {65, 64, 63},
                             {1, 70, 200}, {70, 1, 200}, {130, 20, 300}};
  for (const auto& [m, n, k] : shapes)
    for (bool trans_a : {false, true})
      for (bool trans_b : {false, true}) {
        check_product<T>(trans_a, trans_b, m, n, k, 1, 0);
        check_product<T>(trans_a, trans_b, m, n, k, T(-0.5), 1);
        check_product<T>(trans_a, trans_b, m, n, k, 1, T(2.25));
      }
}

TYPED_TEST(Engine, AProductOfNothingScalesTheTarget) {
  using T = TypeParam;
  std::vector<T> c = {1, 2, 3, 4};
  npmat::Engine<T>::gemm({false, false, 2, 2, 0, 1, nullptr, nullptr, T(3), c.data()});
  EXPECT_THAT(c, testing::ElementsAre(3, 6, 9, 12));
  c[1] = kNan<T>;
  npmat::Engine<T>::gemm({false, false, 2, 2, 0, 1, nullptr, nullptr, T(0), c.data()});
  EXPECT_THAT(c, testing::ElementsAre(0, 0, 0, 0));
  npmat::Engine<T>::gemm({false, false, 0, 2, 2, 1, nullptr, nullptr, T(0), nullptr});
}

TYPED_TEST(Engine, ProductsPassNansOn) {
  using T = TypeParam;
  for (Index size : {2, 40}) {
    std::vector<T> a(std::size_t(size * size), 0), b(a.size(), 1), c(a.size());
    a[0] = kNan<T>;
    npmat::Engine<T>::gemm({false, false, size, size, size, 1, a.data(), b.data(), 0, c.data()});
    EXPECT_TRUE(std::isnan(c[0]));
    EXPECT_EQ(c[1], 0);
  }
}

TYPED_TEST(Engine, CorrelationIsCentredAndPaddedWithZeros) {
  using T = TypeParam;
  const Index sizes[][4] = {{1, 1, 1, 1}, {4, 5, 3, 3}, {6, 2, 5, 1},
                            {3, 7, 1, 9}, {2, 2, 7, 7}, {90, 80, 3, 5}};
  for (const auto& [rows, cols, kernel_rows, kernel_cols] : sizes) {
    const auto mat = counted<T>(rows * cols), kernel = counted<T>(kernel_rows * kernel_cols);
    std::vector<T> target(mat.size(), kNan<T>);
    npmat::Engine<T>::correlate(mat.data(), rows, cols, kernel.data(), kernel_rows, kernel_cols,
                                target.data());
    for (Index j = 0; j < cols; ++j)
      for (Index i = 0; i < rows; ++i) {
        Index sum = 0;  // whole numbers: exact
        for (Index q = 0; q < kernel_cols; ++q)
          for (Index p = 0; p < kernel_rows; ++p) {
            const Index x = i + p - kernel_rows / 2, y = j + q - kernel_cols / 2;
            if (x >= 0 && x < rows && y >= 0 && y < cols)
              sum += (x + rows * y) * (p + kernel_rows * q);
          }
        ASSERT_EQ(target[std::size_t(i + rows * j)], T(sum)) << i << "," << j;
      }
  }
}

// ---- moving data

TYPED_TEST(Engine, TransposesEveryShape) {
  using T = TypeParam;
  const Index shapes[][3] = {{1, 1, 1},   {1, 9, 1},   {9, 1, 1},      {3, 5, 1},   {16, 16, 1},
                             {17, 31, 1}, {64, 33, 1}, {300, 7, 1},    {7, 300, 1}, {1000, 130, 1},
                             {3, 4, 2},   {9, 5, 12},  {1500, 1700, 1}};
  for (const auto& [rows, cols, inner] : shapes) {
    const auto source = counted<T>(rows * cols * inner);
    std::vector<T> target(source.size() + 1, T(-7));
    npmat::Engine<T>::transpose(source.data(), target.data(), rows, cols, inner);
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < cols; ++j)
        for (Index b = 0; b < inner; ++b)
          ASSERT_EQ(target[std::size_t(b + inner * (j + cols * i))],
                    source[std::size_t(b + inner * (i + rows * j))])
              << rows << "x" << cols << "x" << inner;
    ASSERT_EQ(target.back(), T(-7));
  }
}

TYPED_TEST(Engine, CopiesBlocks) {
  using T = TypeParam;
  const auto source = counted<T>(5 * 6);
  std::vector<T> target(4 * 3, T(-1));
  npmat::Engine<T>::copy_block({2, 3, source.data() + 1 + 5 * 2, 5, target.data() + 1, 4});
  EXPECT_THAT(target, testing::ElementsAre(-1, 11, 12, -1, -1, 16, 17, -1, -1, 21, 22, -1));
}

TYPED_TEST(Engine, SelectsColumnsFromEitherEnd) {
  using T = TypeParam;
  const auto source = counted<T>(2 * 3);
  const std::vector<T> indices = {2, -1, -3, 3, -4, T(0.5), kNan<T>};
  std::vector<T> target(2 * 7, T(-1));
  npmat::Engine<T>::gather_columns({2, 3, 7, source.data(), indices.data(), target.data()});
  EXPECT_THAT(std::vector<T>(target.begin(), target.begin() + 6),
              testing::ElementsAre(4, 5, 4, 5, 0, 1));
  for (std::size_t i = 6; i < 14; ++i) EXPECT_TRUE(std::isnan(target[i])) << i;

  std::vector<T> scattered(2 * 3, T(-1));
  const auto columns = counted<T>(2 * 7);
  npmat::Engine<T>::scatter_columns({2, 3, 7, columns.data(), indices.data(), scattered.data()});
  EXPECT_THAT(scattered, testing::ElementsAre(4, 5, -1, -1, 2, 3));
}

TYPED_TEST(Engine, OneElementOfEachRow) {
  using T = TypeParam;
  using cudamat::PerRow;
  auto mat = counted<T>(3 * 2);  // [0 3; 1 4; 2 5]
  const std::vector<T> indices = {1, -2, 2};
  std::vector<T> vec(3);
  npmat::Engine<T>::per_row({PerRow::Get, true, 3, 2, mat.data(), indices.data(), vec.data(), 0});
  EXPECT_EQ(vec[0], 3);
  EXPECT_EQ(vec[1], 1);
  EXPECT_TRUE(std::isnan(vec[2]));
  npmat::Engine<T>::per_row({PerRow::Set, true, 3, 2, mat.data(), indices.data(), nullptr, T(9)});
  EXPECT_THAT(mat, testing::ElementsAre(0, 9, 2, 9, 4, 5));
  npmat::Engine<T>::per_row(
      {PerRow::Increment, false, 3, 2, mat.data(), indices.data(), nullptr, T(0)});
  EXPECT_THAT(mat, testing::ElementsAre(0, 10, 2, 9, 5, 5));
}

// ---- memory and threads

TYPED_TEST(Engine, MemoryIsAlignedAndItsOwn) {
  using T = TypeParam;
  using E = npmat::Engine<T>;
  std::vector<std::pair<T*, Index>> blocks;
  for (Index n : {0, 1, 7, 1000, 70000, 300000, 1000000})
    for (int twice = 0; twice < 2; ++twice) {
      T* const data = E::allocate(n);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % 64, 0u);
      E::fill(data, n, T(blocks.size()));
      blocks.emplace_back(data, n);
    }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto [data, n] = blocks[i];
    for (Index k = 0; k < n; ++k) ASSERT_EQ(data[k], T(i));
    E::deallocate(data, n);
  }
  E::deallocate(nullptr, 0);
}

TYPED_TEST(Engine, RefusesWhatMemoryCannotHold) {
  using T = TypeParam;
  using E = npmat::Engine<T>;
  const Index petabyte = Index(1) << 50;
  EXPECT_THAT([&] { E::allocate(petabyte / Index(sizeof(T))); },
              testing::ThrowsMessage<cudamat::OutOfMemory>(
                  testing::HasSubstr("[empty] cannot allocate 1125899906842624 bytes")));
  EXPECT_THROW(E::allocate(std::numeric_limits<Index>::max()), cudamat::OutOfMemory);
  EXPECT_THROW(E::allocate(std::numeric_limits<Index>::max() / Index(sizeof(T))),
               cudamat::OutOfMemory);
}

TYPED_TEST(Engine, ThreadsMayComputeAtOnce) {
  using T = TypeParam;
  const auto a = numbers<T>(200000, 9);
  std::vector<T> sums(4);
  std::vector<std::thread> threads;
  for (T& sum : sums)
    threads.emplace_back([&] {
      using E = npmat::Engine<T>;
      const auto n = Index(a.size());
      T* const copy = E::allocate(n);
      E::map({Op::mult, n, 1, a.data(), Second::Scalar, nullptr, T(2), 0, copy});
      sum = E::reduce_all(Op::total_sum, copy, nullptr, n);
      E::deallocate(copy, n);
    });
  for (auto& thread : threads) thread.join();
  EXPECT_THAT(sums, testing::Each(sums[0]));
}

TYPED_TEST(Engine, TheStreamOfRandomNumbersStartsAtSeedZeroAndContinues) {
  using T = TypeParam;
  using E = npmat::Engine<T>;
  std::vector<T> at_once(9), in_pieces(9);
  E::seed(0);
  E::uniform(at_once.data(), 9);
  E::seed(0);
  E::uniform(in_pieces.data(), 4);
  E::uniform(in_pieces.data() + 4, 5);
  EXPECT_EQ(at_once, in_pieces);
  EXPECT_THAT(at_once, testing::Each(testing::AllOf(testing::Gt(0), testing::Le(1))));
  E::seed(1);
  E::uniform(in_pieces.data(), 9);
  EXPECT_NE(at_once, in_pieces);
}

}  // namespace
