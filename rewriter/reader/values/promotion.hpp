// The types of results where they depend on NumPy's version: NEP 50. Internal to the reader.
//
// In an operation of a scalar and an array, the scalar's type counts in NumPy 2, and its value in
// NumPy 1.24. In NumPy 2 a Python number takes the type of the other operand, which must hold it.
#pragma once

#include <span>

#include "rewriter/reader/values/value.hpp"

namespace rewriter {

/// While it lives, this thread reads a program for NumPy 1 or 2; 0: as outside of any. `widths`:
/// how wide its inputs' floats are is known.
class NumpyVersion {
 public:
  NumpyVersion(int version, bool widths);
  ~NumpyVersion();
  NumpyVersion(const NumpyVersion&) = delete;
  NumpyVersion& operator=(const NumpyVersion&) = delete;

 private:
  int previous_;
  bool widths_;
};

/// 1 or 2.
int numpy_version();
/// Whether the version is that of a NumPy that runs the program as well.
bool numpy_version_is_known();

/// Of an operation of a Python int and a number that the run chooses among one narrow type and
/// Python's ints: the choice among its results. Nothing of others.
std::optional<Value> operation_of_each(ast::Operator op, const Value& left, const Value& right);

/// Makes two operands those whose types NumPy 1.24 promotes as this version promotes the given
/// ones. Raises an error for Python ints as NumPy does; of a comparison and a division, whose
/// results are no integers, it takes them all.
void promote_numbers(Value& a, Value& b, bool compares, bool divides = false);

/// Notes how wide the floats of a new result of both are, where one is a number.
void note_width(const Value& a, const Value& b, const Array& result);

/// How wide NumPy's floats of a value are: 32, 64 or 128; 0 where nothing says it.
int width_of(const Value& value);

/// The array made of a list, which is float64 in NumPy where the list holds Python's numbers; nodes
/// up to `newest` are not new.
Array with_width_of(const Value& list, const Array& made, std::uint64_t newest);

/// How wide NumPy's floats of these together are, in what is made of them: 64 or 32; 0 where
/// nothing says it, as of Python's numbers alone.
int joint_width(std::span<const Value> values);

/// The width of the floats that a function returns for these, if it is that of its arguments: 32 if
/// all floats have 32 bits, apart from Python's numbers; 64 if there are no floats; 0 if it depends
/// on something else.
int width_like(std::span<const Value> arguments);

/// Raises an error for a Python int that is put into an array of a type which does not hold it.
void check_fits(const Value& number, DType dtype);

}  // namespace rewriter
