// Products of a matrix and a vector on the CPU engine, in its three types and by any number of
// threads.
#include <omp.h>

#include "npmat/npmat.hpp"
#include "tests/conformance/vector_products.hpp"
#include "tests/thread_counts.hpp"

namespace {

using conformance::Host;
using conformance::Random;
using conformance::Shape;

constexpr conformance::Index kMost = 1 << 18;

template <class T>
class VectorProducts : public ::testing::Test {
 protected:
  void TearDown() override { omp_set_num_threads(omp_get_num_procs()); }
};
using Types = ::testing::Types<float, double, long double>;
TYPED_TEST_SUITE(VectorProducts, Types);

TYPED_TEST(VectorProducts, AreAsAccurateAsPairwiseSums) {
  conformance::check_vector_products_are_as_accurate_as_pairwise_sums<npmat::Engine<TypeParam>>(
      kMost);
}

TYPED_TEST(VectorProducts, KeepTheDigitsOfLongSums) {
  conformance::check_long_sums_keep_their_digits<npmat::Engine<TypeParam>>(10'000'000);
}

TYPED_TEST(VectorProducts, KeepSpecialNumbersInTheirRow) {
  conformance::check_special_numbers_stay_in_their_row<npmat::Engine<TypeParam>>(kMost);
}

TYPED_TEST(VectorProducts, AddAndSubtractTheBitsOfDot) {
  conformance::check_forms_give_the_same_bits<npmat::Engine<TypeParam>>(kMost);
}

TYPED_TEST(VectorProducts, DoNotDependOnTheNumberOfThreads) {
  using T = TypeParam;
  using E = npmat::Engine<T>;
  for (const Shape shape :
       {Shape{1, 260003}, {2, 200000}, {8, 40000}, {40000, 150}, {500, 600}, {3000, 300}})
    for (const bool flagged : {false, true}) {
      Random<T> random(43);
      const Host<T> matrix = random.matrix(shape), vector = random.matrix({shape.cols, 1});
      const conformance::VectorProduct form{shape.rows, shape.cols, flagged, false};
      const Host<T> target(Shape{shape.rows, 1});
      omp_set_num_threads(1);
      const Host<T> one = conformance::multiply<E>(form, matrix, vector, target);
      for (const int threads : thread_counts({2, 3, 7})) {
        omp_set_num_threads(threads);
        conformance::expect_same(conformance::multiply<E>(form, matrix, vector, target), one,
                                 conformance::text_of(form));
      }
    }
}

}  // namespace
