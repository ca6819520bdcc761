// What decides which statements an expression becomes, as a key of a table. Internal to gnumpy.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "gnumpy/node.hpp"

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
  /// Of an Expression, or of the Copy of a Leaf. `in_place`: the value goes to the Leaf that the
  /// expression reads first.
  StructuralKey(const NodePtr& root, bool in_place, Numbers numbers);

  [[nodiscard]] const Array& tree() const { return tree_; }
  /// The expression's leaves, those of the same memory once.
  [[nodiscard]] const std::vector<InputLeaf>& leaves() const { return leaves_; }
  /// The inputs of the tree, and the leaf that each one reads.
  [[nodiscard]] const std::vector<std::pair<const Array*, std::size_t>>& inputs() const {
    return inputs_;
  }
  /// Those that the key has by their order: each value once.
  [[nodiscard]] const std::vector<double>& numbers() const { return numbers_; }
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
  std::vector<InputLeaf> leaves_;
  std::vector<std::pair<const Array*, std::size_t>> inputs_;
  std::vector<long> holders_;  // references to the leaf that are not the expression's
  std::vector<double> numbers_;
  std::vector<const rewriter::Node*> shared_;  // nodes that several others may have as operands
  std::string key_;
};

}  // namespace gnumpy::detail
