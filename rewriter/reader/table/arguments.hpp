// The arguments of functions, and where their results go. Internal to the reader.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/value.hpp"

namespace rewriter {

/// The number with the type that NumPy's functions return.
Value numpy_number(Value number);

Array array_argument(const Call& call, const Value* value, std::string_view parameter);

/// The argument of a call that has one, by its place.
const Value& only_argument(const Call& call);

/// Whether the argument, if it is an array, is in C order in NumPy's memory.
bool contiguous(const Value* value);

/// Whether the argument is present and true.
bool flag(const Value* value);

/// The array object of the argument; a new one if it is not an array yet.
ObjectPtr object_argument(const Call& call, const Value* value);

/// The same elements with axes of extent 1 added or removed: a view, whatever the layout.
Value with_shape(const ObjectPtr& object, const Dims& dims);

std::optional<int> axis_argument(const Call& call, const Value* axis);
/// An axis of an array of `ndim` dimensions, from the start; without one the first.
int one_axis(const Call& call, const Value* axis, int ndim);

/// A shape: an int or a tuple of ints.
Dims dims_of(const Call& call, const Value& shape);

/// A shape given as one tuple or as several ints, from the argument number `first` on.
Dims dims_of_rest(const Call& call, std::size_t first);

/// The type that `dtype=` names; nothing if it is absent. float32, float64 and longdouble are all
/// the run's precision. Throws for float16, complex types and types that are not numeric.
std::optional<DType> dtype_argument(const Value* dtype);
/// For a function that computes floats: throws for other types.
void float_dtype_argument(const Call& call, const Value* dtype);

/// The width of the floats that the arguments `dtype=` of the current calls asked for last; 0:
/// none.
extern thread_local int asked_float_bits;

/// The result in the type of the array that `out=` names, as NumPy writes those of reductions and
/// of some functions: without asking whether that type has them.
Array as_out(const Array& result, const Value* out);

/// Returns the result; with `out=`, writes the result to it and returns `out`.
Value give(const Call& call, const Array& result, const Value* out, bool contiguous = true);

/// The same for an element-wise function, whose result NumPy broadcasts.
Value give_elements(const Call& call, const Array& result, const Value* out,
                    bool contiguous = true);

/// Writes `value`, broadcast, to an array argument of a function, as `a[...] = value`.
void write_whole(const Call& call, const Value& target, const Array& value);

/// A static number among the arguments; `otherwise` if it is absent.
double number_argument(const Call& call, const Value* value, std::string_view parameter,
                       double otherwise);

/// All axes, or those of an int or a tuple, counted from the start and sorted.
std::vector<int> axes_argument(const Call& call, const Value* axis, int ndim,
                               bool takes_lists = false);

/// Raises Python's TypeError for an argument that the function does not take: no handler would look
/// at it.
void check_arguments(const Call& call);

/// The arrays of a tuple or a list, or the rows of an array.
std::vector<Array> arrays_argument(const Call& call, const Value& arrays);

}  // namespace rewriter
