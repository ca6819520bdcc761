// npmat's matrices from and for other libraries.
#include "npmat/exchange.hpp"
#include "npmat/npmat.hpp"
#include "tests/exchange_suite.hpp"

namespace exchange_suite {

INSTANTIATE_TYPED_TEST_SUITE_P(npmat_float, Exchange, npmat::CUDAMatrix<float>);
INSTANTIATE_TYPED_TEST_SUITE_P(npmat_double, Exchange, npmat::CUDAMatrix<double>);

namespace {

using M = npmat::CUDAMatrix<float>;
using testing::AllOf;

auto refuses(const std::string& why) {
  return ThrowsMessage<cudamat::CUDAMatException>(HasSubstr(why));
}

TEST(NpmatExchange, LongDoubleHasNoTypeThere) {
  const npmat::CUDAMatrix<long double> x(HostMatrix<long double>{{1}});
  EXPECT_THAT([&] { (void)cudamat::to_dlpack(x, copyif::yes); }, refuses("convert the elements"));
  double one = 1;
  peer::Producer<Versioned> producer({.data = &one, .dtype = {peer::kDLFloat, 64, 1}});
  EXPECT_THAT(
      [&] {
        (void)cudamat::from_dlpack<npmat::CUDAMatrix<long double>>(
            producer.as<dlpack::ManagedTensorVersioned>(), copyif::yes);
      },
      refuses("npmat longdouble"));
}

TEST(NpmatExchange, PinnedMemoryIsTheCpus) {
  std::vector<float> memory{1, 2};
  peer::Producer<Versioned> producer(
      {.data = memory.data(), .shape = {2}, .device = {peer::kDLCUDAHost, 0}});
  M x = cudamat::from_dlpack<M>(producer.as<dlpack::ManagedTensorVersioned>());
  x.mult(3);
  EXPECT_THAT(memory, ElementsAre(3, 6));
}

TEST(NpmatExchange, MemoryOfAGpuIsRefused) {
  float memory = 1;
  for (const int type : {peer::kDLCUDA, peer::kDLCUDAManaged}) {
    peer::Producer<Versioned> producer({.data = &memory, .device = {type, 1}});
    EXPECT_THAT(
        [&] {
          (void)cudamat::from_dlpack<M>(producer.as<dlpack::ManagedTensorVersioned>(), copyif::yes);
        },
        refuses("CUDA device 1"));
  }
  const cudamat::CudaArrayInterface array{
      .shape = {1}, .typestr = "<f4", .data = reinterpret_cast<std::uintptr_t>(&memory)};
  EXPECT_THAT([&] { (void)cudamat::from_cuda_array_interface<M>(array, copyif::yes); },
              refuses("computes on the CPU"));
  EXPECT_THAT([&] { (void)cudamat::cuda_array_interface(M::empty({2, 2})); }, refuses("the CPU's"));
}

TEST(NpmatExchange, MisalignedMemoryIsCopied) {
  alignas(8) char bytes[12] = {};
  const float two = 2;
  std::memcpy(bytes + 1, &two, sizeof two);
  peer::Producer<Versioned> producer({.data = bytes, .shape = {1}, .byte_offset = 1});
  auto* const tensor = producer.as<dlpack::ManagedTensorVersioned>();
  EXPECT_THAT([&] { (void)cudamat::from_dlpack<M>(tensor); }, refuses("not aligned to 4 bytes"));
  EXPECT_EQ(cudamat::from_dlpack<M>(tensor, copyif::yes).total_sum(), 2);
}

TEST(NpmatExchange, TheCpuHasNoStreams) {
  EXPECT_EQ(cudamat::stream_for<M>(), std::nullopt);
  const M x = M::empty({1, 1});
  EXPECT_THAT([&] { (void)cudamat::to_dlpack(x, copyif::no, cudamat::kLegacyStream); },
              refuses("no stream 1"));
}

}  // namespace
}  // namespace exchange_suite
