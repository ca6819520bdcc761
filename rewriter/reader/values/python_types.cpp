// The types of values by the names that Python's own messages have.
#include "rewriter/reader/values/python_types.hpp"

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

namespace {

std::string array_type(ArrayObject& array) {
  const DType dtype = array.read().dtype();
  if (array.is_python())
    return dtype == DType::Float ? "float" : dtype == DType::Bool ? "bool" : "int";
  if (!array.is_scalar()) return "numpy.ndarray";
  if (dtype == DType::Bool) return "numpy.bool_";
  return fmt::format("numpy.{}", detail::type_name(dtype));
}

/// A number, None, or a function: nothing that holds others.
bool is_single(const Value& value) {
  const auto* array = value.as<ObjectPtr>();
  return value.is_none() || value.is_number() || value.as<Affine>() != nullptr ||
         value.as<UserFunction>() != nullptr ||
         (array != nullptr && ((*array)->is_python() || (*array)->is_scalar()));
}

bool is_plain_dict(const Value& value) {
  const auto* dict = value.as<Dict>();
  return dict != nullptr && dict->type.empty();
}

/// What NumPy makes no array of numbers of.
bool is_no_operand(const Value& value) {
  const auto* sequence = value.as<Sequence>();
  return value.is_none() || value.as<std::string>() != nullptr || is_plain_dict(value) ||
         value.as<UserFunction>() != nullptr || (sequence != nullptr && sequence->is_set);
}

bool is_numpys(const Value& value) {
  const auto* array = value.as<ObjectPtr>();
  return value.is_numpy || (array != nullptr && !(*array)->is_python()) ||
         value.as<Selected>() != nullptr;
}

[[noreturn]] void raise_type_error(std::string_view operation, const std::string& message) {
  throw PythonError("TypeError", std::string(operation), message);
}

}  // namespace

bool is_no_integer(const Value& value) {
  return value.is_real() || value.as<std::string>() != nullptr || is_plain_dict(value) ||
         value.as<UserFunction>() != nullptr || value.as<Sequence>() != nullptr;
}

bool is_unhashable(const Value& value) {
  return has_word(" list dict set numpy.ndarray ", python_type(value));
}

bool takes_no_attributes(const Value& value) {
  const std::string type = python_type(value);
  return !type.empty() && type != "function" && type != "numpy.ndarray";
}

std::string python_type(const Value& value) {
  if (value.is_none()) return "NoneType";
  if (value.as<bool>() != nullptr) return value.is_numpy ? "numpy.bool_" : "bool";
  if (value.is_integer()) return value.is_numpy ? "numpy.int64" : "int";
  if (value.is_real())
    return !value.is_numpy ? "float" : value.float_bits == 32 ? "numpy.float32" : "numpy.float64";
  if (value.as<std::string>() != nullptr || value.as<Text>() != nullptr) return "str";
  if (value.as<RangeValue>() != nullptr) return "range";
  if (value.as<NumberList>() != nullptr || value.as<RunList>() != nullptr) return "list";
  if (value.as<Selected>() != nullptr) return "numpy.ndarray";
  if (value.as<UserFunction>() != nullptr) return "function";
  if (is_plain_dict(value)) return "dict";
  if (const auto* array = value.as<ObjectPtr>()) return array_type(**array);
  if (const auto* sequence = value.as<Sequence>())
    return sequence->is_set ? "set" : sequence->list ? "list" : "tuple";
  return "";
}

void refuse_iteration(std::string_view operation, const Value& value) {
  if (is_single(value))
    raise_type_error(operation, fmt::format("'{}' object is not iterable", python_type(value)));
}

void refuse_unpacking(const Value& value) {
  if (is_single(value))
    raise_type_error("program",
                     fmt::format("cannot unpack non-iterable {} object", python_type(value)));
}

void refuse_length(const Value& value) {
  const auto* array = value.as<ObjectPtr>();
  if (array != nullptr && (*array)->shape().empty() && !is_single(value))
    raise_type_error("len", "len() of unsized object");
  if (is_single(value))
    raise_type_error("len", fmt::format("object of type '{}' has no len()", python_type(value)));
}

void refuse_call(const Value& value) {
  const std::string type = python_type(value);
  if (!type.empty() && type != "function")
    raise_type_error("program", fmt::format("'{}' object is not callable", type));
}

void refuse_subscript(const Value& value) {
  if (is_single(value))
    raise_type_error("index", fmt::format("'{}' object is not subscriptable", python_type(value)));
}

void refuse_item_assignment(const Value& value) {
  const std::string type = python_type(value);
  const bool is_fixed = has_word(" str tuple range set ", type);
  if (is_single(value) || is_fixed)
    raise_type_error("index", fmt::format("'{}' object does not support item assignment", type));
}

void refuse_place(std::string_view kind, const Value& index) {
  if (is_no_integer(index) || index.is_none())
    raise_type_error("index", fmt::format("{} indices must be integers{}, not {}", kind,
                                          kind == "string" ? "" : " or slices",
                                          kind == "string" ? "'" + python_type(index) + "'"
                                                           : python_type(index)));
}

void refuse_operand(ast::Operator op, const Value& operand) {
  const bool is_float = op == ast::Operator::Invert && operand.is_real() && !operand.is_numpy;
  if (is_no_operand(operand) || operand.as<Sequence>() != nullptr || is_float)
    raise_type_error("program", fmt::format("bad operand type for unary {}: '{}'",
                                            ast::spelling(op), python_type(operand)));
}

void refuse_operands(ast::Operator op, const Value& left, const Value& right) {
  if (!is_no_operand(left) && !is_no_operand(right)) return;
  const std::string a = python_type(left), b = python_type(right);
  if (a.empty() || b.empty() || op == ast::Operator::Equal || op == ast::Operator::NotEqual) return;
  const bool compares = op >= ast::Operator::Less && op <= ast::Operator::NotEqual;
  const std::string text =
      compares ? fmt::format("'{}' not supported between instances of '{}' and '{}'",
                             ast::spelling(op), a, b)
               : fmt::format("unsupported operand type(s) for {}: '{}' and '{}'",
                             op == ast::Operator::Power ? "** or pow()" : ast::spelling(op), a, b);
  if (is_numpys(left) || is_numpys(right)) misuse(Exception::TypeError, "program", "{}", text);
  raise_type_error("program", text);
}

}  // namespace rewriter
