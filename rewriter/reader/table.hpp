// How the functions of the notation are defined: handlers by name, and helpers for their arguments.
// Internal to the reader.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "rewriter/reader/functions.hpp"

namespace rewriter {

using Handler = std::function<Value(const Call&)>;
using BinaryBuilder = Array (*)(const Array&, const Array&);
/// The arguments that a function supports: arrays, or also masked selections and complex arrays.
enum class Takes : std::uint8_t { Arrays, AnyForm };
struct TableEntry {
  Handler handler;
  Takes takes = Takes::Arrays;

  Value operator()(const Call& call) const { return handler(call); }
};
using Handlers = std::map<std::string, TableEntry, std::less<>>;

/// Enters the handler under each of these names, separated by spaces; they must be new.
void enter(Handlers& table, std::string_view names, const Handler& handler,
           Takes takes = Takes::Arrays);

// Parts of the table, by topic.
void enter_elementwise(Handlers& table);
void enter_reductions(Handlers& table);
void enter_making(Handlers& table);
void enter_moving(Handlers& table);
void enter_linalg(Handlers& table);
void enter_order(Handlers& table);
void enter_quantiles(Handlers& table);
void enter_heaps(Handlers& table);
void enter_contractions(Handlers& table);
void enter_complex(Handlers& table);
void enter_texts(Handlers& table);
void enter_builtins(Handlers& table);
void enter_itertools(Handlers& table);

/// The number with the type that NumPy's functions return.
Value numpy_number(Value number);

// ---- arguments ----

Array array_argument(const Call& call, const Value* value, std::string_view parameter);

/// Whether the argument, if it is an array, is in C order in NumPy's memory.
bool contiguous(const Value* value);

/// Whether the argument is present and true.
bool flag(const Value* value);

/// The array object of the argument; a new one if it is not an array yet.
ObjectPtr object_argument(const Call& call, const Value* value);

/// The same elements with axes of extent 1 added or removed: a view, whatever the layout.
Value with_shape(const ObjectPtr& object, const Dims& dims);

std::optional<int> axis_argument(const Call& call, const Value* axis);

/// A shape: an int or a tuple of ints.
Dims dims_of(const Call& call, const Value& shape);

/// A shape given as one tuple or as several ints, from the argument number `first` on.
Dims dims_of_rest(const Call& call, std::size_t first);

}  // namespace rewriter
