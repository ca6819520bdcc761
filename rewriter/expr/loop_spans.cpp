#include "rewriter/expr/loop_spans.hpp"

#include <algorithm>

#include "cudamat/error.hpp"

namespace rewriter {

LoopSpans::LoopSpans(const std::vector<NodePtr>& order) : loop_of_(order.size(), kNone) {
  std::size_t current = kNone;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i]->kind == Kind::LoopBegin) {
      spans_.push_back({i, i, current});
      current = spans_.size() - 1;
    }
    loop_of_[i] = current;
    if (order[i]->kind != Kind::LoopEnd) continue;
    if (current == kNone || order[spans_[current].begin]->loop != order[i]->loop)
      throw cudamat::InternalError("a loop ends that did not begin");
    spans_[current].end = i;
    current = spans_[current].parent;
  }
  if (current != kNone) throw cudamat::InternalError("a loop begins that does not end");
}

std::size_t LoopSpans::until(std::size_t made, std::size_t read) const {
  std::size_t last = read;
  for (std::size_t loop = loop_of_[read]; loop != kNone; loop = spans_[loop].parent) {
    if (spans_[loop].begin <= made) break;
    last = spans_[loop].end;
  }
  return last;
}

std::vector<std::size_t> LoopSpans::last_uses(const std::vector<NodePtr>& order,
                                              bool ends_read_carried) const {
  std::unordered_map<const Node*, std::size_t> position;
  std::vector<std::size_t> last(order.size());
  const auto use = [&](const NodePtr& value, std::size_t at) {
    const std::size_t made = position.at(value.get());
    last[made] = std::max(last[made], until(made, at));
  };
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Node& node = *order[i];
    position.emplace(&node, i);
    last[i] = i;
    if (node.kind == Kind::Carried) {
      const std::size_t made = position.at(node.args[0].get());
      const Span& loop = at(position.at(node.args[1].get()));
      const std::size_t outside = loop.begin == 0 ? 0 : loop.begin - 1;
      last[made] = std::max({last[made], until(made, outside), loop.begin});
    } else if (node.kind == Kind::LoopEnd) {
      for (std::size_t k = 0; k < node.slot_count(); ++k)
        if (position.contains(node.slot_value(k).get())) use(node.slot_value(k), i);
      if (ends_read_carried && node.loop->has_condition())
        for (std::size_t k = 0; k < node.carried; ++k) use(node.args[1 + 2 * k], i);
    } else {
      for (const NodePtr& operand : node.args) use(operand, i);
    }
  }
  return last;
}

}  // namespace rewriter
