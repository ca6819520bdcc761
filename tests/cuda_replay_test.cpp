// Replayed runs of statement lists have the bits of runs without, random numbers included; what is
// replayed and what is not is said; what a replayed iteration needs is there before it.
#include <cstring>
#include <functional>
#include <gmock/gmock.h>
#include <thread>

#include "cudamat/cuda/graph.hpp"

#include "cuda_lists.hpp"

namespace {

using namespace cuda_lists;
using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using M = cudamat::CUDAMatrix<float>;

// Programs with loops of every kind; what they compute, and what a loop may not do in a graph.
constexpr const char* kPrograms[] = {
    kDescent,
    // Random numbers.
    "V: (16, 32)\nW: (16, 8)\n"
    "for i in range(6):\n"
    "    h = 1 / (1 + np.exp(-(W.T @ V)))\n"
    "    s = np.random.rand(8, 32) < h\n"
    "    n = np.random.randn(16, 32)\n"
    "    V = np.tanh(W @ s + 0.1 * n)\n"
    "    W = W + 0.01 * (V @ s.T)\n",
    // Whole numbers, and a loop that they end.
    "A: (8, 8)\n"
    "x = np.ones((8, 1))\n"
    "k = 0.0\n"
    "for i in range(20):\n"
    "    y = A @ x + 0.5 * x\n"
    "    x = y / np.sqrt(np.sum(y * y))\n"
    "    if np.max(np.abs(x)) < 0.1:\n"
    "        break\n",
    "A: (6, 6)\nx: (6, 6)\n"
    "while np.sum(x * x) > 0.01:\n"
    "    y = np.abs(A @ x) + 1\n"
    "    x = 0.5 * x / (y + 1)\n"
    "    x = x * 0.9 + 0.0001\n",
    // Numbers, shapes and rows that depend on loops.
    "A: (12, 12)\n"
    "s = np.zeros((12, 12))\n"
    "for i in range(5):\n"
    "    t = np.exp(A) * i\n"
    "    t = t + A.T\n"
    "    s = s + t\n"
    "    s[i:i+2] = A[i+1:i+3] * 2\n",
    // Matrices that change places.
    "u: (16, 16)\n"
    "v = np.zeros((16, 16))\n"
    "for i in range(7):\n"
    "    v[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])\n"
    "    u, v = v, u\n",
    // Sums, norms over axes, sorts and scans in the loop.
    "A: (16, 24)\n"
    "for i in range(4):\n"
    "    m = A - A.mean(axis=0)\n"
    "    A = np.cumsum(m / (1 + np.abs(m).max(axis=1, keepdims=True)), axis=1)\n"
    "    A = np.sort(A, axis=0) + A.sum(axis=1, keepdims=True) * 0.01\n",
    // Numbers, which the host computes; of two of them nothing else is made than a number.
    "A: (8, 8)\n"
    "t = 1.0\n"
    "for i in range(9):\n"
    "    B = np.exp(A) * 0.5\n"
    "    s = t * 0.3\n"
    "    t = t * 0.999 + s * 1e-6\n"
    "    A = np.tanh(B) + A.T\n"
    "    A = A * (1 - t)\n"
    "    A = np.tanh(A) * 0.5\n"
    "r = A / (1 - t)\n",
};

/// Runs the program with graphs and without, and compares all bits.
void expect_same(const char* program, const char* passes) {
  const StatementList list = list_of(program, passes);
  const auto expected = run<M>(list, inputs_of(list), {.seed = 3, .replay = false});
  EXPECT_THAT(expected.replay, IsEmpty());
  const auto replayed = run<M>(list, inputs_of(list), {.seed = 3});
  EXPECT_EQ(replayed.peak_bytes, expected.peak_bytes);
  ASSERT_FALSE(expected.outputs.empty());
  for (const auto& [name, array] : expected.outputs) {
    const auto& other = replayed.outputs.at(name).data;
    ASSERT_EQ(other.size(), array.data.size());
    EXPECT_EQ(std::memcmp(other.data(), array.data.data(), other.size() * sizeof(float)), 0)
        << passes << ": " << name;
  }
  EXPECT_THAT(texts(replayed.replay, false), Contains(HasSubstr("are one graph")))
      << passes << "\n"
      << testing::PrintToString(texts(replayed.replay, true));
}

class CudaReplay : public testing::TestWithParam<const char*> {};

TEST_P(CudaReplay, HasTheBitsOfARunWithout) {
  for (const char* passes : {"none", "default", "all"}) expect_same(GetParam(), passes);
}
TEST(CudaReplayFused, HasTheBitsOfARunWithout) {
  for (const char* program : {kPrograms[0], kPrograms[1], kPrograms[5]})
    expect_same(program, "fast");
}
INSTANTIATE_TEST_SUITE_P(Programs, CudaReplay, testing::ValuesIn(kPrograms));

TEST(CudaReplayPlan, SaysWhatIsReplayedAndWhatIsNot) {
  const StatementList list = list_of(
      "A: (8, 8)\nb: (8,)\n"
      "for i in range(6):\n"
      "    b = np.linalg.solve(A, b) * 0.5\n"
      "    b = b + np.random.rand(8) * np.sum(b)\n"
      "    b = b * i\n"
      "    print(b[0])\n"
      "    b = b + 1\n",
      "default");
  RunOptions options{.seed = 3};
  options.print = [](const std::string&) {};
  const auto result = run<M>(list, inputs_of(list), options);
  EXPECT_THAT(texts(result.replay, true),
              AllOf(Contains(AllOf(HasSubstr("solve("), HasSubstr("it waits"))),
                    Contains(HasSubstr("it depends on i")), Contains(HasSubstr("it prints")),
                    Contains(HasSubstr("alone between others"))));
  EXPECT_THAT(texts(result.replay, false), ElementsAre(HasSubstr("launched 5 times")));
}

TEST(CudaReplayPlan, TheHostComputesNumbers) {
  const StatementList list = list_of(kPrograms[7], "default");
  const auto result = run<M>(list, inputs_of(list));
  EXPECT_THAT(texts(result.replay, true), Contains(HasSubstr("a number, which the host computes")));
  EXPECT_THAT(texts(result.replay, false), Each(HasSubstr("launched 8 times")));
  double t = 1;
  for (int i = 0; i < 9; ++i) t = t * 0.999 + t * 0.3 * 1e-6;
  EXPECT_EQ(result.outputs.at("t").data[0], static_cast<float>(t));
}

TEST(CudaReplayPlan, RandomNumbersAndWholeNumbersAreReplayed) {
  for (const char* program : {kPrograms[1], kPrograms[2]}) {
    const StatementList list = list_of(program, "default");
    // The flag of a break is one assignment in a condition.
    EXPECT_THAT(texts(run<M>(list, inputs_of(list)).replay, true), Each(HasSubstr("alone between")))
        << program;
  }
}

TEST(CudaReplayPlan, ABodyWithoutAnythingThatDependsOnItsLoopIsOneGraph) {
  const StatementList list = list_of(kPrograms[0], "default");
  const auto result = run<M>(list, inputs_of(list));
  EXPECT_THAT(texts(result.replay, true), IsEmpty());
  EXPECT_THAT(texts(result.replay, false),
              ElementsAre(AllOf(HasSubstr("X.slice(8 * i"), HasSubstr("copied")),
                          AllOf(HasSubstr("Y.slice(8 * i"), HasSubstr("copied")),
                          AllOf(HasSubstr("are one graph"), HasSubstr("launched 14 times"))));
}

TEST(CudaReplayPlan, SlicesThatLieElsewhereOrAreWrittenAreNotCopied) {
  // Columns of 3 elements are not aligned as the copy would be.
  const char* const narrow =
      "X: (3, 40)\nW: (3, 3)\nfor i in range(5):\n"
      "    x = X[:, 8*i:8*i+8]\n    W = W + x @ x.T\n    W = W * 0.5\n    W = np.tanh(W)\n";
  StatementList list = list_of(narrow, "default");
  EXPECT_THAT(texts(plan_replay(list, 4).remarks, true), Contains(HasSubstr("depends on i")));
  EXPECT_THAT(texts(plan_replay(list, 4).remarks, false), IsEmpty());
  // In a list by hand, the columns are written.
  list = list_of(
      "X: (16, 40)\nfor i in range(5):\n    X[:, 8*i:8*i+8] = np.exp(X[:, 8*i:8*i+8]) * 0.5\n",
      "none");
  EXPECT_THAT(texts(plan_replay(list, 4).remarks, false), IsEmpty());
}

TEST(CudaReplayPlan, ShortLoopsAreLeftAlone) {
  const StatementList list =
      list_of("A: (4, 4)\nfor i in range(2):\n    A = np.exp(A) * 0.5 + 1\n", "default");
  EXPECT_THAT(plan_replay(list, 4).regions, IsEmpty());
  EXPECT_THAT(plan_replay(list, 4).remarks, IsEmpty());
}

TEST(CudaReplayRun, HooksSeeEveryStatementAndAWatchedRunIsNotReplayed) {
  const StatementList list = list_of(kPrograms[6], "default");
  std::vector<std::size_t> eager, replayed;
  RunOptions options{.replay = false};
  options.before_statement = [&](std::size_t at) { eager.push_back(at); };
  (void)run<M>(list, inputs_of(list), options);
  options.replay = true;
  options.before_statement = [&](std::size_t at) { replayed.push_back(at); };
  EXPECT_THAT(run<M>(list, inputs_of(list), options).replay, Not(IsEmpty()));
  EXPECT_EQ(replayed, eager);
  options.after_statement = [](std::size_t, const LoopVariables&) {};
  EXPECT_THAT(run<M>(list, inputs_of(list), options).replay, IsEmpty());
}

// ---- the recorder itself ----

TEST(CudaRecorder, RefusesWhatAGraphCannotDoAndComputesNothingThen) {
  M a = M::zeros({8, 8});
  M b = M::zeros({8, 8});
  cuda::Recorder recorder;
  const auto refused = [&](const std::function<void()>& call) {
    EXPECT_THROW((void)recorder.record([&] {
      a.add(1);
      call();
    }),
                 cudamat::CUDAMatException);
  };
  refused([&] { (void)a.asarray(); });
  refused([&] { (void)a.total_sum(); });
  refused([&] { M::init_random(3); });
  refused([&] { M c = M::empty({8, 8}); });
  refused([&] { cuda::cuda_sync_threads(); });
  EXPECT_EQ(a.total_sum(), 0);
  a.add(1);  // made before
  const cuda::Graph graph = recorder.record([&] {
    a.add(1);
    a.mult(2, b);
  });
  EXPECT_EQ(graph.size(), 2U);
  for (int k = 0; k < 3; ++k) graph.launch();
  EXPECT_EQ(a.total_sum(), 64 * 4);
  EXPECT_EQ(b.total_sum(), 64 * 8);
}

TEST(CudaRecorder, RandomNumbersGoOnFromLaunchToLaunch) {
  // 21 and 15 values, so that draws begin anywhere in Philox's rounds; and others draw between.
  const auto draw = [](M& a, M& b) {
    a.fill_with_rand();
    b.fill_with_randn();
  };
  M a = M::empty({7, 3}), b = M::empty({5, 3}), c = M::empty({2, 3});
  M::init_random(11);
  std::vector<std::vector<float>> expected;
  const auto keep = [&](auto& to) {
    for (M* m : {&a, &b, &c}) {
      const auto values = m->asarray().values();
      to.emplace_back(values.begin(), values.end());
    }
  };
  for (int k = 0; k < 5; ++k) {
    draw(a, b);
    c.fill_with_rand();
    keep(expected);
  }
  std::vector<std::vector<float>> drawn;
  cuda::Recorder recorder;
  M::init_random(11);
  const cuda::Graph graph = recorder.record([&] { draw(a, b); });
  for (int k = 0; k < 5; ++k) {
    graph.launch();
    c.fill_with_rand();
    keep(drawn);
  }
  EXPECT_EQ(drawn, expected);
  M::init_random(12);  // and from another seed
  draw(a, b);
  const float first = a.asarray()(0, 0);
  M::init_random(12);
  graph.launch();
  EXPECT_EQ(a.asarray()(0, 0), first);
}

TEST(CudaRecorder, OtherThreadsGoOnMeanwhile) {
  M a = M::zeros({8, 8});
  M b = M::zeros({8, 8});
  a.add(1);
  cuda::Recorder recorder;
  const cuda::Graph graph = recorder.record([&] {
    a.add(1);
    std::thread([&] { EXPECT_EQ(b.add(5).total_sum(), 320); }).join();
  });
  EXPECT_EQ(graph.size(), 1U);
  EXPECT_EQ(a.total_sum(), 64);
}

}  // namespace
