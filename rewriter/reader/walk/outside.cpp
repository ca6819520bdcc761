// Objects of Python's own, which the Python around the reader keeps.
#include "rewriter/reader/walk/outside.hpp"

#include <algorithm>
#include <charconv>

#include "rewriter/expr/float_widths.hpp"
#include "rewriter/reader/operators/complex.hpp"
#include "rewriter/reader/operators/text.hpp"
#include "rewriter/reader/reader.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/decisions.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/interpreter.hpp"

namespace rewriter {

using cudamat::misuse;
using PythonKind = PythonValue::Kind;

namespace {

/// What Python has for a value that is known when the program is read; nothing of others.
std::optional<PythonValue> known_to_python(const Value& value);

bool add_parts(PythonValue& made, const Items& items) {
  return std::all_of(items.begin(), items.end(), [&](const Value& item) {
    auto part = known_to_python(item);
    if (part) made.parts.push_back(std::move(*part));
    return part.has_value();
  });
}

std::optional<PythonValue> number_of(const Value& value) {
  PythonValue made{.is_numpy = value.is_numpy};
  if (value.is_numpy && value.is_real() && value.float_bits != 64) return std::nullopt;
  made.kind = value.as<bool>() != nullptr ? PythonKind::Bool
              : value.is_real()           ? PythonKind::Float
                                          : PythonKind::Int;
  if (value.is_real())
    made.number = value.real();
  else
    made.integer = value.integer("");
  return made;
}

/// What statements that decide by values know of an array, or of a number of the run.
std::optional<PythonValue> array_of(const ObjectPtr& object) {
  const Array array = object->read();
  const DType dtype = array.dtype();
  const bool has_width = dtype != DType::Float || object->float_bits() == 64 ||
                         (object->float_bits() == 0 && float_width_of(array.node()) == 64);
  if (is_narrow(dtype) || !has_width) return std::nullopt;
  auto known = computed_values(array.node());
  if (!known) return std::nullopt;
  PythonValue made{.kind = PythonKind::Array, .numbers = std::move(*known), .dtype = dtype};
  if (!object->is_scalar()) return made;
  const double number = made.numbers.data[0];
  made.is_numpy = !object->is_python();
  made.kind = dtype == DType::Float  ? PythonKind::Float
              : dtype == DType::Bool ? PythonKind::Bool
                                     : PythonKind::Int;
  made.number = number;
  made.integer = dtype == DType::Float ? 0 : static_cast<std::int64_t>(number);
  return made;
}

/// A static number.
bool is_python_complex(const Complex& z) {
  return std::ranges::all_of(z.parts,
                             [](const Value& part) { return part.is_number() && !part.is_numpy; });
}

std::optional<PythonValue> known_to_python(const Value& value) {
  if (value.is_none()) return PythonValue{};
  if (value.is_number()) return number_of(value);
  PythonValue made;
  if (const auto* object = value.as<ObjectPtr>()) return array_of(*object);
  if (const auto* text = value.as<std::string>()) {
    made.kind = PythonKind::Text;
    made.text = *text;
    return made;
  }
  if (const auto* outside = value.as<OutsideObject>()) {
    made.kind = PythonKind::Object;
    made.integer = outside->number;
    return made;
  }
  if (const auto* function = value.as<Function>();
      function != nullptr && !function->self && is_of_python(*function)) {
    made.kind = PythonKind::Builtin;
    made.text = function->name;
    return made;
  }
  if (const auto* sequence = value.as<Sequence>();
      sequence != nullptr && sequence->most == 0 && sequence->fields.empty()) {
    made.kind = sequence->is_set ? PythonKind::Set
                : sequence->list ? PythonKind::List
                                 : PythonKind::Tuple;
    if (add_parts(made, sequence->items)) return made;
  }
  if (const auto* z = value.as<Complex>(); z != nullptr && is_python_complex(*z)) {
    made.kind = PythonKind::Array;
    if (add_parts(made, z->parts)) return made;
  }
  if (const auto* dict = value.as<Dict>(); dict != nullptr && dict->type.empty()) {
    made.kind = PythonKind::Dict;
    for (std::size_t i = 0; i < dict->keys.size(); ++i)
      if (!add_parts(made, Items({dict->keys[i], dict->values[i]}))) return std::nullopt;
    return made;
  }
  return std::nullopt;
}

Value value_of(const PythonValue& given) {
  std::vector<Value> parts;
  for (const PythonValue& part : given.parts) parts.push_back(value_of(part));
  switch (given.kind) {
    case PythonKind::Bool:
      return {given.integer != 0, given.is_numpy};
    case PythonKind::Int:
      return {given.integer, given.is_numpy};
    case PythonKind::Float:
      return {given.number, given.is_numpy};
    case PythonKind::Text:
      return {given.text};
    case PythonKind::Tuple:
    case PythonKind::List:
      return new_sequence(given.kind == PythonKind::List, std::move(parts));
    case PythonKind::Set: {
      Sequence set{true, std::move(parts)};
      set.is_set = true;
      return {std::move(set)};
    }
    case PythonKind::Dict: {
      Dict dict;
      for (std::size_t i = 0; i + 1 < parts.size(); i += 2) set_key(dict, parts[i], parts[i + 1]);
      return {std::move(dict)};
    }
    case PythonKind::Array:
      if (!parts.empty()) return new_complex(parts[0], parts[1]);
      return new_array(written_out(given.numbers, given.dtype));
    case PythonKind::Object:
      return {OutsideObject{given.integer, given.text, given.truth}};
    default:
      return {};
  }
}

/// Something of the value's type, which is all that isinstance() asks for.
PythonValue example_of(const Value& value, std::vector<NodePtr>& steps) {
  if (auto known = known_to_python(value)) return *std::move(known);
  PythonValue made{.kind = PythonKind::Example};
  if (const auto* object = value.as<InstancePtr>()) {
    made.text = "class " + (*object)->type->name;
    return made;
  }
  const Value type = call_function({"type", {value}, {}, steps});
  made.text = type.as<Function>()->name;
  return made;
}

/// Whether it, or something in it, is an object of Python's.
bool has_outside(const Value& value) {
  bool found = false;
  for_each_part(value, [&](const Value& part) { found = found || is_outside(part); });
  return found;
}

/// What to use instead of the function; empty of others.
std::string advice_about(const Value& value) {
  constexpr std::string_view kFunction = "the function numpy.";
  const auto* outside = value.as<OutsideObject>();
  if (outside == nullptr || !outside->told.starts_with(kFunction)) return "";
  const std::string_view other = advice("np." + outside->told.substr(kFunction.size()));
  return other.empty() ? "" : fmt::format("; {}", other);
}

/// Functions that take any object of Python's; others take what is in it, or refuse it.
constexpr std::string_view kOfAnything =
    " abs all any bool divmod enumerate float format hash int len list max min pow repr reversed "
    "round set sorted str sum tuple type zip ";

}  // namespace

bool is_of_python(const Function& function) {
  return function.dtype == Function::Dtype::No && !function.name.starts_with("gpu.") &&
         !function.name.starts_with(".") &&
         (function.name.find('.') == std::string::npos || function.name.starts_with("np."));
}

Value imported_object(const std::string& import) {
  OutsideObject object;
  const char* const end = import.data() + import.size();
  const auto [rest, error] = std::from_chars(import.data(), end, object.number);
  object.told = rest < end ? std::string(rest + 1, end) : import;
  return {object};
}

Value Interpreter::ask_python(const std::string& what, const std::vector<Value>& arguments,
                              const std::vector<std::pair<std::string, Value>>& keywords) {
  if (options_.python == nullptr) misuse("program", "there is no Python around this program");
  const auto known = [&](const Value& value) {
    auto made = known_to_python(value);
    if (!made)
      misuse("program",
             "{} is computed by Python while the program is read, of what is known then; got {}{}",
             arguments[0].description(), value.description(), advice_about(arguments[0]));
    return *std::move(made);
  };
  std::vector<PythonValue> given;
  for (const Value& each : arguments) given.push_back(known(each));
  std::vector<std::pair<std::string, PythonValue>> named;
  for (const auto& [name, value] : keywords) named.emplace_back(name, known(value));
  try {
    return value_of(options_.python->ask(what, given, named));
  } catch (const PythonError& error) {
    const bool is_first = std::none_of(result_.steps.begin(), result_.steps.end(),
                                       [](const NodePtr& step) { return is_raise(*step); });
    if (tried_ > 0 || !options_.raises || !is_first || is_perhaps()) throw;
    throw ProgramRaises(error.type(), std::string(error.message()), statement_place_.line);
  }
}

std::optional<Value> Interpreter::call_outside(const Value& callee, const Call& call) {
  if (options_.python == nullptr) return std::nullopt;
  std::vector<Value> arguments = call.arguments;
  if (const auto* outside = callee.as<OutsideObject>()) {
    const bool is_known =
        std::all_of(arguments.begin(), arguments.end(), known_to_python) &&
        std::all_of(call.keywords.begin(), call.keywords.end(),
                    [](const auto& keyword) { return known_to_python(keyword.second); });
    // What the notation has under the same name takes arrays as well.
    constexpr std::string_view kFunction = "the function ";
    if (const std::string name = outside->told.starts_with(kFunction)
                                     ? outside->told.substr(kFunction.size())
                                     : std::string();
        !is_known && is_function(name)) {
      Call same = call;
      same.name = name;
      return call_function(same);
    }
    arguments.insert(arguments.begin(), callee);
    return ask_python("call", arguments, call.keywords);
  }
  const auto* function = callee.as<Function>();
  if (function == nullptr || function->self) return std::nullopt;
  if (function->name == "isinstance" && arguments.size() == 2 && has_outside(arguments[1])) {
    std::vector<Value> types = {arguments[1]};
    if (arguments[1].as<Sequence>() != nullptr) types = elements_of(arguments[1]);
    for (const Value& type : types) {
      Value found;
      if (is_outside(type)) {
        found = value_of(options_.python->ask(
            "isinstance", {example_of(arguments[0], call.steps), *known_to_python(type)}, {}));
      } else {
        Call made{"isinstance", {arguments[0], type}, {}, call.steps, nullptr, this};
        found = call_value(callee, made);
      }
      if (truth_of(found) == true) return Value{true};
    }
    return Value{false};
  }
  if (std::none_of(arguments.begin(), arguments.end(), is_outside)) return std::nullopt;
  if (function->name == "print") {
    Call made{"print", {}, call.keywords, call.steps, call.written, this};
    for (const Value& each : arguments)
      made.arguments.push_back(is_outside(each) ? ask_python("str", {each}) : each);
    return call_value(callee, made);
  }
  if (function->name == "isinstance" || function->name == "getattr" ||
      has_word(kOfAnything, function->name))
    return ask_python(function->name, arguments, call.keywords);
  const bool are_known =
      std::all_of(arguments.begin(), arguments.end(), known_to_python) && call.keywords.empty();
  if (!are_known || !function->name.starts_with("np.") || function->name.starts_with("np.random"))
    return std::nullopt;
  arguments.insert(arguments.begin(), callee);
  return ask_python("call", arguments, {});
}

}  // namespace rewriter
