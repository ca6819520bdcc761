// What names are bound to while the reader runs a program symbolically. Internal to the reader.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "rewriter/expr/symbolic.hpp"
#include "rewriter/python/ast.hpp"
#include "rewriter/reader/values/array_object.hpp"

namespace rewriter {

struct Value;

/// `np`, `np.random`: the module's full name. What NumPy has objects for that only have functions
/// and constants is one too: a generator of random numbers, np.finfo(float).
struct Module {
  std::string name;
  NodePtr seed{};  ///< of a generator
};
/// A masked selection of an array; see selection.hpp. Copies are the same array, as in Python.
struct Selected {
  ObjectPtr whole;
  ObjectPtr mask;
  int first = 0;
  int axis = -1;  ///< of np.nonzero(mask): the axis of which these are the places
};
/// `np.exp`: the key of a function of functions.hpp; for a method the array too.
struct Function {
  std::string name;
  ObjectPtr self;
  std::optional<Selected> selection{};  ///< likewise, of a method of a selection
  /// Whether it is no function but the dtype of this type, which the caller's arrays of floats
  /// may not all have: OfSomeFloats.
  enum class Dtype : std::uint8_t { No, Yes, OfSomeFloats } dtype = Dtype::No;
};
/// A list that Python has just made: a number larger than those of all before it.
std::uint64_t new_list();
/// The number of the last one; lists are numbered from there again.
std::uint64_t last_list();
void forget_lists_after(std::uint64_t number);

/// The values that a container holds. Copies share them until one of them changes. Throws
/// CUDAMatException where containers would hold each other more than kDeepest deep.
class Items {
 public:
  Items();
  Items(std::vector<Value> values);  // NOLINT(google-explicit-constructor): items are values
  Items(std::initializer_list<Value> values);  // NOLINT(google-explicit-constructor)

  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] const Value* begin() const;
  [[nodiscard]] const Value* end() const;
  [[nodiscard]] const Value& operator[](std::size_t i) const;
  /// To be changed; other copies keep what they have. What is put into it is noted.
  [[nodiscard]] std::vector<Value>& own();
  /// To be changed in all copies; likewise.
  [[nodiscard]] std::vector<Value>& shared();
  void note(const Value& value);  ///< which is to be put into it
  void push_back(Value value);
  /// Whether both are the same memory, as copies are.
  [[nodiscard]] bool is_same(const Items& other) const { return held_ == other.held_; }

 private:
  struct Held;
  bool holds(const Items& other, std::unordered_set<const Held*>& seen) const;

  std::shared_ptr<Held> held_;
};

struct Slice {
  std::optional<Affine> start, stop, step;
  Items numbers{};  ///< the three, or None, where one of them is no int: for np.r_ and np.mgrid
};

struct Sequence {
  bool list = false;
  Items items;
  std::uint64_t number = new_list();  ///< of a list: which one it is; copies have the same number
  /// A set: a list of different values, whose order Python makes otherwise.
  bool is_set = false;
  std::string_view kin{};  ///< "frozenset" of such a set, "deque" of such a list
  std::size_t most = 0;    ///< of a deque with maxlen; 0: any number
  std::string fields{};    ///< of a named tuple: their names, separated by spaces
};
/// A complex number or array: its real and its imaginary part; see complex.hpp.
struct Complex {
  Items parts;
};
/// A dictionary, in the order of insertion; keys are numbers, texts and tuples of such.
struct Dict {
  Items keys;
  Items values;
  std::uint64_t number = new_list();  ///< as a Sequence's
  std::string type{};                 ///< of module collections; empty of a dict
  Items standard{};                   ///< of a defaultdict: the function that makes what is missing
};
/// The type of a Dict that represents np.nditer(x, flags=["multi_index"]): the array's shape, and
/// the number of the place where it is.
inline constexpr std::string_view kPlaces = "numpy.nditer";

/// What a loop iterates over: the rows of an array, zip(...), enumerate(...),
/// reversed(...).
struct Iteration {
  enum class Kind : std::uint8_t {
    Rows,
    Zip,
    Enumerate,
    Reversed,
    Selected,  ///< of the first part the elements where an array of booleans, the second, is true
  } kind = Kind::Rows;
  Items parts;
  Index start = 0;  ///< Enumerate
};
/// What the elements of a list are.
struct ElementType {
  DType dtype = DType::Float;  ///< the widest
  bool is_python = true;       ///< all are Python's numbers
  Dims dims{};                 ///< of an element that is an array

  friend bool operator==(const ElementType&, const ElementType&) = default;
};
/// A list to which a loop appends numbers, or arrays of one shape: the first `length` elements, or
/// parts along the first axis, of an array of floats.
struct NumberList {
  ObjectPtr cell;
  Affine length;
  std::optional<ElementType> type{};  ///< of an empty list nothing
  std::uint64_t number = new_list();  ///< as a Sequence's
};
/// A list to which statements append that may not run: the first `count` elements of an array of
/// floats, or its columns, which need not move where one is written.
struct RunList {
  /// What it holds, each alike.
  struct Form {
    enum class Is : std::uint8_t { Numbers, Arrays, Tuples, Lists } kind = Is::Numbers;
    Dims dims{};                          ///< of an array; of the others how many numbers they are
    std::vector<ElementType> types = {};  ///< of these, or the one of all

    friend bool operator==(const Form&, const Form&) = default;
  };
  ObjectPtr cell;
  ObjectPtr count;
  Form form;
  std::uint64_t number = new_list();  ///< as a Sequence's
};
/// A text that holds numbers of the run.
struct Text {
  struct Piece {
    std::string text;  ///< itself, or the format of a number
    std::variant<std::monostate, Affine, ObjectPtr> number;
  };
  std::vector<Piece> pieces;
};
/// range(start, stop, step)
struct RangeValue {
  Index start = 0;
  Index stop = 0;
  Index step = 1;
};
/// The names of a function's call that functions defined in it see. Internal to the interpreter.
struct Enclosing;
class Interpreter;
/// A function of the program: its def or lambda, and the values of the parameters' defaults.
struct UserFunction {
  std::string name;
  std::uint32_t statement = 0;  ///< of its def
  Items defaults;
  ast::ExprId lambda = ast::kNoExpr;
  std::shared_ptr<Enclosing> enclosing{};
  std::vector<std::pair<std::string, Value>> captured;  ///< names of comprehensions around it
  Interpreter* owner = nullptr;                         ///< which runs it
  bool is_cached = false;                               ///< it keeps its results: lru_cache
  std::string shown{};                                  ///< its __name__, where that is another
};
/// Something of a module that computes nothing: time, matplotlib. All that is taken from it and
/// called is of this kind, too.
struct Ignored {
  std::string name;
  bool is_text = false;  ///< represents a string chosen at run time, see chosen_text()
};
/// An object of Python's own, which the Python around the reader keeps: a function of a module that
/// is not the program's, or what such a one made; see outside.hpp.
struct OutsideObject {
  std::int64_t number = 0;
  std::string told;  ///< what it is
  bool truth = true;
};
/// A function of the table, by name, with its first arguments: a method of a list, a dictionary or
/// a text, what functools.partial makes, and others.
struct Method {
  std::string name;
  Items self;
};
/// What is None, or an empty list or dictionary, unless statements bound it at run
/// time; see perhaps.cpp.
struct Perhaps {
  ObjectPtr is_set;
  Items parts;  ///< what they bound, and what it is else

  [[nodiscard]] const Value& value() const { return parts[0]; }
  [[nodiscard]] const Value& otherwise() const { return parts[1]; }
};
/// A class of the program and what is made of one; see objects.hpp.
struct Class;
struct Instance;
using ClassPtr = std::shared_ptr<Class>;
using InstancePtr = std::shared_ptr<Instance>;
/// super(): an object, or a class, with the attributes that the bases of a class give it.
struct Super {
  ClassPtr below;  ///< the class whose bases these are
  Items self;
};
/// What a class binds to a name that is no plain method.
struct Descriptor {
  enum class Kind : std::uint8_t {
    Property,
    Cached,  ///< cached_property
    Static,
    OfClass
  } kind = Kind::Property;
  Items functions;  ///< of a property: what gets it, and what sets it or None
};
struct NoneValue {};
struct EllipsisValue {};

using AnyValue =
    std::variant<NoneValue, bool, std::int64_t, double, std::string, ObjectPtr, Module, Function,
                 Slice, EllipsisValue, Sequence, Affine, NumberList, RunList, Text, RangeValue,
                 UserFunction, Dict, Iteration, Ignored, Method, Selected, Complex, Perhaps,
                 ClassPtr, InstancePtr, Super, Descriptor, OutsideObject>;
/// That, copied and destroyed by code which is compiled once: it is long.
struct HeldValue : AnyValue {
  using AnyValue::AnyValue;
  HeldValue();
  HeldValue(const HeldValue&);
  HeldValue(HeldValue&&) noexcept;
  HeldValue& operator=(const HeldValue&);
  HeldValue& operator=(HeldValue&&) noexcept;
  ~HeldValue();
};

/// A Python value.
struct Value {
  HeldValue held;
  bool is_numpy = false;         ///< a number that is NumPy's, as np.sqrt(2.0) is
  std::uint8_t float_bits = 64;  ///< how wide such a float is

  template <class T>
  [[nodiscard]] const T* as() const {
    return std::get_if<T>(&held);
  }
  [[nodiscard]] bool is_none() const { return as<NoneValue>() != nullptr; }
  /// A bool, an int or a float.
  [[nodiscard]] bool is_number() const { return held.index() >= 1 && held.index() <= 3; }
  [[nodiscard]] bool is_real() const { return as<double>() != nullptr; }
  [[nodiscard]] double real() const;
  /// Of a bool or an int; raises an error for others, calling it `what`.
  [[nodiscard]] Index integer(const std::string& what) const;
  /// The same, of an int that depends on loops too.
  [[nodiscard]] Affine affine(const std::string& what) const;
  /// A bool, an int, or an int that depends on loops.
  [[nodiscard]] bool is_integer() const {
    return (is_number() && !is_real()) || as<Affine>() != nullptr;
  }
  /// A number or an array, known or not: what the run can choose.
  [[nodiscard]] bool is_data() const {
    return as<ObjectPtr>() != nullptr || is_number() || is_integer();
  }
  /// "an int", "an array of shape (3,)", "the function np.exp": for messages.
  [[nodiscard]] std::string description() const;
};

struct Items::Held {
  std::vector<Value> values{};
  int depth = 1;   ///< levels of containers, this one and those that it was made to hold
  int around = 0;  ///< and those that it was put into
};

inline Items::Items() : held_(std::make_shared<Held>()) {}
inline Items::Items(std::vector<Value> values) : held_(std::make_shared<Held>(std::move(values))) {
  for (const Value& value : held_->values) note(value);
}
inline Items::Items(std::initializer_list<Value> values) : Items(std::vector<Value>(values)) {}
inline std::size_t Items::size() const {
  return held_ ? held_->values.size() : 0;  // null: it was moved from
}
inline const Value* Items::begin() const {
  return held_ ? held_->values.data() : nullptr;
}
inline const Value* Items::end() const {
  return held_ ? held_->values.data() + held_->values.size() : nullptr;
}
inline const Value& Items::operator[](std::size_t i) const {
  return held_->values[i];
}
inline std::vector<Value>& Items::own() {
  if (!held_)
    held_ = std::make_shared<Held>();
  else if (held_.use_count() > 1)
    held_ = std::make_shared<Held>(held_->values, held_->depth);
  return held_->values;
}
inline std::vector<Value>& Items::shared() {
  return held_->values;
}
inline void Items::push_back(Value value) {
  std::vector<Value>& values = own();
  note(value);
  values.push_back(std::move(value));
}

/// An array of its own memory; a 0-d result stays an array.
Value new_array(const Array& array, bool contiguous = true);
/// Whether it has memory of its own, and this is the only one to hold it.
bool is_held_once(const ObjectPtr& object);
/// The same of an array that shares the memory of `of` in NumPy or not: writing to either
/// raises an error with this text, as long as the other exists.
Value new_array_unless_shared(const Array& array, const ObjectPtr& of, const std::string& why,
                              bool contiguous = true);
/// A Python number that is known only at run time.
Value python_number(const Array& number);
/// What subscript() gives for a place of one element, as Python's number: known where that is.
Value python_element(const Value& element);
/// Whether it is a bool, an int or a float of Python's, known or not.
bool is_python_number(const Value& value);

/// The type of a list's elements; nothing of others and of empty lists.
std::optional<ElementType> element_type(const Value& list);
/// Of one element.
ElementType type_of_element(const Value& item);
/// The type of a list that holds elements of both types; raises an error for booleans among others.
std::optional<ElementType> joined_types(const std::optional<ElementType>& a,
                                        const std::optional<ElementType>& b);

/// Throws CUDAMatException where calls and blocks are too deep in each other for the thread's
/// stack.
void check_stack();

/// An array of these elements, which a program would write as np.array([...]).
Array written_out(npmat::Array<double> data, DType dtype);

/// Numbers, arrays and nested lists of them as an array. Raises an error for others, calling them
/// `what`.
Array to_array(const Value& value, const std::string& what);

/// Python's arithmetic on two numbers.
Value number_arithmetic(ast::Operator op, const Value& a, const Value& b);

/// An int: known, if the value is.
Value integer_value(const Affine& value);

/// Whether the value is true, if that is known when the program is read.
std::optional<bool> truth_of(const Value& value);
/// Raises an error where Python raises one in an iteration: a division by 0, a power that has no
/// real value.
void refuse_python_errors(ast::Operator op, const Value& left, const Value& right);

/// Whether the run chooses it among integers of different types.
bool is_of_either_width(const Value& value);

/// `a.astype(dtype)`: floats are truncated to integers, and elements that are not 0 are true.
Array converted(const Array& a, DType dtype);

}  // namespace rewriter
