// Arrays as indices: x[i, j] of integers, and of masks that are static.
#include <algorithm>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/operators/indexing.hpp"
#include "rewriter/reader/selections/packed.hpp"
#include "rewriter/reader/selections/selection.hpp"
#include "rewriter/reader/table/arguments.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

/// A mask or an array of integers; nothing of other indices.
std::optional<Array> array_index(const Value& item) {
  const auto* sequence = item.as<Sequence>();
  const auto* object = item.as<ObjectPtr>();
  if (object == nullptr && sequence == nullptr && item.as<NumberList>() == nullptr)
    return std::nullopt;
  if (sequence != nullptr && sequence->items.empty()) return counting(0, 1, 0);
  Array array = to_array(item, "an index");
  if (array.dtype() == DType::Float)
    misuse(Exception::IndexError, "index",
           "arrays used as indices must be of integer (or boolean) type; got floats. An input of "
           "integers comes from a .npy file of them");
  if (array.dtype() == DType::Bool && array.ndim() == 0)
    misuse("index", "indexing by a boolean is not supported; an index must be an int");
  return array;
}

/// One subscript with arrays in it: the same with the arrays' axes whole, and where they go.
struct ArrayIndex {
  struct Pick {
    int axis;  ///< of what the others leave
    Array indices;
  };
  std::vector<Value> others;
  std::vector<Pick> picks;
  std::optional<Array> mask;
  std::size_t mask_axis = 0;  ///< the first one, of what the others leave
  bool goes_first = false;    ///< NumPy puts the arrays' axes first: others stand between them
};

ArrayIndex array_index_of(const Dims& dims, const std::vector<Value>& index) {
  std::vector<std::optional<Array>> arrays;
  std::size_t given = 0;
  for (const Value& item : index) {
    arrays.push_back(array_index(item));
    if (item.as<EllipsisValue>() != nullptr || item.is_none()) continue;
    const bool is_mask = arrays.back() && arrays.back()->dtype() == DType::Bool;
    given += is_mask ? static_cast<std::size_t>(arrays.back()->ndim()) : 1;
  }
  if (given > dims.size())
    misuse(Exception::IndexError, "index",
           "too many indices: the array is {}-dimensional, but {} were indexed", dims.size(),
           given);
  ArrayIndex result;
  int at = 0;  // axes that the others leave so far
  std::optional<std::size_t> first, last;
  for (std::size_t k = 0; k < index.size(); ++k) {
    const Value& item = index[k];
    const bool drops = item.is_integer() && item.as<bool>() == nullptr;
    if (arrays[k] || drops) {
      result.goes_first = result.goes_first || (last && *last + 1 != k);
      if (!first) first = k;
      last = k;
    }
    if (!arrays[k]) {
      result.others.push_back(item);
      if (item.as<EllipsisValue>() != nullptr)
        at += static_cast<int>(dims.size() - given);
      else
        at += drops ? 0 : 1;
      continue;
    }
    const bool is_mask = arrays[k]->dtype() == DType::Bool;
    if (result.mask || (is_mask && !result.picks.empty()))
      misuse(
          "index",
          "a mask and another array in one subscript are not supported; apply one after the other");
    const int axes = is_mask ? arrays[k]->ndim() : 1;
    result.others.insert(result.others.end(), static_cast<std::size_t>(axes), Value{Slice{}});
    if (is_mask) {
      result.mask = arrays[k];
      result.mask_axis = static_cast<std::size_t>(at);
    } else {
      result.picks.push_back({at, *arrays[k]});
    }
    at += axes;
  }
  return result;
}

}  // namespace

bool has_arrays(const std::vector<Value>& index) {
  return std::any_of(index.begin(), index.end(),
                     [](const Value& item) { return array_index(item).has_value(); });
}

namespace {

void check_mask(const Array& mask, const Dims& dims, std::size_t first) {
  for (std::size_t axis = 0; axis < mask.shape().size(); ++axis)
    if (dims[first + axis] != mask.shape()[axis])
      misuse(Exception::IndexError, "index",
             "boolean index did not match indexed array along dimension {}; dimension is {} but "
             "corresponding boolean dimension is {}",
             first + axis, dims[first + axis], mask.shape()[axis]);
}

/// What arrays of integers pick: the axes that they index, brought together and made one.
class Picks {
 public:
  Picks(const Dims& dims, const ArrayIndex& index) : dims_(dims) {
    std::optional<Dims> shape = Dims{};
    for (const ArrayIndex::Pick& pick : index.picks) {
      shape = broadcast(*shape, pick.indices.shape());
      if (!shape)
        misuse(Exception::IndexError, "index",
               "shape mismatch: indexing arrays could not be broadcast together");
      axes_.push_back(pick.axis);
    }
    shape_ = *std::move(shape);
    first_ = axes_.front();
    for (int axis = 0; axis < static_cast<int>(dims.size()); ++axis) {
      if (axis == first_) order_.insert(order_.end(), axes_.begin(), axes_.end());
      if (std::count(axes_.begin(), axes_.end(), axis) == 0) order_.push_back(axis);
    }
    for (const int axis : order_) turned_.push_back(dims[static_cast<std::size_t>(axis)]);
    merged_ = turned_;
    const auto at = merged_.begin() + first_;
    for (std::size_t k = 1; k < axes_.size(); ++k) *at *= *(at + static_cast<std::ptrdiff_t>(k));
    merged_.erase(at + 1, at + static_cast<std::ptrdiff_t>(axes_.size()));
    flat_ = flat_index(index);
    place_ = index.goes_first ? 0 : first_;
  }

  /// The elements of `a`, of the shape that NumPy gives them.
  Array read(const Array& a) const {
    const Array taken = take(one_axis(a), flat_, first_);
    if (shape_.empty()) {
      std::vector<Range> ranges;
      for (const Index extent : taken.shape()) ranges.push_back({0, extent});
      ranges[static_cast<std::size_t>(first_)] = {0, 1, true};
      return taken.slice(std::move(ranges));
    }
    Dims dims = taken.shape();
    dims.erase(dims.begin() + first_);
    dims.insert(dims.begin() + first_, shape_.begin(), shape_.end());
    return moved(taken.reshape(std::move(dims)), first_, place_);
  }

  /// `a` with the value there.
  Array write(const Array& a, const Array& value) const {
    Dims result = merged_;
    result.erase(result.begin() + first_);
    Dims wanted = result;
    wanted.insert(wanted.begin() + place_, shape_.begin(), shape_.end());
    Array source = value;
    Dims dims = value.shape();
    while (dims.size() > wanted.size() && dims[0] == 1) dims.erase(dims.begin());
    if (dims != value.shape()) source = source.reshape(dims);
    if (broadcast(dims, wanted) != wanted)
      misuse(Exception::ValueError, "setitem",
             "shape mismatch: value array of shape {} could not be broadcast to {}",
             to_string(value.shape()), to_string(wanted));
    if (!source.is_number() && !source.shape().empty()) {
      source = moved(broadcast_to(source, wanted), place_, first_);
      result.insert(result.begin() + first_, flat_.size());
      source = source.reshape(std::move(result));
    }
    const Array all = put(one_axis(a), flat_, source, first_).reshape(turned_);
    std::vector<int> back(order_.size());
    for (std::size_t k = 0; k < order_.size(); ++k)
      back[static_cast<std::size_t>(order_[k])] = static_cast<int>(k);
    return all.transpose(back);
  }

 private:
  Array one_axis(const Array& a) const { return a.transpose(order_).reshape(merged_); }

  /// The axes of shape_, from one place to another.
  Array moved(const Array& a, int from, int to) const {
    if (from == to) return a;
    std::vector<int> axes(a.shape().size());
    for (std::size_t k = 0; k < axes.size(); ++k) axes[k] = static_cast<int>(k);
    const auto count = static_cast<std::ptrdiff_t>(shape_.size());
    if (from < to)
      std::rotate(axes.begin() + from, axes.begin() + from + count, axes.begin() + to + count);
    else
      std::rotate(axes.begin() + to, axes.begin() + from, axes.begin() + from + count);
    return a.transpose(axes);
  }

  /// The place along the one axis: from 0, and checked, where there are several.
  Array flat_index(const ArrayIndex& index) const {
    const auto one_dimension = [&](const Array& indices) {
      return broadcast_to(indices, shape_).reshape({npmat::element_count(shape_)});
    };
    if (const auto known = known_index(index)) return *known;
    if (axes_.size() == 1) return one_dimension(index.picks[0].indices);
    std::optional<Array> sum;
    Index stride = 1;
    for (std::size_t k = axes_.size(); k-- > 0;) {
      const Index extent = dims_[static_cast<std::size_t>(axes_[k])];
      const Array checked = take(counting(0, 1, extent), index.picks[k].indices.reshape({-1}))
                                .reshape(index.picks[k].indices.shape());
      const Array part = stride == 1 ? checked : checked * Array(stride);
      sum = sum ? *sum + part : part;
      stride *= extent;
    }
    return one_dimension(*sum);
  }

  std::optional<Array> known_index(const ArrayIndex& index) const {
    const Index count = npmat::element_count(shape_);
    npmat::Array<double> flat{{count}, std::vector<double>(static_cast<std::size_t>(count))};
    Index stride = 1;
    for (std::size_t k = axes_.size(); k-- > 0;) {
      const Node& node = *index.picks[k].indices.node();
      const bool is_number = node.kind == Kind::Number || node.kind == Kind::Fill;
      if (node.data == nullptr && !is_number) return std::nullopt;
      const Index extent = dims_[static_cast<std::size_t>(axes_[k])];
      for (Index i = 0; i < count; ++i) {
        Index source = 0, inner = 1, rest = i;
        for (std::size_t axis = shape_.size(), own = node.dims.size(); axis-- > 0;) {
          const Index place = rest % shape_[axis];
          rest /= shape_[axis];
          if (own == 0) continue;
          const Index has = node.dims[--own];
          source += has == 1 ? 0 : place * inner;
          inner *= has;
        }
        const auto at = [&] {
          if (is_number) return static_cast<Index>(node.number);
          return std::visit(
              [&](const auto& data) {
                return static_cast<Index>(data.data[static_cast<std::size_t>(source)]);
              },
              *node.data);
        }();
        const Range range = index_range(at, extent, axes_[k]);
        flat.data[static_cast<std::size_t>(i)] += static_cast<double>(range.start * stride);
      }
      stride *= extent;
    }
    std::string text;
    for (const double number : flat.data)
      text += fmt::format("{}{}", text.empty() ? "" : ", ", number);
    return constant(std::move(flat), "np.array([" + text + "])", DType::Int);
  }

  Dims dims_;
  std::vector<int> axes_;   ///< that the arrays index
  std::vector<int> order_;  ///< of the axes, with those together
  Dims turned_, merged_;    ///< the shape then; the same with those as one
  Dims shape_;              ///< of the arrays, broadcast
  int first_ = 0;           ///< the one axis
  int place_ = 0;           ///< where the axes of shape_ are in the result
  Array flat_{0.0};
};

/// The array, as a whole if nothing else is indexed.
ObjectPtr others_of(const ObjectPtr& array, const ArrayIndex& index) {
  return view(array, basic_index(array->shape(), index.others));
}

}  // namespace

Value array_subscript(const ObjectPtr& array, const std::vector<Value>& index) {
  const ArrayIndex parsed = array_index_of(array->shape(), index);
  const ObjectPtr part = others_of(array, parsed);
  if (parsed.mask) {
    check_mask(*parsed.mask, part->shape(), parsed.mask_axis);
    Array whole = part->read();
    auto first_axis = static_cast<int>(parsed.mask_axis);
    if (first_axis != 0 && parsed.goes_first) {
      std::vector<int> axes;
      const int first = static_cast<int>(parsed.mask_axis), ndim = parsed.mask->ndim();
      for (int axis = 0; axis < ndim; ++axis) axes.push_back(first + axis);
      for (int axis = 0; axis < whole.ndim(); ++axis)
        if (axis < first || axis >= first + ndim) axes.push_back(axis);
      whole = whole.transpose(axes);
      first_axis = 0;
    }
    return select(whole, *parsed.mask, first_axis);
  }
  const Array result = Picks(part->shape(), parsed).read(part->read());
  const bool of_rows = parsed.picks.size() == 1 && parsed.picks[0].axis == 0;
  const Value value = new_array(result, result.ndim() < 2 || (of_rows && part->contiguous()));
  const bool is_view = std::all_of(parsed.picks.begin(), parsed.picks.end(), [](const auto& pick) {
    return pick.indices.shape().empty() && is_numpy_scalar(pick.indices);
  });
  if (is_view && result.ndim() > 0) (*value.as<ObjectPtr>())->stands_for_part_of(array);
  return value;
}

void assign_array_subscript(const ObjectPtr& array, const std::vector<Value>& index,
                            const Value& value) {
  const ArrayIndex parsed = array_index_of(array->shape(), index);
  const ObjectPtr part = others_of(array, parsed);
  const Array old = part->read();
  const bool is_whole = parsed.mask && parsed.mask->ndim() == old.ndim();
  if (const auto* source = value.as<ObjectPtr>();
      !is_whole && source != nullptr &&
      ArrayObject::root_of(*source) == ArrayObject::root_of(array))
    misuse("assignment",
           "NumPy reads this array while it writes to it, element by element; assign a copy");
  if (parsed.mask) {
    check_mask(*parsed.mask, part->shape(), parsed.mask_axis);
    const Array changed = with_selected(old, *parsed.mask, parsed.mask_axis, value);
    part->write(set_slice(old, {}, changed));
    return;
  }
  const bool is_basic = std::all_of(parsed.picks.begin(), parsed.picks.end(),
                                    [](const auto& pick) { return pick.indices.ndim() == 0; });
  const Array written = is_basic
                            ? assignable(old, value, parsed.picks.size() == array->shape().size())
                            : to_array(value, "the value assigned");
  part->write(Picks(part->shape(), parsed).write(old, written));
}

}  // namespace rewriter
