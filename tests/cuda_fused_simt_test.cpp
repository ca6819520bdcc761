// What the CUDA engine does for a fused statement, by what the execution on the CPU counts:
// kernels, compilations; and what it does where these fail.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <gmock/gmock.h>
#include <set>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "cudamat/error.hpp"
#include "cudamat/simt/simt.hpp"
#include "tests/fused_check.hpp"

namespace {

using namespace fused_test;

/// Before anything reads it: nothing is left on the disk, or found there, and the device holds few
/// blocks.
const int environment =
    setenv("CUDAMAT_CACHE", "off", 0) + setenv("SIMT_MULTIPROCESSORS", "1x128", 0);

// ---- what runs ----

Sample layer() {
  return fused_test::fixed()[0];
}

/// Kernels that a call of the body launches, the second time.
std::int64_t launches_of(const Sample& sample, const Placing& placing) {
  Operands<float> operands(sample, placing, false, 1);
  Engine<float>::fused(operands.call());
  Engine<float>::synchronize();
  const std::int64_t before = simt::launches();
  Engine<float>::fused(operands.call());
  Engine<float>::synchronize();
  return simt::launches() - before;
}

TEST(CudaFusedRuns, OneKernelForAllSteps) {
  for (const auto& name : {"layer", "gradient", "momentum", "choice", "spreads", "sample",
                           "dropout", "softmax", "error", "extremes"}) {
    const auto samples = fused_test::fixed();
    EXPECT_EQ(launches_of(*std::ranges::find(samples, name, &Sample::name), kFlat), 1) << name;
  }
}

TEST(CudaFusedRuns, CompilesOnceForAllNumbersAndExtents) {
  Maker make;
  make.store(make.step(Op::mult, {make.input(Spread::Whole), make.number()}));
  const Sample sample{"scaled", make.body()};
  const std::int64_t before = simt::compilations();
  for (const Index rows : {64, 65, 1000})
    expect_same<float>(sample, {"", rows, 3, 0, 0, 0}, false, unsigned(rows));
  EXPECT_EQ(simt::compilations() - before, 1);
  expect_same<float>(sample, {"", 64, 3, 1, 0, 0}, false);
  EXPECT_EQ(simt::compilations() - before, 2);
}

TEST(CudaFusedRuns, ThreadsCompileABodyOnce) {
  Maker make;
  const auto x = make.input(Spread::Whole);
  make.store(make.step(Op::add, {x, make.step(Op::mult, {x, x})}));
  const Sample sample{"of threads", make.body()};
  const std::int64_t before = simt::compilations();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      Operands<float> operands(sample, kFlat, false, 1);
      Engine<float>::fused(operands.call());
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(simt::compilations() - before, 1);
  expect_same<float>(sample, kFlat, false);
}

TEST(CudaFusedRuns, BodiesBeyondTheLimitsRunOneByOne) {
  Maker make;
  auto x = make.input(Spread::Whole);
  for (int i = 0; i < 200; ++i) x = make.step(Op::add, {x, make.input(Spread::One)});
  make.store(x);
  const Sample sample{"long", make.body()};
  const std::int64_t before = simt::compilations();
  expect_same<float>(sample, {"", 3, 2, 0, 0, 0}, false);
  EXPECT_EQ(simt::compilations(), before);
}

/// Large enough that every loop of a kernel takes several turns.
TEST(CudaFusedRuns, EveryLoopTurns) {
  ASSERT_EQ(environment, 0);
  expect_same<float>(fused_test::fixed()[1], {"", 4500, 1, 0, 0, 0}, false);
  expect_same<float>(layer(), {"", 1501, 2, 0, 0, 0}, false);
  std::set<std::string> turned;  // each once, however often its kernel was compiled
  for (const std::string& loop : simt::loops_that_turned())
    if (loop.starts_with("fused.cuh:")) turned.insert(loop);
  EXPECT_THAT(turned, testing::SizeIs(2));
}

// ---- faults ----

/// A body that no other test has.
Sample fresh(int number) {
  Maker make;
  auto x = make.step(Op::fill_with_randn);
  for (int i = 0; i <= number; ++i) x = make.step(Op::add, {x, make.number()});
  make.store(x).reduce(Op::sum, x, 0);
  return {"fresh", make.body()};
}

/// A call that fails makes the statement fail, or the kernel be done without; no result is wrong.
TEST(CudaFusedFaults, EveryCallMayFail) {
  expect_same<float>(fresh(0), kFlat, false);  // all else is there
  int failed = 0;
  for (int n = 1;; ++n) {
    ASSERT_LT(n, 1000) << "nothing is compiled, and so there are more calls for each step";
    const Sample sample = fresh(n);
    Operands<float> operands(sample, kFlat, false, 1);
    const std::int64_t before = simt::calls();
    simt::fail_call(n);
    try {
      Engine<float>::fused(operands.call());
    } catch (const cudamat::CUDAMatException&) {
      ++failed;
    }
    const bool reached = simt::calls() - before >= n;
    simt::fail_call(0);
    if (!reached) break;
    expect_same<float>(sample, kFlat, false);
    // A kernel that could not be loaded is there when it is asked for again.
    const std::int64_t launches = simt::launches();
    Engine<float>::fused(Operands<float>(sample, kFlat, false, 1).call());
    EXPECT_LE(simt::launches() - launches, 4) << "after call " << n;
  }
  EXPECT_GT(failed, 1);  // of the calls without which there is no result
}

// ---- where nothing can be compiled ----

class CudaFusedWithout : public testing::Test {
 protected:
  CudaFusedWithout() { testing::FLAGS_gtest_death_test_style = "threadsafe"; }

  /// Runs bodies twice and ends, with 0 where their results are right and nothing was compiled.
  [[noreturn]] static void run() {
    const auto samples = fused_test::fixed();
    for (int turn = 0; turn < 2; ++turn)
      for (std::size_t s = 0; s < 3; ++s) expect_same<float>(samples[s], kFlat, false);
    std::exit(!HasFailure() && simt::compilations() == 0 ? 0 : 1);
  }
};

TEST_F(CudaFusedWithout, ItIsSaidOnceThatACompilerIsMissing) {
  EXPECT_EXIT(
      {
        simt::set_compiler("");
        run();
      },
      testing::ExitedWithCode(0),
      "^cudamat: fused statements run one operation at a time: "
      "\\[nvrtc\\] nvrtcVersion: there is no compiler[^\n]*\n$");
}

TEST_F(CudaFusedWithout, ItIsSaidOnceThatACompilationFailed) {
  EXPECT_EXIT(
      {
        simt::set_compiler("false");
        run();
      },
      testing::ExitedWithCode(0),
      "^cudamat: fused statements run one operation at a time: "
      "\\[nvrtc\\] NVRTC_ERROR_COMPILATION\n*$");
}

TEST_F(CudaFusedWithout, CodeThatCannotBeLoadedIsNotUsed) {
  EXPECT_EXIT(
      {
        simt::set_compiler(
            "zeros() { while [ $1 != -o ]; do shift; done; head -c 100 /dev/zero > $2; }; zeros");
        const auto samples = fused_test::fixed();
        expect_same<float>(samples[0], kFlat, false);
        std::exit(HasFailure() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "^cudamat: fused statements [^\n]*cudaLibraryLoadData[^\n]*\n$");
}

TEST_F(CudaFusedWithout, CompilationCanBeTurnedOff) {
  EXPECT_EXIT(
      {
        setenv("CUDAMAT_COMPILE", "off", 1);
        run();
      },
      testing::ExitedWithCode(0), "^$");
}

/// The code of one process serves the next; damaged, it is made again.
TEST_F(CudaFusedWithout, TheCacheSparesCompilation) {
  const char* const inherited = std::getenv("FUSED_CACHE");  // in the processes that exit
  const std::string folder =
      inherited != nullptr ? inherited : testing::TempDir() + "fused-" + std::to_string(getpid());
  setenv("FUSED_CACHE", folder.c_str(), 1);
  const auto run_with = [&](std::int64_t compilations) {
    setenv("CUDAMAT_CACHE", "on", 1);
    setenv("CUDAMAT_CACHE_DIR", folder.c_str(), 1);
    expect_same<double>(layer(), kFlat, false);
    std::exit(!HasFailure() && simt::compilations() == compilations ? 0 : 1);
  };
  EXPECT_EXIT(run_with(1), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(run_with(0), testing::ExitedWithCode(0), "");
  for (const auto& file : std::filesystem::directory_iterator(folder))
    std::filesystem::resize_file(file, 5000);
  EXPECT_EXIT(run_with(1), testing::ExitedWithCode(0), "");
  std::filesystem::remove_all(folder);
}

}  // namespace
