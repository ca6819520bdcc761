#include "rewriter/expr/stacks.hpp"

#include <memory>
#include <vector>

#include "rewriter/expr/build.hpp"
#include "rewriter/expr/float_widths.hpp"

namespace rewriter::detail {

namespace {

/// As many are statements one after the other.
constexpr Index kUnrolled = 8;

Array looped(Index count, const Array& room, const std::function<Array(const Range&)>& each) {
  const auto loop = std::make_shared<const Loop>(Loop{"i", 0, count});
  const auto begin = make_node("for", Kind::LoopBegin, DType::Int, {});
  begin->loop = loop;
  const auto carried =
      make_node("for", Kind::Carried, room.dtype(), room.shape(), {room.node(), begin});
  carried->loop = loop;
  const Range at{0, 1, true, {{loop, 1}}};
  const Array next = set_slice(Array(NodePtr(carried)), {at}, each(at));
  const auto end =
      make_node("for", Kind::LoopEnd, DType::Int, {}, {begin, NodePtr(carried), next.node()});
  end->carried = 1;
  end->loop = loop;
  return to_array(make_node("for", Kind::After, room.dtype(), room.shape(), {NodePtr(end)}));
}

}  // namespace

Dims batch_of(const Array& a) {
  return {a.shape().begin(), a.shape().end() - 2};
}

Dims joined(Dims first, const Dims& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Stack::Stack(const Array& a, const Dims& batch, int axes) : all_(a) {
  const Dims each(a.shape().end() - axes, a.shape().end());
  all_ = broadcast_to(a, joined(batch, each)).reshape(joined({npmat::element_count(batch)}, each));
}

Array stacked(const Dims& batch, const Dims& shape,
              const std::function<Array(const Range&)>& each) {
  const Index count = npmat::element_count(batch);
  const Dims dims = joined(batch, shape);
  if (count == 0) return zeros(dims);
  if (count > kUnrolled) {
    const Array first = each({0, 1, true});
    const Array room = full(joined({count}, shape), 0, first.dtype());
    room.node()->float_bits = static_cast<std::uint8_t>(float_width_of(first.node()));
    return looped(count, room, each).reshape(dims);
  }
  std::vector<Array> made;
  for (Index k = 0; k < count; ++k)
    made.push_back(each({k, k + 1, true}).reshape(joined({1}, shape)));
  return concatenate(made).reshape(dims);
}

}  // namespace rewriter::detail
