// What of garrays is a value and what a view, and which elements masks pick.
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <type_traits>
#include <vector>

#include "gnumpy_sample.hpp"

namespace gpu = gnumpy;
using gnumpy_sample::v;
using gpu::all;
using gpu::Dims;
using gpu::garray;
using gpu::garray_view;
using gpu::Index;
using gpu::slice;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

// ---- what compiles ----

template <class A>
using Subscripted = decltype(std::declval<A>()[0]);
template <class A>
using Reshaped = decltype(std::declval<A>().reshape({-1}));
template <class A, class B>
concept Adds = requires(A&& a, B b) {
  std::forward<A>(a) += b;
};
template <class Row>
concept Sorts = requires(Row&& row) {
  std::forward<Row>(row).sort();
};

static_assert(std::is_same_v<Subscripted<garray&>, garray_view>);
static_assert(std::is_same_v<Subscripted<garray_view&>, garray_view>);
static_assert(std::is_same_v<Subscripted<garray_view>, garray_view>);
static_assert(std::is_same_v<Subscripted<const garray&>, garray>);
static_assert(std::is_same_v<Subscripted<const garray_view&>, garray>);
static_assert(std::is_same_v<Subscripted<garray>, garray>);  // of a temporary
static_assert(std::is_same_v<Reshaped<garray&>, garray_view>);
static_assert(std::is_same_v<Reshaped<const garray&>, garray>);
static_assert(std::is_same_v<Reshaped<garray>, garray>);

static_assert(std::is_assignable_v<Subscripted<garray&>, double>);
static_assert(std::is_assignable_v<Subscripted<garray&>, garray>);
static_assert(!std::is_assignable_v<Subscripted<const garray&>, double>);
static_assert(!std::is_assignable_v<Subscripted<const garray&>, garray>);
static_assert(!std::is_assignable_v<Subscripted<const garray_view&>, double>);
static_assert(!std::is_assignable_v<const garray_view&, double>);
static_assert(!std::is_assignable_v<garray, garray>);
static_assert(Adds<Subscripted<garray&>, double> && !Adds<Subscripted<const garray&>, double>);
static_assert(!Adds<const garray&, double> && !Adds<const garray_view&, double>);
static_assert(Sorts<garray&> && Sorts<garray_view> && !Sorts<const garray_view&>);
static_assert(!std::is_convertible_v<garray_view, garray&>);
static_assert(!std::is_base_of_v<garray, garray_view>);  // or a garray&& would be the view's
static_assert(!std::is_convertible_v<const garray&, garray_view>);
static_assert(!std::is_convertible_v<garray, garray_view>);
static_assert(!std::is_constructible_v<gpu::Subscript, bool>);

// What would move views about instead of elements.
template <class A>
concept StdSwaps = requires(A& a, A& b) {
  std::swap(a, b);
};
template <class A>
concept Sortable = std::sortable < typename std::vector<A>::iterator,
        std::less<>,
double (*)(const A&) > ;
static_assert(StdSwaps<garray> && !StdSwaps<garray_view>);
static_assert(Sortable<garray> && !Sortable<garray_view>);
static_assert(!std::is_move_assignable_v<garray_view> && std::is_swappable_v<garray_view>);

// ---- values and views ----

void raise(garray row) {
  row += 100;
}
void raise_elements(garray_view row) {
  row += 100;
}

TEST(View, OfAnArrayIsWrittenThrough) {
  garray a{{1, 2}, {3, 4}};
  auto row = a[0];
  row += 1;
  EXPECT_THAT(v(a), ElementsAre(2, 3, 3, 4));
  auto column = a(all, 1);
  column *= 10;
  EXPECT_THAT(v(a), ElementsAre(2, 30, 3, 40));
  a(1, 1) = 7.0;
  EXPECT_THAT(v(column), ElementsAre(30, 7));
  row = garray{8, 9};
  EXPECT_THAT(v(a), ElementsAre(8, 9, 3, 7));
  row = garray(a[1]);
  EXPECT_THAT(v(a), ElementsAre(3, 7, 3, 7));
  a[0] = 5.0;
  row[gpu::ellipsis] = a[1];
  EXPECT_THAT(v(a), ElementsAre(3, 7, 3, 7));
  auto backwards = a.ravel()[slice({}, {}, -1)].reshape({2, 2});
  backwards[0] = garray{1, 2};
  EXPECT_THAT(v(a), ElementsAre(3, 7, 2, 1));
  a(all, slice({}, {}, 2))[1] -= 5;
  EXPECT_THAT(v(a), ElementsAre(3, 7, -3, 1));
  raise_elements(a(all, 0));
  raise_elements(a);
  EXPECT_THAT(v(a), ElementsAre(203, 107, 197, 101));
}

TEST(View, AsAParameterOrAGarrayIsAValue) {
  garray a{{1, 2}, {3, 4}};
  raise(a[0]);
  raise(a(all, 1));
  raise(a.ravel());
  raise(a);
  EXPECT_THAT(v(a), ElementsAre(1, 2, 3, 4));
  garray row = a[0];
  row += 1;
  std::vector<garray> rows;
  rows.push_back(a[0]);
  rows.emplace_back(a[1]);
  for (garray& each : rows) each *= 2;
  row = a[1];
  row += 1;
  garray moved(std::move(a[1]));  // NOLINT(performance-move-const-arg): it must be a copy
  moved += 1;
  EXPECT_THAT(v(a), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(v(rows[1]), ElementsAre(6, 8));
  a[1] = 0.0;
  EXPECT_THAT(v(row), ElementsAre(4, 5));
  EXPECT_THAT(v(moved), ElementsAre(4, 5));
}

TEST(View, OfWhatIsConstIsAValue) {
  garray array{{1, 2}, {3, 4}};
  const garray& a = array;
  auto row = a[1];
  row += 1;
  auto flat = a.ravel();
  flat[0] = 9.0;
  for (auto each : a) each += 1;
  const garray_view view = array[0];
  auto first = view[0];
  first += 5;
  EXPECT_THAT(v(a), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(v(row), ElementsAre(4, 5));
  array[1] = 0.0;
  EXPECT_THAT(v(row), ElementsAre(4, 5));
  EXPECT_THAT(v(flat), ElementsAre(9, 2, 3, 4));
}

TEST(View, OfACopyIsTheCopys) {
  garray a{1, 2, 3};
  garray b = a;
  auto part = b[slice(0, 2)];
  part += 1;
  a[2] = 7.0;
  EXPECT_THAT(v(a), ElementsAre(1, 2, 7));
  EXPECT_THAT(v(b), ElementsAre(2, 3, 3));
  b = a;  // another value: the view is of what b was
  part += 1;
  EXPECT_THAT(v(b), ElementsAre(1, 2, 7));
  EXPECT_THAT(v(part), ElementsAre(3, 4));
}

TEST(View, SortsWhatItShows) {
  garray a{{3, 1}, {2, 5}, {1, 0}};
  a(all, 0).sort();
  a[2].sort();
  EXPECT_THAT(v(a), ElementsAre(1, 1, 2, 5, 0, 3));
  a(slice({}, {}, 2)).sort(0);
  EXPECT_THAT(v(a), ElementsAre(0, 1, 2, 5, 1, 3));
}

TEST(View, SwapsElements) {
  garray a{{1, 2}, {3, 4}};
  swap(a[0], a[1]);
  EXPECT_THAT(v(a), ElementsAre(3, 4, 1, 2));
  auto first = a(all, 0), second = a(all, 1);
  swap(first, second);
  EXPECT_THAT(v(a), ElementsAre(4, 3, 2, 1));
  EXPECT_THROW(swap(a[0], a.ravel()), cudamat::CUDAMatException);
}

TEST(View, SqueezesAndExpands) {
  garray a{{1, 2, 3}};
  a.squeeze()[1] = 7.0;
  a.expand_dims(-1)(0, 2) = 8.0;
  EXPECT_THAT(v(a), ElementsAre(1, 7, 8));
  EXPECT_EQ(a.expand_dims(-1).shape(), (Dims{1, 3, 1}));
  EXPECT_THROW((void)a.squeeze(1), cudamat::CUDAMatException);
}

// Large enough for several threads, which part rows between them.
TEST(View, OfLargeArraysByStepsAndNumbers) {
  constexpr Index kRows = 301, kCols = 701;
  const garray a = gpu::arange(kRows * kCols).reshape({kRows, kCols});
  std::vector<Index> numbers, twice;
  for (Index k = 0; k < 450; ++k) numbers.push_back(k * 379 % kCols);
  for (Index k = 0; k < kCols; ++k) twice.push_back(k / 2);
  const auto check = [&](const gpu::Subscript& subscript, const auto& column_of, Index count) {
    const std::vector<double> read = v(a(all, subscript));
    garray b = gpu::zeros({kRows, kCols});
    b(all, subscript) = gpu::arange(1, kRows * count + 1).reshape({kRows, count});
    std::vector<double> expected(kRows * kCols, 0.0);
    ASSERT_EQ(std::ssize(read), kRows * count);
    for (Index i = 0; i < kRows; ++i)
      for (Index k = 0; k < count; ++k) {
        const auto at = static_cast<std::size_t>(i * kCols + column_of(k));
        expected[at] = static_cast<double>(i * count + k + 1);
        ASSERT_EQ(read[static_cast<std::size_t>(i * count + k)], static_cast<double>(at));
      }
    EXPECT_EQ(v(b), expected);
  };
  check(
      slice({}, {}, 2), [](Index k) { return 2 * k; }, 351);
  check(
      slice({}, {}, -1), [](Index k) { return kCols - 1 - k; }, kCols);
  check(
      slice(5, {}, 3), [](Index k) { return 5 + 3 * k; }, 232);
  check(
      slice({}, {}, -4), [](Index k) { return kCols - 1 - 4 * k; }, 176);
  check(
      slice(3, 690), [](Index k) { return 3 + k; }, 687);
  check(
      numbers, [&](Index k) { return numbers[static_cast<std::size_t>(k)]; }, 450);
  check(
      twice, [](Index k) { return k / 2; }, kCols);  // of equal ones the last is written
  const garray flat = a.ravel();
  const garray back = flat[slice({}, {}, -3)];
  EXPECT_EQ(back.size(), 70334);
  EXPECT_EQ(back[70333].item(), (kRows * kCols - 1) % 3);
  const std::vector<double> elements = v(back);
  for (std::size_t k = 0; k < elements.size(); ++k)
    ASSERT_EQ(elements[k], static_cast<double>(kRows * kCols - 1) - 3.0 * static_cast<double>(k));
}

// ---- masks ----

TEST(Mask, PicksWhereItIsTrue) {
  garray a{5, 6, 7};
  EXPECT_THAT(v(a[a > 5.5]), ElementsAre(6, 7));
  EXPECT_THAT(v(a[!(a > 5.5)]), ElementsAre(5));
  EXPECT_THAT(v(a[(a > 5) & (a < 7)]), ElementsAre(6));
  EXPECT_THAT(v(a[(a > 5) * (a < 7)]), ElementsAre(6));
  EXPECT_THAT(v(a[(a < 6) | (a > 6)]), ElementsAre(5, 7));
  EXPECT_THAT(v(a[a > 10]), ElementsAre());
  EXPECT_THAT(v(a[std::vector<bool>{true, false, true}]), ElementsAre(5, 7));
  EXPECT_THAT(v(a[garray{true, false, false}]), ElementsAre(5));
  a[a > 5.5] = 0.0;
  EXPECT_THAT(v(a), ElementsAre(5, 0, 0));
  a[a == 0] = garray{1, 2};
  EXPECT_THAT(v(a), ElementsAre(5, 1, 2));
  a[a < 3] += 1;
  EXPECT_THAT(v(a), ElementsAre(5, 2, 3));
  a[a > 10] = 3.0;
  a[a > 10] += 3;
  EXPECT_THAT(v(a), ElementsAre(5, 2, 3));
  EXPECT_THROW((a[a > 2] = garray{1, 2, 3}), cudamat::CUDAMatException);
}

TEST(Mask, OfSeveralAxes) {
  garray a = garray({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}).reshape({2, 3, 2});
  const garray rows{{1, 0, 0}, {0, 1, 1}};
  EXPECT_THAT(v(a[a > 8]), ElementsAre(9, 10, 11));
  EXPECT_THAT(v(a[rows == 1]), ElementsAre(0, 1, 8, 9, 10, 11));
  EXPECT_THAT(v(a(rows == 1, 0)), ElementsAre(0, 8, 10));
  EXPECT_THAT(v(a(all, 1, garray{0, 1} == 1)), ElementsAre(3, 9));
  EXPECT_EQ(a(all, rows[0] == 1).shape(), (Dims{2, 1, 2}));
  a(0, rows[1] == 1) = -1.0;
  EXPECT_THAT(v(a[0]), ElementsAre(0, 1, -1, -1, -1, -1));
  try {
    (void)a[garray{1, 2} > 1](all, garray{1, 2} > 0);
    FAIL();
  } catch (const cudamat::CUDAMatException& error) {
    EXPECT_THAT(error.what(), HasSubstr("boolean index did not match indexed array along "
                                        "dimension 1; dimension is 3 but corresponding boolean "
                                        "dimension is 2"));
  }
}

TEST(Mask, StaysOneWhereItsElementsGo) {
  const garray a{{5, 6}, {7, NAN}};
  const garray mask = a > 5.5;
  garray copy = mask;
  EXPECT_THAT(v(a[copy]), ElementsAre(6, 7));
  EXPECT_THAT(v(a[mask.T()]), ElementsAre(6, 7));
  EXPECT_THAT(v(a[0][mask[0]]), ElementsAre(6));
  EXPECT_THAT(v(a.ravel()[mask.ravel()]), ElementsAre(6, 7));
  EXPECT_THAT(v(a[0][mask(all, 1)]), ElementsAre(5));
  EXPECT_THAT(v(a[0][mask.any(0)]), ElementsAre(5, 6));
  EXPECT_THAT(v(a[0][gpu::all(mask, 0)]), ElementsAre());
  EXPECT_THAT(v(a[0][mask.max(0)]), ElementsAre(5, 6));
  EXPECT_THAT(v(a[gpu::concatenate({mask[slice(1, 2)], mask[slice(0, 1)]})]),
              ElementsAre(5, testing::IsNan()));
  EXPECT_THAT(v(a[a.isnan()]), ElementsAre(testing::IsNan()));
  EXPECT_THAT(v(a[gpu::where(mask, mask, !mask)]), ElementsAre(5, 6, 7, testing::IsNan()));
  copy[0] = 1.0;
  copy(1, 1) = mask(0, 1);
  copy *= mask;
  EXPECT_THAT(v(a[copy]), ElementsAre(6, 7));
  garray flags = gpu::zeros_like(mask);
  flags(0, 1) = 1.0;
  EXPECT_THAT(v(a[flags]), ElementsAre(6));
}

TEST(Mask, IsNotWhatCountsOrHasOtherNumbers) {
  const garray a{5, 6, 7};
  EXPECT_THAT(v(a[(a > 5.5) * 1.0]), ElementsAre(5, 6, 6));  // indices, as in NumPy
  EXPECT_THAT(v(a[1 - (a > 5.5)]), ElementsAre(6, 5, 5));
  EXPECT_THAT(v(a[garray{1, 0}]), ElementsAre(6, 5));
  EXPECT_THAT(v(a.take(garray{{1, 0}, {2, -1}})), ElementsAre(6, 5, 7, 7));
  EXPECT_THROW((void)a.take(a > 5.5), cudamat::CUDAMatException);  // as NumPy
  garray mask = a > 5.5;
  mask[0] = 2.0;
  EXPECT_THAT(v(a[mask]), ElementsAre(7, 6, 6));
  garray other = a > 5.5;
  auto rest = other[slice(1, 3)];
  rest = garray{0, 2};
  EXPECT_THAT(v(a[other]), ElementsAre(5, 5, 7));
  try {  // NumPy's is a mask, but our sum is a number
    (void)a[(a > 5) + (a > 6)];
    FAIL();
  } catch (const cudamat::CUDAMatException& error) {
    EXPECT_THAT(error.what(), HasSubstr("write | for a mask"));
  }
}

}  // namespace
