// Which algorithm computes a product (cudamat/cuda/product_tuning.hpp), on the execution on the
// CPU: of its stand-in for cuBLASLt the algorithm in parts is the fastest, and has bits of its own.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <random>
#include <unistd.h>

#include "cudamat/cuda/graph.hpp"
#include "cudamat/cudamat.hpp"
#include "cudamat/simt/simt.hpp"

namespace {

using cudamat::HostMatrix;
using cudamat::Index;
namespace fs = std::filesystem;

class CudaProductTuning : public testing::Test {
 protected:
  CudaProductTuning()
      : folder(fs::temp_directory_path() / ("cudamat-tuning-" + std::to_string(getpid()))) {
    (void)setenv("CUDAMAT_CACHE_DIR", folder.c_str(), 1);
    mode("auto");
  }
  ~CudaProductTuning() override {
    mode("auto");
    fs::remove_all(folder);
  }

  /// Chooses as a process that has just started.
  static void mode(const char* text) {
    (void)setenv("CUDAMAT_TUNE", text, 1);
    cudamat::shutdown();
  }
  [[nodiscard]] std::ptrdiff_t files() const {
    return fs::exists(folder) ? std::distance(fs::directory_iterator(folder), {}) : 0;
  }

  const fs::path folder;
};

template <class T>
HostMatrix<T> random(Index rows, Index cols, unsigned seed) {
  std::mt19937 bits(seed);
  HostMatrix<T> result({rows, cols}, T(0));
  for (Index i = 0; i < rows * cols; ++i)
    result.data()[i] = std::uniform_real_distribution<T>(-1, 1)(bits);
  return result;
}

template <class T>
std::vector<T> values(cudamat::CUDAMatrix<T>& matrix) {
  const HostMatrix<T>& host = matrix.asarray();
  return {host.data(), host.data() + host.shape().size()};
}

template <class T>
struct Operands {
  explicit Operands(Index m = 160, Index n = 96, Index k = 128)
      : a(random<T>(m, k, 1)), b(random<T>(k, n, 2)), c(random<T>(m, n, 3)) {}

  /// 0.5 * a @ b + c.
  std::vector<T> product() {
    cudamat::CUDAMatrix<T> target = c.copy();
    target.add_dot(a, b, T(0.5));
    return values(target);
  }

  cudamat::CUDAMatrix<T> a, b, c;
};

template <class T>
void expect_near(const std::vector<T>& product, Operands<T>& of) {
  const HostMatrix<T>&a = of.a.asarray(), &b = of.b.asarray(), &c = of.c.asarray();
  const Index m = a.shape().rows, k = a.shape().cols, n = b.shape().cols;
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < m; ++i) {
      long double sum = 0, sizes = 0;
      for (Index l = 0; l < k; ++l) {
        const long double one = static_cast<long double>(a(i, l)) * b(l, j);
        sum += one;
        sizes += std::abs(one);
      }
      const long double expected = 0.5L * sum + c(i, j);
      ASSERT_NEAR(static_cast<double>(product[static_cast<std::size_t>(i + j * m)]),
                  static_cast<double>(expected),
                  static_cast<double>((static_cast<long double>(k) * sizes + std::abs(expected)) *
                                      std::numeric_limits<T>::epsilon()))
          << i << ", " << j;
    }
}

template <class T>
void check_the_fastest_is_taken_and_kept(const fs::path& folder) {
  const auto files = [&] { return std::distance(fs::directory_iterator(folder), {}); };
  Operands<T> operands;
  (void)setenv("CUDAMAT_TUNE", "off", 1);
  cudamat::shutdown();
  const std::vector<T> by_cublas = operands.product();
  EXPECT_FALSE(fs::exists(folder));
  (void)setenv("CUDAMAT_TUNE", "auto", 1);
  const std::vector<T> tuned = operands.product();
  EXPECT_EQ(files(), 1);
  expect_near(by_cublas, operands);
  expect_near(tuned, operands);
  EXPECT_NE(tuned, by_cublas);
  const std::int64_t before = simt::calls();
  EXPECT_EQ(operands.product(), tuned);
  const std::int64_t known = simt::calls() - before;
  cudamat::shutdown();
  const std::int64_t start = simt::calls();
  EXPECT_EQ(operands.product(), tuned) << "as the file has it";
  EXPECT_LT(simt::calls() - start, known + 40) << "nothing is measured again";
  EXPECT_EQ(files(), 1);
}

TEST_F(CudaProductTuning, TakesTheFastestAndKeepsItForLaterProcesses) {
  check_the_fastest_is_taken_and_kept<float>(folder);
  fs::remove_all(folder);
  check_the_fastest_is_taken_and_kept<double>(folder);
}

TEST_F(CudaProductTuning, IsByShapeTransposesAndArithmetic) {
  Operands<float> operands;
  (void)operands.product();
  EXPECT_EQ(files(), 1);
  cudamat::CUDAMatrix<float> square(random<float>(128, 128, 4)), target(random<float>(128, 128, 5));
  cudamat::dot(square, square, target);
  EXPECT_EQ(files(), 2);
  cudamat::dot(square.T(), square, target);
  EXPECT_EQ(files(), 3);
  testing::internal::CaptureStderr();
  cudamat::cuda::set_tf32(true);
  cudamat::dot(square.T(), square, target);
  cudamat::cuda::set_tf32(false);
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(files(), 4);
  cudamat::dot(square.T(), square, target);
  EXPECT_EQ(files(), 4);
}

TEST_F(CudaProductTuning, LeavesShortProductsToCublas) {
  cudamat::CUDAMatrix<float> a(random<float>(100, 100, 1)), target(random<float>(100, 100, 2));
  cudamat::dot(a, a, target);
  EXPECT_EQ(files(), 0);
}

TEST_F(CudaProductTuning, NeedsTheDisk) {
  Operands<float> operands;
  mode("off");
  const auto by_cublas = operands.product();
  mode("auto");
  std::ofstream(folder.string()) << "a file where a folder should be";
  EXPECT_EQ(operands.product(), by_cublas);
  fs::remove(folder);
  (void)setenv("CUDAMAT_CACHE", "off", 1);
  cudamat::shutdown();
  EXPECT_EQ(operands.product(), by_cublas);
  (void)unsetenv("CUDAMAT_CACHE");
  EXPECT_EQ(files(), 0);
}

TEST_F(CudaProductTuning, MeasuresAgainWhatIsDamaged) {
  Operands<float> operands;
  const auto tuned = operands.product();
  ASSERT_EQ(files(), 1);
  const fs::path file = fs::directory_iterator(folder)->path();
  for (const std::string& content : {std::string(), std::string(200, 'x')}) {
    std::ofstream(file, std::ios::binary) << content;
    cudamat::shutdown();
    EXPECT_EQ(operands.product(), tuned);
    EXPECT_EQ(files(), 1);
    EXPECT_NE(fs::file_size(file), content.size());
  }
}

TEST_F(CudaProductTuning, HasNoWayOverTheOperands) {
  Operands<float> operands;
  const auto a = values(operands.a), b = values(operands.b);
  cudamat::CUDAMatrix<float> target = operands.c.copy();
  target.add_dot(operands.a, operands.b, 0.5f);  // measured: added once
  expect_near(values(target), operands);
  EXPECT_EQ(values(operands.a), a);
  EXPECT_EQ(values(operands.b), b);
}

TEST_F(CudaProductTuning, MeasuresNothingWhileCallsAreRecorded) {
  Operands<float> operands;
  mode("off");
  const auto by_cublas = operands.product();
  mode("auto");
  cudamat::cuda::cublas_init();
  cudamat::CUDAMatrix<float> target = operands.c.copy();
  cudamat::cuda::Recorder recorder;
  const auto record = [&] {
    return recorder.record([&] { target.add_dot(operands.a, operands.b, 0.5f); });
  };
  const auto launched = [&](const cudamat::cuda::Graph& graph) {
    target.assign(operands.c);
    graph.launch();
    return values(target);
  };
  const cudamat::cuda::Graph before = record();
  EXPECT_EQ(files(), 0);
  EXPECT_EQ(launched(before), by_cublas);
  const auto tuned = operands.product();
  EXPECT_EQ(launched(record()), tuned) << "what was chosen before";
}

TEST_F(CudaProductTuning, GoesToCublasWhereThereIsNoRoomToMeasureIn) {
  Operands<float> operands;
  mode("off");
  const auto by_cublas = operands.product();
  mode("auto");
  const auto size = static_cast<std::size_t>(operands.c.size()) * sizeof(float);
  simt::set_memory(static_cast<std::size_t>(cudamat::cuda::memory_in_use()) + size + size / 2);
  EXPECT_EQ(operands.product(), by_cublas);
  simt::set_memory(std::size_t{4} << 30);
  EXPECT_EQ(files(), 0);
}

TEST_F(CudaProductTuning, RefusesAnotherMode) {
  Operands<float> operands;
  (void)setenv("CUDAMAT_TUNE", "fast", 1);
  EXPECT_THAT([&] { operands.product(); },
              testing::ThrowsMessage<cudamat::CUDAMatException>(
                  testing::StrEq("[CUDAMAT_TUNE] must be off or auto; got 'fast'")));
}

}  // namespace
