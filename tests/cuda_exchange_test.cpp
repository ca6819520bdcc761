// cudamat's matrices from and for other libraries, on a GPU and on the execution on the CPU alike.
#include "cudamat/cuda/exchange.hpp"
#include "cudamat/cudamat.hpp"
#include "tests/exchange_suite.hpp"

namespace exchange_suite {

INSTANTIATE_TYPED_TEST_SUITE_P(cuda_float, Exchange, cudamat::CUDAMatrix<float>);
INSTANTIATE_TYPED_TEST_SUITE_P(cuda_double, Exchange, cudamat::CUDAMatrix<double>);

namespace {

using M = cudamat::CUDAMatrix<float>;
using cudamat::CudaArrayInterface;
using testing::Optional;

auto refuses(const std::string& why) {
  return ThrowsMessage<cudamat::CUDAMatException>(HasSubstr(why));
}

std::vector<float> columns_of(M& m) {
  const auto values = m.asarray().values();
  return {values.begin(), values.end()};
}

TEST(CudaExchange, MemoryOfTheHostIsCopied) {
  const std::vector<float> memory{1, 2, 3, 4, 5, 6};
  peer::Producer<Versioned> producer(
      {.data = const_cast<float*>(memory.data()), .shape = {2, 2}, .strides = {3, 2}});
  auto* const tensor = producer.as<dlpack::ManagedTensorVersioned>();
  EXPECT_THAT([&] { (void)cudamat::from_dlpack<M>(tensor); }, refuses("on the CPU"));
  M x = cudamat::from_dlpack<M>(tensor, copyif::yes);
  EXPECT_THAT(columns_of(x), ElementsAre(1, 4, 3, 6));
  EXPECT_EQ(producer.deleted(), 1);
}

TEST(CudaExchange, AnAddressThatIsNoDevicesIsRefused) {
  float memory = 1;
  for (const int type : {peer::kDLCUDA, peer::kDLCUDAManaged}) {
    peer::Producer<Versioned> producer({.data = &memory, .shape = {1}, .device = {type, 0}});
    EXPECT_THAT(
        [&] {
          (void)cudamat::from_dlpack<M>(producer.as<dlpack::ManagedTensorVersioned>(), copyif::yes);
        },
        refuses("no device memory"));
  }
}

TEST(CudaExchange, TheInterfacesEntriesAreThoseOfTheMatrix) {
  const M x = M::zeros({2, 3});
  const CudaArrayInterface a = cudamat::cuda_array_interface(x);
  EXPECT_EQ(a.version, 3);
  EXPECT_THAT(a.shape, ElementsAre(2, 3));
  EXPECT_EQ(a.typestr, "<f4");
  EXPECT_EQ(a.data, reinterpret_cast<std::uintptr_t>(x.data()));
  EXPECT_FALSE(a.read_only);
  EXPECT_THAT(a.strides, Optional(ElementsAre(4, 8)));
  EXPECT_EQ(a.stream, cudamat::stream_for<M>());
  EXPECT_NE(a.stream, 0);
  EXPECT_EQ(a.owner, x.owner());

  EXPECT_EQ(cudamat::cuda_array_interface(x.T()).strides, std::nullopt);  // C order
  const cudamat::CUDAMatrix<double> none = cudamat::CUDAMatrix<double>::empty({0, 4});
  const CudaArrayInterface empty = cudamat::cuda_array_interface(none);
  EXPECT_EQ(empty.data, 0U);
  EXPECT_EQ(empty.typestr, "<f8");
  EXPECT_THAT(empty.shape, ElementsAre(0, 4));
}

TEST(CudaExchange, AnInterfaceIsAViewOfTheMemory) {
  M memory(HostMatrix<float>{{1}, {2}, {3}, {4}, {5}, {6}});
  const auto owner = std::make_shared<int>();
  CudaArrayInterface a{.shape = {2, 3},
                       .typestr = "<f4",
                       .data = reinterpret_cast<std::uintptr_t>(memory.data()),
                       .stream = cudamat::kLegacyStream,
                       .owner = owner};
  {
    M x = cudamat::from_cuda_array_interface<M>(a);
    EXPECT_EQ(x.data(), memory.data());
    EXPECT_EQ(x.shape(), (Shape{2, 3}));
    EXPECT_TRUE(x.is_transposed());
    EXPECT_EQ(owner.use_count(), 3);
    x.mult(2);
  }
  EXPECT_EQ(owner.use_count(), 2);
  EXPECT_EQ(memory.total_sum(), 42);

  a.strides = {4, 8};
  EXPECT_FALSE(cudamat::from_cuda_array_interface<M>(a).is_transposed());
  a.strides = {8, 4};
  EXPECT_THAT([&] { (void)cudamat::from_cuda_array_interface<M>(a); },
              refuses("its strides are (2, 1)"));
  M copy = cudamat::from_cuda_array_interface<M>(a, copyif::yes);
  EXPECT_THAT(columns_of(copy), ElementsAre(2, 6, 4, 8, 6, 10));
  EXPECT_EQ(owner.use_count(), 2);
}

TEST(CudaExchange, AnInterfaceThatDoesNotFitIsRefused) {
  const M memory = M::zeros({4, 4});
  const auto refused = [&](const auto& change, const char* why) {
    CudaArrayInterface a{
        .shape = {2, 2}, .typestr = "<f4", .data = reinterpret_cast<std::uintptr_t>(memory.data())};
    change(a);
    EXPECT_THAT([&] { (void)cudamat::from_cuda_array_interface<M>(a); }, refuses(why));
  };
  using A = CudaArrayInterface;
  refused([](A& a) { a.typestr = "<f8"; }, "float64");
  refused([](A& a) { a.typestr = ">f4"; }, "'>f4'");
  refused([](A& a) { a.typestr = "<i4"; }, "'<i4'");
  refused([](A& a) { a.version = 4; }, "version 4");
  refused([](A& a) { a.read_only = true; }, "must not be written");
  refused([](A& a) { a.data = 0; }, "no memory");
  refused([](A& a) { a.stream = 0; }, "0 is not a stream");
  refused([](A& a) { a.strides = {8}; }, "1 strides");
  refused([](A& a) { a.strides = {8, 6}; }, "6 bytes");
}

TEST(CudaExchange, StreamsOfTheProtocolHaveNumbers) {
  const M x = M::zeros({2, 2});
  for (const cudamat::StreamNumber stream : {cudamat::kNoOrder, cudamat::kLegacyStream,
                                             cudamat::kPerThreadStream, *cudamat::stream_for<M>()})
    EXPECT_NE(cudamat::to_dlpack(x, copyif::no, stream), nullptr);
}

}  // namespace
}  // namespace exchange_suite
