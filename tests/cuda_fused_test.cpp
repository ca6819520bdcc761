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

TYPED_TEST(CudaFused, SpacesWithoutElements) {
  for (const Sample& sample : fused_test::fixed()) {
    bool has_a_value = true;  // of nothing
    for (const auto& target : sample.body.targets)
      has_a_value &= !row(target.op).has(cudamat::kNoEmpty);
    if (!has_a_value) continue;
    for (const Placing& placing :
         {Placing{"no rows", 0, 3, 0, 0, 2}, Placing{"no columns", 4, 0, 0, 0, 0}})
      expect_same<TypeParam>(sample, placing, false);
  }
}

}  // namespace
