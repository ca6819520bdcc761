#include "rewriter/reader/complex.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/compose.hpp"
#include "rewriter/reader/library.hpp"
#include "rewriter/reader/promotion.hpp"
#include "rewriter/reader/selection.hpp"
#include "rewriter/reader/table.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

using enum ast::Operator;

/// A real value has no imaginary part.
struct Parts {
  Value real;
  std::optional<Value> imag;
};

Parts parts_of(const Value& value) {
  if (const auto* z = value.as<Complex>()) return {z->parts[0], z->parts[1]};
  return {value, std::nullopt};
}

Value zero_like(const Value& value) {
  if (const auto* selected = value.as<Selected>()) {
    Selected zeros = *selected;
    zeros.whole = *new_array(full(selected->whole->shape(), 0)).as<ObjectPtr>();
    return {zeros};
  }
  const auto* object = value.as<ObjectPtr>();
  return object == nullptr ? Value{0.0} : new_array(full((*object)->shape(), 0));
}

/// Of two numbers; NumPy adds the zero of what is real as well: -0.0 + 0.0 is 0.0.
Value sum(ast::Operator op, const Parts& a, const Parts& b) {
  return new_complex(binary_operator(op, a.real, b.real),
                     binary_operator(op, a.imag.value_or(Value{0.0}), b.imag.value_or(Value{0.0})));
}

/// What multiplies: `*`, `@`, np.outer, ...; f of real parts.
template <class F>
Value product(const F& f, const Parts& a, const Parts& b) {
  if (!a.imag) return new_complex(f(a.real, b.real), f(a.real, *b.imag));
  if (!b.imag) return new_complex(f(a.real, b.real), f(*a.imag, b.real));
  const Value real = binary_operator(Subtract, f(a.real, b.real), f(*a.imag, *b.imag));
  const Value imag = binary_operator(Add, f(a.real, *b.imag), f(*a.imag, b.real));
  return new_complex(real, imag);
}

Value times(const Value& a, const Value& b) {
  return binary_operator(Multiply, a, b);
}

/// What is real has zeros as its imaginary part, whose products NumPy adds as well.
Parts with_zeros(const Parts& parts) {
  return parts.imag ? parts : Parts{parts.real, Value{0.0}};
}

Value multiplied(const Parts& a, const Parts& b) {
  return product(times, with_zeros(a), with_zeros(b));
}

/// The same numbers in memory of their own.
Value copied(const Value& value) {
  if (const auto* object = value.as<ObjectPtr>())
    return (*object)->is_scalar() ? value
                                  : new_array((*object)->read().copy(), (*object)->contiguous());
  if (const auto selection = selection_of(value))
    return select(selection->whole.copy(), selection->mask, selection->first);
  if (const auto* z = value.as<Complex>())
    return {Complex{Items({copied(z->parts[0]), copied(z->parts[1])})}};
  return value;
}

/// The memory that a part of a complex value is in; null of Python's numbers.
const ArrayObject* memory_of(const Value& part) {
  if (const auto* selected = part.as<Selected>())
    return ArrayObject::root_of(selected->whole).get();
  const auto* object = part.as<ObjectPtr>();
  return object == nullptr ? nullptr : ArrayObject::root_of(*object).get();
}

/// The result of an operation, whose parts share no memory with its operands: one that it takes
/// over from an operand as it is, is copied.
Value apart(const Value& result, std::initializer_list<const Value*> operands) {
  const auto* z = result.as<Complex>();
  if (z == nullptr) return result;
  std::vector<const ArrayObject*> memories;
  const auto note = [&](const Value& part) {
    if (const auto* memory = memory_of(part)) memories.push_back(memory);
  };
  for (const Value* operand : operands) for_each_part(*operand, note);
  std::vector<Value> parts;
  for (const Value& part : z->parts) {
    const auto* memory = memory_of(part);
    const bool shares =
        memory != nullptr && std::find(memories.begin(), memories.end(), memory) != memories.end();
    parts.push_back(shares ? copied(part) : part);
  }
  return {Complex{Items(std::move(parts))}};
}

Value conjugate(const Value& z) {
  const Parts parts = parts_of(z);
  return parts.imag ? new_complex(parts.real, unary_operator(Negative, *parts.imag)) : z;
}

Value quotient(const Parts& a, const Parts& b) {
  if (!b.imag)
    return new_complex(binary_operator(Divide, a.real, b.real),
                       binary_operator(Divide, *a.imag, b.real));
  const Value norm = binary_operator(Add, times(b.real, b.real), times(*b.imag, *b.imag));
  const Value over = product(times, a, parts_of(conjugate(new_complex(b.real, *b.imag))));
  const Parts parts = parts_of(over);
  return new_complex(binary_operator(Divide, parts.real, norm),
                     binary_operator(Divide, *parts.imag, norm));
}

/// To a whole power by products, as NumPy does it.
Value whole_power(const Value& z, Index exponent) {
  Value result = exponent == 0
                     ? new_complex(binary_operator(Add, zero_like(parts_of(z).real), {1.0}),
                                   zero_like(parts_of(z).real))
                     : z;
  for (Index left = exponent - 1; left > 0; --left)
    result = product(times, parts_of(result), parts_of(z));
  return result;
}

class Calls {
 public:
  explicit Calls(const Call& call) : call_(call) {}

  [[nodiscard]] Value operator()(std::string name, std::vector<Value> arguments) const {
    return call_function({std::move(name), std::move(arguments), {}, call_.steps});
  }
  /// The same call of one of the parts; keywords that are complex as well. What becomes an element
  /// has no imaginary part where it is real; what says how, an axis or a shape, stays.
  [[nodiscard]] Value of_part(std::string_view name, std::size_t part) const {
    const std::string_view elements = name == "where"                    ? "1 2"
                                      : name == "linspace"               ? "0 1"
                                      : has_word("full full_like", name) ? "1"
                                                                         : "";
    Call same = call_;
    for (std::size_t i = 0; i < same.arguments.size(); ++i)
      same.arguments[i] = has_word(elements, std::to_string(i))
                              ? part_of_element(same.arguments[i], part)
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
  static Value part_of_element(const Value& value, std::size_t part) {
    if (!holds_complex(value)) return part == 0 ? value : Value{0.0};
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
constexpr std::string_view kContainers = "tuple list dict zip reversed enumerate iter id";
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

Value complex_array(const Value& list) {
  std::vector<NodePtr> steps;
  return call_function({"np.array", {list}, {}, steps});
}

bool holds_complex(const Value& value) {
  if (value.as<Complex>() != nullptr) return true;
  const auto* sequence = value.as<Sequence>();
  return sequence != nullptr &&
         std::any_of(sequence->items.begin(), sequence->items.end(), holds_complex);
}

Value new_complex(const Value& real, const Value& imag) {
  const auto shape = [](const Value& value) -> Dims {
    const auto* object = value.as<ObjectPtr>();
    const auto* selected = value.as<Selected>();
    return object != nullptr     ? (*object)->shape()
           : selected != nullptr ? selected->whole->shape()
                                 : Dims{};
  };
  const auto like = [&](const Value& value, const Value& other) {
    return shape(value) == shape(other) &&
                   (value.as<ObjectPtr>() == nullptr) == (other.as<ObjectPtr>() == nullptr)
               ? value
               : binary_operator(Add, value, zero_like(other));
  };
  return {Complex{Items({like(real, imag), like(imag, real)})}};
}

std::optional<Value> complex_operator(ast::Operator op, const Value& operand) {
  const auto* z = operand.as<Complex>();
  if (z == nullptr) return std::nullopt;
  if (op != Negative && op != Positive)
    misuse("program", "'{}' of complex numbers is not supported", ast::spelling(op));
  return new_complex(unary_operator(op, z->parts[0]), unary_operator(op, z->parts[1]));
}

/// A list of what is complex as an array.
static Value without_list(const Value& x) {
  return x.as<Sequence>() != nullptr && holds_complex(x) ? complex_array(x) : x;
}

/// By a function of rewriter/library/_complex.py, if it has one.
static std::optional<Value> call_by_parts(std::string_view name, const Call& call) {
  std::string function(name);
  std::replace(function.begin(), function.end(), '.', '_');  // linalg.inv
  Call of_arrays = call;
  for (Value& argument : of_arrays.arguments) argument = without_list(argument);
  auto result = call_library_file("_complex", function, of_arrays);
  if (!result || of_arrays.arguments.empty()) return result;
  return apart(*result, {&of_arrays.arguments[0]});
}

static Value complex_arithmetic(ast::Operator op, const Value& left, const Value& right) {
  const Parts a = parts_of(left);
  const Parts b = parts_of(right);
  switch (op) {
    case Add:
    case Subtract:
      return sum(op, a, b);
    case Multiply:
      return multiplied(a, b);
    case MatMul:
      return product([](const Value& x, const Value& y) { return binary_operator(MatMul, x, y); },
                     a, b);
    case Divide:
      if (!a.imag) return quotient({a.real, zero_like(a.real)}, b);
      return quotient(a, b);
    case Power: {
      const bool is_whole = !b.imag && right.is_number() &&
                            right.real() == std::trunc(right.real()) &&
                            std::abs(right.real()) <= 64;
      if (!is_whole) {
        std::vector<NodePtr> steps;
        const Call power{"np.power", {left, right}, {}, steps};
        return *call_by_parts("power", power);
      }
      const auto exponent = static_cast<Index>(right.real());
      Value power = whole_power(left, std::abs(exponent));
      if (exponent >= 0) return power;
      return quotient({Value{1.0}, Value{0.0}}, parts_of(power));
    }
    case Equal:
    case NotEqual: {
      const Value same_real = binary_operator(op, a.real, b.real);
      const Value same_imag =
          binary_operator(op, a.imag ? *a.imag : Value{0.0}, b.imag ? *b.imag : Value{0.0});
      return binary_operator(op == Equal ? BitAnd : BitOr, same_real, same_imag);
    }
    case Less:
    case LessEqual:
    case Greater:
    case GreaterEqual: {
      if (memory_of(a.real) == nullptr && memory_of(b.real) == nullptr)
        misuse("program", "'{}' not supported between instances of 'complex'", ast::spelling(op));
      constexpr std::array<std::string_view, 4> kNames{"less", "less_equal", "greater",
                                                       "greater_equal"};
      const std::string_view name =
          kNames.at(static_cast<std::size_t>(op) - static_cast<std::size_t>(Less));
      std::vector<NodePtr> steps;
      return *call_by_parts(name, {fmt::format("np.{}", name), {left, right}, {}, steps});
    }
    default:
      misuse("program", "'{}' of complex numbers is not supported", ast::spelling(op));
  }
}

std::optional<Value> complex_operator(ast::Operator op, const Value& left, const Value& right) {
  if (left.as<Complex>() == nullptr && right.as<Complex>() == nullptr) return std::nullopt;
  if (left.is_none() || right.is_none()) return std::nullopt;
  return apart(complex_arithmetic(op, left, right), {&left, &right});
}

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
    misuse(call.name, "takes no keyword arguments; got '{}'", call.keywords.begin()->first);
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
  if (dtype != nullptr ? dtype_argument(dtype) == DType::Bool || !has_word(kOfReal, name)
                       : has_word("bool bool_", name))
    return std::nullopt;
  const Value* copy = call.keyword("copy");
  if (copy != nullptr && numpy_version() >= 2 && !flag(copy))
    misuse(call.name, "Unable to avoid copy while creating an array as requested by copy=False");
  return Calls(call).of_part(name, 0);
}

/// The call for each part, which gives one or several arrays.
static Value of_each_part(const Call& call, std::string_view name) {
  const Value real = Calls(call).of_part(name, 0), imag = Calls(call).of_part(name, 1);
  const auto* several = real.as<Sequence>();
  if (several == nullptr) return new_complex(real, imag);
  std::vector<Value> made;
  for (std::size_t i = 0; i < several->items.size(); ++i)
    made.push_back(new_complex(several->items[i], imag.as<Sequence>()->items[i]));
  return new_sequence(several->list, std::move(made));
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
      misuse(call.name, "'<' not supported between instances of 'complex'");
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
      misuse(call.name, "got multiple values for argument '{}'", name);
    call.keywords.emplace_back(name, call.arguments[i]);
  }
  if (begin < call.arguments.size())
    call.arguments.erase(call.arguments.begin() + static_cast<std::ptrdiff_t>(begin),
                         call.arguments.end());
  return call;
}

std::optional<Value> complex_call(const Call& given) {
  const Call call = with_named(given);
  if (const auto real = with_real_type(call)) return of_complex_type(call, *real);
  if (has_word(kTypes, call.name)) return complex_from(call);
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
