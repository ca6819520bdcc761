// What functions are composed of that NumPy has and the tree has not. Internal to the reader.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rewriter/reader/table.hpp"

namespace rewriter {

// ---- arguments ----

/// What `dtype=` names; nothing where it is left out. float32, float64 and longdouble are all the
/// run's precision. Refuses float16, complex numbers and what is no number.
std::optional<DType> dtype_argument(const Value* dtype);
/// Of a function that computes floats: refuses other types.
void float_dtype_argument(const Call& call, const Value* dtype);

/// How wide the floats are that the arguments `dtype=` of the calls that run asked for last; 0:
/// none.
extern thread_local int asked_float_bits;

/// Where `out=` is given the result is written into it, and `out` is the call's value.
Value give(const Call& call, const Array& result, const Value* out, bool contiguous = true);

/// The same of a function of elements, whose results NumPy broadcasts.
Value give_elements(const Call& call, const Array& result, const Value* out,
                    bool contiguous = true);

/// Its elements along one axis, in C order; of a number, too.
Array raveled(const Array& a);

/// What a function leaves in an array that it writes to: `value`, broadcast, as `a[...] = value`.
void write_whole(const Call& call, const Value& target, const Array& value);

/// A number of the call that must be known; `otherwise` where it is left out.
double number_argument(const Call& call, const Value* value, std::string_view parameter,
                       double otherwise);

/// All axes, or those of an int or a tuple, counted from the start and sorted.
std::vector<int> axes_argument(const Call& call, const Value* axis, int ndim,
                               bool takes_lists = false);

/// What np.indices has for each axis, as np.fromfunction gives it to its function.
std::vector<Value> index_arrays(const Call& call, const Value& shape, const Value* dtype);

/// The arrays of a tuple or a list, or the rows of an array.
std::vector<Array> arrays_argument(const Call& call, const Value& arrays);

// ---- trees ----

/// As `a.astype(dtype)`: floats are truncated to integers, and what is not 0 is true.
Array converted(const Array& a, DType dtype);
/// Python's int() of an array of one element.
Value python_int(const Array& number);

/// np.where, of scalars a scalar.
Array choice(const Array& condition, const Array& a, const Array& b);

/// Neither infinite nor NaN.
Array is_finite(const Array& a);

/// Elements [start, stop) of an axis.
Array part(const Array& a, int axis, Index start, Index stop);

/// With an axis of one element more.
Array with_axis(const Array& a, int axis);

/// a[i, i + k] of a matrix.
Array diagonal(const Array& a, Index k);

/// Running results of add, mult, maximum or minimum along an axis.
Array running(Op op, const Array& a, int axis);

/// A reduction over these axes, counted from the start and sorted.
Array over(Op op, const Array& a, const std::vector<int>& axes, bool keepdims = false);

/// Each element `count` times, one behind the other.
Array repeated(const Array& a, Index count, int axis);

/// The axis `count` times behind itself.
Array tiled(const Array& a, Index count, int axis);

/// The values of an array of whole numbers, where they follow from what the program wrote out.
std::optional<npmat::Array<double>> known_values(const Node& node);

/// Whether inputs are known by what they hold, ReadOptions::contents, while a program is read.
extern thread_local bool contents_are_known;
void know_contents(bool known);
/// Whether ranges and new arrays may be as long as the run decides: ReadOptions::run_lengths.
extern thread_local bool run_lengths_are_read;
/// Where a mask holds, for each axis, where that is known.
std::optional<std::vector<Value>> known_places(const Array& mask);

/// A constant of np.finfo(float) and its kin: "finfo(float64).eps".
std::optional<Value> limit_constant(std::string_view name);

/// Refuses a draw of a generator whose numbers another one of the same seed draws by turns.
void refuse_interleaved(const Module& generator, const std::vector<NodePtr>& steps);

/// Whether these are numbers, some of which the run computes.
bool are_run_keys(const std::vector<Value>& keys);
/// min(items, key=...) or max of it, where these are the keys.
Value extreme_by_run_keys(std::string_view name, const std::vector<Value>& items,
                          const std::vector<Value>& keys);
/// sorted(items, key=..., reverse=...), likewise.
std::vector<Value> sorted_by_run_keys(const std::vector<Value>& items,
                                      const std::vector<Value>& keys, bool down);

// Parts of the table.
void enter_known(Handlers& table);
void enter_places(Handlers& table);
void enter_sets(Handlers& table);
void enter_types(Handlers& table);
void enter_dtypes(Handlers& table);
void enter_joining(Handlers& table);
void enter_composed(Handlers& table);
void enter_statistics(Handlers& table);
void enter_draws(Handlers& table);

}  // namespace rewriter
