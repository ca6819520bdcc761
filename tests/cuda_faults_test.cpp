// Every call of CUDA, cuBLAS, cuSOLVER and cuRAND failing in turn: nothing leaks, nothing is
// corrupted, and the exception is the right one. On the execution on the CPU, which can make calls
// fail.
#include <gmock/gmock.h>
#include <optional>
#include <string>
#include <vector>

#include "cudamat/cuda/context.hpp"
#include "cudamat/cudamat.hpp"
#include "cudamat/simt/simt.hpp"

namespace {

using cudamat::HostMatrix;
using cudamat::Index;
using cudamat::LibraryError;
using cudamat::Shape;
using testing::HasSubstr;
using testing::StartsWith;
using testing::ThrowsMessage;
namespace cuda = cudamat::cuda;

template <class T>
using Matrix = cudamat::CUDAMatrix<T>;
using Numbers = std::vector<double>;

template <class T>
void note(Numbers& numbers, Matrix<T>& mat) {
  for (const T x : mat.asarray().values()) numbers.push_back(static_cast<double>(x));
}

/// One after the other in a row, as their targets are.
template <class T>
Matrix<T> factorisations(const Matrix<T>& a) {
  using M = Matrix<T>;
  const Index n = a.shape().rows;
  M all = M::empty({1, 12 * n * n});
  Index at = 0;
  const auto next = [&](Shape shape) {
    at += shape.size();
    M part = all.slice(at - shape.size(), at);
    part.reshape(shape);
    return part;
  };
  all.assign(T(0));
  M inverse = next({n, n}), square = cudamat::dot(a.T(), a), root = next({n, n});
  M determinant = next({1, 1}), logarithm = next({1, 2}), symmetric = next({1, n + n * n});
  M singular = next({1, n + 2 * n * n}), triangle = next({1, 2 * n * n});
  M least = next({1, 2 * n + n + 1});
  cudamat::inv(a, inverse);
  cudamat::cholesky(square, root);
  cudamat::det(a, determinant);
  cudamat::slogdet(a, logarithm);
  cudamat::eigh(a, symmetric);
  cudamat::svd(a, singular);
  cudamat::qr(a, triangle);
  cudamat::lstsq(a, a.slice(0, 2), T(-1), least);
  return all;
}

/// Something of everything: each family of kernels, products, draws that take the direct way and
/// the way round, small and large copies.
template <class T>
void use(Numbers& numbers) {
  using M = Matrix<T>;
  M::init_random(7);
  M a = M::randn({37, 12});
  M odd = M::randn({3, 1});  // half a pair is left
  M b = M::empty({37, 12});
  b.fill_with_rand();
  M view = b.slice(1, 4);
  view.fill_with_rand();
  a.add(b).mult(T(0.5));
  M column = a.sum(1);
  a.add_col_vec(column);
  M product = cudamat::dot(a.T(), b);
  M nothing = cudamat::dot(M::empty({5, 0}), M::empty({0, 4}));  // an empty sum
  M winners = a.argmax(0);
  M running = a.cumsum();
  M sorted = a.sort();
  M places = a.get_row_slice(0, 2).argsort();
  M solution = M::empty({12, 1});
  cudamat::solve(product, a.get_row_slice(0, 1).transpose(), solution);
  M factors = factorisations(product);
  M turned = a.transpose();
  M rows = a.get_row_slice(3, 9);
  M picked = M::empty({37, 5});
  HostMatrix<T> order(Shape{1, 5});
  for (Index j = 0; j < 5; ++j) order(0, j) = T((j * 7) % 12);
  M indices(order);
  a.select_columns(indices, picked);
  a.set_selected_columns(indices, picked);
  M items = a.get_item_from_each_row(M::zeros({37, 1}));
  M filtered = cudamat::correlate(a, M(HostMatrix<T>{{1, 2, 3}}));
  cudamat::where(b, a, filtered, b);
  M distinct = M::zeros({1, 444}), often = M::zeros({444, 1}), kept = M::zeros({1, 444});
  numbers.push_back(static_cast<double>(cudamat::unique(a, distinct, often)));
  numbers.push_back(static_cast<double>(cudamat::select(a, filtered, kept)));
  numbers.push_back(static_cast<double>(cudamat::nonzero(winners, kept.slice(3, 15))));
  M in_bins = M::empty({1, 2});
  cudamat::histogram(a, M(HostMatrix<T>{{-1, 0, 1}}), b, in_bins);
  numbers.push_back(static_cast<double>(a.euclid_norm()));
  numbers.push_back(static_cast<double>(cudamat::vdot(a, b)));
  numbers.push_back(static_cast<double>(a.total_max()));
  for (M* const mat :
       {&a, &odd, &b, &product, &winners, &running, &sorted, &places, &solution, &factors, &turned,
        &rows, &items, &column, &distinct, &often, &kept, &in_bins})
    note(numbers, *mat);
  EXPECT_EQ(nothing.asarray(), HostMatrix<T>(Shape{5, 4}, T(0)));
}

/// Copies through staging memory, in two pieces; sums of several blocks and passes.
template <class T>
void use_much(Numbers& numbers) {
  using M = Matrix<T>;
  constexpr auto kLarge = Index(cuda::Staging::kBytes / sizeof(T)) + 1;
  M large(HostMatrix<T>(Shape{1, kLarge}, T(2)));
  numbers.push_back(static_cast<double>(large.asarray()(0, kLarge - 1)));
  M long_row = M::empty({1, 200'000});
  long_row.assign(T(1));
  note(numbers, long_row.sum(1, M::empty({1, 1})));
}

/// Draws by cuRAND: whole pairs, half a pair, to an address in the middle of a pack.
template <class T>
void use_curand(Numbers& numbers) {
  const struct Scope {
    Scope() { cuda::draw_with_curand(true); }
    ~Scope() { cuda::draw_with_curand(false); }
  } scope;
  Matrix<T> a = Matrix<T>::randn({6, 5});
  Matrix<T> odd = Matrix<T>::randn({3, 1});
  Matrix<T> view = a.slice(1, 4);
  view.fill_with_rand();
  note(numbers, a);
  note(numbers, odd);
}

using Use = void (*)(Numbers&);

template <class T>
void use_everything(Numbers& numbers) {
  use<T>(numbers);
  use_curand<T>(numbers);
}

/// From the first call to the last, of a process that starts and ends.
Numbers numbers_of(Use use) {
  Numbers numbers;
  const cuda::Context context;
  const cuda::Context::Scope scope(context);
  cudamat::init();
  use(numbers);
  cuda::release_cached_memory();
  cudamat::cuda_sync_threads();
  cudamat::shutdown();
  return numbers;
}

bool starts_with(const std::string& text, const char* prefix) {
  return text.rfind(prefix, 0) == 0;
}

/// The exception that the failure of `call` may show as.
void expect_right_exception(const std::string& call, const cudamat::CUDAMatException& error) {
  const auto* const library = dynamic_cast<const LibraryError*>(&error);
  if (starts_with(call, "cublas")) {
    ASSERT_NE(library, nullptr) << error.what();
    EXPECT_EQ(library->library(), LibraryError::Library::Cublas);
  } else if (starts_with(call, "cusolver")) {
    ASSERT_NE(library, nullptr) << error.what();
    EXPECT_EQ(library->library(), LibraryError::Library::Cusolver);
  } else if (starts_with(call, "curand")) {
    ASSERT_NE(library, nullptr) << error.what();
    EXPECT_EQ(library->library(), LibraryError::Library::Curand);
  } else if (starts_with(call, "cudaMallocFromPoolAsync")) {
    EXPECT_NE(dynamic_cast<const cudamat::OutOfMemory*>(&error), nullptr) << error.what();
  } else if (library != nullptr) {
    EXPECT_EQ(library->library(), LibraryError::Library::Cuda);
    EXPECT_THAT(error.what(), HasSubstr("cudamat/cuda/")) << "file and line";
  } else {
    EXPECT_THAT(error.what(), StartsWith("[cuda] no usable GPU"));
  }
}

struct Faults {
  const char* name;
  Use use;
  bool sticky;  ///< every call fails from one on, not one alone
  int least;    ///< so many are reported
};

class CudaFaults : public testing::TestWithParam<Faults> {};

TEST_P(CudaFaults, OfEveryCallLeakNothingAndAreReported) {
  const auto [name, use, sticky, least] = GetParam();
  const Numbers wanted = numbers_of(use);
  const std::vector<std::string> at_rest = simt::leaks();
  int reported = 0;
  for (std::int64_t n = 1;; n += sticky ? 13 : 1) {
    const std::int64_t before = simt::calls();
    simt::fail_call(n, sticky);
    bool threw = false;
    try {
      EXPECT_EQ(numbers_of(use), wanted) << "although " << simt::failed_call() << " failed";
    } catch (const cudamat::CUDAMatException& error) {
      threw = true;
      if (!sticky) expect_right_exception(simt::failed_call(), error);
    }
    const std::string call = simt::failed_call();
    simt::fail_call(0);
    if (simt::calls() - before < n) break;
    reported += threw ? 1 : 0;
    ASSERT_EQ(simt::leaks(), at_rest) << "after " << call << ", call " << n;
    EXPECT_EQ(cuda::memory_in_use(), 0) << call;
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(reported, least);
  EXPECT_EQ(numbers_of(use), wanted) << "all is well afterwards";
}

constexpr Faults kFaults[] = {{"OneCall", use_everything<float>, false, 100},
                              {"EveryCallFromOneOn", use_everything<float>, true, 10},
                              {"OneCallInLargeCopies", use_much<float>, false, 10},
                              {"OneCallInDouble", use_everything<double>, false, 100},
                              {"EveryCallFromOneOnInDouble", use_everything<double>, true, 10},
                              {"OneCallInLargeCopiesInDouble", use_much<double>, false, 10}};
INSTANTIATE_TEST_SUITE_P(Each, CudaFaults, testing::ValuesIn(kFaults),
                         [](const auto& param) { return std::string(param.param.name); });

TEST(CudaFaults, NeverFreeMemoryThatAnotherContextMayBeReading) {
  // simt ends the program where nothing orders the read and the free.
  const HostMatrix<float> ones(Shape{300, 50}, 1.0f);
  const cuda::Context context;
  std::int64_t made = 0;
  for (std::int64_t n = 1; n <= made + 1; ++n) {
    std::optional<Matrix<float>> read(ones);
    cudamat::cuda_sync_threads();
    const cuda::Context::Scope scope(context);
    Matrix<float> copy = Matrix<float>::empty(ones.shape());
    copy.assign(*read);
    const std::int64_t before = simt::calls();
    simt::fail_call(n);
    read.reset();
    simt::fail_call(0);
    made = simt::calls() - before;
    EXPECT_EQ(copy.asarray(), ones) << simt::failed_call();
  }
  EXPECT_GE(made, 4) << "an event is made, recorded, waited for; the memory is freed";
}

TEST(CudaFaults, WithoutADeviceSayHowToRunOnTheCpu) {
  simt::set_devices(0);
  EXPECT_EQ(cuda::device_count(), 0);
  EXPECT_THAT(cuda::describe_device(), StartsWith("no usable GPU: no CUDA-capable device"));
  EXPECT_THAT([] { const cuda::Context context; },
              ThrowsMessage<cudamat::CUDAMatException>(HasSubstr("GNUMPY_USE_GPU=no")));
  simt::set_devices(2);
  EXPECT_EQ(cuda::device_count(), 2);
}

TEST(CudaFaults, WithAnOldDriverSayWhatWasFound) {
  simt::set_driver_version(12040);
  EXPECT_EQ(cuda::device_count(), 0);
  EXPECT_THAT([] { cuda::require_device(); },
              ThrowsMessage<cudamat::CUDAMatException>(
                  testing::AllOf(HasSubstr("driver for CUDA 12.4"), HasSubstr("runtime 13."))));
  simt::set_driver_version(13000);
}

TEST(CudaFaults, WithAnOldGpuSayWhatIsNeeded) {
  simt::set_compute_capability(6, 1);
  EXPECT_THAT([] { cuda::require_device(); },
              ThrowsMessage<cudamat::CUDAMatException>(HasSubstr("6.1, and 7.5 or later")));
  simt::set_compute_capability(9, 0);
}

TEST(CudaFaults, WithoutMemoryPoolsSayWhatIsMissing) {
  simt::set_memory_pools(false);
  EXPECT_EQ(cuda::device_count(), 0);
  EXPECT_THAT([] { cuda::require_device(); },
              ThrowsMessage<cudamat::CUDAMatException>(HasSubstr("has no memory pools")));
  simt::set_memory_pools(true);
}

TEST(CudaFaults, FullDeviceSaysWhatIsInUse) {
  const Matrix<float> held = Matrix<float>::empty({1000, 1});
  simt::set_memory(std::size_t{64} << 20);
  EXPECT_THAT(
      [] {
        Matrix<float>::empty({1 << 24, 2});
      },
      ThrowsMessage<cudamat::OutOfMemory>(testing::AllOf(
          HasSubstr("cannot allocate 134217728 bytes"), HasSubstr("4000 are in use"))));
  EXPECT_NO_THROW(Matrix<float>::empty({1000, 1000}));
  simt::set_memory(std::size_t{4} << 30);
}

TEST(CudaFaults, SortsWithoutMemoryToSpare) {
  cuda::release_cached_memory();
  simt::set_memory(std::size_t{3} << 20);
  constexpr Index kRows = 1 << 19;
  HostMatrix<float> falling(Shape{kRows, 1});
  for (Index i = 0; i < kRows; ++i) falling(i, 0) = float(kRows - i);
  Matrix<float> a(falling);  // 2 MiB
  a.sort(a);
  const HostMatrix<float>& rising = a.asarray();
  for (Index i = 0; i < kRows; ++i) ASSERT_EQ(rising(i, 0), float(i + 1));
  simt::set_memory(std::size_t{4} << 30);
}

}  // namespace
