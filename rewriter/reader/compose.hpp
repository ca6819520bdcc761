// Building blocks for NumPy functions that the tree has no node for. Internal to the reader.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rewriter/reader/table.hpp"

namespace rewriter {

// ---- arguments ----

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

/// The elements along one axis, in C order; also of a number.
Array raveled(const Array& a);

/// Writes `value`, broadcast, to an array argument of a function, as `a[...] = value`.
void write_whole(const Call& call, const Value& target, const Array& value);

/// A static number among the arguments; `otherwise` if it is absent.
double number_argument(const Call& call, const Value* value, std::string_view parameter,
                       double otherwise);

/// All axes, or those of an int or a tuple, counted from the start and sorted.
std::vector<int> axes_argument(const Call& call, const Value* axis, int ndim,
                               bool takes_lists = false);

/// The index arrays of np.indices, one for each axis, as np.fromfunction passes them to its
/// function.
std::vector<Value> index_arrays(const Call& call, const Value& shape, DType dtype);

/// The arrays of a tuple or a list, or the rows of an array.
std::vector<Array> arrays_argument(const Call& call, const Value& arrays);

// ---- trees ----

/// `a.astype(dtype)`: floats are truncated to integers, and elements that are not 0 are true.
Array converted(const Array& a, DType dtype);
/// Python's int() of an array of one element.
Value python_int(const Array& number);

/// np.where; a scalar for scalars.
Array choice(const Array& condition, const Array& a, const Array& b);

/// Elements [start, stop) of an axis.
Array part(const Array& a, int axis, Index start, Index stop);

/// With an additional axis of extent 1.
Array with_axis(const Array& a, int axis);

/// a[i, i + k] of a matrix.
Array diagonal(const Array& a, Index k);

/// Running results of add, mult, maximum or minimum along an axis.
Array running(Op op, const Array& a, int axis);

/// A reduction over these axes, counted from the start and sorted.
Array over(Op op, const Array& a, const std::vector<int>& axes, bool keepdims = false);

/// The axes that are reduced as the last one, and the shape that has an element for each of them.
std::pair<Array, Dims> merged(const Array& a, const std::vector<int>& axes);

/// A reduction of one axis or all, f, over what the call says: several axes, too.
template <class F>
Array over_axes(const Call& call, const Array& a, const Value* axis, bool keepdims, const F& f) {
  if (axis == nullptr || axis->as<Sequence>() == nullptr)
    return f(a, axis_argument(call, axis), keepdims);
  const std::vector<int> axes = axes_argument(call, axis, a.ndim());
  if (axes.empty() && a.size() == 0)
    cudamat::misuse(call.name, "cannot reshape an array of size 0: an empty array needs an axis");
  const auto [rows, kept] = merged(a, axes);
  const Array found = f(rows, std::optional(-1), false);
  return keepdims ? found.reshape(kept) : found;
}

/// Each element repeated `count` times.
Array repeated(const Array& a, Index count, int axis);

/// The whole axis repeated `count` times.
Array tiled(const Array& a, Index count, int axis);

/// The values of an array of whole numbers, if they are static.
std::optional<npmat::Array<double>> known_values(const NodePtr& node);

/// A small array as the constant that it is known to be, whose numbers are exact at every
/// precision; nothing for a constant, and what is not static.
std::optional<Array> as_constant(const Array& array);

/// Whether the contents of inputs are static while the program is read: ReadOptions::contents.
extern thread_local bool contents_are_known;
void know_contents(bool known);
/// Whether ranges and new arrays may have data-dependent length: ReadOptions::run_lengths.
extern thread_local bool run_lengths_are_read;
/// The indices, for each axis, at which a static mask is true; nothing if it is not static.
std::optional<std::vector<Value>> known_places(const Array& mask);

/// A constant of np.finfo(float) and similar objects: "finfo(float64).eps".
std::optional<Value> limit_constant(std::string_view name);

/// Throws for a draw of a generator if another generator with the same seed has drawn in between.
void refuse_interleaved(const Module& generator, const std::vector<NodePtr>& steps);

/// What np.vectorize makes, called: the function and its otypes come first.
Value vectorized(const Call& call);

/// The elements where their order does not count.
std::vector<Value> any_order(const Value& value);
/// Throws where a set cannot have the item: a list, a dictionary, a set.
void check_item_of_set(const Call& call, const Value& item);

/// a < b of what is known when the program is read, as Python's functions compare: tuples item by
/// item, objects by their methods.
bool is_known_less(const Call& call, const Value& a, const Value& b);
/// Whether all keys are numbers, some of them known only at run time.
bool are_run_keys(const std::vector<Value>& keys);
/// min(items, key=...) or max(items, key=...) with such keys.
Value extreme_by_run_keys(Op op, const std::vector<Value>& items, const std::vector<Value>& keys);
/// min(items, key=...) or max(items, key=...)
Value extreme_by_key(const Call& call, Op op);
/// sorted(items, key=..., reverse=...) with such keys.
std::vector<Value> sorted_by_run_keys(const std::vector<Value>& items,
                                      const std::vector<Value>& keys, bool down);

// Parts of the table.
void enter_known(FunctionTable& table);
void enter_places(FunctionTable& table);
void enter_sets(FunctionTable& table);
void enter_types(FunctionTable& table);
void enter_dtypes(FunctionTable& table);
void enter_joining(FunctionTable& table);
void enter_composed(FunctionTable& table);
void enter_draws(FunctionTable& table);

}  // namespace rewriter
