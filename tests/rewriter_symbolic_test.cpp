#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

#include "rewriter/expr/symbolic.hpp"

namespace {

namespace sym = rewriter;
using rewriter::Array;
using rewriter::Dims;
using rewriter::DType;
using rewriter::Index;
using rewriter::Kind;
using rewriter::Op;
using rewriter::Range;
using testing::HasSubstr;
using testing::StartsWith;

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const cudamat::CUDAMatException& error) {
    return error.what();
  }
  return "no error";
}

// error_of of an expression
#define ERROR_OF(expression) error_of([&] { (void)(expression); })

TEST(Symbolic, KnowsShapesAtOnce) {
  const auto x = sym::input("x", {128, 784});
  const auto w = sym::input("w", {784, 30});
  const auto h = sym::logistic(sym::dot(x, w) + sym::input("b", {30}));
  EXPECT_EQ(h.shape(), (Dims{128, 30}));
  EXPECT_EQ(h.shape(0), 128);
  EXPECT_EQ(h.shape(-1), 30);
  EXPECT_EQ(h.size(), 128 * 30);
  EXPECT_EQ(h.T().shape(), (Dims{30, 128}));
  EXPECT_EQ(h.sum().ndim(), 0);
  EXPECT_EQ(ERROR_OF(h.shape(2)), "[shape] axis 2 is out of bounds for array of dimension 2");
}

TEST(Symbolic, IsOneNodeForAnOperationOfNumpy) {
  const auto a = sym::input("a", {3});
  const auto b = sym::input("b", {2, 3});
  const auto sum = a + b;
  EXPECT_EQ(sum.node()->kind, Kind::Map);
  EXPECT_EQ(sum.node()->op, Op::add);
  EXPECT_EQ(sum.node()->args, (std::vector{a.node(), b.node()}));
  EXPECT_EQ(sym::in_order({sum.node()}).size(), 3U);
  EXPECT_EQ((-a).node()->args[1]->number, -1);
  EXPECT_EQ(a.T().node(), a.node());
}

TEST(Symbolic, OrdersNodesAsTheyWereBuilt) {
  const auto a = sym::input("a", {3});
  const auto b = sym::input("b", {3});
  const auto product = b * a;
  const auto sum = a + b;
  const auto order = sym::in_order({sum.node(), product.node()});
  EXPECT_EQ(order, (std::vector{a.node(), b.node(), product.node(), sum.node()}));
}

TEST(Symbolic, PowersAreNumpysFastPaths) {
  const auto a = sym::input("a", {3});
  const auto op_of = [&](const Array& base, const Array& exponent) {
    return sym::power_operator(base, exponent).node()->op;
  };
  EXPECT_EQ(op_of(a, 2), Op::mult);
  EXPECT_EQ(op_of(a, 0.5), Op::sqrt);
  EXPECT_EQ(op_of(a, -1), Op::reciprocal);
  EXPECT_EQ(op_of(a, 3), Op::pow);
  EXPECT_EQ(op_of(a, sym::full({}, 2)), Op::pow);
  EXPECT_EQ(op_of(a.sum(), 2), Op::mult);
  EXPECT_EQ(op_of(a.sum(), 0.5), Op::pow);
  EXPECT_EQ(op_of(sym::input("s", {}), 2), Op::mult);
  EXPECT_EQ(sym::power_operator(a, 1).node()->kind, Kind::Copy);
}

TEST(Symbolic, ArithmeticOfNumbersIsAPythonNumber) {
  const Array sum = Array(2) + Array(3);
  EXPECT_TRUE(sum.is_number());
  EXPECT_EQ(sum.node()->number, 5);
  EXPECT_EQ(sum.dtype(), DType::Int);
  EXPECT_EQ((Array(true) * 1).dtype(), DType::Int);
  EXPECT_EQ((Array(1) / 2).node()->number, 0.5);
  EXPECT_EQ(sym::power_operator(2, -1).node()->number, 0.5);
  EXPECT_EQ(sym::power_operator(2, -1).dtype(), DType::Float);
  EXPECT_EQ((-Array(2.5)).node()->number, -2.5);
  EXPECT_THAT(ERROR_OF(Array(1) / 0), StartsWith("[divide] division by zero"));
  EXPECT_THAT(ERROR_OF(sym::power_operator(0, -1)), StartsWith("[power] 0 cannot be raised"));
  EXPECT_THAT(ERROR_OF(sym::power_operator(-8, 0.5)), HasSubstr("complex"));
}

TEST(Symbolic, ErrorsAreNumpysWithBothShapes) {
  const auto a = sym::input("a", {3});
  const auto b = sym::input("b", {4});
  const auto m = sym::input("m", {4, 5});
  EXPECT_EQ(ERROR_OF(a + b),
            "[add] operands could not be broadcast together with shapes (3,) (4,)");
  EXPECT_EQ(ERROR_OF(m * b),
            "[multiply] operands could not be broadcast together with shapes (4, 5) (4,)");
  EXPECT_EQ(ERROR_OF(sym::where(m, a, 1)),
            "[where] operands could not be broadcast together with shapes (4, 5) (3,) ()");
  EXPECT_EQ(ERROR_OF(sym::dot(m, b)),
            "[dot] shapes (4, 5) and (4,) not aligned: 5 (dim 1) != 4 (dim 0)");
  EXPECT_EQ(ERROR_OF(sym::matmul(m, m)),
            "[matmul] shapes (4, 5) and (4, 5) not aligned: 5 (dim 1) != 4 (dim 0)");
  EXPECT_THAT(ERROR_OF(sym::matmul(m, 2)), HasSubstr("operand 1 does not have enough dimensions"));
  EXPECT_EQ(ERROR_OF(m.sum(2)), "[sum] axis 2 is out of bounds for array of dimension 2");
  EXPECT_EQ(ERROR_OF(m.mean(-3)), "[mean] axis -3 is out of bounds for array of dimension 2");
  EXPECT_EQ(ERROR_OF(m.reshape({3, -1})),
            "[reshape] cannot reshape array of size 20 into shape (3, -1)");
  EXPECT_EQ(ERROR_OF(sym::input("e", {0, 3}).max(0)),
            "[max] zero-size array to reduction operation maximum which has no identity; the shape "
            "is (0, 3)");
  EXPECT_EQ(ERROR_OF(sym::reduce(Op::argmin, sym::input("e", {0}))),
            "[argmin] attempt to get argmin of an empty sequence; the shape is (0,)");
  EXPECT_EQ(ERROR_OF(sym::clip(a, {}, {})), "[clip] One of max or min must be given");
  EXPECT_THAT(ERROR_OF(sym::concatenate({a, m})),
              HasSubstr("same number of dimensions; array 0 has shape (3,), array 1 has (4, 5)"));
  EXPECT_EQ(ERROR_OF(sym::concatenate({})), "[concatenate] need at least one array to concatenate");
}

TEST(Symbolic, RefusesWhatNumpyComputesInOtherTypes) {
  const auto a = sym::input("a", {3});
  const auto mask = a > 0;
  EXPECT_EQ(ERROR_OF(sym::exp(mask)),
            "[exp] NumPy computes this of booleans in float16; multiply by 1.0 first");
  EXPECT_THAT(ERROR_OF(mask - mask), StartsWith("[subtract] numpy boolean subtract"));
  EXPECT_THAT(ERROR_OF(-mask), HasSubstr("write logical_not"));
  EXPECT_THAT(ERROR_OF(sym::map(Op::reciprocal, mask * 1)), HasSubstr("write 1.0 / a"));
  EXPECT_THAT(ERROR_OF(sym::power_operator(mask * 1, -1)),
              StartsWith("[power] Integers to negative integer powers are not allowed"));
  EXPECT_THAT(ERROR_OF(sym::mod(mask, mask)), HasSubstr("int8"));
  EXPECT_THAT(ERROR_OF(sym::round(mask)), HasSubstr("float16"));
  EXPECT_THAT(ERROR_OF(sym::round(mask.as_type(sym::DType::Int8), -1)),
              HasSubstr("rounds integers to integers"));
  EXPECT_EQ(sym::round(mask * 1, -1).dtype(), sym::DType::Int);
  EXPECT_THAT(ERROR_OF(sym::mod(mask * 1, sym::Array(0))), HasSubstr("other than 0"));
  EXPECT_THAT(ERROR_OF(sym::floor_divide(mask * 1, sym::Array(0))), HasSubstr("other than 0"));
  for (const auto& divisor : {mask * 1, sym::full({3}, 0, sym::DType::Int)}) {
    EXPECT_EQ(sym::mod(mask * 1, divisor).dtype(), sym::DType::Int);
    EXPECT_EQ(sym::floor_divide(mask * 1, divisor).dtype(), sym::DType::Int);
  }
  EXPECT_EQ(sym::mod(mask * 1, 2).dtype(), sym::DType::Int);
  EXPECT_EQ(sym::mod(mask, 2).dtype(), sym::DType::Int);
  EXPECT_EQ(sym::mod(mask, 2.0).dtype(), sym::DType::Float);
}

TEST(Symbolic, RefusesShapesThatAreNotPossible) {
  EXPECT_EQ(ERROR_OF(sym::zeros({2, -1})), "[full] negative dimensions are not allowed: (2, -1)");
  const Index huge = Index(1) << 32;
  EXPECT_THAT(ERROR_OF(sym::input("x", {huge, huge})), HasSubstr("more than 2^63 elements"));
  EXPECT_THAT(ERROR_OF(sym::input("x", {huge, 1}) + sym::input("y", {huge})),
              HasSubstr("more than 2^63 elements"));
  EXPECT_THAT(ERROR_OF(sym::eye(Index(1) << 24)), HasSubstr("bytes"));
  EXPECT_THAT(ERROR_OF(sym::array(npmat::Array<double>{{2, 2}, {1}})),
              HasSubstr("(2, 2) needs 4 elements; data has 1"));
  EXPECT_THAT(ERROR_OF(sym::seed(Index(1) << 32)), HasSubstr("between 0 and 2**32 - 1"));
}

TEST(Symbolic, RefusesToWriteInPlaceWhatDoesNotFit) {
  const auto a = sym::input("a", {3});
  const auto whole = (a > 0) * 1;
  EXPECT_EQ(ERROR_OF(sym::in_place(a + sym::input("m", {4, 3}))),
            "[add] non-broadcastable output operand with shape (3,) doesn't match the broadcast "
            "shape (4, 3)");
  EXPECT_THAT(ERROR_OF(sym::in_place(sym::map(Op::add, whole.copy(), 0.5))),
              StartsWith("[add] Cannot cast ufunc 'add' output from dtype('float64') to "
                         "dtype('int64') with casting rule 'same_kind'"));
  const auto updated = sym::in_place(a + 1);
  EXPECT_TRUE(updated.node()->in_place);
  EXPECT_EQ(updated.node()->args[0], a.node());
  EXPECT_FALSE(sym::in_place(a.sum() + a).node()->in_place) << "NumPy scalars are immutable";
}

TEST(Symbolic, RangesFollowNumpy) {
  EXPECT_EQ(sym::slice_range({}, {}, 5), (Range{0, 5}));
  EXPECT_EQ(sym::slice_range(-2, {}, 5), (Range{3, 5}));
  EXPECT_EQ(sym::slice_range(-9, 9, 5), (Range{0, 5}));
  EXPECT_EQ(sym::slice_range(3, 1, 5), (Range{3, 3}));
  EXPECT_EQ(sym::slice_range(7, 9, 5), (Range{5, 5}));
  EXPECT_EQ(sym::index_range(-1, 5), (Range{4, 5, true}));
  EXPECT_EQ(ERROR_OF(sym::index_range(5, 5, 1)),
            "[index] index 5 is out of bounds for axis 1 with size 5");
  const auto m = sym::input("m", {4, 5});
  EXPECT_EQ(m.slice({sym::index_range(2, 4)}).shape(), (Dims{5}));
  EXPECT_THAT(ERROR_OF(m.slice({Range{0, 9}})), HasSubstr("not within axis 0 with size 4"));
  EXPECT_THAT(ERROR_OF(sym::input("v", {5}).slice({Range{0, 1}, Range{0, 1}})),
              HasSubstr("too many indices for array: array is 1-dimensional, but 2 were indexed"));
  EXPECT_EQ(ERROR_OF(sym::set_slice(m, {Range{0, 1}}, sym::input("v", {4}))),
            "[setitem] could not broadcast input array from shape (4,) into shape (1, 5)");
}

TEST(Symbolic, ConstantsKeepTheirSpelling) {
  EXPECT_EQ(sym::eye(3).node()->text, "np.eye(3)");
  EXPECT_EQ(sym::eye(3, 4).node()->text, "np.eye(3, 4)");
  EXPECT_EQ(sym::eye(3, 4, -1).node()->text, "np.eye(3, 4, k=-1)");
  const auto shifted = sym::eye(2, 3, 1);
  const auto& data = std::get<npmat::Array<double>>(*shifted.node()->data);
  EXPECT_EQ(data.data, (std::vector<double>{0, 1, 0, 0, 0, 1}));
}

TEST(Symbolic, NodesRememberTheirPlaceInTheSource) {
  const auto a = sym::input("a", {3});
  Array inner = a;
  Array outer = a;
  {
    const sym::At at({5, 11});
    {
      const sym::At deeper({6, 1});
      inner = a + 1;
    }
    outer = a + 1;
  }
  EXPECT_EQ(a.node()->where.line, 0);
  EXPECT_EQ(inner.node()->where.line, 6);
  EXPECT_EQ(outer.node()->where.line, 5);
  EXPECT_EQ(outer.node()->where.column, 11);
  EXPECT_EQ((a + 1).node()->where.line, 0);
}

TEST(Symbolic, DeepTreesComeDownWithoutRecursion) {
  Array chain = sym::input("a", {3});
  for (int i = 0; i < 1'000'000; ++i) chain = chain + 1;
  Array squares = sym::input("a", {3});
  for (int i = 0; i < 1'000'000; ++i) squares = squares * squares;
  Array zigzag = sym::input("a", {3});
  for (int i = 0; i < 300'000; ++i) zigzag = (1 - zigzag) * zigzag;
  EXPECT_EQ(sym::in_order({chain.node()}).size(), 2'000'001U);
}

TEST(Symbolic, SharedPartsOutliveOneTree) {
  const auto shared = sym::input("a", {3}) + 1;
  const auto kept = shared * 2;
  { const auto gone = sym::exp(shared * 3); }
  EXPECT_EQ(kept.node()->args[0], shared.node());
  EXPECT_EQ(shared.node()->args[0]->text, "a");
}

TEST(Symbolic, ThreadsMayBuildOnTheSameTree) {
  Array deep = sym::input("a", {3});
  for (int i = 0; i < 10'000; ++i) deep = deep + 1;
  auto build = [shared = deep]() mutable {
    for (int i = 0; i < 10'000; ++i) shared = shared * 2;
    shared = Array(0);
  };
  {
    std::thread first(build);
    std::thread second(std::move(build));
    deep = Array(0);
    first.join();
    second.join();
  }
  EXPECT_TRUE(deep.is_number());
}

}  // namespace
