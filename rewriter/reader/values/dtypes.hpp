// Questions of a program about types: `x.dtype == float`, isinstance(x[0], np.floating). Internal
// to the reader.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "rewriter/reader/values/value.hpp"

namespace rewriter {

/// While it exists, float arrays have this width for questions about types:
/// ReadOptions::float_bits.
class FloatBits {
 public:
  explicit FloatBits(int bits);
  ~FloatBits();
  FloatBits(const FloatBits&) = delete;
  FloatBits& operator=(const FloatBits&) = delete;

 private:
  int previous_;
};
int float_bits();

/// The type of a scalar of a float array, for isinstance() and type(), if arrays have different
/// widths.
inline constexpr std::string_view kSomeFloat = "np.float64 or np.float32";

/// Words that mean one dtype; those with "np." are one class of NumPy's.
struct TypeWords {
  std::string_view name;  ///< str(dtype)
  DType dtype;
  char kind;
  char code;
  int bytes;
  std::string_view words;
};
std::span<const TypeWords> all_types();
/// Null for other words.
const TypeWords* type_of_word(std::string_view word);
/// The type that a Function or a text names; null for others.
const TypeWords* named_type(const Value& value);

/// "np.int8"; for floats, with the width of the program's arrays.
std::string scalar_type(DType dtype);
/// x.dtype
Value dtype_of(DType dtype);
/// np.dtype(type)
Value new_dtype(const Value& type);
/// Whether two types are equal, at least one of which is a Function; nothing if neither is a type.
std::optional<bool> equal_types(const Value& a, const Value& b);
/// dtype.kind and similar attributes.
Value dtype_attribute(const Function& dtype, const std::string& name);
/// The text of a dtype: "float64"; nothing for floats of different widths.
std::optional<std::string> dtype_text(const Function& dtype);
/// Whether NumPy's type of this name is np.floating or another such class.
bool is_kind_of_type(std::string_view type, std::string_view kind);
/// The bytes of an element in NumPy's memory.
Index item_size(DType dtype);

/// Classes of types, and the kinds that are within each.
inline constexpr std::pair<std::string_view, std::string_view> kAbstract[] = {
    {"np.generic", "biufc"},   {"np.number", "iufc"},       {"np.inexact", "fc"},
    {"np.floating", "f"},      {"np.complexfloating", "c"}, {"np.integer", "iu"},
    {"np.signedinteger", "i"}, {"np.unsignedinteger", "u"}};

/// The kinds within a class; null if it is none.
const std::string_view* kinds_within(std::string_view name);

/// dtype == other
bool equals_dtype(const Function& dtype, const Value& other);

/// Whether the type is of an abstract kind: np.floating.
bool is_within(const TypeWords& type, std::string_view kind);

/// Raises an error where the width of the caller's floats decides, and they have several.
[[noreturn]] void refuse_some_float(std::string_view question);

}  // namespace rewriter
