// garrays from and for other libraries. Runs on whatever engine there is; the other library's
// memory is that of garrays of its own, read and written through views of theirs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

#include "gnumpy/gnumpy.hpp"
#include "tests/exchange_peer.hpp"

namespace gpu = gnumpy;
using cudamat::copyif;
using gpu::all;
using gpu::garray;
using gpu::Index;
using gpu::slice;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::ThrowsMessage;
using Versioned = peer::DLManagedTensorVersioned;
using Unversioned = peer::DLManagedTensor;
namespace dlpack = cudamat::dlpack;

namespace {

/// The other library's memory: 0, 1, 2, ...
class Peer {
 public:
  explicit Peer(Index n) : memory_(gpu::arange(static_cast<double>(n))) {
    (void)memory_.materialize();
  }

  [[nodiscard]] peer::Given given(std::vector<std::int64_t> shape,
                                  std::vector<std::int64_t> strides = {}) const {
    const dlpack::Device device = gpu::dlpack_device();
    return {.data = memory_.node()->storage->data(),
            .shape = std::move(shape),
            .strides = std::move(strides),
            .device = {static_cast<std::int32_t>(device.type), device.id},
            .dtype = {peer::kDLFloat, bits(), 1}};
  }
  static std::uint8_t bits() { return static_cast<std::uint8_t>(8 * garray(1.0).nbytes()); }
  garray& memory() { return memory_; }

 private:
  garray memory_;
};

garray take(peer::Producer<Versioned>& producer, copyif copy = copyif::no) {
  return gpu::from_dlpack(producer.as<dlpack::ManagedTensorVersioned>(), copy);
}

/// What the other library sees in a tensor of ours: a garray over its memory.
class Seen {
 public:
  explicit Seen(const dlpack::ManagedTensorVersioned& tensor)
      : producer_({.data = peer::first(of(tensor)),
                   .shape = peer::shape(of(tensor)),
                   .strides = peer::strides(of(tensor)),
                   .device = of(tensor).device,
                   .dtype = of(tensor).dtype}),
        array_(take(producer_)) {}
  static const peer::DLTensor& of(const dlpack::ManagedTensorVersioned& tensor) {
    return reinterpret_cast<const Versioned&>(tensor).dl_tensor;
  }
  garray& array() { return array_; }

 private:
  peer::Producer<Versioned> producer_;
  garray array_;
};

auto refuses(const std::string& why) {
  return ThrowsMessage<cudamat::CUDAMatException>(HasSubstr(why));
}

// ---- to others ----

TEST(GarrayToDLPack, IsInCOrderWhateverItsDimensions) {
  garray a = gpu::arange(24).reshape({2, 3, 4});
  const auto tensor = gpu::to_dlpack(a);
  const peer::DLTensor& seen = Seen::of(*tensor);
  EXPECT_THAT(peer::shape(seen), ElementsAre(2, 3, 4));
  EXPECT_THAT(peer::strides(seen), ElementsAre(12, 4, 1));
  EXPECT_EQ(seen.dtype.code, peer::kDLFloat);
  EXPECT_EQ(seen.dtype.bits, Peer::bits());
  EXPECT_EQ(tensor->flags, 0U);
  EXPECT_THAT(Seen(*tensor).array().to_vector(), ElementsAreArray(a.to_vector()));

  const auto turned = gpu::to_dlpack(a.T());  // a value of its own
  EXPECT_THAT(peer::strides(Seen::of(*turned)), ElementsAre(6, 2, 1));
  EXPECT_THAT(Seen(*turned).array().to_vector(), ElementsAreArray(a.T().to_vector()));
  garray number(3.0);
  EXPECT_EQ(Seen::of(*gpu::to_dlpack(number)).ndim, 0);
  garray none = gpu::zeros({0, 5});
  EXPECT_EQ(Seen::of(*gpu::to_dlpack(none)).data, nullptr);
  EXPECT_THAT(peer::shape(Seen::of(*gpu::to_dlpack(none))), ElementsAre(0, 5));
}

TEST(GarrayToDLPack, SharesWritesInBothDirections) {
  garray a{1, 2, 3};
  const auto tensor = gpu::to_dlpack(a);
  Seen seen(*tensor);
  seen.array() *= 10;
  EXPECT_THAT(a.to_vector(), ElementsAre(10, 20, 30));
  a += 1;
  a[0] = 5.0;
  EXPECT_THAT(seen.array().to_vector(), ElementsAre(5, 21, 31));
  a = a + 1;  // another value, in other memory
  EXPECT_THAT(seen.array().to_vector(), ElementsAre(5, 21, 31));
}

TEST(GarrayToDLPack, ValuesDoNotChangeWhenTheConsumerWrites) {
  garray a{1, 2, 3};
  const garray before = a;  // a copy that is not made yet
  garray pending = a * 2;   // computed when it is asked for
  const garray first = a[slice(0, 2)];
  const auto tensor = gpu::to_dlpack(a);
  const garray after = a;
  garray sum = a + before;
  garray picked = a[{2, 0}];
  garray truths = a > 1;
  garray mask = std::as_const(a)[a > 1];
  Seen seen(*tensor);
  seen.array()[all] = 100.0;
  EXPECT_THAT(a.to_vector(), ElementsAre(100, 100, 100));
  EXPECT_THAT(before.to_vector(), ElementsAre(1, 2, 3));
  EXPECT_THAT(pending.to_vector(), ElementsAre(2, 4, 6));
  EXPECT_THAT(first.to_vector(), ElementsAre(1, 2));
  EXPECT_THAT(after.to_vector(), ElementsAre(1, 2, 3));
  EXPECT_THAT(sum.to_vector(), ElementsAre(2, 4, 6));
  EXPECT_THAT(picked.to_vector(), ElementsAre(3, 1));
  EXPECT_THAT(truths.to_vector(), ElementsAre(0, 1, 1));
  EXPECT_THAT(mask.to_vector(), ElementsAre(2, 3));
}

TEST(GarrayToDLPack, OfTruthsTheConsumerMayMakeNumbers) {
  garray truths = garray{1, 5, 2} > 1.5;
  const auto tensor = gpu::to_dlpack(truths);
  Seen(*tensor).array()[all] = 2.0;
  garray b{10, 20, 30};
  EXPECT_THAT(b[truths].to_vector(), ElementsAre(30, 30, 30));  // indices, not a mask
}

TEST(GarrayToDLPack, SlicesKeepTheirMemory) {
  garray a = gpu::arange(60).reshape({3, 4, 5});
  const auto expect = [&](const gpu::Exported& part, const garray& value,
                          std::vector<std::int64_t> strides) {
    const auto tensor = gpu::to_dlpack(part);
    EXPECT_EQ(tensor->flags, 0U);
    EXPECT_THAT(peer::strides(Seen::of(*tensor)), ElementsAreArray(strides));
    peer::Producer<Versioned> producer({.data = peer::first(Seen::of(*tensor)),
                                        .shape = peer::shape(Seen::of(*tensor)),
                                        .strides = peer::strides(Seen::of(*tensor)),
                                        .device = Seen::of(*tensor).device,
                                        .dtype = Seen::of(*tensor).dtype});
    const garray copy = take(producer, copyif::yes);
    EXPECT_EQ(copy.shape(), value.shape());
    EXPECT_THAT(copy.to_vector(), ElementsAreArray(value.to_vector()));
  };
  const garray& c = a;
  expect(a[1], c[1], {5, 1});
  expect(a(all, 2), c(all, 2), {20, 1});
  expect(a(all, all, 3), c(all, all, 3), {20, 5});
  expect(a(all, slice(1, 3), slice(0, 5, 2)), c(all, slice(1, 3), slice(0, 5, 2)), {20, 5, 2});
  expect(a(slice(2, {}, -1), all, 4), c(slice(2, {}, -1), all, 4), {-20, 5});
  auto part = a(all, slice(1, 4));
  expect(part(all, slice(0, 3, 2), 1), c(all, slice(1, 4, 2), 1), {20, 10});
}

TEST(GarrayToDLPack, AWriteToASliceIsSeen) {
  garray a = gpu::arange(6).reshape({2, 3});
  const auto tensor = gpu::to_dlpack(a(all, 1));
  const peer::DLTensor& seen = Seen::of(*tensor);
  peer::Producer<Versioned> whole({.data = peer::first(seen) - Peer::bits() / 8,
                                   .shape = {2, 3},
                                   .device = seen.device,
                                   .dtype = seen.dtype});
  garray theirs = take(whole);
  theirs(all, 1) = 9.0;
  EXPECT_THAT(a.to_vector(), ElementsAre(0, 9, 2, 3, 9, 5));
}

TEST(GarrayToDLPack, WhatIsConstIsReadOnly) {
  const garray a{1, 2, 3};
  EXPECT_EQ(gpu::to_dlpack(a)->flags, peer::kReadOnly);
  EXPECT_THAT([&] { (void)gpu::to_dlpack_unversioned(a); }, refuses("DLPack 1.0"));
  EXPECT_EQ(gpu::to_dlpack(a, copyif::always)->flags, peer::kIsCopied);
  const auto copy = gpu::to_dlpack_unversioned(a, copyif::yes);
  EXPECT_NE(copy->dl_tensor.data, a.node()->storage->data());
  EXPECT_EQ(gpu::to_dlpack(a + 1)->flags, 0U);  // what has no name is the consumer's
}

TEST(GarrayToDLPack, SelectionsAreCopies) {
  garray a{1, 2, 3, 4};
  EXPECT_THAT([&] { (void)gpu::to_dlpack(a[{3, 0}]); }, refuses("copyif::yes"));
  const auto tensor = gpu::to_dlpack(a[{3, 0}], copyif::yes);
  EXPECT_EQ(tensor->flags, peer::kIsCopied);
  EXPECT_THAT(Seen(*tensor).array().to_vector(), ElementsAre(4, 1));
}

TEST(GarrayToDLPack, TheMemoryLivesUntilTheDeleterIsCalledInAnyThread) {
  gpu::free_reuse_cache();
  const std::int64_t before = gpu::memory_in_use();
  auto tensor = gpu::to_dlpack(gpu::full({100}, 7));
  for (int k = 0; k < 3; ++k) (void)(gpu::zeros({100}) + 1).materialize();  // would take the memory
  EXPECT_EQ(gpu::memory_in_use(), before + 100 * Peer::bits() / 8);
  EXPECT_THAT(Seen(*tensor).array().to_vector(), testing::Each(7));
  std::thread([given = tensor.release()] { given->deleter(given); }).join();
  EXPECT_EQ(gpu::memory_in_use(), before);
}

// ---- from others ----

TEST(GarrayFromDLPack, IsAViewOfTheMemory) {
  Peer other(24);
  const std::int64_t before = gpu::memory_in_use();
  peer::Producer<Versioned> producer(other.given({2, 3, 4}));
  {
    garray a = take(producer);
    EXPECT_EQ(a.shape(), (gpu::Shape{2, 3, 4}));
    EXPECT_EQ(gpu::memory_in_use(), before);
    EXPECT_THAT(a.to_vector(), ElementsAreArray(other.memory().to_vector()));
    a[1] *= 2;
    a(0, 0, 0) = -1.0;
    other.memory()[1] = 50.0;
    EXPECT_EQ(a(0, 0, 1).item(), 50);
    EXPECT_EQ(producer.deleted(), 0);
  }
  EXPECT_EQ(producer.deleted(), 1);
  EXPECT_EQ(other.memory()[0].item(), -1);
  EXPECT_EQ(other.memory()[23].item(), 46);
}

TEST(GarrayFromDLPack, NothingWritesThereThatTheProgramDoesNot) {
  Peer other(4);
  peer::Producer<Versioned> producer(other.given({4}));
  garray a = take(producer);
  garray b = std::move(a) + 1;  // a temporary's memory is the result's elsewhere
  EXPECT_THAT(b.to_vector(), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(producer.deleted(), 1);
  peer::Producer<Versioned> again(other.given({4}));
  garray c = take(again);
  c = c * 2 + 1;  // and so is the old value's
  EXPECT_EQ(again.deleted(), 1);
  peer::Producer<Versioned> third(other.given({4}));
  EXPECT_THAT((take(third) * 3 + 1).to_vector(), ElementsAre(1, 4, 7, 10));
  EXPECT_THAT(other.memory().to_vector(), ElementsAre(0, 1, 2, 3));
}

TEST(GarrayFromDLPack, ValuesDoNotChangeWhenTheProducerWrites) {
  Peer other(3);
  peer::Producer<Versioned> producer(other.given({3}));
  garray a = take(producer);
  const garray copy = a;
  const garray row = std::as_const(a)[slice(1, 3)];
  const garray reshaped = std::as_const(a).reshape({3, 1});
  garray sum = a + 1;
  garray nested = gpu::exp(a) * 0 + a;
  garray assigned;
  assigned = a;
  other.memory()[all] = 9.0;
  EXPECT_THAT(a.to_vector(), ElementsAre(9, 9, 9));
  EXPECT_THAT(copy.to_vector(), ElementsAre(0, 1, 2));
  EXPECT_THAT(row.to_vector(), ElementsAre(1, 2));
  EXPECT_THAT(reshaped.to_vector(), ElementsAre(0, 1, 2));
  EXPECT_THAT(sum.to_vector(), ElementsAre(1, 2, 3));
  EXPECT_THAT(nested.to_vector(), ElementsAre(0, 1, 2));
  EXPECT_THAT(assigned.to_vector(), ElementsAre(0, 1, 2));
}

TEST(GarrayFromDLPack, ViewsKeepTheOwner) {
  Peer other(6);
  peer::Producer<Versioned> producer(other.given({2, 3}));
  auto a = std::make_unique<garray>(take(producer));
  gpu::garray_view row = (*a)[1];
  a = nullptr;
  EXPECT_EQ(producer.deleted(), 0);
  row += 1;
  EXPECT_THAT(row.to_vector(), ElementsAre(4, 5, 6));
}

TEST(GarrayFromDLPack, NumbersOffsetsAndMissingStrides) {
  Peer other(6);
  peer::Given given = other.given({});
  given.byte_offset = 4 * std::uint64_t{Peer::bits()} / 8;
  peer::Producer<Versioned> number(given);
  EXPECT_EQ(take(number).item(), 4);
  given = other.given({3, 2});
  given.null_strides = true;
  peer::Producer<Unversioned> matrix(given);
  const garray a = gpu::from_dlpack(matrix.as<dlpack::ManagedTensor>());
  EXPECT_THAT(a(all, 1).to_vector(), ElementsAre(1, 3, 5));
  given = other.given({2, 0, 3});
  given.data = nullptr;
  peer::Producer<Versioned> empty(given);
  EXPECT_EQ(take(empty).shape(), (gpu::Shape{2, 0, 3}));
  EXPECT_EQ(empty.deleted(), 1);
}

TEST(GarrayFromDLPack, OtherLayoutsAreRefusedOrCopied) {
  Peer other(120);
  garray& m = other.memory();
  const garray a = m.reshape({4, 5, 6});
  struct Case {
    std::vector<std::int64_t> shape, strides;
    std::uint64_t first;
    garray value;
  };
  const std::vector<Case> cases{
      {{6, 5, 4}, {1, 6, 30}, 0, a.T()},
      {{5, 4, 6}, {6, 30, 1}, 0, a.swapaxes(0, 1)},
      {{4, 3, 6}, {30, 12, 1}, 0, a(all, slice(0, 5, 2))},
      {{4, 5, 3}, {30, 6, 2}, 0, a(all, all, slice(0, 6, 2))},
      {{4, 5, 2}, {30, 6, 3}, 1, a(all, all, slice(1, 6, 3))},
      {{4, 6}, {30, 1}, 12, a(all, 2)},
      {{2, 5, 6}, {-30, 6, 1}, 90, a(slice(3, 1, -1))},
      {{4, 5, 6}, {30, 6, -1}, 5, a(all, all, slice({}, {}, -1))},
      {{3, 2, 6}, {0, 30, 1}, 0, gpu::tile(a(slice(0, 2), 0), {3, 1, 1})},
  };
  for (const Case& c : cases) {
    peer::Given given = other.given(c.shape, c.strides);
    given.byte_offset = c.first * Peer::bits() / 8;
    peer::Producer<Versioned> producer(given);
    EXPECT_THAT([&] { (void)take(producer); }, refuses("in C order"));
    EXPECT_EQ(producer.deleted(), 0);
    garray x = take(producer, copyif::yes);
    EXPECT_EQ(producer.deleted(), 1);
    EXPECT_THAT(x.to_vector(), ElementsAreArray(c.value.to_vector()));
    x *= 0;
  }
  EXPECT_EQ(m.sum().item(), 119 * 60);
}

TEST(GarrayFromDLPack, ReadOnlyMemoryIsRefusedOrCopied) {
  Peer other(3);
  peer::Given given = other.given({3});
  given.flags = peer::kReadOnly;
  peer::Producer<Versioned> producer(given);
  EXPECT_THAT([&] { (void)take(producer); }, refuses("must not be written"));
  garray a = take(producer, copyif::yes);
  a += 1;
  EXPECT_THAT(other.memory().to_vector(), ElementsAre(0, 1, 2));
}

TEST(GarrayFromDLPack, OtherTypesAreRefused) {
  Peer other(3);
  peer::Given given = other.given({3});
  given.dtype = {peer::kDLInt, 64, 1};
  peer::Producer<Versioned> producer(given);
  EXPECT_THAT([&] { (void)take(producer, copyif::yes); }, refuses("the elements are int64"));
  given = other.given(std::vector<std::int64_t>(33, 1));
  peer::Producer<Versioned> deep(given);
  EXPECT_THAT([&] { (void)take(deep); }, refuses("at most 32 dimensions"));
}

TEST(GarrayExchange, ComesBackAsTheSameMemory) {
  garray a = gpu::arange(6).reshape({2, 3});
  auto tensor = gpu::to_dlpack(a);
  garray b = gpu::from_dlpack(tensor);
  b += 1;
  EXPECT_THAT(a.to_vector(), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(GarrayExchange, TheCudaArrayInterfaceIsAGpus) {
  garray a = gpu::arange(6).reshape({2, 3});
  if (!gpu::stream_for_garrays()) {
    EXPECT_THAT([&] { (void)gpu::cuda_array_interface(a); }, refuses("to_dlpack"));
    EXPECT_THAT([&] { (void)gpu::from_cuda_array_interface({}); }, refuses("the CPU"));
    return;
  }
  const gpu::CudaArrayInterface out = gpu::cuda_array_interface(a);
  EXPECT_THAT(out.shape, ElementsAre(2, 3));
  EXPECT_EQ(out.strides, std::nullopt);
  EXPECT_EQ(out.typestr, "<f4");
  EXPECT_FALSE(out.read_only);
  EXPECT_TRUE(gpu::cuda_array_interface(std::as_const(a)).read_only);
  EXPECT_THAT(gpu::cuda_array_interface(a(all, 1)).strides, testing::Optional(ElementsAre(12)));
  garray b = gpu::from_cuda_array_interface(out);
  b += 1;
  EXPECT_THAT(a.to_vector(), ElementsAre(1, 2, 3, 4, 5, 6));
}

}  // namespace
