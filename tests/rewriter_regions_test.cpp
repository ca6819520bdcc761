// Compiled loops of lists: the bits, errors, prints and memory of the statements one by one.
#include <array>
#include <cmath>
#include <cstring>
#include <ctime>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <omp.h>
#include <random>
#include <thread>

#include "npmat/fused_loops.hpp"
#include "rewriter/lower/lower.hpp"
#include "rewriter/passes/pipeline.hpp"
#include "rewriter/reader/reader.hpp"
#include "rewriter/regions/regions.hpp"
#include "rewriter/run/compiled_regions.hpp"
#include "rewriter/run/prepared.hpp"
#include "rewriter/run/region_report.hpp"

namespace {

using namespace rewriter;
using npmat::fused::Compile;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Programs of loops; every form of statement that a region has as text, and calls among them.
struct Case {
  const char* name;
  const char* text;
};
constexpr Case kCases[] = {
    {"Elements",
     "A: (6, 5)\nfor t in range(3):\n  for i in range(1, 5):\n    for j in range(1, 4):\n"
     "      A[i, j] = (A[i - 1, j] + A[i, j - 1] + 2 * A[i, j]) / 4\n"},
    {"Slices",
     "A: (7, 6)\nB: (7, 6)\nfor i in range(1, 6):\n"
     "  A[i, 1:-1] += A[i - 1, :-2] * A[i + 1, 2:]\n  B[:, i] = A[:, i - 1] + B[:, 0] * i\n"
     "  B[i] = B[i] - B[i].mean()\n"},
    {"Triangles",
     "A: (9, 9)\nL = np.eye(9)\nfor i in range(9):\n  for j in range(i):\n"
     "    L[i, j] = A[i, j] - L[i, :j] @ L[j, :j]\n"
     "  L[i, i] = np.sqrt(np.abs(A[i, i] - L[i, :i] @ L[i, :i]))\n"},
    {"LongProducts",
     "A: (3, 200)\nw: (200,)\nfor i in range(20):\n  w = w * 0.9 + A[i % 3] * (A[i % 3] @ w)\n"},
    {"Broadcasts",
     "A: (4, 6)\nc: (4,)\nr: (6,)\nfor i in range(4):\n"
     "  A = A * c[:, None] + r\n  A /= np.abs(r) + 1\n  r = A.sum(0) / 10\n  c = A.max(1) / 10\n"},
    {"Functions",
     "x: (11,)\nfor i in range(5):\n"
     "  x = np.where(x > 0, np.exp(-x), np.tanh(x)) + np.sin(x) * np.floor(3 * x)\n"
     "  x = np.minimum(np.maximum(x, -2), 2) ** 3 + np.mod(x, 0.7)\n"},
    {"Reductions",
     "x: (37,)\nA: (5, 40)\ns = np.zeros(12)\nfor i in range(1, 12):\n"
     "  s[i] = x.sum() + x[:9].max() * x.min() - np.mean(x * x) + np.prod(x[:2])\n"
     "  x = x * 0.9 + np.sqrt(np.sum(x[3:] ** 2)) + np.any(x > 3) - np.all(x[:4] > -9)\n"
     "  x[:3] += np.linalg.norm(A[2]) + np.vdot(A[0], A[1]) + A[:, i].sum() + A.sum()\n"},
    {"While",
     "x: (3,)\nn = 0\nwhile np.sum(x * x) > 0.01:\n  x = x * 0.5\n  n += 1\n"
     "  if x[0] > 0.1:\n    x[1] = x[0]\n  else:\n    x[2] = -x[0]\n"},
    {"Backwards", "x: (30,)\nfor i in range(29, 0, -2):\n  x[i - 1] = x[i] - x[i - 1] * i\n"},
    {"NoIterations",
     "x: (4,)\nk = np.sum(x) * 0\nfor i in range(4):\n  for j in range(i, 2):\n    x[j] += i\n"
     "while k > 0:\n  x = x * 2\n  k -= 1\n"},
    {"Empty", "x: (0,)\ny: (0, 3)\nfor i in range(3):\n  x = x * 2 + i\n  y = y + y.sum(0)\n"},
    {"Infinities",
     "x: (6,)\nfor i in range(4):\n  x = x / (i - 1) * np.inf - x\n  x[i] = np.nan\n  x[i + 1] = "
     "-np.inf\n"},
    {"Selects",
     "x: (8,)\nk: (5,)\nfor i in range(5):\n  x[k.astype(int)] = x[(7 - k).astype(int)] * 0.5 + "
     "i\n"},
    {"Draws",
     "x: (4,)\nnp.random.seed(3)\nfor i in range(6):\n  x = x * 0.5 + np.random.rand(4)\n"},
    {"Constants",
     "A: (3, 3)\nfor i in range(4):\n  A = A @ np.array([[1., 2, 3], [0, 1, 4], [5, 6, 0]]) / 9 + "
     "np.eye(3)\n"},
    {"Numbers",
     "x: (3,)\nt = 1.0\nfor i in range(30):\n  t = t * 0.999\n  x = x / (1 - 0.9 * t)\n"
     "while t > 0.5:\n  t = t * 0.7\n  x = x + t\n"},
    {"Blocks",
     "x: (11,)\nA: (4, 5)\nr: (5,)\nfor i in range(4):\n"
     "  x = np.sin(x) ** 2 + np.cos(x * i) * np.abs(x) ** 1.3 + np.arctan2(x, x[::-1])\n"
     "  A[1:3] = np.power(np.abs(A[1:3]) + 0.5, r) + np.log10(np.abs(A[2:4]) + 1)\n"
     "  A[i, 1:4] = np.sin(np.cos(A[i, :3]) + np.log2(np.abs(r[1:4]) + 0.3)) * A[i, 1:4]\n"
     "  x[i] = np.sin(x[i + 1]) * 2 ** x[i] + np.sum(np.sin(x[:4])) + np.cos(A[0, i])\n"
     "  x[3] = np.sum(np.cos(x) * np.sin(x)) - np.max(np.abs(x) ** 0.7)\n"},
    {"SmallProducts",
     "A: (4, 4)\nB: (4, 3)\nw: (4,)\nv: (3,)\nfor i in range(4):\n"
     "  A = A @ A.T / 4 + B @ B.T - A.T @ A / 3\n  w = A @ w * 0.1 + B @ v\n  v = v * 0.5 + w @ B\n"
     "  B[:i] = A[:i] @ B\n  A = A + np.outer(w, w) - A[:, :i] @ A[:i]\n"},
    {"Axes",
     "A: (6, 7)\nB: (40, 33)\ns = np.zeros(7)\nu = np.zeros(6)\nfor i in range(1, 5):\n"
     "  s += A.sum(0) - A.max(axis=0) * np.mean(A[:i], axis=0) + A.prod(axis=0)\n"
     "  u += A.min(1) + A.mean(1) + np.argmax(A, axis=1) - np.argmin(A[:, i:], axis=1)\n"
     "  s[i] += np.argmax(A[i]) + B.sum() + np.linalg.norm(B) + np.any(B > 9) + B[:, :i].mean()\n"
     "  u += B[:i].sum(1)[0] + B[3:9].sum(1)\n  A = A * 0.5 + u[:, None]\n"},
    {"ConstantsOfAllKinds",
     "x: (3,)\nfor i in range(3):\n  c = np.array([[1., -0.0, np.nan], [np.inf, 2, 3]])\n"
     "  x = x * c[0, 0] + c[1] - np.array([0.1, 0.2, 0.3])\n"},
    {"NumbersInBranches",
     "x: (3,)\nt = 1.0\nn = 0\nfor i in range(9):\n  if i % 2 == 0:\n    t = t * 0.1 + 1e-9\n"
     "  else:\n    t = np.sin(t) ** 1.5\n  if t < 0.3:\n    n = n + 1\n    x = x + t * n\n"
     "while n < 40:\n  n = n * 1.7\n  x = x - n / 3\n"},
    {"NumbersAtFirst",  // conditions that are numbers before the loop, and not after an iteration
     "x: (9,)\ni = 0\ns = 0.0\nwhile i < 9 and s < 1e9:\n  s = s + x[i] * x[i]\n  i += 1\n"
     "go = True\nj = 0\nwhile go:\n  x[j] = x[j] - 3\n  go = j < 3 or x[j] > 1e9\n  j = j + 1\n"
     "for k in range(9):\n  x[k] += s\n  if k > 4 and x[k] > -1e9:\n    break\n"},
    {"Groups",  // what one loop over the elements may join, and what not
     "A: (9, 9)\nx: (70,)\ny: (70,)\nc: (9,)\nfor i in range(1, 8):\n"
     "  t = x * 2 + y\n  x = t - x\n  y = t * x + y\n"
     "  A[i] = np.minimum(A[i], A[i - 1] + c)\n  A[i + 1] = A[i] * 0.5 + A[i + 1]\n"
     "  A[i, 1:] = A[i, :-1] + A[i, 1:]\n  A[:, i] = A[:, i] + A[:, i - 1] * c\n"
     "  A = A.T * 0.5 + A\n  A[i:] = A[i:] * c[i] + A[i:]\n"
     "  u = x[1:] - x[:-1]\n  x[1:] = u * 0.5\n  x[:-1] = x[1:] + u\n  y[0] = x[3]\n"
     "  x = x + y[0]\n  s = np.sum(x * y) * 1e-3\n  x = x * 0.3 + s\n  y = y * 0.1 - s + x\n"
     "  c = np.sin(A[i]) + c\n  A[i] = c + np.cos(c)\n  c = c * 0.5 + A[i] * A[i]\n"},
    {"KnownOperands",  // of functions that the compiler could compute itself
     "x: (3,)\nfor i in range(3):\n  u = np.cosh(np.where(x > 0, 1.0, 0.3)) + np.tan(x * 0 + 1)\n"
     "  u = u + np.exp(x * 0 + 0.7) * np.sinh(np.minimum(np.maximum(x > 9, 1), 1.0))\n"
     "  t = np.zeros(2) + 0.7\n  x[:2] = np.arcsin(t) + np.exp(t) + np.log(t) + np.tanh(t) * u[0]\n"
     "  x[2] = np.arctan(t[0]) + np.cosh(t[1]) + np.cbrt(t[0]) + np.sin(t[1]) + t[0] ** 1.7\n"},
    {"Carried",
     "x: (80,)\nt = np.zeros(80)\nu = np.ones(80)\nfor i in range(5):\n"
     "  v = t + x\n  t = v * 0.5\n  w = u * t\n  u = w + 1\n  x = x + u - t\n"},
    {"Chain",
     "x: (3,)\ny: (3,)\nA: (3, 3)\nu = x + y * 0.5\nu[0] = x[1] * y[2] - x[2] * y[1]\n"
     "u[1] = np.sin(x[0]) * u[2]\nv = A @ u\nB = A @ A.T + np.outer(u, v)\nw = B.sum(0) / "
     "B.max(1)\n"
     "if w[0] > 0:\n  w = w * 2\n  u[2] = v[1]\nz = np.linalg.norm(w) + B[1:, :2]\n"},
    {"ChainsBesideLoops",
     "x: (4,)\na = x[0] * x[1]\nb = a + x[2]\nx[3] = a * b\nx = x * b - a\ny = x[1:] * x[:-1]\n"
     "y[0] = y[1] + b\nfor i in range(3):\n  x = x * 0.5 + y.sum()\nA = np.outer(x, y)\nA[0] = y * "
     "a\n"
     "A[:, 1] = x\nx[0] = A[0, 0] + A[1, 1]\ny = A.T @ x\nx[1] = y[0] / b\nx[2] = y[1] * a\n"
     "print(x[2])\n"},
    {"Aliases",  // of variables and among arguments
     "x: (9,)\nA: (5, 5)\ndef f(a, b, k):\n  for i in range(k):\n    a[i] = b[i] * 0.5 + a[i]\n"
     "    b[i] = a[i] - b[-1] * i\n    b -= a * 0.25\n  return a + b\n"
     "y = f(x[1:], x[:-1], 5)\nz = f(x, x, 9)\nw = f(A[0], A[:, 0], 5)\nv = f(A[1], A[1, ::-1], "
     "4)\n"
     "u = x\nfor i in range(8):\n  u[i + 1] = x[i] * 0.5 + u[i + 1]\n  x[i] = u[8 - i]\n"
     "B = A.T\nfor i in range(5):\n  B[i] = A[i] + B[4 - i] * 0.5\n  A[:, i] = B[i] - A[i]\n"},
    {"EmptyInside",
     "x: (3,)\nA: (0, 4)\nfor i in range(3):\n  y = x[i:i] * 2\n  x[i] = y.sum() + x[:i].sum()\n"
     "  x[1:1] = y + 1\n  A = A * x[0] + A.sum(0)\n  for j in range(i, 0):\n    x[j] = 7\n"
     "for i in range(5, 5):\n  x = x + i\nfor i in range(0):\n  A[i] = 1\n"},
    {"NotNumbers",
     "x: (7,)\nfor i in range(7):\n  x[i] = (x[i] - x[i]) / (x[i] - x[i])\n"
     "  x = np.maximum(x, 0) + np.where(x > 1, x, np.minimum(x, 0.5)) + np.fmax(x, -1)\n"
     "  s = x.max() + x.sum() + np.sqrt(-np.abs(x)).min() + np.nanmax(x[i:])\n"
     "  if s > 0:\n    x = x + 1\n  elif s != s:\n    x[6 - i] = 0.25\n  else:\n    x = -x\n"},
    {"Prints",
     "x: (3,)\nfor i in range(4):\n  x = x * 1.5\n  if x[0] > 1:\n    print('large', i, x[0])\n"},
};

npmat::Array<double> filled(const Dims& dims) {
  npmat::Array<double> array{dims, {}};
  for (Index i = 0; i < npmat::element_count(dims); ++i)
    array.data.push_back(double((i * 37 + 11) % 19) / 8 - 1);
  return array;
}

struct Made {
  std::map<std::string, std::vector<unsigned char>> bits;
  std::string printed, failure;
  std::int64_t peak = 0;
};

template <class T>
Made run_with(Compile mode, const StatementList& list, const RunOptions& given = {}) {
  npmat::fused::set_compile_mode(mode);
  std::map<std::string, npmat::Array<T>> inputs;
  for (const Binding& input : list.inputs) {
    const auto array = filled(input.dims);
    inputs[input.name] = {array.shape, {array.data.begin(), array.data.end()}};
    if (input.name == "k")
      for (std::size_t i = 0; i < array.data.size(); ++i) inputs["k"].data[i] = T((3 * i) % 8);
  }
  Made made;
  RunOptions options = given;
  options.print = [&](const std::string& text) { made.printed += text; };
  try {
    const auto result = run<npmat::CUDAMatrix<T>>(list, inputs, options);
    made.peak = result.peak_bytes;
    for (const auto& [name, array] : result.outputs)
      for (const T value : array.data) {
        constexpr std::size_t kBytes = std::is_same_v<T, long double> ? 10 : sizeof(T);
        std::array<unsigned char, sizeof(T)> bytes{};
        if (std::isnan(value))
          bytes[0] = 'n';  // of any sign
        else
          std::memcpy(bytes.data(), &value, kBytes);
        made.bits[name].insert(made.bits[name].end(), bytes.begin(), bytes.end());
      }
  } catch (const Raised& raised) {
    made.failure = fmt::format("line {}: {}", raised.where.line, raised.what());
  } catch (const std::exception& error) {
    made.failure = error.what();
  }
  npmat::fused::set_compile_mode(Compile::Auto);
  return made;
}

StatementList list_of(const std::string& text, const char* passes) {
  ReadOptions options;
  options.raises = true;
  StatementList list = lower(read(Source("loops.py", "import numpy as np\n" + text), options));
  return run_passes(std::move(list), parse_pass_names(passes)).list;
}

template <class T>
void compare(const StatementList& list) {
  const Made one_by_one = run_with<T>(Compile::Off, list);
  const std::int64_t before = compiled_region_runs();
  const Made compiled = run_with<T>(Compile::Now, list);
  EXPECT_GT(compiled_region_runs(), before) << "nothing was compiled";
  EXPECT_EQ(compiled.bits, one_by_one.bits);
  EXPECT_EQ(compiled.printed, one_by_one.printed);
  EXPECT_EQ(compiled.failure, one_by_one.failure);
  EXPECT_GE(compiled.peak, one_by_one.peak);  // bodies that do not run count
}

class Regions : public testing::TestWithParam<Case> {};

TEST_P(Regions, HaveTheBitsOfTheStatementsOneByOne) {
  for (const char* passes : {"none", "fast"}) {
    const StatementList list = list_of(GetParam().text, passes);
    SCOPED_TRACE(passes);
    compare<float>(list);
    compare<double>(list);
    compare<long double>(list);
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, Regions, testing::ValuesIn(kCases),
                         [](const auto& each) { return each.param.name; });

// GCC 12 moved the write to y in the second iteration before the read in the first.
TEST(RegionBits, DoNotDependOnHowTheCompilerDistributesLoops) {
  const StatementList list = list_of(
      "w_vh: (2, 1)\n"
      "G: (7,)\n"
      "lr = np.clip(G, 0, 2)\n"
      "W = np.where(w_vh, lr[lr < 0.5].sum(axis=0), 0.5)\n"
      "(F, g) = np.where(w_vh < G, -0.5 + W[np.newaxis, -1], w_vh), np.dot(lr @ G, (lr @ G).T)\n"
      "y = F[[-1, 0, -2, 1], [-3, 1, 6, -2]]\n"
      "y[None, 1:] = g\n"
      "for i in range(2):\n"
      "    for j in range(4):\n"
      "        w_v = G + F[i]\n"
      "    lr[i + 2:i + 4] = np.dot(y[i - 2], y[i - 2].T)\n"
      "    y[i:i + 2] = np.matmul(G, F.T)\n"
      "g = w_v[[4, 0]]\n"
      "e = w_vh[np.argmax(w_vh, axis=1), 0] - w_vh\n",
      "default");
  compare<float>(list);
  compare<double>(list);
}

TEST(RegionBits, RoundSumsToFloatBeforeTheyAreAdded) {
  for (int columns = 3; columns < 20; ++columns)
    compare<float>(list_of(fmt::format("M: (1, {})\nA: (3, 1)\nbox = [M / 7 + A / 3] * 2\n"
                                       "for i in range(2):\n    box[i] = box[i] * 0.5 + i\n"
                                       "y = sum([np.sum(v) for v in box])\n",
                                       columns),
                           "none"));
}

TEST(RegionErrors, AnIndexOutOfBoundsIsTheSameError) {
  const StatementList list = list_of(
      "x: (5,)\nk: (6,)\nfor i in range(4):\n  x[0] = x[k.astype(int)].sum() + i\n", "none");
  compare<double>(list);
  EXPECT_THAT(run_with<double>(Compile::Now, list).failure,
              HasSubstr("index 6 is out of bounds for axis with size 5"));
}

TEST(RegionErrors, ARaiseEndsTheRunWhereItStands) {
  const StatementList list = list_of(
      "x: (2,)\nfor i in range(5):\n  x = x + 1\n  print(i)\n  if x[0] > 2:\n"
      "    raise ValueError('too large')\n",
      "none");
  compare<double>(list);
  const Made made = run_with<double>(Compile::Now, list);
  EXPECT_THAT(made.failure, HasSubstr("too large"));
  EXPECT_EQ(made.printed, "0\n1\n");
}

TEST(RegionErrors, SayTheLineOfTheirStatementInAnyIteration) {
  const struct {
    const char *text, *failure;
  } programs[] = {
      {"x: (5,)\nk: (6,)\nfor i in range(3):\n  for j in range(1, 4):\n    x[j] = x[j] + i\n"
       "  if i == 2:\n    x[1] = x[(k + i).astype(int)].sum()\n",
       "loops.py:8"},
      {"x: (5,)\nfor i in range(3):\n  x = x + 1\n  for j in range(2):\n    x = x * 2\n"
       "    if x[0] > 3:\n      raise ValueError('at last')\n",
       "line 8: "},
      {"x: (2,)\nn = 0\nwhile n < 9:\n  n = n + 1\n  x = x * 0.5\n  assert n < 7, 'seven'\n",
       "line 7: "},
  };
  for (const auto& [text, failure] : programs)
    for (const char* passes : {"none", "fast"}) {
      SCOPED_TRACE(text);
      const StatementList list = list_of(text, passes);
      compare<float>(list);
      compare<double>(list);
      EXPECT_THAT(run_with<double>(Compile::Now, list).failure, HasSubstr(failure));
    }
}

/// Time of the processor, in milliseconds, that this thread has had.
double own_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) * 1e3 + double(now.tv_nsec) * 1e-6;
}

/// The longest time between two calls of the hook but for the rare ones in which the system did
/// something else, and how many there were.
template <class T>
std::pair<double, int> between_looks(const StatementList& list) {
  std::vector<double> gaps;
  double last = -1;
  const double begin = own_time();
  RunOptions options;
  options.before_statement = [&](std::size_t) {
    const double now = own_time();
    if (last >= 0) gaps.push_back(now - last);
    last = now;
    if (now - begin > 60 && gaps.size() > 20) throw std::runtime_error("stopped");
  };
  EXPECT_EQ(run_with<T>(Compile::Now, list, options).failure, "stopped");
  std::ranges::sort(gaps);
  return {gaps.empty() ? 1e9 : gaps[gaps.size() * 9 / 10], int(gaps.size())};
}

TEST(RegionErrors, AnInterruptIsSeenSoonInEachKindOfLoop) {
  constexpr double kSoon = 10;  // milliseconds
  for (const char* text : {
           "x: (2,)\nn = 0\nwhile n < 1e15:\n  x[0] = x[1] * 0.5 + 1\n  n += 1\n",
           "x: (9,)\nfor i in range(10 ** 9):\n  for j in range(8):\n    x[j] = x[j + 1] * 0.5 + "
           "j\n",
           "x: (900,)\nfor i in range(10 ** 9):\n  for j in range(900):\n    for k in range(j):\n"
           "      x[k] = x[k] * 0.5 + x[j]\n",
           "x: (9,)\nfor i in range(10 ** 12, 7, -3):\n  x[0] = x[1] * 0.5 + i\n",
           "x: (9,)\nfor i in range(10 ** 9):\n  for j in range(10 ** 9, 5, -2):\n"
           "    x[0] = x[1] * 0.5 + j\n",
           "x: (3000,)\nfor i in range(10 ** 9):\n  x = np.sin(x) ** 1.5 + np.arctan2(x, 0.3)\n",
           "x: (3000,)\nfor i in range(10 ** 9):\n  x = np.exp(np.tanh(x)) + np.cbrt(x) / 3 - "
           "np.mod(x, 0.7)\n",
           "A: (30, 40)\nfor i in range(10 ** 9):\n  A = np.tanh(A @ A.T @ A) + A.sum(0)\n",
           "x: (40,)\nfor i in range(10 ** 9):\n  x = np.sort(x) * 0.5 + np.cumsum(x) / 99\n",
       }) {
    const StatementList list = list_of(text, "default");
    EXPECT_LT(between_looks<float>(list).first, kSoon) << text;
    EXPECT_LT(between_looks<double>(list).first, kSoon) << text;
    EXPECT_LT(between_looks<long double>(list).first, kSoon) << text;
  }
}

// Inner loops of any number of iterations, and ranges that depend on outer loops.
TEST(RegionErrors, LoopsThatTakeLittleDoNotLook) {
  const StatementList list = list_of(
      "x: (40,)\nT = np.zeros((40, 40))\nfor i in range(38, -1, -1):\n"
      "  for j in range(i + 1, 40):\n    T[i, j] = max(T[i, j - 1], T[i + 1, j])\n"
      "    for k in range(i + 1, j):\n      T[i, j] = max(T[i, j], T[i, k] + T[k + 1, j])\n",
      "default");
  std::size_t looks = 0;
  RunOptions options;
  options.before_statement = [&](std::size_t) { ++looks; };
  run_with<double>(Compile::Now, list, options);
  EXPECT_LT(looks, list.statements.size());
  looks = 0;
  run_with<double>(Compile::Off, list, options);
  EXPECT_GT(looks, 10'000U);
}

// Strips of iterations end where the range or the condition does.
TEST(RegionBits, DoNotDependOnWhereALoopLooks) {
  compare<double>(
      list_of("x: (3,)\nk = 0\nfor i in range(120001):\n  x[i % 3] = x[(i + 1) % 3] * 0.5 + i\n"
              "for i in range(300001, 4, -3):\n  x = x * 0.5 + i\n"
              "for i in range(200000):\n  x[0] = x[0] * 0.25 + i\n  k = k + 1\n"
              "  if k > 123456:\n    break\n"
              "for i in range(30):\n  for j in range(i, 3000):\n    x[1] = x[1] * 0.5 + j\n",
              "none"));
}

TEST(RegionErrors, TheHookStopsALongLoop) {
  const StatementList list =
      list_of("x: (2,)\nn = 0\nwhile n < 1e15:\n  x = x * 0.5 + 1\n  n += 1\n", "default");
  int looks = 0;
  RunOptions options;
  options.before_statement = [&](std::size_t) {
    if (++looks == 100) throw std::runtime_error("stopped");
  };
  EXPECT_EQ(run_with<double>(Compile::Now, list, options).failure, "stopped");
}

// ---- loops that threads share ----

/// Loops of 200 iterations or so, and whether threads may share them.
struct SharedCase {
  const char *name, *text;
  bool shared;
};
constexpr SharedCase kSharedCases[] = {
    {"Rows", "for i in range(200):\n  t = np.sin(A[i]) * r\n  B[i] = np.exp(-t) + A[i]\n", true},
    {"Columns",
     "for i in range(1, 199):\n  B[:, i] = np.sin(A[:, i - 1]) + B[:, i] * np.cos(A[:, i + 1])\n",
     true},
    {"Backwards", "for i in range(199, 0, -1):\n  B[i - 1] = np.sin(B[i - 1]) + i\n", true},
    {"Sums", "for i in range(200):\n  t = np.sin(A[i]) * r\n  x[i] = np.sum(t * t) + B[i, 3]\n",
     true},
    {"Elements",
     "for i in range(200):\n  s = 0.0\n  for j in range(200):\n    s = s + np.sin(A[i, j]) * r[j]\n"
     "    if s > 1:\n      s = s * 0.5\n  x[i] = s\n",
     true},
    {"Strided",
     "for i in range(0, 198, 2):\n  B[i] = np.sin(B[i]) + np.cos(A[i])\n"
     "  B[i + 1] = np.sin(B[i]) * np.cos(B[i + 1])\n",
     true},
    {"LastValues",
     "for i in range(200):\n  u = np.sin(A[i]) + np.cos(r)\n  v = u[3] * i\n  B[i] = u * v\n"
     "w = u + v\n",
     true},
    {"Reductions",
     "for i in range(200):\n  x[i] = np.max(np.sin(A[i])) + np.linalg.norm(A[:, i]) + "
     "np.argmax(np.cos(A[i]))\n",
     true},
    {"CarriedScalar", "s = 0.0\nfor i in range(200):\n  s = s + np.sum(np.sin(A[i]))\n  x[i] = s\n",
     false},
    {"CarriedRow", "for i in range(1, 200):\n  B[i] = np.sin(B[i - 1]) + np.cos(A[i])\n", false},
    {"Overlapping", "for i in range(0, 198):\n  B[i:i + 2] = np.sin(A[i:i + 2]) + i\n", false},
    {"OneRow", "for i in range(200):\n  B[3] = np.sin(A[i]) + np.cos(r)\n  x[i] = B[3, 5]\n",
     false},
    {"Conditional",
     "t = r * 2\nfor i in range(200):\n  if x[i] > 0:\n    t = np.sin(A[i]) + np.cos(r)\n"
     "  B[i] = t\n",
     false},
    {"Triangle",
     "for i in range(200):\n  for j in range(1, i):\n    B[i, j] = np.sin(A[j, i]) * r[j] + B[i, j "
     "- 1]\n",
     true},
    {"Crossing", "for i in range(200):\n  B[i] = np.sin(A[i]) + np.cos(r)\n  B[:, i] = A[i] * 2\n",
     false},
    {"Draws", "for i in range(200):\n  B[i] = np.sin(np.random.rand(200)) + np.cos(r)\n", false},
};

const std::string kSharedInputs = "A: (200, 200)\nB: (200, 200)\nr: (200,)\nx: (200,)\n";

/// Compiled, with any number of threads and in any order of the iterations.
template <class T>
void compare_in_any_order(const StatementList& list) {
  const int before = omp_get_max_threads();
  const Made expected = run_with<T>(Compile::Off, list);
  for (const int threads : {1, 2, 3, 8}) {
    omp_set_num_threads(threads);
    EXPECT_EQ(run_with<T>(Compile::Now, list).bits, expected.bits) << threads << " threads";
  }
  omp_set_num_threads(before);
  set_shared_backwards(true);
  EXPECT_EQ(run_with<T>(Compile::Now, list).bits, expected.bits) << "backwards";
  set_shared_backwards(false);
}

class SharedLoops : public testing::TestWithParam<SharedCase> {};

TEST_P(SharedLoops, HaveTheBitsOfTheStatementsInOrder) {
  for (const char* passes : {"none", "fast"}) {
    SCOPED_TRACE(passes);
    const StatementList list = list_of(kSharedInputs + GetParam().text, passes);
    const bool shared = region_report(list, 64).find("threads share") != std::string::npos;
    const bool some_are_calls = passes != std::string("none") && !shared;
    EXPECT_TRUE(shared == GetParam().shared || some_are_calls) << region_report(list, 64);
    compare_in_any_order<float>(list);
    compare_in_any_order<double>(list);
    compare_in_any_order<long double>(list);
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, SharedLoops, testing::ValuesIn(kSharedCases),
                         [](const auto& each) { return each.param.name; });

/// A loop whose statements touch rows, columns and elements at random distances from its variable.
std::string random_loop(std::mt19937& random) {
  const auto below = [&](int n) { return int(random() % unsigned(n)); };
  const char variable = 'i';
  const bool near = below(2) == 0;  // all at one distance
  const int one = below(5);
  const auto place = [&] { return fmt::format("{} + {}", variable, near ? one : below(5)); };
  const auto part = [&](int k) -> std::string {
    const char* const of = k % 2 == 0 ? "B" : "A";
    switch (below(6)) {
      case 0:
        return fmt::format("{}[:, {}]", of, place());
      case 1:
        return below(4) == 0 ? "t" : "r";
      default:
        return fmt::format("{}[{}]", of, place());
    }
  };
  std::string text =
      fmt::format("for i in range({}, {}, {}):\n", below(3), 190 + below(6), 1 + below(3));
  text += fmt::format("  t = np.sin({}) * r\n", part(below(2)));
  for (int k = 1 + below(3); k > 0; --k) switch (below(6)) {
      case 0:
        text += fmt::format("  x[{}] = np.sum(t * {}) + x[{}]\n", place(), part(1), place());
        break;
      case 1:
        text += fmt::format("  if x[{}] > 0:\n    t = t * 0.5 + {}\n", place(), part(1));
        break;
      case 2:
        text +=
            fmt::format("  for j in range({}):\n    B[{}, j] = np.cos(B[{}, j]) * r[j] + t[j]\n",
                        below(2) == 0 ? "200" : "i", place(), place());
        break;
      default:
        text +=
            fmt::format("  {} = np.cos({}) + t * {}\n",
                        near ? fmt::format("B[{}]", place()) : part(0), part(below(2)), part(1));
    }
  return text;
}

TEST(SharedLoops, OfRandomStatementsHaveTheirBits) {
  const unsigned seed = std::random_device()();
  std::mt19937 random(seed);
  std::size_t shared = 0, all = 0;
  for (int program = 0; program < 4; ++program) {
    std::string text = kSharedInputs + "t = r * 0.5\n";
    for (int k = 0; k < 6; ++k, ++all) text += random_loop(random);
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, text));
    const StatementList list = list_of(text, program % 2 == 0 ? "none" : "fast");
    const std::string report = region_report(list, 64);
    for (std::size_t at = 0; (at = report.find("threads share", at)) != std::string::npos; ++at)
      ++shared;
    compare_in_any_order<double>(list);
  }
  EXPECT_GT(shared, 0U);
  EXPECT_LT(shared, all);
  fmt::print("{} of {} loops are shared\n", shared, all);
}

TEST(SharedLoops, StopWhereTheHookThrows) {
  const StatementList list =
      list_of(kSharedInputs +
                  "for i in range(70):\n  for k in range(10 ** 9):\n    for j in range(200):\n"
                  "      B[i, j] = np.sin(B[i, j]) + r[j]\n",
              "default");
  EXPECT_THAT(region_report(list, 64), HasSubstr("threads share"));
  const auto owner = std::this_thread::get_id();
  for (const int threads : {1, 2, 3}) {
    omp_set_num_threads(threads);
    int looks = 0;
    RunOptions options;
    options.before_statement = [&](std::size_t) {
      EXPECT_EQ(std::this_thread::get_id(), owner);
      if (++looks == 30) throw std::runtime_error("stopped");
    };
    EXPECT_EQ(run_with<double>(Compile::Now, list, options).failure, "stopped");
  }
  omp_set_num_threads(omp_get_num_procs());
}

// A run that has begun one by one goes on compiled, at any iteration.
TEST(RegionRuns, TakeOverWithinALoop) {
  const StatementList list = list_of(
      "x: (3,)\ny: (3,)\nfor i in range(300000):\n  x[i % 3] = x[i % 3] * 0.5 + y[0]\n"
      "  y = y * 0.75 + i\n",
      "none");
  const Made expected = run_with<double>(Compile::Off, list);
  const std::int64_t before = compiled_region_runs();
  for (int tries = 0; tries < 200 && compiled_region_runs() == before; ++tries)
    EXPECT_EQ(run_with<double>(Compile::Auto, list).bits, expected.bits);
  EXPECT_GT(compiled_region_runs(), before);
}

TEST(RegionRuns, APreparedListRunsAgainAndAgain) {
  const StatementList list =
      list_of("x: (4,)\nfor i in range(6):\n  x[1:] = x[:-1] + x[1:] * i\n", "fast");
  const Made expected = run_with<double>(Compile::Off, list);
  npmat::fused::set_compile_mode(Compile::Now);
  PreparedList<npmat::CUDAMatrix<double>> prepared(list);
  npmat::fused::set_compile_mode(Compile::Auto);
  for (int i = 0; i < 3; ++i) {
    const auto x = filled({4});
    std::vector<double> out(4);
    prepared.run({{x.data.data()}}, {{out.data()}});
    std::vector<unsigned char> bits(32);
    std::memcpy(bits.data(), out.data(), 32);
    EXPECT_EQ(bits, expected.bits.at("x"));
  }
}

TEST(RegionLists, AreTheOutermostLoopsThatAreNotTooLong) {
  EXPECT_EQ(regions(list_of("x: (2,)\nx = x + 1\n", "none")).size(), 0U);
  const StatementList two = list_of(
      "x: (2,)\nfor i in range(3):\n  for j in range(4):\n    x = x + 1\nif x[0] > 0:\n"
      "  for i in range(3):\n    x = x * 2\n",
      "none");
  const std::vector<Region> all = regions(two);
  ASSERT_EQ(all.size(), 2U);
  for (const Region& region : all) {
    EXPECT_EQ(two.statements[region.first].kind, Statement::Kind::Loop);
    EXPECT_EQ(two.statements[region.last].kind, Statement::Kind::End);
    EXPECT_EQ(two.statements[region.first].loop, two.statements[region.last].loop);
  }
}

TEST(RegionLists, AreChainsOfSmallStatements) {
  std::string text = "x: (N,)\n";
  for (int i = 0; i < 9; ++i) text += fmt::format("x = x * x[{}] + {}\n", i % 3, i);
  const auto sized = [&](const char* n) {
    std::string made = text;
    return list_of(made.replace(made.find('N'), 1, n), "none");
  };
  const std::vector<Region> chain = regions(sized("3"));
  ASSERT_EQ(chain.size(), 1U);
  EXPECT_FALSE(chain[0].is_loop);
  EXPECT_EQ(regions(sized("2000")).size(), 0U);
}

TEST(RegionLists, AreReportedWithTheirCalls) {
  const StatementList list =
      list_of("x: (4,)\nfor i in range(5):\n  x = np.sort(x) * 2\n  x = np.sin(x)\n  print(x[0])\n",
              "none");
  EXPECT_THAT(region_report(list, 64),
              AllOf(HasSubstr("#   3-6: a loop of "), HasSubstr("of the runner: sort"),
                    HasSubstr("print"), Not(HasSubstr("sin"))));
  npmat::fused::set_compile_mode(Compile::Off);
  EXPECT_EQ(region_report(list, 64), "");
  npmat::fused::set_compile_mode(Compile::Auto);
}

}  // namespace
