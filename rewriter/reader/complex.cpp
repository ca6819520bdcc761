#include "rewriter/reader/complex.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>

#include "rewriter/expr/build.hpp"
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

/// Of two numbers, either of which may have no imaginary part.
Value sum(ast::Operator op, const Parts& a, const Parts& b) {
  const Value real = binary_operator(op, a.real, b.real);
  if (a.imag && b.imag) return new_complex(real, binary_operator(op, *a.imag, *b.imag));
  if (a.imag) return new_complex(real, *a.imag);
  return new_complex(real, op == Add ? *b.imag : unary_operator(Negative, *b.imag));
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

Value times_real(const Value& z, double factor) {
  return product(times, parts_of(z), {Value{factor}, std::nullopt});
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
  /// The same call of one of the parts; keywords that are complex as well.
  [[nodiscard]] Value of_part(std::size_t part) const {
    Call same = call_;
    for (std::size_t i = 0; i < same.arguments.size(); ++i)
      same.arguments[i] = i == 1 && has_word("np.full np.full_like", call_.name)
                              ? part_of_number(same.arguments[i], part)
                              : part_of(same.arguments[i], part);
    for (auto& [name, argument] : same.keywords)
      argument = has_word("fill_value prepend append", name) ? part_of_number(argument, part)
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
  /// Of a real value that becomes an element the imaginary part is 0.
  static Value part_of_number(const Value& value, std::size_t part) {
    return part == 1 && !holds_complex(value) ? binary_operator(Multiply, value, {0.0})
                                              : part_of(value, part);
  }
  /// Of a real value the imaginary part is 0, but what says how, an axis or a shape, stays.
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
constexpr std::string_view kOfEachPart =
    "sum mean reshape ravel flatten transpose copy squeeze expand_dims swapaxes "
    "roll repeat tile diag diagonal cumsum broadcast_to take array asarray "
    "ascontiguousarray concatenate zeros_like empty_like full full_like delete";
constexpr std::string_view kProducts = "dot matmul outer";
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

/// exp, log, sqrt and the like.
std::optional<Value> function_of(std::string_view name, const Value& z, const Calls& calls) {
  const Parts parts = parts_of(z);
  const auto size = [&] { return calls("np.hypot", {parts.real, *parts.imag}); };
  if (name == "abs" || name == "absolute") return size();
  if (name == "real") return parts.real;
  if (name == "imag") return *parts.imag;
  if (name == "conj" || name == "conjugate") return apart(conjugate(z), {&z});
  if (name == "angle") return calls("np.arctan2", {*parts.imag, parts.real});
  if (name == "exp") {
    const Value scale = calls("np.exp", {parts.real});
    return new_complex(times(scale, calls("np.cos", {*parts.imag})),
                       times(scale, calls("np.sin", {*parts.imag})));
  }
  if (name == "log")
    return new_complex(calls("np.log", {size()}), calls("np.arctan2", {*parts.imag, parts.real}));
  if (name == "square") return product(times, parts, parts);
  if (name == "negative" || name == "positive")
    return complex_operator(name == "negative" ? Negative : Positive, z);
  if (name == "isnan" || name == "isinf")
    return calls("np.logical_or", {calls("np." + std::string(name), {parts.real}),
                                   calls("np." + std::string(name), {*parts.imag})});
  if (name == "isfinite")
    return calls("np.logical_and",
                 {calls("np.isfinite", {parts.real}), calls("np.isfinite", {*parts.imag})});
  if (name == "iscomplexobj") return Value{true};
  return std::nullopt;
}

/// np.angle(z, deg=True)
Value angle(const Call& call, const Calls& calls) {
  const auto bound = call.bind();
  const Parts parts = parts_of(*bound[0]);
  const Value radians = calls("np.arctan2", {parts.imag ? *parts.imag : Value{0.0}, parts.real});
  return flag(bound[1]) ? times(radians, {180 / M_PI}) : radians;
}

/// By how far they are apart.
Value close(const Call& call, const Calls& calls, bool all) {
  const auto bound = call.bind({"a", "b", "rtol", "atol"}, 2);
  const auto number = [](const Value* value, double otherwise) {
    return value == nullptr ? Value{otherwise} : *value;
  };
  const auto array = [](const Value* z) {
    return z->as<Sequence>() == nullptr ? *z : complex_array(*z);
  };
  const Value a = array(bound[0]), b = array(bound[1]);
  const auto size = [&](const Value& z) { return calls("np.abs", {z}); };
  const Value apart = size(binary_operator(Subtract, a, b));
  const Value most =
      binary_operator(Add, number(bound[3], 1e-8), times(number(bound[2], 1e-5), size(b)));
  const Value near = binary_operator(LessEqual, apart, most);
  return all ? calls("np.all", {near}) : near;
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
  if (!has_word(kMaking, name)) misuse(call.name, "of complex numbers is outside of this notation");
  if (name == "astype") real.name = ".copy";
  return real;
}

/// Writes the result into out=, or a third argument; else it is the result.
Value given_to(const Value* out, const Value& result) {
  if (out == nullptr) return result;
  assign_subscript(*out, {Value{EllipsisValue{}}}, result);
  return *out;
}

/// [[re, -im], [im, re]]: what solves real equations for complex ones.
Value embedded(const Calls& calls, const Parts& a) {
  const Value imag = a.imag ? *a.imag : zero_like(a.real);
  const Value upper =
      calls("np.hstack", {new_sequence(true, {a.real, unary_operator(Negative, imag)})});
  const Value lower = calls("np.hstack", {new_sequence(true, {imag, a.real})});
  return calls("np.vstack", {new_sequence(true, {upper, lower})});
}

Value solved(const Call& call, const Calls& calls) {
  const Parts a = parts_of(call.arguments[0]);
  const auto* object = a.real.as<ObjectPtr>();
  if (object == nullptr || (*object)->shape().size() != 2)
    misuse(call.name, "of complex numbers takes one matrix");
  const Index n = (*object)->shape()[0];
  const bool inverts = call.name == "np.linalg.inv";
  Parts b = inverts ? Parts{calls("np.eye", {{n}}), std::nullopt} : parts_of(call.arguments[1]);
  if (!b.imag) b.real = calls("np.asarray", {b.real});  // a list
  const Value imag = b.imag ? *b.imag : zero_like(b.real);
  const Value stacked = calls("np.concatenate", {new_sequence(true, {b.real, imag})});
  const Value x = calls("np.linalg.solve", {embedded(calls, a), stacked});
  const auto rows = [&](Index from, Index to) {
    Slice range;
    range.start = Affine{from, {}};
    range.stop = Affine{to, {}};
    return calls("np.copy", {subscript(x, {Value{range}})});
  };
  return new_complex(rows(0, n), rows(n, 2 * n));
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
    misuse("program", "'{}' of complex numbers is outside of this notation", ast::spelling(op));
  return new_complex(unary_operator(op, z->parts[0]), unary_operator(op, z->parts[1]));
}

static Value complex_arithmetic(ast::Operator op, const Value& left, const Value& right) {
  const Parts a = parts_of(left);
  const Parts b = parts_of(right);
  switch (op) {
    case Add:
    case Subtract:
      return sum(op, a, b);
    case Multiply:
      return product(times, a, b);
    case MatMul:
      return product([](const Value& x, const Value& y) { return binary_operator(MatMul, x, y); },
                     a, b);
    case Divide:
      if (!a.imag) return quotient({a.real, zero_like(a.real)}, b);
      return quotient(a, b);
    case Power: {
      if (b.imag && left.is_number() && left.real() > 0) {  // exp(right * log(left))
        std::vector<NodePtr> steps;
        const Call exp{"np.exp", {times_real(right, std::log(left.real()))}, {}, steps};
        return *complex_call(exp);
      }
      const bool is_whole = !b.imag && right.is_number() &&
                            right.real() == std::trunc(right.real()) &&
                            std::abs(right.real()) <= 64;
      if (!is_whole)
        misuse("program", "a complex number is raised to whole powers from -64 to 64 here");
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
    default:
      misuse("program", "'{}' of complex numbers is outside of this notation", ast::spelling(op));
  }
}

std::optional<Value> complex_operator(ast::Operator op, const Value& left, const Value& right) {
  if (left.as<Complex>() == nullptr && right.as<Complex>() == nullptr) return std::nullopt;
  return apart(complex_arithmetic(op, left, right), {&left, &right});
}

/// A list of what is complex as an array.
static Value without_list(const Value& x) {
  return x.as<Sequence>() != nullptr && holds_complex(x) ? complex_array(x) : x;
}

std::optional<Value> complex_call(const Call& call) {
  if (call.name.starts_with("np.fft.")) return std::nullopt;
  const Calls calls(call);
  if (const auto real = with_real_type(call)) {
    const bool has_complex =
        std::any_of(real->arguments.begin(), real->arguments.end(), holds_complex);
    Value made = call_function(*real);
    if (has_complex) return made;
    const auto* object = made.as<ObjectPtr>();
    const bool is_new =
        object != nullptr && (*object)->read().dtype() == DType::Float && call.name != "np.asarray";
    return new_complex(is_new ? made : binary_operator(Add, made, {0.0}), zero_like(made));
  }
  if (has_word(kTypes, call.name)) {
    if (call.arguments.size() == 1)
      return sum(Add, parts_of(call.arguments[0]), {Value{0.0}, Value{0.0}});
    if (call.arguments.size() != 2) misuse(call.name, "takes a real and an imaginary part");
    return new_complex(binary_operator(Add, call.arguments[0], {0.0}),
                       binary_operator(Add, call.arguments[1], {0.0}));
  }
  const auto is_one = [](const auto& keyword) { return holds_complex(keyword.second); };
  const bool in_arguments =
      std::any_of(call.arguments.begin(), call.arguments.end(), holds_complex);
  if (!in_arguments && std::none_of(call.keywords.begin(), call.keywords.end(), is_one))
    return std::nullopt;
  const std::string_view name = without_module(call.name);
  const auto refuse = [&] {
    misuse(call.name,
           "of complex numbers is outside of this notation; it takes their .real and .imag");
  };
  const Value* out = nullptr;
  for (const auto& [keyword, value] : call.keywords)
    if (keyword == "out") out = &value;
  if (const auto op = operator_of(name); op && call.arguments.size() >= 2) {
    if (call.arguments.size() == 3) out = &call.arguments[2];
    if (call.arguments.size() > 3 || call.keywords.size() > (out != nullptr ? 1 : 0)) refuse();
    return given_to(out, binary_operator(*op, without_list(call.arguments[0]),
                                         without_list(call.arguments[1])));
  }
  if (in_arguments && call.arguments[0].as<Complex>() != nullptr &&
      call.keywords.size() <= (out != nullptr ? 1 : 0) && call.arguments.size() == 1)
    if (const auto result = function_of(name, call.arguments[0], calls))
      return given_to(out, *result);
  if (out != nullptr) refuse();
  if (name == "angle") return angle(call, calls);
  if (name == "allclose" || name == "isclose") return close(call, calls, name == "allclose");
  const bool is_complex = in_arguments && call.arguments[0].as<Complex>() != nullptr;
  if (has_word("len shape ndim size", name) && in_arguments) {
    const Value& x = call.arguments[0];
    if (name == "len" && !is_complex) return std::nullopt;  // of a list
    const Value z = is_complex ? x : complex_array(x);
    Call real = call;
    real.arguments[0] = z.as<Complex>()->parts[0];
    return call_function(real);
  }
  if (name == "ones_like" && is_complex && call.arguments.size() == 1 && call.keywords.empty()) {
    const Value& real = call.arguments[0].as<Complex>()->parts[0];
    return new_complex(calls("np.ones_like", {real}), calls("np.zeros_like", {real}));
  }
  if (name == "where" && call.arguments.size() == 3 && !holds_complex(call.arguments[0])) {
    std::array<Value, 2> made;
    for (std::size_t part = 0; part < 2; ++part) {
      std::vector<Value> given{call.arguments[0]};
      for (std::size_t i = 1; i < 3; ++i) {
        const Parts each = parts_of(without_list(call.arguments[i]));
        given.push_back(part == 0 ? each.real : each.imag ? *each.imag : Value{0.0});
      }
      made[part] = calls("np.where", std::move(given));
    }
    return new_complex(made[0], made[1]);
  }
  if (call.name == "np.linalg.inv" ||
      (call.name == "np.linalg.solve" && call.arguments.size() == 2))
    return solved(call, calls);
  const std::size_t first = name == "einsum" ? 1 : 0;
  const bool of_two =
      call.arguments.size() >= first + 2 && (has_word(kProducts, name) || name == "einsum");
  if (of_two && call.arguments.size() <= first + 2)
    return product([&](const Value& x, const Value& y) { return calls.of(first, x, y); },
                   parts_of(call.arguments[first]), parts_of(call.arguments[first + 1]));
  const bool is_typed =
      std::any_of(call.keywords.begin(), call.keywords.end(),
                  [](const auto& keyword) {
                    return keyword.first == "dtype" && !keyword.second.is_none();
                  }) ||
      (has_word("array asarray ascontiguousarray", name) && call.arguments.size() > 1);
  if (is_typed) refuse();  // NumPy takes the real part, with a warning
  if (has_word(kOfEachPart, name) || (name == "einsum" && call.arguments.size() == 2)) {
    const Value real = calls.of_part(0);
    const Value imag = calls.of_part(1);
    const auto* several = real.as<Sequence>();
    if (several == nullptr) return new_complex(real, imag);
    std::vector<Value> made;
    for (std::size_t i = 0; i < several->items.size(); ++i)
      made.push_back(new_complex(several->items[i], imag.as<Sequence>()->items[i]));
    return new_sequence(several->list, std::move(made));
  }
  refuse();
  return std::nullopt;
}

void enter_complex(FunctionTable& table) {
  enter(table, Topic::Type,
        {{"complex np.complex128 np.complex64 np.complex_ np.cdouble np.csingle", "*parts",
          [](const Call& call) { return *complex_call(call); }},
         {"np.angle", "z, deg=False", [](const Call& call) { return angle(call, Calls(call)); }},
         {"np.iscomplexobj", "x", [](const Call& call) {
            (void)call.bind();
            return Value{false};
          }}});
}

}  // namespace rewriter
