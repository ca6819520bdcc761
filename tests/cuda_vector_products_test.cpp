// Products of a matrix and a vector on the CUDA engine: on a GPU and on the execution on the CPU.
#include "cudamat/cudamat.hpp"
#include "tests/conformance/vector_products.hpp"

namespace {

constexpr conformance::Index kMost = 1 << 17;

template <class T>
class CudaVectorProducts : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CudaVectorProducts, Types);

TYPED_TEST(CudaVectorProducts, AreAsAccurateAsPairwiseSums) {
  conformance::check_vector_products_are_as_accurate_as_pairwise_sums<
      cudamat::cuda::Engine<TypeParam>>(kMost);
}

TYPED_TEST(CudaVectorProducts, KeepTheDigitsOfLongSums) {
  conformance::check_long_sums_keep_their_digits<cudamat::cuda::Engine<TypeParam>>(10'000'000);
}

TYPED_TEST(CudaVectorProducts, KeepSpecialNumbersInTheirRow) {
  conformance::check_special_numbers_stay_in_their_row<cudamat::cuda::Engine<TypeParam>>(kMost);
}

TYPED_TEST(CudaVectorProducts, AddAndSubtractTheBitsOfDot) {
  conformance::check_forms_give_the_same_bits<cudamat::cuda::Engine<TypeParam>>(kMost);
}

}  // namespace
