// Symbolic arrays: remainders of integers that may be too large for floating-point numbers,
// computed from the remainders of what they are made of.
#include "rewriter/expr/residues.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "cudamat/functors.hpp"
#include "rewriter/expr/build.hpp"

namespace rewriter::detail {

namespace {

constexpr double kUnknown = 0x1p31;  ///< assumed of integers of which nothing is known
constexpr int kDeepest = 64;

Array arithmetic(Op op, const Array& a, const Array& b) {
  auto node = make_node(cudamat::numpy_name(op), Kind::Map, DType::Int,
                        broadcast_or_refuse(cudamat::numpy_name(op), a.shape(), b.shape()),
                        {a.node(), b.node()});
  node->op = op;
  return to_array(std::move(node));
}

bool is_power(const Node& node) {
  constexpr double kMost = 64;
  const Node& exponent = *node.args[1];
  return exponent.kind == Kind::Number && exponent.number >= 1 && exponent.number <= kMost;
}

/// Of a positive divisor.
class Residues {
 public:
  explicit Residues(double divisor) : divisor_(divisor) {}

  /// The largest absolute value that the node may have, which is at least that of its operands.
  double size_of(const NodePtr& node, int depth = 0) {
    const auto found = sizes_.find(node.get());
    if (found != sizes_.end()) return found->second;
    const Bounds values = bounds(*node);
    double size = std::max(-values.least, values.greatest);
    if (!std::isfinite(size) || (node->dtype == DType::Uint64 && size > 0x1p63))
      size = is_made_of(*node) && depth < kDeepest ? made(*node, depth + 1) : kUnknown;
    return sizes_[node.get()] = size;
  }

  /// The node modulo the divisor.
  Array of(const NodePtr& node, int depth = 0) {
    const auto found = made_.find(node.get());
    if (found != made_.end()) return found->second;
    Array residue = is_made_of(*node) && size_of(node) > kExact && depth < kDeepest
                        ? of_parts(*node, depth + 1)
                        : reduced(Array(node));
    return made_.emplace(node.get(), std::move(residue)).first->second;
  }

  /// Whether the chunks of products are wide enough to be few.
  [[nodiscard]] bool is_small() const { return divisor_ * divisor_ <= kExact || chunk_bits() >= 4; }

 private:
  static bool is_made_of(const Node& node) {
    if (node.dtype != DType::Int) return false;
    if (node.kind == Kind::Reduce) return node.op == Op::sum;
    return node.kind == Kind::Map &&
           (node.op == Op::add || node.op == Op::subtract || node.op == Op::mult ||
            (node.op == Op::pow && is_power(node)));
  }

  double made(const Node& node, int depth) {
    const double a = size_of(node.args[0], depth);
    if (node.kind == Kind::Reduce)
      return a * static_cast<double>(node.args[0]->size()) /
             static_cast<double>(std::max<Index>(node.size(), 1));
    if (node.op == Op::pow) return std::pow(a, node.args[1]->number);
    const double b = size_of(node.args[1], depth);
    return node.op == Op::mult ? a * b : a + b;
  }

  [[nodiscard]] int chunk_bits() const { return std::ilogb(kExact / 2 / divisor_); }

  /// Of an array whose elements are exact.
  Array reduced(const Array& a) {
    if (a.is_number())
      return Array::number(cudamat::functors::Mod{}(a.node()->number, divisor_), DType::Int);
    const Bounds values = bounds(*a.node());
    if (values.least >= 0 && values.greatest < divisor_) return a;
    return arithmetic(size_of(a.node()) > kExact ? Op::mod : Op::integer_mod, a,
                      Array::number(divisor_, DType::Int));
  }

  Array of_parts(const Node& node, int depth) {
    const Array a = of(node.args[0], depth);
    if (node.kind == Kind::Reduce) {
      const std::optional<int> axis = node.axis < 0 ? std::nullopt : std::optional(node.axis);
      return reduced(reduce(Op::sum, a, axis, node.keepdims));
    }
    if (node.op == Op::pow) {
      std::optional<Array> power;
      Array square = a;
      for (auto rest = static_cast<Index>(node.args[1]->number);;) {
        if (rest % 2 == 1) power = power ? product(*power, square) : square;
        if ((rest /= 2) == 0) return *power;
        square = product(square, square);
      }
    }
    const Array b = of(node.args[1], depth);
    return node.op == Op::mult ? product(a, b) : reduced(arithmetic(node.op, a, b));
  }

  /// Of two residues: where it may be too large, the bits of one go in from the highest to the
  /// lowest, a chunk at a time.
  Array product(const Array& a, const Array& b) {
    const Bounds x = bounds(*a.node()), y = bounds(*b.node());
    const double most = std::min(y.greatest, divisor_ - 1);
    if (std::min(x.greatest, divisor_ - 1) * most <= kExact)
      return reduced(arithmetic(Op::mult, a, b));
    if (a.is_number() && !b.is_number()) return product(b, a);
    const int bits = chunk_bits();
    const double size = std::ldexp(1.0, bits);
    std::optional<Array> sum;
    for (int at = std::ilogb(most) / bits; at >= 0; --at) {
      const Array part = arithmetic(Op::mult, a, chunk(b, std::ldexp(1.0, at * bits), size, most));
      sum = reduced(sum ? arithmetic(Op::add,
                                     arithmetic(Op::mult, *sum, Array::number(size, DType::Int)),
                                     part)
                        : part);
    }
    return *sum;
  }

  static Array chunk(const Array& a, double place, double size, double most) {
    if (a.is_number())
      return Array::number(std::fmod(std::floor(a.node()->number / place), size), DType::Int);
    const Array from =
        place == 1 ? a : arithmetic(Op::integer_divide, a, Array::number(place, DType::Int));
    return most / place < size ? from
                               : arithmetic(Op::integer_mod, from, Array::number(size, DType::Int));
  }

  double divisor_;
  std::unordered_map<const Node*, double> sizes_;
  std::unordered_map<const Node*, Array> made_;
};

}  // namespace

bool may_be_rounded(const Array& a) {
  return Residues(1).size_of(a.node()) > kExact;
}

bool may_exceed_64_bits(const Array& a) {
  return Residues(1).size_of(a.node()) >= 0x1p63;
}

std::optional<Array> residue(const Array& a, const Array& divisor) {
  const Node& by = *divisor.node();
  if (by.kind != Kind::Number || by.dtype == DType::Float || !(by.number >= 1) ||
      by.number > kExact || a.dtype() != DType::Int || a.is_number())
    return std::nullopt;
  Residues residues(by.number);
  if (!residues.is_small() || residues.size_of(a.node()) <= kExact) return std::nullopt;
  const Array made = residues.of(a.node());
  return made.shape() == a.shape() && made.node() != a.node() ? std::optional(made) : std::nullopt;
}

}  // namespace rewriter::detail
