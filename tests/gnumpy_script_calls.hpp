// The functions that gnumpy_script's programs call, by their names.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gnumpy/gnumpy.hpp"

#include "gnumpy_script_text.hpp"

namespace gnumpy_script {

namespace gpu = gnumpy;
using gpu::Dims;
using gpu::garray;
using gpu::Index;
using gpu::operand;

/// What an expression is in C++: a named garray, a named view, a temporary array or a number.
struct Value {
  garray* name = nullptr;
  gpu::garray_view* view = nullptr;
  std::optional<garray> temporary;
  double number = 0;

  operand take() {
    if (name != nullptr) return operand(*name);
    if (view != nullptr) return operand(*view);
    if (temporary) return operand(*std::move(temporary));
    return operand(number);
  }
  /// f of the array as an lvalue or an rvalue.
  template <class F>
  garray with(const F& f) {
    if (name != nullptr) return f(std::as_const(*name));
    if (view != nullptr) return f(std::as_const(*view));
    return f(temporary ? *std::move(temporary) : garray(number));
  }
  garray array() {
    return with([](auto&& x) { return garray(std::forward<decltype(x)>(x)); });
  }
};

using Unary = garray (*)(operand);
using Binary = garray (*)(operand, operand);
using Reduction = garray (*)(operand, const gpu::Axes&, gpu::Keepdims);
using Position = garray (*)(operand, gpu::Axis, gpu::Keepdims);

inline garray negated(operand a) {
  return -std::move(a);
}
inline garray logical_not(operand a) {
  return !garray(std::move(a.node));
}
inline garray all(operand a, const gpu::Axes& axes, gpu::Keepdims keep) {
  return gpu::all(std::move(a), axes, keep);
}
inline garray var(operand a, const gpu::Axes& axes, gpu::Keepdims keep) {
  return gpu::var(std::move(a), axes, keep);
}
inline garray var1(operand a, const gpu::Axes& axes, gpu::Keepdims keep) {
  return gpu::var(std::move(a), axes, keep, 1);
}
inline garray std0(operand a, const gpu::Axes& axes, gpu::Keepdims keep) {
  return gpu::std(std::move(a), axes, keep);
}

inline const std::map<std::string, Unary> kUnary{{"neg", negated},
                                                 {"not", logical_not},
#define ROW(name, ...) {#name, gpu::name},
                                                 GNUMPY_UNARY_FUNCTIONS(ROW)
#undef ROW
};
// clang-format off
inline const std::map<std::string, Binary> kBinary{
    {"add", gpu::operator+}, {"sub", gpu::operator-}, {"mul", gpu::operator*},
    {"div", gpu::operator/}, {"lt", gpu::operator<},  {"le", gpu::operator<=},
    {"gt", gpu::operator>},  {"ge", gpu::operator>=}, {"eq", gpu::operator==},
    {"ne", gpu::operator!=}, {"and", gpu::operator&}, {"or", gpu::operator|},
#define ROW(name, ...) {#name, gpu::name},
    GNUMPY_BINARY_METHODS(ROW)
#undef ROW
};
// clang-format on
#define ROW(name, ...) {#name, gpu::name},
inline const std::map<std::string, Reduction> kReductions{
    CUDAMAT_FOLD_OPS(ROW){"std", std0},
    {"var", var},
    {"var1", var1},
    {"all", all},
    {"any", gpu::any},
};
inline const std::map<std::string, Position> kPositions{GNUMPY_POSITIONS(ROW)};
#undef ROW

/// (sum EXPR AXES keep), where AXES is a number, a list [0,1] or -, all of them, and keep may lack.
inline gpu::Axes axes_of(const Expr& call) {
  if (call.items.size() <= 2 || call.items[2].atom == "-") return {};
  if (call.items[2].atom[0] != '[') return std::stoi(call.items[2].atom);
  const Dims axes = numbers_of(call.items[2].atom);
  return std::vector<int>(axes.begin(), axes.end());
}
inline std::optional<int> one_axis_of(const Expr& call) {
  const gpu::Axes axes = axes_of(call);
  return axes.listed ? std::optional<int>(axes.listed->at(0)) : std::nullopt;
}
inline gpu::Keepdims keep_of(const Expr& call) {
  return {call.items.size() > 3 && call.items[3].atom == "keep"};
}

using Method = std::function<garray(Value&, const Expr&)>;

#define METHOD(name, ...)                                                         \
  {"." #name, [](Value& a, const Expr&) {                                         \
     return a.with([](auto&& x) { return std::forward<decltype(x)>(x).name(); }); \
   }},
#define REDUCTION_OVER(name, axes)                                                                \
  {"." #name, [](Value& a, const Expr& call) {                                                    \
     return a.with(                                                                               \
         [&](auto&& x) { return std::forward<decltype(x)>(x).name(axes(call), keep_of(call)); }); \
   }},
#define REDUCTION(name, ...) REDUCTION_OVER(name, axes_of)
#define POSITION(name, ...) REDUCTION_OVER(name, one_axis_of)
/// Functions of an array and of what else stands in the call.
inline const std::map<std::string, Method> kMethods{
    GNUMPY_UNARY_FUNCTIONS(METHOD) METHOD(trace) METHOD(diag) METHOD(T) METHOD(ravel)
        GNUMPY_REDUCTIONS(REDUCTION) GNUMPY_POSITIONS(POSITION) REDUCTION(std)
            REDUCTION(var){"euclid_norm",
                           [](Value& a, const Expr&) {
                             return a.with([](auto&& x) { return garray(x.euclid_norm()); });
                           }},
    {"reshape",
     [](Value& a, const Expr& call) {
       const Dims dims = numbers_of(call.items[2].atom);
       return a.with([&](auto&& x) { return std::forward<decltype(x)>(x).reshape(dims); });
     }},
    {"cumsum",
     [](Value& a, const Expr& call) {
       return a.with([&](auto&& x) { return gpu::cumsum(x, axis_of(call, 2)); });
     }},
    {"sort",
     [](Value& a, const Expr& call) {
       return a.with([&](auto&& x) { return gpu::sort(x, axis_of(call, 2).value_or(-1)); });
     }},
    {"tile",
     [](Value& a, const Expr& call) {
       const Dims reps = numbers_of(call.items[2].atom);
       return a.with([&](auto&& x) { return gpu::tile(x, reps); });
     }},
    {"diagflat",
     [](Value& a, const Expr&) { return a.with([](auto&& x) { return gpu::diagflat(x); }); }},
    {"argsort",
     [](Value& a, const Expr& call) {
       return a.with([&](auto&& x) { return gpu::argsort(x, axis_of(call, 2).value_or(-1)); });
     }},
    {"squeeze",
     [](Value& a, const Expr& call) {
       return a.with(
           [&](auto&& x) { return garray(std::forward<decltype(x)>(x).squeeze(axes_of(call))); });
     }},
    {"expand_dims",
     [](Value& a, const Expr& call) {
       return a.with([&](auto&& x) { return gpu::expand_dims(x, axis_of(call, 2).value()); });
     }},
    {"swapaxes",
     [](Value& a, const Expr& call) {
       return a.with([&](auto&& x) {
         return gpu::swapaxes(x, axis_of(call, 2).value(), axis_of(call, 3).value());
       });
     }},
    {"take",
     [](Value& a, const Expr& call) {
       const std::vector<Index> indices = numbers_of(call.items[2].atom);
       return a.with([&](auto&& x) { return gpu::take(x, indices, axis_of(call, 3)); });
     }},
};
#undef METHOD
#undef REDUCTION
#undef REDUCTION_OVER
#undef POSITION

}  // namespace gnumpy_script
