// What decides which statements an expression becomes, as a key of a table. Internal to gnumpy.
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "gnumpy/translate.hpp"

namespace gnumpy::detail {

/// How the numbers of an expression come into its form: each by its value; or ordinary ones
/// (is_ordinary()) only by their order, so that expressions which differ in them have one form.
enum class Numbers : std::uint8_t { ByValue, ByOrder };

/// Whether the passes treat the number as any other: it is no power of two (1 and 0.5 are), and
/// neither it nor its reciprocal leaves the range of float32.
bool is_ordinary(double number);

class Form {
 public:
  /// `in_place`: the root is a Map whose first operand is a Leaf, and its value goes there.
  Form(const NodePtr& root, bool in_place, Numbers numbers);

  /// The expression's leaves, those of the same memory once.
  [[nodiscard]] const std::vector<InputLeaf>& leaves() const { return leaves_; }
  /// Those that the key has by their order: each value once.
  [[nodiscard]] const std::vector<double>& numbers() const { return numbers_; }
  [[nodiscard]] std::string_view key() const { return key_; }

 private:
  template <class V>
  void put(const V& value) {
    static_assert(std::is_trivially_copyable_v<V>);
    char bytes[sizeof(V)];
    std::memcpy(bytes, &value, sizeof(V));
    key_.append(bytes, sizeof(V));
  }
  void add(const NodePtr& node);
  void add_number(double number);
  std::size_t index_of(const NodePtr& node);

  Numbers how_;
  std::vector<InputLeaf> leaves_;
  std::vector<long> holders_;  // references to the leaf that are not the expression's
  std::vector<double> numbers_;
  std::string key_;
};

}  // namespace gnumpy::detail
