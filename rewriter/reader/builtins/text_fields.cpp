// The fields of `format % values` and text.format(...).
#include <algorithm>

#include "rewriter/expr/text_format.hpp"
#include "rewriter/reader/builtins/text_parts.hpp"
#include "rewriter/reader/operators/text.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

/// A field of `format % values`: %(key)-08.3f.
struct PercentField {
  std::optional<std::string> key{};
  std::string flags{};
  std::string width{};  ///< with the precision: "8.3"; stars are replaced
  char type = 0;
};

/// What is formatted by `%`, one after the other.
class Percent {
 public:
  Percent(const std::string& format, const Value& values)
      : format_(format), values_(values), tuple_(values.as<Sequence>()) {
    if (tuple_ != nullptr && (tuple_->list || tuple_->kin == "bytes")) tuple_ = nullptr;
  }

  Value text() {
    while (at_ < format_.size()) {
      const std::size_t next = std::min(format_.find('%', at_), format_.size());
      if (next > at_) text_.pieces.push_back({format_.substr(at_, next - at_), {}});
      at_ = next;
      if (at_ < format_.size()) add(field());
    }
    const bool is_mapping = values_.as<Dict>() != nullptr;
    if (tuple_ != nullptr ? used_ != tuple_->items.size() : used_ == 0 && !is_mapping)
      misuse(Exception::TypeError, "program", "not all values are used by the format");
    return simplified(std::move(text_));
  }

 private:
  std::string taken(std::string_view letters) {
    const std::size_t end = std::min(format_.find_first_not_of(letters, at_), format_.size());
    std::string found = format_.substr(at_, end - at_);
    at_ = end;
    return found;
  }

  const Value& next() {
    const std::size_t count = tuple_ != nullptr ? tuple_->items.size() : 1;
    if (used_ == count)
      misuse(Exception::TypeError, "program", "not enough values for the format; got {}", count);
    return tuple_ != nullptr ? tuple_->items[used_++] : (++used_, values_);
  }

  PercentField field() {
    PercentField made;
    ++at_;
    if (at_ < format_.size() && format_[at_] == '(') {
      const std::size_t end = format_.find(')', at_);
      if (end == std::string::npos)
        misuse(Exception::ValueError, "program", "incomplete format key");
      made.key = format_.substr(at_ + 1, end - at_ - 1);
      at_ = end + 1;
    }
    made.flags = taken("#0- +");
    for (const char part : taken("0123456789.*")) {
      made.width +=
          part == '*' ? fmt::format("{}", next().integer("a width")) : std::string(1, part);
    }
    (void)taken("hlL");
    if (at_ == format_.size()) misuse(Exception::ValueError, "program", "incomplete format");
    made.type = format_[at_++];
    if (made.width.starts_with('-')) made.flags += '-', made.width.erase(0, 1);
    return made;
  }

  void add(const PercentField& field) {
    const auto has = [&](char flag) { return field.flags.find(flag) != std::string::npos; };
    if (field.type == '%') return text_.pieces.push_back({"%", {}});
    const auto* dict = values_.as<Dict>();
    if (field.key && dict == nullptr)
      misuse(Exception::TypeError, "program", "format requires a mapping");
    const Value value = field.key ? subscript(values_, {Value{*field.key}}) : next();
    if (field.type == 's' || field.type == 'r' || field.type == 'a') {
      const std::string type(1, field.type == 'a' ? 'r' : field.type);
      if (field.width.find('.') == std::string::npos)
        return append_text(text_, value, (has('-') ? "-" : "") + field.width + type);
      const auto known = type == "r" ? known_repr(value) : known_text(value);
      if (!known) misuse("program", "the format %{}{} is not supported", field.width, type);
      return add_known((has('-') ? "<" : ">") + field.width, {*known});
    }
    if (std::string_view("diuxXocfFeEgG").find(field.type) == std::string_view::npos)
      misuse("program", "the format %{} is not supported; %s, %d, %g and %.4f are", field.type);
    const char type = field.type == 'i' || field.type == 'u' ? 'd' : field.type;
    const std::string how = std::string(has('-') ? "<" : "") +
                            (has('+')   ? "+"
                             : has(' ') ? " "
                                        : "") +
                            (has('#') ? "#" : "") + (has('0') && !has('-') ? "0" : "") +
                            field.width + type;
    if (type == 'c') {
      const auto* letter = value.as<std::string>();
      const Value shown = letter != nullptr ? value : call_function({"chr", {value}, {}, steps_});
      return add_known((has('-') ? "<" : ">") + field.width, shown);
    }
    if (value.as<std::string>() != nullptr)
      throw PythonError("TypeError", "program",
                        fmt::format("%{} format: a real number is required, not str", type),
                        {{fmt::format("%{} format: a real number is required, not str", type)}});
    if (is_number_format(how)) return append(text_, value, how);
    if (!value.is_number() || (type == 'd' && field.width.find('.') != std::string::npos))
      misuse("program", "the format %{} of {} is not supported; %s, %d, %g and %.4f are", how,
             value.description());
    add_known(how, value);
  }

  void add_known(const std::string& how, const Value& value) {
    append(text_, formatted_value(value, "", how), "");
  }

  const std::string& format_;
  const Value& values_;
  const Sequence* tuple_;  ///< null: one value, or a dictionary
  std::size_t at_ = 0, used_ = 0;
  Text text_;
  std::vector<NodePtr> steps_;
};

}  // namespace

Value formatted_text(const std::string& format, const Value& values) {
  if (has_no_text(values)) return {Ignored{"str() of an array"}};
  return Percent(format, values).text();
}

/// The text of a field, which may be an object's.
static Value field_text(const Call& call, const Value& value, const std::string& conversion,
                        const std::string& how) {
  const bool is_plain = value.as<InstancePtr>() == nullptr && value.as<ClassPtr>() == nullptr &&
                        value.as<Sequence>() == nullptr && value.as<Dict>() == nullptr;
  if (is_plain || call.caller == nullptr) return formatted_value(value, conversion, how);
  const auto of = [&](const char* function, std::vector<Value> arguments) {
    Call made{function, std::move(arguments), {}, call.steps};
    return call.reader().call_value({Function{function, nullptr}}, made);
  };
  if (conversion.empty()) return of("format", {value, {how}});
  return formatted_value(of(conversion == "s" ? "str" : "repr", {value}), "", how);
}

namespace {

/// The fields of text.format(...): {} {0} {name} {0:.3f} {0[key]:{width}}.
class Braces {
 public:
  explicit Braces(const Call& call) : call_(call) {}

  Value text(const std::string& format) {
    Value result{std::string()};
    const auto add = [&](const Value& part) { result = joined_texts(result, part); };
    for (std::size_t i = 0; i < format.size();) {
      const char c = format[i];
      if ((c == '{' || c == '}') && i + 1 < format.size() && format[i + 1] == c) {
        add({std::string(1, c)});
        i += 2;
        continue;
      }
      if (c == '}')
        misuse(Exception::ValueError, ".format", "Single '}}' encountered in format string");
      if (c != '{') {
        const std::size_t next = std::min(format.find_first_of("{}", i), format.size());
        add({format.substr(i, next - i)});
        i = next;
        continue;
      }
      const std::size_t end = end_of_field(format, i);
      add(field(format.substr(i + 1, end - i - 1)));
      i = end + 1;
    }
    return result;
  }

 private:
  static std::size_t end_of_field(const std::string& format, std::size_t at) {
    for (int open = 0; at < format.size(); ++at) {
      if (format[at] == '{') ++open;
      if (format[at] == '}' && --open == 0) return at;
    }
    misuse(Exception::ValueError, ".format", "expected '}}' before end of string");
  }

  Value field(std::string name) {
    std::string how, conversion;
    if (const std::size_t colon = name.find(':'); colon != std::string::npos) {
      how = name.substr(colon + 1);
      name.resize(colon);
    }
    if (const std::size_t mark = name.find('!'); mark != std::string::npos) {
      conversion = name.substr(mark + 1);
      name.resize(mark);
    }
    const Value value = part_of(name);
    if (how.find('{') != std::string::npos) {
      const Value given = text(how);
      const auto* known = given.as<std::string>();
      if (known == nullptr) misuse(".format", "a format must be known when the program is read");
      how = *known;
    }
    return field_text(call_, value, conversion, how);
  }

  /// name.attribute[key]
  Value part_of(const std::string& path) {
    std::size_t at = std::min(path.find_first_of(".["), path.size());
    Value value = argument(path.substr(0, at));
    while (at < path.size()) {
      if (path[at] == '[') {
        const std::size_t end = path.find(']', at);
        if (end == std::string::npos)
          misuse(Exception::ValueError, ".format", "Missing ']' in format string");
        const std::string key = path.substr(at + 1, end - at - 1);
        value = subscript(
            value, {is_place(key) ? Value{static_cast<std::int64_t>(std::stol(key))} : Value{key}});
        at = end + 1;
        continue;
      }
      const std::size_t end = std::min(path.find_first_of(".[", at + 1), path.size());
      Call made{"getattr", {value, {path.substr(at + 1, end - at - 1)}}, {}, call_.steps};
      value = call_.reader().call_value({Function{"getattr", nullptr}}, made);
      at = end;
    }
    return value;
  }

  static bool is_place(const std::string& name) {
    return !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
  }

  Value argument(const std::string& name) {
    if (!name.empty() && !is_place(name)) {
      for (const auto& [keyword, given] : call_.keywords)
        if (keyword == name) return given;
      throw PythonError("KeyError", ".format", fmt::format("the field {{{}}} has no value", name),
                        {{name}});
    }
    const std::size_t at = name.empty() ? automatic_++ : std::stoul(name);
    if (at < call_.arguments.size()) return call_.arguments[at];
    const std::string message = fmt::format("the field {{{}}} has no value", name);
    if (call_.name.ends_with("format_map"))
      throw PythonError("ValueError", ".format", message,
                        {{"Format string contains positional fields"}});
    throw PythonError(
        "IndexError", ".format", message,
        {{fmt::format("Replacement index {} out of range for positional args tuple", at)}});
  }

  const Call& call_;
  std::size_t automatic_ = 0;
};

}  // namespace

Value formatted_by_braces(const std::string& format, const Call& call) {
  return Braces(call).text(format);
}

}  // namespace rewriter
