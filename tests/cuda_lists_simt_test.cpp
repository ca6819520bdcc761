// Runs of statement lists on the CUDA engine, as only the execution on the CPU shows them: what
// waits, what is allocated, and what a call that fails leaves.
#include <cmath>
#include <gmock/gmock.h>

#include "cudamat/simt/simt.hpp"

#include "cuda_lists.hpp"

namespace {

using namespace cuda_lists;
using testing::ElementsAre;
using testing::HasSubstr;
using M = cudamat::CUDAMatrix<float>;

template <class T>
class CudaLists : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(CudaLists, Types);

TYPED_TEST(CudaLists, NumbersOfWholeMatricesStayOnTheDevice) {
  // Lazy streams do nothing before something waits for them.
  const StatementList list = list_of(
      "X: (40, 30)\na = X / np.linalg.norm(X)\nb = a - X.sum() + np.mean(a)\n"
      "c = b * X.max() + np.vdot(a, b)\nd = c / np.linalg.norm(np.ravel(c), 1)\n",
      "none");
  simt::set_streams(simt::Streams::kLazy);
  std::int64_t before = 0;
  RunOptions options;
  options.before_statement = [&](std::size_t i) {
    if (i == 0) before = simt::launches();
    EXPECT_EQ(simt::launches(), before) << "statement " << i << " waited";
  };
  const auto result = run<cudamat::CUDAMatrix<TypeParam>>(list, ones<TypeParam>(list), options);
  EXPECT_GT(simt::launches(), before + 10);
  simt::set_streams(simt::Streams::kEager);
  const auto expected = run<npmat::CUDAMatrix<TypeParam>>(list, ones<TypeParam>(list)).outputs;
  for (const auto& [name, array] : expected)
    for (std::size_t i = 0; i < array.data.size(); ++i)
      EXPECT_NEAR(result.outputs.at(name).data[i], array.data[i], 1e-5 * std::abs(array.data[i]));
}

TEST(CudaReplayRun, NothingIsAllocatedInAReplayedIteration) {
  const StatementList list = list_of(
      "A: (64, 64)\ns: (64, 1)\nfor i in range(6):\n"
      "    s = (np.tanh(A @ A) * s).sum(axis=1, keepdims=True) * 0.01\n    s = s + A.max(axis=1, "
      "keepdims=True)\n",
      "default");
  std::size_t begins = 0;
  RunOptions options;
  options.before_statement = [&](std::size_t at) {
    if (at < list.statements.size() && list.statements[at].kind == Statement::Kind::Call &&
        begins++ == 3 * 8)
      simt::set_memory(1);  // any allocation fails from here on
  };
  const auto result = run<M>(list, inputs_of(list), options);
  simt::set_memory(std::size_t{4} << 30);
  EXPECT_THAT(texts(result.replay, false), ElementsAre(HasSubstr("launched 5 times")));
}

TEST(CudaReplayRun, WhereACallFailsTheRunFailsOrGoesOnWithoutAGraph) {
  const StatementList list = list_of(kDescent, "default");
  const auto expected = run<M>(list, inputs_of(list), {.replay = false});
  cuda::cublas_shutdown();
  const std::vector<std::string> before = simt::leaks();
  const std::int64_t begin = simt::calls();
  (void)run<M>(list, inputs_of(list));
  const std::int64_t calls = simt::calls() - begin;
  int went_on = 0;
  for (std::int64_t n = 1; n <= calls; n += 1 + n / 40) {
    cuda::cublas_shutdown();
    simt::fail_call(n);
    try {
      const auto result = run<M>(list, inputs_of(list));
      for (const auto& [name, array] : expected.outputs)
        EXPECT_EQ(result.outputs.at(name).data, array.data) << n << simt::failed_call();
      if (!texts(result.replay, true).empty()) ++went_on;
    } catch (const cudamat::CUDAMatException&) {
    }
    simt::fail_call(0);
  }
  EXPECT_GT(went_on, 0);
  cuda::cublas_shutdown();
  EXPECT_EQ(simt::leaks(), before);
}

}  // namespace
