// The table of functions: a row for each, and helpers for the arguments of their handlers.
// Internal to the reader.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/value.hpp"

namespace rewriter {

using Handler = std::function<Value(const Call&)>;
using BinaryBuilder = Array (*)(const Array&, const Array&);

/// The handler that calls f with this data as well.
template <class F, class... Data>
Handler with(F f, Data... data) {
  return [=](const Call& call) -> Value { return f(call, data...); };
}

/// What functions are: a heading of their documentation.
enum class Topic : std::uint8_t {
  Elementwise,
  Reduction,
  Creation,
  Movement,
  Attribute,
  Contraction,
  Order,
  Places,
  LinearAlgebra,
  Draw,
  Type,
  Method,
  Python,
  Library,
};

/// Facts about a function, as bits.
enum Fact : std::uint32_t {
  kAnyForm = 1 << 0,       ///< takes masked selections and complex arrays as they are
  kSelections = 1 << 1,    ///< takes masked selections as they are
  kRunLists = 1 << 2,      ///< takes lists of data-dependent length as they are
  kBesideMask = 1 << 3,    ///< of a masked selection: of all elements, with the same mask
  kEachPart = 1 << 4,      ///< of a complex array: of its real and of its imaginary part
  kInOrder = 1 << 5,       ///< the result is in C order, whatever the layout of the arguments is
  kMakesDoubles = 1 << 6,  ///< new floats are float64 where no dtype= asks for others
  kGathers = 1 << 7,       ///< the same of static numbers
  kLikeFirst = 1 << 8,     ///< new floats have the width of the first argument's
  kOfOneAxis = 1 << 9,     ///< axis= is an int: None is no axis
  kIsIndexed = 1 << 10,    ///< is subscripted, not called: the arguments are the index
  kIsAttribute = 1 << 11,  ///< is no function: the value itself
  kOfType = 1 << 16,       ///< is a type's: of its objects only the type counts
  kOldDoubles = 1 << 20,   ///< likewise, where the program follows NumPy 1
  kOwnWidth = 1 << 19,     ///< new floats are as wide as its statements make them: a number that it
                           ///< gets is as wide as an array
  kAlongAxis = 1 << 17,    ///< along axis=: of a masked selection, combined with its mask, again a
                           ///< masked selection
  kMovesAxes = 1 << 18,    ///< the elements under other axes, among which that of a mask is one
  // Of what may be None at run time (perhaps.cpp), a function takes what it is otherwise:
  kAsksType = 1 << 12,   ///< but for this one, which raises an error
  kPrints = 1 << 13,     ///< this one, which is split in two
  kMakesText = 1 << 14,  ///< this one, of which the text is known at run time
  kAsksTruth = 1 << 15,  ///< and this one, which asks whether it is None
};

/// Of a function that calls functions which it is given, and looks at its arguments by itself.
constexpr unsigned kOfFunctions = kAnyForm | kRunLists | kInOrder;

struct Parameter {
  std::string_view name;
  std::optional<Value> standard;  ///< nothing if it must be given; None means no value
};

/// A function of the notation.
struct Row {
  std::string names;       ///< and its aliases, separated by spaces
  std::string parameters;  ///< as in Python: "a, axis=None, *, where=None"; "[x]": by place only
  Handler handler;
  unsigned facts = 0;
  Topic topic{};
  std::vector<Parameter> signature{};  ///< what the parameters say
  std::size_t positions = 0;           ///< how many of them have one
  std::size_t most = 0;                ///< positional arguments that it takes
  /// Where the signature is empty, as it takes any number of arguments: those that have names.
  std::vector<std::string_view> keywords{};
  bool takes_keywords = false;  ///< of any name

  [[nodiscard]] bool has(Fact fact) const { return (facts & fact) != 0; }
};
using FunctionTable = std::map<std::string, std::shared_ptr<const Row>, std::less<>>;

/// Adds the rows, whose names must be new.
void enter(FunctionTable& table, Topic topic, std::vector<Row> rows);
/// Adds a row of the op table: the names that no other row has.
void enter_rest(FunctionTable& table, Topic topic, Row row);

/// The row of the name; null if there is none.
const Row* row_of(std::string_view name);
/// The result of another function for this call. Errors name the call's.
Value call_as(std::string_view function, Call call);

}  // namespace rewriter
