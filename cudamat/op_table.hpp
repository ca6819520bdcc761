// The op table: every operation of the library is one row here, and everything that needs a list of
// operations makes it from these rows: the enum, the methods of Matrix, the engines' dispatch, the
// reader's names, the printers and the conformance tests. Adding an element-wise operation is one
// functor (functors.hpp) and one row; a row without test data fails the build of the tests.
//
// Columns: ROW(op, family, style, functor, numpy, facts)
//   op       the name, as in Cudamat
//   family   which operands and parameters a call takes (enum Family)
//   style    how the original Python package spells the call (enum Style)
//   functor  the scalar function of functors.hpp, or None
//   numpy    the spellings that mean this operation in NumPy notation, separated by spaces:
//   `np.exp` for a
//            function of numpy, `gpu.logistic` for one of gnumpy, `.sum` for a method
//   facts    flags (enum Fact)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace cudamat {

/// Which operands a statement of the operation takes. `t` is the target, a, b, c matrices, s, n
/// numbers.
enum class Family : std::uint8_t {
  Unary,         ///< t = f(a)
  UnaryScalar,   ///< t = f(a, s)
  Binary,        ///< t = f(a, b) or t = f(a, s)
  ColBroadcast,  ///< t = f(a, vec), vec m x 1: the same value along each row
  RowBroadcast,  ///< t = f(a, vec), vec 1 x n: the same value down each column
  ColScaled,     ///< t = f(a, vec, s), vec m x 1
  Scaled,        ///< t = f(t, a, s)
  Modulate,      ///< t = f(t, a)
  Where,         ///< t = a != 0 ? b : c
  Reduction,  ///< t = reduce(a) over axis n: 0 down the columns (1 x n), 1 along the rows (m x 1)
  ArgReduction,  ///< likewise, the index of the winner
  Accumulate,    ///< t = s2 * t + s1 * reduce(a) over axis n
  Whole,         ///< a number from a whole matrix (two for vdot)
  Assign,        ///< t = a or t = s
  Fill,          ///< t = random numbers; no operands
  Product,       ///< t = s1 * t + s2 * (a @ b); flags of a and b say which are transposed
  AddProduct,    ///< t = s2 * t + s1 * (a @ b)
  Transpose,     ///< t = a transposed
  Correlate,     ///< t = correlation of a with the odd-sized kernel b, zero padded
  GetSlice,      ///< t = a[n1:n2] of rows or columns
  SetSlice,      ///< t[n1:n2] = a of rows or columns
  Select,        ///< columns by a vector of indices
  Scan,          ///< t = running sum of a along the rows
  Sort,          ///< t = a, each column sorted
  PerRow,        ///< one element of each row, by a vector of indices
  Composite,     ///< several statements behind one name
};

/// How the original Python package spells the call.
enum class Style : std::uint8_t {
  Function,  ///< cm.exp(a, target=t)
  Method,    ///< a.sign(target=t)
  Update,    ///< t.add_mult(a, s): the target is the object itself
};

enum Fact : std::uint32_t {
  kNone = 0,
  kCommutative = 1,  ///< f(a, b) and f(b, a) have the same bits
  kInPlace = 2,      ///< the target may be one of the operands
  kFresh = 4,        ///< called without a target it makes a new matrix (others then work in place)
  kExtension = 8,    ///< the original package has no such call
  kTruth = 16,       ///< the result is 1.0 or 0.0
  kIndex = 32,       ///< the result is a whole number, an index
};

// Element-wise rows: target[i] = functor(...); the engines make their dispatch from this list.
#define CUDAMAT_UNARY_OPS(ROW)                                                                    \
  ROW(sign, Unary, Method, Sign, "np.sign gpu.sign", kInPlace | kFresh)                           \
  ROW(sigmoid, Unary, Function, Sigmoid, "gpu.logistic gpu.sigmoid .logistic .sigmoid", kInPlace) \
  ROW(tanh, Unary, Function, Tanh, "np.tanh gpu.tanh .tanh", kInPlace)                            \
  ROW(abs, Unary, Function, Abs, "np.abs np.absolute np.fabs gpu.abs .abs abs", kInPlace)         \
  ROW(exp, Unary, Function, Exp, "np.exp gpu.exp .exp", kInPlace)                                 \
  ROW(log, Unary, Function, Log, "np.log gpu.log .log", kInPlace)                                 \
  ROW(log_1_plus_exp, Unary, Function, Log1PlusExp, "gpu.log_1_plus_exp .log_1_plus_exp",         \
      kInPlace)                                                                                   \
  ROW(sqrt, Unary, Function, Sqrt, "np.sqrt gpu.sqrt .sqrt", kInPlace)                            \
  ROW(gamma, Unary, Function, Gamma, "", kInPlace)                                                \
  ROW(lgamma, Unary, Function, Lgamma, "", kInPlace)                                              \
  ROW(reciprocal, Unary, Method, Reciprocal, "np.reciprocal", kInPlace)                           \
  ROW(log1p, Unary, Function, Log1p, "np.log1p", kInPlace | kExtension)                           \
  ROW(expm1, Unary, Function, Expm1, "np.expm1", kInPlace | kExtension)                           \
  ROW(sin, Unary, Function, Sin, "np.sin gpu.sin", kInPlace | kExtension)                         \
  ROW(cos, Unary, Function, Cos, "np.cos gpu.cos", kInPlace | kExtension)                         \
  ROW(log2, Unary, Function, Log2, "np.log2 gpu.log2", kInPlace | kExtension)                     \
  ROW(log10, Unary, Function, Log10, "np.log10 gpu.log10", kInPlace | kExtension)                 \
  ROW(floor, Unary, Function, Floor, "np.floor gpu.floor", kInPlace | kExtension)                 \
  ROW(ceil, Unary, Function, Ceil, "np.ceil gpu.ceil", kInPlace | kExtension)                     \
  ROW(rint, Unary, Function, Rint, "np.rint gpu.rint", kInPlace | kExtension)                     \
  ROW(trunc, Unary, Function, Trunc, "np.trunc np.fix gpu.trunc", kInPlace | kExtension)          \
  ROW(isnan, Unary, Function, IsNan, "np.isnan gpu.isnan .isnan", kInPlace | kExtension | kTruth) \
  ROW(isinf, Unary, Function, IsInf, "np.isinf gpu.isinf .isinf", kInPlace | kExtension | kTruth)

#define CUDAMAT_BINARY_OPS(ROW)                                                       \
  ROW(add, Binary, Method, Add, "np.add", kInPlace | kCommutative)                    \
  ROW(subtract, Binary, Method, Subtract, "np.subtract", kInPlace)                    \
  ROW(mult, Binary, Method, Mult, "np.multiply", kInPlace | kCommutative)             \
  ROW(divide, Binary, Method, Divide, "np.divide np.true_divide", kInPlace)           \
  ROW(minimum, Binary, Method, Minimum, "np.minimum gpu.minimum", kInPlace)           \
  ROW(maximum, Binary, Method, Maximum, "np.maximum gpu.maximum", kInPlace)           \
  ROW(less_than, Binary, Method, LessThan, "np.less", kInPlace | kTruth)              \
  ROW(greater_than, Binary, Method, GreaterThan, "np.greater", kInPlace | kTruth)     \
  ROW(equals, Binary, Method, Equals, "np.equal", kInPlace | kCommutative | kTruth)   \
  ROW(pow, Binary, Function, Pow, "np.power np.float_power", kInPlace)                \
  ROW(mod, Binary, Method, Mod, "np.mod np.remainder gpu.mod", kInPlace | kExtension) \
  ROW(floor_divide, Binary, Method, FloorDivide, "np.floor_divide gpu.floor_divide",  \
      kInPlace | kExtension)

#define CUDAMAT_BROADCAST_OPS(ROW)                            \
  ROW(add_col_vec, ColBroadcast, Method, Add, "", kInPlace)   \
  ROW(add_row_vec, RowBroadcast, Method, Add, "", kInPlace)   \
  ROW(mult_by_col, ColBroadcast, Method, Mult, "", kInPlace)  \
  ROW(mult_by_row, RowBroadcast, Method, Mult, "", kInPlace)  \
  ROW(div_by_col, ColBroadcast, Method, Divide, "", kInPlace) \
  ROW(div_by_row, RowBroadcast, Method, Divide, "", kInPlace)

#define CUDAMAT_OTHER_MAP_OPS(ROW)                                        \
  ROW(soft_threshold, UnaryScalar, Function, SoftThreshold, "", kInPlace) \
  ROW(add_col_mult, ColScaled, Method, AddMult, "", kInPlace)             \
  ROW(add_mult, Scaled, Update, AddMult, "", kInPlace)                    \
  ROW(subtract_mult, Scaled, Update, SubtractMult, "", kInPlace)          \
  ROW(mult_by_sigmoid_deriv, Modulate, Update, MultBySigmoidDeriv, "", kInPlace)

#define CUDAMAT_MAP_OPS(ROW) \
  CUDAMAT_UNARY_OPS(ROW)     \
  CUDAMAT_BINARY_OPS(ROW) CUDAMAT_BROADCAST_OPS(ROW) CUDAMAT_OTHER_MAP_OPS(ROW)

// Reductions over an axis; the functor is a reducer of functors.hpp.
#define CUDAMAT_REDUCTION_OPS(ROW)                                                        \
  ROW(sum, Reduction, Method, Sum, "np.sum gpu.sum .sum", kFresh)                         \
  ROW(mean, Reduction, Method, Sum, "np.mean gpu.mean .mean", kFresh)                     \
  ROW(max, Reduction, Method, Max, "np.max np.amax gpu.max .max", kFresh)                 \
  ROW(min, Reduction, Method, Min, "np.min np.amin gpu.min .min", kFresh)                 \
  ROW(prod, Reduction, Method, Prod, "np.prod gpu.prod .prod", kFresh | kExtension)       \
  ROW(argmax, ArgReduction, Method, Max, "np.argmax gpu.argmax .argmax", kFresh | kIndex) \
  ROW(argmin, ArgReduction, Method, Min, "np.argmin gpu.argmin .argmin", kFresh | kIndex)

// Numbers from a whole matrix.
#define CUDAMAT_WHOLE_OPS(ROW)                                                                \
  ROW(euclid_norm, Whole, Method, None, "gpu.euclid_norm .euclid_norm np.linalg.norm", kNone) \
  ROW(manhattan_norm, Whole, Method, None, "", kNone)                                         \
  ROW(allfinite, Whole, Method, None, "", kNone)                                              \
  ROW(vdot, Whole, Function, None, "", kNone)                                                 \
  ROW(total_sum, Whole, Method, None, "", kExtension)                                         \
  ROW(total_max, Whole, Method, None, "", kExtension)                                         \
  ROW(total_mean, Whole, Method, None, "", kExtension)

#define CUDAMAT_OTHER_OPS(ROW)                                                        \
  ROW(where, Where, Function, None, "np.where gpu.where", kInPlace)                   \
  ROW(add_sums, Accumulate, Update, Sum, "", kNone)                                   \
  ROW(assign, Assign, Update, None, "", kInPlace)                                     \
  ROW(fill_with_rand, Fill, Update, None, "np.random.rand gpu.rand .rand", kNone)     \
  ROW(fill_with_randn, Fill, Update, None, "np.random.randn gpu.randn .randn", kNone) \
  ROW(dot, Product, Function, None, "np.dot np.matmul gpu.dot .dot", kFresh)          \
  ROW(add_dot, AddProduct, Update, None, "", kNone)                                   \
  ROW(subtract_dot, AddProduct, Update, None, "", kNone)                              \
  ROW(transpose, Transpose, Method, None, "np.transpose .transpose", kFresh)          \
  ROW(correlate, Correlate, Function, None, "", kFresh)                               \
  ROW(get_row_slice, GetSlice, Method, None, "", kFresh)                              \
  ROW(get_col_slice, GetSlice, Method, None, "", kFresh)                              \
  ROW(set_row_slice, SetSlice, Update, None, "", kNone)                               \
  ROW(set_col_slice, SetSlice, Update, None, "", kNone)                               \
  ROW(select_columns, Select, Method, None, "", kNone)                                \
  ROW(set_selected_columns, Select, Update, None, "", kNone)                          \
  ROW(cumsum, Scan, Method, None, "", kInPlace | kFresh | kExtension)                 \
  ROW(sort, Sort, Method, None, "", kInPlace | kFresh | kExtension)                   \
  ROW(get_item_from_each_row, PerRow, Method, None, "", kFresh | kExtension)          \
  ROW(set_item_to_each_row, PerRow, Update, None, "", kExtension)                     \
  ROW(ind_incr, PerRow, Update, None, "", kExtension)                                 \
  ROW(softmax, Composite, Method, None, "", kInPlace | kExtension)                    \
  ROW(sample_multinomial, Composite, Function, None, "", kExtension)                  \
  ROW(multi_transpose, Composite, Function, None, "", kExtension)

#define CUDAMAT_OPS(ROW) \
  CUDAMAT_MAP_OPS(ROW) CUDAMAT_REDUCTION_OPS(ROW) CUDAMAT_WHOLE_OPS(ROW) CUDAMAT_OTHER_OPS(ROW)

enum class Op : std::uint8_t {
#define ROW(op, family, style, functor, numpy, facts) op,
  CUDAMAT_OPS(ROW)
#undef ROW
};

struct OpRow {
  Op op;
  std::string_view name;  ///< as in Cudamat
  Family family;
  Style style;
  std::string_view numpy;  ///< spellings, separated by spaces
  std::uint32_t facts;

  [[nodiscard]] constexpr bool has(Fact fact) const { return (facts & fact) != 0; }
};

inline constexpr auto kOpTable = std::to_array<OpRow>({
#define ROW(op, family, style, functor, numpy, facts) \
  OpRow{Op::op, #op, Family::family, Style::style, numpy, facts},
    CUDAMAT_OPS(ROW)
#undef ROW
});

inline constexpr std::size_t kOpCount = kOpTable.size();

/// The row of an operation.
constexpr const OpRow& row(Op op) {
  return kOpTable[static_cast<std::size_t>(op)];
}

/// Its Cudamat name.
constexpr std::string_view name(Op op) {
  return row(op).name;
}

}  // namespace cudamat
