// What names are bound to while the reader runs a program symbolically. Internal to the reader.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "rewriter/expr/symbolic.hpp"
#include "rewriter/python/ast.hpp"

namespace rewriter {

/// How a view's array is made from its base's.
struct ViewStep {
  enum class Kind : std::uint8_t { Slice, Transpose, Reshape, Steps, Diagonal, Broadcast };
  Kind kind = Kind::Reshape;
  std::vector<Range> ranges{};  ///< Slice
  Dims dims{};                  ///< Reshape, Broadcast
  std::vector<int> axes{};      ///< Transpose: of Array::transpose
  int axis = 0;                 ///< Steps
  Steps steps{};                ///< Steps
  Index diagonal = 0;           ///< Diagonal: which one

  [[nodiscard]] Array apply(const Array& base) const;
  /// The base after `value` was written to the view.
  [[nodiscard]] Array write_back(const Array& base, const Array& value) const;
};

/// A NumPy array as names share it: memory of its own, or a view of another's. What it holds
/// changes when NumPy would write in place; every name and view of the memory then sees the new
/// value.
class ArrayObject;
using ObjectPtr = std::shared_ptr<ArrayObject>;

class ArrayObject {
 public:
  /// `contiguous`: in C order in NumPy's memory, so that reshape() gives a view. `python`: no array
  /// but a Python number that is known only at run time.
  ArrayObject(Array value, bool contiguous, bool python = false);
  ArrayObject(std::shared_ptr<ArrayObject> base, ViewStep step, bool contiguous);
  ArrayObject(const ArrayObject&) = delete;
  ArrayObject& operator=(const ArrayObject&) = delete;
  ~ArrayObject();  // long chains of views are destroyed iteratively

  /// The array that it holds now.
  Array read();
  /// Writes in place: a value of the same shape.
  void write(const Array& value);

  /// The owner of the memory; this one, if it is not a view.
  [[nodiscard]] static ObjectPtr root_of(const ObjectPtr& object);
  [[nodiscard]] const ArrayObject* owner() const { return root_ ? root_.get() : this; }
  /// Of an owner: how often the program wrote into its memory.
  [[nodiscard]] std::uint64_t writes() const { return writes_; }
  /// Of an owner: it now holds this value, and counts as written so often.
  void replace(const Array& value, std::uint64_t writes);
  /// The views between this and the owner show what they show when the loop's variable has this
  /// value.
  void fix(const LoopPtr& loop, Index value);

  /// What views of the memory show is computed anew if its node is not older than this one.
  void forget(std::uint64_t since);

  /// Of an owner: how wide NumPy's floats are in this memory, where that was said.
  [[nodiscard]] int float_bits() { return root().float_bits_; }
  void set_float_bits(int bits) { root().float_bits_ = bits; }
  [[nodiscard]] bool contiguous() const { return contiguous_; }
  /// NumPy made it in an order that follows from things which are not modelled here.
  void forget_order() { contiguous_ = false; }
  [[nodiscard]] bool is_python() const { return python_; }
  /// NumPy's a.flat, of which parts are copies.
  [[nodiscard]] bool is_flat() const { return flat_; }
  void become_flat() { flat_ = true; }
  /// Whether it is immutable: a Python number or a NumPy scalar.
  [[nodiscard]] bool is_scalar() { return python_ || is_numpy_scalar(read()); }
  [[nodiscard]] const Dims& shape() const { return value_.shape(); }
  /// Writing would reach an array that may share the memory in NumPy, depending on its layout: it
  /// raises an error with this text.
  void refuse_writes(std::string why) {
    root().refusal_ = std::move(why);
    root().refused_for_.clear();
  }
  /// The same as long as that array is there, which a program may still read.
  void refuse_writes_beside(const std::shared_ptr<ArrayObject>& other, const std::string& why);
  /// In NumPy this is a view of `of` at an index known only at run time; here it is a copy, which
  /// must not be read after `of` is written.
  void stands_for_part_of(const ObjectPtr& of);
  [[nodiscard]] bool stands_for_part() const { return part_of_ != nullptr; }
  /// Whether it is such a copy, of an array that was written since.
  [[nodiscard]] bool is_outdated() {
    const ArrayObject& owner = root();
    return owner.part_of_ != nullptr && owner.part_of_->writes_ != owner.part_writes_;
  }
  /// The memory is this owner's or one of these, from before a condition; which is known only at
  /// run time.
  void may_be(std::vector<ObjectPtr> others) { origins_ = std::move(others); }
  /// Those of them which something else may still show; in their place what they may be.
  [[nodiscard]] const std::vector<ObjectPtr>& origins();
  /// In the first iteration of a loop that is being read, the memory is that owner's.
  void begins_as(ObjectPtr owner) { beginning_ = std::move(owner); }
  /// Of an owner: how often the program wrote into what may be its memory at run time.
  [[nodiscard]] std::uint64_t perhaps_writes() const { return perhaps_writes_; }
  /// Whether that, or its own memory, was ever written.
  [[nodiscard]] bool may_be_written() const {
    return writes_ > 0 || perhaps_writes_ > 0 || wrote_origin_;
  }
  [[nodiscard]] const ObjectPtr& beginning() const { return beginning_; }
  /// That text; empty where writing is possible.
  [[nodiscard]] const std::string& refusal();

 private:
  ArrayObject& root();
  /// Of an owner: the program writes into its memory.
  void count_write();

  static constexpr std::uint64_t kStale = ~std::uint64_t{0};

  Array value_;
  bool contiguous_;
  bool python_ = false;
  bool flat_ = false;
  std::uint64_t version_ = 0;  ///< of the root when value_ was made
  std::uint64_t writes_ = 0;
  std::shared_ptr<ArrayObject> base_;
  std::shared_ptr<ArrayObject> root_;  ///< the owner of the memory; null: this one
  ViewStep step_;
  std::shared_ptr<ArrayObject> part_of_;
  std::uint64_t part_writes_ = 0;  ///< of that, when this was made
  std::string refusal_;
  std::vector<std::weak_ptr<ArrayObject>> refused_for_;  ///< beside these; empty: in any case
  bool is_beside_ = false;  ///< another one has this in its refused_for_
  std::vector<ObjectPtr> origins_;
  bool wrote_origin_ = false;  ///< into one that is no more
  ObjectPtr beginning_;
  std::uint64_t perhaps_writes_ = 0;
  int float_bits_ = 0;
};

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
  std::size_t most = 0;  ///< of a deque with maxlen; 0: any number
  std::string fields{};  ///< of a named tuple: their names, separated by spaces
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

  friend bool operator==(const ElementType&, const ElementType&) = default;
};
/// A list to which a loop appends numbers: the first `length` elements of an array of floats.
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

/// Which list or dictionary it is; nothing of other values.
std::optional<std::uint64_t> list_number(const Value& value);
/// What holds the list of that number (the value itself, an item of it, a default of a parameter)
/// holds `list` from now on. Whether anything does.
bool replace_list(Value& value, const Value& list, std::uint64_t number);

/// The type of a list's elements; nothing of others and of empty lists.
std::optional<ElementType> element_type(const Value& list);
/// The type of a list that holds elements of both types; raises an error for booleans among others.
std::optional<ElementType> joined_types(const std::optional<ElementType>& a,
                                        const std::optional<ElementType>& b);

/// Throws CUDAMatException where calls and blocks are too deep in each other for the thread's
/// stack.
void check_stack();

/// A list or a tuple of these.
Value new_sequence(bool list, std::vector<Value> items);
/// Python's iterators over these items.
Value gone_through(std::vector<Value> items);
/// Whether two static values are equal, as in Python; nothing if that is not known.
std::optional<bool> known_equal(const Value& a, const Value& b);
/// a < b of static values: numbers, strings, tuples of these.
Value known_less(const Value& a, const Value& b);
/// Calls f with the value and, if it is a container, with all values in it.
template <class F>
void for_each_part(const Value& value, const F& f) {
  f(value);
  const auto each = [&](const Items& items) {
    for (const Value& item : items) for_each_part(item, f);
  };
  if (const auto* sequence = value.as<Sequence>()) each(sequence->items);
  if (const auto* dict = value.as<Dict>()) each(dict->values);
  if (const auto* iteration = value.as<Iteration>()) each(iteration->parts);
  if (const auto* z = value.as<Complex>()) each(z->parts);
  if (const auto* perhaps = value.as<Perhaps>()) each(perhaps->parts);
}
/// Of a dictionary; null if it has no such key.
const Value* find_key(const Dict& dict, const Value& key);
void set_key(Dict& dict, const Value& key, const Value& value);
void set_key(std::vector<Value>& keys, std::vector<Value>& values, const Value& key,
             const Value& value);

/// What dict(value) makes.
Dict dict_of(const Value& value);
/// Of a dictionary; nothing of other values.
std::optional<Value> container_item(const Value& object, const std::vector<Value>& index);
/// An attribute of an array, a masked selection or a complex array; nothing if none has that name.
std::optional<Value> array_attribute(const Value& self, std::string_view name);
/// The method of a list, a dictionary, a set, a text or an int; nothing if it has none of that
/// name.
std::optional<Value> container_method(const Value& self, std::string_view name);

/// Of an element of a list that grows in a loop that is not unrolled, or under a run-time
/// condition.
void refuse_other_than_numbers(const Value& value);
/// A list whose length is known only at run time, as a selection.
Value selected_elements(const RunList& list);
/// Whether it is an int known only at run time.
bool is_run_place(const Value& index);
/// The items, numbers of one type, after one was set at an index known only at run time.
std::vector<Value> items_with(const Sequence& list, const Value& index, const Value& value);
/// Of a number, known or not; nothing of what is none.
std::optional<ElementType> element_type_of(const Value& item);
/// A list of the numbers at which the mask is true, both 1-D: Python's numbers or NumPy's.
Value run_list_of(const Array& numbers, const Array& mask, bool is_python);
/// A list of the items whose condition is true at run time; an item without a condition is always
/// in it.
Value run_list_of(const std::vector<Value>& items, const std::vector<std::optional<Array>>& taken);
Value element_at(const RunList& list, const std::vector<Value>& index);

/// How many elements a loop over the value finds; nothing of values that are not iterable.
std::optional<Index> iteration_length(const Value& value);
/// The element at a position within them, which may depend on loops where all parts are arrays and
/// ranges.
Value iteration_element(const Value& value, const Affine& at);
/// All elements. Raises an error for values that are not iterable.
std::vector<Value> elements_of(const Value& value);

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

/// What a Perhaps is where it is something; other values themselves.
Value if_set(const Value& value);
/// Whether a Perhaps is true, as Python says; other values themselves.
Value truth_if_set(const Value& value);
/// `value is None` and its kin where one side is None and the other a Perhaps.
std::optional<Value> compared_with_none(ast::Operator op, const Value& left, const Value& right);

/// A unary operator; a binary one but `and` and `or`, or a comparison; on numbers, arrays, and
/// lists of numbers combined with an array.
Value unary_operator(ast::Operator op, const Value& operand);
Value binary_operator(ast::Operator op, const Value& left, const Value& right);
/// Raises an error where Python raises one in an iteration: a division by 0, a power that has no
/// real value.
void refuse_python_errors(ast::Operator op, const Value& left, const Value& right);

/// Represents a string chosen at run time: prints of it are ignored, and nothing else is done
/// with it but making other strings.
Value chosen_text();
bool is_chosen_text(const Value& value);
/// Whether it is a text: known, with numbers of the run, or one that the run chooses.
bool is_text(const Value& value);

/// A number in what is printed that is an int or a float, known only at run time: its text differs.
std::optional<ObjectPtr> number_of_either_kind(const Value& printed);
/// What is printed, with this value of the number.
Value with_number(const Value& printed, const ObjectPtr& number, const Array& as);

/// What raises an exception of this type with the text. Throws CUDAMatException as print does.
NodePtr raise_node(const std::string& type, const Value& text);
bool is_raise(const Node& node);
/// `left + right` of texts; `format % values`.
constexpr std::size_t kMostText = 1 << 20;  ///< letters that a program may put together
Value joined_texts(const Value& left, const Value& right);
Value formatted_text(const std::string& format, const Value& values);
/// `{value!conversion:format}` of an f-string.
Value formatted_value(const Value& value, const std::string& conversion, const std::string& format);

/// x[index...]: a view or, for one element, its value.
Value subscript(const Value& object, const std::vector<Value>& index);
/// np.c_[index...] and its kin; nothing of other values.
std::optional<Value> index_trick(const Value& object, const std::vector<Value>& index);
/// x[index...] = value.
void assign_subscript(const Value& object, const std::vector<Value>& index, const Value& value);

}  // namespace rewriter
