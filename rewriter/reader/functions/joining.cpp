// Functions of the notation that repeat and move arrays, take diagonals, and fill.
#include <algorithm>
#include <numeric>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/selections/run_slices.hpp"
#include "rewriter/reader/table/arguments.hpp"
#include "rewriter/reader/table/parts.hpp"
#include "rewriter/reader/table/table.hpp"
#include "rewriter/reader/table/trees.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/known_values.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;
using detail::normalize_axis;

namespace {

// ---- repeating ----

Value np_tile(const Call& call) {
  const auto bound = call.bind();
  Array a = array_argument(call, bound[0], "A");
  Dims counts = dims_of(call, *bound[1]);
  for (const Index count : counts)
    if (count < 0) misuse(Exception::ValueError, call.name, "negative dimensions are not allowed");
  Dims dims = a.shape();
  while (dims.size() < counts.size()) dims.insert(dims.begin(), 1);
  while (counts.size() < dims.size()) counts.insert(counts.begin(), 1);
  a = a.is_number() ? full(dims, a.node()->number, a.dtype()) : a.reshape(dims);
  Array result = a;
  for (std::size_t axis = dims.size(); axis-- > 0;)
    result = tiled(result, counts[axis], static_cast<int>(axis));
  return new_array(result.node() == a.node() ? a.copy() : result);
}

/// Each element as often as its own count says, which is known.
Value repeated_each(const Call& call, const Array& a, const Array& counts, int axis) {
  const auto known = known_values(counts.node());
  if (!known || counts.dtype() == DType::Float)
    misuse(call.name, "the counts must be ints that are known when the program is read");
  const Index extent = a.shape(axis);
  if (counts.size() != extent && counts.size() != 1)
    misuse(Exception::ValueError, call.name,
           "operands could not be broadcast together with shape ({},) ({},)", extent,
           counts.size());
  npmat::Array<double> places{{0}, {}};
  for (Index i = 0; i < extent; ++i) {
    const double count = known->data[counts.size() == 1 ? 0 : static_cast<std::size_t>(i)];
    if (count < 0) misuse(Exception::ValueError, call.name, "counts cannot be negative");
    places.data.insert(places.data.end(), static_cast<std::size_t>(count), static_cast<double>(i));
  }
  if (places.data.empty()) return new_array(part(a, axis, 0, 0).copy());
  places.shape = {std::ssize(places.data)};
  return new_array(take(a, written_out(std::move(places), DType::Int), axis));
}

Value np_repeat(const Call& call) {
  const auto bound = call.bind();
  Array a = array_argument(call, bound[0], "a");
  if (a.is_number()) a = full({}, a.node()->number, a.dtype());
  if (bound[2] == nullptr || a.ndim() == 0) a = a.reshape({-1});
  const int axis = one_axis(call, bound[2], a.ndim());
  const auto* list = bound[1]->as<Sequence>();
  const auto* array = bound[1]->as<ObjectPtr>();
  if (list != nullptr ? list->items.size() != 1 : array != nullptr && (*array)->shape().size() == 1)
    return repeated_each(call, a, to_array(*bound[1], "the counts"), axis);
  const Index count = dims_of(call, *bound[1])[0];
  if (count < 0) misuse(Exception::ValueError, call.name, "counts cannot be negative");
  return new_array(repeated(a, count, axis));
}

// ---- moving ----

Array rolled(const Array& a, Index shift, int axis) {
  const Index extent = a.shape(axis);
  if (extent == 0) return a;
  const Index by = (shift % extent + extent) % extent;
  if (by == 0) return a;
  return concatenate({part(a, axis, extent - by, extent), part(a, axis, 0, extent - by)}, axis);
}

Value np_roll(const Call& call) {
  const auto bound = call.bind();
  const Array a = array_argument(call, bound[0], "a");
  if (is_run_bound(*bound[1])) return rolled_at_run(call, a, *bound[1], bound[2]);
  const Dims shifts = dims_of(call, *bound[1]);
  Array result = a;
  if (bound[2] == nullptr) {
    result = result.reshape({-1});
    for (const Index shift : shifts) result = rolled(result, shift, 0);
    result = result.reshape(a.shape());
  } else {
    const Dims axes = dims_of(call, *bound[2]);
    if (a.ndim() == 0) misuse(call.name, "not enough values to unpack: the array has no axis");
    if (axes.size() != shifts.size() && axes.size() != 1 && shifts.size() != 1)
      misuse(Exception::ValueError, call.name,
             "'shift' and 'axis' should be scalars or of one length");
    const bool is_none = axes.empty() || shifts.empty();
    for (std::size_t i = 0; i < (is_none ? 0 : std::max(axes.size(), shifts.size())); ++i)
      result = rolled(result, shifts[shifts.size() == 1 ? 0 : i],
                      normalize_axis(call.name, int(axes[axes.size() == 1 ? 0 : i]), a.ndim()));
  }
  return new_array(result.node() == a.node() ? a.copy() : result, contiguous(bound[0]));
}

Value np_broadcast_to(const Call& call) {
  const auto bound = call.bind();
  const Array a = array_argument(call, bound[0], "array");
  const Array wide = a.is_number() ? full({}, a.node()->number, a.dtype()) : a;
  const Array made = broadcast_to(wide, dims_of(call, *bound[1]));
  const auto* object = bound[0]->as<ObjectPtr>();
  if (object == nullptr || (*object)->is_scalar()) return new_array(made);
  ViewStep step;
  step.kind = ViewStep::Kind::Broadcast;
  step.dims = made.shape();
  return {std::make_shared<ArrayObject>(*object, std::move(step), false)};
}

// ---- diagonals ----

/// The diagonals of the matrices that two axes hold, along a new last axis.
Array diagonals(const Call& call, const Array& a, Index k, const Value* axis1, const Value* axis2) {
  if (a.ndim() < 2)
    misuse(Exception::ValueError, call.name, "diag requires an array of at least two dimensions");
  const int first = one_axis(call, axis1, a.ndim()), second = one_axis(call, axis2, a.ndim());
  if (first == second)
    misuse(Exception::ValueError, call.name, "axis1 and axis2 cannot be the same");
  std::vector<int> order;
  Dims dims;
  for (int axis = 0; axis < a.ndim(); ++axis)
    if (axis != first && axis != second) {
      order.push_back(axis);
      dims.push_back(a.shape(axis));
    }
  order.insert(order.end(), {first, second});
  const Index rows = a.shape(first), columns = a.shape(second);
  const Index count =
      std::max<Index>(0, std::min(rows - std::max<Index>(-k, 0), columns - std::max<Index>(k, 0)));
  const int last = static_cast<int>(dims.size());
  dims.push_back(rows * columns);
  const Array flat = a.transpose(order).reshape(dims);
  if (count == 0) return part(flat, last, 0, 0);
  return flat.stepped(
      last, {.start = {k >= 0 ? k : -k * columns, {}}, .step = columns + 1, .count = count});
}

/// A view of a diagonal of a matrix.
Value diagonal_of(const Value& given, const Array& a, Index k) {
  const auto* object = given.as<ObjectPtr>();
  if (object == nullptr) return new_array(diagonal(a, k));
  ViewStep step;
  step.kind = ViewStep::Kind::Diagonal;
  step.diagonal = k;
  return {std::make_shared<ArrayObject>(*object, std::move(step), false)};
}

Value np_diagonal(const Call& call) {
  const auto bound = call.bind();
  const Array a = array_argument(call, bound[0], "v");
  const Index k = bound[1]->integer(call.name + "'s k");
  const auto is_axis = [](const Value* axis, double standard) {
    return axis->is_number() && axis->real() == standard;
  };
  if (a.ndim() == 2 && is_axis(bound[2], 0) && is_axis(bound[3], 1))
    return diagonal_of(*bound[0], a, k);
  const Array taken = diagonals(call, a, k, bound[2], bound[3]);
  const auto* array = bound[0]->as<ObjectPtr>();
  if (array == nullptr) return new_array(taken);
  const std::string why =
      "NumPy's diagonal shares the memory of this array; an in-place change of it is not "
      "supported; take the diagonal of a copy: np.diagonal(a.copy(), ...)";
  const Value view = new_array_unless_shared(taken, *array, why, false);
  (*view.as<ObjectPtr>())->refuse_writes(why);  // NumPy's is read-only
  return view;
}

/// An n x n matrix of zeros with v on a diagonal, n + 1 apart in C order, from this place on.
Array with_diagonal(const Array& v, Index n, Index start) {
  const Index count = v.size();
  if (count == 0) return full({n, n}, 0, v.dtype());
  std::vector<Array> parts;
  const auto zeros = [&](Index size) {
    if (size > 0) parts.push_back(full({size}, 0, v.dtype()));
  };
  zeros(start);
  if (count > 1)
    parts.push_back(set_slice(full({count - 1, n + 1}, 0, v.dtype()),
                              {{0, count - 1}, {0, 1, true}}, v.slice({{0, count - 1}}))
                        .reshape({(count - 1) * (n + 1)}));
  parts.push_back(v.slice({{count - 1, count}}));
  zeros(n * n - start - (count - 1) * (n + 1) - 1);
  return concatenate(parts).reshape({n, n});
}

/// Of a vector a matrix, of a matrix its diagonal.
Value np_diag(const Call& call, bool is_flat) {
  const auto bound = call.bind();
  Array v = array_argument(call, bound[0], "v");
  if (is_flat) v = raveled(v);
  const Index k = bound[1]->integer(call.name + "'s k");
  if (v.ndim() == 2) return diagonal_of(*bound[0], v, k);
  if (v.ndim() != 1) misuse(Exception::ValueError, call.name, "Input must be 1- or 2-d.");
  const Index space = std::abs(k);
  const Index n = v.shape(0) + space;
  return new_array(with_diagonal(v, n, k >= 0 ? k : space * n));
}

Value np_fill_diagonal(const Call& call) {
  const auto bound = call.bind();
  const Array a = array_argument(call, bound[0], "a");
  if (a.ndim() != 2)
    misuse(call.name, "expects an array of two dimensions; got {}", to_string(a.shape()));
  const Array value = array_argument(call, bound[1], "val");
  if (value.ndim() > 0)
    misuse(call.name, "the value must be a number; got {}", bound[1]->description());
  write_whole(call, *bound[0], where(eye(a.shape(0), a.shape(1)), converted(value, a.dtype()), a));
  return {};
}

Value np_copyto(const Call& call) {
  const auto bound = call.bind();
  const auto* object = bound[0]->as<ObjectPtr>();
  const Array src = array_argument(call, bound[1], "src");
  const bool is_size = src.is_number() && src.node()->number >= 0;  // which unsigned types hold
  const DType from = is_size && src.dtype() == DType::Int ? DType::Uint8 : src.dtype();
  if (object != nullptr && !detail::casts_to(from, (*object)->read().dtype()))
    misuse(Exception::TypeError, call.name,
           "Cannot cast array data from {} to {} according to the rule 'same_kind'",
           detail::type_name(src.dtype()), detail::type_name((*object)->read().dtype()));
  if (bound[2] == nullptr || object == nullptr) {
    write_whole(call, *bound[0], src);
    return {};
  }
  const Array held = (*object)->read();
  const Array taken =
      broadcast_to(detail::truth(array_argument(call, bound[2], "where")), held.shape());
  write_whole(call, *bound[0],
              where(taken, broadcast_to(converted(src, held.dtype()), held.shape()), held));
  return {};
}

Value fill(const Call& call) {
  const auto bound = call.bind();
  const Array value = array_argument(call, bound[1], "value");
  if (value.ndim() > 0)
    misuse(call.name, "the value must be a number; got {}", bound[1]->description());
  const Array held = array_argument(call, bound[0], "a");
  write_whole(call, *bound[0], converted(value, held.dtype()));
  return {};
}

}  // namespace

void enter_joining(FunctionTable& table) {
  enter(
      table, Topic::Movement,
      {{"np.tile gpu.tile", "A, reps", np_tile, kInOrder | kEachPart},
       {"np.repeat .repeat", "a, repeats, axis=None", np_repeat, kInOrder | kAlongAxis | kEachPart},
       {"np.roll", "a, shift, axis=None", np_roll, kAlongAxis | kEachPart},
       {"np.broadcast_to", "array, shape", np_broadcast_to, kEachPart},
       {"np.diag gpu.diagonal gpu.diagflat", "v, k=0", with(np_diag, false), kEachPart},
       {"np.diagflat", "v, k=0", with(np_diag, true), kEachPart},
       {"np.diagonal .diagonal", "a, offset=0, axis1=0, axis2=1", np_diagonal, kEachPart}});
  enter(table, Topic::Places,
        {{"np.fill_diagonal", "a, val", np_fill_diagonal},
         {"np.copyto", "dst, src, *, where=None", np_copyto},
         {".fill", "a, value", fill}});
}

}  // namespace rewriter
