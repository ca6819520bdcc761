#include "rewriter/reader/selections/windows.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/selections/selection.hpp"

namespace rewriter {
namespace {

/// Of fewer places a pass over all of them is faster.
constexpr Index kFewestPlaces = 512;
/// How many places an iteration takes at last, and how many times as many the loop before it.
constexpr Index kWidth = 128, kTimesAsMany = 16;

/// The bound of `places < bound`, where these are 0, 1, ...
std::optional<Array> bound_of(const Node& node) {
  const bool is_bounded = node.kind == Kind::Map && node.op == Op::less_than &&
                          node.dims.size() == 1 && node.args[1]->size() == 1 &&
                          node.args[0]->dims == node.dims &&
                          is_same_mask(Array(node.args[0]), counting(0, 1, node.size()));
  if (!is_bounded) return std::nullopt;
  const Array bound(node.args[1]);
  return bound.ndim() == 0 ? bound : bound.reshape({});
}

/// What is computed of a selection's elements, at some places only. What was made before the mask
/// is taken from memory; what was made of the selection is computed there.
class AtPlaces {
 public:
  AtPlaces(const Selection& s, Array places)
      : mask_(s.mask.node()),
        extent_(s.mask.size()),
        axes_after_(s.rest()),
        places_(std::move(places)) {}

  Array operator()(const NodePtr& node) {
    if (!has_axis(*node)) return Array(node);
    const auto found = made_.find(node);
    return found != made_.end() ? found->second : made_.emplace(node, make(node)).first->second;
  }

 private:
  /// The mask's axis.
  [[nodiscard]] int axis_of(const Node& node) const { return node.ndim() - 1 - axes_after_; }
  [[nodiscard]] bool has_axis(const Node& node) const {
    const int at = axis_of(node);
    return at >= 0 && node.dims[static_cast<std::size_t>(at)] == extent_;
  }
  /// Whether it is the mask, perhaps with an axis of one element for each that follows.
  [[nodiscard]] bool is_mask(const NodePtr& node) const {
    if (node->size() != extent_) return false;
    if (node->kind == Kind::Reshape) return is_mask(node->args[0]);
    return is_same_mask(Array(mask_), Array(node));
  }

  Array make(const NodePtr& node) {
    if (node->kind == Kind::Reshape && node->args[0]->dims == node->dims)
      return (*this)(node->args[0]);
    const bool is_row = node->ndim() == 1;
    if (is_row && is_mask(node)) return full(places_.shape(), 1, DType::Bool);
    if (node->id > mask_->id) {
      if (node->kind == Kind::Where && is_mask(node->args[0])) return chosen(*node);
      if (node->kind == Kind::Map || node->kind == Kind::Where || node->kind == Kind::LogicalNot)
        return each(*node);
      if (node->kind == Kind::Take && node->axis == axis_of(*node) && has_axis(*node->args[1]))
        return take(Array(node->args[0]), (*this)(node->args[1]), node->axis);
    }
    if (is_row && is_same_mask(Array(node), counting(0, 1, extent_))) return places_;
    return take(Array(node), places_, axis_of(*node));
  }

  /// Of a Where by the mask, which holds here.
  Array chosen(const Node& node) {
    return broadcast_to((*this)(node.args[1]).as_type(node.dtype), dims_here(node));
  }

  Array each(const Node& node) {
    std::vector<NodePtr> args;
    for (const NodePtr& arg : node.args) args.push_back((*this)(arg).node());
    const auto made = detail::make_like(node, dims_here(node), std::move(args));
    made->in_place = false;
    return detail::to_array(made);
  }
  [[nodiscard]] Dims dims_here(const Node& node) const {
    Dims dims = node.dims;
    dims[static_cast<std::size_t>(axis_of(node))] = places_.size();
    return dims;
  }

  NodePtr mask_;
  Index extent_;
  int axes_after_;
  Array places_;
  std::unordered_map<NodePtr, Array> made_;
};

/// The values that iterations hand on.
using State = std::vector<Array>;

/// while condition(state): state = next(state)
State repeat_while(const State& first, const std::function<Array(const State&)>& condition,
                   const std::function<State(const State&)>& next) {
  const auto loop = std::make_shared<const Loop>(Loop{"", 0, 1, 1, LoopForm::While});
  State before{condition(first)};
  before.insert(before.end(), first.begin(), first.end());
  const auto begin = detail::make_node("while", Kind::LoopBegin, DType::Int, {});
  begin->loop = loop;
  std::vector<NodePtr> carried;
  State state;
  for (const Array& value : before) {
    const auto node = detail::make_node("while", Kind::Carried, value.dtype(), value.shape(),
                                        {value.node(), begin});
    node->loop = loop;
    carried.push_back(node);
    if (carried.size() > 1) state.emplace_back(NodePtr(node));
  }
  const State left = next(state);
  State after{condition(left)};
  after.insert(after.end(), left.begin(), left.end());
  std::vector<NodePtr> args{begin};
  for (std::size_t i = 0; i < carried.size(); ++i)
    args.insert(args.end(), {carried[i], after[i].node()});
  const auto end = detail::make_node("while", Kind::LoopEnd, DType::Int, {}, std::move(args));
  end->carried = carried.size();
  end->loop = loop;
  State result;
  for (std::size_t i = 1; i < carried.size(); ++i) {
    const auto node =
        detail::make_node("while", Kind::After, after[i].dtype(), after[i].shape(), {NodePtr(end)});
    node->slot = i;
    result.push_back(detail::to_array(node));
  }
  return result;
}

Array combined(Op op, const Array& a, const Array& b) {
  switch (op) {
    case Op::max:
      return maximum(a, b);
    case Op::min:
      return minimum(a, b);
    case Op::prod:
      return a * b;
    case Op::any:
      return logical_or(a, b);
    case Op::all:
      return logical_and(a, b);
    default:
      return a + b;
  }
}

/// A 0-d array in the way of a number.
Array held(const Array& number) {
  return number.is_number() ? full({}, number.node()->number, number.dtype()) : number;
}

}  // namespace

Array Window::count() const {
  return maximum(last - first, Array(std::int64_t{0}));
}

std::optional<Window> window_of(const Selection& s) {
  if (s.mask.ndim() != 1 || s.mask.size() < kFewestPlaces) return std::nullopt;
  const Node& mask = *s.mask.node();
  const bool has_both = mask.kind == Kind::Map && mask.op == Op::mult;
  const Node& from = has_both ? *mask.args[0] : mask;
  const Array zero(std::int64_t{0}), extent(s.mask.size());
  std::optional<Array> first, last;
  if (from.kind == Kind::LogicalNot) first = bound_of(*from.args[0]);
  if (has_both)
    last = bound_of(*mask.args[1]);
  else if (!first)
    last = bound_of(mask);
  if (has_both ? !first || !last : !first && !last) return std::nullopt;
  return Window{first ? maximum(*first, zero) : zero, last ? minimum(*last, extent) : extent};
}

Array reduce_window(Op op, const Selection& s, const Window& window, const Array& neutral,
                    bool everything) {
  const int axis = s.first;
  const Index extent = s.mask.size();
  const bool over_all = everything || s.whole.ndim() == 1;
  const auto reduced = [&](const Array& values) {
    return over_all ? reduce(op, values) : reduce(op, values, axis);
  };
  const auto values_at = [&](const Array& places) {
    Array values = AtPlaces(s, places)(s.whole.node());
    return op == Op::any || op == Op::all ? detail::truth(values) : values;
  };
  const Array last = held(window.last);
  const Array none = reduced(s.with(neutral));  // its shape and type; it is not computed
  State state{held(window.first), full(none.shape(), neutral.node()->number, none.dtype())};
  std::vector<Index> widths{kWidth};
  while (widths.back() * kTimesAsMany * 2 < extent) widths.push_back(widths.back() * kTimesAsMany);
  for (; !widths.empty(); widths.pop_back()) {
    const Index width = widths.back();
    const bool is_last = widths.size() == 1;
    const Array steps = arange(0, static_cast<double>(width));
    const auto more = [&](const State& at) {
      return is_last ? at[0] < last : logical_not(last < at[0] + Array(width));
    };
    const auto next = [&](const State& at) {
      Array places = steps + at[0];
      if (is_last) places = minimum(places, last - Array(std::int64_t{1}));
      Array values = values_at(places);
      if (is_last) {
        Dims dims(static_cast<std::size_t>(s.rest() + 1), 1);
        dims[0] = width;
        const Array inside = (steps + at[0] < last).reshape(std::move(dims));
        values = where(inside, values, neutral);
      }
      const Array result = combined(op, at[1], reduced(values));
      return State{at[0] + Array(width), result.as_type(none.dtype())};
    };
    state = repeat_while(state, more, next);
  }
  return state[1];
}

}  // namespace rewriter
