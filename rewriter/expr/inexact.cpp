#include "rewriter/expr/inexact.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "rewriter/expr/bounds.hpp"

namespace rewriter {

namespace {

using detail::Bounds;

bool has_value(const Node& node) {
  return node.kind != Kind::LoopBegin && node.kind != Kind::LoopEnd && node.kind != Kind::Print &&
         node.kind != Kind::Custom;
}

/// What is known of all nodes of an order, of which each is computed of earlier ones.
class Known {
 public:
  Known(const std::vector<NodePtr>& order, double most) : most_(most) {
    for (const NodePtr& node : order) known_.emplace(node.get(), made(*node));
    // What a loop of a known count adds up.
    for (const NodePtr& node : order)
      if (node->kind == Kind::LoopEnd && !node->loop->has_condition()) add_up(*node);
    if (added_.empty()) return;
    known_.clear();
    for (const NodePtr& node : order) known_.emplace(node.get(), made(*node));
  }

  [[nodiscard]] Bounds of(const Node& node) const {
    const auto found = known_.find(&node);
    return found == known_.end() ? detail::bounds(node) : found->second;
  }
  [[nodiscard]] bool is_within(const Node& node) const {
    const Bounds values = of(node);
    return values.least >= -most_ && values.greatest <= most_;
  }

 private:
  static Bounds joined(const Bounds& a, const Bounds& b) {
    return {std::min(a.least, b.least), std::max(a.greatest, b.greatest)};
  }

  [[nodiscard]] Bounds made(const Node& node) const {
    if (node.dtype == DType::Bool) return {0, 1};
    if (node.kind == Kind::Input) return {-most_, most_};
    if (node.kind == Kind::Carried) {
      const auto found = added_.find(&node);
      if (found != added_.end()) return found->second;
      if (node.loop->form == LoopForm::If) return of(*node.args[0]);
    }
    if (node.kind == Kind::After) {
      const Node& end = *node.args[0];
      const Bounds left = of(*end.slot_value(node.slot));
      return joined(left,
                    node.slot < end.carried ? of(*end.args[1 + 2 * node.slot]) : Bounds{0, 0});
    }
    return detail::bounds_of(node, [&](const Node& operand) { return of(operand); });
  }

  void add_up(const Node& end) {
    for (std::size_t k = 0; k < end.carried; ++k) {
      const Node& carried = *end.args[1 + 2 * k];
      const Node& next = *end.slot_value(k);
      if (next.kind != Kind::Map || (next.op != Op::add && next.op != Op::subtract) ||
          next.args[0].get() != &carried)
        continue;
      const Bounds first = of(*carried.args[0]), step = of(*next.args[1]);
      const double sign = next.op == Op::add ? 1 : -1;
      const auto count = static_cast<double>(end.loop->count());
      const Bounds all =
          joined({0, 0}, {std::min(sign * step.least, sign * step.greatest) * count,
                          std::max(sign * step.least, sign * step.greatest) * count});
      if (std::isfinite(all.least) && std::isfinite(all.greatest))
        added_[&carried] = {first.least + all.least, first.greatest + all.greatest};
    }
  }

  double most_;
  std::unordered_map<const Node*, Bounds> known_;
  std::unordered_map<const Node*, Bounds> added_;
};

/// Numbers that follow from numbers alone, which no run rounds (list/host_numbers.hpp).
class Numbers {
 public:
  explicit Numbers(const std::vector<NodePtr>& order) {
    for (std::size_t before = 1;
         before != others_.size();) {  // what loops leave, until it is known
      before = others_.size();
      for (const NodePtr& node : order) {
        if (!follows(*node)) others_.insert(node.get());
        if (node->kind != Kind::LoopEnd) continue;
        for (std::size_t k = 0; k < node->carried; ++k)
          if (!contains(*node->slot_value(k))) others_.insert(node->args[1 + 2 * k].get());
      }
    }
  }

  [[nodiscard]] bool contains(const Node& node) const { return !others_.contains(&node); }

 private:
  [[nodiscard]] bool follows(const Node& node) const {
    if (!node.dims.empty()) return false;
    if (node.kind == Kind::After) return contains(*node.args[0]->slot_value(node.slot));
    return (keeps_numbers(node) || node.kind == Kind::Carried) && contains(node) &&
           std::all_of(node.args.begin(), node.args.end(),
                       [&](const NodePtr& arg) { return contains(*arg); });
  }

  std::unordered_set<const Node*> others_;
};

/// Numbers that follow from arrays, and arrays.
class OfArrays {
 public:
  explicit OfArrays(const std::vector<NodePtr>& order) {
    for (const NodePtr& node : order)
      if (follows(*node)) these_.insert(node.get());
  }

  [[nodiscard]] bool contains(const Node& node) const { return these_.contains(&node); }

 private:
  [[nodiscard]] bool follows(const Node& node) const {
    if (!node.dims.empty()) return true;
    if (node.kind == Kind::After) return contains(*node.args[0]->slot_value(node.slot));
    return std::any_of(node.args.begin(), node.args.end(),
                       [&](const NodePtr& arg) { return contains(*arg); });
  }

  std::unordered_set<const Node*> these_;
};

/// Nodes whose values are only places of arrays: rounding keeps them beyond what arrays have.
class Places {
 public:
  Places(const std::vector<NodePtr>& order, const std::vector<NodePtr>& roots, const Known& known,
         double most)
      : known_(known), most_(most) {
    for (const NodePtr& root : roots) other_.insert(root.get());
    for (auto node = order.rbegin(); node != order.rend(); ++node)
      for (std::size_t k = 0; k < (*node)->args.size(); ++k)
        if (!is_place(**node, k)) other_.insert((*node)->args[k].get());
  }

  [[nodiscard]] bool contains(const Node& node) const { return !other_.contains(&node); }

 private:
  /// Whether the node takes its operand k as a place, or as a part of one.
  [[nodiscard]] bool is_place(const Node& node, std::size_t k) const {
    constexpr double kSmall = 0x1p-2;
    const auto is_within = [&](std::size_t arg, double most) {
      const Bounds values = known_.of(*node.args[arg]);
      return values.least >= -most && values.greatest <= most;
    };
    switch (node.kind) {
      case Kind::Take:
      case Kind::Put:
        return k == 1;
      case Kind::Reshape:
      case Kind::Broadcast:
      case Kind::Transpose:
      case Kind::Slice:
      case Kind::Copy:
      case Kind::Concatenate:
        return contains(node);
      case Kind::Where:
        return k > 0 && contains(node);
      case Kind::Map:
        if (node.args.size() != 2) return false;
        if (node.op == Op::add) return contains(node) && is_within(1 - k, kSmall * most_);
        return (node.op == Op::less_than || node.op == Op::greater_than) &&
               node.args[1 - k]->kind == Kind::Number && is_within(1 - k, most_);
      default:
        return false;
    }
  }

  const Known& known_;
  double most_;
  std::unordered_set<const Node*> other_;
};

}  // namespace

bool keeps_numbers(const Node& node) {
  if (!node.dims.empty()) return false;
  switch (node.kind) {
    case Kind::Number:
    case Kind::Fill:
    case Kind::LoopValue:
    case Kind::Map:
    case Kind::LogicalNot:
    case Kind::Where:
    case Kind::Copy:
      return true;
    default:
      return false;
  }
}

const Node* inexact_integer(const std::vector<NodePtr>& roots, double most, bool of_arrays) {
  const std::vector<NodePtr> order = in_order(roots);
  const Known known(order, most);
  const auto is_large = [&](const Node& node) {
    return has_value(node) && is_integer(node.dtype) && !known.is_within(node);
  };
  if (std::none_of(order.begin(), order.end(),
                   [&](const NodePtr& node) { return is_large(*node); }))
    return nullptr;
  const Numbers numbers(order);
  const Places places(order, roots, known, most);
  const OfArrays arrays(order);
  const auto rounds = [&](const NodePtr& number) {
    return is_large(*number) && numbers.contains(*number) &&
           !(number->kind == Kind::Number &&
             std::fmod(number->number, std::exp2(std::ilogb(number->number) + 1) / most) == 0);
  };
  const auto found = std::find_if(order.begin(), order.end(), [&](const NodePtr& node) {
    if (numbers.contains(*node) || (of_arrays && !arrays.contains(*node))) return false;
    const bool reads = node->kind == Kind::Map || node->kind == Kind::Where;
    return (is_large(*node) && !places.contains(*node)) ||
           (reads && std::any_of(node->args.begin(), node->args.end(), rounds));
  });
  return found == order.end() ? nullptr : found->get();
}

}  // namespace rewriter
