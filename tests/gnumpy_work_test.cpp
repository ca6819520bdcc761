// What garrays take and do: statements, passes, checks, memory, text.
#include <cmath>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "npmat/array_text.hpp"

#include "gnumpy_sample.hpp"

namespace gpu = gnumpy;
using gnumpy_sample::v;
using gpu::all;
using gpu::Dims;
using gpu::garray;
using gpu::Index;
using gpu::slice;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

TEST(Checks, NameTheOperationAndTheLine) {
  const garray a{1, 0, -1};
  gpu::acceptable_number_types("no nans");
  const auto says = [](auto&& compute) {
    try {
      compute();
    } catch (const cudamat::CUDAMatException& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  const int line = __LINE__ + 1;
  const std::string text = says([&] { (void)(gpu::log(a) * 2).materialize(); });
  EXPECT_THAT(text, testing::AllOf(HasSubstr("[log]"), HasSubstr("NaN"), HasSubstr("no nans"),
                                   HasSubstr(fmt::format("gnumpy_work_test.cpp:{}:", line))));
  EXPECT_EQ(says([&] { (void)(1 / a).materialize(); }), "nothing");
  gpu::acceptable_number_types("no nans or infs");
  EXPECT_THAT(says([&] { (void)(1 / a).materialize(); }), HasSubstr("inf"));
  gpu::acceptable_number_types(2.5);
  EXPECT_THAT(says([&] { (void)(a - 2).materialize(); }), HasSubstr("-3"));
  EXPECT_THAT(says([&] { (void)garray({1, 2, 3}); }), HasSubstr("[garray]"));
  EXPECT_EQ(gpu::acceptable_number_types(), "2.5");
  EXPECT_THAT(says([&] { (void)gpu::full(3, NAN); }), HasSubstr("[fill]"));
  garray held = a + 0;
  EXPECT_THAT(says([&] { held[0] = 7.0; }), HasSubstr("[fill]"));
  EXPECT_THAT(v(held), ElementsAre(1, 0, -1));
  gpu::expensive_check_probability(0);
  EXPECT_EQ(says([&] { (void)(a - 2).materialize(); }), "nothing");
  gpu::expensive_check_probability(1);
  gpu::acceptable_number_types("anything goes");
  EXPECT_EQ(says([&] { (void)gpu::log(a).materialize(); }), "nothing");
  EXPECT_THROW(gpu::acceptable_number_types("nice ones"), cudamat::CUDAMatException);
  EXPECT_THROW(gpu::acceptable_number_types(-1), cudamat::CUDAMatException);
  EXPECT_THROW(gpu::expensive_check_probability(2), cudamat::CUDAMatException);
}

TEST(Work, CountsWhatExplainShows) {
  const garray x = gpu::ones({4, 3});
  const garray w = gpu::ones({3, 2});
  EXPECT_THAT(gpu::explain(gpu::dot(x, w).logistic()), HasSubstr("# 4 statements: 2 calls"));
  EXPECT_THAT(gpu::explain(x(all, slice(1, 3))),
              HasSubstr("x.get_row_slice(1, 3, target=t)           #  2x4\n"));
  const gpu::Work before = gpu::work_done();
  const garray h = gpu::dot(x, w).logistic();
  (void)h.materialize();
  const garray column = h(all, 1);
  (void)column.materialize();
  const gpu::Work after = gpu::work_done();
  EXPECT_EQ(after.expressions - before.expressions, 1);
  EXPECT_EQ(after.statements - before.statements, 5);
  EXPECT_EQ(after.launches - before.launches, 3);
}

// Expressions that differ in their numbers have one plan, where the numbers are ordinary.
// What was computed counts as one array in a later expression, however long its own was.
TEST(Work, OfAStatementStaysWhatItIsInALoop) {
  garray x = gpu::ones({3, 3});
  const garray y = x * 0.5;
  (void)y.materialize();
  for (int i = 0; i < 600; ++i) {
    const gpu::Work before = gpu::work_done();
    x = (gpu::dot(x, y) + x + 1) / 4;
    const gpu::Work after = gpu::work_done();
    ASSERT_EQ(after.expressions - before.expressions, 1);
    ASSERT_EQ(after.launches - before.launches, 2);
  }
}

TEST(Passes, NumbersThatChange) {
  const garray x{3, -5, 0.75};
  for (const char* const names : {"default,fuse", "fast", "default", "all", "none"}) {
    gpu::passes(names);
    for (const double a : {0.3, 0.0, -1.0, 1.0, 0.5, 3.0, 7.25, -2.0, 3.0, 2.9}) {
      for (const double b : {0.3, 3.0, 1.0, -0.7}) {
        const auto expected = [&](double e) {
          const double terms = (std::abs(e * a) + std::abs(a) + std::abs(2 * b)) / 3 + std::abs(e);
          return testing::DoubleNear((e * a + a - b * 2) * -1 / 3 + (e - b),
                                     (terms + std::abs(b)) * 0x1p-21);  // eight roundings
        };
        EXPECT_THAT(v((x * a + a - garray(b) * 2) * -1 / 3 + (x - b)),
                    ElementsAre(expected(3), expected(-5), expected(0.75)))
            << a << " " << b << " " << names;
      }
    }
  }
  gpu::passes("default,fuse");
  for (const double n : {2.9, 3.0, 3.1})  // the sum over 3 is a mean
    EXPECT_NEAR((x.sum() / n).item(), -1.25 / n, 1e-6);
  for (const double n : {3.0, 2.9}) EXPECT_NEAR((x.sum(0) / n * n).item(), -1.25, 1e-6);
}

TEST(Passes, NumbersThatChangeKeepTheirSign) {
  const garray x{{1, 2}, {3, 4}, {5, 6}};
  for (const char* const names : {"default,fuse", "fast", "default", "all"}) {
    gpu::passes(names);
    for (const double a : {0.3, 0.7, 3.0}) {
      garray w{10, 20};
      w -= x.sum(0) * a;
      EXPECT_THAT(v(w), ElementsAre(testing::DoubleNear(10 - 9 * a, 1e-5),
                                    testing::DoubleNear(20 - 12 * a, 1e-5)))
          << a << " " << names;
    }
  }
  gpu::passes("default,fuse");
}

TEST(Passes, AreTheUsersChoice) {
  const garray x = gpu::ones({4, 3});
  const garray y = gpu::ones({4, 2});
  garray w = gpu::ones({3, 2});
  const auto statements = [&] { return gpu::explain(w * 0.5 + gpu::dot(x.T(), y)); };
  EXPECT_EQ(gpu::passes(), "default,fuse");
  EXPECT_THAT(statements(), testing::Not(HasSubstr("transpose")));
  gpu::passes("all");
  EXPECT_THAT(statements(), testing::AnyOf(HasSubstr("add_dot"), HasSubstr("beta")));
  gpu::passes("none");
  EXPECT_THAT(statements(), HasSubstr("transpose"));
  EXPECT_THROW(gpu::passes("best"), cudamat::CUDAMatException);
  EXPECT_EQ(gpu::passes(), "none");
  gpu::passes("default,fuse");
}

TEST(Memory, IsGivenBackAndUsedAgain) {
  const std::int64_t before = gpu::memory_in_use();
  {
    const garray a = gpu::zeros({100, 10});
    EXPECT_EQ(gpu::memory_in_use() - before, a.nbytes());
    const auto lines = gpu::memory_allocators(a.nbytes());
    ASSERT_FALSE(lines.empty());
    EXPECT_THAT(lines[0].file, HasSubstr("gnumpy_work_test.cpp"));
  }
  EXPECT_EQ(gpu::memory_in_use(), before);
}

TEST(Memory, ACopyIsMadeWhereSomebodyWrites) {
  garray a = gpu::ones({100, 100});
  a.materialize();
  const garray copy = a;
  gpu::max_memory_usage(gpu::memory_in_use() + 1000);
  const int line = __LINE__ + 2;
  try {
    a[0] = 5.0;
    ADD_FAILURE() << "there was memory";
  } catch (const cudamat::CUDAMatException& error) {
    EXPECT_THAT(error.what(), HasSubstr(fmt::format("gnumpy_work_test.cpp:{}: no memory", line)));
  }
  gpu::max_memory_usage(0);
  EXPECT_EQ(a[0].sum().item(), 100);
  EXPECT_EQ(copy[0].sum().item(), 100);
}

TEST(Memory, TheLimitIsKeptAndTheProgramGoesOn) {
  garray a = gpu::ones({100, 10});
  gpu::max_memory_usage(gpu::memory_in_use() + 100);
  try {
    a = gpu::concatenate({a, a});
    FAIL();
  } catch (const cudamat::OutOfMemory& error) {
    EXPECT_THAT(error.what(), HasSubstr("gnumpy_work_test.cpp"));
    EXPECT_THAT(error.what(), HasSubstr("allowed"));
  }
  gpu::max_memory_usage(0);
  EXPECT_EQ(a.sum().item(), 1000);
}

TEST(Memory, IsNotKeptForSmallResults) {
  const std::int64_t before = gpu::memory_in_use();
  std::vector<garray> losses, rows, tops;
  constexpr std::int64_t kArray = 500 * 500 * sizeof(float);
  for (int k = 0; k < 200; ++k) {
    garray x = gpu::rand(500, 500);
    losses.push_back(x.mean());
    rows.emplace_back(x[k]);
    tops.push_back((gpu::rand(500, 500) * 2).max(0));
    ASSERT_LT(gpu::memory_in_use() - before, 8 * kArray) << k;
  }
  for (const garray& loss : losses) EXPECT_NEAR(loss.item(), 0.5, 0.01);
  EXPECT_LT(gpu::memory_in_use() - before, 2 * kArray);  // 200 times 2 rows of 500
  EXPECT_EQ(rows[199].shape(), Dims{500});
}

TEST(Memory, IsHadByComputingWhatIsPending) {
  gpu::free_reuse_cache();
  constexpr std::int64_t kArray = 512 * 512 * sizeof(float);
  const std::int64_t before = gpu::memory_in_use();
  gpu::max_memory_usage(before + 13 * kArray / 2);
  {
    std::vector<garray> halves;  // too large to be computed early
    for (int k = 0; k < 9; ++k) halves.push_back(gpu::rand(512, 512)[slice(0, 256)]);
    garray rest = gpu::rand(512, 512);
    EXPECT_EQ(halves[8].shape(), (Dims{256, 512}));
    EXPECT_THROW((void)gpu::zeros({512, 512, 4}), cudamat::OutOfMemory);
    for (const garray& half : halves) EXPECT_NEAR(half.mean().item(), 0.5, 0.01);
    EXPECT_NEAR(rest.mean().item(), 0.5, 0.01);
  }
  gpu::max_memory_usage(0);
  EXPECT_EQ(gpu::memory_in_use(), before);
}

TEST(Memory, IsEnoughForALoopUnderALimit) {
  gpu::free_reuse_cache();
  gpu::max_memory_usage(gpu::memory_in_use() + (64 << 20));
  std::vector<garray> losses;
  garray x;
  for (int k = 0; k < 200; ++k) {
    x = gpu::rand(500, 500);
    losses.push_back(x.mean());
  }
  gpu::max_memory_usage(0);
  EXPECT_NEAR(gpu::stack(losses).mean().item(), 0.5, 0.01);
}

TEST(Memory, WithoutItEveryArrayStaysAsItWas) {
  garray a = gpu::ones({2, 600});
  const garray r = gpu::ones(600);
  garray copy = a, expression(r + 1);
  auto row = a[1];
  gpu::free_reuse_cache();
  gpu::max_memory_usage(gpu::memory_in_use());
  EXPECT_THROW(row = r * 2, cudamat::OutOfMemory);
  EXPECT_THROW(copy = copy * 2 + a, cudamat::OutOfMemory);
  EXPECT_THROW(expression = r * 2, cudamat::OutOfMemory);
  gpu::max_memory_usage(0);
  row += 1;
  EXPECT_EQ(a.sum().item(), 600 * 3);
  EXPECT_EQ(copy.sum().item(), 1200);
  EXPECT_EQ(expression.sum().item(), 1200);
}

// What str() of NumPy 1.24 gives for these float32 arrays.
TEST(Text, OfLongExponentsAndOfLoneNumbers) {
  const auto text = [](std::vector<double> numbers) {
    const Index size = std::ssize(numbers);
    return npmat::array_text({size}, numbers);
  };
  EXPECT_EQ(text({5e-324}), "[5.e-324]");
  EXPECT_EQ(text({5e-324, 1.5}), "[4.9e-324 1.5e+000]");
  EXPECT_EQ(text({1e200, -1, NAN}), "[ 1.e+200 -1.e+000      nan]");
  EXPECT_EQ(garray(123456789).str(), "123456790.0");
  EXPECT_EQ(garray(1e-4).str(), "1e-04");
}

TEST(Text, IsNumPys) {
  const auto range = [](gpu::Index n) { return gpu::cumsum(gpu::ones(n)) - 1; };
  EXPECT_EQ(garray({1, 2.5, -3}).str(), "[ 1.   2.5 -3. ]");
  EXPECT_EQ(garray({1e-5, 1}).str(), "[1.e-05 1.e+00]");
  EXPECT_EQ(garray({1e-4, 1e-3}).str(), "[1.e-04 1.e-03]");
  EXPECT_EQ(garray({NAN, 1, -INFINITY}).str(), "[ nan   1. -inf]");
  EXPECT_EQ(garray({{0.1, 0.2}, {0.3, 1.0 / 3}}).str(),
            "[[0.1        0.2       ]\n [0.3        0.33333334]]");
  EXPECT_EQ((range(30) / 8).str(),
            "[0.    0.125 0.25  0.375 0.5   0.625 0.75  0.875 1.    1.125 1.25  1.375\n"
            " 1.5   1.625 1.75  1.875 2.    2.125 2.25  2.375 2.5   2.625 2.75  2.875\n"
            " 3.    3.125 3.25  3.375 3.5   3.625]");
  EXPECT_EQ(range(1200).reshape({2, 600}).str(),
            "[[0.000e+00 1.000e+00 2.000e+00 ... 5.970e+02 5.980e+02 5.990e+02]\n"
            " [6.000e+02 6.010e+02 6.020e+02 ... 1.197e+03 1.198e+03 1.199e+03]]");
  EXPECT_EQ(range(8).reshape({2, 2, 2}).str(), "[[[0. 1.]\n  [2. 3.]]\n\n [[4. 5.]\n  [6. 7.]]]");
  EXPECT_EQ(garray(0.1).str(), "0.1");
  EXPECT_EQ(gpu::zeros({0, 3}).str(), "[]");
}

}  // namespace
