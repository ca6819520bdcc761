#include "rewriter/reader/selections/selection.hpp"

#include <algorithm>
#include <limits>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/selections/packed.hpp"
#include "rewriter/reader/selections/run_slices.hpp"
#include "rewriter/reader/selections/selection_calls.hpp"
#include "rewriter/reader/selections/windows.hpp"
#include "rewriter/reader/table/table.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/known_values.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/exceptions.hpp"

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

}  // namespace

bool is_array_like(const Value& value) {
  const auto* sequence = value.as<Sequence>();
  return sequence != nullptr && !sequence->is_set &&
         std::all_of(sequence->items.begin(), sequence->items.end(),
                     [](const Value& item) { return item.is_data(); });
}

namespace {

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
    misuse(Exception::ValueError, "setitem",
           "could not broadcast input array from shape {} into shape {}", to_string(source.shape()),
           to_string(dims));
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
    if (const auto result = selection_reduction(call, s)) return result;
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
