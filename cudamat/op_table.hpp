// The op table: every operation of the library is one row here. The enum, the methods of Matrix,
// the engines' dispatch, the reader's names, the printers, gnumpy's functions and the tests,
// including those in Python (tests/differential/op_table.py), are generated from these rows. To add
// an element-wise operation, write a functor (functors.hpp), a row and a reference for the tests
// (tests/conformance/reference.cpp; the tests do not build without it). To add a reduction, see
// tests/conformance/rows_reduction.hpp.
//
// Columns: ROW(op, family, style, functor, numpy, facts)
//   op       the name in Cudamat
//   family   the operands and parameters of a call (enum Family)
//   style    how the original Python package spells the call (enum Style)
//   functor  the scalar function of functors.hpp, or None
//   numpy    the spellings of this operation in NumPy notation, separated by spaces; messages use
//            the first one: `np.exp` for a function of numpy, `scipy.special.erf`, `gpu.logistic`
//            for one of gnumpy, `.sum` for a method
//   facts    flags (enum Fact), and within(n) if an element-wise result may be n units in the last
//            place from the exact value; without it all engines give the same bits
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace cudamat {

/// The operands of a statement of the operation. `t` is the target; a, b, c are matrices, s, n
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
  Sort,          ///< t = a, each column sorted, or the places that sort it
  PerRow,        ///< one element of each row, by a vector of indices
  Composite,     ///< several statements under one name
  Solver,        ///< t = a solution, a factorisation or counts of a, or of a and b: solver.hpp
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
  kRounded = 16,     ///< rounds once, as IEEE 754 does: neither exact nor within()
  kPositive = 32,    ///< tests draw a positive first operand
  kNoEmpty = 64,     ///< has no value for no elements
  // The type of the result in NumPy; float without one of these.
  kTruth = 128,      ///< 1.0 or 0.0, a boolean
  kIndex = 256,      ///< a whole number, an index
  kSame = 512,       ///< the operands' type: booleans of booleans
  kSums = 1024,      ///< the operands' type, but sums of booleans are integers
  kIntegers = 2048,  ///< integers of integers, no booleans of booleans
  kWhole = 4096      ///< of whole numbers, which tests draw
};

constexpr int kWithinShift = 16;
/// See `facts` above.
constexpr std::uint32_t within(std::uint32_t ulps) {
  return ulps << kWithinShift;
}

// Element-wise rows: target[i] = functor(...). The dispatch of the engines is generated from this
// list.
#define CUDAMAT_UNARY_OPS(ROW)                                                                    \
  ROW(sign, Unary, Method, Sign, "np.sign gpu.sign", kInPlace | kFresh | kIntegers)               \
  ROW(sigmoid, Unary, Function, Sigmoid, "gpu.logistic gpu.sigmoid .logistic .sigmoid",           \
      kInPlace | within(4))                                                                       \
  ROW(tanh, Unary, Function, Tanh, "np.tanh gpu.tanh .tanh", kInPlace | within(4))                \
  ROW(abs, Unary, Function, Abs, "np.abs np.absolute np.fabs gpu.abs .abs abs", kInPlace | kSame) \
  ROW(exp, Unary, Function, Exp, "np.exp gpu.exp .exp", kInPlace | within(4))                     \
  ROW(log, Unary, Function, Log, "np.log gpu.log .log", kInPlace | kPositive | within(4))         \
  ROW(log_1_plus_exp, Unary, Function, Log1PlusExp, "gpu.log_1_plus_exp .log_1_plus_exp",         \
      kInPlace | within(4))                                                                       \
  ROW(sqrt, Unary, Function, Sqrt, "np.sqrt gpu.sqrt .sqrt", kInPlace | kPositive | kRounded)     \
  ROW(gamma, Unary, Function, Gamma, "", kInPlace | kPositive | within(16))                       \
  ROW(lgamma, Unary, Function, Lgamma, "", kInPlace | kPositive | within(16))                     \
  ROW(reciprocal, Unary, Method, Reciprocal, "np.reciprocal", kInPlace | kPositive | kRounded)    \
  ROW(log1p, Unary, Function, Log1p, "np.log1p gpu.log1p",                                        \
      kInPlace | kExtension | kPositive | within(4))                                              \
  ROW(expm1, Unary, Function, Expm1, "np.expm1 gpu.expm1", kInPlace | kExtension | within(4))     \
  ROW(sin, Unary, Function, Sin, "np.sin gpu.sin", kInPlace | kExtension | within(4))             \
  ROW(cos, Unary, Function, Cos, "np.cos gpu.cos", kInPlace | kExtension | within(4))             \
  ROW(tan, Unary, Function, Tan, "np.tan gpu.tan", kInPlace | kExtension | within(4))             \
  ROW(arcsin, Unary, Function, Arcsin, "np.arcsin gpu.arcsin", kInPlace | kExtension | within(4)) \
  ROW(arccos, Unary, Function, Arccos, "np.arccos gpu.arccos", kInPlace | kExtension | within(4)) \
  ROW(arctan, Unary, Function, Arctan, "np.arctan gpu.arctan", kInPlace | kExtension | within(4)) \
  ROW(sinh, Unary, Function, Sinh, "np.sinh gpu.sinh", kInPlace | kExtension | within(4))         \
  ROW(cosh, Unary, Function, Cosh, "np.cosh gpu.cosh", kInPlace | kExtension | within(4))         \
  ROW(arcsinh, Unary, Function, Arcsinh, "np.arcsinh gpu.arcsinh",                                \
      kInPlace | kExtension | within(4))                                                          \
  ROW(arccosh, Unary, Function, Arccosh, "np.arccosh gpu.arccosh",                                \
      kInPlace | kExtension | kPositive | within(4))                                              \
  ROW(arctanh, Unary, Function, Arctanh, "np.arctanh gpu.arctanh",                                \
      kInPlace | kExtension | within(4))                                                          \
  ROW(cbrt, Unary, Function, Cbrt, "np.cbrt gpu.cbrt", kInPlace | kExtension | within(4))         \
  ROW(erf, Unary, Function, Erf, "scipy.special.erf gpu.erf", kInPlace | kExtension | within(2))  \
  ROW(log2, Unary, Function, Log2, "np.log2 gpu.log2",                                            \
      kInPlace | kExtension | kPositive | within(4))                                              \
  ROW(log10, Unary, Function, Log10, "np.log10 gpu.log10",                                        \
      kInPlace | kExtension | kPositive | within(4))                                              \
  ROW(floor, Unary, Function, Floor, "np.floor gpu.floor", kInPlace | kExtension)                 \
  ROW(ceil, Unary, Function, Ceil, "np.ceil gpu.ceil", kInPlace | kExtension)                     \
  ROW(rint, Unary, Function, Rint, "np.rint gpu.rint", kInPlace | kExtension)                     \
  ROW(trunc, Unary, Function, Trunc, "np.trunc np.fix gpu.trunc", kInPlace | kExtension)          \
  ROW(isnan, Unary, Function, IsNan, "np.isnan gpu.isnan .isnan", kInPlace | kExtension | kTruth) \
  ROW(isinf, Unary, Function, IsInf, "np.isinf gpu.isinf .isinf", kInPlace | kExtension | kTruth)

// Rows with an operator in NumPy and in gnumpy, followed by rows without, which are functions in
// gnumpy.
#define CUDAMAT_OPERATOR_OPS(ROW)                                                            \
  ROW(add, Binary, Method, Add, "np.add", kInPlace | kCommutative | kRounded | kSums)        \
  ROW(subtract, Binary, Method, Subtract, "np.subtract", kInPlace | kRounded | kSums)        \
  ROW(mult, Binary, Method, Mult, "np.multiply", kInPlace | kCommutative | kRounded | kSame) \
  ROW(divide, Binary, Method, Divide, "np.divide np.true_divide", kInPlace | kRounded)       \
  ROW(less_than, Binary, Method, LessThan, "np.less", kInPlace | kTruth)                     \
  ROW(greater_than, Binary, Method, GreaterThan, "np.greater", kInPlace | kTruth)            \
  ROW(equals, Binary, Method, Equals, "np.equal", kInPlace | kCommutative | kTruth)          \
  ROW(pow, Binary, Function, Pow, "np.power np.float_power",                                 \
      kInPlace | kPositive | kIntegers | within(16))

#define CUDAMAT_BINARY_FUNCTION_OPS(ROW)                                                     \
  ROW(arctan2, Binary, Method, Arctan2, "np.arctan2 gpu.arctan2",                            \
      kInPlace | kExtension | within(4))                                                     \
  ROW(hypot, Binary, Method, Hypot, "np.hypot gpu.hypot", kInPlace | kExtension | within(4)) \
  ROW(copysign, Binary, Method, Copysign, "np.copysign gpu.copysign", kInPlace | kExtension) \
  ROW(minimum, Binary, Method, Minimum, "np.minimum gpu.minimum", kInPlace | kSame)          \
  ROW(maximum, Binary, Method, Maximum, "np.maximum gpu.maximum", kInPlace | kSame)          \
  ROW(mod, Binary, Method, Mod, "np.mod np.remainder gpu.mod",                               \
      kInPlace | kExtension | kRounded | kIntegers)                                          \
  ROW(floor_divide, Binary, Method, FloorDivide, "np.floor_divide gpu.floor_divide",         \
      kInPlace | kExtension | kRounded | kIntegers | within(2))

// Implicit conversions of integers, and of floats to integers, in NumPy, which no function does.
#define CUDAMAT_CONVERSION_OPS(ROW)                                                                \
  ROW(wrap, Binary, Method, Wrap, "", kInPlace | kExtension | kIntegers | kWhole)                  \
  ROW(wrap_unsigned, Binary, Method, WrapUnsigned, "", kInPlace | kExtension | kIntegers | kWhole) \
  ROW(to_int, Binary, Method, ToInt, "", kInPlace | kExtension | kIntegers)

// What NumPy's operators do of integers.
#define CUDAMAT_WHOLE_NUMBER_OPS(ROW)                                                          \
  ROW(bit_and, Binary, Method, BitAnd, "",                                                     \
      kInPlace | kExtension | kCommutative | kIntegers | kWhole)                               \
  ROW(bit_or, Binary, Method, BitOr, "",                                                       \
      kInPlace | kExtension | kCommutative | kIntegers | kWhole)                               \
  ROW(bit_xor, Binary, Method, BitXor, "",                                                     \
      kInPlace | kExtension | kCommutative | kIntegers | kWhole)                               \
  ROW(mult_int32, Binary, Method, MultInt32, "",                                               \
      kInPlace | kExtension | kCommutative | kRounded | kIntegers | kWhole)                    \
  ROW(shift, Binary, Method, Shift, "", kInPlace | kExtension | kIntegers | kWhole)            \
  ROW(integer_mod, Binary, Method, IntegerMod, "", kInPlace | kExtension | kIntegers | kWhole) \
  ROW(integer_divide, Binary, Method, IntegerDivide, "", kInPlace | kExtension | kIntegers | kWhole)

#define CUDAMAT_INTEGER_OPS(ROW) CUDAMAT_CONVERSION_OPS(ROW) CUDAMAT_WHOLE_NUMBER_OPS(ROW)

#define CUDAMAT_BINARY_OPS(ROW) \
  CUDAMAT_OPERATOR_OPS(ROW) CUDAMAT_BINARY_FUNCTION_OPS(ROW) CUDAMAT_INTEGER_OPS(ROW)

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

// Reductions over an axis; the functor is a reducer of functors.hpp. Of numbers, of booleans
// (elements that are not 0 are true), and indices of elements.
#define CUDAMAT_FOLD_OPS(ROW)                                                                \
  ROW(sum, Reduction, Method, Sum, "np.sum gpu.sum .sum", kFresh | kSums)                    \
  ROW(mean, Reduction, Method, Sum, "np.mean gpu.mean .mean", kFresh)                        \
  ROW(max, Reduction, Method, Max, "np.max np.amax gpu.max .max", kFresh | kSame | kNoEmpty) \
  ROW(min, Reduction, Method, Min, "np.min np.amin gpu.min .min", kFresh | kSame | kNoEmpty) \
  ROW(prod, Reduction, Method, Prod, "np.prod gpu.prod .prod", kFresh | kExtension | kSums)

#define CUDAMAT_TRUTH_OPS(ROW)                                                          \
  ROW(any, Reduction, Method, Any, "np.any gpu.any .any", kFresh | kExtension | kTruth) \
  ROW(all, Reduction, Method, All, "np.all gpu.all .all", kFresh | kExtension | kTruth)

#define CUDAMAT_ARG_OPS(ROW)                                             \
  ROW(argmax, ArgReduction, Method, Max, "np.argmax gpu.argmax .argmax", \
      kFresh | kIndex | kNoEmpty)                                        \
  ROW(argmin, ArgReduction, Method, Min, "np.argmin gpu.argmin .argmin", kFresh | kIndex | kNoEmpty)

#define CUDAMAT_REDUCTION_OPS(ROW) CUDAMAT_FOLD_OPS(ROW) CUDAMAT_TRUTH_OPS(ROW) CUDAMAT_ARG_OPS(ROW)

// Reductions of a whole matrix to a number.
#define CUDAMAT_WHOLE_OPS(ROW)                                                                \
  ROW(euclid_norm, Whole, Method, None, "gpu.euclid_norm .euclid_norm np.linalg.norm", kNone) \
  ROW(manhattan_norm, Whole, Method, None, "", kNone)                                         \
  ROW(allfinite, Whole, Method, None, "", kNone)                                              \
  ROW(vdot, Whole, Function, None, "", kNone)                                                 \
  ROW(total_sum, Whole, Method, None, "", kExtension)                                         \
  ROW(total_max, Whole, Method, None, "", kExtension | kNoEmpty)                              \
  ROW(total_mean, Whole, Method, None, "", kExtension)

#define CUDAMAT_MATRIX_OPS(ROW)                                                       \
  ROW(where, Where, Function, Choose, "np.where gpu.where", kInPlace)                 \
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

// Equations, factorisations, counts and sorts. Several results are stored one after the other in
// one target.
#define CUDAMAT_SOLVER_OPS(ROW)                         \
  ROW(solve, Solver, Function, None, "", kExtension)    \
  ROW(inv, Solver, Function, None, "", kExtension)      \
  ROW(cholesky, Solver, Function, None, "", kExtension) \
  ROW(det, Solver, Function, None, "", kExtension)      \
  ROW(slogdet, Solver, Function, None, "", kExtension)  \
  ROW(lstsq, Solver, Function, None, "", kExtension)    \
  ROW(eigh, Solver, Function, None, "", kExtension)     \
  ROW(svd, Solver, Function, None, "", kExtension)      \
  ROW(qr, Solver, Function, None, "", kExtension)       \
  ROW(bincount, Solver, Function, None, "", kExtension) \
  ROW(argsort, Sort, Method, None, "", kFresh | kExtension | kIndex)

#define CUDAMAT_OTHER_OPS(ROW) CUDAMAT_MATRIX_OPS(ROW) CUDAMAT_SOLVER_OPS(ROW)

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
  /// The largest error of a result, in units in the last place; 0: the same bits everywhere.
  [[nodiscard]] constexpr int ulps() const { return static_cast<int>(facts >> kWithinShift); }
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

/// The first of its spellings, `np.multiply`; empty if there is none.
constexpr std::string_view first_spelling(Op op) {
  const std::string_view spellings = row(op).numpy;
  return spellings.substr(0, spellings.find(' '));
}

/// That spelling without its module, or the Cudamat name: "multiply" for mult.
constexpr std::string_view numpy_name(Op op) {
  const std::string_view first = first_spelling(op);
  return first.empty() ? name(op) : first.substr(first.rfind('.') + 1);
}

/// Whether it is a function of NumPy or SciPy, whose result depends on the type of its argument.
constexpr bool is_numpys(Op op) {
  const std::string_view first = first_spelling(op);
  return first.starts_with("np.") || first.starts_with("scipy.");
}

}  // namespace cudamat
