// Fused statements on the CUDA engine: those of a GPU, or compiled for the execution on the CPU.
#include <algorithm>
#include <gmock/gmock.h>
#include <iterator>

#include "tests/fused_check.hpp"

namespace {

using namespace fused_test;

template <class T>
class CudaFused : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(CudaFused, Types);

TYPED_TEST(CudaFused, FixedBodiesHaveTheBitsOfTheirOperations) {
  for (const Sample& sample : fused_test::fixed())
    for (const bool in_place : {false, true})
      for (const Placing& placing : {kFlat, kShifted})
        expect_same<TypeParam>(sample, placing, in_place);
}

TYPED_TEST(CudaFused, OperandsMayLieAnyhow) {
  const auto samples = fused_test::fixed();
  for (const char* name : {"momentum", "softmax", "spreads"}) {
    const auto sample = std::ranges::find(samples, name, &Sample::name);
    ASSERT_NE(sample, samples.end());
    for (const Placing& placing : kPlacings)
      for (const bool in_place : {false, true}) expect_same<TypeParam>(*sample, placing, in_place);
  }
}

TYPED_TEST(CudaFused, RandomBodiesHaveTheBitsOfTheirOperations) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Placing& placing = kPlacings[(seed + sizeof(TypeParam) / 4) % std::size(kPlacings)];
    expect_same<TypeParam>(fused_test::random(seed), placing, seed % 3 == 0, seed);
  }
}

/// Columns as tiles and as lanes, with packs and without, whole and in pieces.
TYPED_TEST(CudaFused, ReductionsHaveTheOrderOfTheirOperations) {
  const Placing placings[] = {
      {"short columns", 16, 40, 0, 0, 0},     {"odd columns", 7, 530, 0, 0, 0},
      {"with gaps", 12, 90, 0, 0, 4},         {"long columns", 1100, 3, 0, 0, 0},
      {"odd long columns", 1031, 2, 1, 1, 3}, {"rows", 260, 21, 0, 0, 0},
      {"few rows", 3, 1400, 0, 0, 0},         {"one row", 1, 1300, 0, 0, 0},
      {"one column", 1300, 1, 0, 0, 0},       {"one element", 1, 1, 0, 0, 0}};
  const auto samples = fused_test::fixed();
  for (const char* name : {"dropout", "softmax", "error", "extremes", "noise"}) {
    const auto sample = std::ranges::find(samples, name, &Sample::name);
    ASSERT_NE(sample, samples.end());
    for (const Placing& placing : placings) expect_same<TypeParam>(*sample, placing, true);
  }
}

/// Columns as tiles and as lanes, rows, whole and in pieces, and what has one of each.
TYPED_TEST(CudaFused, ReductionsThatAreUsedHaveTheBitsOfTheirOperations) {
  const Placing placings[] = {kShifted,
                              {"odd columns", 7, 130, 0, 0, 0},
                              {"long columns", 1031, 2, 1, 1, 3},
                              {"rows", 140, 21, 0, 0, 0}};
  for (const Sample& sample : fused_test::using_reductions())
    for (const Placing& placing : placings)
      expect_same<TypeParam>(sample, placing, placing.rows % 2 == 0);
  for (unsigned seed = 0; seed < 6; ++seed) {
    const Placing& placing = kPlacings[(seed + sizeof(TypeParam) / 4) % std::size(kPlacings)];
    expect_same<TypeParam>(fused_test::random(seed, true), placing, seed % 3 == 0, seed);
  }
}

TYPED_TEST(CudaFused, LongReductionsAreCutIntoPieces) {
  const auto samples = fused_test::fixed();
  const auto named = [&](const char* name) {
    return *std::ranges::find(samples, name, &Sample::name);
  };
  expect_same<TypeParam>(named("error"), {"whole", 251, 271, 0, 0, 0}, false);
  expect_same<TypeParam>(named("softmax"), {"columns", 40001, 2, 0, 0, 0}, true);
  expect_same<TypeParam>(named("extremes"), {"rows", 36, 1200, 0, 0, 0}, true);
  // Of finite numbers, where every order of a sum has bits of its own.
  const auto drawn = [](int axis) {
    fused_test::Maker make;
    const auto x = make.step(Op::fill_with_rand);
    make.store(x).reduce(Op::sum, x, axis);
    return Sample{"drawn", make.body()};
  };
  for (const int axis : {0, 1, -1}) {
    expect_same<TypeParam>(drawn(axis), {"long", 40001, 1, 0, 0, 0}, false);
    expect_same<TypeParam>(drawn(axis), {"wide", 36, 1200, 0, 0, 0}, false);
  }
}

TYPED_TEST(CudaFused, SpacesWithoutElements) {
  auto samples = fused_test::fixed();
  for (Sample& sample : fused_test::using_reductions()) samples.push_back(std::move(sample));
  for (const Sample& sample : samples) {
    bool has_a_value = true;  // of nothing
    for (const auto& step : sample.body.steps) has_a_value &= !row(step.op).has(cudamat::kNoEmpty);
    for (const auto& target : sample.body.targets)
      has_a_value &= !row(target.op).has(cudamat::kNoEmpty);
    if (!has_a_value) continue;
    for (const Placing& placing :
         {Placing{"no rows", 0, 3, 0, 0, 2}, Placing{"no columns", 4, 0, 0, 0, 0}})
      expect_same<TypeParam>(sample, placing, false);
  }
}

}  // namespace
