// Classes of the program, their objects, and exceptions. Internal to the reader.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/source.hpp"

namespace rewriter {

struct Class {
  enum class Kind : std::uint8_t { Plain, Data, Tuple, Enum, Exception };
  /// Of a dataclass or a named tuple.
  struct Field {
    std::string name;
    std::optional<Value> standard{};
    bool is_made = false;     ///< the standard is a function that makes it
    bool is_argument = true;  ///< a parameter of the class
    bool is_compared = true;  ///< by == and <
    bool is_shown = true;     ///< by repr()
  };

  std::string name;
  Kind kind = Kind::Plain;
  std::uint64_t number = 0;
  std::vector<ClassPtr> bases{};  ///< all of them, in the order in which attributes are looked up
  std::unordered_map<std::string, Value> members{};  ///< that do not change
  std::vector<std::string> attributes{};             ///< names of those that may change
  std::vector<Field> fields{};
  bool holds_numbers = false;        ///< an IntEnum: its members are ints
  bool holds_texts = false;          ///< an enum with the base str: its members are strings
  bool is_reprs = false;             ///< str() of its members is that of what they are
  bool is_flag = false;              ///< an enum whose members are combined by | & ^ ~
  std::optional<Value> container{};  ///< the base if it is dict, list or a subclass
  std::string unusable{};            ///< why, where the body cannot be read
  bool is_abstract = false;          ///< Python looks for abstract methods before it makes objects
  bool is_frozen = false;            ///< a dataclass with frozen=True
  bool compares_fields = true;       ///< one without eq=False
  bool shows_fields = true;          ///< one without repr=False
  bool takes_names = false;          ///< one with kw_only=True
  bool is_pythons = false;           ///< of one of Python's own modules, or with a base that is
  bool is_callers = false;           ///< of a converted function: of the module around it
  std::string outside{};             ///< a base whose source is not read

  /// Whether it is that class or has it as a base.
  [[nodiscard]] bool is_a(const Class& other) const;
  /// Of this class or of the first base that has such a member; null if none has.
  [[nodiscard]] const Value* member(const std::string& name) const;
};

struct Instance {
  ClassPtr type;
  std::uint64_t number = 0;
  std::string name;                       ///< by which lists and messages call it
  std::vector<std::string> attributes{};  ///< all that it ever had, in order
  std::optional<std::int64_t> whole{};    ///< of a member of an IntEnum
  std::optional<std::string> text{};      ///< of a member of an enum of strings
};
/// The int or the string that a member of an enum is; other values themselves.
Value whole_of(const Value& value);

/// An exception that the program raises while it is read.
class RaisedException : public ProgramError {
 public:
  RaisedException(const Source& source, Span span, const std::string& message, Value exception)
      : ProgramError(source, span, message),
        exception_(std::make_shared<const Value>(std::move(exception))) {}
  [[nodiscard]] const Value& exception() const { return *exception_; }
  /// Its class; null where it is no object.
  [[nodiscard]] ClassPtr type() const {
    const auto* object = exception_->as<InstancePtr>();
    return object != nullptr ? (*object)->type : nullptr;
  }
  [[nodiscard]] bool is_a(const Class& other) const {
    const ClassPtr own = type();
    return own != nullptr && own->is_a(other);
  }

 private:
  std::shared_ptr<const Value> exception_;
};
/// A misuse that Python has an exception for, which programs may catch.
class PythonError : public cudamat::CUDAMatException {
 public:
  /// `arguments`: what Python makes the exception of, where that is not the message.
  PythonError(std::string type, const std::string& operation, const std::string& message,
              std::vector<Value> arguments = {})
      : cudamat::CUDAMatException(operation, message),
        type_(std::move(type)),
        arguments_(arguments.empty() ? std::vector<Value>{{message}} : std::move(arguments)) {}
  [[nodiscard]] const std::string& type() const { return type_; }
  [[nodiscard]] std::vector<Value> arguments() const {
    return {arguments_.begin(), arguments_.end()};
  }

 private:
  std::string type_;
  Items arguments_;
};

/// Whether the name is that of an attribute, and of which object: its number.
bool is_attribute(const std::string& name);
std::uint64_t number_of_attribute(const std::string& name);
/// The name of its own that it has in the reader.
std::string attribute_name(const Instance& object, const std::string& attribute);
std::string attribute_name(const Class& type, const std::string& attribute);

/// The attribute that holds the items of an object which is a container.
inline constexpr std::string_view kItems = "(items)";  // what an object holds that is a container

/// Null of other values.
const Instance* instance_of(const Value& value);

/// Whether it is an object or a class of the program.
bool is_object(const Value& value);

}  // namespace rewriter
