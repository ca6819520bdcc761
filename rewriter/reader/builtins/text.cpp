// Texts: Python's str() and repr(), `+` of texts, and print.
#include "rewriter/reader/operators/text.hpp"

#include <algorithm>
#include <cmath>

#include "rewriter/expr/build.hpp"
#include "rewriter/expr/text_format.hpp"
#include "rewriter/reader/builtins/text_parts.hpp"
#include "rewriter/reader/table/parts.hpp"
#include "rewriter/reader/table/table.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/dtypes.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/promotion.hpp"
#include "rewriter/reader/values/value.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

/// A type as it prints; nothing of others, and of those whose precision is the run's.
std::optional<std::string> type_text(const std::string& name) {
  for (const std::string_view type :
       {"int", "float", "bool", "str", "list", "tuple", "dict", "set", "range", "complex", "bytes",
        "frozenset", "NoneType", "collections.Counter", "collections.OrderedDict",
        "collections.defaultdict", "collections.deque"})
    if (name == type) return fmt::format("<class '{}'>", name);
  if (name == "np.ndarray") return "<class 'numpy.ndarray'>";
  return std::nullopt;
}

/// Parts without the `.0` of whole numbers; no real part where that is 0.
std::string complex_text(double real, double imag) {
  const auto part = [](double number) {
    const std::string text = python_float(number);
    return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
  };
  if (real == 0 && !std::signbit(real)) return part(imag) + "j";
  const std::string sign = std::signbit(imag) && !std::isnan(imag) ? "" : "+";
  return "(" + part(real) + sign + part(imag) + "j)";
}

}  // namespace

std::optional<std::string> known_text(const Value& value) {
  if (const auto* text = value.as<std::string>()) return *text;
  if (const auto* flag = value.as<bool>()) return *flag ? "True" : "False";
  if (const auto* whole = value.as<std::int64_t>()) return fmt::format("{}", *whole);
  if (const auto* real = value.as<double>()) return python_float(*real);
  if (value.is_none()) return "None";
  if (const auto* z = value.as<Complex>();
      z != nullptr && z->parts[0].is_number() && z->parts[1].is_number())
    return complex_text(z->parts[0].real(), z->parts[1].real());
  if (value.as<Sequence>() != nullptr || value.as<Dict>() != nullptr) return known_repr(value);
  if (const auto* function = value.as<Function>(); function != nullptr && !function->self)
    return function->dtype == Function::Dtype::No ? type_text(function->name)
                                                  : dtype_text(*function);
  if (const auto* range = value.as<RangeValue>())
    return range->step == 1
               ? fmt::format("range({}, {})", range->start, range->stop)
               : fmt::format("range({}, {}, {})", range->start, range->stop, range->step);
  return std::nullopt;
}

Value simplified(Text text) {
  std::string known;
  for (const Text::Piece& piece : text.pieces) {
    if (piece.number.index() != 0) return {std::move(text)};
    known += piece.text;
  }
  return {known};
}

namespace {

void append_repr(Text& text, const Value& value);

/// A list, a tuple or a dictionary as Python prints it, of run-time values, too.
void append_items(Text& text, const Value& container) {
  const auto* dict = container.as<Dict>();
  const auto* sequence = container.as<Sequence>();
  const std::string_view ends = dict != nullptr ? "{}" : sequence->list ? "[]" : "()";
  if ((dict != nullptr && !dict->type.empty()) ||
      (sequence != nullptr && (sequence->is_set || !sequence->kin.empty())))
    misuse("print", "str() of {} is not supported", container.description());
  const Items& items = dict != nullptr ? dict->values : sequence->items;
  text.pieces.push_back({std::string(1, ends[0]), {}});
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text.pieces.push_back({", ", {}});
    if (dict != nullptr) {
      append_repr(text, dict->keys[i]);
      text.pieces.push_back({": ", {}});
    }
    append_repr(text, items[i]);
  }
  if (ends == "()" && items.size() == 1) text.pieces.push_back({",", {}});
  text.pieces.push_back({std::string(1, ends[1]), {}});
}

}  // namespace

/// Of an array without elements NumPy prints [], but in a list its shape and its type, too.
static bool is_empty(const ObjectPtr& object) {
  const Dims shape = object->shape();
  return std::find(shape.begin(), shape.end(), 0) != shape.end();
}

/// The array as it is now.
static void append_array(Text& text, const ObjectPtr& object, bool is_repr) {
  if (is_empty(object)) return text.pieces.push_back({"[]", {}});
  const Value now = new_array(object->read());
  text.pieces.push_back({ArrayFormat{object->shape(), is_repr}.text(), *now.as<ObjectPtr>()});
}

void append(Text& text, const Value& value, const std::string& format) {
  if (const auto* other = value.as<Text>()) {
    text.pieces.insert(text.pieces.end(), other->pieces.begin(), other->pieces.end());
  } else if (const auto* integer = value.as<Affine>()) {
    text.pieces.push_back({format, *integer});
  } else if (const auto* object = value.as<ObjectPtr>()) {
    if ((*object)->shape().empty()) return text.pieces.push_back({format, *object});
    if (!format.empty())
      misuse("print",
             "only strings and numbers can be printed; got {}. symdump --run shows every output",
             value.description());
    append_array(text, *object, false);
  } else if (const auto known = known_text(value)) {
    const bool plain = format.empty() || !value.is_number();
    text.pieces.push_back({plain             ? *known
                           : value.is_real() ? format_number(value.real(), DType::Float, format)
                                             : format_integer(value.integer(""), format),
                           {}});
  } else if (format.empty() && (value.as<Sequence>() != nullptr || value.as<Dict>() != nullptr)) {
    append_items(text, value);
  } else if (format.empty() && value.as<NumberList>() != nullptr) {
    append_items(text, new_sequence(true, elements_of(value)));
  } else {
    misuse("print", "only strings and numbers can be printed; got {}", value.description());
  }
}

std::pair<std::string, std::string> around_scalar(const Value& value) {
  const auto* object = value.as<ObjectPtr>();
  const bool is_scalar = object != nullptr ? (*object)->shape().empty() && !(*object)->is_python()
                                           : value.is_numpy && value.is_number();
  if (!is_scalar || !numpy_version_is_known() || numpy_version() < 2) return {};
  const DType dtype = to_array(value, "a scalar").dtype();
  if (dtype == DType::Bool) return {"np.", "_"};
  const int bits = dtype == DType::Float ? joint_width(std::span(&value, 1)) : 0;
  return {fmt::format("np.{}(", bits == 32 ? "float32" : detail::type_name(dtype)), ")"};
}

bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= ' ' && c <= '~' && c != '\'' && c != '\\'; });
}

namespace {

void append_around(Text& text, const Value& value) {
  const auto [before, after] = around_scalar(value);
  if (!before.empty()) text.pieces.push_back({before, {}});
  append(text, value, "");
  if (!after.empty()) text.pieces.push_back({after, {}});
}

void append_repr(Text& text, const Value& value) {
  if (const auto* quoted = value.as<Text>()) {
    for (const auto& piece : quoted->pieces)
      if (std::holds_alternative<std::monostate>(piece.number) && !is_plain(piece.text))
        misuse("print", "a string with run-time numbers and '{}' in quotes is not supported",
               piece.text);
    text.pieces.push_back({"'", {}});
    append(text, value, "");
    text.pieces.push_back({"'", {}});
    return;
  }
  if (const auto* object = value.as<ObjectPtr>(); object != nullptr && !(*object)->shape().empty())
    append_array(text, *object, true);
  else if (const auto known = known_repr(value))
    text.pieces.push_back({*known, {}});
  else
    append_around(text, value);
}

}  // namespace

void append_text(Text& text, const Value& value, const std::string& how) {
  const bool as_repr = how.back() == 'r';
  const bool left = how.starts_with('-');
  const std::string width = how.substr(left ? 1 : 0, how.size() - 1 - (left ? 1 : 0));
  if (width.empty()) return as_repr ? append_repr(text, value) : append(text, value, "");
  const auto known = as_repr ? known_repr(value) : known_text(value);
  const auto* object = value.as<ObjectPtr>();
  const bool is_number = value.as<Affine>() != nullptr ||
                         (object != nullptr && (*object)->read().dtype() != DType::Bool);
  const bool is_simple = is_number_format(width) && width.find('.') == std::string::npos;
  if ((!known && !is_number) || !is_simple || width[0] == '0' || width.size() > 3)
    misuse("program", "the format %{} of {} is not supported", how, value.description());
  if (!known) return append(text, value, (left ? "<" : ">") + width);
  const auto room = static_cast<std::size_t>(std::stoi(width));
  const std::string blanks(std::max(room, known->size()) - known->size(), ' ');
  text.pieces.push_back({left ? *known + blanks : blanks + *known, {}});
}

/// Whether it is an array in a form of its own, or a container other than Python's that holds one.
static bool holds_array_otherwise(const Value& value) {
  const auto* dict = value.as<Dict>();
  if (value.as<Complex>() == nullptr && value.as<Perhaps>() == nullptr &&
      value.as<Iteration>() == nullptr && (dict == nullptr || dict->type.empty()))
    return false;
  bool found = false;
  for_each_part(value, [&](const Value& part) {
    const auto* object = part.as<ObjectPtr>();
    found = found || (object != nullptr && !(*object)->shape().empty());
  });
  return found;
}

/// Whether it is a list that grew in a loop and has more elements than a line takes, or any number.
static bool is_long(const Value& value) {
  constexpr Index kMost = 10'000;
  const auto* list = value.as<NumberList>();
  return list != nullptr && (!list->length.known() || list->length.constant > kMost);
}

/// A complex number of the run.
static bool is_run_complex(const Value& value) {
  const auto* z = value.as<Complex>();
  return z != nullptr && !(z->parts[0].is_number() && z->parts[1].is_number());
}

bool has_no_text(const Value& value) {
  bool found = value.as<Ignored>() != nullptr;
  for_each_part(value, [&](const Value& part) {
    const auto* object = part.as<ObjectPtr>();
    const auto* type = part.as<Function>();
    const bool is_open_type = type != nullptr && type->name.starts_with("np.float") &&
                              type->dtype != Function::Dtype::Yes;
    found = found || is_open_type ||
            (object != nullptr && object != value.as<ObjectPtr>() && is_empty(*object)) ||
            holds_array_otherwise(part) || is_run_complex(part) || codes_of(part) != nullptr ||
            is_long(part) || part.as<RunList>() != nullptr || part.as<Selected>() != nullptr ||
            part.as<Ignored>() != nullptr;
  });
  return found;
}

namespace {

Value python_str(const Call& call) {
  if (call.arguments.size() == 1 && has_no_text(call.arguments[0]))
    return call.arguments[0].as<Ignored>() != nullptr ? call.arguments[0]
                                                      : Value{Ignored{"str() of an array"}};
  Text text;
  append(text, call.values()[0], "");
  return simplified(std::move(text));
}

/// Writes the text after these parts, or raises it.
NodePtr print_node(std::vector<TextPart> parts, const Text& text) {
  std::vector<NodePtr> elements;
  for (const Text::Piece& piece : text.pieces) {
    TextPart part{.kind = TextPart::Kind::Text, .text = piece.text};
    if (const auto* integer = std::get_if<Affine>(&piece.number)) {
      part.kind = TextPart::Kind::Integer;
      part.integer = *integer;
    } else if (const auto* object = std::get_if<ObjectPtr>(&piece.number)) {
      const NodePtr node = (*object)->read().node();
      part.kind = TextPart::Kind::Element;
      part.dtype = is_narrow(node->dtype) ? DType::Int : node->dtype;
      part.element = elements.size();
      elements.push_back(node);
    } else if (piece.text.empty()) {
      continue;
    } else if (!parts.empty() && parts.back().kind == TextPart::Kind::Text) {
      parts.back().text += piece.text;
      continue;
    }
    parts.push_back(std::move(part));
  }
  const auto node = detail::make_node("print", Kind::Print, DType::Float, {}, std::move(elements));
  node->parts = std::move(parts);
  return node;
}

Value python_print(const Call& call) {
  if (call.caller != nullptr &&
      std::any_of(call.arguments.begin(), call.arguments.end(), has_no_text)) {
    call.caller->leave_out(
        "print of a masked selection, a complex array, a run-time string or an ignored value; "
        "--run shows every output");
    return {};
  }
  const Value* given = call.keyword("file");
  const auto* file = given == nullptr ? nullptr : given->as<Ignored>();
  if (call.caller != nullptr && file != nullptr && file->name == "sys.stderr") {
    call.caller->leave_out("print to sys.stderr");
    return {};
  }
  if (call.caller != nullptr && call.caller->print_either(call)) return {};
  std::string separator = " ";
  std::string end = "\n";
  for (const auto& [keyword, value] : call.keywords) {
    const auto* text = value.as<std::string>();
    const bool is_output = file != nullptr && file->name == "sys.stdout";
    if (keyword == "flush" || (keyword == "file" && (is_output || value.is_none()))) continue;
    if ((keyword != "sep" && keyword != "end") || text == nullptr)
      misuse("print",
             "takes strings as sep and end, and sys.stdout or sys.stderr as file; got {}={}",
             keyword, value.description());
    (keyword == "sep" ? separator : end) = *text;
  }
  Text text;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    if (i > 0) text.pieces.push_back({separator, {}});
    append(text, call.arguments[i], "");
  }
  text.pieces.push_back({end, {}});
  call.steps.push_back(print_node({}, text));
  return {};
}

}  // namespace

NodePtr raise_node(const std::string& type, const Value& text) {
  Text message;
  append(message, text, "");
  return print_node({{.kind = TextPart::Kind::Exception, .text = type}}, message);
}

bool is_raise(const Node& node) {
  return node.kind == Kind::Print && !node.parts.empty() &&
         node.parts[0].kind == TextPart::Kind::Exception;
}

Value chosen_text() {
  return {Ignored{"a string chosen at run time", true}};
}

bool is_chosen_text(const Value& value) {
  const auto* ignored = value.as<Ignored>();
  return ignored != nullptr && ignored->is_text;
}

bool is_text(const Value& value) {
  return value.as<std::string>() != nullptr || value.as<Text>() != nullptr || is_chosen_text(value);
}

Value joined_texts(const Value& left, const Value& right) {
  for (const Value* side : {&left, &right})
    if (side->as<Ignored>() != nullptr) return *side;
  if (!is_text(left) || !is_text(right))
    throw PythonError("TypeError", "program",
                      fmt::format("'+' joins strings; got {} and {}; str(number) makes a string",
                                  left.description(), right.description()),
                      {is_text(left) && right.is_number()
                           ? Value{fmt::format("can only concatenate str (not \"{}\") to str",
                                               right.is_real()               ? "float"
                                               : right.as<bool>() != nullptr ? "bool"
                                                                             : "int")}
                           : chosen_text()});
  Text text;
  append(text, left, "");
  append(text, right, "");
  std::size_t length = 0;
  for (const auto& piece : text.pieces) length += piece.text.size();
  if (length > kMostText) misuse("program", "the string is too long");
  return simplified(std::move(text));
}

/// repr() of what is no object.
static Value python_repr(const Call& call) {
  return formatted_value(*call.bind()[0], "r", "");
}

static Value python_format(const Call& call) {
  const std::vector<Value> given = call.values();
  const auto* how = given[1].as<std::string>();
  if (how == nullptr) misuse(call.name, "the format must be known when the program is read");
  return formatted_value(given[0], "", *how);
}

/// The line for what fits into one.
static Value python_pprint(const Call& call) {
  constexpr std::size_t kWidth = 80;
  Value shown = call.arguments.at(0);
  const std::function<Value(const Value&)> sorted = [&](const Value& value) -> Value {
    const auto* dict = value.as<Dict>();
    const auto* several = value.as<Sequence>();
    if (several != nullptr && !several->is_set) {
      std::vector<Value> items;
      std::transform(several->items.begin(), several->items.end(), std::back_inserter(items),
                     sorted);
      return new_sequence(several->list, std::move(items));
    }
    if (dict == nullptr || !dict->type.empty()) return value;
    Dict made;
    const Value keys = new_sequence(true, {dict->keys.begin(), dict->keys.end()});
    Call order{"sorted", {keys}, {}, call.steps, nullptr, call.caller};
    for (const Value& key : elements_of(call_function(order)))
      set_key(made, key, sorted(*find_key(*dict, key)));
    return {std::move(made)};
  };
  Call made{"repr", {sorted(shown)}, {}, call.steps};
  shown = call.reader().call_value({Function{"repr", nullptr}}, made);
  const auto* text = shown.as<std::string>();
  if (text == nullptr || text->size() >= kWidth) {
    call.reader().leave_out("pprint of what takes more than a line, or of run-time values");
    return {};
  }
  return python_print({"print", {shown}, {}, call.steps, nullptr, call.caller, row_of("print")});
}

void enter_texts(FunctionTable& table) {
  enter(table, Topic::Python,
        {{"str", "object=''", python_str, kMakesText},
         {"repr", "object", python_repr, kMakesText},
         {"format", "value, format_spec=''", python_format},
         {"hash", "object",
          [](const Call& call) -> Value {
            const Value x = call.values()[0];
            const auto* whole = x.as<std::int64_t>();
            if (whole == nullptr || std::abs(*whole) >= (std::int64_t{1} << 61) - 1)
              misuse("hash", "is supported of ints and objects with a method __hash__");
            return {*whole == -1 ? std::int64_t{-2} : *whole};
          }},
         {"pprint.pprint pprint.pp", "object", python_pprint, kOfFunctions},
         {"print", "*objects, sep=' ', end='\\n', flush=False, file=None", python_print,
          kOfFunctions | kPrints}});
}

/// Whether it is a number whose type, int or float, is known only at run time.
static bool is_either_kind(const ObjectPtr& object) {
  const Node& node = *object->read().node();
  return node.kind == Kind::Where && node.dims.empty() &&
         (node.args[1]->dtype == DType::Float) != (node.args[2]->dtype == DType::Float);
}

std::optional<ObjectPtr> number_of_either_kind(const Value& printed) {
  if (const auto* object = printed.as<ObjectPtr>(); object != nullptr && is_either_kind(*object))
    return *object;
  if (const auto* text = printed.as<Text>())
    for (const Text::Piece& piece : text->pieces)
      if (const auto* object = std::get_if<ObjectPtr>(&piece.number);
          object != nullptr && piece.text.empty() && is_either_kind(*object))
        return *object;
  return std::nullopt;
}

Value with_number(const Value& printed, const ObjectPtr& number, const Array& as) {
  const Value made = as.is_number() ? python_number(as) : new_array(as);
  if (const auto* object = printed.as<ObjectPtr>()) return *object == number ? made : printed;
  const auto* text = printed.as<Text>();
  if (text == nullptr) return printed;
  Text result;
  for (const Text::Piece& piece : text->pieces) {
    const auto* object = std::get_if<ObjectPtr>(&piece.number);
    if (object != nullptr && *object == number && piece.text.empty())
      append(result, made, "");
    else
      result.pieces.push_back(piece);
  }
  return simplified(std::move(result));
}

}  // namespace rewriter
