// Parts of complex arithmetic. Internal to the reader.
#pragma once

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/operators/complex.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/value.hpp"

namespace rewriter {

/// A real value has no imaginary part.
struct Parts {
  Value real;
  std::optional<Value> imag;
};

/// The parts of a number or an array, complex or not.
Parts parts_of(const Value& value);

/// Zeros of the value's shape.
Value zero_like(const Value& value);

/// Of two numbers; NumPy adds the zero of what is real as well: -0.0 + 0.0 is 0.0.
Value sum(ast::Operator op, const Parts& a, const Parts& b);

/// What multiplies: `*`, `@`, np.outer, ...; f of real parts.
template <class F>
Value product(const F& f, const Parts& a, const Parts& b) {
  if (!a.imag) return new_complex(f(a.real, b.real), f(a.real, *b.imag));
  if (!b.imag) return new_complex(f(a.real, b.real), f(*a.imag, b.real));
  const Value real =
      binary_operator(ast::Operator::Subtract, f(a.real, b.real), f(*a.imag, *b.imag));
  const Value imag = binary_operator(ast::Operator::Add, f(a.real, *b.imag), f(*a.imag, b.real));
  return new_complex(real, imag);
}

/// By a function of rewriter/library/_complex.py, if it has one.
std::optional<Value> call_by_parts(std::string_view name, const Call& call);

/// A list of what is complex as an array.
Value without_list(const Value& x);

}  // namespace rewriter
