// What one run of a loop's body computed, to be compared with what it computes from operands of
// other types. Internal to the reader.
//
// A value that a loop carries may have another type in its first iterations than later: an int that
// becomes an array, booleans that become numbers. If the body computes the same values by the same
// operations from either type, one body serves both; otherwise those iterations are peeled.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/value.hpp"

namespace rewriter {

/// All of a name's value that decides what is computed from it, but the value itself.
struct ValueType {
  Dims dims;
  DType dtype = DType::Float;
  bool is_scalar = false;  ///< immutable: of Python, or a NumPy scalar
  bool is_python = false;
  bool contiguous = true;
  std::string refusal{};  ///< why writing in place is not supported

  friend bool operator==(const ValueType&, const ValueType&) = default;
};

/// Of an array or a number.
ValueType type_of(const Value& value);
/// "an array of int64 of shape (2, 3)", "a float": for messages.
std::string to_string(const ValueType& type);

using ValueTypes = std::map<std::string, ValueType>;

struct LoopTrace {
  /// Where what a name holds at the end of the iteration comes from.
  struct Holder {
    const ArrayObject* before = nullptr;  ///< an owner from before the loop
    std::string carried;                  ///< or what this name held at the start of the iteration
    const ArrayObject* made = nullptr;    ///< or an owner of the body

    friend bool operator==(const Holder&, const Holder&) = default;
  };
  /// A Carried node of the loop: the name that has it, the list's that grows, or the owner from
  /// before the loop.
  using Start = std::pair<std::string, const ArrayObject*>;

  std::uint64_t first = 0;  ///< nodes of the body are not older than this
  LoopPtr loop;
  ValueTypes types;               ///< at the start of the iteration, of the names that it reads
  std::set<std::string> written;  ///< names whose arrays of the start it writes into
  std::map<const Node*, Start> starts;
  std::vector<std::pair<std::string, Holder>> holders;
  std::vector<NodePtr> roots;  ///< what the iteration computes, in its order
};

/// Whether both bodies compute the same values and leave the same arrays shared, the types of what
/// they start from aside. Values of the first that are smaller are those of the second, broadcast.
bool compute_the_same(const LoopTrace& a, const LoopTrace& b);

}  // namespace rewriter
