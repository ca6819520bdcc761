// What kernels on the CPU may print, and what the compiler of kernels may do.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <pthread.h>
#include <thread>

#include "cudamat/code/cache.hpp"
#include "cudamat/kernels/host_compiler.hpp"
#include "cudamat/kernels/interrupt.hpp"
#include "tests/kernels_fixture.hpp"
#include "tests/python.hpp"
#include "tests/variable.hpp"

namespace kernels_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
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

// ---- the compiler ----

/// A compiler that is a script, in a folder of its own.
class KernelCompiler : public testing::Test {
 protected:
  /// Uses it; it says its version as the system's does.
  void use(const std::string& script) {
    const std::filesystem::path path = folder_ / "compiler";
    std::ofstream(folder_ / "calls");
    std::ofstream(path) << "#!/bin/sh\ncd " << folder_.path().string()
                        << " && echo >> calls && cd - > /dev/null\n"
                        << "case \"$*\" in *--version) echo ours; exit;; esac\n"
                        << script << "\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    compiler_.emplace("CXX", path.string());
  }
  [[nodiscard]] std::size_t calls() const { return tests::read_file(folder_ / "calls").size(); }
  /// What is said of a source that nobody has compiled before.
  [[nodiscard]] std::string refused() const {
    return refusal<cudamat::CUDAMatException>(
        [&] { const SourceModule module("__global__ void f() {} // " + folder_.path().string()); });
  }

  const tests::TemporaryFolder folder_;

 private:
  std::optional<Variable> compiler_;
};

TEST_F(KernelCompiler, MayNotPrintWithoutEnd) {
  use("while :; do echo a line of a flood; done >&2");
  const std::string text = refused();
  EXPECT_THAT(text, StartsWith("[SourceModule] the compiler was ended: it printed more than 65536 "
                               "bytes:\na line of a flood\n"));
  EXPECT_LT(text.size(), 66'000);
}

TEST_F(KernelCompiler, MayLeaveSomethingRunning) {
  use("sleep 1000 & echo $! >> " + (folder_ / "children").string() + "; exec c++ \"$@\"");
  EXPECT_NO_THROW(SourceModule("__global__ void f() {} // " + folder_.path().string()));
  std::ifstream children(folder_ / "children");
  for (pid_t child = 0; children >> child;) EXPECT_EQ(kill(child, SIGKILL), 0) << "it runs";
}

TEST_F(KernelCompiler, IsEndedByAnInterrupt) {
  use("sleep 1000");
  void (*const before)(int) = std::signal(SIGINT, [](int) {});
  {
    const cudamat::kernels::InterruptScope scope;
    std::thread interrupting([self = pthread_self(), this] {
      while (calls() < 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      pthread_kill(self, SIGINT);
    });
    EXPECT_EQ(refusal<cudamat::kernels::KernelInterrupted>([&] {
                const SourceModule module("__global__ void f() {} // " + folder_.path().string());
              }),
              "[SourceModule] the compiler was ended: it was interrupted");
    interrupting.join();
  }
  std::signal(SIGINT, before);
}

/// The newest file of the cache: what was compiled last.
std::filesystem::path newest(const std::filesystem::path& folder) {
  std::filesystem::path found;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (found.empty() || entry.last_write_time() > std::filesystem::last_write_time(found))
      found = entry.path();
  return found;
}

TEST_F(KernelCompiler, IsAskedAgainWhereOthersMayHaveWrittenWhatItMade) {
  const char* const cache = std::getenv("CUDAMAT_CACHE_DIR");
  if (cache == nullptr) GTEST_SKIP() << "ctest says where compiled code is: CUDAMAT_CACHE_DIR";
  use("exec c++ \"$@\"");
  const std::string source =
      "#include \"simt_user.h\"\n__global__ void f() {}\n#include \"simt_user_end.h\"\n// " +
      folder_.path().string();
  const auto compile = [&] {
    const std::size_t before = calls();
    EXPECT_EQ(cudamat::kernels::compile_for_host(source, source, "kernel.cu", {}).failure, "");
    return calls() - before;
  };
  EXPECT_EQ(compile(), 3);  // its version, an object, a library
  EXPECT_EQ(compile(), 0);
  const std::filesystem::path file = newest(cache);
  std::filesystem::permissions(file, std::filesystem::perms::group_write,
                               std::filesystem::perm_options::add);
  EXPECT_EQ(compile(), 2);
  EXPECT_EQ(compile(), 0) << "it is written anew";
  std::filesystem::resize_file(newest(cache), cudamat::code::Cache::kMost + 1);
  EXPECT_EQ(compile(), 2);
}

}  // namespace
}  // namespace kernels_test
