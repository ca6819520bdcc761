// CUDAMatrix: element-wise operations, as methods and functions of the module.
#include "cudamat/python/operations.hpp"

namespace cudamat::python {

namespace {

using Class = nb::class_<PyMatrix>;

template <std::uint32_t facts, class F, class G>
nb::object unary(const char* op, nb::handle mat, TargetArg target, const F& f, const G& fresh) {
  if constexpr ((facts & kFresh) != 0)
    return into_or_new(op, mat, target, f, fresh);
  else
    return into(op, mat, target, f);
}

template <class F>
void def_unary(nb::module_& m, Class& matrix, const char* op, std::string_view spelling, bool fresh,
               F f) {
  const std::string doc = fmt::format(
      "{} of each element, {}, or into target, which has the same shape and may be mat. Returns "
      "what was written to.",
      spelling.empty() ? op : spelling.substr(0, spelling.find(' ')),
      fresh ? "as a new matrix" : "in place");
  matrix.def(
      op, f, "target"_a = nb::none(),
      nb::sig(
          fmt::format("def {}(self, target: CUDAMatrix | None = None) -> CUDAMatrix", op).c_str()),
      doc.c_str());
  m.def(op, f, "mat"_a, "target"_a = nb::none(),
        nb::sig(fmt::format(
                    "def {}(mat: CUDAMatrix, target: CUDAMatrix | None = None) -> CUDAMatrix", op)
                    .c_str()),
        doc.c_str());
}

void def_all_unary(nb::module_& m, Class& matrix) {
#define ROW(op, family, style, functor, numpy_name, facts)             \
  def_unary(m, matrix, #op, numpy_name, ((facts)&kFresh) != 0,         \
            [](nb::handle mat, TargetArg target) {                     \
              return unary<(facts)>(                                   \
                  #op, mat, target, [](auto& x, auto& t) { x.op(t); }, \
                  [](auto& x) {                                        \
                    using M = std::remove_cvref_t<decltype(x)>;        \
                    M t = M::empty(x.shape());                         \
                    x.op(t);                                           \
                    return t;                                          \
                  });                                                  \
            });
  CUDAMAT_UNARY_OPS(ROW)
#undef ROW
  const auto same = [&](const char* name, const char* of) {
    matrix.attr(name) = matrix.attr(of);
    if (nb::hasattr(m, of)) m.attr(name) = m.attr(of);
  };
  same("gammaln", "lgamma");
  same("apply_sigmoid", "sigmoid");
  same("apply_tanh", "tanh");
}

template <class F>
void def_binary(Class& matrix, const char* op, std::string_view spelling, F f) {
  const std::string doc = fmt::format(
      "{}(self, val) element by element, in place or into target. val is a number or a matrix of "
      "the same shape; target\n"
      "may be one of the two. Returns what was written to.",
      spelling.empty() ? op : spelling.substr(0, spelling.find(' ')));
  matrix.def(op, f, "val"_a, "target"_a = nb::none(),
             nb::sig(fmt::format("def {}(self, val: CUDAMatrix | float, target: CUDAMatrix | None "
                                 "= None) -> CUDAMatrix",
                                 op)
                         .c_str()),
             doc.c_str());
}

void def_all_binary(nb::module_& m, Class& matrix) {
#define ROW(op, family, style, functor, numpy_name, facts)                                  \
  def_binary(matrix, #op, numpy_name, [](nb::handle self, ValueArg val, TargetArg target) { \
    return with_value(#op, self, val, target,                                               \
                      [](auto& x, const auto& v, auto& t) { x.op(v, t); });                 \
  });
  CUDAMAT_BINARY_OPS(ROW)
#undef ROW
  m.def(
      "pow",
      [](nb::handle mat, ValueArg p, TargetArg target) {
        return with_value("pow", mat, p, target,
                          [](auto& x, const auto& v, auto& t) { x.pow(v, t); });
      },
      "mat"_a, "p"_a, "target"_a = nb::none(),
      nb::sig("def pow(mat: CUDAMatrix, p: CUDAMatrix | float, target: CUDAMatrix | None = None) "
              "-> CUDAMatrix"),
      "mat to the power p, a number or a matrix of its shape, in place or into target.");
}

template <class F>
void def_broadcast(Class& matrix, const char* op, F f) {
  const bool is_row = std::string_view(op).find("row") != std::string_view::npos;
  const std::string doc = fmt::format("Each {} with vec, {}, in place or into target.",
                                      is_row ? "row" : "column", is_row ? "1 x n" : "m x 1");
  matrix.def(
      op, f, "vec"_a, "target"_a = nb::none(),
      nb::sig(
          fmt::format(
              "def {}(self, vec: CUDAMatrix, target: CUDAMatrix | None = None) -> CUDAMatrix", op)
              .c_str()),
      doc.c_str());
}

void def_all_broadcast(Class& matrix) {
#define ROW(op, family, style, functor, numpy_name, facts)                          \
  def_broadcast(matrix, #op, [](nb::handle self, MatrixArg vec, TargetArg target) { \
    return with_matrix(#op, self, "vec", vec.object, target,                        \
                       [](auto& x, const auto& v, auto& t) { x.op(v, t); });        \
  });
  CUDAMAT_BROADCAST_OPS(ROW)
#undef ROW
  matrix.def(
      "add_col_mult",
      [](nb::handle self, MatrixArg vec, double mult, TargetArg target) {
        return with_matrix(
            "add_col_mult", self, "vec", vec.object, target, [&](auto& x, const auto& v, auto& t) {
              x.add_col_mult(
                  v, static_cast<typename std::remove_cvref_t<decltype(x)>::value_type>(mult), t);
            });
      },
      "vec"_a, "mult"_a, "target"_a = nb::none(),
      nb::sig("def add_col_mult(self, vec: CUDAMatrix, mult: float, target: CUDAMatrix | None = "
              "None) -> CUDAMatrix"),
      "self + mult * vec, vec m x 1, in place or into target.");
}

template <class F>
void def_scaled(Class& matrix, const char* op, const char* doc, F f) {
  matrix.def(
      op, f, "mat2"_a, "alpha"_a = 1.0,
      nb::sig(fmt::format("def {}(self, mat2: CUDAMatrix, alpha: float = 1.0) -> CUDAMatrix", op)
                  .c_str()),
      doc);
}

void def_updates(nb::module_& m, Class& matrix) {
#define SCALED(op, doc)                                                                         \
  def_scaled(matrix, #op, doc, [](nb::handle self, MatrixArg mat2, double alpha) {              \
    return with_matrix(#op, self, "mat2", mat2.object, {}, [&](auto& x, const auto& v, auto&) { \
      x.op(v, static_cast<typename std::remove_cvref_t<decltype(x)>::value_type>(alpha));       \
    });                                                                                         \
  });
  SCALED(add_mult, "self += alpha * mat2, a matrix of the same shape.")
  SCALED(subtract_mult, "self -= alpha * mat2, a matrix of the same shape.")
#undef SCALED
  const auto deriv = [](nb::handle target, MatrixArg acts) {
    return with_matrix("mult_by_sigmoid_deriv", target, "acts", acts.object, {},
                       [](auto& x, const auto& v, auto&) { x.mult_by_sigmoid_deriv(v); });
  };
  matrix.def("mult_by_sigmoid_deriv", deriv, "acts"_a,
             nb::sig("def mult_by_sigmoid_deriv(self, acts: CUDAMatrix) -> CUDAMatrix"),
             "self *= acts * (1 - acts).");
  m.def("mult_by_sigmoid_deriv", deriv, "target"_a, "acts"_a,
        nb::sig("def mult_by_sigmoid_deriv(target: CUDAMatrix, acts: CUDAMatrix) -> CUDAMatrix"),
        "target *= acts * (1 - acts), where acts are results of the logistic function: "
        "its derivative.");

  const auto threshold = [](nb::handle mat, double alpha, TargetArg target) {
    return into("soft_threshold", mat, target, [&](auto& x, auto& t) {
      x.soft_threshold(static_cast<typename std::remove_cvref_t<decltype(x)>::value_type>(alpha),
                       t);
    });
  };
  constexpr const char* kThreshold =
      "sign(x) * max(abs(x) - alpha, 0) of each element, in place or into target.";
  for (const char* name : {"soft_threshold", "apply_soft_threshold"})
    matrix.def(
        name, threshold, "alpha"_a, "target"_a = nb::none(),
        nb::sig(
            fmt::format(
                "def {}(self, alpha: float, target: CUDAMatrix | None = None) -> CUDAMatrix", name)
                .c_str()),
        kThreshold);
  m.def("soft_threshold", threshold, "mat"_a, "alpha"_a, "target"_a = nb::none(),
        nb::sig("def soft_threshold(mat: CUDAMatrix, alpha: float, target: CUDAMatrix | None = "
                "None) -> CUDAMatrix"),
        kThreshold);

  const auto assign = [](nb::handle self, ValueArg val) {
    return with_value("assign", self, val, {}, [](auto& x, const auto& v, auto&) { x.assign(v); });
  };
  matrix.def("assign", assign, "val"_a,
             nb::sig("def assign(self, val: CUDAMatrix | float) -> CUDAMatrix"),
             "Sets every element to val, a number, or to the elements of a matrix of the same "
             "shape. Returns self.");
  matrix.def(
      "assign_scalar",
      [assign](nb::handle self, ValueArg val) {
        deprecated("assign_scalar", "assign");
        return assign(self, val);
      },
      "alpha"_a, nb::sig("def assign_scalar(self, alpha: float) -> CUDAMatrix"),
      "Deprecated: assign.");
#define DEPRECATED(name, op)                                                           \
  matrix.def(                                                                          \
      #name,                                                                           \
      [](nb::handle self, ValueArg val, TargetArg target) {                            \
        deprecated(#name, #op);                                                        \
        return with_value(#op, self, val, target,                                      \
                          [](auto& x, const auto& v, auto& t) { x.op(v, t); });        \
      },                                                                               \
      "value"_a, "target"_a = nb::none(),                                              \
      nb::sig("def " #name                                                             \
              "(self, value: float, target: CUDAMatrix | None = None) -> CUDAMatrix"), \
      "Deprecated: " #op ".");
  DEPRECATED(mult_by_scalar, mult)
  DEPRECATED(div_by_scalar, divide)
  DEPRECATED(add_scalar, add)
#undef DEPRECATED
}

}  // namespace

void def_elementwise(nb::module_& m, Class& matrix) {
  def_all_unary(m, matrix);
  def_all_binary(m, matrix);
  def_all_broadcast(matrix);
  def_updates(m, matrix);
}

}  // namespace cudamat::python
