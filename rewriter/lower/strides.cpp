// Lowering: parts of an axis with a step, x[1::2], and what is written to views of views.
//
// An axis with whole steps is reshaped to (count, step), of which an element of the last axis is
// taken. Of a vector that is, in Cudamat's order, a view whose rows are the steps: the transpose.
// So where all that happens to the reshaped vector is that, its value is this view, turned.
//
// NumPy writes x[1::2] = y where the elements lie. In a tree that is the part of x with y in it,
// put in the place of the part. If the part is a view, and nothing reads x between the two, y is
// written to the view, and nothing is left to be put in its place.
#include <algorithm>

#include "rewriter/lower/lowering.hpp"

namespace rewriter {

bool is_line(cudamat::Shape shape) {
  return shape.rows == 1 || shape.cols == 1 || shape.size() == 0;
}

std::pair<Range, Range> Lowering::ranges_of(const Node& node, Shape shape) const {
  const Range all_rows{0, shape.rows, false}, all_cols{0, shape.cols, false};
  if (node.ranges.empty()) return {all_rows, all_cols};
  if (node.ranges.size() == 1) return {all_rows, node.ranges[0]};
  if (is_turned_[position_.at(node.args[0].get())]) return {node.ranges[1], node.ranges[0]};
  return {node.ranges[0], node.ranges[1]};
}

/// Whether it is a Slice or a SetSlice of one element of the last of two axes, which it drops.
bool Lowering::takes_one_step(const Node& user) const {
  if (user.kind != Kind::Slice && user.kind != Kind::SetSlice) return false;
  if (user.ranges.size() != 2 || !user.ranges[1].drops_axis || user.ranges[0].drops_axis)
    return false;
  return user.ranges[0].shift.empty() && user.ranges[1].shift.empty() &&
         user.ranges[0].extent() == user.args[0]->dims[0];
}

/// Whether a vector that is reshaped to the node's two dimensions may be the view of them.
bool Lowering::may_stay_turned(const Node& node) const {
  const std::size_t position = position_.at(&node);
  const auto is_free = [&](const Node& value) {
    return name_of(value).empty() && last_use_[position_.at(&value)] < nodes_.size();
  };
  if (node.by_columns || node.ndim() != 2 || is_line(matrix_shape(node.dims)) || !is_free(node))
    return false;
  return std::all_of(users_[position].begin(), users_[position].end(), [&](std::size_t at) {
    const Node& user = *nodes_[at];
    if (!takes_one_step(user) || user.args[0].get() != &node) return false;
    if (user.kind == Kind::Slice) return true;
    const Node* const back = only_user(user);
    return user.args[1].get() != &node && is_free(user) && back != nullptr &&
           back->kind == Kind::Reshape && !back->by_columns && back->ndim() == 1;
  });
}

const Node* Lowering::only_user(const Node& node) const {
  const std::size_t position = position_.at(&node);
  const bool is_one = users_[position].size() == 1 && last_use_[position] < nodes_.size();
  return is_one ? nodes_[users_[position][0]].get() : nullptr;
}

namespace {

/// Whether the node puts a part of its operand back in its place.
bool puts_back(const Node& node, const Node* part) {
  while (part->kind == Kind::Reshape) part = part->args[0].get();
  if (node.kind != Kind::SetSlice || !node.in_place || part->kind != Kind::Slice ||
      part->args[0] != node.args[0])
    return false;
  return std::equal(part->ranges.begin(), part->ranges.end(), node.ranges.begin(),
                    node.ranges.end(), [](const Range& a, const Range& b) {
                      return a.start == b.start && a.stop == b.stop && a.shift == b.shift;
                    });
}

}  // namespace

/// The SetSlice that puts what is given, or another shape of it, in the place of the part; null if
/// there is none.
const Node* Lowering::write_around(const Node& given, const Node& part) const {
  for (const std::size_t at : users_[position_.at(&given)]) {
    const Node& user = *nodes_[at];
    const bool takes_it = user.args.size() == 2 && user.args[1].get() == &given;
    const Node* const found = user.kind == Kind::Reshape           ? write_around(user, part)
                              : takes_it && puts_back(user, &part) ? &user
                                                                   : nullptr;
    if (found != nullptr) return found;
  }
  return nullptr;
}

/// Whether one of the nodes from the next one until `last` reads the memory, but for those that
/// write through it.
bool Lowering::is_read_between(Var memory, std::size_t last) const {
  for (std::size_t i = at_ + 1; i < last; ++i) {
    if (written_.contains(nodes_[i].get())) continue;
    for (const NodePtr& operand : nodes_[i]->args) {
      const auto found = position_.find(operand.get());
      const Var var = found == position_.end() ? kNoVar : value_[found->second];
      if (var != kNoVar && out_.owner(var) == memory) return true;
    }
  }
  return false;
}

/// Whether the SetSlice or Put may write to the memory of its operand, a view, although that is
/// read later: by the SetSlices that put what it gives in the place of this view. If so, these have
/// nothing left to do.
bool Lowering::writes_through(const Node& node) {
  constexpr std::size_t kFar = 64;  // nodes
  const auto memory_of = [&](const NodePtr& operand) {
    const Var var = value_[position_.at(operand.get())];
    return var == kNoVar ? kNoVar : out_.owner(var);
  };
  const Var memory = memory_of(node.args[0]);
  if (!node.in_place || memory == kNoVar) return false;
  std::vector<const Node*> around;
  for (const Node* inner = &node;;) {
    inner = write_around(*inner, *inner->args[0]);
    if (inner == nullptr || memory_of(inner->args[0]) != memory) break;
    around.push_back(inner);
    const std::size_t last = position_.at(inner);
    if (last > at_ + kFar) break;
    if (memory_use_[memory] > last) continue;
    written_.insert(around.begin(), around.end());
    if (!is_read_between(memory, last)) return true;
    break;
  }
  for (const Node* each : around) written_.erase(each);
  return false;
}

}  // namespace rewriter
