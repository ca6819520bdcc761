// Kernels on the CPU that a signal ends: Ctrl-C, and what no check of an access sees.
#include <csignal>
#include <pthread.h>
#include <thread>

#include "cudamat/kernels/interrupt.hpp"
#include "tests/kernels_fixture.hpp"

namespace kernels_test {
namespace {

using cudamat::kernels::InterruptScope;
using cudamat::kernels::KernelInterrupted;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

volatile std::sig_atomic_t handled = 0;

/// SIGINT for this thread until it is told that the kernel has ended.
class Interrupting {
 public:
  Interrupting()
      : thread_([this, target = pthread_self()] {
          do {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            pthread_kill(target, SIGINT);
          } while (!over_);
        }) {}
  ~Interrupting() {
    over_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

class Interrupt : public testing::TestWithParam<const char*> {
 protected:
  Interrupt() {
    previous_ = std::signal(SIGINT, [](int) { handled = handled + 1; });
  }
  ~Interrupt() override { std::signal(SIGINT, previous_); }

 private:
  void (*previous_)(int);
};

TEST_P(Interrupt, EndsAKernelThatNeverEnds) {
  const auto spin =
      kernel_of(std::string("__global__ void spin(int* x) {\n  ") + GetParam() + "\n}");
  std::vector<int> x(4);
  for (int turn = 0; turn < 2; ++turn) {
    handled = 0;
    const std::string text = refusal<KernelInterrupted>([&] {
      const InterruptScope scope;
      const Interrupting signals;
      spin({.block = {4}}, InOut(x));
    });
    EXPECT_THAT(text, AllOf(StartsWith("[spin] interrupted\n"), HasSubstr(" runs here"),
                            HasSubstr("launched with block (4,1,1)")));
    const bool has_line = std::string_view(GetParam()).find("__") == std::string_view::npos;
    if (has_line) {
      EXPECT_THAT(text, HasSubstr("\nkernel.cu:2: thread ("));
    }
    EXPECT_GE(handled, 1);
  }
  EXPECT_THAT(x, testing::Each(0));
}
INSTANTIATE_TEST_SUITE_P(
    Loops, Interrupt,
    testing::Values("while (x[0] == 0);", "for (;;) __syncthreads();", "for (;;) __syncwarp(15);",
                    "while (true) asm volatile(\"\");", "while (true) printf(\"\");",
                    "for (;;) puts(\"\");", "while (true) free(malloc(8));",
                    "for (;;) { int* p = new int; *p = 1; delete p; }",
                    "double y = *x; for (;;) asm volatile(\"\" : : \"x\"(sin(y)));",
                    "for (;;) __threadfence();"));

TEST(InterruptScope, LeavesTheSignalToWhoeverHasIt) {
  const auto previous = std::signal(SIGINT, SIG_IGN);
  {
    const InterruptScope scope;
    (void)std::raise(SIGINT);
  }
  EXPECT_EQ(std::signal(SIGINT, [](int) { handled = handled + 1; }), SIG_IGN);
  handled = 0;
  {
    const InterruptScope scope;
    (void)std::raise(SIGINT);  // nothing runs
  }
  EXPECT_EQ(handled, 1);
  (void)std::raise(SIGINT);
  EXPECT_EQ(handled, 2);
  std::signal(SIGINT, previous);
}

TEST(WrongKernel, DividesByZero) {
  const auto divide = kernel_of(R"(__global__ void divide(int* x, int by) {
  x[threadIdx.x] = 7;
  x[threadIdx.x] %= by - (int)threadIdx.x;
})");
  std::vector<int> x(8);
  for (int turn = 0; turn < 2; ++turn)
    EXPECT_EQ(
        fault([&] { divide({.block = {8}}, Out(x), 3); }),
        "[divide] kernel.cu:3: thread (3,0,0) of block (0,0,0) divides a whole number by zero\n"
        "    3 |   x[threadIdx.x] %= by - (int)threadIdx.x;\n"
        "launched with block (8,1,1), grid (1,1,1)");
}

/// Of a kernel that does this, twice.
void expect_fault(const std::string& statement, const std::string& says) {
  const auto kernel = kernel_of(
      "#include <exception>\n#line 1\nextern \"C\" void _exit(int); __global__ void end(int* x) "
      "{ " +
      statement + " }");
  std::vector<int> x(1);
  for (int turn = 0; turn < 2; ++turn)
    EXPECT_THAT(fault([&] { kernel({}, InOut(x)); }), HasSubstr(says)) << statement;
}

TEST(WrongKernel, EndsTheProcessNoMoreThanAnyFault) {
  const auto expect = [](const std::string& statement, const std::string& says) {
    expect_fault(statement, "kernel.cu:1: thread (0,0,0) of block (0,0,0) " + says);
  };
  for (const char* const call : {"abort", "exit", "_Exit", "quick_exit"})
    expect(std::string(call) + (call == std::string("abort") ? "();" : "(0);"),
           std::string("calls ") + call + "()");
  expect("_exit(1);", "calls _exit()");
  expect("__builtin_trap();", "comes to a trap");
  expect("throw 1;", "throws an exception");
  expect("free(x + 1);", "frees an address that malloc() and new have not returned");
  expect("void* p = malloc(8); free(p); free(p);", "frees an address");
  expect("int* p = new int[2]; delete[] p; delete[] p;", "frees an address");
}

TEST(WrongKernel, EndsWhereAFunctionOfTheHostEndsTheProcess) {
  expect_fault("std::terminate();", "thread (0,0,0) of block (0,0,0) calls abort()");
  expect_fault("printf(\"%s\", (const char*)16);", "reads address 0x10");
}

TEST(WrongKernel, HandsAWildAddressToAFunctionOfTheHost) {
  const auto length = kernel_of(
      R"(__global__ void length(long long* x, long long at) { x[0] = strlen((const char*)at); })");
  std::vector<long long> x(1);
  for (int turn = 0; turn < 2; ++turn)
    EXPECT_THAT(
        fault([&] { length({}, Out(x), 4096); }),
        HasSubstr("thread (0,0,0) of block (0,0,0) reads address 0x1000, which is in no array"));
}

}  // namespace
}  // namespace kernels_test
