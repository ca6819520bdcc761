// What masks and index lists select: NumPy's copies, but for a write to the subscript itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <utility>
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

void raise_in_place(garray_view elements) {
  elements += 100;
}

TEST(Selection, WithANameIsACopy) {
  garray b{1, 2, 3, 4};
  auto masked = b[b > 2];
  masked += 100;
  EXPECT_THAT(v(masked), ElementsAre(103, 104));
  auto listed = b[std::vector<Index>{1, 1}];
  listed[0] = 7.0;
  EXPECT_THAT(v(listed), ElementsAre(7, 2));
  for (auto each : listed) each += 10;
  EXPECT_THAT(v(listed), ElementsAre(17, 12));
  listed = 5.0;
  EXPECT_THAT(v(listed), ElementsAre(5, 5));
  listed = garray{6, 4};
  listed.sort();
  EXPECT_THAT(v(listed), ElementsAre(4, 6));
  listed[listed > 5] = 0.0;
  EXPECT_THAT(v(listed), ElementsAre(4, 0));
  raise_in_place(b[b > 2]);
  EXPECT_THAT(v(b), ElementsAre(1, 2, 3, 4));
}

TEST(Selection, IsOfTheMomentOfItsSubscript) {
  garray b{1, 2, 3, 4};
  auto read = b[{0, 3}];
  const auto never_written = b[b > 1];
  auto written = b[{0, 3}];
  b *= 10;
  b[3] = 0.0;
  EXPECT_THAT(v(read), ElementsAre(1, 4));
  EXPECT_THAT(v(never_written), ElementsAre(2, 3, 4));
  written += 1;
  EXPECT_THAT(v(written), ElementsAre(2, 5));
  EXPECT_THAT(v(b), ElementsAre(10, 20, 30, 0));
  auto outlives = [] {
    garray gone{1, 2, 3};
    return garray(gone[{2, 0}]);
  }();
  EXPECT_THAT(v(outlives), ElementsAre(3, 1));
}

TEST(Selection, CopiesOfOneShareItsElements) {
  garray b{1, 2, 3};
  auto first = b[{0, 2}];
  auto second = first;
  const auto third = second;
  const garray value = first;
  b = b * 10;
  second[1] = 7.0;
  first += 1;
  EXPECT_THAT(v(first), ElementsAre(2, 8));
  EXPECT_THAT(v(second), ElementsAre(2, 8));
  EXPECT_THAT(v(third), ElementsAre(2, 8));
  EXPECT_THAT(v(value), ElementsAre(1, 3));
  std::move(second) += 1;  // it has had a name
  EXPECT_THAT(v(first), ElementsAre(3, 9));
  EXPECT_THAT(v(b), ElementsAre(10, 20, 30));
}

TEST(Selection, WrittenAtTheSubscriptIsTheArrays) {
  garray b{1, 2, 3, 4};
  b[b > 2] += 100;
  EXPECT_THAT(v(b), ElementsAre(1, 2, 103, 104));
  b[{0, 3}] = 0.0;
  b[{1, 2}] = garray{8, 9};
  EXPECT_THAT(v(b), ElementsAre(0, 8, 9, 0));
  b[{1, 2}] = b[{2, 1}];
  EXPECT_THAT(v(b), ElementsAre(0, 9, 8, 0));
  b[{0, 1}] = b[b > 0] * 2;
  EXPECT_THAT(v(b), ElementsAre(18, 16, 8, 0));
  b[{0, 0}] += 1;  // once, as NumPy
  b[b > 10] -= b[{2, 3}];
  b[{0, 1}] *= 2;
  b[{2}] /= 4;
  b[{0}] %= 4;
  EXPECT_THAT(v(b), ElementsAre(2, 32, 2, 0));
  swap(b[{0, 1}], b[{2, 3}]);
  EXPECT_THAT(v(b), ElementsAre(2, 0, 2, 32));
  auto first = b[{0, 1}], second = b[{2, 3}];
  swap(first, second);
  EXPECT_THAT(v(first), ElementsAre(2, 32));
  EXPECT_THAT(v(b), ElementsAre(2, 0, 2, 32));
}

TEST(Selection, OfAStridedViewIsOneToo) {
  garray a = gpu::arange(12).reshape({3, 4});
  auto even = a(all, slice({}, {}, 2));
  auto selected = even(all, {1, 1});
  even[{2, 0}] += 100;
  even[even > 105] = -1.0;
  EXPECT_THAT(v(selected), ElementsAre(2, 2, 6, 6, 10, 10));
  EXPECT_THAT(v(a), ElementsAre(100, 1, 102, 3, 4, 5, 6, 7, -1, 9, -1, 11));
  selected(0, all) = 7.0;
  selected(all, 1) += 1;
  const garray value = selected;
  EXPECT_THAT(v(value), ElementsAre(7, 8, 6, 7, 10, 11));
  EXPECT_THAT(v(selected.ravel()[{0, 5}]), ElementsAre(7, 11));
  EXPECT_THAT(v(a), ElementsAre(100, 1, 102, 3, 4, 5, 6, 7, -1, 9, -1, 11));
}

// NumPy loses these writes without a word.
TEST(Selection, RefusesWritesToPartsOfOneWithoutAName) {
  garray b{1, 2, 3, 4};
  const auto refuses = [](auto&& write) {
    try {
      write();
      ADD_FAILURE() << "not refused";
    } catch (const cudamat::CUDAMatException& error) {
      EXPECT_THAT(error.what(), HasSubstr("give the selection a name"));
    }
  };
  refuses([&] { b[b > 2][0] = 7.0; });
  refuses([&] { b[b > 2][slice(0, 1)] += 7.0; });
  refuses([&] { b[b > 2][{0}] = garray{7}; });
  refuses([&] { b[b > 2].reshape({2, 1}) = 7.0; });
  refuses([&] { b[b > 2].ravel() = 7.0; });
  refuses([&] { b[b > 2].reshape_2d(1)[0] = 7.0; });
  refuses([&] { b[b > 2][slice(0, 2)].ravel()[0] = 7.0; });
  refuses([&] { b[b > 2].sort(); });
  EXPECT_EQ(b[b > 2][0].item(), 3);
  EXPECT_THAT(v(b[b > 2].reshape({2, 1})), ElementsAre(3, 4));
  auto part = b[b > 2][slice(0, 1)];
  part += 1;
  EXPECT_THAT(v(part), ElementsAre(4));
  b[slice(1, 4)][b[slice(1, 4)] > 3] = 9.0;  // of a slice
  EXPECT_THAT(v(b), ElementsAre(1, 2, 3, 9));
}

TEST(Selection, InBracesIsAListAsInNumPy) {
  garray b{{1, 2}, {3, 4}, {5, 6}};
  EXPECT_EQ(b[{1}].shape(), (Dims{1, 2}));
  EXPECT_EQ(b[1].shape(), (Dims{2}));
  EXPECT_THAT(v(b[{2, 0}]), ElementsAre(5, 6, 1, 2));
  EXPECT_THAT(v(b(all, {-1})), ElementsAre(2, 4, 6));
  EXPECT_THAT(v(b[{true, false, true}]), ElementsAre(1, 2, 5, 6));
  EXPECT_THROW((void)b[{3}], cudamat::CUDAMatException);
}

}  // namespace
