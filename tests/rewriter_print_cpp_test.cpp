// The printed C++ programs compile without a warning and compute what NumPy computes.
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "npmat/npmat.hpp"
#include "npmat/npy.hpp"
#include "rewriter/run/run.hpp"
#include "tests/loop_sample.hpp"
#include "tests/print_check.hpp"
#include "tests/print_samples_calls.hpp"

// What the headers include is included above: in these namespaces is only the function.
namespace gradient {
#include "generated_print/gradient.hpp"
}
namespace calls {
#include "generated_print/calls.hpp"
}
namespace awkward {
#include "generated_print/awkward.hpp"
}
namespace loops {
#include "generated_print/loops.hpp"
}
namespace transposed {
#include "generated_print/transposed.hpp"
}
namespace nothing {
#include "generated_print/empty.hpp"
}

namespace {

template <class T>
using Arrays = std::map<std::string, npmat::Array<T>>;

/// Writes the arrays NAME.npy into the folder.
template <class T>
void save(const Arrays<T>& arrays, const std::filesystem::path& folder) {
  for (const auto& [name, array] : arrays) npmat::save_npy(folder / (name + ".npy"), array);
}

template <class T>
Arrays<T> call_inputs() {
  Arrays<T> inputs;
  for (const auto& [name, array] : print_check::call_inputs())
    inputs[name] = {array.shape, std::vector<T>(array.data.begin(), array.data.end())};
  return inputs;
}

template <class T>
class PrintedCpp : public testing::Test {};
using Types = testing::Types<float, double, long double>;
TYPED_TEST_SUITE(PrintedCpp, Types);

TYPED_TEST(PrintedCpp, ComputesWhatNumpyComputes) {
  CUDAMAT_NEEDS_NUMPY();
  const tests::TemporaryFolder folder;
  const auto inputs = call_inputs<TypeParam>();
  save(inputs, folder.path());
  const auto results = calls::program<npmat::CUDAMatrix<TypeParam>>(inputs);
  const samples::Checked sample = samples::calls(true);
  ASSERT_EQ(results.size(), sample.list.outputs.size());
  save(results, folder.path());
  const std::string tolerance = sizeof(TypeParam) == 4 ? "2e-6" : "1e-14";
  EXPECT_EQ(tests::run_python(print_check::compare_files(sample.expected, tolerance),
                              {folder.path().string()}),
            "");
}

TYPED_TEST(PrintedCpp, TakesNamesThatCppUses) {
  Arrays<TypeParam> inputs;
  TypeParam value = 0;
  for (const std::string& name : samples::awkward_names()) inputs[name] = {{}, {++value}};
  const auto results = awkward::program<npmat::CUDAMatrix<TypeParam>>(inputs);
  ASSERT_EQ(results.size(), inputs.size());
  for (const auto& [name, array] : inputs) {
    EXPECT_EQ(results.at(name).data, std::vector<TypeParam>{array.data[0] + 1}) << name;
    EXPECT_TRUE(results.at(name).shape.empty()) << name;
  }
}

TYPED_TEST(PrintedCpp, LoopsAndPrintsAsTheRunner) {
  using Matrix = npmat::CUDAMatrix<TypeParam>;
  Arrays<TypeParam> inputs{{"X", {{5, 6}, {}}}};
  for (int i = 0; i < 30; ++i) inputs["X"].data.push_back(static_cast<TypeParam>(i % 7) / 2);
  std::string printed;
  const auto expected = rewriter::run<Matrix>(
      samples::loops(), inputs, {.print = [&](const std::string& text) { printed += text; }});
  testing::internal::CaptureStdout();
  const auto results = loops::program<Matrix>(inputs);
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "after {1} steps: -1 true 5;"
            "after {2} steps: 0 true 5;"
            "after {3} steps: 1 true 5;\n");
  EXPECT_EQ(printed,
            "after {1} steps: -1 True 5;after {2} steps: 0 True 5;after {3} steps: 1 True 5;\n");
  ASSERT_EQ(results.size(), expected.outputs.size());
  for (const auto& [name, array] : expected.outputs) {
    EXPECT_EQ(results.at(name).shape, array.shape) << name;
    EXPECT_EQ(results.at(name).data, array.data) << name;
  }
}

TYPED_TEST(PrintedCpp, TakesAndGivesArraysAsNumpyHasThem) {
  using Matrix = npmat::CUDAMatrix<TypeParam>;
  const Arrays<TypeParam> inputs{{"X", {{3, 2}, {1, 2, 3, 4, 5, 6}}}, {"w", {{2}, {10, 100}}}};
  const auto printed = transposed::program<Matrix>(inputs);
  const auto run = rewriter::run<Matrix>(samples::transposed(), inputs).outputs;
  for (const auto& results : {printed, run}) {
    EXPECT_EQ(results.at("y").shape, (std::vector<std::int64_t>{3, 2}));
    EXPECT_EQ(results.at("y").data, (std::vector<TypeParam>{10, 200, 30, 400, 50, 600}));
    EXPECT_EQ(results.at("s").shape, (std::vector<std::int64_t>{2}));
    EXPECT_EQ(results.at("s").data, (std::vector<TypeParam>{9, 12}));
  }
}

TYPED_TEST(PrintedCpp, OfAnEmptyListDoesNothing) {
  EXPECT_TRUE(nothing::program<npmat::CUDAMatrix<TypeParam>>({}).empty());
}

TEST(PrintedCppErrors, NameTheInput) {
  using Matrix = npmat::CUDAMatrix<float>;
  const auto message = [](const Arrays<float>& inputs) -> std::string {
    try {
      gradient::program<Matrix>(inputs);
    } catch (const cudamat::CUDAMatException& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message({}), "[program] input X is missing");
  EXPECT_EQ(message({{"X", {{7, 5}, std::vector<float>(35)}}}),
            "[program] input X must have the shape (5, 7); got (7, 5)");
}

}  // namespace
