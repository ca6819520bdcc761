// NumPy's functions of complex arrays.
#include <algorithm>
#include <array>
#include <cmath>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/operators/complex.hpp"
#include "rewriter/reader/operators/complex_parts.hpp"
#include "rewriter/reader/table/arguments.hpp"
#include "rewriter/reader/table/parts.hpp"
#include "rewriter/reader/table/table.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/dtypes.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/promotion.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using enum ast::Operator;

using cudamat::misuse;

namespace {

class Calls {
 public:
  explicit Calls(const Call& call) : call_(call) {}

  [[nodiscard]] Value operator()(std::string name, std::vector<Value> arguments) const {
    return call_function({std::move(name), std::move(arguments), {}, call_.steps});
  }
  /// The same call of one of the parts; keywords that are complex as well. What becomes an element
  /// has no imaginary part where it is real; what says how, an axis or a shape, stays.
  [[nodiscard]] Value of_part(std::string_view name, std::size_t part,
                              bool with_shape = false) const {
    const std::string_view elements = name == "where"                    ? "1 2"
                                      : name == "linspace"               ? "0 1"
                                      : has_word("full full_like", name) ? "1"
                                                                         : "";
    Call same = call_;
    for (std::size_t i = 0; i < same.arguments.size(); ++i)
      same.arguments[i] = has_word(elements, std::to_string(i))
                              ? part_of_element(same.arguments[i], part, with_shape)
                              : part_of(same.arguments[i], part);
    for (auto& [keyword, argument] : same.keywords)
      argument = has_word("fill_value initial", keyword) ? part_of_element(argument, part)
                                                         : part_of(argument, part);
    return call_function(same);
  }
  /// The same call of two arguments that are real.
  [[nodiscard]] Value of(std::size_t first, const Value& a, const Value& b) const {
    Call same = call_;
    same.arguments[first] = a;
    same.arguments[first + 1] = b;
    return call_function(same);
  }

 private:
  static Value part_of_element(const Value& value, std::size_t part, bool with_shape = false) {
    if (!holds_complex(value))
      return part == 0 ? value : with_shape ? zero_like(value) : Value{0.0};
    return part_of(value.as<Sequence>() == nullptr ? value : complex_array(value), part);
  }
  static Value part_of(const Value& value, std::size_t part) {
    const auto zeros_like = [](const auto& self, const Value& item) -> Value {
      const auto* row = item.as<Sequence>();
      if (row == nullptr) return zero_like(item);
      std::vector<Value> zeros;
      for (const Value& each : row->items) zeros.push_back(self(self, each));
      return new_sequence(row->list, std::move(zeros));
    };
    if (const auto* z = value.as<Complex>()) return z->parts[part];
    if (const auto* sequence = value.as<Sequence>();
        sequence != nullptr && !sequence->is_set && holds_complex(value)) {
      std::vector<Value> items;
      for (const Value& item : sequence->items)
        items.push_back(part == 0 || holds_complex(item) ? part_of(item, part)
                                                         : zeros_like(zeros_like, item));
      return new_sequence(sequence->list, std::move(items));
    }
    return value;
  }

  const Call& call_;
};

// Names without their module, or the dot of a method.
constexpr std::string_view kProducts = "dot matmul outer";
/// Python's, of items of any kind.
constexpr std::string_view kContainers =
    "tuple list dict zip reversed enumerate iter id str repr format print type "
    "isinstance";
constexpr std::string_view kMaking =
    "zeros ones empty array asarray full zeros_like ones_like empty_like astype eye identity";
constexpr std::string_view kTypes =
    "complex np.complex128 np.complex64 np.complex_ np.cdouble np.csingle complex128 complex64";

bool is_complex_type(const Value& value) {
  const auto* function = value.as<Function>();
  const auto* text = value.as<std::string>();
  return function != nullptr ? has_word(kTypes, function->name)
                             : text != nullptr && has_word(kTypes, *text);
}

std::string_view without_module(std::string_view name) {
  return name.starts_with("np.") ? name.substr(3) : name.starts_with('.') ? name.substr(1) : name;
}

std::optional<ast::Operator> operator_of(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, ast::Operator>, 8> kNames{
      {{"add", Add},
       {"subtract", Subtract},
       {"multiply", Multiply},
       {"divide", Divide},
       {"true_divide", Divide},
       {"power", Power},
       {"equal", Equal},
       {"not_equal", NotEqual}}};
  for (const auto& [known, op] : kNames)
    if (known == name) return op;
  return std::nullopt;
}

/// A call whose dtype is complex, without it.
std::optional<Call> with_real_type(const Call& call) {
  const auto is_type = [](const auto& keyword) {
    return keyword.first == "dtype" && is_complex_type(keyword.second);
  };
  const bool by_keyword = std::any_of(call.keywords.begin(), call.keywords.end(), is_type);
  const bool by_position = call.arguments.size() > 1 && is_complex_type(call.arguments[1]);
  if (!by_keyword && !by_position) return std::nullopt;
  Call real = call;
  std::erase_if(real.keywords, is_type);
  if (by_position) real.arguments.erase(real.arguments.begin() + 1);
  const std::string_view name = without_module(call.name);
  if (!has_word(kMaking, name)) misuse(call.name, "of complex numbers is not supported");
  if (name == "astype") real.name = ".copy";
  return real;
}

Dims shape_of(const Value& value) {
  const auto* z = value.as<Complex>();
  const auto* object = z != nullptr ? z->parts[0].as<ObjectPtr>() : value.as<ObjectPtr>();
  return object == nullptr ? Dims{} : (*object)->shape();
}

/// Writes the result into out=, which is complex if the result is.
Value given_to(const Call& call, const Value& out, const Value& result) {
  if (result.as<Complex>() != nullptr && out.as<Complex>() == nullptr)
    misuse(call.name, "Cannot cast output from complex numbers to real ones; out= is real");
  if (shape_of(out) != shape_of(result))
    misuse(call.name, "out= has the shape {}; the result has {}", to_string(shape_of(out)),
           to_string(shape_of(result)));
  const auto* target = out.as<ObjectPtr>();
  if (const auto* made = result.as<ObjectPtr>(); made != nullptr && target != nullptr)
    detail::check_in_place(call.name, (*target)->read(), (*made)->read());
  assign_subscript(out, {Value{EllipsisValue{}}}, result);
  return out;
}

}  // namespace

/// np.zeros(..., complex) and its kin; `real` is the call without the dtype.
static Value of_complex_type(const Call& call, const Call& real) {
  const bool has_complex = std::any_of(real.arguments.begin(), real.arguments.end(), holds_complex);
  Value made = call_function(real);
  if (has_complex) return made;
  const auto* object = made.as<ObjectPtr>();
  const bool is_new =
      object != nullptr && (*object)->read().dtype() == DType::Float && call.name != "np.asarray";
  return new_complex(is_new ? made : binary_operator(Add, made, {0.0}), zero_like(made));
}

/// complex(number), complex(real, imag)
static Value complex_from(const Call& call) {
  if (!call.keywords.empty())
    misuse(Exception::TypeError, call.name, "takes no keyword arguments; got '{}'",
           call.keywords.begin()->first);
  if (call.arguments.size() == 1)
    return sum(Add, parts_of(call.arguments[0]), {Value{0.0}, Value{0.0}});
  if (call.arguments.size() != 2) misuse(call.name, "takes a real and an imaginary part");
  const auto as_float = [](const Value& part) {
    const auto* object = part.as<ObjectPtr>();
    if (const auto* selected = part.as<Selected>()) object = &selected->whole;
    const bool is_float = object != nullptr && (*object)->read().dtype() == DType::Float;
    return is_float || part.is_real() ? part : binary_operator(Add, part, {0.0});
  };
  return new_complex(as_float(call.arguments[0]), as_float(call.arguments[1]));
}

/// Whether NumPy takes the real part, with a warning.
static bool asks_for_type(const Call& call, std::string_view name) {
  return call.keyword("dtype") != nullptr ||
         (name == "full_like" && !holds_complex(call.arguments[0])) ||
         (call.row != nullptr && call.row->topic == Topic::Type && call.name != "float" &&
          call.name != "int" && call.name.starts_with("np.") && name != "isscalar" &&
          !shape_of(call.arguments[0]).empty());
}

/// Of the real parts: what NumPy computes where another type than a complex one is asked for. As
/// truth values the imaginary parts count, too.
static std::optional<Value> of_real_parts(const Call& call, std::string_view name) {
  constexpr std::string_view kOfReal =
      "astype array asarray asanyarray ascontiguousarray sum prod mean cumsum cumprod full "
      "full_like zeros_like ones_like add.reduce multiply.reduce add.accumulate "
      "multiply.accumulate";
  const Value* dtype = call.keyword("dtype");
  const auto* like = name == "full_like" ? call.arguments[0].as<ObjectPtr>() : nullptr;
  const bool is_of_truth = dtype != nullptr
                               ? dtype_argument(dtype) == DType::Bool
                               : like != nullptr && (*like)->read().dtype() == DType::Bool;
  if (is_of_truth) return std::nullopt;
  if (dtype != nullptr ? !has_word(kOfReal, name) : has_word("bool bool_", name))
    return std::nullopt;
  const Value* copy = call.keyword("copy");
  if (copy != nullptr && numpy_version() >= 2 && !flag(copy))
    misuse(call.name, "Unable to avoid copy while creating an array as requested by copy=False");
  return Calls(call).of_part(name, 0);
}

/// The call for each part, which gives one or several arrays.
static Value of_each_part(const Call& call, std::string_view name) {
  const Value real = Calls(call).of_part(name, 0);
  Value imag = Calls(call).of_part(name, 1);
  if (name == "linspace" && shape_of(real) != shape_of(imag))  // a number has no axes to be moved
    imag = Calls(call).of_part(name, 1, true);
  const auto* several = real.as<Sequence>();
  if (several == nullptr) return new_complex(real, imag);
  std::vector<Value> made;
  for (std::size_t i = 0; i < several->items.size(); ++i)
    made.push_back(new_complex(several->items[i], imag.as<Sequence>()->items[i]));
  return new_sequence(several->list, std::move(made));
}

/// Lists of real and of imaginary parts as one of complex numbers.
static Value joined_parts(const Value& real, const Value& imag) {
  if (iteration_length(real) == std::nullopt) return new_complex(real, imag);
  const std::vector<Value> a = elements_of(real), b = elements_of(imag);
  std::vector<Value> items;
  for (std::size_t i = 0; i < a.size(); ++i) items.push_back(joined_parts(a[i], b[i]));
  return new_sequence(true, std::move(items));
}

/// A call of which an argument is complex.
static std::optional<Value> of_complex(const Call& call) {
  if (has_word(kContainers, call.name)) return std::nullopt;
  const std::string_view name = without_module(call.name);
  const std::size_t count = call.arguments.size();
  if (const auto op = operator_of(name); op && count == 2 && call.keywords.empty())
    return binary_operator(*op, without_list(call.arguments[0]), without_list(call.arguments[1]));
  if (has_word("len shape ndim size", name) && count > 0) {
    const Value& x = call.arguments[0];
    if (name == "len" && x.as<Complex>() == nullptr) return std::nullopt;  // of a list
    Call real = call;
    real.arguments[0] = parts_of(without_list(x)).real;
    return call_function(real);
  }
  if (name == "tolist")
    return joined_parts(Calls(call).of_part(".tolist", 0), Calls(call).of_part(".tolist", 1));
  const std::size_t first = name == "einsum" ? 1 : 0;
  if ((has_word(kProducts, name) || first == 1) && count == first + 2)
    return product([&](const Value& x, const Value& y) { return Calls(call).of(first, x, y); },
                   parts_of(call.arguments[first]), parts_of(call.arguments[first + 1]));
  if (asks_for_type(call, name)) {
    if (auto result = of_real_parts(call, name)) return result;
  } else {
    const bool is_of_each = call.row != nullptr && call.row->has(kEachPart);
    const bool chooses = name != "where" || (count == 3 && !holds_complex(call.arguments[0]));
    if ((is_of_each && chooses) || (name == "einsum" && count == 2))
      return of_each_part(call, name);
    if (has_word("max min sorted", call.name))  // Python's, which has no order of them
      misuse(Exception::TypeError, call.name, "'<' not supported between instances of 'complex'");
    if (auto result = call_by_parts(name, call)) {
      if (call.name != ".sort") return result;
      assign_subscript(call.arguments[0], {Value{EllipsisValue{}}}, *result);
      return Value{NoneValue{}};
    }
  }
  misuse(call.name, "of complex numbers is not supported; apply it to their .real and .imag");
}

/// The same call, in which a dtype, an out= and what follows them are given by name.
static Call with_named(Call call) {
  if (call.row == nullptr) return call;
  const auto& signature = call.row->signature;
  const auto is_named = [](const Parameter& each) { return has_word("dtype out", each.name); };
  const auto first = std::find_if(signature.begin(), signature.end(), is_named);
  const auto begin = static_cast<std::size_t>(first - signature.begin());
  if (call.arguments.size() > std::min(signature.size(), call.row->positions)) return call;
  for (std::size_t i = begin; i < call.arguments.size(); ++i) {
    const std::string_view name = signature[i].name;
    if (std::any_of(call.keywords.begin(), call.keywords.end(),
                    [&](const auto& keyword) { return keyword.first == name; }))
      misuse(Exception::TypeError, call.name, "got multiple values for argument '{}'", name);
    call.keywords.emplace_back(name, call.arguments[i]);
  }
  if (begin < call.arguments.size())
    call.arguments.erase(call.arguments.begin() + static_cast<std::ptrdiff_t>(begin),
                         call.arguments.end());
  return call;
}

/// How wide the parts are of numbers of a complex type of NumPy's.
static int width_of_parts(std::string_view type) {
  return 4 * type_of_word(type)->bytes;
}

std::optional<Value> complex_call(const Call& given) {
  const Call call = with_named(given);
  if (const auto real = with_real_type(call)) {
    const Value* type = call.keyword("dtype");
    if (const TypeWords* named = type != nullptr ? named_type(*type) : nullptr)
      asked_float_bits = width_of_parts(named->name);
    return of_complex_type(call, *real);
  }
  if (has_word(kTypes, call.name)) {
    if (call.name.starts_with("np.")) asked_float_bits = width_of_parts(call.name);
    return complex_from(call);
  }
  const auto is_complex = [](const auto& keyword) { return holds_complex(keyword.second); };
  if (std::none_of(call.arguments.begin(), call.arguments.end(), holds_complex) &&
      std::none_of(call.keywords.begin(), call.keywords.end(), is_complex))
    return std::nullopt;
  Call rest = call;
  std::optional<Value> out;
  for (const auto& [keyword, value] : call.keywords)
    if (keyword == "out") out = value;
  std::erase_if(rest.keywords, [](const auto& keyword) { return keyword.first == "out"; });
  return out ? given_to(call, *out, call_function(rest)) : of_complex(call);
}

void enter_complex(FunctionTable& table) {
  enter(table, Topic::Type,
        {{"complex np.complex128 np.complex64 np.complex_ np.cdouble np.csingle", "*parts",
          [](const Call& call) { return *complex_call(call); }}});
}

}  // namespace rewriter
