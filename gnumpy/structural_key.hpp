// What decides which statements an expression becomes, as a key of a table. Internal to gnumpy.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <memory_resource>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "gnumpy/node.hpp"
#include "gnumpy/scratch.hpp"

namespace gnumpy::detail {

/// A Leaf of an expression; leaves of the same memory are one input.
struct InputLeaf {
  Node* leaf = nullptr;
  bool may_overwrite = false;  ///< nobody wants what it holds afterwards
};

/// How the numbers of an expression come into its key: each by its value; or ordinary ones
/// (is_ordinary()) only by their order, so that expressions which differ in them have one key.
enum class Numbers : std::uint8_t { ByValue, ByOrder };

/// Whether the passes treat the number as any other: it is no power of two (1 and 0.5 are), and
/// neither it nor its reciprocal leaves the range of float32.
bool is_ordinary(double number);

class StructuralKey {
 public:
  template <class V>
  using Vector = std::pmr::vector<V>;

  /// Of an Expression, or of the Copy of a Leaf. `in_place`: the value goes to the Leaf that the
  /// expression reads first.
  StructuralKey(const NodePtr& root, bool in_place, Numbers numbers);
  StructuralKey(const StructuralKey&) = delete;
  StructuralKey& operator=(const StructuralKey&) = delete;

  [[nodiscard]] const Array& tree() const { return tree_; }
  /// The expression's leaves, those of the same memory once.
  [[nodiscard]] const Vector<InputLeaf>& leaves() const { return leaves_; }
  /// The inputs of the tree, and the leaf that each one reads.
  [[nodiscard]] const Vector<std::pair<const Array*, std::size_t>>& inputs() const {
    return inputs_;
  }
  /// Those that the key has by their order: each value once.
  [[nodiscard]] const Vector<double>& numbers() const { return numbers_; }
  /// The tree's nodes that these are, and which.
  [[nodiscard]] std::map<const rewriter::Node*, int> parameters() const;
  [[nodiscard]] std::string_view key() const { return key_; }

 private:
  template <class V>
  void put(const V& value) {
    static_assert(std::is_trivially_copyable_v<V>);
    char bytes[sizeof(V)];
    std::memcpy(bytes, &value, sizeof(V));
    key_.append(bytes, sizeof(V));
  }
  void add(const rewriter::NodePtr& node);
  void add_operation(const rewriter::Node& node);
  void add_number(double number);
  void add_input(const NodePtr& leaf);

  Array tree_;
  Numbers how_;
  ScratchMemory<1024> memory_;  // of all that follows, unless the expression is large
  Vector<InputLeaf> leaves_{&memory_};
  Vector<std::pair<const Array*, std::size_t>> inputs_{&memory_};
  Vector<long> holders_{&memory_};  // references to the leaf that are not the expression's
  Vector<double> numbers_{&memory_};
  Vector<const rewriter::Node*> shared_{
      &memory_};  // nodes that several others may have as operands
  std::pmr::string key_{&memory_};
};

}  // namespace gnumpy::detail
