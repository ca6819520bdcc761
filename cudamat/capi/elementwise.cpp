// The C interface: element-wise calls, comparisons, broadcasts, reductions over an axis.
#include <cstdint>

#include "cudamat/capi/cudamat.h"
#include "cudamat/capi/operands.hpp"

using cudamat::capi::run;
using Struct = cudamat_struct;

namespace {

/// What an element-wise call does with the transposed flags of its operands.
enum class Flags : std::uint8_t {
  Unread,  ///< nothing: memory is read and written as it lies
  Alike,   ///< it raises an error for the two that it compares, if one has the flag; else nothing
};

}  // namespace

extern "C" {

// ---- target = f(mat) ----

#define UNARY(function, method, flags)                                          \
  int function(Struct* mat, Struct* target) noexcept {                          \
    return run(#function, [&](const auto& at) {                                 \
      const auto source = at.stored("mat", mat);                                \
      auto result = at.stored("target", target);                                \
      if (Flags::flags == Flags::Alike) at.alike("target", target, "mat", mat); \
      source.method(result);                                                    \
    });                                                                         \
  }
UNARY(sign, sign, Alike)
UNARY(apply_sigmoid, sigmoid, Unread)
UNARY(apply_tanh, tanh, Unread)
UNARY(apply_abs, abs, Unread)
UNARY(apply_log_1_plus_exp, log_1_plus_exp, Unread)
UNARY(apply_log, log, Unread)
UNARY(apply_exp, exp, Unread)
UNARY(apply_gamma, gamma, Unread)
UNARY(apply_lgamma, lgamma, Unread)
UNARY(apply_sqrt, sqrt, Unread)
UNARY(reciprocal, reciprocal, Unread)
#undef UNARY

// ---- target = f(mat, val), val a number ----

#define WITH_NUMBER(function, method, flags)                                    \
  int function(Struct* mat, float val, Struct* target) noexcept {               \
    return run(#function, [&](const auto& at) {                                 \
      const auto source = at.stored("mat", mat);                                \
      auto result = at.stored("target", target);                                \
      if (Flags::flags == Flags::Alike) at.alike("target", target, "mat", mat); \
      source.method(val, result);                                               \
    });                                                                         \
  }
WITH_NUMBER(less_than_scalar, less_than, Alike)
WITH_NUMBER(greater_than_scalar, greater_than, Alike)
WITH_NUMBER(equals_scalar, equals, Alike)
WITH_NUMBER(minimum_scalar, minimum, Alike)
WITH_NUMBER(maximum_scalar, maximum, Alike)
WITH_NUMBER(mult_by_scalar, mult, Unread)
WITH_NUMBER(divide_by_scalar, divide, Unread)
WITH_NUMBER(add_scalar, add, Unread)
WITH_NUMBER(apply_pow, pow, Unread)
WITH_NUMBER(apply_soft_threshold, soft_threshold, Unread)
#undef WITH_NUMBER

// ---- target = f(a, b) ----

#define BINARY(function, method, flags)                               \
  int function(Struct* a, Struct* b, Struct* target) noexcept {       \
    return run(#function, [&](const auto& at) {                       \
      const auto mat = at.stored("mat", a);                           \
      const auto val = at.stored("val", b);                           \
      auto result = at.stored("target", target);                      \
      if (Flags::flags == Flags::Alike) at.alike("val", b, "mat", a); \
      mat.method(val, result);                                        \
    });                                                               \
  }
BINARY(less_than, less_than, Alike)
BINARY(greater_than, greater_than, Alike)
BINARY(equals, equals, Alike)
BINARY(minimum, minimum, Alike)
BINARY(maximum, maximum, Alike)
BINARY(add_elementwise, add, Alike)
BINARY(subtract_elementwise, subtract, Alike)
BINARY(mult_elementwise, mult, Alike)
BINARY(divide_elementwise, divide, Alike)
BINARY(apply_pow_matrix, pow, Unread)
#undef BINARY

// ---- target = f(mat, vec), vec a vector ----

#define WITH_VECTOR(function, method)                               \
  int function(Struct* mat, Struct* vec, Struct* target) noexcept { \
    return run(#function, [&](const auto& at) {                     \
      const auto source = at.stored("mat", mat);                    \
      const auto vector = at.stored("vec", vec);                    \
      auto result = at.stored("target", target);                    \
      at.plain("mat", mat);                                         \
      source.method(vector, result);                                \
    });                                                             \
  }
WITH_VECTOR(add_col_vec, add_col_vec)
WITH_VECTOR(add_row_vec, add_row_vec)
WITH_VECTOR(mult_by_col_vec, mult_by_col)
WITH_VECTOR(mult_by_row_vec, mult_by_row)
WITH_VECTOR(divide_by_col_vec, div_by_col)
WITH_VECTOR(divide_by_row_vec, div_by_row)
#undef WITH_VECTOR

int add_col_mult(Struct* mat, Struct* vec, Struct* target, float mult) noexcept {
  return run("add_col_mult", [&](const auto& at) {
    const auto source = at.stored("mat", mat);
    const auto vector = at.stored("vec", vec);
    auto result = at.stored("target", target);
    at.plain("mat", mat);
    source.add_col_mult(vector, mult, result);
  });
}

int add_mult(Struct* a, Struct* b, float alpha) noexcept {
  return run("add_mult", [&](const auto& at) {
    auto self = at.stored("self", a);
    const auto mat2 = at.stored("mat2", b);
    at.alike("mat2", b, "self", a);
    self.add_mult(mat2, alpha);
  });
}

int assign_scalar(Struct* mat, float val) noexcept {
  return run("assign_scalar", [&](const auto& at) { at("self", mat).assign(val); });
}

int where(Struct* cond, Struct* yes, Struct* no, Struct* target) noexcept {
  return run("where", [&](const auto& at) {
    cudamat::where(at.stored("condition_mat", cond), at.stored("if_mat", yes),
                   at.stored("else_mat", no), at.stored("target", target));
  });
}

// ---- over an axis: every axis but 0 is 1 ----

#define REDUCTION(function, method)                              \
  int function(Struct* mat, Struct* target, int axis) noexcept { \
    return run(#function, [&](const auto& at) {                  \
      const auto source = at.stored("mat", mat);                 \
      auto result = at.stored("target", target);                 \
      at.plain("mat", mat);                                      \
      source.method(axis == 0 ? 0 : 1, result);                  \
    });                                                          \
  }
REDUCTION(min_by_axis, min)
REDUCTION(max_by_axis, max)
REDUCTION(argmin_by_axis, argmin)
REDUCTION(argmax_by_axis, argmax)
#undef REDUCTION

}  // extern "C"
