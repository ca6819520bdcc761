// Element-wise functions, as functions of the module and methods of garray.
#include "gnumpy/python/array.hpp"

namespace gnumpy::python {

namespace {

/// f(a) of whatever can be an operand; `a` is a number's array otherwise.
template <class F>
ArrayObject map(nb::handle a, const F& f) {
  const Where where = here();
  return made_scalar(f(operand_of(a, where)));
}
template <class F>
ArrayObject map(nb::handle a, nb::handle b, const F& f) {
  const Where where = here();
  operand left = operand_of(a, where), right = operand_of(b, where);
  return made_scalar(f(std::move(left), std::move(right)));
}

constexpr const char* kArray = "garray | float | numpy.typing.ArrayLike";

template <class F>
void def_unary(nb::module_& m, Class& type, const char* name, std::string_view spelling, F f) {
  const std::string doc =
      fmt::format("{} of each element.", spelling.empty() ? std::string_view(name)
                                                          : spelling.substr(0, spelling.find(' ')));
  m.def(name, f, "a"_a, nb::sig(fmt::format("def {}(a: {}) -> garray", name, kArray).c_str()),
        doc.c_str());
  type.def(name, f, nb::sig(fmt::format("def {}(self) -> garray", name).c_str()), doc.c_str());
}

template <class F>
void def_binary(nb::module_& m, const char* name, std::string_view spelling, F f) {
  const std::string doc = fmt::format(
      "{} of corresponding elements, broadcast.",
      spelling.empty() ? std::string_view(name) : spelling.substr(0, spelling.find(' ')));
  m.def(name, f, "a"_a, "b"_a,
        nb::sig(fmt::format("def {}(a: {}, b: {}) -> garray", name, kArray, kArray).c_str()),
        doc.c_str());
}

void def_operators(nb::module_& m) {
#define SAME(name, function)                                                                     \
  def_binary(m, #name, "np." #name, [](ArrayArg a, ArrayArg b) {                                 \
    return map(a, b, [](operand x, operand y) { return function(std::move(x), std::move(y)); }); \
  });
  SAME(add, gnumpy::operator+)
  SAME(subtract, gnumpy::operator-)
  SAME(multiply, gnumpy::operator*)
  SAME(divide, gnumpy::operator/)
  SAME(true_divide, gnumpy::operator/)
  SAME(remainder, gnumpy::operator%)
  SAME(less, gnumpy::operator<)
  SAME(less_equal, gnumpy::operator<=)
  SAME(greater, gnumpy::operator>)
  SAME(greater_equal, gnumpy::operator>=)
  SAME(equal, gnumpy::operator==)
  SAME(not_equal, gnumpy::operator!=)
  SAME(logical_and, gnumpy::operator&)
  SAME(logical_or, gnumpy::operator|)
  SAME(logical_xor, gnumpy::operator^)
  SAME(power, gnumpy::power)
  SAME(float_power, gnumpy::power)
  SAME(pow, gnumpy::pow)
#undef SAME
}

std::optional<operand> bound(nb::handle number, const Where& where) {
  if (number.is_none()) return std::nullopt;
  return operand_of(number, where);
}

void def_others(nb::module_& m, Class& type) {
  const auto clip = [](ArrayArg a, BoundArg low, BoundArg high) {
    const Where where = here();
    operand of = operand_of(a, where);
    return made_scalar(gnumpy::clip(std::move(of), bound(low, where), bound(high, where)));
  };
  constexpr const char* kClip = "minimum(maximum(a, a_min), a_max); None for no bound.";
  m.def("clip", clip, "a"_a, "a_min"_a = nb::none(), "a_max"_a = nb::none(), kClip);
  type.def("clip", clip, "min"_a = nb::none(), "max"_a = nb::none(), kClip);
  const auto round = [](ArrayArg a, int decimals) {
    return map(a, [&](operand x) { return gnumpy::round(std::move(x), decimals); });
  };
  constexpr const char* kRound = "Rounds to this number of decimals; halves go to the even number.";
  for (const char* name : {"round", "around"}) m.def(name, round, "a"_a, "decimals"_a = 0, kRound);
  type.def("round", round, "decimals"_a = 0, kRound);
  type.def(
      "__round__",
      [](nb::handle self, nb::handle digits) -> nb::object {
        const double number = only_element(self, "round");
        return nb::module_::import_("builtins").attr("round")(number, digits);
      },
      "digits"_a = nb::none());
  type.def("__format__", [](nb::handle self, nb::handle spec) -> nb::object {
    const nb::object text = array_of(self).value.ndim() == 0
                                ? nb::object(nb::float_(only_element(self, "format")))
                                : nb::object(nb::str(self));
    if (PyUnicode_GetLength(spec.ptr()) == 0) return nb::str(self);
    return nb::steal(PyObject_Format(text.ptr(), spec.ptr()));
  });
  const auto choice = [](ArrayArg condition, ArrayArg a, ArrayArg b) -> nb::object {
    const Where where = here();
    if (a.is_none() && b.is_none()) return nonzero_of(condition, where);
    if (a.is_none() || b.is_none())
      throw nb::value_error("[where] either both or neither of x and y should be given");
    operand first = operand_of(condition, where), second = operand_of(a, where),
            third = operand_of(b, where);
    return made_scalar(gnumpy::where(std::move(first), std::move(second), std::move(third)));
  };
  type.def("where", choice, "x"_a = nb::none(), "y"_a = nb::none(),
           "x where this array is not 0, y elsewhere; without x and y, nonzero().");
  m.def(
      "where", choice, "condition"_a, "x"_a = nb::none(), "y"_a = nb::none(),
      nb::sig(
          "def where(condition: garray | float | numpy.typing.ArrayLike, x: garray | float | "
          "numpy.typing.ArrayLike | None = None, y: garray | float | numpy.typing.ArrayLike | None "
          "= None) -> garray | tuple[numpy.typing.NDArray[numpy.int64], ...]"),
      "x where condition is not 0, y elsewhere; without x and y, the indices of the "
      "elements that are not 0.");
}

}  // namespace

void def_elementwise(nb::module_& m, Class& type) {
#define ROW(name, family, style, functor, numpy_name, facts)             \
  def_unary(m, type, #name, numpy_name, [](ArrayArg a) {                 \
    return map(a, [](operand x) { return gnumpy::name(std::move(x)); }); \
  });
  CUDAMAT_UNARY_OPS(ROW)
#undef ROW
#define NAMED(name, function)                                                \
  def_unary(m, type, #name, "", [](ArrayArg a) {                             \
    return map(a, [](operand x) { return gnumpy::function(std::move(x)); }); \
  });
  NAMED(logistic, logistic)
  NAMED(square, square)
  NAMED(negative, negative)
  NAMED(isreal, isreal)
  NAMED(isnumber, isnumber)
  NAMED(as_bool, as_bool)
  NAMED(logical_not, logical_not)
  NAMED(absolute, abs)
  NAMED(fabs, abs)
  NAMED(fix, trunc)
#undef NAMED
#define ROW(name, family, style, functor, numpy_name, facts)                                   \
  def_binary(m, #name, numpy_name, [](ArrayArg a, ArrayArg b) {                                \
    return map(a, b,                                                                           \
               [](operand x, operand y) { return gnumpy::name(std::move(x), std::move(y)); }); \
  });
  CUDAMAT_BINARY_FUNCTION_OPS(ROW)
#undef ROW
  def_operators(m);
  def_others(m, type);
}

}  // namespace gnumpy::python
