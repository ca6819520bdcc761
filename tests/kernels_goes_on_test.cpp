// CUDAMAT_KERNEL_FAULTS=report: what is wrong is reported, and the kernel goes on as on a GPU.
#include "tests/kernels_fixture.hpp"
#include "tests/variable.hpp"

namespace kernels_test {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;

class GoesOn : public testing::Test {
 protected:
  /// What a block of 32 threads writes, one value a thread.
  std::vector<unsigned> run(const std::string& body) {
    static int runs = 0;  // a source is told of its faults once
    const auto f =
        kernel_of("__global__ void f(unsigned* y) {\n  const unsigned i = threadIdx.x;\n" + body +
                  "\n} // " + std::to_string(++runs));
    std::vector<unsigned> y(32, 99);
    testing::internal::CaptureStderr();
    f({.block = {32}}, InOut(y));
    told = testing::internal::GetCapturedStderr();
    return y;
  }

  std::string told;

 private:
  const tests::Variable variable_{"CUDAMAT_KERNEL_FAULTS", "report"};
};

// What of a warp intrinsic CUDA defines: the values of the lanes that are there.

TEST_F(GoesOn, WithoutLanesThatHaveLeft) {
  const auto y = run("  if (i >= 16) return;\n  y[i] = __shfl_down_sync(~0u, 10 + i, 1);");
  for (unsigned i = 0; i < 15; ++i) EXPECT_EQ(y[i], 11 + i);
  for (unsigned i = 16; i < 32; ++i) EXPECT_EQ(y[i], 99);
  EXPECT_THAT(told, AllOf(HasSubstr("lane 15 takes the value of lane 16"),
                          HasSubstr("waits for it in __shfl_down_sync (kernel.cu:4)"),
                          HasSubstr("goes on")));
}

TEST_F(GoesOn, WithoutLanesThatLeaveLater) {
  EXPECT_THAT(run("  if (i == 0) y[i] = __ballot_sync(3, 1);\n  else y[i] = 7;")[0], 1);
  EXPECT_THAT(told, HasSubstr("leaves the kernel while lane 0 waits for it in __ballot_sync"));
}

TEST_F(GoesOn, InBranchesThatEachNameAllLanes) {
  const auto y =
      run("  if (i % 4 == 0)\n    y[i] = __ballot_sync(~0u, 1);\n"
          "  else\n    y[i] = __ballot_sync(~0u, i < 8);\n  y[i] += __all_sync(~0u, 1);");
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(y[i], (i % 4 == 0 ? 0x11111111u : 0xeeu) + 1) << i;
  EXPECT_THAT(told, HasSubstr("while lane 0 waits in __ballot_sync (kernel.cu:4)"));
}

TEST_F(GoesOn, WithoutLanesThatWaitForTheBlock) {
  const auto y =
      run("  __shared__ int s[32];\n  s[i] = 1;\n  y[i] = 0;\n"
          "  if (i > 7) y[i] = __any_sync(~0u, i == 9);\n"
          "  __syncthreads();\n  y[i] += s[31 - i];");
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(y[i], i > 7 ? 2 : 1) << i;
  EXPECT_THAT(told, HasSubstr("__any_sync"));
}

TEST_F(GoesOn, WithMasksWithoutTheCaller) {
  EXPECT_THAT(run("  y[i] = i == 5 ? __ballot_sync(1, 1) : 3;")[5], 1u << 5);
  EXPECT_THAT(told, HasSubstr("lane 5 calls it, but is not in the mask"));
}

TEST_F(GoesOn, WithWidthsThatAreNone) {
  run("  y[i] = __shfl_sync(~0u, i, 0, 3) + __shfl_down_sync(~0u, i, 1, 0);");
  EXPECT_THAT(told, AllOf(HasSubstr("the width 3"), HasSubstr("the width 0")));
}

TEST_F(GoesOn, NotAfterAMisalignedAccess) {  // as on a GPU
  EXPECT_THAT(fault([&] { run("  *(double*)(y + 1) = i;"); }),
              AllOf(HasSubstr("[f] misaligned access\n"),
                    HasSubstr("a GPU ends the launch, too: misaligned address\n")));
  (void)testing::internal::GetCapturedStderr();
}

}  // namespace
}  // namespace kernels_test
