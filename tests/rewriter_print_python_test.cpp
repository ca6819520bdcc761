// The printed Python programs run on a stand-in for the original package (tests/data/cudamat.py)
// and compute what NumPy computes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "npmat/npy.hpp"
#include "rewriter/emit/print.hpp"
#include "tests/print_check.hpp"
#include "tests/print_samples_calls.hpp"

namespace {

using rewriter::Op;
using rewriter::print_cudamat_py;
using testing::HasSubstr;

/// Python that imports the list's module as `module` and the stand-in as `cm`.
std::string import_module(const tests::TemporaryFolder& folder,
                          const rewriter::StatementList& list) {
  tests::write_file(folder / "module.py", print_cudamat_py(list));
  return std::string("import sys, os, warnings\nwarnings.simplefilter('ignore')\n") +
         "sys.dont_write_bytecode = True\n" +
         "sys.path[:0] = [sys.argv[1], '" CUDAMAT_SOURCE_DIR "/tests/data']\n" +
         "import numpy as np\nimport cudamat as cm\nimport module\n";
}

std::string run(const tests::TemporaryFolder& folder, const std::string& script) {
  return tests::run_python(script, {folder.path().string()});
}

TEST(PrintPython, ReadsLikeAProgram) {
  EXPECT_THAT(print_cudamat_py(samples::gradient()), HasSubstr(R"(
def program(**inputs):
    if not _started:
        start()
    X = _upload(inputs, "X")
    W = _upload(inputs, "W")
    h = _upload(inputs, "h")
    x = _upload(inputs, "x")
    z = _upload(inputs, "z")

    # 7: delta_o = -(x - z)
    t1 = cm.empty((128, 784))
    x.subtract(z, target=t1)
    delta_o = cm.empty((128, 784))
    t1.mult(-1, target=delta_o)
    t1.free_device_memory()
)"));
}

TEST(PrintPython, ComputesTheGradient) {
  CUDAMAT_NEEDS_NUMPY();
  const tests::TemporaryFolder folder;
  EXPECT_EQ(run(folder, import_module(folder, samples::gradient(5, 7, 3)) + R"(
rng = np.random.RandomState(0)
inputs = {name: rng.randn(*shape) for name, shape in module.INPUTS.items()}
X, W, h, x, z = (inputs[name] for name in 'XWhxz')
for call in range(2):
    results = module.program(**inputs)
    delta_o = -(x - z)
    delta_h = np.dot(delta_o, W) * h * (1.0 - h)
    np.testing.assert_allclose(results['grad_W'], np.dot(X.T, delta_h), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(results['delta_h'], delta_h, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(results['delta_o'], delta_o, rtol=1e-5)
print(sorted(results), cm.live_bytes())
)"),
            "['delta_h', 'delta_o', 'grad_W'] 0\n");
}

TEST(PrintPython, ComputesWhatNumpyComputes) {
  CUDAMAT_NEEDS_NUMPY();
  const tests::TemporaryFolder folder;
  for (const auto& [name, array] : print_check::call_inputs())
    npmat::save_npy(folder / (name + ".npy"), array);
  const samples::Checked sample = samples::calls(false);
  run(folder, import_module(folder, sample.list) + R"(
load = lambda name: np.load(os.path.join(sys.argv[1], name + '.npy'))
results = module.program(**{name: load(name) for name in module.INPUTS})
for name, array in results.items():
    np.save(os.path.join(sys.argv[1], name + '.npy'), array)
assert cm.live_bytes() == 0
)");
  EXPECT_EQ(run(folder, print_check::compare_files(sample.expected, "2e-6")), "");
}

TEST(PrintPython, TakesNamesThatPythonUses) {
  CUDAMAT_NEEDS_NUMPY();
  const tests::TemporaryFolder folder;
  EXPECT_EQ(run(folder, import_module(folder, samples::awkward()) + R"(
inputs = {name: float(i) for i, name in enumerate(module.INPUTS)}
results = module.program(**inputs)
assert list(results) == list(inputs)
for name, array in results.items():
    assert array.shape == () and array == inputs[name] + 1, name
print(len(results))
)"),
            std::to_string(samples::awkward_names().size()) + "\n");
}

TEST(PrintPython, SaysWhichInputIsWrong) {
  CUDAMAT_NEEDS_NUMPY();
  const tests::TemporaryFolder folder;
  EXPECT_EQ(run(folder, import_module(folder, samples::gradient(5, 7, 3)) + R"(
for inputs in {}, {'X': np.zeros((7, 5))}:
    try:
        module.program(**inputs)
    except (TypeError, ValueError) as error:
        print(type(error).__name__ + ':', error)
)"),
            "TypeError: program() needs the array X\n"
            "ValueError: X must have the shape (5, 7); got (7, 5)\n");
}

TEST(PrintPython, StartsWithOnesForTheLongestSumAndSeedsWhatDraws) {
  CUDAMAT_NEEDS_NUMPY();
  const tests::TemporaryFolder folder;
  samples::Builder b;
  const auto x = b.input("x", {300'000});
  const auto sum = b.empty("sum", {1, 1});
  b.call(Op::sum, sum, {{x}}, {}, {1});
  const auto u = b.empty("u", {2, 2});
  b.call(Op::fill_with_rand, u, {}).output("sum", sum, {}).output("u", u, {2, 2});
  EXPECT_EQ(run(folder, import_module(folder, b.done()) + R"(
results = module.program(x=np.ones(300000))
print(results['sum'], (results['u'] > 0).all())
)"),
            "300000.0 True\n");
}

std::string refusal(Op op, rewriter::SourceLocation where) {
  samples::Builder b("prog.py", "x: (2, 2)\n\ny = 1 + np.log1p(x)\n");
  const auto x = b.input("x", {2, 2});
  b.at(where.line, where.column).call(op, x, {{x}});
  try {
    print_cudamat_py(b.done());
  } catch (const cudamat::CUDAMatException& error) {
    return error.what();
  }
  return "";
}

TEST(PrintPython, RefusesWhatTheOriginalPackageLacks) {
  EXPECT_EQ(refusal(Op::log1p, {3, 9}),
            "[cudamat-py] prog.py:3:9: the original package has no log1p; write np.log(1 + x)\n"
            "    y = 1 + np.log1p(x)\n"
            "            ^");
  EXPECT_EQ(refusal(Op::isnan, {0, 0}),
            "[cudamat-py] the original package has no isnan; --emit cudamat-cpp supports it");
  for (const auto& row : cudamat::kOpTable)
    if (row.family == cudamat::Family::Unary) {
      EXPECT_EQ(refusal(row.op, {3, 1}).empty(), !row.has(cudamat::kExtension)) << row.name;
    }
}

}  // namespace
