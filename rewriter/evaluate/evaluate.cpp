#include "rewriter/evaluate/evaluate.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "rewriter/evaluate/evaluator.hpp"
#include "rewriter/expr/loop_spans.hpp"
#include "rewriter/expr/symbolic.hpp"

namespace rewriter {
namespace {

/// Computes all nodes in their order, loops as often as they run.
template <class T>
class Run {
 public:
  using Matrix = npmat::CUDAMatrix<T>;

  Run(const std::vector<NodePtr>& order, const std::vector<NodePtr>& roots, const Values<T>& inputs)
      : order_(order), loops_(order), evaluator_(order, inputs), dying_(order.size()) {
    std::unordered_set<const Node*> kept;
    for (const NodePtr& root : roots) kept.insert(root.get());
    // A loop's end sets its Carried nodes anew, so that nothing needs them after a body's last use.
    const std::vector<std::size_t> last = loops_.last_uses(order, false);
    for (std::size_t i = 0; i < order.size(); ++i)
      if (!kept.contains(order[i].get())) dying_[last[i]].push_back(order[i].get());
    find_last_after(kept);
  }

  /// `computed` is called with each node whose value there is, once it is computed.
  template <class F>
  void run(const F& computed) {
    for (at_ = 0; at_ < order_.size();) step(*order_[at_], computed);
  }
  void run() {
    run([](const Node&) {});
  }
  const Matrix& value(const Node& node) const { return evaluator_.value(node); }
  bool has_run(const Node& node) const { return evaluator_.has(node); }
  /// Whether it follows from numbers alone, and is as exact as Python's.
  bool is_number(const Node& node) const { return evaluator_.has_number(node); }

 private:
  /// A loop that runs.
  struct Frame {
    const Loop* loop;
    Index iteration = 0;
  };

  template <class F>
  void step(const Node& node, const F& computed) {
    switch (node.kind) {
      case Kind::LoopBegin:
        if (!begin(node)) return;
        break;
      case Kind::Carried:
        break;  // its loop has set it
      case Kind::LoopEnd:
        if (!end(node)) return;
        break;
      case Kind::After:
        evaluator_.set(node, leaves_nothing_.contains(&node) ? evaluator_.take(left_by(node))
                                                             : evaluator_.copy(left_by(node)));
        break;
      default:
        evaluator_.compute(node, dies_here(node));
        computed(node);
    }
    forget_dying();
    ++at_;
  }

  void forget_dying() {
    for (const Node* dead : dying_[at_])
      if (!is_carried_on(*dead)) evaluator_.forget(*dead);
  }

  /// Whether nothing needs the first operand of the node, which writes to it, after it.
  bool dies_here(const Node& node) const {
    return evaluator_.writes_part(node) &&
           std::count(node.args.begin(), node.args.end(), node.args[0]) == 1 &&
           std::ranges::find(dying_[at_], node.args[0].get()) != dying_[at_].end();
  }

  /// Of the After nodes of a value that a loop leaves: the last one, if it runs as often as the
  /// loop. The value is its then.
  void find_last_after(const std::unordered_set<const Node*>& kept) {
    std::unordered_map<const Node*, std::size_t> ends;
    std::unordered_map<const Node*, const Node*> last;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const Node& node = *order_[i];
      if (node.kind == Kind::LoopEnd) ends.emplace(&node, i);
      if (node.kind != Kind::After) continue;
      const Node& left = left_by(node);
      const std::size_t end = ends.at(node.args[0].get());
      const bool is_of_body = left.id > order_[loops_.at(end).begin]->id;
      const bool may = is_of_body && !kept.contains(&left) && loops_.until(end, i) == i;
      last[&left] = may ? &node : nullptr;
    }
    for (const auto& [left, node] : last) leaves_nothing_.insert(node);
  }

  /// Starts the first iteration, or goes to the loop's end and returns false.
  bool begin(const Node& node) {
    frames_.push_back({node.loop.get()});
    evaluator_.enter(node.loop, node.loop->start);
    const Node& end = *order_[loops_.at(at_).end];
    for (std::size_t k = 0; k < end.carried; ++k) {
      const Node& carried = *end.args[1 + 2 * k];
      evaluator_.set(carried, evaluator_.copy(*carried.args[0]));
    }
    const bool is_if = node.loop->form == LoopForm::If;
    if (!node.loop->has_condition() || holds(is_if ? *node.args[0] : *end.args[1])) return true;
    forget_dying();
    at_ = loops_.at(at_).end;
    leave();
    return false;
  }

  bool holds(const Node& condition) const { return evaluator_.holds(condition); }
  /// The value of the loop that an After node has.
  static const Node& left_by(const Node& after) {
    const Node& end = *after.args[0];
    return end.loop->has_condition() ? *end.args[1 + 2 * after.slot] : *end.slot_value(after.slot);
  }

  /// Goes on after the LoopEnd.
  void leave() {
    frames_.pop_back();
    forget_dying();
    ++at_;
  }

  /// Starts the next iteration and returns false, or leaves the loop.
  bool end(const Node& node) {
    Frame& frame = frames_.back();
    const bool is_over = ++frame.iteration == frame.loop->count();
    if (is_over && !frame.loop->has_condition()) {
      frames_.pop_back();
      return true;
    }
    std::vector<typename detail::Evaluator<T>::Value> next;
    for (std::size_t k = 0; k < node.carried; ++k) {
      const Node& value = *node.slot_value(k);
      next.push_back(is_computed_anew(node, k) ? evaluator_.take(value) : evaluator_.copy(value));
    }
    for (std::size_t k = 0; k < node.carried; ++k)
      evaluator_.set(*node.args[1 + 2 * k], std::move(next[k]));
    const bool goes_on = frame.loop->form == LoopForm::While || !is_over;
    if (frame.loop->has_condition() && !(goes_on && holds(*node.args[1]))) {
      frames_.pop_back();
      return true;
    }
    evaluator_.enter(node.loop, frame.loop->start + frame.iteration * frame.loop->step);
    at_ = loops_.at(at_).begin + 1;
    return false;
  }

  /// Whether the next iteration computes the value of this slot before it reads it, and no other
  /// slot takes it.
  bool is_computed_anew(const Node& end, std::size_t slot) const {
    const NodePtr& value = end.slot_value(slot);
    for (std::size_t k = slot + 1; k < end.carried; ++k)
      if (end.slot_value(k) == value) return false;
    return value->id > end.args[0]->id && value->kind != Kind::Carried;
  }

  /// The After nodes take their values from those of the last iteration.
  bool is_carried_on(const Node& dead) const {
    return order_[at_]->kind == Kind::LoopEnd && dead.kind != Kind::LoopEnd &&
           dead.id > order_[loops_.at(at_).begin]->id;
  }

  const std::vector<NodePtr>& order_;
  LoopSpans loops_;
  detail::Evaluator<T> evaluator_;
  std::vector<std::vector<const Node*>> dying_;
  std::unordered_set<const Node*> leaves_nothing_;  ///< of the After nodes: no later one needs it
  std::vector<Frame> frames_;
  std::size_t at_ = 0;
};

}  // namespace

namespace {

template <class T>
void seed_draws(const std::vector<NodePtr>& order, std::uint64_t seed) {
  const auto draws = [](const NodePtr& node) {
    return node->kind == Kind::Random || node->kind == Kind::Seed || node->kind == Kind::Custom;
  };
  if (std::any_of(order.begin(), order.end(), draws)) npmat::CUDAMatrix<T>::init_random(seed);
}

}  // namespace

template <class T>
std::vector<npmat::Array<T>> evaluate(const std::vector<NodePtr>& roots, const Values<T>& inputs,
                                      std::uint64_t seed) {
  const std::vector<NodePtr> order = in_order(roots);
  seed_draws<T>(order, seed);
  Run<T> run(order, roots, inputs);
  run.run();

  std::vector<npmat::Array<T>> results;
  results.reserve(roots.size());
  for (const NodePtr& root : roots) {
    const Kind kind = root->kind;
    const bool has_value =
        kind != Kind::Seed && kind != Kind::Print && kind != Kind::LoopEnd && kind != Kind::Custom;
    if (!has_value || !run.has_run(*root))  // perhaps nothing asked for the body that it is in
      results.push_back({Dims{0}, {}});
    else
      results.push_back(detail::to_array(run.value(*root), root->dims));
  }
  return results;
}

namespace {

/// Runs it; the first node of each line whose integers may have been rounded.
template <class T>
std::map<int, const Node*> first_rounded(Run<T>& run) {
  std::map<int, const Node*> first;
  run.run([&](const Node& node) {
    if (!is_integer(node.dtype) || !run.has_run(node) || run.is_number(node)) return;
    if (node.kind == Kind::Reshape) return;  // these are the operand's
    // What is not replaced was looked at where it was computed.
    const bool replaces = detail::Evaluator<T>::writes_part(node);
    const auto& value = run.value(replaces ? *node.args.back() : node);
    if (std::all_of(value.data(), value.data() + value.size(), is_exact_integer<T>)) return;
    const auto [known, is_new] = first.emplace(node.where.line, &node);
    if (!is_new && node.id < known->second->id) known->second = &node;
  });
  return first;
}

}  // namespace

template <class T>
std::vector<const Node*> rounded_integers(const std::vector<NodePtr>& roots,
                                          const Values<T>& inputs, std::uint64_t seed) {
  const std::vector<NodePtr> order = in_order(roots);
  seed_draws<T>(order, seed);
  Run<T> run(order, roots, inputs);
  std::vector<const Node*> found;
  for (const auto& [line, node] : first_rounded(run)) found.push_back(node);
  return found;
}

template <class T>
npmat::Array<T> Array::as_numpy() const {
  return std::move(evaluate<T>({node_}, {}).front());
}

#define EVALUATE_IN(T)                                                                          \
  template std::vector<npmat::Array<T>> evaluate(const std::vector<NodePtr>&, const Values<T>&, \
                                                 std::uint64_t);                                \
  template std::vector<const Node*> rounded_integers(const std::vector<NodePtr>&,               \
                                                     const Values<T>&, std::uint64_t);          \
  template npmat::Array<T> Array::as_numpy<T>() const;
EVALUATE_IN(float)
EVALUATE_IN(double)
EVALUATE_IN(long double)
#undef EVALUATE_IN

}  // namespace rewriter
