#include "rewriter/reader/values/decisions.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "npmat/random.hpp"
#include "rewriter/evaluate/evaluate.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/known_values.hpp"
#include "rewriter/reader/values/value.hpp"

namespace rewriter {

thread_local Deciding deciding = Deciding::AtRun;
thread_local bool could_not_decide = false;

DecidingSo::DecidingSo(Deciding so) : before_(deciding) {
  deciding = so;
  if (before_ == Deciding::AtRun && so != Deciding::AtRun) know_contents(true);
}

DecidingSo::~DecidingSo() {
  if (before_ == Deciding::AtRun && deciding != Deciding::AtRun) know_contents(false);
  deciding = before_;
}

Deciding Decisions::of(std::uint32_t statement) const {
  if (up_to_ && statement <= *up_to_) return common_;
  const auto found = own_.find(statement);
  return found == own_.end() ? Deciding::AtRun : found->second;
}

/// First the statement itself, then all up to it, which made what it fails at.
bool Decisions::next(std::uint32_t failed) {
  constexpr int kMostTimes = 24;
  if (++times_ > kMostTimes) return false;
  Deciding& own = own_[failed];
  if (own == Deciding::AtRun) {
    own = Deciding::ByValues;
  } else if (own == Deciding::ByValues && !(up_to_ && failed <= *up_to_)) {
    own = Deciding::WithoutLoops;
  } else if (!up_to_ || failed > *up_to_) {
    up_to_ = failed;
    common_ = Deciding::ByValues;
  } else if (common_ == Deciding::ByValues) {
    common_ = Deciding::WithoutLoops;
  } else {
    return false;
  }
  return true;
}

namespace {

using Known = npmat::Array<double>;

thread_local int draw_bits = 0;  ///< of the run's floats; 0: its draws are not known

/// As a run computes it.
Known evaluated(const NodePtr& node) {
  if (draw_bits != 32) return std::move(evaluate<double>({node}, {}).front());
  const npmat::Array<float> made = std::move(evaluate<float>({node}, {}).front());
  return {made.shape, {made.data.begin(), made.data.end()}};
}

/// Values of nodes, each computed once.
class Computed {
 public:
  /// A node that holds the value; null where that is not known.
  NodePtr of(const NodePtr& root) {
    if (kept_elements_ > kMostKept) return nullptr;
    std::vector<NodePtr> left{root};
    while (!left.empty()) {
      const NodePtr node = left.back();
      if (known_.contains(node)) {
        left.pop_back();
        continue;
      }
      bool waits = false;
      if (is_operation(*node))
        for (const NodePtr& arg : node->args) {
          const auto found = known_.find(arg);
          if (found == known_.end()) left.push_back(arg), waits = true;
          // What one operand has not, the node has not.
          if (found != known_.end() && !found->second) {
            known_[node] = nullptr;
            break;
          }
        }
      if (node->kind == Kind::After)
        for (const NodePtr& outer : outside(*node))
          if (!known_.contains(outer)) left.push_back(outer), waits = true;
      if (known_.contains(node) || !waits) {
        left.pop_back();
        if (!known_.contains(node)) known_[node] = made(node);
        const auto is_drawn = [&](const NodePtr& arg) { return of_draws_.contains(arg); };
        if (std::ranges::any_of(node->args, is_drawn) ||
            (node->kind == Kind::After && std::ranges::any_of(outside(*node), is_drawn)))
          of_draws_.insert(node);
      }
    }
    return known_.at(root);
  }
  /// Whether the value, which is known, depends on random numbers.
  bool is_of_draws(const NodePtr& node) const { return of_draws_.contains(node); }
  /// Of a draw.
  void know(const NodePtr& node, Known value) {
    known_[node] = constant(*node, std::move(value));
    of_draws_.insert(node);
  }
  void forget() {
    known_.clear();
    of_draws_.clear();
    kept_elements_ = 0;
  }

 private:
  static constexpr std::size_t kMostKept = std::size_t{1} << 24;
  static constexpr Index kMostElements = Index{1} << 20;  // of one

  static bool is_leaf(const Node& node) {
    return node.kind == Kind::Number || node.kind == Kind::Fill || node.kind == Kind::Constant ||
           node.kind == Kind::Data;
  }
  /// Whether its value follows from its operands' alone.
  static bool is_operation(const Node& node) {
    switch (node.kind) {
      case Kind::Map:
      case Kind::LogicalNot:
      case Kind::Where:
      case Kind::Reduce:
      case Kind::Variance:
      case Kind::Deviation:
      case Kind::Whole:
      case Kind::Sort:
      case Kind::Solver:
      case Kind::Scan:
      case Kind::Dot:
      case Kind::Transpose:
      case Kind::Reshape:
      case Kind::Broadcast:
      case Kind::Take:
      case Kind::Put:
      case Kind::Concatenate:
      case Kind::Copy:
        return true;
      case Kind::Slice:
      case Kind::SetSlice:
        return std::all_of(node.ranges.begin(), node.ranges.end(),
                           [](const Range& range) { return range.shift.empty(); });
      case Kind::LoopValue:
        return node.terms.empty();
      default:
        return false;
    }
  }

  /// The nodes of the loop that left it.
  static std::vector<NodePtr> body_of(const Node& after) {
    const Node& end = *after.args[0];
    const std::uint64_t begin = end.args[0]->id;
    std::vector<NodePtr> body{after.args[0]};
    std::unordered_set<const Node*> seen{&end};
    const auto visit = [&](const NodePtr& node) {
      if (node->id >= begin && seen.insert(node.get()).second) body.push_back(node);
    };
    visit(end.slot_value(after.slot));
    for (std::size_t next = 0; next < body.size(); ++next) {
      const NodePtr node = body[next];
      if (node->kind == Kind::After) visit(node->args[0]->slot_value(node->slot));
      const std::size_t needed =
          node->kind == Kind::LoopEnd ? 1 + 2 * node->carried : node->args.size();
      for (std::size_t i = 0; i < needed; ++i) visit(node->args[i]);
    }
    return body;
  }

  /// What it takes from before.
  static std::vector<NodePtr> outside(const Node& after) {
    const std::uint64_t begin = after.args[0]->args[0]->id;
    std::vector<NodePtr> found;
    std::unordered_set<const Node*> seen;
    for (const NodePtr& node : body_of(after))
      for (const NodePtr& arg : node->args)
        if (arg->id < begin && seen.insert(arg.get()).second) found.push_back(arg);
    return found;
  }

  static std::shared_ptr<Node> copy_of(const Node& node) {
    const auto copy = Node::create_like(node);
    copy->id = node.id;
    return copy;
  }

  NodePtr made(const NodePtr& node) {
    if (node->size() > kMostElements) return nullptr;
    if (is_leaf(*node)) return node;
    if (node->kind == Kind::Input) {
      if (node->data == nullptr) return nullptr;
      return constant(*node, std::get<Known>(*node->data));
    }
    if (node->kind == Kind::After) return made_by_loop(node);
    if (!is_operation(*node)) return nullptr;
    const auto copy = copy_of(*node);
    for (NodePtr& arg : copy->args) {
      arg = known_.at(arg);
      if (!arg) return nullptr;
    }
    return value_of(*node, copy);
  }

  /// The loop with the values from before it runs by itself.
  NodePtr made_by_loop(const NodePtr& after) {
    std::vector<NodePtr> body = body_of(*after);
    std::unordered_set<const Loop*> loops;
    for (const NodePtr& node : body)
      if (node->kind == Kind::LoopBegin) loops.insert(node->loop.get());
    const auto is_of_these = [&](const LoopTerms& terms) {
      return std::all_of(terms.begin(), terms.end(),
                         [&](const auto& term) { return loops.contains(term.loop.get()); });
    };
    for (const NodePtr& node : body) {
      const Kind kind = node->kind;
      if (kind == Kind::Random || kind == Kind::Seed || kind == Kind::Custom ||
          kind == Kind::CustomResult || kind == Kind::Input || kind == Kind::Print ||
          (kind == Kind::Carried && !loops.contains(node->loop.get())) ||
          !is_of_these(node->terms) ||
          !std::all_of(node->ranges.begin(), node->ranges.end(),
                       [&](const Range& range) { return is_of_these(range.shift); }))
        return nullptr;
    }
    std::sort(body.begin(), body.end(),
              [](const NodePtr& a, const NodePtr& b) { return a->id < b->id; });
    std::unordered_map<const Node*, NodePtr> copies;
    for (const NodePtr& node : body) {
      const auto copy = copy_of(*node);
      for (NodePtr& arg : copy->args) {
        if (const auto found = copies.find(arg.get()); found != copies.end()) {
          arg = found->second;
          continue;
        }
        const auto outer = known_.find(arg);
        if (outer == known_.end() && node->kind == Kind::LoopEnd) continue;  // it is not asked for
        if (outer == known_.end() || !outer->second) return nullptr;
        arg = outer->second;
      }
      copies.emplace(node.get(), copy);
    }
    const auto copy = copy_of(*after);
    copy->args[0] = copies.at(after->args[0].get());
    return value_of(*after, copy);
  }

  NodePtr constant(const Node& node, Known value) {
    const auto made = Node::create();
    made->id = node.id;
    made->kind = Kind::Constant;
    made->dtype = node.dtype;
    made->dims = node.dims;
    kept_elements_ += value.data.size();
    made->data = std::make_shared<const HostData>(std::move(value));
    return made;
  }

  NodePtr value_of(const Node& node, const NodePtr& copy) {
    try {
      return constant(node, evaluated(copy));
    } catch (const cudamat::CUDAMatException&) {  // it fails at run time, too
      return nullptr;
    }
  }

  std::unordered_map<NodePtr, NodePtr> known_;
  std::unordered_set<NodePtr> of_draws_;
  std::size_t kept_elements_ = 0;
};

thread_local Computed computed;
thread_local std::uint64_t times_known = 0;
thread_local bool knew_draws = false;
thread_local int open_loops = 0;
thread_local int open_blocks = 0;

/// The program's draws and seeds, in their order among the steps.
struct Draw {
  std::size_t step = 0;
  NodePtr node;
  std::optional<npmat::Generator> after{};  ///< nothing: the stream is not known there
};
thread_local std::vector<Draw> draws;
constexpr Index kMostDrawn = Index{1} << 22;

/// The next numbers of the stream, in the order in which the engine fills an array's matrix.
template <class T>
Known drawn(npmat::Generator& stream, const Node& node) {
  const Index size = node.size();
  std::vector<T> numbers(static_cast<std::size_t>(size));
  if (node.op == Op::fill_with_randn)
    stream.normal(numbers.data(), size);
  else
    stream.uniform(numbers.data(), size);
  Known made{node.dims, {}};
  for (Index k = 0; k < size; ++k) {
    const Index at = node.ndim() == 2 ? k / node.dims[1] + node.dims[0] * (k % node.dims[1]) : k;
    made.data.push_back(static_cast<double>(numbers[static_cast<std::size_t>(at)]));
  }
  return made;
}

}  // namespace

void forget_computed(int bits) {
  computed.forget();
  draws.clear();
  draw_bits = bits;
  times_known = 0;
  knew_draws = false;
}

bool knows_draws() {
  return knew_draws;
}

std::uint64_t known_by_value() {
  return times_known;
}

OpenBlock::OpenBlock(bool is_loop) : is_loop_(is_loop) {
  ++open_blocks;
  if (is_loop_) ++open_loops;
}

OpenBlock::~OpenBlock() {
  --open_blocks;
  if (is_loop_) --open_loops;
}

void note_draws(const std::vector<NodePtr>& steps) {
  if (draw_bits == 0) return;
  if (deciding == Deciding::WithoutLoops && open_loops > 0)
    cudamat::misuse("program", "what is drawn may be known iteration by iteration");
  while (!draws.empty() &&
         (draws.back().step >= steps.size() || steps[draws.back().step] != draws.back().node))
    draws.pop_back();  // what was read before in another way
  for (std::size_t i = draws.empty() ? 0 : draws.back().step + 1; i < steps.size(); ++i) {
    const NodePtr& node = steps[i];
    if (node->kind != Kind::Random && node->kind != Kind::Seed) continue;
    if (!draws.empty() && node->id <= draws.back().node->id) continue;  // it was bound to a name
    Draw draw{i, node};
    if (!draws.empty()) draw.after = draws.back().after;
    if (open_blocks > 0) {
      draw.after.reset();
    } else if (node->kind == Kind::Seed) {
      draw.after.emplace(static_cast<std::uint64_t>(node->number));
    } else if (draw.after && node->size() > kMostDrawn) {
      draw.after.reset();
    } else if (draw.after) {
      computed.know(node, draw_bits == 32 ? drawn<float>(*draw.after, *node)
                                          : drawn<double>(*draw.after, *node));
    }
    draws.push_back(std::move(draw));
  }
}

std::optional<Known> computed_values(const NodePtr& node) {
  if (deciding == Deciding::AtRun || node->size() == 0) return std::nullopt;
  const NodePtr value = computed.of(node);
  if (!value) return std::nullopt;
  ++times_known;
  knew_draws = knew_draws || computed.is_of_draws(node);
  if (value->data != nullptr)
    if (const auto* known = std::get_if<Known>(&*value->data)) return *known;
  if (value->kind != Kind::Number && value->kind != Kind::Fill) return evaluated(value);
  return Known{value->dims,
               std::vector<double>(static_cast<std::size_t>(value->size()), value->number)};
}

std::optional<bool> computed_truth(const Value& value) {
  const auto* object = value.as<ObjectPtr>();
  if (deciding == Deciding::AtRun || object == nullptr || (*object)->read().size() != 1)
    return std::nullopt;
  const auto known = computed_values((*object)->read().node());
  return known ? std::optional(known->data[0] != 0) : std::nullopt;
}

bool settle_by_value(Value& value) {
  const auto* object = value.as<ObjectPtr>();
  if (deciding == Deciding::AtRun || object == nullptr || !(*object)->shape().empty() ||
      !(*object)->is_scalar())
    return false;
  const Array array = (*object)->read();
  const bool is_truth = array.dtype() == DType::Bool;
  if (!is_truth && array.dtype() != DType::Int) return false;
  if (is_of_either_width(value)) return false;  // its value says nothing of its type
  const auto known = computed_values(array.node());
  if (!known) return false;
  const double number = known->data[0];
  if (!(std::abs(number) <= 0x1p53)) return false;
  const bool is_numpy = !(*object)->is_python();
  value =
      is_truth ? Value{number != 0, is_numpy} : Value{static_cast<std::int64_t>(number), is_numpy};
  return true;
}

}  // namespace rewriter
