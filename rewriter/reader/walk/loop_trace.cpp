// Whether two values have one type, so that a loop can carry them.
#include "rewriter/reader/walk/loop_trace.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/value.hpp"

namespace rewriter {

ValueType type_of(const Value& value) {
  const Array array = to_array(value, "a name of a loop");
  ValueType type{array.shape(), array.dtype()};
  const auto* object = value.as<ObjectPtr>();
  type.is_python = is_python_number(value);
  type.is_scalar = object == nullptr || (*object)->is_scalar();
  if (type.is_scalar) return type;
  type.contiguous = (*object)->contiguous();
  type.refusal = (*object)->refusal();
  return type;
}

std::string to_string(const ValueType& type) {
  const bool truth = type.dtype == DType::Bool;
  if (type.is_python) return truth ? "a bool" : type.dtype == DType::Int ? "an int" : "a float";
  const std::string_view dtype = detail::type_name(type.dtype);
  if (type.is_scalar) return fmt::format("a NumPy scalar of {}", dtype);
  return fmt::format("an array of {} of shape {}{}", dtype, to_string(type.dims),
                     type.contiguous ? "" : " in another order");
}

namespace {

/// Two bodies side by side.
class Comparison {
 public:
  Comparison(const LoopTrace& a, const LoopTrace& b) : a_(a), b_(b) {
    loops_.emplace(a.loop.get(), b.loop.get());
  }

  bool same() {
    if (a_.roots.size() != b_.roots.size() || !(*a_.loop == *b_.loop) || !same_holders() ||
        !same_writes())
      return false;
    const std::vector<NodePtr> left = body(a_);
    const std::vector<NodePtr> right = body(b_);
    if (left.size() != right.size()) return false;
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (!same_node(*left[i], *right[i])) return false;
      partner_.emplace(left[i].get(), right[i].get());
    }
    return std::equal(a_.roots.begin(), a_.roots.end(), b_.roots.begin(),
                      [this](const NodePtr& x, const NodePtr& y) { return are_partners(x, y); });
  }

 private:
  /// The nodes that the body computes, in their order.
  static std::vector<NodePtr> body(const LoopTrace& trace) {
    std::vector<NodePtr> found;
    std::unordered_set<const Node*> seen;
    const auto visit = [&](const NodePtr& node) {
      if (node->id >= trace.first && seen.insert(node.get()).second) found.push_back(node);
    };
    for (const NodePtr& root : trace.roots) visit(root);
    for (std::size_t next = 0; next < found.size(); ++next) {
      const Node& node = *found[next];
      if (trace.starts.contains(&node)) continue;
      for (const NodePtr& operand : node.args) visit(operand);
    }
    std::sort(found.begin(), found.end(),
              [](const NodePtr& x, const NodePtr& y) { return x->id < y->id; });
    return found;
  }

  bool same_node(const Node& x, const Node& y) {
    const auto start_x = a_.starts.find(&x);
    const auto start_y = b_.starts.find(&y);
    if ((start_x == a_.starts.end()) != (start_y == b_.starts.end())) return false;
    if (start_x != a_.starts.end())
      return start_x->second == start_y->second && broadcast(x.dims, y.dims) == y.dims;
    if (x.kind != y.kind || x.op != y.op || !same_number(x.number, y.number) || x.axis != y.axis ||
        x.keepdims != y.keepdims || x.by_columns != y.by_columns || x.carried != y.carried ||
        x.slot != y.slot || x.text != y.text || x.args.size() != y.args.size())
      return false;
    if ((x.loop == nullptr) != (y.loop == nullptr)) return false;
    if (x.kind == Kind::LoopBegin) {
      if (!(*x.loop == *y.loop)) return false;
      loops_.emplace(x.loop.get(), y.loop.get());
    }
    return same_terms(x.terms, y.terms) && same_ranges(x, y) && same_data(x, y) &&
           same_parts(x, y) && same_operands(x, y);
  }

  bool same_operands(const Node& x, const Node& y) const {
    bool stretched = x.dims != y.dims;
    for (std::size_t i = 0; i < x.args.size(); ++i) {
      if (!are_partners(x.args[i], y.args[i])) return false;
      const bool value_assigned = x.kind == Kind::SetSlice && i == 1;
      stretched = stretched || (x.args[i]->dims != y.args[i]->dims && !value_assigned);
    }
    return !stretched || x.kind == Kind::Map || x.kind == Kind::Where ||
           x.kind == Kind::LogicalNot || x.kind == Kind::Copy;
  }

  bool are_partners(const NodePtr& x, const NodePtr& y) const {
    if (x->id < a_.first || y->id < b_.first) return x == y;
    return partner_.at(x.get()) == y.get();
  }

  bool same_terms(const LoopTerms& x, const LoopTerms& y) const {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                      [this](const LoopTerm& p, const LoopTerm& q) {
                        const auto found = loops_.find(p.loop.get());
                        const Loop* loop = found == loops_.end() ? p.loop.get() : found->second;
                        return loop == q.loop.get() && p.factor == q.factor;
                      });
  }
  bool same_ranges(const Node& x, const Node& y) const {
    return std::equal(x.ranges.begin(), x.ranges.end(), y.ranges.begin(), y.ranges.end(),
                      [this](const Range& p, const Range& q) {
                        return p.start == q.start && p.stop == q.stop &&
                               p.drops_axis == q.drops_axis && same_terms(p.shift, q.shift);
                      });
  }
  static bool same_data(const Node& x, const Node& y) {
    if (x.data == nullptr || y.data == nullptr || x.data == y.data) return x.data == y.data;
    return std::visit(
        [](const auto& p, const auto& q) {
          return p.shape == q.shape &&
                 std::equal(p.data.begin(), p.data.end(), q.data.begin(), q.data.end());
        },
        *x.data, *y.data);
  }
  bool same_parts(const Node& x, const Node& y) const {
    return std::equal(x.parts.begin(), x.parts.end(), y.parts.begin(), y.parts.end(),
                      [this](const TextPart& p, const TextPart& q) {
                        return p.kind == q.kind && p.text == q.text && p.element == q.element &&
                               p.dtype == q.dtype && p.integer.constant == q.integer.constant &&
                               same_terms(p.integer.terms, q.integer.terms);
                      });
  }

  /// Names that hold one array at the end of one body do so at the end of the other. What a scalar
  /// held nobody can tell from what the body made.
  bool same_holders() const {
    const auto kind = [this](const LoopTrace::Holder& holder) {
      const auto type = a_.types.find(holder.carried);
      const bool was_scalar = type != a_.types.end() && type->second.is_scalar;
      return was_scalar ? LoopTrace::Holder{} : LoopTrace::Holder{holder.before, holder.carried};
    };
    if (a_.holders.size() != b_.holders.size()) return false;
    for (std::size_t i = 0; i < a_.holders.size(); ++i) {
      const auto& [name, x] = a_.holders[i];
      const auto& [other, y] = b_.holders[i];
      if (name != other || kind(x) != kind(y)) return false;
      for (std::size_t j = 0; j < i; ++j)
        if ((x == a_.holders[j].second) != (y == b_.holders[j].second)) return false;
    }
    return true;
  }

  /// Arrays that one body writes into, and others may share, the other does. A scalar nothing can
  /// share.
  bool same_writes() const {
    return std::all_of(a_.types.begin(), a_.types.end(), [this](const auto& type) {
      return type.second.is_scalar ||
             a_.written.contains(type.first) == b_.written.contains(type.first);
    });
  }

  const LoopTrace& a_;
  const LoopTrace& b_;
  std::unordered_map<const Node*, const Node*> partner_;
  std::unordered_map<const Loop*, const Loop*> loops_;
};

}  // namespace

bool compute_the_same(const LoopTrace& a, const LoopTrace& b) {
  return Comparison(a, b).same();
}

}  // namespace rewriter
