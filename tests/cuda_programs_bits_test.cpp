// Programs that symdump --emit cuda prints, run on the CPU (cuda_program_host), beside the runs of
// their lists on the CUDA engine: all bits are the same.
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>

#include "npmat/npy.hpp"
#include "rewriter/emit/print.hpp"
#include "tests/python.hpp"

#include "cuda_lists.hpp"

namespace {

using namespace cuda_lists;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  return at == text.npos ? text : text.replace(at, from.size(), to);
}

template <class T>
auto bits_of(T x) {
  return std::bit_cast<std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>(x);
}

class CudaProgram : public testing::Test {
 protected:
  void build(const std::string& text, const char* option = "") {
    const std::string source = (folder_ / "program.cpp").string();
    std::ofstream(source) << replaced(
        text, "extern __shared__ __align__(16) unsigned char of_the_block[];",
        "auto* const of_the_block = static_cast<unsigned char*>(simt::shared_memory());");
    const std::string command = fmt::format(
        "{0} -std=c++20 -O1 -fPIC -shared -fno-gnu-unique -ffp-contract=off -fno-math-errno "
        "-fno-trapping-math -Wno-unknown-pragmas -Dmain=cuda_program {1} -isystem "
        "{2}/cudamat/simt/include -isystem {2}/cudamat/simt/device -isystem {2} {3} -o "
        "{4}/program.so",
        std::getenv("SIMT_COMPILER"), option, CUDAMAT_SOURCE_DIR, source, folder_.path().string());
    ASSERT_EQ(std::system(command.c_str()), 0) << text;
  }

  /// Its status.
  [[nodiscard]] int run(const std::string& arguments) const {
    return std::system(
        fmt::format("{} {}/program.so {}", CUDA_PROGRAM_HOST, folder_.path().string(), arguments)
            .c_str());
  }

  const tests::TemporaryFolder folder_;
};

/// Programs of an input X and an output y, and the passes that they go through.
struct Case {
  const char* text;
  const char* passes = "none";
};

class CudaPrograms : public CudaProgram, public testing::WithParamInterface<Case> {
 protected:
  template <class T>
  void expect_same_bits() {
    const StatementList list = list_of(GetParam().text, GetParam().passes);
    const auto inputs = inputs_of<T>(list);
    const npmat::Array<T> expected =
        rewriter::run<cudamat::CUDAMatrix<T>>(list, inputs).outputs.at("y");
    npmat::save_npy((folder_ / "X.npy").string(), inputs.at("X"));
    const std::string text =
        print_cuda_program(list, nullptr, PrintOptions{.bytes_per_element = int{sizeof(T)}});
    build(text);
    ASSERT_EQ(run(fmt::format("X={0}/X.npy {0}", folder_.path().string())), 0) << text;
    const auto got = npmat::load_npy<T>((folder_ / "y.npy").string());
    ASSERT_EQ(got.shape, expected.shape);
    for (std::size_t k = 0; k < expected.data.size(); ++k)
      ASSERT_EQ(bits_of(got.data[k]), bits_of(expected.data[k])) << k << '\n' << text;
  }
};

TEST_P(CudaPrograms, HaveTheBitsOfTheEngineInFloat) {
  expect_same_bits<float>();
}

TEST_P(CudaPrograms, HaveTheBitsOfTheEngineInDouble) {
  expect_same_bits<double>();
}

TEST_F(CudaProgram, TakesPointersOfTheDevice) {
  const StatementList list = list_of("X: (3, 2)\ny = X * 2\n", "none");
  build(print_cuda_program(list, nullptr, {.bytes_per_element = 4}) + R"(
int main() {
  float x[] = {1, 2, 3, 4, 5, 6}, y[6] = {}, *on_device = nullptr;
  (void)cudaMalloc(&on_device, 2 * sizeof x);
  (void)cudaMemcpy(on_device, x, sizeof x, cudaMemcpyHostToDevice);
  const int failed = program(on_device, 6, on_device + 6, 6);
  (void)cudaMemcpy(y, on_device + 6, sizeof y, cudaMemcpyDeviceToHost);
  for (int k = 0; k < 6; ++k)
    if (y[k] != 2 * x[k]) return 1;
  return failed;
})",
        "-DNO_MAIN");
  EXPECT_EQ(run(""), 0);
}

INSTANTIATE_TEST_SUITE_P(
    Of, CudaPrograms,
    testing::Values(
        Case{"X: (700, 90)\ny = np.tanh(X) * np.exp(-X * X) + X[3] / (1 + abs(X)) ** 1.5\n"
             "y = y + X.sum(axis=0) + X.mean(axis=1, keepdims=True) + X.max(axis=0) - X.sum() + "
             "np.linalg.norm(X) + X.mean() + X.argmax(axis=0) + X.argmin(axis=1).reshape(-1, 1)\n"},
        Case{"X: (3, 5000)\ny = ((X - X.mean(axis=1, keepdims=True)) ** 2).sum(axis=1) + (X * "
             "X).sum() "
             "+ np.log1p(np.exp(X)).sum(axis=0).max()\n",
             "fast"},
        Case{"X: (40, 30)\nnp.random.seed(3)\ny = np.random.randn(40, 30) + np.random.rand(40, 30) "
             "* X\n"},
        Case{"X: (60, 7)\no = np.argsort(X[:, 0])\ny = np.cumsum(np.sort(X, axis=0), axis=1)[o] + "
             "np.cumsum(X, axis=0)\n"
             "for i in range(1, 60):\n    y[i] = y[i] + y[i - 1] * X[i]\n",
             "default"},
        Case{"X: (500,)\nk = (abs(X) * 20).astype(int)\ny = np.bincount(k, weights=X, "
             "minlength=12) + np.bincount(k, minlength=12)\n"},
        Case{"X: (12, 12)\ny = np.linalg.solve(X @ X.T + 9 * np.eye(12), X) @ X.T + "
             "np.linalg.det(X)\n"}));

}  // namespace
