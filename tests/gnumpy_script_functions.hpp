// The functions of gnumpy_script that take options: (name OPTIONS EXPR...), where OPTIONS is
// "key=number;key=[number,...];..." or "-".
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gnumpy/gnumpy.hpp"

#include "gnumpy_script_calls.hpp"
#include "gnumpy_script_text.hpp"

namespace gnumpy_script {

class Options {
 public:
  explicit Options(const std::string& text) {
    std::istringstream in(text);
    for (std::string pair; std::getline(in, pair, ';');)
      if (const auto equals = pair.find('='); equals != std::string::npos)
        texts_.emplace(pair.substr(0, equals), pair.substr(equals + 1));
  }
  [[nodiscard]] bool has(const std::string& key) const { return texts_.contains(key); }
  [[nodiscard]] double number(const std::string& key, double otherwise) const {
    return has(key) ? std::stod(texts_.at(key)) : otherwise;
  }
  [[nodiscard]] int integer(const std::string& key, int otherwise) const {
    return has(key) ? std::stoi(texts_.at(key)) : otherwise;
  }
  [[nodiscard]] bool flag(const std::string& key) const { return integer(key, 0) != 0; }
  [[nodiscard]] std::optional<int> axis() const {
    return has("axis") ? std::optional(integer("axis", 0)) : std::nullopt;
  }
  /// A number, a list, or nothing.
  [[nodiscard]] gpu::Axes axes(const std::string& key = "axis") const {
    if (!has(key)) return {};
    if (texts_.at(key)[0] != '[') return integer(key, 0);
    const gpu::Dims list = numbers_of(texts_.at(key));
    return std::vector<int>(list.begin(), list.end());
  }
  [[nodiscard]] gpu::Dims list(const std::string& key) const { return numbers_of(texts_.at(key)); }

 private:
  std::map<std::string, std::string> texts_;
};

using Function = std::function<garray(std::vector<Value>&, const Options&)>;
using Arrays = std::vector<garray>;

inline Arrays arrays_of(std::vector<Value>& values) {
  Arrays arrays;
  for (Value& value : values) arrays.push_back(value.array());
  return arrays;
}

/// Both spellings: name(a, ...) under `name`, a.name(...) under `.name`.
#define UNARY(name)                                                                           \
  {#name, [](std::vector<Value>& v, const Options&) { return gpu::name(v.at(0).take()); }}, { \
    "." #name, [](std::vector<Value>& v, const Options&) {                                    \
      return v.at(0).with([](auto&& x) { return std::forward<decltype(x)>(x).name(); });      \
    }                                                                                         \
  }
#define BINARY(name)                                                                  \
  {#name,                                                                             \
   [](std::vector<Value>& v, const Options&) {                                        \
     gpu::operand a = v.at(0).take(), b = v.at(1).take();                             \
     return gpu::name(std::move(a), std::move(b));                                    \
   }},                                                                                \
  {                                                                                   \
    "." #name, [](std::vector<Value>& v, const Options&) {                            \
      gpu::operand b = v.at(1).take();                                                \
      return v.at(0).with(                                                            \
          [&](auto&& x) { return std::forward<decltype(x)>(x).name(std::move(b)); }); \
    }                                                                                 \
  }
#define FUNCTION(name)                                                                    \
  {                                                                                       \
#name, [](std::vector<Value>& v, const Options&) {                                      \
      gpu::operand a = v.at(0).take(), b = v.at(1).take();                                  \
      return gpu::name(std::move(a), std::move(b));                                         \
    } \
  }
#define REDUCTION(name, ...)                                                             \
  {"f:" #name, [](std::vector<Value>& v,                                                 \
                  const Options& o) { return gpu::name(v.at(0).take(), __VA_ARGS__); }}, \
  {                                                                                      \
    "m:" #name, [](std::vector<Value>& v, const Options& o) {                            \
      return v.at(0).with(                                                               \
          [&](auto&& x) { return std::forward<decltype(x)>(x).name(__VA_ARGS__); });     \
    }                                                                                    \
  }
/// name(array, ...) and array.name(...)
#define OF_ARRAY(name, ...)                                                 \
  {#name,                                                                   \
   [](std::vector<Value>& v, const Options& o) {                            \
     const garray a = v.at(0).array();                                      \
     return gpu::name(a, __VA_ARGS__ __VA_OPT__(, ) gpu::Where::current()); \
   }},                                                                      \
  {                                                                         \
    "." #name, [](std::vector<Value>& v, const Options& o) {                \
      const garray a = v.at(0).array();                                     \
      return a.name(__VA_ARGS__ __VA_OPT__(, ) gpu::Where::current());      \
    }                                                                       \
  }
#define OF_ARRAYS(name, ...)                                                                  \
  {                                                                                           \
#name, [](std::vector<Value>& v, const Options& o) {                                        \
      return gpu::name(arrays_of(v), __VA_ARGS__ __VA_OPT__(, ) gpu::Where::current());         \
    } \
  }

/// Of an array, its weights (if "weights") and its edges (unless "bins"): "edges" gives the edges.
inline garray histogram(std::vector<Value>& v, const Options& o) {
  const garray a = v.at(0).array();
  std::size_t next = 1;
  std::optional<garray> weights;
  if (o.flag("weights")) weights = v.at(next++).array();
  gpu::HistogramOptions options;
  if (weights) options.weights = &*weights;
  if (o.has("low")) options.range = {o.number("low", 0), o.number("high", 0)};
  options.density = o.flag("density");
  auto [counts, edges] = o.has("bins") ? gpu::histogram(a, o.integer("bins", 10), options)
                                       : gpu::histogram(a, v.at(next).array(), options);
  return o.flag("edges") ? edges : counts;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
inline const std::map<std::string, Function>& functions() {
  static const std::map<std::string, Function> table{
#define ROW(name, ...) UNARY(name),
      GNUMPY_UNARY_FUNCTIONS(ROW)
#undef ROW
#define ROW(name, ...) BINARY(name),
          GNUMPY_BINARY_METHODS(ROW)
#undef ROW
              FUNCTION(operator%),
      FUNCTION(operator^),
      FUNCTION(power),
      FUNCTION(logical_xor),
      FUNCTION(remainder),
      FUNCTION(add),
      FUNCTION(subtract),
      FUNCTION(multiply),
      FUNCTION(divide),
      FUNCTION(less),
      FUNCTION(greater),
      FUNCTION(equal),
#define ROW(name, ...) REDUCTION(name, o.axes(), o.flag("keepdims")),
      GNUMPY_REDUCTIONS(ROW)
#undef ROW
#define ROW(name, ...) REDUCTION(name, o.axis(), o.flag("keepdims")),
          GNUMPY_POSITIONS(ROW)
#undef ROW
              REDUCTION(var, o.axes(), o.flag("keepdims"), o.number("ddof", 0)),
      REDUCTION(std, o.axes(), o.flag("keepdims"), o.number("ddof", 0)),
      {"norm",
       [](std::vector<Value>& v, const Options& o) {
         return gpu::norm(v.at(0).take(), o.axes(), o.flag("keepdims"));
       }},
      REDUCTION(round, o.integer("decimals", 0)),
      {"f:clip",
       [](std::vector<Value>& v, const Options& o) {
         gpu::operand a = v.at(0).take();
         std::optional<gpu::operand> least, greatest;
         std::size_t next = 1;
         if (o.flag("least")) least = v.at(next++).take();
         if (o.flag("greatest")) greatest = v.at(next++).take();
         return gpu::clip(std::move(a), std::move(least), std::move(greatest));
       }},
      {"m:clip",
       [](std::vector<Value>& v, const Options& o) {
         const garray a = v.at(0).array();
         return a.clip(v.at(1).take(), v.at(2).take());
       }},
      OF_ARRAY(argsort, o.has("flat") ? std::nullopt : std::optional(o.integer("axis", -1))),
      OF_ARRAY(squeeze, o.axes()),
      OF_ARRAY(expand_dims, o.axes()),
      OF_ARRAY(swapaxes, o.integer("axis1", 0), o.integer("axis2", 1)),
      OF_ARRAY(moveaxis, o.axes("source"), o.axes("destination")),
      OF_ARRAY(take, o.list("indices"), o.axis()),
      {"take_array",
       [](std::vector<Value>& v, const Options& o) {
         const garray a = v.at(0).array(), indices = v.at(1).array();
         return gpu::take(a, indices, o.axis());
       }},
      OF_ARRAY(diagonal, o.integer("offset", 0), o.integer("axis1", 0), o.integer("axis2", 1)),
      OF_ARRAY(trace, o.integer("offset", 0), o.integer("axis1", 0), o.integer("axis2", 1)),
      OF_ARRAY(diag, o.integer("offset", 0)),
      OF_ARRAY(diagflat, o.integer("offset", 0)),
      OF_ARRAY(copy),
      OF_ARRAY(ravel),
      {"flatten", [](std::vector<Value>& v, const Options&) { return v.at(0).array().flatten(); }},
      {"transpose",
       [](std::vector<Value>& v, const Options& o) {
         const gpu::Dims axes = o.list("axes");
         return gpu::transpose(v.at(0).array(), std::vector<int>(axes.begin(), axes.end()));
       }},
      OF_ARRAYS(stack, o.integer("axis", 0)),
      OF_ARRAYS(vstack),
      OF_ARRAYS(hstack),
      OF_ARRAYS(dstack),
      OF_ARRAYS(column_stack),
      OF_ARRAYS(row_stack),
      {"zeros_like",
       [](std::vector<Value>& v, const Options&) { return gpu::zeros_like(v.at(0).array()); }},
      {"ones_like",
       [](std::vector<Value>& v, const Options&) { return gpu::ones_like(v.at(0).array()); }},
      {"full_like",
       [](std::vector<Value>& v, const Options& o) {
         return gpu::full_like(v.at(0).array(), o.number("value", 0));
       }},
      {"empty_like", [](std::vector<Value>& v,
                        const Options&) { return gpu::empty_like(v.at(0).array()) * 0 + 1; }},
      {"arange",
       [](std::vector<Value>&, const Options& o) {
         if (!o.has("start")) return gpu::arange(o.number("stop", 0));
         return gpu::arange(o.number("start", 0), o.number("stop", 0), o.number("step", 1));
       }},
      {"linspace",
       [](std::vector<Value>&, const Options& o) {
         return gpu::linspace(o.number("start", 0), o.number("stop", 0), o.integer("num", 50),
                              o.integer("endpoint", 1) != 0);
       }},
      {"nonzero",
       [](std::vector<Value>& v, const Options& o) {
         return gpu::nonzero(v.at(0).array()).at(static_cast<std::size_t>(o.integer("along", 0)));
       }},
      {"unique",
       [](std::vector<Value>& v, const Options&) { return gpu::unique(v.at(0).array()); }},
      {"unique_counts",
       [](std::vector<Value>& v, const Options& o) {
         auto [values, counts] = gpu::unique_counts(v.at(0).array());
         return o.flag("counts") ? counts : values;
       }},
      {"bincount",
       [](std::vector<Value>& v, const Options& o) {
         const garray a = v.at(0).array();
         const Index minlength = o.integer("minlength", 0);
         return v.size() == 1 ? gpu::bincount(a, minlength)
                              : gpu::bincount(a, v.at(1).array(), minlength);
       }},
      {"histogram", histogram},
      {"f:eye",
       [](std::vector<Value>&, const Options& o) {
         return gpu::eye(o.integer("n", 0), o.integer("m", 0), o.integer("k", 0));
       }},
  };
  return table;
}
#pragma GCC diagnostic pop
#undef UNARY
#undef BINARY
#undef FUNCTION
#undef REDUCTION
#undef OF_ARRAY
#undef OF_ARRAYS

}  // namespace gnumpy_script
