// Reading a program, rewriting its list and printing that take work that grows with the list, not
// with its square: programs of four times the length are measured by the bytes that they allocate,
// which do not depend on the machine or on what else runs there. Searches that allocate nothing are
// measured by the processor time of the thread. bench/growth.py measures times.
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <new>
#include <string>
#include <vector>

#include "rewriter/emit/print.hpp"
#include "rewriter/evaluate/evaluate.hpp"
#include "rewriter/listing/parse_list.hpp"
#include "rewriter/lower/lower.hpp"
#include "rewriter/passes/pipeline.hpp"
#include "rewriter/reader/reader.hpp"

namespace {

thread_local std::size_t allocated = 0;  // bytes, from the start on

}  // namespace

void* operator new(std::size_t size) {
  allocated += size;
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void* operator new[](std::size_t size) {
  return operator new(size);
}
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  allocated += size;
  return std::malloc(size == 0 ? 1 : size);
}
void* operator new[](std::size_t size, const std::nothrow_t& tag) noexcept {
  return operator new(size, tag);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}

namespace {

using Text = std::string (*)(int);

struct Work {
  double bytes = 0;
  double statements = 0;  ///< of the list
};

/// What it takes to read the program, and to rewrite and print its list.
Work work(const std::string& text, const std::string& passes) {
  const std::size_t before = allocated;
  const rewriter::Program program =
      rewriter::read(rewriter::Source("p.py", "import numpy as np\na: (4, 4)\n" + text));
  rewriter::StatementList list = rewriter::lower(program);
  const auto statements = static_cast<double>(list.statements.size());
  if (!passes.empty())
    list = rewriter::run_passes(std::move(list), rewriter::parse_pass_names(passes)).list;
  EXPECT_FALSE(rewriter::print_statements(list, {}).empty());
  EXPECT_FALSE(rewriter::print_tree(program, {}).empty());
  return {static_cast<double>(allocated - before), statements};
}

/// Each statement of the longer list takes little more than one of the shorter list, at most so
/// many times as much.
void expect_linear(Text text, int n, const std::string& passes = {}, double most = 1.5) {
  const Work once = work(text(n), passes);
  const Work longer = work(text(4 * n), passes);
  EXPECT_GT(longer.statements, 3 * once.statements) << text(2);
  EXPECT_LT(longer.bytes / longer.statements, most * once.bytes / once.statements)
      << text(2) << passes;
}

std::string repeated(int n, std::string (*line)(const std::string&)) {
  std::string text;
  for (int i = 0; i < n; ++i) text += line(std::to_string(i));
  return text;
}

TEST(Growth, OfConditionsOneAfterTheOther) {
  const Text texts[] = {
      [](int n) {
        return "y = a * 1\n" + repeated(n, [](const std::string& i) {
                 return "if y.sum() > " + i + ":\n    y = y + " + i + "\n";
               });
      },
      [](int n) {
        return "y = a * 1\n" + repeated(n, [](const std::string& i) {
                 return "y = y + " + i + " if y.sum() > " + i + " else y\n";
               });
      },
      [](int n) {
        return "y = a * 1\nfor k in range(9):\n" + repeated(n, [](const std::string& i) {
                 return "    if y.sum() > " + i + ":\n        y = y + " + i + "\n";
               });
      },
      [](int n) {
        return "y = a * 1\n" + repeated(n, [](const std::string& i) {
                 return "def f" + i + "(x):\n    if x.sum() > " + i + ":\n        return x * " + i +
                        "\n    return x\ny = f" + i + "(y)\n";
               });
      },
      [](int n) {
        return "y = a * 1\nfor k in [1, 2] * " + std::to_string(n) +
               ":\n    if y.sum() > k:\n        y = y + k\n    else:\n        y = y - k\n";
      },
  };
  for (const Text text : texts) expect_linear(text, 50);
}

// With the widths of NumPy 2's floats, which each operation looks for in its operands.
TEST(Growth, OfWritesIntoAnArray) {
  const auto bytes = [](int n) {
    const std::string text =
        "import numpy as np\na: (4, 4)\n" + repeated(n, [](const std::string& i) {
          return "a[0, 1] = a[1, 0] * a[0, 1] + " + i + "\n";
        });
    rewriter::ReadOptions options;
    options.numpy = 2;
    options.float_widths = {{"a", 64}};
    const std::size_t before = allocated;
    (void)rewriter::read(rewriter::Source("p.py", text), options);
    return static_cast<double>(allocated - before);
  };
  EXPECT_LT(bytes(400), 6 * bytes(100));
}

TEST(Growth, OfConditionsInEachOther) {
  const Text texts[] = {
      [](int n) {
        return "def f(x):\n" +
               repeated(n,
                        [](const std::string& i) {
                          return "    if x.sum() > " + i + ":\n        return x * " + i + "\n";
                        }) +
               "    return x\ny = f(a)\n";
      },
      [](int n) {
        std::string value = "a";
        for (int i = 0; i < n; ++i)
          value = "(a * " + std::to_string(i) + " if a[0, 0] > " + std::to_string(i) + " else " +
                  value + ")";
        return "y = " + value + "\n";
      },
  };
  for (const Text text : texts) expect_linear(text, 20, {}, 2.5);  // with their indentation
}

TEST(Growth, OfLoops) {
  const Text texts[] = {
      [](int n) {
        return repeated(n, [](const std::string& i) {
          return "y" + i + " = a * " + i + "\nfor k in range(9):\n    y" + i + " = y" + i +
                 " + a[0]\n";
        });
      },
      [](int n) {
        return repeated(n, [](const std::string& i) { return "y" + i + " = a * " + i + "\n"; }) +
               "for k in range(9):\n" + repeated(n, [](const std::string& i) {
                 return "    y" + i + " = y" + i + " + a[k % 4]\n";
               });
      },
  };
  for (const Text text : texts) expect_linear(text, 50);
}

/// Loops that stay loops, whose lists do not grow with their counts.
TEST(Growth, OfLoopsOverListsAndWindows) {
  const Text texts[] = {
      [](int n) {
        return fmt::format(
            "def predict(x, F):\n    return F @ x\ndef batch_filter(x, zs, Fs):\n"
            "    means = np.zeros((len(zs), 4))\n    for i, (z, F) in enumerate(zip(zs, Fs)):\n"
            "        x = predict(x, F)\n        x = x + .1 * (z - x[0])\n        means[i] = x\n"
            "    return means\nzs: ({0}, 1)\ny = batch_filter(a[0], zs, [a] * {0})\n",
            n);
      },
      [](int n) {
        return fmt::format(
            "x: ({0}, 3)\nW: (8, 5)\nh = np.zeros(2)\nc = np.zeros(2)\nhs = np.zeros(({0}, 2))\n"
            "for t in range({0}):\n    z = W @ np.concatenate([x[t - 1], h])\n"
            "    i, f, o, g = np.tanh(z[:2]), np.tanh(z[2:4]), np.tanh(z[4:6]), np.tanh(z[6:])\n"
            "    c = f * c + i * g\n    h = o * np.tanh(c)\n    hs[t - 1:t] = h\n    hs[-t] = h\n",
            n);
      },
      [](int n) {
        return fmt::format(
            "x: ({}, 3, 2, 2)\nout = np.zeros(x.shape, dtype=bool)\nfor i in range(x.shape[0]):\n"
            "    for j in range(x.shape[1]):\n        for k in range(x.shape[2]):\n"
            "            for l in range(x.shape[3]):\n"
            "                v = x[max(i-1, 0):i+2, max(j-1, 0):j+2, max(k-1, 0):k+2, "
            "max(l-1, 0):l+2]\n"
            "                out[i, j, k, l] = x[i, j, k, l] == v.max()\n",
            n);
      },
  };
  for (const Text text : texts)
    EXPECT_LT(work(text(400), {}).bytes, 4.5 * work(text(100), {}).bytes) << text(2);
}

TEST(Growth, OfFusedStatementsThatAreRead) {
  const auto bytes = [](int n) {
    std::string text = "import numpy as np\na: (4, 4)\ny = a";
    for (int i = 0; i < n; ++i) text += " + a * " + std::to_string(i) + ".5";
    const std::string printed = rewriter::print_statements(
        rewriter::run_passes(rewriter::lower(rewriter::read(rewriter::Source("p.py", text + "\n"))),
                             rewriter::parse_pass_names("fast"))
            .list,
        {});
    const std::size_t before = allocated;
    EXPECT_FALSE(
        rewriter::parse_statements(rewriter::Source("list.txt", printed)).statements.empty());
    return static_cast<double>(allocated - before);
  };
  EXPECT_LT(bytes(2000), 5 * bytes(500));
}

TEST(Growth, OfALoopThatIsUnrolledIsToldWithWhatWouldLetItBeOne) {
  const auto warnings = [](const std::string& text) {
    const rewriter::Program program =
        rewriter::read(rewriter::Source("p.py", "import numpy as np\na: (4, 4)\n" + text));
    std::vector<std::string> told;
    for (const auto& [line, what] : rewriter::unrolled_warnings(program, rewriter::lower(program)))
      told.push_back(fmt::format("{}: {}", line, what));
    return told;
  };
  const std::string varies = "W = [a, a * 2]\ny = a\nfor k in range(";
  EXPECT_THAT(warnings(varies + "2000):\n    y = y + W[k % 2]\n"),
              testing::ElementsAre(testing::AllOf(
                  testing::StartsWith("5: this loop is unrolled, into about 2"),
                  testing::HasSubstr("since line 6: "), testing::EndsWith("makes an array"))));
  EXPECT_THAT(warnings(varies + "200):\n    y = y + W[k % 2]\n"), testing::IsEmpty());
  EXPECT_THAT(warnings(varies + "2000):\n    y = y + W[1]\n"), testing::IsEmpty());
  EXPECT_THAT(warnings("b: (60, 60)\nfor i in range(60):\n    for k in range(i):\n"  // rolled back
                       "        b[i, k] -= b[i, :k] @ b[:k, k]\n"),
              testing::IsEmpty());
}

TEST(Growth, OfPasses) {
  const Text texts[] = {
      [](int n) {
        return "y = a" + repeated(n, [](const std::string& i) { return " + a * " + i + ".5"; }) +
               "\n";
      },
      [](int n) {
        return "y = a\nfor k in range(9):\n" +
               repeated(n, [](const std::string& i) { return "    y = y * " + i + ".5 + a\n"; });
      },
      [](int n) {
        return "y = a * 1\n" + repeated(n, [](const std::string& i) {
                 return "y[" + std::to_string(i.size() % 4) + "] += " + i + "\n";
               });
      },
  };
  for (const Text text : texts)
    for (const char* passes : {"all", "fast"}) expect_linear(text, 100, passes);
}

double seconds_of_this_thread() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The least of some runs.
double seconds_of_fusing(Text text, int n) {
  const rewriter::StatementList list = rewriter::lower(
      rewriter::read(rewriter::Source("p.py", "import numpy as np\na: (4, 4)\n" + text(n))));
  double least = 1e9;
  for (int run = 0; run < 3; ++run) {
    const double begin = seconds_of_this_thread();
    EXPECT_FALSE(
        rewriter::run_passes(list, rewriter::parse_pass_names("fuse")).list.statements.empty());
    least = std::min(least, seconds_of_this_thread() - begin);
  }
  return least;
}

TEST(Growth, OfTheTimeThatFusingTakes) {
  const Text text = [](int n) {  // one memory that is written and read again and again
    return "y = a * 1\n" + repeated(n, [](const std::string& i) {
             return "y[" + std::to_string(std::stoi(i) % 4) + "] += " + i + "\n";
           });
  };
  EXPECT_LT(seconds_of_fusing(text, 8000), 6 * seconds_of_fusing(text, 2000));
}

/// The least time of three direct evaluations of a program over a vector of n elements.
double seconds_of_evaluating(const std::string& body, int n) {
  const rewriter::Program program = rewriter::read(
      rewriter::Source("p.py", fmt::format("import numpy as np\nx = np.ones({})\n{}", n, body)));
  std::vector<rewriter::NodePtr> roots;
  for (const auto& [name, node] : program.results) roots.push_back(node);
  double least = 1e9;
  for (int k = 0; k < 3; ++k) {
    const double begin = seconds_of_this_thread();
    (void)rewriter::evaluate<float>(roots, {});
    EXPECT_TRUE(rewriter::rounded_integers<float>(roots, {}).empty());
    least = std::min(least, seconds_of_this_thread() - begin);
  }
  return least;
}

// A write of an element copies the array only where something else still needs it.
TEST(Growth, OfTheTimeThatElementsTakeThatAreWrittenUnderConditionsOfALoop) {
  const std::string bodies[] = {
      "i = 0\nwhile i < 500:\n    if x[i] > 0.5:\n        x[i] = 2 * x[i + 1]\n"
      "    else:\n        x[i] = -x[i]\n    i += 1\n",
      "k = np.ones(len(x), int)\ni = 0\nwhile i < 500:\n    if x[i] > 0.5:\n        k[i] = i\n    "
      "i += 1\n",
      "for i in range(500):\n    x[i] += 1\n    if x[i] > 9:\n        break\n",
  };
  for (const std::string& body : bodies)
    EXPECT_LT(seconds_of_evaluating(body, 500'000), 40 * seconds_of_evaluating(body, 501)) << body;
}

}  // namespace
