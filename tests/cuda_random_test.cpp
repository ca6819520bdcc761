// Random numbers of the CUDA engine, by our kernel and by cuRAND on the device, on a GPU and on the
// execution on the CPU alike.
#include <bit>
#include <cmath>
#include <cstdint>
#include <gmock/gmock.h>
#include <vector>

#include "cudamat/cudamat.hpp"

namespace {

using cudamat::Index;
using cudamat::Shape;
namespace cuda = cudamat::cuda;

/// Draws by cuRAND while it lives.
class ByCurand {
 public:
  ByCurand() { cuda::draw_with_curand(true); }
  ~ByCurand() { cuda::draw_with_curand(false); }
  ByCurand(const ByCurand&) = delete;
  ByCurand& operator=(const ByCurand&) = delete;
};

template <class T>
std::vector<T> drawn(Index n, bool uniform) {
  auto mat = cudamat::CUDAMatrix<T>::empty({n, 1});
  uniform ? mat.fill_with_rand() : mat.fill_with_randn();
  const auto& values = mat.asarray().values();
  return {values.begin(), values.end()};
}

template <class T>
class CudaRandom : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(CudaRandom, Types);

TYPED_TEST(CudaRandom, IsTheStreamThatCurandDraws) {
  using T = TypeParam;
  // cuRAND's normals use the device's own functions: sine and cosine to some 2^-21 in float.
  const double allowed = sizeof(T) == sizeof(float) ? 1e-5 : 1e-14;
  EXPECT_FALSE(cuda::draws_with_curand());
  cudamat::CUDAMatrix<T>::init_random(0x123456789abcdef);
  std::vector<std::vector<T>> ours;
  const std::vector<Index> lengths{1000, 1, 300'001, 2, 3, 4096, 5};
  for (std::size_t i = 0; i < lengths.size(); ++i) ours.push_back(drawn<T>(lengths[i], i % 3 < 2));
  cudamat::CUDAMatrix<T>::init_random(0x123456789abcdef);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const bool uniform = i % 3 < 2;
    std::vector<T> theirs;
    if (i == 4) {  // one of ours among theirs: the stream is one
      theirs = drawn<T>(lengths[i], uniform);
    } else {
      const ByCurand curand;
      EXPECT_TRUE(cuda::draws_with_curand());
      theirs = drawn<T>(lengths[i], uniform);
    }
    if (uniform) {
      EXPECT_EQ(ours[i], theirs) << "draw " << i;
      continue;
    }
    for (std::size_t k = 0; k < theirs.size(); ++k)
      ASSERT_NEAR(ours[i][k], theirs[k], allowed) << "draw " << i << ", value " << k;
  }
}

/// FNV-1a of the bits.
template <class T>
std::uint64_t digest(const std::vector<T>& values) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const T value : values) {
    const auto* const bytes = reinterpret_cast<const unsigned char*>(&value);
    for (std::size_t i = 0; i < sizeof(T); ++i) hash = (hash ^ bytes[i]) * 0x100000001b3;
  }
  return hash;
}

TEST(CudaRandom, NormalsAreNpmatsToTheBit) {
  // Of what npmat::Generator(42).normal gives (cuda_random_curand_test holds them to it).
  cudamat::CUDAMatrix<float>::init_random(42);
  EXPECT_EQ(digest(drawn<float>(300'001, false)), 0xcb7fecd5c1dae7efu);
  cudamat::CUDAMatrix<double>::init_random(42);
  EXPECT_EQ(digest(drawn<double>(300'001, false)), 0xaa0e7e4c85463c2fu);
}

}  // namespace
