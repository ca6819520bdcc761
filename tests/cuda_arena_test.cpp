// Runs of statement lists on the CUDA engine: its own account of the memory in use says the same as
// the plan, before every statement.
#include <cmath>
#include <gmock/gmock.h>

#include "rewriter/plan/memory_plan.hpp"

#include "cuda_lists.hpp"

namespace {

using namespace cuda_lists;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr const char* kPrograms[] = {
    "X: (5, 7)\nW: (7, 3)\n"
    "h = 1 / (1 + np.exp(-X @ W))\ngrad = X.T @ (h * (1 - h))\n",
    "X: (12, 5)\nw = np.zeros(5)\n"
    "for i in range(3):\n"
    "    for j in range(4):\n"
    "        x = X[3*j:3*(j+1)]\n"
    "        w = w + np.tanh(x @ w + np.random.rand(3)) @ x * np.eye(5)[i].sum()\n",
    "X: (3, 0)\ny = X.sum(axis=1)\nz = X * 2\n",
};

template <class T>
class CudaArena : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(CudaArena, Types);

TYPED_TEST(CudaArena, IsAllThatARunTakes) {
  for (const char* text : kPrograms)
    for (const char* passes : {"none", "default", "all"}) {
      const StatementList list = list_of(text, passes);
      const MemoryPlan plan = memory_plan(list, sizeof(TypeParam));
      const std::int64_t before = cuda::memory_in_use();
      RunOptions options;
      options.before_statement = [&](std::size_t i) {
        ASSERT_EQ(cuda::memory_in_use() - before, plan.arena.bytes) << text << passes << i;
      };
      const auto result = run<cudamat::CUDAMatrix<TypeParam>>(list, ones<TypeParam>(list), options);
      EXPECT_EQ(cuda::memory_in_use(), before) << text << passes;
      EXPECT_EQ(result.arena_bytes, plan.arena.bytes) << text << passes;
      EXPECT_EQ(result.peak_bytes, plan.peak) << text << passes;
      const auto expected = run<npmat::CUDAMatrix<TypeParam>>(list, ones<TypeParam>(list)).outputs;
      for (const auto& [name, array] : expected)
        for (std::size_t i = 0; i < array.data.size(); ++i)
          EXPECT_NEAR(result.outputs.at(name).data[i], array.data[i], 1e-4) << text << name;
    }
}

TYPED_TEST(CudaArena, ThatCannotBeHadNamesThePeakAndLeavesNothing) {
  const StatementList list = list_of("x: (64, 64)\ny = np.exp(x)\n", "none");
  const std::int64_t bytes = memory_plan(list, sizeof(TypeParam)).arena.bytes;
  const std::int64_t before = cuda::memory_in_use();
  const auto run_it = [&] {
    (void)run<cudamat::CUDAMatrix<TypeParam>>(list, ones<TypeParam>(list));
  };
  cuda::set_memory_limit(before + bytes - 1);
  EXPECT_THAT(run_it, ThrowsMessage<cudamat::OutOfMemory>(
                          testing::AllOf(HasSubstr("prog.py:3:"), HasSubstr("y = empty(64x64)"),
                                         HasSubstr(fmt::format("allocate {} bytes", bytes)))));
  EXPECT_EQ(cuda::memory_in_use(), before);
  cuda::set_memory_limit(before + bytes);
  EXPECT_NO_THROW(run_it());
  cuda::set_memory_limit(0);
  EXPECT_EQ(cuda::memory_in_use(), before);
}

}  // namespace
