// NumPy's dtypes and the types of its scalars. A dtype equals the types and the texts that name
// it; a type equals itself alone. A question whose answer depends on the width of the caller's
// floats raises an error where they have several.
#include "rewriter/reader/values/dtypes.hpp"

#include <algorithm>
#include <utility>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

thread_local int bits_of_floats = 64;

constexpr TypeWords kTypes[] = {
    {"float64", DType::Float, 'f', 'd', 8,
     "np.float64 np.float_ np.double float float64 float_ double d f8"},
    {"float32", DType::Float, 'f', 'f', 4, "np.float32 np.single float32 single f f4"},
    {"float128", DType::Float, 'f', 'g', 16,
     "np.longdouble np.float128 np.longfloat longdouble float128 longfloat g f16"},
    {"float16", DType::Float, 'f', 'e', 2, "np.float16 np.half float16 half e f2"},
    {"bool", DType::Bool, 'b', '?', 1, "np.bool_ bool bool_ bool8 ? b1"},
    {"int8", DType::Int8, 'i', 'b', 1, "np.int8 np.byte int8 byte b i1"},
    {"uint8", DType::Uint8, 'u', 'B', 1, "np.uint8 np.ubyte uint8 ubyte B u1"},
    {"int16", DType::Int16, 'i', 'h', 2, "np.int16 np.short int16 short h i2"},
    {"uint16", DType::Uint16, 'u', 'H', 2, "np.uint16 np.ushort uint16 ushort H u2"},
    {"int32", DType::Int32, 'i', 'i', 4, "np.int32 np.intc int32 intc i i4"},
    {"uint32", DType::Uint32, 'u', 'I', 4, "np.uint32 np.uintc uint32 uintc I u4"},
    {"int64", DType::Int, 'i', 'l', 8,
     "np.int64 np.int_ np.intp int int64 int_ intp long l p i8 np.longlong longlong q"},
    {"uint64", DType::Uint64, 'u', 'L', 8,
     "np.uint64 np.uint np.uintp uint64 uint uintp ulong L P u8 np.ulonglong ulonglong Q"},
    {"complex128", DType::Float, 'c', 'D', 16,
     "np.complex128 np.complex_ np.cdouble complex complex128 complex_ cdouble D c16"},
    {"complex64", DType::Float, 'c', 'F', 8, "np.complex64 np.csingle complex64 csingle F c8"},
};

}  // namespace

const std::string_view* kinds_within(std::string_view name) {
  const auto* found = std::find_if(std::begin(kAbstract), std::end(kAbstract),
                                   [&](const auto& each) { return each.first == name; });
  return found == std::end(kAbstract) ? nullptr : &found->second;
}

std::span<const TypeWords> all_types() {
  return kTypes;
}

const TypeWords* type_of_word(std::string_view word) {
  const auto* found =
      std::find_if(std::begin(kTypes), std::end(kTypes),
                   [&](const TypeWords& type) { return has_word(type.words, word); });
  return found == std::end(kTypes) ? nullptr : found;
}

const TypeWords* named_type(const Value& value) {
  if (const auto* function = value.as<Function>())
    return function->self ? nullptr : type_of_word(function->name);
  const auto* text = value.as<std::string>();
  if (text == nullptr || text->empty() || text->starts_with("np.")) return nullptr;
  const bool ordered = has_word("< = |", text->substr(0, 1));
  return type_of_word(std::string_view(*text).substr(ordered ? 1 : 0));
}

[[noreturn]] void refuse_some_float(std::string_view question) {
  misuse("dtype",
         "{}: arrays of float32 and float64 in one call are all computed in one precision; convert "
         "the arrays of floats to one type before the call, or ask np.issubdtype(x.dtype, "
         "np.floating)",
         question);
}

namespace {

bool is_dtype(const Function* function) {
  return function != nullptr && function->dtype != Function::Dtype::No;
}

}  // namespace

bool equals_dtype(const Function& dtype, const Value& other) {
  const auto* function = other.as<Function>();
  if (function != nullptr && !is_dtype(function) && kinds_within(function->name) != nullptr)
    misuse("dtype", "{} is not a dtype but a kind of dtypes; write np.issubdtype(x.dtype, {})",
           function->name, function->name);
  const auto* text = other.as<std::string>();
  if (text != nullptr && text->starts_with(">")) return false;
  const TypeWords* asked = named_type(other);
  if (asked == nullptr && text != nullptr)
    misuse(Exception::TypeError, "dtype", "'{}' is not the name of a dtype", *text);
  if (asked == nullptr) return false;
  const bool is_open = dtype.dtype == Function::Dtype::OfSomeFloats;
  const bool is_other_open = is_dtype(function) && function->dtype == Function::Dtype::OfSomeFloats;
  if (asked->kind == 'f' && (is_open || is_other_open))
    refuse_some_float("the type of an array of floats is not known");
  return type_of_word(dtype.name) == asked;
}

bool is_within(const TypeWords& type, std::string_view kind) {
  const std::string_view* kinds = kinds_within(kind);
  return kinds != nullptr && kinds->find(type.kind) != std::string_view::npos;
}

FloatBits::FloatBits(int bits) : previous_(std::exchange(bits_of_floats, bits)) {}
FloatBits::~FloatBits() {
  bits_of_floats = previous_;
}
int float_bits() {
  return bits_of_floats;
}

std::string scalar_type(DType dtype) {
  if (dtype == DType::Bool) return "np.bool_";
  if (dtype != DType::Float) return "np." + std::string(detail::type_name(dtype));
  return std::string(bits_of_floats == 64   ? "np.float64"
                     : bits_of_floats == 32 ? "np.float32"
                     : bits_of_floats == 0  ? kSomeFloat
                                            : "np.longdouble");
}

Value dtype_of(DType dtype) {
  const bool is_open = dtype == DType::Float && bits_of_floats == 0;
  return {Function{.name = is_open ? "np.float64" : scalar_type(dtype),
                   .self = nullptr,
                   .dtype = is_open ? Function::Dtype::OfSomeFloats : Function::Dtype::Yes}};
}

Value new_dtype(const Value& type) {
  const auto* function = type.as<Function>();
  if (is_dtype(function)) return type;
  const TypeWords* named = named_type(type);
  if (named == nullptr) misuse("np.dtype", "{} is not the name of a dtype", type.description());
  return {Function{.name = std::string(named->words.substr(0, named->words.find(' '))),
                   .self = nullptr,
                   .dtype = Function::Dtype::Yes}};
}

std::optional<bool> equal_types(const Value& a, const Value& b) {
  const auto* f = a.as<Function>();
  const auto* g = b.as<Function>();
  if (is_dtype(f)) return equals_dtype(*f, b);
  if (is_dtype(g)) return equals_dtype(*g, a);
  if (f == nullptr || g == nullptr || f->self || g->self) return std::nullopt;
  if (f->name == g->name && f->name != kSomeFloat) return true;
  const TypeWords* x = type_of_word(f->name);
  const TypeWords* y = type_of_word(g->name);
  const bool is_float = (x != nullptr && x->kind == 'f') || (y != nullptr && y->kind == 'f');
  if (f->name == kSomeFloat || g->name == kSomeFloat) {
    if (is_float || f->name == g->name) refuse_some_float("the type of a NumPy float is not known");
    return false;
  }
  const auto is_other_class = [](const std::string& name) {
    return !name.starts_with("np.") || name.ends_with("longlong");
  };
  return x != nullptr && x == y && !is_other_class(f->name) && !is_other_class(g->name);
}

bool is_kind_of_type(std::string_view type, std::string_view kind) {
  if (!type.starts_with("np.") || type == "np.ndarray") return false;
  if (type == kSomeFloat) {
    const TypeWords* asked = type_of_word(kind);
    if (asked != nullptr && asked->kind == 'f' && asked->name != "float16")
      refuse_some_float("the type of a NumPy float is not known");
    return is_within(kTypes[0], kind);
  }
  const TypeWords* known = type_of_word(type);
  if (known == nullptr) return false;
  if (is_within(*known, kind)) return true;
  if (kind == "float") return known->name == "float64";
  return kind.starts_with("np.") && !kind.ends_with("longlong") && type_of_word(kind) == known;
}

}  // namespace rewriter
