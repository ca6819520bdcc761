// CUDAMatrix: reductions, products, random numbers, slices and what moves elements.
#include "cudamat/python/operations.hpp"

namespace cudamat::python {

namespace {

using Class = nb::class_<PyMatrix>;

/// The axis, or -1 for None.
int axis_of(const char* op, nb::handle axis) {
  if (axis.is_none()) return -1;
  const nb::object index = nb::steal(PyNumber_Index(axis.ptr()));
  if (!index.is_valid()) throw nb::python_error();
  int value = -1;
  if (!nb::try_cast(index, value) || (value != 0 && value != 1))
    misuse(op, "axis must be 0 or 1; got {}", nb::cast<std::string>(nb::str(index)));
  return value;
}

template <class F>
nb::object reduce(const char* op, nb::handle mat, nb::handle axis, TargetArg target, const F& f) {
  const int over = axis_of(op, axis);
  if (over < 0) {
    if (is_given(target)) misuse(op, "a target needs an axis");
    return std::visit(
        [&](auto& m) {
          if (std::string_view(op) == "mean")
            return nb::object(nb::float_(computing([&] { return m.total_mean(); })));
          auto both = computing([&] { return f(f(m, 0), 1); });
          return nb::object(nb::float_(both.total_sum()));
        },
        matrix_of(op, "mat", mat).matrix);
  }
  return std::visit(
      [&](auto& m) {
        if (!is_given(target)) return made(computing([&] { return f(m, over); }));
        auto& t = like(op, "target", target.object, m);
        computing([&] { f(m, over, t); });
        return nb::borrow(target.object);
      },
      matrix_of(op, "mat", mat).matrix);
}

template <class F>
void def_reduction(nb::module_& m, Class& matrix, const char* op, F f) {
  const bool is_arg = std::string_view(op).starts_with("arg");
  const std::string doc = fmt::format(
      "{} over axis 0, down the columns (1 x n), or axis 1, along the rows (m x 1): a new matrix, "
      "or target{}",
      op, is_arg ? ". Indices are numbers." : ";\nwithout an axis that of all elements, a float.");
  const char* const axis = is_arg ? "axis: int" : "axis: int | None = None";
  const char* const result = is_arg ? "CUDAMatrix" : "CUDAMatrix | float";
  const std::string method =
      fmt::format("def {}(self, {}, target: CUDAMatrix | None = None) -> {}", op, axis, result);
  const std::string function = fmt::format(
      "def {}(mat: CUDAMatrix, {}, target: CUDAMatrix | None = None) -> {}", op, axis, result);
  if (is_arg) {
    matrix.def(op, f, "axis"_a, "target"_a = nb::none(), nb::sig(method.c_str()), doc.c_str());
    m.def(op, f, "mat"_a, "axis"_a, "target"_a = nb::none(), nb::sig(function.c_str()),
          doc.c_str());
  } else {
    matrix.def(op, f, "axis"_a = nb::none(), "target"_a = nb::none(), nb::sig(method.c_str()),
               doc.c_str());
    m.def(op, f, "mat"_a, "axis"_a = nb::none(), "target"_a = nb::none(), nb::sig(function.c_str()),
          doc.c_str());
  }
}

/// x.op(axis), or with a target x.op(axis, target).
#define REDUCER(op)                         \
  [](const auto& x, int over, auto&... t) { \
    if constexpr (sizeof...(t) == 0)        \
      return x.op(over);                    \
    else                                    \
      x.op(over, t...);                     \
  }

void def_sum(nb::module_& m, Class& matrix) {
  const auto sum = [](nb::handle mat, nb::handle axis, TargetArg target, double mult) {
    if (axis.is_none())
      return nb::object(
          nb::float_(mult * number_from("sum", mat, [](auto& x) { return x.total_sum(); })));
    return reduce("sum", mat, axis, target, [mult](const auto& x, int over, auto&... t) {
      const auto factor = static_cast<typename std::remove_cvref_t<decltype(x)>::value_type>(mult);
      if constexpr (sizeof...(t) == 0)
        return x.sum(over, factor);
      else
        x.sum(over, t..., factor);
    });
  };
  constexpr const char* kDoc =
      "mult times the sum over axis 0, down the columns (1 x n), or axis 1, along the "
      "rows (m x 1), as a new matrix or in\n"
      "target; without an axis, the sum of all elements as a float.";
  matrix.def("sum", sum, "axis"_a = nb::none(), "target"_a = nb::none(), "mult"_a = 1.0,
             nb::sig("def sum(self, axis: int | None = None, target: CUDAMatrix | None = None, "
                     "mult: float = 1.0) -> CUDAMatrix | float"),
             kDoc);
  m.def("sum", sum, "mat"_a, "axis"_a = nb::none(), "target"_a = nb::none(), "mult"_a = 1.0,
        nb::sig("def sum(mat: CUDAMatrix, axis: int | None = None, target: CUDAMatrix | None = "
                "None, mult: float = 1.0) -> CUDAMatrix | float"),
        kDoc);
  matrix.def(
      "add_sums",
      [](nb::handle self, MatrixArg mat, nb::handle axis, double mult, double beta) {
        const int over = axis_of("add_sums", axis);
        if (over < 0) misuse("add_sums", "axis must be 0 or 1; got None");
        return with_matrix("add_sums", self, "mat", mat.object, {},
                           [&](auto& x, const auto& v, auto&) {
                             using N = typename std::remove_cvref_t<decltype(x)>::value_type;
                             x.add_sums(v, over, static_cast<N>(mult), static_cast<N>(beta));
                           });
      },
      "mat"_a, "axis"_a, "mult"_a = 1.0, "beta"_a = 1.0,
      nb::sig("def add_sums(self, mat: CUDAMatrix, axis: int, mult: float = 1.0, beta: float = "
              "1.0) -> CUDAMatrix"),
      "self = beta * self + mult * (the sums of mat over axis).");
}

void def_numbers(nb::module_& m, Class& matrix) {
#define NUMBER(op, doc)                                                                            \
  matrix.def(                                                                                      \
      #op, [](nb::handle self) { return number_from(#op, self, [](auto& x) { return x.op(); }); }, \
      doc);
  NUMBER(euclid_norm, "The square root of the sum of squares.")
  NUMBER(manhattan_norm, "The sum of absolute values.")
  NUMBER(total_sum, "The sum of all elements.")
  NUMBER(total_max, "The largest element; NaN if there is one.")
  NUMBER(total_mean, "The mean of all elements.")
#undef NUMBER
  matrix.def(
      "allfinite",
      [](nb::handle self) {
        return number_from("allfinite", self, [](auto& x) { return x.allfinite(); }) != 0;
      },
      "Whether no element is NaN or infinite.");
  const auto vdot = [](nb::handle m1, MatrixArg m2) {
    return std::visit(
        [&](auto& x) {
          const auto& y = like("vdot", "m2", m2.object, x);
          return static_cast<double>(computing([&] { return cudamat::vdot(x, y); }));
        },
        matrix_of("vdot", "m1", m1).matrix);
  };
  m.def("vdot", vdot, "m1"_a, "m2"_a, nb::sig("def vdot(m1: CUDAMatrix, m2: CUDAMatrix) -> float"),
        "The sum of the products of corresponding elements.");
  matrix.def("vdot", vdot, "m2"_a, nb::sig("def vdot(self, m2: CUDAMatrix) -> float"),
             "The sum of the products of corresponding elements.");
}

template <class F>
nb::object product(const char* op, nb::handle first, nb::handle second, TargetArg target,
                   const F& f) {
  return std::visit(
      [&](auto& a) {
        const auto& b = like(op, "m2", second, a);
        if (!is_given(target)) return made(computing([&] { return a.dot(b); }));
        auto& t = like(op, "target", target.object, a);
        computing([&] { f(a, b, t); });
        return nb::borrow(target.object);
      },
      matrix_of(op, "m1", first).matrix);
}

void def_products(nb::module_& m, Class& matrix) {
  m.def(
      "dot",
      [](MatrixArg m1, MatrixArg m2, TargetArg target, double beta, double alpha) {
        const auto scaled = [&](const auto& a, const auto& b, auto& t) {
          using N = typename std::remove_cvref_t<decltype(t)>::value_type;
          cudamat::dot(a, b, t, static_cast<N>(beta), static_cast<N>(alpha));
        };
        nb::object result = product("dot", m1.object, m2.object, target, scaled);
        if (!is_given(target) && alpha != 1)
          std::visit(
              [&](auto& x) {
                x.mult(static_cast<typename std::remove_cvref_t<decltype(x)>::value_type>(alpha));
              },
              initialized<PyMatrix>(result).matrix);
        return result;
      },
      "m1"_a, "m2"_a, "target"_a = nb::none(), "beta"_a = 0.0, "alpha"_a = 1.0,
      nb::sig("def dot(m1: CUDAMatrix, m2: CUDAMatrix, target: CUDAMatrix | None = None, beta: "
              "float = 0.0, alpha: float = 1.0) -> CUDAMatrix"),
      "target = beta * target + alpha * (m1 @ m2), m1 m x k, m2 k x n, or a new matrix "
      "alpha * (m1 @ m2). Uses the flags\n"
      "of T; the target needs separate memory.");
  matrix.def(
      "dot",
      [](nb::handle self, MatrixArg mat2, TargetArg target) {
        return product("dot", self, mat2.object, target,
                       [](const auto& a, const auto& b, auto& t) { a.dot(b, t); });
      },
      "mat2"_a, "target"_a = nb::none(),
      nb::sig("def dot(self, mat2: CUDAMatrix, target: CUDAMatrix | None = None) -> CUDAMatrix"),
      "self @ mat2: a new matrix, or into target.");
#define ADD_PRODUCT(op, doc)                                                                      \
  matrix.def(                                                                                     \
      #op,                                                                                        \
      [](nb::handle self, MatrixArg m1, MatrixArg m2, double mult, double beta) {                 \
        std::visit(                                                                               \
            [&](auto& x) {                                                                        \
              using N = typename std::remove_cvref_t<decltype(x)>::value_type;                    \
              const auto& a = like(#op, "m1", m1.object, x);                                      \
              const auto& b = like(#op, "m2", m2.object, x);                                      \
              computing([&] { x.op(a, b, static_cast<N>(mult), static_cast<N>(beta)); });         \
            },                                                                                    \
            matrix_of(#op, "self", self).matrix);                                                 \
        return nb::borrow(self);                                                                  \
      },                                                                                          \
      "m1"_a, "m2"_a, "mult"_a = 1.0, "beta"_a = 1.0,                                             \
      nb::sig("def " #op "(self, m1: CUDAMatrix, m2: CUDAMatrix, mult: float = 1.0, beta: float " \
              "= 1.0) -> CUDAMatrix"),                                                            \
      doc);
  ADD_PRODUCT(add_dot, "self = beta * self + mult * (m1 @ m2).")
  ADD_PRODUCT(subtract_dot, "self = beta * self - mult * (m1 @ m2).")
#undef ADD_PRODUCT
  m.def(
      "where",
      [](nb::handle condition, MatrixArg yes, MatrixArg no, TargetArg target) {
        std::visit(
            [&](auto& c) {
              const auto& a = like("where", "if_mat", yes.object, c);
              const auto& b = like("where", "else_mat", no.object, c);
              auto& t = is_given(target) ? like("where", "target", target.object, c) : c;
              computing([&] { cudamat::where(c, a, b, t); });
            },
            matrix_of("where", "condition_mat", condition).matrix);
        return nb::borrow(is_given(target) ? target.object : condition);
      },
      "condition_mat"_a, "if_mat"_a, "else_mat"_a, "target"_a = nb::none(),
      nb::sig(
          "def where(condition_mat: CUDAMatrix, if_mat: CUDAMatrix, else_mat: CUDAMatrix, target: "
          "CUDAMatrix | None = None) -> CUDAMatrix"),
      "if_mat where condition_mat is not 0, else_mat elsewhere, into target or condition_mat; all "
      "of one\n"
      "shape.");
  m.def(
      "correlate",
      [](nb::handle mat, MatrixArg kernel, TargetArg target) {
        return with_matrix_or_new(
            "correlate", mat, "kernel", kernel.object, target,
            [](auto& x, const auto& k, auto& t) { cudamat::correlate(x, k, t); },
            [](auto& x, const auto& k) { return cudamat::correlate(x, k); });
      },
      "mat"_a, "kernel"_a, "target"_a = nb::none(),
      nb::sig(
          "def correlate(mat: CUDAMatrix, kernel: CUDAMatrix, target: CUDAMatrix | None = None) -> "
          "CUDAMatrix"),
      "mat with a kernel of odd extents, centred, zero padded: a new matrix of mat's shape, or "
      "target.");
}

}  // namespace

void def_reductions(nb::module_& m, Class& matrix) {
#define ROW(op, family, style, functor, numpy_name, facts)                                \
  if constexpr (Op::op != Op::sum)                                                        \
    def_reduction(m, matrix, #op, [](nb::handle mat, nb::handle axis, TargetArg target) { \
      return reduce(#op, mat, axis, target, REDUCER(op));                                 \
    });
  CUDAMAT_FOLD_OPS(ROW)
  CUDAMAT_TRUTH_OPS(ROW)
#undef ROW
#define ROW(op, family, style, functor, numpy_name, facts)                              \
  def_reduction(m, matrix, #op, [](nb::handle mat, nb::handle axis, TargetArg target) { \
    if (axis.is_none()) misuse(#op, "axis must be 0 or 1; got None");                   \
    return reduce(#op, mat, axis, target, REDUCER(op));                                 \
  });
  CUDAMAT_ARG_OPS(ROW)
#undef ROW
  def_sum(m, matrix);
  def_numbers(m, matrix);
  def_products(m, matrix);
}

}  // namespace cudamat::python
