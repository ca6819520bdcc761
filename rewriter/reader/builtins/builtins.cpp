// Python's own functions of containers, truths, types and numbers.
#include <algorithm>
#include <cmath>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/operators/text.hpp"
#include "rewriter/reader/selections/packed.hpp"
#include "rewriter/reader/selections/run_lengths.hpp"
#include "rewriter/reader/selections/selection.hpp"
#include "rewriter/reader/table/arguments.hpp"
#include "rewriter/reader/table/keys.hpp"
#include "rewriter/reader/table/parts.hpp"
#include "rewriter/reader/table/table.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/dtypes.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/python_types.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/exceptions.hpp"
#include "rewriter/text/unicode.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

/// A list of what the argument iterates over; arrays and lists that grew stay what they are.
Value as_list(const Value& value) {
  if (value.as<Sequence>() != nullptr || value.as<ObjectPtr>() != nullptr ||
      value.as<NumberList>() != nullptr)
    return value;
  return new_sequence(true, elements_of(value));
}

// ---- containers ----

Value builtin_list(const Call& call, bool is_list) {
  if (call.arguments.empty()) return new_sequence(is_list, {});
  const Value& x = only_argument(call);
  if (const auto* list = x.as<RunList>())
    return {RunList{*new_array(list->cell->read().copy()).as<ObjectPtr>(),
                    *new_array(list->count->read().copy()).as<ObjectPtr>(), list->form}};
  if (const auto selection = selection_of(x)) {
    if (!is_list) refuse_selection(call);
    return list_of_selection(call, *selection, false);
  }
  if (const auto* sequence = x.as<Sequence>(); sequence != nullptr && !is_list && !sequence->list)
    return x;
  return new_sequence(is_list, elements_of(x));
}

Value builtin_set(const Call& call) {
  std::vector<Value> items;
  if (!call.arguments.empty())
    for (const Value& item : any_order(only_argument(call))) {
      check_item_of_set(call, item);
      const auto same = [&](const Value& other) {
        auto equal = known_equal(item, other);
        const bool is_object =
            item.as<InstancePtr>() != nullptr || other.as<InstancePtr>() != nullptr;
        if (!equal && is_object && call.caller != nullptr)
          equal = truth_of(call.caller->binary(ast::Operator::Equal, item, other));
        if (!equal) misuse("set", "items must be known when the program is read");
        return *equal;
      };
      if (std::none_of(items.begin(), items.end(), same)) items.push_back(item);
    }
  Sequence set{true, std::move(items)};
  set.is_set = true;
  if (call.name == "frozenset") set.kin = "frozenset";
  return {std::move(set)};
}

Value builtin_dict(const Call& call) {
  Dict result;
  if (!call.arguments.empty()) result = dict_of(call.arguments[0]);
  for (const auto& [name, value] : call.keywords) set_key(result, {name}, value);
  return {result};
}

Value builtin_zip(const Call& call) {
  const Value* strict = call.keyword("strict");
  if (call.keywords.size() > (strict != nullptr ? 1 : 0))
    misuse("zip", "takes the keyword argument strict");
  const bool is_strict = strict != nullptr && truth_of(*strict) != false;
  for (std::size_t i = 1; is_strict && i < call.arguments.size(); ++i) {
    const auto length = iteration_length(call.arguments[i]);
    const auto first = iteration_length(call.arguments[0]);
    if (!length || !first || *length == *first) continue;
    const std::string others = i == 1 ? "argument 1" : fmt::format("arguments 1-{}", i);
    const std::string text = fmt::format("zip() argument {} is {} than {}", i + 1,
                                         *length < *first ? "shorter" : "longer", others);
    throw PythonError("ValueError", "zip", text, {{text}});
  }
  if (std::any_of(call.arguments.begin(), call.arguments.end(), has_run_length))
    return zipped_at_run(call.arguments);
  for (const Value& part : call.arguments)
    if (!iteration_length(part)) {
      refuse_iteration("zip", part);
      misuse("zip", "{} is not iterable", part.description());
    }
  return {Iteration{Iteration::Kind::Zip, call.arguments}};
}

Value builtin_enumerate(const Call& call) {
  const auto bound = call.bind();
  const Index start = bound[1]->integer("enumerate's start");
  if (has_run_length(*bound[0])) return enumerated_at_run(*bound[0], start);
  if (!iteration_length(*bound[0])) {
    refuse_iteration("enumerate", *bound[0]);
    misuse("enumerate", "{} is not iterable", bound[0]->description());
  }
  return {Iteration{Iteration::Kind::Enumerate, Items({*bound[0]}), start}};
}

Value builtin_slice(const Call& call) {
  const std::size_t count = call.arguments.size();
  if (count < 1 || count > 3 || !call.keywords.empty())
    misuse(Exception::TypeError, "slice", "takes one to three arguments; got {}", count);
  Slice result;
  const auto set = [](std::optional<Affine>& bound, const Value& value) {
    if (!value.is_none()) bound = value.affine("a bound of a slice");
  };
  if (count > 1) set(result.start, call.arguments[0]);
  set(result.stop, call.arguments[count == 1 ? 0 : 1]);
  if (count == 3) set(result.step, call.arguments[2]);
  return {result};
}

Value builtin_reversed(const Call& call) {
  const Value& x = only_argument(call);
  if (const auto selection = selection_of(x); selection && selection->first == 0)
    return select(reversed(*selection));
  if (const auto* range = x.as<RangeValue>()) {
    const Index count = *iteration_length(x);
    if (count == 0) return {RangeValue{0, 0, 1}};
    return {RangeValue{range->start + (count - 1) * range->step, range->start - range->step,
                       -range->step}};
  }
  if (!iteration_length(x) || x.as<Iteration>() != nullptr)
    misuse("reversed", "{} cannot be reversed", x.description());
  return {Iteration{Iteration::Kind::Reversed, Items({x})}};
}

// ---- truths ----

Value builtin_any(const Call& call, bool any) {
  const Value x = as_list(only_argument(call));
  if (x.as<Sequence>() == nullptr) {
    const Array array = array_argument(call, &x, "iterable");
    if (array.ndim() != 1)
      misuse(call.name, "iterates over the rows of an array; np.{} tests its elements", call.name);
    return python_number(reduce(any ? Op::any : Op::all, array));
  }
  std::optional<Array> joined;
  for (const Value& item : elements_of(x)) {
    if (const auto truth = truth_of(item)) {
      if (*truth == any && !joined) return {any};
      if (*truth == any)
        misuse(call.name,
               "has both values known when the program is read and values known only at run time; "
               "put the run-time values first");
      continue;
    }
    const auto* object = item.as<ObjectPtr>();
    check_has_truth(item);
    if (object == nullptr || !(*object)->shape().empty())
      misuse(call.name, "the truth of {} is known only at run time", item.description());
    const Array one = detail::truth((*object)->read());
    joined = !joined ? one : any ? logical_or(*joined, one) : logical_and(*joined, one);
  }
  return joined ? python_number(*joined) : Value{!any};
}

Value builtin_bool(const Call& call) {
  if (call.arguments.empty()) return {false};
  const Value& x = only_argument(call);
  if (const auto truth = truth_of(x)) return {*truth};
  const auto* object = x.as<ObjectPtr>();
  if (object != nullptr && (*object)->read().size() == 1)
    return python_number(detail::truth((*object)->read().reshape({})));
  check_has_truth(x);
  misuse("bool", "the truth of {} is known only at run time", x.description());
}

// ---- characters and digits ----

Value builtin_ord(const Call& call) {
  const Value& x = only_argument(call);
  const auto* text = x.as<std::string>();
  const Character first = text == nullptr || text->empty() ? Character{} : decode_utf8(*text, 0);
  if (first.length == 0 || first.length != std::ssize(*text))
    misuse(python_type(x).empty() ? Exception::None : Exception::TypeError, call.name,
           "expected a character; got {}", x.description());
  return {static_cast<std::int64_t>(first.code)};
}

Value builtin_chr(const Call& call) {
  const Index code = only_argument(call).integer("chr's argument");
  if (code < 0 || code > 0x10FFFF)
    misuse(Exception::ValueError, call.name, "arg not in range(0x110000); got {}", code);
  std::string text;
  append_utf8(text, static_cast<char32_t>(code));
  return {text};
}

/// In the base of the prefix: 0b, 0o or 0x.
Value builtin_digits(const Call& call, std::string_view prefix) {
  const Index number = only_argument(call).integer(call.name + "'s argument");
  const auto size = number < 0 ? 0 - static_cast<std::uint64_t>(number) : std::uint64_t(number);
  const std::string digits = prefix == "0b"   ? fmt::format("{:b}", size)
                             : prefix == "0o" ? fmt::format("{:o}", size)
                                              : fmt::format("{:x}", size);
  return {fmt::format("{}{}{}", number < 0 ? "-" : "", prefix, digits)};
}

Value dict_of_keys(const Call& call) {
  const std::vector<Value> given = call.values();
  Dict made;
  for (const Value& key : elements_of(given[0])) set_key(made, key, given[1]);
  return {std::move(made)};
}

// ---- types ----

/// Whether the function is a type.
bool names_a_type(const Function& function) {
  return has_word(
      " bool int float complex str bytes NoneType list dict tuple set frozenset range slice object "
      "type "
      "np.ndarray np.generic np.number np.integer np.floating np.bool_ np.float64 np.float32 "
      "np.float16 np.int64 np.int32 np.int16 np.int8 np.uint8 np.uint16 np.uint32 np.complex128 "
      "np.random.Generator np.random.RandomState "
      "collections.Counter collections.OrderedDict collections.defaultdict collections.deque ",
      function.name);
}

/// What type() gives, by the name of the function that is the type.
std::string type_name(const Value& x) {
  if (x.is_none()) return "NoneType";
  if (x.as<UserFunction>() != nullptr) return "function";
  if (x.as<bool>() != nullptr) return x.is_numpy ? "np.bool_" : "bool";
  if (x.is_integer()) return x.is_numpy ? "np.int64" : "int";
  if (x.is_real()) return x.is_numpy ? "np.float64" : "float";
  if (x.as<std::string>() != nullptr || x.as<Text>() != nullptr) return "str";
  if (const auto* dict = x.as<Dict>())
    return dict->type.empty() || dict->type == kPlaces ? "dict" : "collections." + dict->type;
  if (x.as<NumberList>() != nullptr) return "list";
  if (x.as<Slice>() != nullptr) return "slice";
  if (x.as<RangeValue>() != nullptr) return "range";
  if (const auto* sequence = x.as<Sequence>())
    return sequence->kin == "deque"       ? "collections.deque"
           : sequence->kin == kCharacters ? "np.ndarray"
           : !sequence->kin.empty()       ? std::string(sequence->kin)
           : sequence->is_set             ? "set"
           : sequence->list               ? "list"
                                          : "tuple";
  if (x.as<Selected>() != nullptr) return "np.ndarray";
  if (const auto* z = x.as<Complex>()) {
    const std::string part = type_name(z->parts[0]);
    return part == "float" ? "complex" : part == "np.ndarray" ? part : "np.complex128";
  }
  if (const auto* function = x.as<Function>(); function != nullptr && names_a_type(*function))
    return "type";
  if (const auto* object = x.as<ObjectPtr>()) {
    const DType dtype = (*object)->read().dtype();
    const bool python = (*object)->is_python();
    if (!python && !(*object)->is_scalar()) return "np.ndarray";
    if (!python) return scalar_type(dtype);
    return dtype == DType::Bool ? "bool" : dtype == DType::Float ? "float" : "int";
  }
  if (const auto* module = x.as<Module>()) {
    if (module->name == "numpy.random.Generator()") return "np.random.Generator";
    if (module->name == "numpy.random.RandomState()") return "np.random.RandomState";
  }
  misuse("type", "the type of {} is not supported", x.description());
}

bool is_of_type(const std::string& type, const Value& asked) {
  if (const auto* several = asked.as<Sequence>())
    return std::any_of(several->items.begin(), several->items.end(),
                       [&](const Value& each) { return is_of_type(type, each); });
  if (asked.as<Ignored>() != nullptr) return false;
  if (const auto* module = asked.as<Module>(); module && module->name.starts_with("numbers.")) {
    const bool is_whole = type == "int" || type == "bool" || type.starts_with("np.int");
    return is_whole || (module->name != "numbers.Integral" &&
                        (type == "float" || type.starts_with("np.float")));
  }
  const auto* function = asked.as<Function>();
  if (function == nullptr)
    misuse(python_type(asked).empty() ? Exception::None : Exception::TypeError, "isinstance",
           "{} is not a type", asked.description());
  const std::string& name = function->name;
  if (name == type && name != kSomeFloat) return true;
  if (name == "int") return type == "bool";
  if (name == "dict") return type.starts_with("collections.") && type != "collections.deque";
  return is_kind_of_type(type, name);
}

/// Of a number that a run-time choice makes an int or a float: the types that it may have.
std::vector<std::string> types_of_choice(const Value& x) {
  if (x.as<ObjectPtr>() == nullptr || !number_of_either_kind(x)) return {};
  return {"int", "float", "np.int64", "np.float64"};
}

[[noreturn]] void refuse_choice(const Call& call) {
  misuse(call.name,
         "whether this number is an int or a float depends on which is chosen at run time; make it "
         "one before, float(x)");
}

Value builtin_isinstance(const Call& call) {
  if (call.arguments.size() != 2)
    misuse(Exception::TypeError, "isinstance", "takes a value and its types");
  const Value& x = call.arguments[0];
  if (const auto* dtype = x.as<Function>(); dtype != nullptr && dtype->dtype != Function::Dtype::No)
    return {is_of_type("np.dtype", call.arguments[1])};
  const auto* function = x.as<Function>();
  if (x.as<UserFunction>() != nullptr || (function != nullptr && !names_a_type(*function)))
    return {false};
  const bool is = is_of_type(type_name(x), call.arguments[1]);
  for (const std::string& other : types_of_choice(x))
    if (is_of_type(other, call.arguments[1]) != is) refuse_choice(call);
  return {is};
}

Value builtin_issubclass(const Call& call) {
  const auto bound = call.bind();
  const auto* type = bound[0]->as<Function>();
  if (type == nullptr || !names_a_type(*type))
    misuse(call.name, "{} is not a class", bound[0]->description());
  return {is_of_type(type->name, *bound[1])};
}

Value builtin_type(const Call& call) {
  const Value x = only_argument(call);
  if (!types_of_choice(x).empty()) refuse_choice(call);
  return {Function{type_name(x), nullptr}};
}

// ---- numbers ----

/// The nearest multiple of 10 ** digits, of two the even one.
Index rounded_to_power(Index x, Index digits) {
  constexpr Index kMost = 18;
  if (digits > kMost) return 0;
  Index power = 1;
  for (Index i = 0; i < digits; ++i) power *= 10;
  Index least = x - x % power, over = x % power;
  if (over < 0) least -= power, over += power;
  const bool goes_up = over > power - over || (over == power - over && (least / power) % 2 != 0);
  return goes_up ? least + power : least;
}

double rounded_to_power(double x, Index digits) {
  const double power = std::pow(10.0, static_cast<double>(digits));  // exact up to 22
  const double over = std::fmod(std::abs(x), power);
  const double least = std::abs(x) - over;
  const bool goes_up =
      over > power - over || (over == power - over && std::fmod(least / power, 2.0) != 0);
  return std::copysign(goes_up ? least + power : least, x);
}

Value builtin_round(const Call& call) {
  const auto bound = call.bind();
  const Value& x = *bound[0];
  if (!x.is_number()) {
    const auto* object = x.as<ObjectPtr>();
    if (x.as<Affine>() != nullptr) return x;
    if (object == nullptr || !(*object)->is_scalar())
      misuse("round", "rounds a number; got {}; np.round(x) rounds arrays", x.description());
    if (bound[1] == nullptr)
      return python_int(to_array(call_function({"np.rint", {x}, {}, call.steps}), "a number"));
    const Value rounded = call_function({"np.round", {x, *bound[1]}, {}, call.steps});
    return is_python_number(x) ? python_number(to_array(rounded, "a number")) : rounded;
  }
  const Index digits = bound[1] == nullptr ? 0 : bound[1]->integer("round's ndigits");
  if (!x.is_real()) return {digits >= 0 ? x.integer("") : rounded_to_power(x.integer(""), -digits)};
  if (bound[1] == nullptr) {
    if (!(std::abs(x.real()) < 9.2e18)) misuse("round", "{} does not fit 64 bits", x.real());
    return {static_cast<std::int64_t>(std::nearbyint(x.real()))};
  }
  if (!std::isfinite(x.real())) return x;
  if (digits < 0) return {rounded_to_power(x.real(), -digits), x.is_numpy};
  return {std::stod(fmt::format("{:.{}f}", x.real(), std::min<Index>(digits, 300))), x.is_numpy};
}

Value builtin_divmod(const Call& call) {
  if (call.arguments.size() != 2) misuse(Exception::TypeError, "divmod", "takes two numbers");
  return new_sequence(
      false, {binary_operator(ast::Operator::FloorDivide, call.arguments[0], call.arguments[1]),
              binary_operator(ast::Operator::Modulo, call.arguments[0], call.arguments[1])});
}

Value builtin_pow(const Call& call) {
  if (call.arguments.size() == 2)
    return binary_operator(ast::Operator::Power, call.arguments[0], call.arguments[1]);
  if (call.arguments.size() != 3)
    misuse(Exception::TypeError, "pow", "takes two numbers, or three ints");
  Index base = call.arguments[0].integer("pow's base");
  Index exponent = call.arguments[1].integer("pow's exponent");
  const Index modulus = call.arguments[2].integer("pow's modulus");
  if (modulus == 0) misuse(Exception::ValueError, "pow", "the modulus must not be 0");
  if (exponent < 0 || modulus <= 0 || modulus > 3'000'000'000)
    misuse("pow", "takes a modulus from 1 to 3,000,000,000 and a non-negative exponent");
  Index result = 1 % modulus;
  for (base = ((base % modulus) + modulus) % modulus; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = result * base % modulus;
    base = base * base % modulus;
  }
  return {result};
}

}  // namespace

void check_item_of_set(const Call& call, const Value& item) {
  const auto* sequence = item.as<Sequence>();
  const bool is_list =
      sequence != nullptr && sequence->list && !(sequence->is_set && sequence->kin == "frozenset");
  if (is_list || item.as<Dict>() != nullptr)
    misuse(is_unhashable(item) ? Exception::TypeError : Exception::None, call.name,
           "an item of a set must be hashable; got {}", item.description());
}

std::vector<Value> any_order(const Value& value) {
  const auto* sequence = value.as<Sequence>();
  if (sequence == nullptr || !sequence->is_set) return elements_of(value);
  return {sequence->items.begin(), sequence->items.end()};
}

void enter_builtins(FunctionTable& table) {
  enter(table, Topic::Python,
        {{"list", "[iterable]", with(builtin_list, true), kRunLists | kSelections},
         {"tuple", "[iterable]", with(builtin_list, false)},
         {"set frozenset", "[iterable]", builtin_set},
         {"dict", "[mapping], **items", builtin_dict},
         {"dict.fromkeys", "iterable, value=None", dict_of_keys, kOfType},
         {"ord", "c", builtin_ord},
         {"chr", "i", builtin_chr},
         {"bin", "number", with(builtin_digits, std::string_view("0b"))},
         {"oct", "number", with(builtin_digits, std::string_view("0o"))},
         {"hex", "number", with(builtin_digits, std::string_view("0x"))},
         {"zip", "*iterables, strict=False", builtin_zip, kSelections},
         {"enumerate", "iterable, start=0", builtin_enumerate, kSelections},
         {"reversed", "sequence", builtin_reversed, kSelections},
         {"slice", "*bounds", builtin_slice},
         {"any", "iterable", with(builtin_any, true)},
         {"all", "iterable", with(builtin_any, false)},
         {"bool", "[x]", builtin_bool, kAsksTruth},
         {"isinstance", "object, classinfo", builtin_isinstance, kAsksType | kAnyForm},
         {"issubclass", "cls, class_or_tuple", builtin_issubclass, kAnyForm},
         {"type", "object", builtin_type, kAsksType | kAnyForm},
         {"round", "number, ndigits=None", builtin_round},
         {"divmod", "x, y", builtin_divmod},
         {"pow", "base, exp, mod=None", builtin_pow}});
}

}  // namespace rewriter
