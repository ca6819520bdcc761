// The value of a garray: elements in memory, or a pending computation. Internal to gnumpy.
//
// A Leaf is a value in memory. The other nodes are pending: materialize() (materialize.hpp) turns
// the node into a Leaf, except for a Part, which refers to elements of another node. Pending
// computations are expressions of the rewriter (symbolic.hpp), whose inputs are leaves. Elements
// are in C order, without gaps.
#pragma once

#include <array>
#include <atomic>
#include <concepts>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <vector>

#include "gnumpy/shape.hpp"
#include "gnumpy/storage.hpp"
#include "rewriter/expr/symbolic.hpp"

namespace gnumpy::detail {

using rewriter::Array;
using rewriter::Op;

struct Node;

/// The one to three operands of an element-wise function.
class Operands {
 public:
  explicit Operands(std::span<const std::shared_ptr<Node>> nodes);
  const Array& operator[](std::size_t k) const { return *arrays_[k]; }

 private:
  std::array<const Array*, 3> arrays_{};
};

/// An element-wise function, on operands that NumPy would broadcast.
using Build = Array (*)(const Operands& operands);

struct Selection;
using NodePtr = std::shared_ptr<Node>;

struct Node : std::enable_shared_from_this<Node> {
  enum class Kind : std::uint8_t {
    Leaf,        ///< elements [offset, offset + size) of storage
    Number,      ///< a number of the host, 0-d; an operand of element-wise functions only
    Expression,  ///< tree, of the leaves `args`
    Copy,        ///< an equal value of its own; of a Leaf, if a garray holds it
    Gather,  ///< the elements that `selection` picks; of a Leaf or a Gather, never in an expression
    Part,    ///< the same, to be written, too; of a Leaf or a Part; never materialized
  };

  Kind kind = Kind::Leaf;
  /// Number, Expression; of a Leaf the input that represents it, once an expression has read it.
  std::optional<Array> tree;
  std::atomic<bool> has_tree = false;   ///< of a Leaf, which several threads may read
  int weight = 1;                       ///< operations of the expression, and its operands
  Content expected = Content::Numbers;  ///< of what is pending
  Index size = 0;
  Shape dims;
  /// Expression: the leaves, as often as its operands had them; Copy, Gather and Part: what it is
  /// of.
  std::vector<NodePtr> args;
  StoragePtr storage;
  Index offset = 0;
  std::shared_ptr<const Selection> selection;
  std::source_location where;  ///< of the user's program

  // The pending values of garrays form a list: writing to memory that one of them reads
  // materializes it first.
  Node* previous = nullptr;
  Node* next = nullptr;
  bool listed = false;

  Node(Kind what, Dims extents, std::source_location place);
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  [[nodiscard]] bool is_leaf() const { return kind == Kind::Leaf; }
  [[nodiscard]] int ndim() const { return static_cast<int>(dims.size()); }
  [[nodiscard]] Content content() const { return storage != nullptr ? storage->content : expected; }

  /// Enters or leaves the list.
  void watch();
  void unwatch();
};

/// Held while nodes of garrays are read or changed: an expression in one thread is computed when
/// another thread writes to its operands. So one thread computes at a time.
class Lock {
 public:
  Lock();
  ~Lock();
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
};

/// No elements: the value of a garray after it was moved from.
const NodePtr& nothing();

/// A value in memory.
NodePtr make_leaf(StoragePtr storage, Index offset, Dims dims, std::source_location where);
/// A value in new, uninitialised memory.
NodePtr make_empty(Dims dims, std::source_location where);

/// A Copy, a Gather or a Part of the node.
NodePtr make_node(Node::Kind kind, Dims dims, NodePtr of, std::source_location where);

/// The tree of an operand of an expression: a Leaf, a Number or an Expression.
const Array& tree_of(Node& operand);
/// The value of a tree, made of its operands', as floats.
NodePtr make_expression(const Array& tree, std::vector<NodePtr> operands, Content content,
                        std::source_location where);
/// A value in new memory, with elements of the host; checked as in checks.hpp.
template <std::floating_point Number>
NodePtr make_uploaded(std::span<const Number> elements, Dims dims, std::source_location where);

/// An equal, separate value: a Copy, or a Leaf as soon as several threads use garrays, because
/// another thread could write to the original while the elements of the copy are being read.
NodePtr make_copy(const NodePtr& original, std::source_location where);
NodePtr make_number(double number, std::source_location where);
/// The operand; a Number becomes a Leaf, because without arrays the rewriter would compute like
/// Python.
NodePtr stored(NodePtr operand);

/// "(3, 4)"
using rewriter::to_string;

/// The number of elements; throws CUDAMatException for negative extents, more than 32 of them, and
/// more elements than 2^63 - 1.
Index element_count(const Dims& dims, const std::source_location& where);

}  // namespace gnumpy::detail
