// The plan is kept: one block a run, of the size that the plan says, and no other allocation. The
// engines here count for themselves what they are asked for.
#include <gmock/gmock.h>
#include <limits>

#include "rewriter/listing/print_text.hpp"
#include "rewriter/passes/pipeline.hpp"
#include "rewriter/plan/memory_plan.hpp"
#include "rewriter/run/runner.hpp"

#include "pass_programs.hpp"

namespace {

using namespace pass_programs;
using namespace rewriter;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// npmat, which counts and can fail.
struct Counting : npmat::Engine<double> {
  static inline std::int64_t in_use = 0;
  static inline std::int64_t most = 0;
  static inline int calls = 0;
  static inline bool fails = false;

  static double* allocate(Index n) {
    ++calls;
    if (fails) throw cudamat::OutOfMemory(fmt::format("[empty] cannot allocate {} numbers", n));
    double* const data = npmat::Engine<double>::allocate(n);
    most = std::max(most, in_use += n * 8);
    return data;
  }
  static void deallocate(double* data, Index n) noexcept {
    in_use -= n * 8;
    npmat::Engine<double>::deallocate(data, n);
  }
  static void start_anew() {
    ASSERT_EQ(in_use, 0);
    most = 0;
    calls = 0;
  }
};

/// One whose element-wise calls make a matrix.
struct Greedy : npmat::Engine<double> {
  static void map(const cudamat::MapCall<double>& call) {
    const auto matrix = cudamat::Matrix<Greedy>::empty({call.rows, call.cols});
    npmat::Engine<double>::map(call);
  }
};

using Matrix = cudamat::Matrix<Counting>;
using Inputs = std::map<std::string, npmat::Array<double>>;

Inputs data_of(const StatementList& list) {
  Inputs inputs;
  for (const Binding& input : list.inputs) {
    npmat::Array<double> array{{input.dims.begin(), input.dims.end()}, {}};
    const auto n = static_cast<std::size_t>(npmat::element_count(array.shape));
    for (std::size_t i = 0; i < n; ++i) array.data.push_back(static_cast<double>(i % 7) / 8);
    inputs.emplace(input.name, std::move(array));
  }
  return inputs;
}

/// Runs it; the plan, the engine's own account and the result's must be the same.
void expect_plan_is_kept(const StatementList& list, const std::string& what) {
  const MemoryPlan plan = memory_plan(list, sizeof(double));
  Counting::start_anew();
  RunOptions options;
  options.print = [](const std::string&) {};
  options.before_statement = [&](std::size_t i) {
    ASSERT_EQ(Counting::calls, 1) << "before statement " << i << " of " << what;
    ASSERT_EQ(Counting::in_use, plan.arena.bytes);
  };
  const auto result = run<Matrix>(list, data_of(list), options);
  EXPECT_EQ(Counting::calls, 1) << what;
  EXPECT_EQ(Counting::most, plan.arena.bytes) << what;
  EXPECT_EQ(Counting::in_use, 0) << what;
  EXPECT_EQ(result.arena_bytes, plan.arena.bytes) << what;
  EXPECT_EQ(result.peak_bytes, plan.peak) << what;
}

/// What is in use at once lies apart, in the block, and begins where it must.
void expect_sound(const StatementList& list, const std::string& what) {
  const MemoryPlan plan = memory_plan(list, sizeof(double));
  EXPECT_LE(plan.peak, plan.arena.least) << what;
  EXPECT_LE(plan.arena.least, plan.arena.bytes) << what;
  for (const MemoryPlan::Buffer& a : plan.buffers) {
    EXPECT_EQ(a.offset % 64, 0) << what;
    EXPECT_GE(a.offset, 0) << what;
    EXPECT_LE(a.offset + a.bytes, plan.arena.bytes) << what;
    for (const MemoryPlan::Buffer& b : plan.buffers)
      if (&a != &b && a.made < b.freed && b.made < a.freed && a.bytes > 0 && b.bytes > 0) {
        EXPECT_TRUE(a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset)
            << what << ": " << a.offset << " and " << b.offset;
      }
  }
}

void expect_all(const StatementList& literal, const std::string& what) {
  for (const char* passes : {"none", "default", "all", "hoist", "hoist,reuse"}) {
    const StatementList list = run_passes(literal, parse_pass_names(passes)).list;
    expect_sound(list, what + " " + passes);
    expect_plan_is_kept(list, what + " " + passes);
  }
}

TEST(Arena, HoldsThePlanOnEveryProgramOfTheTests) {
  std::size_t loops = 0;
  for (const std::string& file : program_files()) {
    const StatementList list = lower(read(Source::from_file(file)));
    loops += list.loops.size();
    expect_all(list, file);
  }
  EXPECT_GT(loops, 5U);
}

TEST(Arena, HoldsThePlanOnRandomPrograms) {
  for (unsigned seed = 0; seed < 60; ++seed)
    expect_all(lowered(random_program(seed)), fmt::format("random program {}", seed));
}

TEST(Arena, HoldsThePlanInNestedLoops) {
  expect_all(lowered("import numpy as np\nX: (5, 7)\ny = np.zeros((5, 7))\n"
                     "for i in range(3):\n"
                     "    t = np.exp(X) * np.eye(5)[i:i+1].sum()\n"
                     "    for j in range(4):\n"
                     "        s = t @ X.T\n"
                     "        y = y + s @ X + np.random.rand(5, 7)\n"
                     "    print('sum', y.sum())\n"),
             "nested loops");
}

TEST(Arena, HoldsThePlanOfThousandsOfMatricesInFewSteps) {
  const StatementList list = lowered(
      "import numpy as np\nx: (40,)\nkept = []\nfor k in range(2000):\n"
      "    t = np.exp(x[:k % 7 + 1]).sum() * x[k % 3:]\n    if k % 5 == 0:\n"
      "        kept.append(t)\n");
  ASSERT_GT(memory_plan(list, 8).buffers.size(), 5000);
  expect_sound(list, "a long list");
}

TEST(Arena, NothingAndEmptyMatrices) {
  expect_plan_is_kept(StatementList{}, "nothing");
  expect_all(lowered("X: (3, 0)\ny = X.sum(axis=1)\nz = X * 2\nw = X.T @ (X + 1)\n"), "empties");
  EXPECT_EQ(plan_arena(lowered("X: (3, 0)\nz = X * 2\n"), 8).bytes, 0);
}

// ---- placements counted by hand

TEST(Arena, TakesTurnsInOnePlace) {
  // x and y stay; t1 is gone when t2's successor comes: x | y | t1 | t2, with t3 in t1's place.
  const StatementList list =
      lowered("import numpy as np\nx: (8, 8)\ny = np.exp(np.sin(np.exp(np.sin(x))))\n", {"y"});
  const Arena arena = plan_arena(list, 8);
  EXPECT_EQ(arena.bytes, 3 * 512);
  EXPECT_EQ(arena.least, 3 * 512);
  EXPECT_EQ(memory_plan(list, 8).peak, 3 * 512);
}

TEST(Arena, CountsTheAlignment) {
  // Both are in use; the first fills up its 64 bytes, the last does not.
  const MemoryPlan plan =
      memory_plan(lowered("import numpy as np\nx: (3,)\ny = np.exp(x)\n", {"y"}), 8);
  EXPECT_EQ(plan.peak, 48);
  EXPECT_EQ(plan.arena.bytes, 64 + 24);
  EXPECT_EQ(plan.arena.least, 64 + 24);
}

TEST(Arena, FillsAGapWithWhatFits) {
  // b (16 lines of 64 bytes) goes; c (8) and d (8) come to lie in its place.
  const StatementList list = lowered(
      "import numpy as np\na = np.ones((8, 8))\nb = np.ones((8, 16))\na += b.sum()\n"
      "c = np.exp(a)\nd = np.sin(c)\n",
      {"a", "c", "d"});
  EXPECT_EQ(memory_plan(list, 8).peak, plan_arena(list, 8).least);
  EXPECT_EQ(plan_arena(list, 8).bytes, plan_arena(list, 8).least);
}

TEST(Arena, PrintsWhatItIsMadeOf) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const StatementList list = lowered(random_program(seed));
    const MemoryPlan plan = memory_plan(list, 8);
    const std::string text = print_memory_plan(list, plan);
    const auto sizes = [&](Index n) { return print::grouped(n) + " bytes"; };
    EXPECT_THAT(text, HasSubstr("# arena " + sizes(plan.arena.bytes)));
    if (const Index alignment = plan.arena.least - plan.peak; alignment > 0) {
      EXPECT_THAT(text, HasSubstr("; " + sizes(alignment) + " so that each begins"));
    }
    EXPECT_EQ(text.find("in gaps") != std::string::npos, plan.arena.bytes > plan.arena.least);
    EXPECT_EQ(text.find("and no more") != std::string::npos, plan.arena.bytes == plan.peak);
  }
}

// ---- failures

TEST(Arena, ThatCannotBeHadIsAnOutOfMemoryAtThePeak) {
  const StatementList list =
      lowered("import numpy as np\nx: (10, 10)\na = np.ones((10, 20))\nb = np.exp(x)\nc = b * 2\n");
  Counting::start_anew();
  Counting::fails = true;
  EXPECT_THAT(
      [&] { run<Matrix>(list, data_of(list)); },
      ThrowsMessage<cudamat::OutOfMemory>(
          AllOf(HasSubstr("test.py:5:"), HasSubstr("out of memory at c = empty(10x10), 800 bytes"),
                HasSubstr("[empty] cannot allocate"), HasSubstr("in use: 3,200 bytes"),
                HasSubstr("a 10x20, 1,600 bytes (1.6 KiB), test.py:3: a = np.ones((10, 20))"),
                HasSubstr("x 10x10, 800 bytes"))));
  Counting::fails = false;
  EXPECT_EQ(Counting::in_use, 0);
  expect_plan_is_kept(list, "after the failure");
}

TEST(Arena, ThatCannotBeHadForInputsAloneNamesThem) {
  const StatementList list = lowered("x: (10, 10)\ny: (20, 20)\n");
  Counting::start_anew();
  Counting::fails = true;
  EXPECT_THAT([&] { run<Matrix>(list, data_of(list)); },
              ThrowsMessage<cudamat::OutOfMemory>(AllOf(
                  HasSubstr("out of memory at input y 20x20, 3,200 bytes"), HasSubstr("x 10x10"))));
  EXPECT_THROW(run<Matrix>(StatementList{}, {}), cudamat::OutOfMemory);
  Counting::fails = false;
}

TEST(Arena, ThatExceedsTheLimitIsNotTaken) {
  const StatementList list = lowered("import numpy as np\nx: (10, 10)\ny = np.exp(x)\n");
  Counting::start_anew();
  RunOptions options;
  options.memory_limit = 1631;  // x takes 832 bytes, y 800
  EXPECT_THAT([&] { run<Matrix>(list, data_of(list), options); },
              ThrowsMessage<cudamat::OutOfMemory>(
                  AllOf(HasSubstr("needs 1,632 bytes"), HasSubstr("allowed: 1,631 bytes"))));
  EXPECT_EQ(Counting::calls, 0);
  options.memory_limit = 1632;
  EXPECT_EQ(run<Matrix>(list, data_of(list), options).arena_bytes, 1632);
}

TEST(Arena, SizesThatNoMachineHasDoNotOverflow) {
  const StatementList list =
      lowered("import numpy as np\na = np.ones((2**31, 2**29))\nb = np.ones((2**31, 2**30))\n");
  for (const int size : {4, 8, 16}) {
    const MemoryPlan plan = memory_plan(list, size);
    EXPECT_GE(plan.arena.bytes, std::numeric_limits<Index>::max() / 2);
    EXPECT_GE(plan.peak, std::numeric_limits<Index>::max() / 2);
    EXPECT_THAT(print_memory_plan(list, plan), HasSubstr("# arena "));
  }
  EXPECT_THROW(run<npmat::CUDAMatrix<double>>(list, {}), cudamat::OutOfMemory);
  EXPECT_THROW(run<npmat::CUDAMatrix<long double>>(list, {}), cudamat::OutOfMemory);
}

TEST(Arena, ACallThatAllocatesIsAnError) {
  const StatementList list =
      lowered("import numpy as np\nx: (2, 2)\nfor i in range(3):\n    x = np.exp(x)\n");
  EXPECT_THAT([&] { run<cudamat::Matrix<Greedy>>(list, data_of(list)); },
              ThrowsMessage<cudamat::InternalError>(
                  AllOf(HasSubstr("exp into"), HasSubstr("took memory of its own"))));
}

TEST(Arena, NoMatrixMayBeTouchedOutsideOfItsLife) {
#if defined(__SANITIZE_ADDRESS__)
  const Arena arena{.bytes = 88, .least = 88, .offsets = {0, 64}};
  detail::ArenaBlock<npmat::CUDAMatrix<double>> block(arena);
  volatile double* const x = block.make(0, {3, 1}).data();
  x[2] = 1;
  EXPECT_DEATH(x[3] = 1, "use-after-poison");  // the gap
  EXPECT_DEATH(x[8] = 1, "use-after-poison");  // not made yet
  volatile double* const y = block.make(1, {3, 1}).data();
  EXPECT_EQ(y, x + 8);
  y[0] = 1;
  block.free(1, {3, 1});
  EXPECT_DEATH(y[0] = 1, "use-after-poison");
#else
  GTEST_SKIP() << "only AddressSanitizer sees it";
#endif
}

TEST(Arena, CodeThatIsCalledFromARunMayAllocate) {
  const StatementList list = lowered(
      "import numpy as np\nx = np.zeros(2)\nfor i in range(3):\n    x += i\n    print(x.sum())\n");
  std::string printed;
  const auto result = run<npmat::CUDAMatrix<double>>(
      list, {},
      {.before_statement =
           [](std::size_t) {
             (void)npmat::CUDAMatrix<double>::zeros({3, 3}).allocations();
           },
       .print =
           [&](const std::string& text) {
             const auto matrix = npmat::CUDAMatrix<double>::zeros({3, 3});
             printed += text;
           }});
  EXPECT_EQ(printed, "0.0\n2.0\n6.0\n");
}

}  // namespace
