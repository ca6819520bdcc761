// The types that a program asks for: `x.dtype == float`, isinstance(x[0], np.floating). Internal to
// the reader.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rewriter/reader/functions.hpp"

namespace rewriter {

/// While it lives, the program's arrays of floats have so many bits in its eyes:
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

/// What isinstance() and type() say of a scalar of an array of floats where these have several
/// widths.
inline constexpr std::string_view kSomeFloat = "np.float64 or np.float32";

/// "np.int8", of floats as wide as the program's arrays are.
std::string scalar_type(DType dtype);
/// x.dtype
Value dtype_of(DType dtype);
/// np.dtype(type)
Value new_dtype(const Value& type);
/// Whether two types are equal, one of them at least a Function; nothing where neither is a type.
std::optional<bool> equal_types(const Value& a, const Value& b);
/// dtype.kind and its kin.
Value dtype_attribute(const Function& dtype, const std::string& name);
/// The text of a dtype: "float64"; nothing where it is of floats of several widths.
std::optional<std::string> dtype_text(const Function& dtype);
/// Whether NumPy's type of this name is np.floating or another such class.
bool is_kind_of_type(std::string_view type, std::string_view kind);
/// The bytes of an element in NumPy's memory.
Index item_size(DType dtype);

}  // namespace rewriter
