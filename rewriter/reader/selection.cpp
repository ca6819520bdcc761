#include "rewriter/reader/selection.hpp"

#include <algorithm>
#include <limits>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/compose.hpp"
#include "rewriter/reader/dtypes.hpp"
#include "rewriter/reader/packed.hpp"
#include "rewriter/reader/run_slices.hpp"
#include "rewriter/reader/selection_calls.hpp"
#include "rewriter/reader/table.hpp"
#include "rewriter/reader/windows.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

/// Whether two nodes have the same value wherever both are computed at one point of the program.
bool same_value(const NodePtr& a, const NodePtr& b, int depth = 0) {
  constexpr int kDeepest = 16;
  if (a == b) return true;
  if (depth == kDeepest || a->kind != b->kind || a->dims != b->dims || a->dtype != b->dtype ||
      a->args.size() != b->args.size())
    return false;
  switch (a->kind) {
    case Kind::Number:
    case Kind::Fill:
      return a->number == b->number;
    case Kind::Map:
    case Kind::LogicalNot:
    case Kind::Where:
    case Kind::Reduce:
    case Kind::Transpose:
    case Kind::Reshape:
    case Kind::Broadcast:
    case Kind::Slice:
    case Kind::LoopValue:
      break;
    case Kind::Constant:
      return a->data != nullptr && b->data != nullptr && a->text == b->text &&
             std::get<npmat::Array<double>>(*a->data).data ==
                 std::get<npmat::Array<double>>(*b->data).data;
    default:
      return false;
  }
  if (a->op != b->op || a->axis != b->axis || a->axes != b->axes || a->ranges != b->ranges ||
      a->by_columns != b->by_columns || a->number != b->number || a->terms != b->terms)
    return false;
  for (std::size_t k = 0; k < a->args.size(); ++k)
    if (!same_value(a->args[k], b->args[k], depth + 1)) return false;
  return true;
}

/// The mask with an axis of one element for each of `more` that follow.
Array widened(const Array& mask, int more) {
  if (more == 0) return mask;
  Dims dims = mask.shape();
  dims.insert(dims.end(), static_cast<std::size_t>(more), 1);
  return mask.reshape(std::move(dims));
}

/// Whether it is a list or a tuple that broadcasts as an array does.
bool is_array_like(const Value& value) {
  const auto* sequence = value.as<Sequence>();
  return sequence != nullptr && !sequence->is_set &&
         std::all_of(sequence->items.begin(), sequence->items.end(),
                     [](const Value& item) { return item.is_data(); });
}

/// The operands of an element-wise operation, of which some are selections. These become arrays
/// that have the selected elements at the same places.
class Operands {
 public:
  explicit Operands(const std::vector<Value*>& operands) {
    std::vector<Value*> selected;
    std::vector<Selection> selections;
    std::vector<Array> others;
    for (Value* const operand : operands) {
      if (is_array_like(*operand)) *operand = new_array(to_array(*operand, "an operand"));
      if (const auto selection = selection_of(*operand)) {
        selected.push_back(operand);
        selections.push_back(*selection);
      } else if (const auto* object = operand->as<ObjectPtr>()) {
        others.push_back((*object)->read());
      }
    }
    rest_ = selections[0].rest();
    for (const Selection& selection : selections)
      if (selection.rest() != rest_)
        misuse("index", "masked selections of arrays of different dimensions cannot be combined");
    if (meet(others))
      std::transform(selections.begin(), selections.end(), selections.begin(), in_one_axis);
    selections = by_one_mask(std::move(selections));
    mask_ = selections[0].mask;
    for (std::size_t i = 0; i < selected.size(); ++i)
      *selected[i] =
          new_array(length_ ? repeated_to(selections[i], *length_) : selections[i].whole);
  }

  /// The result of the operation on them.
  [[nodiscard]] Value selected(const Value& result) const {
    if (length_) return result;
    const Array whole = to_array(result, "a selection");
    return select(whole, *mask_, whole.ndim() - rest_ - mask_->ndim());
  }

 private:
  /// Whether any has the axis that the mask's become; of how many elements, unless it is repeated.
  bool meet(const std::vector<Array>& others) {
    bool met = false;
    for (const Array& other : others) {
      if (other.ndim() <= rest_) continue;
      met = true;
      const Index extent = other.shape(other.ndim() - 1 - rest_);
      if (extent != 1) length_ = extent;
    }
    return met;
  }

  int rest_ = 0;
  std::optional<Array> mask_;
  std::optional<Index> length_;
};

// ---- reductions

const cudamat::OpRow* reduction_named(std::string_view name) {
  for (const cudamat::OpRow& row : cudamat::kOpTable)
    if (row.family == cudamat::Family::Reduction && has_word(row.numpy, name)) return &row;
  return nullptr;
}

/// What takes no part in the reduction.
Array neutral(Op op) {
  const double infinity = std::numeric_limits<double>::infinity();
  switch (op) {
    case Op::max:
      return {-infinity};
    case Op::min:
      return {infinity};
    case Op::prod:
    case Op::all:
      return Array::number(1, DType::Bool);
    default:
      return Array::number(0, DType::Bool);
  }
}

/// The same over the mask's axes, and over all others if `everything`.
Array summed(Op op, const Array& a, const Selection& s, bool everything) {
  if (everything || s.mask.ndim() == a.ndim()) return reduce(op, a);
  std::vector<int> axes;
  for (int axis = 0; axis < s.mask.ndim(); ++axis) axes.push_back(s.first + axis);
  return axes.size() == 1 ? reduce(op, a, s.first) : reduce_over(op, a, axes);
}

/// The value, if the mask selects anything: the run fails where NumPy has no value.
Array if_any(const Array& value, const Selection& selection) {
  const Array one = checked(Array(1), selection.count() > 0);
  return map(Op::mult, value, one.as_float());  // which keeps the sign of a zero
}

/// How many elements are reduced to one.
Array reduced_count(const Selection& s, bool everything) {
  return s.count() * Array(everything ? static_cast<double>(s.others()) : 1.0);
}

Array mean_of(const Selection& s, bool everything) {
  return reduce_selection(Op::sum, s, everything) / reduced_count(s, everything);
}

Array variance_of(const Selection& s, bool everything, double ddof) {
  Array mean = mean_of(s, everything);
  if (!everything) {  // an axis of one element for each of the mask's
    Dims dims = mean.shape();
    dims.insert(dims.begin() + s.first, static_cast<std::size_t>(s.mask.ndim()), 1);
    mean = mean.reshape(std::move(dims));
  }
  const Array apart = s.whole - mean;
  const Selection squares{apart * apart, s.mask, s.first};
  return reduce_selection(Op::sum, squares, everything) /
         maximum(reduced_count(s, everything) - Array(ddof), Array(0.0));
}

/// Python's sum, max and min, which iterate over the first axis.
std::optional<Value> python_reduction(const Call& call, const Selection& given) {
  if (!has_word("sum max min", call.name)) return std::nullopt;
  const bool sums = call.name == "sum";
  const auto bound = sums ? call.bind({"iterable", "start"}, 1) : call.bind({"iterable"}, 1);
  if (given.first > 0) {
    if (!sums) misuse(call.name, "compares rows: the truth of an array is ambiguous");
    Call of_rows{"np.sum", {*bound[0]}, {{"axis", {std::int64_t{0}}}}, call.steps};
    const Value sum = call_function(of_rows);
    return bound[1] == nullptr ? sum : binary_operator(ast::Operator::Add, *bound[1], sum);
  }
  const Selection s = given.rest() > 0 && given.mask.ndim() == 1 ? given : in_one_axis(given);
  if (!sums && s.rest() > 0) misuse(call.name, "compares rows: the truth of an array is ambiguous");
  const Op op = sums ? Op::sum : call.name == "max" ? Op::max : Op::min;
  Array result = reduce_selection(op, s, false);
  if (sums && s.rest() > 0 && is_narrow(s.whole.dtype()))
    result = detail::as_integers(result, s.whole.dtype());
  if (sums && s.rest() == 0 && is_narrow(s.whole.dtype()))  // 0 + x
    result = s.whole.dtype() == DType::Uint64 ? result.as_float() : result.as_type(DType::Int);
  if (sums && result.dtype() == DType::Float) result = result + 0.0;  // Python begins with 0
  const Value made = new_array(result);
  return bound.size() < 2 || bound[1] == nullptr
             ? made
             : binary_operator(ast::Operator::Add, *bound[1], made);
}

std::optional<Value> reduction(const Call& call, const Selection& s) {
  const std::string_view full = call.name;
  const std::string_view name = full.substr(full.rfind('.') == full.npos ? 0 : full.rfind('.') + 1);
  const cudamat::OpRow* row = reduction_named(call.name);
  const bool spread = name == "var" || name == "std";
  if (row == nullptr && !spread) return std::nullopt;
  const auto bound = call.bind({"a", "axis", "dtype", "out", "ddof", "keepdims"}, 1);
  const Value* axis = bound[1];
  const Value* keepdims = bound[5];
  if (bound[3] != nullptr)
    misuse(call.name, "of a masked selection supports only the axis argument");
  bool everything = axis == nullptr;
  if (axis != nullptr) {
    (void)axis_of(call, s, *axis);  // the mask's: beside_mask has others
    everything = s.first + s.rest() == 0;
  }
  const auto kept = [&](const Array& result) {
    if (!flag(keepdims)) return result;
    Dims dims(static_cast<std::size_t>(s.whole.ndim() - s.mask.ndim() + 1), 1);
    for (int at = 0; at < s.whole.ndim() - s.mask.ndim() && !everything; ++at)
      dims[static_cast<std::size_t>(at < s.first ? at : at + 1)] = result.shape(at);
    return result.reshape(std::move(dims));
  };
  const double ddof = spread && bound[4] != nullptr ? bound[4]->real() : 0;
  const auto dtype = dtype_argument(bound[2]);
  if (spread) float_dtype_argument(call, bound[2]);
  const bool sums = !spread && has_word("sum prod mean", row->name);
  if (dtype && !spread && !sums) misuse(call.name, "got an unexpected keyword argument 'dtype'");
  if (dtype && sums && row->op == Op::mean && *dtype != DType::Float && *dtype != DType::Int)
    misuse(
        call.name,
        "dtype= of a mean must be a type of floats or int64; np.sum(a, dtype=...) takes any type");
  if (dtype && sums) {
    const Array typed = converted(s.whole, *dtype);
    return new_array(
        kept(converted(reduce_selection(row->op, {typed, s.mask, s.first}, everything), *dtype)));
  }
  if (!spread) return new_array(kept(reduce_selection(row->op, s, everything)));
  const Array variance = variance_of(s, everything, ddof);
  return new_array(kept(name == "std" ? map(Op::sqrt, variance) : variance));
}

// ---- products

/// Matrices and vectors of which a mask selects rows or columns: of the axis that is summed the
/// mask omits elements, of another the result's are a selection again.
Value selected_product(const Value& left, const Value& right) {
  const auto x = selection_of(left);
  const auto y = selection_of(right);
  const Array a = x ? x->whole : to_array(left, "the left operand of '@'");
  const Array b = y ? y->whole : to_array(right, "the right operand of '@'");
  for (const auto& selection : {x, y})
    if (selection && (selection->mask.ndim() > 1 || selection->whole.ndim() > 2))
      misuse("index", "'@' supports masked selections of rows or columns of a matrix only");
  const bool sums_x = x && x->first == a.ndim() - 1;
  const bool sums_y = y && y->first == std::max(0, b.ndim() - 2);
  if (sums_x && sums_y) {
    const std::vector<Selection> both = by_one_mask({*x, *y});
    const Array zero = Array::number(0, DType::Bool);
    const auto is_plain = [](const Array& each) {
      return each.ndim() == 1 && each.dtype() != DType::Bool && !is_narrow(each.dtype());
    };
    if (is_plain(a) && is_plain(b) && window_of(both[0]))
      return new_array(
          reduce_selection(Op::sum, {both[0].whole * both[1].whole, both[0].mask, 0}, true));
    return new_array(matmul(both[0].with(zero), both[1].with(zero)));
  }
  if (sums_x)
    return binary_operator(ast::Operator::MatMul,
                           new_array(exactly(*x, b.shape(std::max(0, b.ndim() - 2)))), right);
  if (sums_y)
    return binary_operator(ast::Operator::MatMul, left,
                           new_array(exactly(*y, a.shape(a.ndim() - 1))));
  if (x && y) misuse("index", "'@' of masked selections of both rows and columns is not supported");
  const Array product = matmul(a, b);
  return select(product, x ? x->mask : y->mask, x ? 0 : product.ndim() - 1);
}

// ---- calls

/// What is a product by `@`.
std::optional<Value> product(const Call& call) {
  if (!has_word("np.dot .dot np.matmul", call.name)) return std::nullopt;
  if (call.arguments.size() != 2 || !call.keywords.empty()) return std::nullopt;
  for (const Value& argument : call.arguments) {
    const auto selection = selection_of(argument);
    const auto* object = argument.as<ObjectPtr>();
    const int ndim = selection           ? selection->whole.ndim()
                     : object != nullptr ? static_cast<int>((*object)->shape().size())
                                         : 0;
    if (ndim == 0 || ndim > 2) return std::nullopt;
  }
  return selection_operator(ast::Operator::MatMul, call.arguments[0], call.arguments[1]);
}

}  // namespace

Array reduce_selection(Op op, const Selection& s, bool everything) {
  if (op == Op::mean) return mean_of(s, everything);
  const bool of_truth = cudamat::row(op).has(cudamat::kTruth);
  const Array whole = of_truth ? detail::truth(s.whole) : s.whole;
  const Selection truths{whole, s.mask, s.first};
  const auto window = window_of(s);
  Array result = window ? reduce_window(op, truths, *window, neutral(op), everything)
                        : summed(op, truths.with(neutral(op)), s, everything);
  if (op != Op::max && op != Op::min) return result;
  const Array checked = if_any(result, s);
  return s.whole.dtype() == DType::Bool ? detail::truth(checked) : checked.as_type(s.whole.dtype());
}

int axis_of(const Call& call, const Selection& s, const Value& axis) {
  const auto number = static_cast<int>(axis.integer(call.name + "'s axis"));
  return detail::normalize_axis(call.name, number, s.first + s.rest() + 1);
}

Array Selection::count() const {
  if (const auto window = window_of(*this)) return window->count();
  return reduce(Op::sum, mask);
}

Array Selection::with(const Array& other) const {
  return where(widened(mask, rest()), whole, other);
}

std::optional<Selection> selection_of(const Value& value) {
  const auto* selected = value.as<Selected>();
  if (selected == nullptr) return std::nullopt;
  return Selection{selected->whole->read(), selected->mask->read(), selected->first};
}

bool is_same_mask(const Array& a, const Array& b) {
  return same_value(a.node(), b.node());
}

bool takes_all(const Slice& slice) {
  return !slice.start && !slice.stop && !slice.step && slice.numbers.empty();
}

Value select(const Selection& s) {
  return {
      Selected{*new_array(s.whole).as<ObjectPtr>(), *new_array(s.mask).as<ObjectPtr>(), s.first}};
}

Value select(const Array& whole, const Array& mask, int first) {
  return select(Selection{whole, mask, first});
}

Value places_of(const Array& mask) {
  if (auto known = known_places(mask)) return new_sequence(false, std::move(*known));
  const Array truths = mask.dtype() == DType::Bool ? mask : not_equal(mask, 0);
  const ObjectPtr held = *new_array(truths).as<ObjectPtr>();
  Sequence result{false, {}};
  for (int axis = 0; axis < mask.ndim(); ++axis) {
    Dims dims(mask.shape().size(), 1);
    dims[static_cast<std::size_t>(axis)] = mask.shape(axis);
    const Array places =
        broadcast_to(counting(0, 1, mask.shape(axis)).reshape(std::move(dims)), mask.shape());
    result.items.push_back({Selected{*new_array(places).as<ObjectPtr>(), held, 0, axis}});
  }
  return {std::move(result)};
}

/// The mask of np.nonzero's places as one of the axes from `first` on, which may be longer than
/// those of the array that the places are of.
static Value mask_within(const ObjectPtr& mask, const Dims& dims, std::size_t first) {
  const Dims& has = mask->shape();
  if (first + has.size() > dims.size()) return {mask};
  const Dims wanted(dims.begin() + static_cast<std::ptrdiff_t>(first),
                    dims.begin() + static_cast<std::ptrdiff_t>(first + has.size()));
  if (wanted == has) return {mask};
  std::vector<Range> ranges;
  for (std::size_t axis = 0; axis < has.size(); ++axis) {
    if (has[axis] > wanted[axis])
      misuse("index",
             "these indices from np.where(...) or np.nonzero(...) are of an array of shape {}, and "
             "may be out of bounds for one of shape {}; slice the first array to at most that size",
             to_string(has), to_string(dims));
    ranges.push_back({0, has[axis]});
  }
  return new_array(set_slice(full(wanted, 0, DType::Bool), ranges, mask->read()));
}

std::vector<Value> with_masks(const Value& object, const std::vector<Value>& index) {
  const auto* array = object.as<ObjectPtr>();
  Index axis = 0;  // of the array; below 0 after what takes several

  const auto place = [&](std::size_t i) {
    const auto* selected = i < index.size() ? index[i].as<Selected>() : nullptr;
    return selected != nullptr && selected->axis >= 0 ? selected : nullptr;
  };
  std::vector<Value> result;
  for (std::size_t i = 0; i < index.size(); ++i) {
    const Selected* const first = place(i);
    if (first == nullptr) {
      result.push_back(index[i]);
      if (index[i].as<Slice>() != nullptr || index[i].is_integer()) {
        if (axis >= 0) ++axis;
      } else if (!index[i].is_none()) {
        axis = -1;
      }
      continue;
    }
    if (first->axis != 0)
      misuse("index",
             "the indices that np.nonzero returns must be used together in one subscript, in their "
             "order");
    const auto ndim = static_cast<std::size_t>(first->mask->shape().size());
    for (std::size_t k = 1; k < ndim; ++k) {
      const Selected* const next = place(++i);
      if (next == nullptr || next->mask != first->mask || next->axis != static_cast<int>(k))
        misuse("index",
               "the indices that np.nonzero returns must be used together in one subscript, in "
               "their order");
    }
    result.push_back(array != nullptr && axis >= 0 ? mask_within(first->mask, (*array)->shape(),
                                                                 static_cast<std::size_t>(axis))
                                                   : Value{first->mask});
    if (axis >= 0) axis += static_cast<Index>(ndim);
  }
  return result;
}

Value selected_from(const Value& object, const Selection& index) {
  if (!is_integer(index.whole.dtype()) || index.first != 0 || index.others() != 1)
    misuse("index",
           "a masked selection used as an index must hold integers and be one-dimensional");
  if (const auto selection = selection_of(object))
    return select(elements_at(*selection, index.whole, &index.mask), index.mask, 0);
  const Array everywhere = where(index.mask, index.whole, Array(std::int64_t{0}));
  const Value found = subscript(object, {new_array(everywhere.as_type(DType::Int))});
  return select(to_array(found, "the selection"), index.mask, 0);
}

/// Whether it is an int, known or not.
static bool is_integer_scalar(const Value& value) {
  const auto* object = value.as<ObjectPtr>();
  if (object == nullptr) return value.is_integer();
  return (*object)->shape().empty() && is_integer((*object)->read().dtype());
}

/// selection[...] by an array or a list of ints or truths, or by another selection.
static std::optional<Value> selection_items(const Selection& s, const Value& index) {
  if (s.first != 0) return std::nullopt;
  if (const auto chosen = selection_of(index)) {
    if (chosen->whole.dtype() != DType::Bool) return selected_from(select(s), *chosen);
    if (chosen->rest() == s.rest() && is_same_mask(s.mask, chosen->mask))
      return select(s.whole, chosen->with(Array::number(0, DType::Bool)), 0);
    if (chosen->others() != 1) return std::nullopt;
    const std::vector<Selection> both = by_one_mask({s, *chosen});
    return select(both[0].whole, logical_and(both[0].mask, both[1].whole), 0);
  }
  const bool is_list = is_array_like(index) && index.as<Sequence>()->list;
  const auto* object = index.as<ObjectPtr>();
  if (!is_list && (object == nullptr || (*object)->shape().empty())) return std::nullopt;
  const Array places = to_array(index, "an index");
  if (is_integer(places.dtype())) return new_array(elements_at(s, places));
  if (places.dtype() != DType::Bool || places.ndim() != 1) return std::nullopt;
  return subscript(new_array(exactly(s, places.size())), {index});
}

/// selection[k:], [:-k] or both: of the elements in order a part of which the first ones count, so
/// that neighbours lie at one place.
static std::optional<Value> without_ends(const Selection& s, const Slice& slice) {
  const auto known = [](const std::optional<Affine>& bound) {
    return !bound ? 0 : bound->known() ? bound->constant : Index{-1};
  };
  const Index before = known(slice.start);
  const Index after = slice.stop && slice.stop->known() ? -slice.stop->constant : Index{0};
  const bool is_part = before >= 0 && after >= 0 && before + after > 0 &&
                       (!slice.stop || after > 0) && !slice.step && slice.numbers.empty();
  const Index size = s.mask.size() - before - after;
  if (!is_part || s.first > 0 || s.mask.ndim() > 1 || size < 1) return std::nullopt;
  const Selection all = packed(s);
  return select(part(all.whole, 0, before, before + size),
                first_places(size, s.count() - Array(before + after)), 0);
}

Value selection_item(const Selection& selection, const std::vector<Value>& index) {
  const auto ellipsis = std::find_if(index.begin(), index.end(), [](const Value& each) {
    return each.as<EllipsisValue>() != nullptr;
  });
  if (ellipsis != index.end()) {  // means as many slices as there are other axes
    const auto others = std::count_if(index.begin(), index.end(),
                                      [](const Value& each) { return !each.is_none(); }) -
                        1;
    const auto ndim = static_cast<std::ptrdiff_t>(selection.first + selection.rest() + 1);
    std::vector<Value> plain(index.begin(), ellipsis);
    plain.insert(plain.end(), static_cast<std::size_t>(std::max<std::ptrdiff_t>(ndim - others, 0)),
                 Value{Slice{}});
    plain.insert(plain.end(), ellipsis + 1, index.end());
    return selection_item(selection, plain);
  }
  if (index.size() == 1 && index[0].as<Slice>() != nullptr) {
    if (auto part = without_ends(selection, *index[0].as<Slice>())) return *part;
    return selection_slice(selection, *index[0].as<Slice>());
  }
  if (index.size() == 1)
    if (auto items = selection_items(selection, index[0])) return *items;
  const auto* slice = index.empty() ? nullptr : index[0].as<Slice>();
  if (index.size() > 1 && slice != nullptr && !takes_all(*slice) && selection.first == 0) {
    std::vector<Value> rest = index;
    rest[0] = {Slice{}};
    return selection_item(*selection_of(selection_item(selection, {index[0]})), rest);
  }
  const bool is_added = !index.empty() && index[0].is_none() && selection.first == 0;
  if (is_added && (index.size() == 1 || (index.size() == 2 && index[1].as<Slice>() != nullptr))) {
    Dims dims = selection.whole.shape();
    dims.insert(dims.begin(), 1);
    const bool takes_rows = index.size() == 1 || takes_all(*index[1].as<Slice>());
    const Selection part =
        takes_rows ? selection : *selection_of(selection_item(selection, {index[1]}));
    return select(part.whole.reshape(std::move(dims)), part.mask, 1);
  }
  const auto before = static_cast<std::size_t>(selection.first);
  const auto is_plain = [](const Value& each) {
    return is_integer_scalar(each) || each.as<Slice>() != nullptr;
  };
  if (!index.empty() && index.size() <= before &&
      std::all_of(index.begin(), index.end(), is_plain)) {
    const Array part = to_array(subscript(new_array(selection.whole), index), "a selection");
    return select(part, selection.mask, selection.first - selection.whole.ndim() + part.ndim());
  }
  if (index.size() > 1 && slice != nullptr && selection.first == 0) {
    std::vector<Value> of_whole(static_cast<std::size_t>(selection.mask.ndim()) - 1, index[0]);
    of_whole.insert(of_whole.end(), index.begin(), index.end());
    const Array part = to_array(subscript(new_array(selection.whole), of_whole), "a selection");
    const Dims& mask = selection.mask.shape();
    if (part.shape().size() >= mask.size() &&
        std::equal(mask.begin(), mask.end(), part.shape().begin()))
      return select(part, selection.mask, 0);
  }
  if (index.size() > 1 && is_integer_scalar(index[0]) && selection.first == 0 &&
      selection.mask.ndim() == 1)
    return subscript(selection_item(selection, {index[0]}), {index.begin() + 1, index.end()});
  const bool is_int = index.size() == 1 && is_integer_scalar(index[0]);
  if (!is_int || selection.first > 0 || selection.mask.ndim() > 1)
    misuse("index",
           "an int index of a masked selection, whose length is known only at run time, selects an "
           "element or a row");
  return element_at(selection, to_array(index[0], "an index"));
}

Index Selection::others() const {
  Index product = 1;
  for (int axis = 0; axis < whole.ndim(); ++axis)
    if (axis < first || axis >= first + mask.ndim()) product *= whole.shape(axis);
  return product;
}

Array with_selected(const Array& whole, const Array& mask, std::size_t first, const Value& value) {
  const int after = whole.ndim() - static_cast<int>(first) - mask.ndim();
  const Array here = widened(mask, after);
  const auto held = [&](const Array& source) {
    return is_narrow(whole.dtype()) ? detail::as_integers(source, whole.dtype()) : source;
  };
  if (const auto selection = selection_of(value)) {
    if (static_cast<int>(first) != selection->first || selection->rest() != after)
      misuse("index",
             "a masked selection is assigned to a selection of an array of other dimensions");
    return where(here, held(dealt(*selection, mask)), whole);
  }
  Array source = to_array(value, "the value assigned");
  detail::check_whole(whole.dtype(), source);
  if (source.ndim() > after) {
    Dims dims = source.shape();
    while (static_cast<int>(dims.size()) > after + 1 + static_cast<int>(first) && dims[0] == 1)
      dims.erase(dims.begin());
    const auto at = dims.end() - after - 1;
    if (first == 0 && static_cast<int>(dims.size()) == after + 1 && *at > 1)
      return where(here, held(dealt(source, mask)), whole);
    if (first == 0 && static_cast<int>(dims.size()) == after + 1 && *at == 0)
      return checked(whole, logical_not(reduce(Op::any, mask)));
    if (static_cast<int>(dims.size()) > after + 1 + static_cast<int>(first) || *at != 1)
      misuse("index",
             "an array of shape {} is assigned to a masked selection, whose length is known only "
             "at run time; x[:] = np.where(mask, a, x) assigns the elements where the mask is True",
             to_string(source.shape()));
    dims.insert(at, static_cast<std::size_t>(mask.ndim() - 1), 1);
    source = source.reshape(std::move(dims));
  }
  Dims dims = whole.shape();
  if (broadcast(source.shape(), dims) != dims)
    misuse("setitem", "could not broadcast input array from shape {} into shape {}",
           to_string(source.shape()), to_string(dims));
  return where(here, held(source), whole);
}

std::optional<Value> selection_operator(ast::Operator op, const Value& operand) {
  const auto selection = selection_of(operand);
  if (!selection) return std::nullopt;
  const Value result = unary_operator(op, new_array(selection->whole));
  return select(to_array(result, "a selection"), selection->mask, selection->first);
}

std::optional<Value> selection_operator(ast::Operator op, const Value& left, const Value& right) {
  if (!selection_of(left) && !selection_of(right)) return std::nullopt;
  if (op == ast::Operator::MatMul) return selected_product(left, right);
  Value a = left, b = right;
  const Operands operands({&a, &b});
  return operands.selected(binary_operator(op, a, b));
}

/// Its elements one after the other.
static std::optional<Value> flattened(const Call& call, const Selection& s) {
  const bool is_reshape = has_word("np.reshape .reshape", call.name);
  const bool squeezes = has_word("np.squeeze .squeeze", call.name);
  if (is_reshape) {
    std::vector<Value> dims(call.arguments.begin() + 1, call.arguments.end());
    if (const auto* tuple = dims.size() == 1 ? dims[0].as<Sequence>() : nullptr)
      dims = std::vector<Value>(tuple->items.begin(), tuple->items.end());
    const auto is = [](const Value& dim, double extent) {
      return dim.is_number() && dim.real() == extent;
    };
    if (call.keywords.empty() && dims.size() == 2 && is(dims[0], -1) && is(dims[1], 1) &&
        s.others() == 1)
      return selection_item(in_one_axis(s), {{Slice{}}, {}});
    const bool to_one = call.arguments.size() == 2 && call.keywords.empty() &&
                        call.arguments[1].is_number() && call.arguments[1].real() == -1;
    if (!to_one) return std::nullopt;
  } else if (!squeezes && !has_word("np.ravel .ravel .flatten", call.name)) {
    return std::nullopt;
  }
  if (s.first != 0 || (squeezes && s.others() != 1) ||
      (!is_reshape && (call.arguments.size() > 1 || !call.keywords.empty())))
    return std::nullopt;
  // Of one element NumPy leaves no axis: known at run time only.
  const auto several = [&](const Array& mask) {
    if (!squeezes) return mask;
    const Array one = checked(Array(1), not_equal(s.count(), Array(1)));
    return logical_and(mask, one > 0);
  };
  const Array mask =
      s.others() == 1
          ? s.mask.reshape({s.mask.size()})
          : broadcast_to(widened(s.mask, s.rest()), s.whole.shape()).reshape({s.whole.size()});
  return select(s.whole.reshape({s.whole.size()}), several(mask), 0);
}

std::optional<Value> selection_call(const Call& call) {
  if (const auto joined = joined_call(call)) return joined;
  const bool in_keywords = std::any_of(call.keywords.begin(), call.keywords.end(),
                                       [&](const auto& each) { return is_selection(each.second); });
  if (!in_keywords && std::none_of(call.arguments.begin(), call.arguments.end(), is_selection))
    return joined_selections(call);
  if (call.row->has(kSelections)) return std::nullopt;
  if (auto result = order_call(call)) return result;
  if (call.row->has(kBesideMask)) {
    Call whole = call;
    std::vector<Value*> all;
    for (Value& argument : whole.arguments) all.push_back(&argument);
    for (auto& [name, argument] : whole.keywords) all.push_back(&argument);
    const Operands operands(all);
    return operands.selected(call_function(whole));
  }
  if (!in_keywords && is_selection(call.arguments[0])) {
    const Selection s = *selection_of(call.arguments[0]);
    if (const auto result = python_reduction(call, s)) return result;
    if (const auto result = reduction(call, s)) return result;
    if (const auto result = flattened(call, s)) return result;
  }
  if (!in_keywords && call.arguments.size() > 1 && has_word("np.take .take", call.name)) {
    const auto bound = call.bind({"a", "indices", "axis"}, 2);
    const auto* object = bound[0]->as<ObjectPtr>();
    const auto of = selection_of(*bound[0]);
    const bool is_flat =
        of ? of->others() == 1 : object != nullptr && (*object)->shape().size() == 1;
    const bool is_one = bound[2] == nullptr || bound[2]->is_number();
    if ((is_flat && is_one) ||
        (bound[2] != nullptr && bound[2]->is_number() && bound[2]->real() == 0))
      return subscript(*bound[0], {*bound[1]});
  }
  if (const auto result = product(call)) return result;
  refuse_selection(call);
}

void refuse_selection(const Call& call) {
  misuse(call.name,
         "{} of a masked selection is not supported, as its length is known only at run time; "
         "np.where(mask, a, b) keeps the shape",
         call.name);
}

}  // namespace rewriter
