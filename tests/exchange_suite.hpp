// Exchange of matrices with another library, over any engine whose matrix is `Matrix` and whose
// memory is where `kDevice` says. The other library's memory is that of matrices of its own.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <thread>

#include "cudamat/exchange.hpp"
#include "tests/exchange_peer.hpp"

namespace exchange_suite {

using cudamat::copyif;
using cudamat::HostMatrix;
using cudamat::Index;
using cudamat::Shape;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;
using Versioned = peer::DLManagedTensorVersioned;
using Unversioned = peer::DLManagedTensor;
namespace dlpack = cudamat::dlpack;

template <class M>
class Exchange : public testing::Test {
 protected:
  using Matrix = M;
  using T = typename M::value_type;
  using Host = HostMatrix<T>;

  static inline const int kType = std::string(M::engine::name()).starts_with("cudamat") ? 2 : 1;

  /// 1, 2, 3, ... in memory.
  static Matrix counting(Shape shape) {
    Host host(shape);
    std::iota(host.data(), host.data() + shape.size(), T(1));
    return Matrix(host);
  }
  static peer::Given given(const Matrix& memory, std::vector<std::int64_t> shape,
                           std::vector<std::int64_t> strides = {}) {
    return {.data = memory.data(),
            .shape = std::move(shape),
            .strides = std::move(strides),
            .device = {kType, 0},
            .dtype = {peer::kDLFloat, 8 * sizeof(T), 1}};
  }
  static std::vector<T> rows_of(Matrix& m) {
    std::vector<T> result;
    const Host& host = m.asarray();
    for (Index i = 0; i < m.rows(); ++i)
      for (Index j = 0; j < m.cols(); ++j) result.push_back(host(i, j));
    return result;
  }
  static Matrix take(peer::Producer<Versioned>& producer, copyif copy = copyif::no) {
    return cudamat::from_dlpack<Matrix>(producer.as<dlpack::ManagedTensorVersioned>(), copy);
  }
  static auto refuses(const std::string& why) {
    return ThrowsMessage<cudamat::CUDAMatException>(HasSubstr(why));
  }
};

TYPED_TEST_SUITE_P(Exchange);

#define USING                      \
  using Fix = Exchange<TypeParam>; \
  using M = TypeParam;             \
  [[maybe_unused]] constexpr std::int64_t bits = 8 * sizeof(typename M::value_type)

// ---- to others ----

TYPED_TEST_P(Exchange, AMatrixGoesOutAsItLiesInMemory) {
  USING;
  const M x = Fix::counting({2, 3});
  const auto tensor = cudamat::to_dlpack(x);
  const Versioned& seen = *peer::seen<Versioned>(tensor.get());
  EXPECT_EQ(seen.version.major, 1U);
  EXPECT_EQ(seen.flags, 0U);
  EXPECT_EQ(seen.dl_tensor.device.device_type, Fix::kType);
  EXPECT_EQ(seen.dl_tensor.device.device_id, 0);
  EXPECT_EQ(seen.dl_tensor.dtype.code, peer::kDLFloat);
  EXPECT_EQ(seen.dl_tensor.dtype.bits, bits);
  EXPECT_EQ(seen.dl_tensor.dtype.lanes, 1);
  EXPECT_EQ(peer::first(seen.dl_tensor), reinterpret_cast<char*>(x.data()));
  EXPECT_THAT(peer::shape(seen.dl_tensor), ElementsAre(2, 3));
  EXPECT_THAT(peer::strides(seen.dl_tensor), ElementsAre(1, 2));
  const dlpack::Device device = cudamat::dlpack_device(x);
  EXPECT_EQ(static_cast<int>(device.type), Fix::kType);
  EXPECT_EQ(device.id, 0);
}

TYPED_TEST_P(Exchange, ATransposedMatrixAndASliceKeepTheirMemory) {
  USING;
  const M x = Fix::counting({2, 3});
  const auto turned = cudamat::to_dlpack(x.T());
  EXPECT_EQ(peer::first(peer::seen<Versioned>(turned.get())->dl_tensor),
            reinterpret_cast<char*>(x.data()));
  EXPECT_THAT(peer::shape(peer::seen<Versioned>(turned.get())->dl_tensor), ElementsAre(3, 2));
  EXPECT_THAT(peer::strides(peer::seen<Versioned>(turned.get())->dl_tensor), ElementsAre(2, 1));
  const auto slice = cudamat::to_dlpack(x.slice(1, 3));
  EXPECT_EQ(peer::first(peer::seen<Versioned>(slice.get())->dl_tensor),
            reinterpret_cast<char*>(x.data() + 2));
  EXPECT_THAT(peer::shape(peer::seen<Versioned>(slice.get())->dl_tensor), ElementsAre(2, 2));
}

TYPED_TEST_P(Exchange, AConsumersWritesAreSeenAndOursAreSeenByIt) {
  USING;
  M x = Fix::counting({2, 2});
  const auto tensor = cudamat::to_dlpack(x);
  auto* const data = reinterpret_cast<typename M::value_type*>(
      peer::first(peer::seen<Versioned>(tensor.get())->dl_tensor));
  M theirs = M::borrow(data, {2, 2});
  theirs.mult(10);
  EXPECT_THAT(Fix::rows_of(x), ElementsAre(10, 30, 20, 40));
  x.add(1);
  EXPECT_THAT(Fix::rows_of(theirs), ElementsAre(11, 31, 21, 41));
}

TYPED_TEST_P(Exchange, TheMemoryLivesUntilTheDeleterIsCalledInAnyThread) {
  USING;
  auto x = std::make_unique<M>(Fix::counting({64, 64}));
  const std::weak_ptr<void> memory = x->owner();
  auto tensor = cudamat::to_dlpack(*x);
  auto unversioned = cudamat::to_dlpack_unversioned(*x);
  x = nullptr;
  auto* const data = reinterpret_cast<typename M::value_type*>(
      peer::first(peer::seen<Unversioned>(unversioned.get())->dl_tensor));
  M theirs = M::borrow(data, {64, 64});
  EXPECT_EQ(theirs.total_sum(), 4096 * 4097 / 2);
  std::thread([&] {
    auto* const given = peer::seen<Versioned>(tensor.release());
    given->deleter(given);
  }).join();
  EXPECT_FALSE(memory.expired());
  auto* const given = peer::seen<Unversioned>(unversioned.release());
  given->deleter(given);
  EXPECT_TRUE(memory.expired());
}

TYPED_TEST_P(Exchange, EmptyMatricesHaveNoMemoryAndTheirShape) {
  USING;
  for (const Shape shape : {Shape{0, 0}, Shape{0, 3}, Shape{5, 0}}) {
    const auto tensor = cudamat::to_dlpack(M::empty(shape));
    const peer::DLTensor& seen = peer::seen<Versioned>(tensor.get())->dl_tensor;
    EXPECT_EQ(seen.data, nullptr);
    EXPECT_THAT(peer::shape(seen), ElementsAre(shape.rows, shape.cols));
    EXPECT_EQ(seen.device.device_type, Fix::kType);
  }
}

TYPED_TEST_P(Exchange, ACopyIsMarkedAndShared) {
  USING;
  const M x = Fix::counting({3, 2});
  const auto tensor = cudamat::to_dlpack(x.T(), copyif::always);
  const Versioned& seen = *peer::seen<Versioned>(tensor.get());
  EXPECT_EQ(seen.flags, peer::kIsCopied);
  auto* const data = reinterpret_cast<typename M::value_type*>(peer::first(seen.dl_tensor));
  EXPECT_NE(data, x.data());
  EXPECT_THAT(peer::strides(seen.dl_tensor), ElementsAre(3, 1));
  M theirs = M::borrow(data, {3, 2}, true);
  EXPECT_THAT(Fix::rows_of(theirs), ElementsAre(1, 2, 3, 4, 5, 6));
}

TYPED_TEST_P(Exchange, WhatCannotGoOutIsRefused) {
  USING;
  const M x = Fix::counting({2, 2});
  const M borrowed = M::borrow(x.data(), {2, 2});
  EXPECT_THAT([&] { (void)cudamat::to_dlpack(borrowed); }, Fix::refuses("copyif::yes"));
  EXPECT_EQ(cudamat::to_dlpack(borrowed, copyif::yes)->flags, peer::kIsCopied);
  M gone = Fix::counting({2, 2});
  gone.free_device_memory();
  EXPECT_THAT([&] { (void)cudamat::to_dlpack(gone); }, Fix::refuses("not on the device"));
  EXPECT_THAT([&] { (void)cudamat::to_dlpack(x, copyif::no, 0); }, Fix::refuses("0 is not"));
  EXPECT_THAT([&] { (void)cudamat::to_dlpack(x, copyif::no, -2); }, Fix::refuses("-2 is not"));
  EXPECT_NE(cudamat::to_dlpack(x, copyif::no, cudamat::kNoOrder), nullptr);
}

// ---- from others ----

TYPED_TEST_P(Exchange, RowMajorMemoryIsAMatrixWithTheFlag) {
  USING;
  M memory = Fix::counting({6, 1});
  peer::Producer<Versioned> producer(Fix::given(memory, {2, 3}));
  {
    M x = Fix::take(producer);
    EXPECT_EQ(x.data(), memory.data());
    EXPECT_TRUE(x.is_transposed());
    EXPECT_EQ(x.shape(), (Shape{2, 3}));
    EXPECT_THAT(Fix::rows_of(x), ElementsAre(1, 2, 3, 4, 5, 6));
    x.mult(2);
    EXPECT_EQ(memory.total_sum(), 42);
    EXPECT_EQ(producer.deleted(), 0);
  }
  EXPECT_EQ(producer.deleted(), 1);
}

TYPED_TEST_P(Exchange, ColumnMajorMemoryIsAMatrix) {
  USING;
  M memory = Fix::counting({6, 1});
  peer::Producer<Versioned> producer(Fix::given(memory, {2, 3}, {1, 2}));
  M x = Fix::take(producer);
  EXPECT_EQ(x.data(), memory.data());
  EXPECT_FALSE(x.is_transposed());
  EXPECT_THAT(Fix::rows_of(x), ElementsAre(1, 3, 5, 2, 4, 6));
}

TYPED_TEST_P(Exchange, StridesOfSingleElementsAreFree) {
  USING;
  M memory = Fix::counting({4, 1});
  for (const auto& [shape, strides] :
       std::vector<std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>>{
           {{4, 1}, {1, 99}}, {{4, 1}, {1, 0}}, {{1, 4}, {-7, 1}}, {{1, 1}, {5, 5}}}) {
    peer::Producer<Versioned> producer(Fix::given(memory, shape, strides));
    const M x = Fix::take(producer);
    EXPECT_EQ(x.data(), memory.data());
    EXPECT_FALSE(x.is_transposed());
    EXPECT_EQ(x.shape(), (Shape{shape[0], shape[1]}));
  }
}

TYPED_TEST_P(Exchange, NumbersVectorsOffsetsAndMissingStrides) {
  USING;
  M memory = Fix::counting({6, 1});
  peer::Producer<Versioned> number(Fix::given(memory, {}));
  M one = Fix::take(number);
  EXPECT_THAT(Fix::rows_of(one), ElementsAre(1));

  peer::Given given = Fix::given(memory, {3});
  given.byte_offset = 2 * bits / 8;
  peer::Producer<Versioned> vector(given);
  M three = Fix::take(vector);
  EXPECT_EQ(three.shape(), (Shape{3, 1}));
  EXPECT_EQ(three.data(), memory.data() + 2);
  EXPECT_THAT(Fix::rows_of(three), ElementsAre(3, 4, 5));

  given = Fix::given(memory, {2, 3});
  given.null_strides = true;
  peer::Producer<Unversioned> matrix(given);
  M two = cudamat::from_dlpack<M>(matrix.template as<dlpack::ManagedTensor>());
  EXPECT_THAT(Fix::rows_of(two), ElementsAre(1, 2, 3, 4, 5, 6));
}

TYPED_TEST_P(Exchange, EmptyTensorsOfAnyStridesAreTaken) {
  USING;
  for (const std::vector<std::int64_t>& shape :
       std::vector<std::vector<std::int64_t>>{{0}, {0, 3}, {4, 0}}) {
    peer::Given given = Fix::given(M::empty({0, 0}), shape);
    given.data = nullptr;
    peer::Producer<Versioned> producer(given);
    const M x = Fix::take(producer);
    EXPECT_EQ(x.shape(), (Shape{shape[0], shape.size() == 1 ? 1 : shape[1]}));
    EXPECT_EQ(producer.deleted(), 1);
  }
}

TYPED_TEST_P(Exchange, ViewsKeepTheOwnerAndAnyThreadMayDropIt) {
  USING;
  M memory = Fix::counting({4, 3});
  std::thread::id deleted_by;
  peer::Producer<Versioned> producer(Fix::given(memory, {4, 3}, {1, 4}),
                                     [&] { deleted_by = std::this_thread::get_id(); });
  auto x = std::make_unique<M>(Fix::take(producer));
  auto view = std::make_unique<M>(x->slice(1, 2));
  x->resize({2, 2});  // memory of its own
  x = nullptr;
  EXPECT_EQ(producer.deleted(), 0);
  EXPECT_EQ(view->total_sum(), 5 + 6 + 7 + 8);
  std::thread other([&] { view = nullptr; });
  const std::thread::id id = other.get_id();
  other.join();
  EXPECT_EQ(producer.deleted(), 1);
  EXPECT_EQ(deleted_by, id);
}

TYPED_TEST_P(Exchange, OtherLayoutsAreRefusedOrCopied) {
  USING;
  // 8 x 8 in memory, in C order 1 to 64; the expectations are NumPy's of the same strides.
  M memory = Fix::counting({64, 1});
  struct Case {
    std::vector<std::int64_t> shape, strides;
    std::uint64_t first;
    std::vector<int> elements;
  };
  const std::vector<Case> cases{
      {{2, 3}, {8, 1}, 9, {10, 11, 12, 18, 19, 20}},  // a[1:3, 1:4]
      {{2, 3}, {1, 8}, 9, {10, 18, 26, 11, 19, 27}},  // its transpose's memory
      {{2, 2}, {16, 3}, 0, {1, 4, 17, 20}},           // a[:4:2, :4:3]
      {{2, 2}, {-8, 1}, 8, {9, 10, 1, 2}},            // a[1::-1, :2]
      {{2, 3}, {8, -1}, 2, {3, 2, 1, 11, 10, 9}},     // a[:2, 2::-1]
      {{3, 2}, {0, 1}, 4, {5, 6, 5, 6, 5, 6}},        // a row, broadcast
      {{2, 3}, {1, 0}, 4, {5, 5, 5, 6, 6, 6}},        // a column, broadcast
      {{5}, {9}, 0, {1, 10, 19, 28, 37}},             // the diagonal
      {{3}, {0}, 6, {7, 7, 7}},
      {{1, 3}, {1, 8}, 1, {2, 10, 18}},
  };
  for (const Case& c : cases) {
    peer::Given given = Fix::given(memory, c.shape, c.strides);
    given.byte_offset = c.first * bits / 8;
    peer::Producer<Versioned> producer(given);
    EXPECT_THAT([&] { (void)Fix::take(producer); }, Fix::refuses("cannot be shared"));
    EXPECT_EQ(producer.deleted(), 0) << "what was refused is still the caller's";
    M x = Fix::take(producer, copyif::yes);
    EXPECT_EQ(producer.deleted(), 1);
    std::vector<typename M::value_type> expected(c.elements.begin(), c.elements.end());
    EXPECT_EQ(Fix::rows_of(x), expected);
    x.mult(0);
  }
  EXPECT_EQ(memory.total_sum(), 64 * 65 / 2);
}

TYPED_TEST_P(Exchange, ReadOnlyMemoryIsRefusedOrCopied) {
  USING;
  M memory = Fix::counting({2, 2});
  peer::Given given = Fix::given(memory, {2, 2}, {1, 2});
  given.flags = peer::kReadOnly;
  peer::Producer<Versioned> producer(given);
  EXPECT_THAT([&] { (void)Fix::take(producer); }, Fix::refuses("must not be written"));
  M x = Fix::take(producer, copyif::yes);
  EXPECT_NE(x.data(), memory.data());
  x.mult(0);
  EXPECT_EQ(memory.total_sum(), 10);
}

TYPED_TEST_P(Exchange, ACopyIsMadeWhereItIsAskedFor) {
  USING;
  M memory = Fix::counting({2, 2});
  peer::Producer<Versioned> producer(Fix::given(memory, {2, 2}, {1, 2}));
  M x = Fix::take(producer, copyif::always);
  EXPECT_EQ(producer.deleted(), 1);
  EXPECT_NE(x.data(), memory.data());
  EXPECT_THAT(Fix::rows_of(x), ElementsAre(1, 3, 2, 4));
}

TYPED_TEST_P(Exchange, WhatIsNoMatrixOfThisTypeIsRefused) {
  USING;
  M memory = Fix::counting({4, 4});
  const auto refused = [&](const auto& change, const char* why) {
    peer::Given given = Fix::given(memory, {2, 2});
    change(given);
    peer::Producer<Versioned> producer(given);
    for (const copyif copy : {copyif::no, copyif::yes, copyif::always})
      EXPECT_THAT([&] { (void)Fix::take(producer, copy); }, Fix::refuses(why));
    EXPECT_EQ(producer.deleted(), 0);
  };
  using G = peer::Given;
  const std::string other = bits == 32 ? "float64" : "float32";
  refused([](G& g) { g.dtype.bits = static_cast<std::uint8_t>(96 - bits); }, other.c_str());
  refused([](G& g) { g.dtype = {peer::kDLInt, 32, 1}; }, "int32");
  refused([](G& g) { g.dtype = {peer::kDLBfloat, 16, 1}; }, "bfloat16");
  refused([](G& g) { g.dtype = {peer::kDLBool, 8, 1}; }, "bool8");
  refused([](G& g) { g.dtype = {17, 4, 1}; }, "type 17");
  refused([](G& g) { g.dtype.lanes = 4; }, "in 4 lanes");
  refused([](G& g) { g.version = {2, 0}; }, "DLPack 2.0");
  refused([](G& g) { g.data = nullptr; }, "no memory");
  refused([](G& g) { g.shape = {2, -2}; }, "(2, -2) is not a shape");
  refused([](G& g) { g.shape = {std::int64_t{1} << 40, std::int64_t{1} << 40}; }, "not a shape");
  refused([](G& g) { g.shape = {2, 1, 2}, g.strides = {2, 2, 1}; }, "two dimensions");
  refused([](G& g) { g.device = {peer::kDLROCM, 1}; }, "ROCm device 1");
  refused([](G& g) { g.device = {99, 0}; }, "type 99");
  peer::Given later = Fix::given(memory, {2, 2});
  later.version = {1, 7};  // only numbers that this one does not use are new in it
  peer::Producer<Versioned> producer(later);
  EXPECT_EQ(Fix::take(producer).data(), memory.data());
}

TYPED_TEST_P(Exchange, ATensorWithoutDeleterIsTaken) {
  USING;
  M memory = Fix::counting({2, 2});
  peer::Producer<Versioned> producer(Fix::given(memory, {2, 2}));
  producer.managed().deleter = nullptr;
  EXPECT_EQ(Fix::take(producer).total_sum(), 10);
  EXPECT_EQ(producer.deleted(), 0);
}

TYPED_TEST_P(Exchange, WhatGoesOutComesBackAsTheSameMemory) {
  USING;
  M x = Fix::counting({3, 2});
  const std::weak_ptr<void> memory = x.owner();
  auto tensor = cudamat::to_dlpack(x.T());
  M back = cudamat::from_dlpack<M>(tensor);
  EXPECT_EQ(tensor, nullptr);
  EXPECT_EQ(back.data(), x.data());
  EXPECT_EQ(back.shape(), (Shape{2, 3}));
  x = M();
  EXPECT_THAT(Fix::rows_of(back), ElementsAre(1, 2, 3, 4, 5, 6));
  back = M();
  EXPECT_TRUE(memory.expired());
}

#undef USING

REGISTER_TYPED_TEST_SUITE_P(
    Exchange, AMatrixGoesOutAsItLiesInMemory, ATransposedMatrixAndASliceKeepTheirMemory,
    AConsumersWritesAreSeenAndOursAreSeenByIt, TheMemoryLivesUntilTheDeleterIsCalledInAnyThread,
    EmptyMatricesHaveNoMemoryAndTheirShape, ACopyIsMarkedAndShared, WhatCannotGoOutIsRefused,
    RowMajorMemoryIsAMatrixWithTheFlag, ColumnMajorMemoryIsAMatrix, StridesOfSingleElementsAreFree,
    NumbersVectorsOffsetsAndMissingStrides, EmptyTensorsOfAnyStridesAreTaken,
    ViewsKeepTheOwnerAndAnyThreadMayDropIt, OtherLayoutsAreRefusedOrCopied,
    ReadOnlyMemoryIsRefusedOrCopied, ACopyIsMadeWhereItIsAskedFor,
    WhatIsNoMatrixOfThisTypeIsRefused, ATensorWithoutDeleterIsTaken,
    WhatGoesOutComesBackAsTheSameMemory);

}  // namespace exchange_suite
