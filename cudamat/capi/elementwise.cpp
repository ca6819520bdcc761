// The C interface: element-wise calls, comparisons, broadcasts, reductions over an axis.
#include "cudamat/capi/cudamat.h"
#include "cudamat/capi/operands.hpp"

using cudamat::capi::run;
using Struct = cudamat_struct;

extern "C" {

// ---- target = f(mat) ----

#define UNARY(function, method)                        \
  int function(Struct* mat, Struct* target) noexcept { \
    return run(#function, [&](const auto& at) {        \
      const auto source = at("mat", mat);              \
      source.method(at("target", target));             \
    });                                                \
  }
UNARY(sign, sign)
UNARY(apply_sigmoid, sigmoid)
UNARY(apply_tanh, tanh)
UNARY(apply_abs, abs)
UNARY(apply_log_1_plus_exp, log_1_plus_exp)
UNARY(apply_log, log)
UNARY(apply_exp, exp)
UNARY(apply_gamma, gamma)
UNARY(apply_lgamma, lgamma)
UNARY(apply_sqrt, sqrt)
UNARY(reciprocal, reciprocal)
#undef UNARY

// ---- target = f(mat, val), val a number ----

#define WITH_NUMBER(function, method)                                                      \
  int function(Struct* mat, float val, Struct* target) noexcept {                          \
    return run(#function,                                                                  \
               [&](const auto& at) { at("mat", mat).method(val, at("target", target)); }); \
  }
WITH_NUMBER(less_than_scalar, less_than)
WITH_NUMBER(greater_than_scalar, greater_than)
WITH_NUMBER(equals_scalar, equals)
WITH_NUMBER(minimum_scalar, minimum)
WITH_NUMBER(maximum_scalar, maximum)
WITH_NUMBER(mult_by_scalar, mult)
WITH_NUMBER(divide_by_scalar, divide)
WITH_NUMBER(add_scalar, add)
WITH_NUMBER(apply_pow, pow)
WITH_NUMBER(apply_soft_threshold, soft_threshold)
#undef WITH_NUMBER

// ---- target = f(a, b), b a matrix or a vector ----

#define BINARY(function, method, b_name)                                                           \
  int function(Struct* a, Struct* b, Struct* target) noexcept {                                    \
    return run(#function,                                                                          \
               [&](const auto& at) { at("mat", a).method(at(b_name, b), at("target", target)); }); \
  }
BINARY(less_than, less_than, "val")
BINARY(greater_than, greater_than, "val")
BINARY(equals, equals, "val")
BINARY(minimum, minimum, "val")
BINARY(maximum, maximum, "val")
BINARY(add_elementwise, add, "val")
BINARY(subtract_elementwise, subtract, "val")
BINARY(mult_elementwise, mult, "val")
BINARY(divide_elementwise, divide, "val")
BINARY(apply_pow_matrix, pow, "val")
BINARY(add_col_vec, add_col_vec, "vec")
BINARY(add_row_vec, add_row_vec, "vec")
BINARY(mult_by_col_vec, mult_by_col, "vec")
BINARY(mult_by_row_vec, mult_by_row, "vec")
BINARY(divide_by_col_vec, div_by_col, "vec")
BINARY(divide_by_row_vec, div_by_row, "vec")
#undef BINARY

int add_col_mult(Struct* mat, Struct* vec, Struct* target, float mult) noexcept {
  return run("add_col_mult", [&](const auto& at) {
    at("mat", mat).add_col_mult(at("vec", vec), mult, at("target", target));
  });
}

int add_mult(Struct* a, Struct* b, float alpha) noexcept {
  return run("add_mult", [&](const auto& at) { at("self", a).add_mult(at("mat2", b), alpha); });
}

int assign_scalar(Struct* mat, float val) noexcept {
  return run("assign_scalar", [&](const auto& at) { at("self", mat).assign(val); });
}

int where(Struct* cond, Struct* yes, Struct* no, Struct* target) noexcept {
  return run("where", [&](const auto& at) {
    cudamat::where(at("condition_mat", cond), at("if_mat", yes), at("else_mat", no),
                   at("target", target));
  });
}

// ---- over an axis ----

#define REDUCTION(function, method)                                                         \
  int function(Struct* mat, Struct* target, int axis) noexcept {                            \
    return run(#function,                                                                   \
               [&](const auto& at) { at("mat", mat).method(axis, at("target", target)); }); \
  }
REDUCTION(min_by_axis, min)
REDUCTION(max_by_axis, max)
REDUCTION(argmin_by_axis, argmin)
REDUCTION(argmax_by_axis, argmax)
#undef REDUCTION

}  // extern "C"
