// NumPy itself as the judge: every row that has a NumPy spelling in the op table, on NaN,
// infinities, zeros of both signs, subnormals and empties. NumPy runs once for each value type.
#pragma once

#include <map>
#include <sstream>

#include "tests/conformance/calls.hpp"
#include "tests/numpy_text.hpp"
#include "tests/python.hpp"

/// Numbers travel as text of 25 digits, enough for every type.
template <class E>
class NumPySemantics : public Calls<E> {
 protected:
  using Number = conformance::Value<E>;
  using HostT = conformance::Host<Number>;

  /// Matrices with special values at all kinds of places. `tame` ones have no subnormals and
  /// nothing huge: there a product or sum depends on its order.
  static std::vector<HostT> matrices(bool tame) {
    std::vector<Number> special = conformance::special_values<Number>();
    if (tame)
      std::erase_if(special, [](Number x) {
        return x != 0 && std::isfinite(x) && (std::abs(x) < Number(0.4) || std::abs(x) > 8);
      });
    std::vector<HostT> result;
    for (const cudamat::Shape shape :
         {cudamat::Shape{0, 0}, {0, 3}, {3, 0}, {1, 1}, {1, 5}, {4, 1}, {3, 7}, {33, 5}})
      for (std::size_t k = 0; k < 12; ++k) {
        HostT mat(shape);
        for (cudamat::Index e = 0; e < shape.size(); ++e)
          mat.data()[e] = static_cast<Number>((e * 7 + static_cast<cudamat::Index>(k)) % 5) - 2;
        for (std::size_t e = k; e < static_cast<std::size_t>(shape.size()) && k != 0;
             e += 2 * k + 1)
          mat.data()[e] = special[(e + k) % special.size()];
        result.push_back(mat);
      }
    return result;
  }

  static std::string literal(const HostT& mat) {
    std::string text = fmt::format("({}, {}, [", mat.shape().rows, mat.shape().cols);
    for (const Number x : mat.values()) text += fmt::format("'{:.24e}', ", x);
    return text + "])";
  }

  /// What NumPy printed, by key; without a key it refused.
  static const std::map<std::string, HostT>& judged() {
    static const std::map<std::string, HostT> results = [] {
      std::map<std::string, HostT> parsed;
      std::istringstream lines(tests::run_python(script()));
      for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string key, number;
        cudamat::Index rows = 0, cols = 0;
        words >> key >> rows >> cols;
        HostT mat(cudamat::Shape{rows, cols});
        for (Number& x : std::span(mat.data(), static_cast<std::size_t>(mat.shape().size()))) {
          words >> number;
          x = static_cast<Number>(std::strtold(number.c_str(), nullptr));
        }
        parsed.emplace(key, mat);
      }
      return parsed;
    }();
    return results;
  }

  /// The row of `arguments` in NumPy; empty if NumPy has none of this width.
  static std::string in_numpy(cudamat::Op op, std::string_view arguments) {
    const bool is_narrow = tests::spelled_in("np.", op).empty();
    return is_narrow && sizeof(Number) > sizeof(double) ? "" : tests::numpy_text(op, arguments);
  }

  /// Prints lines `name/k` or `name/axis/k`, rows, cols, elements: NumPy's function of matrix k
  /// (and another one of its shape). What NumPy refuses, such as an empty max, prints nothing.
  static std::string script() {
    std::string text = R"(
import math
import warnings
import numpy as np
warnings.simplefilter('ignore')
np.seterr(all='ignore')
def matrix(spec):
    rows, cols, values = spec
    return np.array([DTYPE(v) for v in values], dtype=DTYPE).reshape((rows, cols), order='F')
def show(key, result):
    result = np.asarray(result).astype(DTYPE)
    print(key, result.shape[0], result.shape[1],
          *(np.format_float_scientific(x, 24, unique=False) for x in result.ravel(order='F')))
)";
    text += fmt::format("DTYPE = np.{}\nmats = [", sizeof(Number) == 4   ? "float32"
                                                   : sizeof(Number) == 8 ? "float64"
                                                                         : "longdouble");
    for (const HostT& mat : matrices(false)) text += "matrix(" + literal(mat) + "),\n";
    text += "]\ntame = [";
    for (const HostT& mat : matrices(true)) text += "matrix(" + literal(mat) + "),\n";
    text += R"(]
def second(k):
    return mats[k // 12 * 12 + (k * 5 + 1) % 12]
)";
    for (const auto& row : cudamat::kOpTable) {
      const std::string of_one = in_numpy(row.op, "a");
      if (of_one.empty()) continue;
      const std::string loop = "for k, a in enumerate(mats):\n";
      if (row.family == cudamat::Family::Unary)
        text += loop + fmt::format("    show('{}/%d' % k, {})\n", row.name, of_one);
      if (row.family == cudamat::Family::Binary)
        text += loop + fmt::format("    show('{}/%d' % k, {})\n", row.name,
                                   in_numpy(row.op, "a, second(k)"));
      if (row.family == cudamat::Family::Reduction || row.family == cudamat::Family::ArgReduction)
        text += fmt::format(R"(for k, a in enumerate(tame):
    for axis in (0, 1):
        try:
            show('{0}/%d/%d' % (axis, k), np.expand_dims({1}, axis))
        except ValueError:
            pass
)",
                            row.name, in_numpy(row.op, "a, axis=axis"));
    }
    return text + R"(for k, a in enumerate(mats):
    show('sort/%d' % k, np.sort(a, axis=0))
)";
  }

  static std::size_t second_of(std::size_t k) { return k / 12 * 12 + (k * 5 + 1) % 12; }

  /// The same values: a zero of max, min and sort of either sign, as in NumPy; transcendental
  /// functions within NumPy's ulps and ours; `slack` for sums, whose order differs.
  static void compare(cudamat::Op op, const HostT& got, const std::string& key, Number slack = 0) {
    using cudamat::Op;
    const auto found = judged().find(key);
    ASSERT_TRUE(found != judged().end()) << "NumPy refuses " << key;
    const HostT& wanted = found->second;
    ASSERT_TRUE(got.shape() == wanted.shape()) << key;
    const bool any_zero =
        op == Op::minimum || op == Op::maximum || op == Op::max || op == Op::min || op == Op::sort;
    const double ulps = op == Op::prod ? 32 : 2 * conformance::tolerance(op);
    for (cudamat::Index k = 0; k < got.shape().size(); ++k) {
      const Number x = got.data()[k], y = wanted.data()[k];
      EXPECT_TRUE(conformance::same_value(x, y) || (any_zero && x == 0 && y == 0) ||
                  (ulps > 0 && conformance::ulps_apart(x, y) <= ulps) ||
                  (slack > 0 && std::abs(x - y) <= slack))
          << key << ", element " << k << ": " << x << ", NumPy has " << y;
    }
  }

  /// How far two sums of the numbers of a matrix may be apart; 0 for other operations.
  static Number slack(cudamat::Op op, const HostT& mat) {
    if (op != cudamat::Op::sum && op != cudamat::Op::mean) return 0;
    Number magnitudes = 0;
    for (const Number x : mat.values()) magnitudes += std::isfinite(x) ? std::abs(x) : Number(0);
    return magnitudes * 8 * std::numeric_limits<Number>::epsilon();
  }
};
TYPED_TEST_SUITE_P(NumPySemantics);

TYPED_TEST_P(NumPySemantics, ElementWise) {
  CUDAMAT_NEEDS_NUMPY();
  CONFORMANCE_NAMES;
  const std::vector<Host> mats = this->matrices(false);
  for (std::size_t k = 0; k < mats.size() && !this->HasFailure(); ++k) {
    const M a(mats[k]), b(mats[this->second_of(k)]);
    M t = M::empty(a.shape());
#define ROW(op, family, style, functor, numpy, facts) \
  if (!this->in_numpy(cm::Op::op, "").empty())        \
    this->compare(cm::Op::op, a.op(t).asarray(), fmt::format(#op "/{}", k));
    CUDAMAT_UNARY_OPS(ROW)
#undef ROW
#define ROW(op, family, style, functor, numpy, facts) \
  if (!this->in_numpy(cm::Op::op, "").empty())        \
    this->compare(cm::Op::op, a.op(b, t).asarray(), fmt::format(#op "/{}", k));
    CUDAMAT_BINARY_OPS(ROW)
#undef ROW
  }
}

TYPED_TEST_P(NumPySemantics, Reductions) {
  CUDAMAT_NEEDS_NUMPY();
  CONFORMANCE_NAMES;
  const std::vector<Host> mats = this->matrices(true);
  for (std::size_t k = 0; k < mats.size() && !this->HasFailure(); ++k)
    for (const int axis : {0, 1}) {
      const M a(mats[k]);
#define ROW(op, family, style, functor, numpy, facts)                                         \
  {                                                                                           \
    const std::string key = fmt::format(#op "/{}/{}", axis, k);                               \
    try {                                                                                     \
      this->compare(cm::Op::op, a.op(axis).asarray(), key, this->slack(cm::Op::op, mats[k])); \
    } catch (const cm::CUDAMatException& error) {                                             \
      EXPECT_FALSE(this->judged().contains(key))                                              \
          << "NumPy accepts " << key << "; we say: " << error.what();                         \
    }                                                                                         \
  }
      CUDAMAT_REDUCTION_OPS(ROW)
#undef ROW
    }
}

TYPED_TEST_P(NumPySemantics, Sorting) {
  CUDAMAT_NEEDS_NUMPY();
  CONFORMANCE_NAMES;
  const std::vector<Host> mats = this->matrices(false);
  for (std::size_t k = 0; k < mats.size() && !this->HasFailure(); ++k)
    this->compare(cm::Op::sort, M(mats[k]).sort().asarray(), fmt::format("sort/{}", k));
}

REGISTER_TYPED_TEST_SUITE_P(NumPySemantics, ElementWise, Reductions, Sorting);
