// The stand-ins for cuBLAS, cuSOLVER and cuRAND, faults on demand, and the list of leaks.
#include <cublas_v2.h>
#include <curand.h>
#include <cusolverDn.h>
#include <gmock/gmock.h>

#include "npmat/random.hpp"
#include "tests/simt_fixture.hpp"
#include "tests/simt_test_kernels.hpp"

namespace simt_test {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

using SimtCublas = Simt;
using SimtCusolver = Simt;
using SimtCusolverDeathTest = Simt;
using SimtCurand = Simt;
using SimtCurandDeathTest = Simt;
using SimtFaults = Simt;

// ---- cuBLAS ----

class Blas {
 public:
  Blas() { EXPECT_EQ(cublasCreate(&handle), CUBLAS_STATUS_SUCCESS); }
  ~Blas() { (void)cublasDestroy(handle); }
  Blas(const Blas&) = delete;
  Blas& operator=(const Blas&) = delete;
  cublasHandle_t handle = nullptr;
};

// [1 2; 3 4; 5 6] [7 8 9; 10 11 12] = [27 30 33; 61 68 75; 95 106 117]
const std::vector<double> kA{1, 3, 5, 2, 4, 6};
const std::vector<double> kATransposed{1, 2, 3, 4, 5, 6};
const std::vector<double> kB{7, 10, 8, 11, 9, 12};
const std::vector<double> kBTransposed{7, 8, 9, 10, 11, 12};
const std::vector<double> kAB{27, 61, 95, 30, 68, 106, 33, 75, 117};

TEST_F(SimtCublas, ProductsAreThoseByHand) {
  const Blas blas;
  const double one = 1;
  const double zero = 0;
  for (const cublasOperation_t ta : {CUBLAS_OP_N, CUBLAS_OP_T})
    for (const cublasOperation_t tb : {CUBLAS_OP_N, CUBLAS_OP_T}) {
      const Device<double> a(ta == CUBLAS_OP_N ? kA : kATransposed);
      const Device<double> b(tb == CUBLAS_OP_N ? kB : kBTransposed);
      const Device<double> c(9);  // NaN, and not read where beta is 0
      ASSERT_EQ(cublasDgemm_64(blas.handle, ta, tb, 3, 3, 2, &one, a, ta == CUBLAS_OP_N ? 3 : 2, b,
                               tb == CUBLAS_OP_N ? 2 : 3, &zero, c, 3),
                CUBLAS_STATUS_SUCCESS);
      EXPECT_EQ(c.values(), kAB);
    }
}

TEST_F(SimtCublas, ScalesAndAdds) {
  const Blas blas;
  const float two = 2;
  const float minus_one = -1;
  const Device<float> a(std::vector<float>(kA.begin(), kA.end()));
  const Device<float> b(std::vector<float>(kB.begin(), kB.end()));
  const Device<float> c(std::vector<float>(9, 4.0F));
  ASSERT_EQ(cublasSgemm_64(blas.handle, CUBLAS_OP_N, CUBLAS_OP_N, 3, 3, 2, &two, a, 3, b, 2,
                           &minus_one, c, 3),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(c.values(), (std::vector<float>{50, 118, 186, 56, 132, 208, 62, 146, 230}));
}

TEST_F(SimtCublas, Tf32RoundsTheOperands) {
  const Blas blas;
  const float one = 1;
  const float zero = 0;
  const Device<float> a(std::vector<float>{1 + 0x1p-12F});
  const Device<float> c(1);
  const auto product = [&] {
    EXPECT_EQ(cublasSgemm_64(blas.handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, a, 1, a, 1,
                             &zero, c, 1),
              CUBLAS_STATUS_SUCCESS);
    return c.values()[0];
  };
  EXPECT_EQ(product(), 1 + 0x1p-11F);
  ASSERT_EQ(cublasSetMathMode(blas.handle, CUBLAS_TF32_TENSOR_OP_MATH), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(product(), 1);
}

TEST_F(SimtCublas, RefusesBadShapes) {
  const Blas blas;
  const double one = 1;
  const Device<double> a(9);
  const auto status = [&](std::int64_t m, std::int64_t k, std::int64_t lda, std::int64_t ldc) {
    return cublasDgemm_64(blas.handle, CUBLAS_OP_N, CUBLAS_OP_N, m, 1, k, &one, a, lda, a, 3, &one,
                          a, ldc);
  };
  EXPECT_EQ(status(-1, 1, 3, 3), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(status(3, 1, 2, 3), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(status(3, 1, 3, 2), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(status(0, 0, 0, 1), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(status(0, 0, 1, 1), CUBLAS_STATUS_SUCCESS);
  EXPECT_STREQ(cublasGetStatusName(CUBLAS_STATUS_INVALID_VALUE), "CUBLAS_STATUS_INVALID_VALUE");
}

// ---- cuSOLVER ----

class Solver {
 public:
  Solver() {
    EXPECT_EQ(cusolverDnCreate(&handle), CUSOLVER_STATUS_SUCCESS);
    EXPECT_EQ(cusolverDnCreateParams(&params), CUSOLVER_STATUS_SUCCESS);
  }
  ~Solver() {
    (void)cusolverDnDestroyParams(params);
    (void)cusolverDnDestroy(handle);
  }
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  cusolverStatus_t getrf(double* a, std::int64_t n, std::int64_t* pivots, std::size_t less = 0) {
    std::size_t device_bytes = 0, host_bytes = 0;
    EXPECT_EQ(cusolverDnXgetrf_bufferSize(handle, params, n, n, CUDA_R_64F, a, n, CUDA_R_64F,
                                          &device_bytes, &host_bytes),
              CUSOLVER_STATUS_SUCCESS);
    const Device<std::byte> buffer(device_bytes);
    std::vector<std::byte> host(host_bytes);
    return cusolverDnXgetrf(handle, params, n, n, CUDA_R_64F, a, n, pivots, CUDA_R_64F, buffer,
                            device_bytes - less, host.data(), host_bytes, info);
  }

  cusolverStatus_t values(double* a, std::int64_t m, std::int64_t n, double* to) {
    std::size_t device_bytes = 0, host_bytes = 0;
    if (const cusolverStatus_t status = cusolverDnXgesvd_bufferSize(
            handle, params, 'N', 'N', m, n, CUDA_R_64F, a, m, CUDA_R_64F, to, CUDA_R_64F, nullptr,
            m, CUDA_R_64F, nullptr, n, CUDA_R_64F, &device_bytes, &host_bytes))
      return status;
    const Device<std::byte> buffer(device_bytes);
    std::vector<std::byte> host(host_bytes);
    return cusolverDnXgesvd(handle, params, 'N', 'N', m, n, CUDA_R_64F, a, m, CUDA_R_64F, to,
                            CUDA_R_64F, nullptr, m, CUDA_R_64F, nullptr, n, CUDA_R_64F, buffer,
                            device_bytes, host.data(), host_bytes, info);
  }

  cusolverDnHandle_t handle = nullptr;
  cusolverDnParams_t params = nullptr;
  Device<int> info{1};
};

// [0 2; 4 6] with its rows exchanged: L = [1 0; 0 1], U = [4 6; 0 2]
TEST_F(SimtCusolver, FactorsAreThoseByHand) {
  Solver solver;
  const Device<double> a(std::vector<double>{0, 4, 2, 6});
  const Device<std::int64_t> pivots(2);
  ASSERT_EQ(solver.getrf(a, 2, pivots), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(a.values(), (std::vector<double>{4, 0, 6, 2}));
  EXPECT_EQ(pivots.values(), (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(solver.info.values()[0], 0);
  const Device<double> b(std::vector<double>{2, 10});
  ASSERT_EQ(cusolverDnXgetrs(solver.handle, solver.params, CUBLAS_OP_N, 2, 1, CUDA_R_64F, a, 2,
                             pivots, CUDA_R_64F, b, 2, solver.info),
            CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(b.values(), (std::vector<double>{1, 1}));
}

TEST_F(SimtCusolver, RefusesWhatTheLibraryRefuses) {
  Solver solver;
  const Device<double> a(6);
  const Device<std::int64_t> pivots(2);
  EXPECT_EQ(solver.getrf(a, 2, pivots, 1), CUSOLVER_STATUS_INVALID_VALUE) << "too little memory";
  EXPECT_EQ(solver.values(a, 2, 3, a), CUSOLVER_STATUS_INVALID_VALUE) << "wide";
  std::size_t bytes = 0;
  EXPECT_EQ(cusolverDnXgetrf_bufferSize(solver.handle, nullptr, 2, 2, CUDA_R_64F, a, 2, CUDA_R_64F,
                                        &bytes, &bytes),
            CUSOLVER_STATUS_INVALID_VALUE);
}

TEST_F(SimtCusolverDeathTest, FailsWhereMemoryIsTooSmallOrNotFinite) {
  Solver solver;
  const Device<double> a(std::vector<double>{1, 2, std::nan(""), 4});
  const Device<std::int64_t> pivots(1);
  EXPECT_DEATH((void)solver.getrf(a, 2, pivots),
               "cusolverDnXgetrf: writes 16 bytes .* past its end");
  EXPECT_DEATH((void)solver.values(a, 2, 2, a), "reads NaN or infinity at .0, 1.");
}

// ---- cuRAND ----

class Random {
 public:
  explicit Random(curandOrdering_t ordering = CURAND_ORDERING_PSEUDO_LEGACY) {
    EXPECT_EQ(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_PHILOX4_32_10),
              CURAND_STATUS_SUCCESS);
    EXPECT_EQ(curandSetGeneratorOrdering(generator, ordering), CURAND_STATUS_SUCCESS);
    EXPECT_EQ(curandSetPseudoRandomGeneratorSeed(generator, 42), CURAND_STATUS_SUCCESS);
  }
  ~Random() { (void)curandDestroyGenerator(generator); }
  Random(const Random&) = delete;
  Random& operator=(const Random&) = delete;
  curandGenerator_t generator = nullptr;
};

TEST_F(SimtCurand, ValuesAreThoseOfNpmat) {
  const Random random;
  npmat::Generator expected(42);
  std::vector<float> values(1000);
  const Device<float> out(1000);
  for (int call = 0; call < 2; ++call) {  // the second goes on where the first ended
    ASSERT_EQ(curandGenerateUniform(random.generator, out, 1000), CURAND_STATUS_SUCCESS);
    expected.uniform(values.data(), 1000);
    EXPECT_EQ(out.values(), values);
  }
  ASSERT_EQ(curandGenerateNormal(random.generator, out, 1000, 3, 2), CURAND_STATUS_SUCCESS);
  expected.normal(values.data(), 1000);
  for (float& x : values) x = 3 + 2 * x;
  EXPECT_EQ(out.values(), values);
}

TEST_F(SimtCurand, OffsetsAreThoseOfNpmat) {
  const Random random;
  npmat::Generator expected(42);
  expected.seek(300001);
  std::vector<double> values(10);
  expected.uniform(values.data(), 10);
  ASSERT_EQ(curandSetGeneratorOffset(random.generator, 300001), CURAND_STATUS_SUCCESS);
  const Device<double> out(10);
  ASSERT_EQ(curandGenerateUniformDouble(random.generator, out, 10), CURAND_STATUS_SUCCESS);
  EXPECT_EQ(out.values(), values);
}

TEST_F(SimtCurand, ASeedAloneDoesNotRestartTheStream) {
  const Random random;
  const Device<float> first(8);
  const Device<float> again(8);
  ASSERT_EQ(curandGenerateUniform(random.generator, first, 8), CURAND_STATUS_SUCCESS);
  ASSERT_EQ(curandSetPseudoRandomGeneratorSeed(random.generator, 42), CURAND_STATUS_SUCCESS);
  ASSERT_EQ(curandGenerateUniform(random.generator, again, 8), CURAND_STATUS_SUCCESS);
  EXPECT_NE(again.values(), first.values());
  ASSERT_EQ(curandSetPseudoRandomGeneratorSeed(random.generator, 42), CURAND_STATUS_SUCCESS);
  ASSERT_EQ(curandSetGeneratorOffset(random.generator, 0), CURAND_STATUS_SUCCESS);
  ASSERT_EQ(curandGenerateUniform(random.generator, again, 8), CURAND_STATUS_SUCCESS);
  EXPECT_EQ(again.values(), first.values());
}

TEST_F(SimtCurand, OtherOrderingsGiveOtherValues) {
  const Random legacy;
  const Random best(CURAND_ORDERING_PSEUDO_BEST);
  const Device<float> a(8);
  const Device<float> b(8);
  ASSERT_EQ(curandGenerateUniform(legacy.generator, a, 8), CURAND_STATUS_SUCCESS);
  ASSERT_EQ(curandGenerateUniform(best.generator, b, 8), CURAND_STATUS_SUCCESS);
  EXPECT_NE(a.values(), b.values());
}

TEST_F(SimtCurandDeathTest, RefusesWhatTheDeviceRefuses) {
  const Random random;
  const Device<float> out(8);
  EXPECT_EQ(curandGenerateNormal(random.generator, out, 7, 0, 1),
            CURAND_STATUS_LENGTH_NOT_MULTIPLE);
  EXPECT_DEATH((void)curandGenerateNormal(random.generator, out + 1, 6, 0, 1),
               "curandGenerateNormal: the target .* is not aligned");
  EXPECT_DEATH((void)curandGenerateUniform(random.generator, out, 9),
               "curandGenerateUniform: writes 36 bytes from byte 0 .* 4 bytes past its end");
}

// ---- faults and leaks ----

TEST_F(SimtFaults, TheNthCallFailsAndDoesNothing) {
  const Device<float> a(4);
  const std::int64_t before = simt::calls();
  simt::fail_call(2);
  EXPECT_EQ(cudaMemsetAsync(a, 0, 16), cudaSuccess);
  EXPECT_EQ(cudaMemsetAsync(a, 1, 16), cudaErrorUnknown);
  EXPECT_EQ(cudaGetLastError(), cudaErrorUnknown);
  EXPECT_EQ(simt::failed_call(), "cudaMemsetAsync");
  EXPECT_EQ(simt::calls(), before + 2);
  EXPECT_EQ(a.values()[0], 0);
}

TEST_F(SimtFaults, EachLibraryFailsInItsWay) {
  const Blas blas;
  const Random random;
  const Device<float> a(4);
  void* memory = &memory;
  simt::fail_call(1, true);
  EXPECT_EQ(cudaMallocAsync(&memory, 16, nullptr), cudaErrorMemoryAllocation);
  EXPECT_EQ(run("fails", 1, 4, 0, nullptr, double_values, a, 4), cudaErrorUnknown);
  const float one = 1;
  EXPECT_EQ(
      cublasSgemm_64(blas.handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, a, 1, a, 1, &one, a, 1),
      CUBLAS_STATUS_EXECUTION_FAILED);
  EXPECT_EQ(curandGenerateUniform(random.generator, a, 4), CURAND_STATUS_LAUNCH_FAILURE);
  simt::fail_call(0);
  EXPECT_EQ(curandGenerateUniform(random.generator, a, 4), CURAND_STATUS_SUCCESS);
}

TEST_F(SimtFaults, WhatIsNotGivenBackIsListed) {
  EXPECT_THAT(simt::leaks(), IsEmpty());
  void* memory = nullptr;
  void* pinned = nullptr;
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, 400), cudaSuccess);
  ASSERT_EQ(cudaMallocHost(&pinned, 64), cudaSuccess);
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), cudaSuccess);
  {
    const Blas blas;
    const Solver solver;
    const Random random;
    EXPECT_THAT(simt::leaks(), UnorderedElementsAre(
                                   "device memory of 400 bytes", "device memory of 4 bytes",
                                   "pinned memory of 64 bytes", "stream", "event", "cuBLAS handle",
                                   "cuSOLVER handle", "cuSOLVER options", "cuRAND generator"));
  }
  simt::set_streams(simt::Streams::kLazy);
  ASSERT_EQ(cudaFreeAsync(memory, stream), cudaSuccess);
  EXPECT_THAT(simt::leaks(), UnorderedElementsAre("pinned memory of 64 bytes", "stream", "event"));
  simt::fail_call(1, true);  // they give back nevertheless
  EXPECT_EQ(cudaFreeHost(pinned), cudaErrorUnknown);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaErrorUnknown);
  EXPECT_EQ(cudaEventDestroy(event), cudaErrorUnknown);
  EXPECT_THAT(simt::leaks(), IsEmpty());
}

}  // namespace
}  // namespace simt_test
