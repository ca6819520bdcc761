// What kernels on the CPU, and the compiler that makes them, may do at most: print, last.
#include "tests/kernels_fixture.hpp"
#include "tests/variable.hpp"

namespace kernels_test {
namespace {

using testing::HasSubstr;
using tests::Variable;

// ---- output ----

struct Printed {
  std::string output, errors;
};

/// By a launch of the kernel with two threads.
Printed printed(const std::string& body) {
  const auto f = kernel_of("__global__ void f() { " + body + " }");
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  f({.block = {2}});
  std::string output = testing::internal::GetCapturedStdout();
  return {std::move(output), testing::internal::GetCapturedStderr()};
}

TEST(KernelOutput, IsThatOfPrintf) {
  const Printed all = printed(
      "const int i = threadIdx.x; printf(\"%d %s %.2f|\", i, \"text\", 0.25 * i); "
      "printf(\"x\"); printf(\"line\\n\"); puts(\"put\"); putchar('c');");
  EXPECT_EQ(all.output, "0 text 0.00|xline\nput\nc1 text 0.25|xline\nput\nc");
  EXPECT_EQ(all.errors, "");
}

TEST(KernelOutput, OfALaunchIsLimited) {
  constexpr const char* kFlood = "for (int i = 0; i < 100000; ++i) printf(\"0123456789\\n\");";
  const Printed flood = printed(kFlood);
  EXPECT_EQ(flood.output.size(), (1 << 20) / 11 * 11);  // whole texts
  EXPECT_EQ(flood.errors,
            "[f] has printed 1048575 bytes; the rest of what it prints is dropped: a launch may "
            "print 1048576 bytes, CUDAMAT_KERNEL_OUTPUT says how many\n");
  const Variable more("CUDAMAT_KERNEL_OUTPUT", "2200000");
  const Printed all = printed(kFlood);
  EXPECT_EQ(all.output.size(), 2'200'000);
  EXPECT_EQ(all.errors, "");
}

TEST(KernelOutput, HasNoGapsWhereItIsDropped) {
  const Variable few("CUDAMAT_KERNEL_OUTPUT", "4");
  EXPECT_EQ(printed("printf(\"abc\"); printf(\"defg\"); printf(\"h\");").output, "abc");
  const Variable none("CUDAMAT_KERNEL_OUTPUT", "0");
  EXPECT_EQ(printed("printf(\"abc\");").output, "");
}

TEST(KernelOutput, LimitsAreNumbers) {
  const auto f = kernel_of("__global__ void f() { printf(\"x\"); }");
  for (const char* const wrong : {"-1", "1 MB", "1e6", "99999999999999999999"}) {
    const Variable limit("CUDAMAT_KERNEL_OUTPUT", wrong);
    EXPECT_EQ(
        refusal<cudamat::CUDAMatException>([&] { f({}); }),
        std::string("[f] CUDAMAT_KERNEL_OUTPUT must be a number of bytes; got '") + wrong + "'");
  }
}

TEST(KernelOutput, ComesBeforeAFault) {
  testing::internal::CaptureStdout();
  EXPECT_THAT(fault([] { kernel_of("__global__ void f() { printf(\"before\"); abort(); }")({}); }),
              HasSubstr("calls abort()"));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "before");
}

}  // namespace
}  // namespace kernels_test
