// What is None, or something else, known only at run time: whether it is None, and its value.
// Where a program uses it while it is None, Python raises an error; here it is then NaN or 0.
// branches/chosen_values.cpp says how a name comes to be such a value.
#include "rewriter/reader/operators/perhaps.hpp"

#include <algorithm>

#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;

Value if_set(const Value& value) {
  const auto* perhaps = value.as<Perhaps>();
  if (perhaps == nullptr) return value;
  if (!perhaps->otherwise().is_none())
    misuse("program",
           "this is {}; it can be indexed and tested by `if`. Otherwise assign None before, and "
           "ask whether it `is None`",
           value.description());
  return perhaps->value();
}

Value truth_if_set(const Value& value) {
  const auto* perhaps = value.as<Perhaps>();
  if (perhaps == nullptr) return value;
  const Value is_set{perhaps->is_set};
  if (const auto truth = truth_of(perhaps->value())) return *truth ? is_set : Value{false};
  const Array held = to_array(perhaps->value(), "a condition");
  if (held.size() != 1)
    misuse(Exception::ValueError, "program",
           "the truth value of an array of shape {} is ambiguous; write `is not None`",
           to_string(held.shape()));
  return python_number(
      logical_and(to_array(is_set, "a condition"), not_equal(held.reshape({}), 0)));
}

std::optional<Value> compared_with_none(ast::Operator op, const Value& left, const Value& right) {
  using enum ast::Operator;
  const bool is_same = op == Is || op == Equal;
  if (!is_same && op != IsNot && op != NotEqual) return std::nullopt;
  const auto* perhaps = left.is_none() ? right.as<Perhaps>() : left.as<Perhaps>();
  if (perhaps == nullptr || (!left.is_none() && !right.is_none())) return std::nullopt;
  if (!perhaps->otherwise().is_none()) return Value{!is_same};
  const auto* held = perhaps->value().as<ObjectPtr>();
  if (op != Is && op != IsNot && held != nullptr && !(*held)->is_python())
    misuse("program", "NumPy compares each element with None; write `is{} None`",
           op == Equal ? "" : " not");
  const Array is_set = perhaps->is_set->read();
  return python_number(is_same ? logical_not(is_set) : is_set);
}

// ---- what represents it in lists and messages

std::string printed_name(const std::string& name) {
  if (!name.starts_with('<')) return name;
  if (is_attribute(name)) {  // "<attribute w of model 7>"
    const std::size_t of = name.find(" of ");
    const std::size_t begin = name.find(' ') + 1;
    if (number_of_attribute(name) == 0) return name.substr(begin, of - begin);  // a global
    return name.substr(of + 4, name.rfind(' ') - of - 4) + "_" + name.substr(begin, of - begin);
  }
  if (!name.starts_with("<part ")) return name.substr(1, name.find(' ') - 1);
  const std::size_t begin = name.find(" of ") + 4;
  return printed_name(name.substr(begin, name.rfind(' ') - begin));
}

std::string spoken(std::string text) {
  // The last ones first, which are within others.
  for (std::size_t begin = text.rfind('<'); begin != text.npos;
       begin = begin == 0 ? text.npos : text.rfind('<', begin - 1)) {
    const std::size_t end = text.find('>', begin);
    if (end == text.npos) continue;
    const std::string name = text.substr(begin, end - begin + 1);
    const std::string kind = name.substr(0, name.find(' '));
    const std::string words = kind == "<part"               ? "an item of " + printed_name(name)
                              : kind == "<attribute"        ? printed_name(name)
                              : kind.starts_with("<choice") ? "the value chosen"
                              : kind == "<value"            ? "the value returned"
                              : kind == "<last"             ? "the loop's variable"
                              : kind == "<go"               ? "whether the loop goes on"
                              : kind == "<jump"             ? "whether the rest runs"
                              : kind == "<condition"        ? "the loop's condition"
                                                            : name;
    text.replace(begin, name.size(), words);
  }
  return text;
}

}  // namespace rewriter
