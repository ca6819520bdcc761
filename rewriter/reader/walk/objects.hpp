// Classes of the program and their objects. Internal to the reader.
//
// The attributes of an object that its program may change are names that programs cannot have:
// "<attribute w of model 7>". All of them are names of the call that is being read, whichever call
// made the object, so loops and conditions handle them like the other names that their bodies read
// and assign. A class itself holds its attributes that never change (functions, strings).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "rewriter/reader/table/table.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/source.hpp"

namespace rewriter {

class Interpreter;

/// What Python does with objects: attributes, special methods, and the functions that ask for them.
class Objects {
 public:
  explicit Objects(Interpreter& reader) : reader_(reader) {}

  /// Runs a class statement.
  void define(std::uint32_t statement);
  /// With the decorators of a def or a class, the value that its name gets.
  Value decorated(std::uint32_t statement, Value value);
  /// The next object that this expression makes is called so.
  void suggest(std::uint32_t expression, std::string name);
  Value instantiate(const ClassPtr& type, const Call& call, std::uint32_t expression);
  /// One of Python's own classes of exceptions; null if there is none of that name.
  ClassPtr exception_class(const std::string& name);
  Value exception(const std::string& type, std::vector<Value> arguments);
  /// A call of a function with `yield`, whose names these are.
  Value new_generator(const UserFunction& function, std::unordered_map<std::string, Value> names);
  /// An iterator over values, of this kind: iter, enumerate, zip, islice, count, cycle.
  Value new_iterator(std::string kind, std::vector<Value> sources);
  /// Of a generator: the function whose statements it runs; null of others.
  const UserFunction* generates(const Value& value);
  /// Whether next() of it gives an item: a generator, or an object with a method __next__.
  bool is_iterator(const Value& value);
  /// A generator expression in the iterable of a `for`: its items are not made yet.
  Value new_expression(ast::ExprId id, const Value& first);
  /// Whether an iterator may have no end: count(), a generator with `while True`, and what takes
  /// its items from such ones alone.
  bool is_endless(const Value& value);
  /// The same iterator; of such an expression, and of zip(...) with one, with the items.
  Value with_items(const Value& iterator);
  /// Of a loop over a generator that has not begun and that nothing else refers to, and over calls
  /// of enumerate, zip and islice with one: the Inlined statement after it that does what both do;
  /// takes the generator's names.
  struct Inlined {
    std::uint32_t statement = 0;
    std::vector<std::pair<std::string, Value>> names{};
  };
  std::optional<Inlined> inlined(std::uint32_t loop, const Value& iterator);
  /// Its next item, if there is one.
  std::optional<Value> next(const Value& iterator, const Value& sent = {});
  /// A generator's send(...), close() and the methods that iterators share; nothing of other names.
  std::optional<Value> call_of_iterator(std::string_view name, const Call& call);
  /// Of a loop that is left: raises an error if the end of the iterator would do something.
  void refuse_unfinished(const Value& iterator);
  /// What its method __iter__ gives, if it has one.
  Value iterator_or_self(const Value& value);
  /// What a loop runs over: an iterator, or what iterable() gives.
  Value iterator_or_items(const Value& value);

  /// What `with` enters gives and, at its end, does.
  Value entered(const Value& manager);
  void exited(const Value& manager);
  /// The same after an exception; whether the manager has dealt with it.
  bool takes(const Value& manager, const RaisedException& raised);

  /// Nothing of values that are no classes or objects. Throws Python's AttributeError.
  std::optional<Value> attribute(const Value& object, const std::string& name);
  void set(const Value& object, const std::string& name, const Value& value);
  void remove(const Value& object, const std::string& name);

  /// What is called where the object is.
  std::optional<Value> call(const Value& callee, Call& call, std::uint32_t expression);
  /// Functions of Python that ask objects: len(x), isinstance(x, C), getattr(x, "w").
  std::optional<Value> call_builtin(Call& call);
  std::optional<Value> binary(ast::Operator op, const Value& left, const Value& right);
  std::optional<Value> in_place(ast::Operator op, const Value& left, const Value& right);
  std::optional<Value> unary(ast::Operator op, const Value& operand);
  std::optional<Value> item(const Value& object, const std::vector<Value>& index);
  bool set_item(const Value& object, const std::vector<Value>& index, const Value& value);
  /// A list or a tuple of what a loop finds in it; other values themselves.
  Value iterable(const Value& value);
  /// As a condition; other values themselves.
  Value truth(const Value& value);
  /// As print and f-strings show it; other values themselves.
  Value text(const Value& value, bool is_repr = false);
  /// As repr() shows it, a text.
  Value repr(const Value& value);
  /// The same of the items of a list, a tuple or a dictionary.
  Value text_of_items(const Value& value);
  /// By format(value, how) and f-strings.
  Value formatted(const Value& value, const std::string& how);
  /// del object[index]; false of what is no object.
  bool remove_item(const Value& object, const std::vector<Value>& index);
  Value copied(const Value& value, bool is_deep);
  /// copy.deepcopy: what is one in the value is one in the copy.
  Value deep_copy(const Value& value);
  /// What the copy that is being made has copied; `none` where there is none.
  [[nodiscard]] std::unordered_map<const void*, Value>& copies(
      std::unordered_map<const void*, Value>& none) {
    return copies_ != nullptr ? *copies_ : none;
  }

  /// The attributes become names of the other call.
  void move(std::unordered_map<std::string, Value>& from,
            std::unordered_map<std::string, Value>& to);
  /// Of a name of the module that a function binds; of an imported one with what holds its names.
  std::string global_name(const std::string& name, const ClassPtr& module = nullptr);
  /// What holds the names of an imported module.
  ClassPtr new_namespace(const std::string& name);
  /// The module's name, which had this value when its statements ended.
  void adopt(const ClassPtr& module, const std::string& name, Value value);
  /// Of a class or the first of its bases that has it; it counts as read.
  const Value* read(const Class& type, const std::string& name);
  /// What functions of imported modules are objects' affair: "collections.namedtuple".
  static bool is_known_import(const std::string& name);
  /// Python's name of an attribute that is private to the class around.
  [[nodiscard]] std::string mangled(const std::string& name) const;
  /// The names of an object's attributes that have values, in the order of their first assignment.
  std::vector<std::pair<std::string, std::string>> attributes_of(const Instance& object) const;
  /// The container of an object whose class has a base like dict or list.
  Value items_of(const Value& object);
  [[nodiscard]] bool any() const { return made_ > 0 || !names_.empty(); }
  /// The attributes that object.__setattr__ has given an object, with what they were then.
  [[nodiscard]] const std::vector<std::pair<std::string, Value>>& given(const Instance& object) {
    return given_[object.number];
  }
  /// How many objects there are: those of later numbers are made after this.
  [[nodiscard]] std::uint64_t count() const { return made_; }
  void forget_after(std::uint64_t count);

 private:
  using Field = Class::Field;
  /// The name that was suggested for what this expression makes, if it was.
  std::string name_for(std::uint32_t expression);
  Value new_object(const ClassPtr& type, std::string name);
  const Value* read(const std::string& hidden);
  std::string enter(const ClassPtr& type, const std::string& name);
  void bind(const std::string& hidden, const Value& value);
  Value bound(const Value& member, const Value& self, const ClassPtr& type);
  std::optional<Value> call_method(const Value& object, const std::string& name,
                                   std::vector<Value> arguments);
  void bind_fields(const Value& object, const Call& call);
  std::vector<Value> field_values(const Value& object, bool compared = false);
  void set_bases(Class& made, std::uint32_t statement);
  void take_fields(Class& made, std::uint32_t statement);
  void make_members(const ClassPtr& made);
  std::int64_t bits_of(const Value& flag);
  /// The member of a Flag that has these bits; nothing if there are others among them.
  std::optional<Value> flag_of(const ClassPtr& type, std::int64_t bits);
  std::optional<Value> inverted_flag(const Value& flag);
  /// Of two members of one Flag.
  std::optional<Value> binary_of_flags(ast::Operator op, const Value& left, const Value& right);
  /// Throws where the attribute may be one of a base that is not read.
  static void refuse_outside(const Class& type, const std::string& name);
  /// The loops around see that the attribute was asked for, and not there.
  void miss(const std::string& held);
  /// Raises an error for binding, in a loop or under a condition, what until now was the class's or
  /// a base's.
  void refuse_shadowing(const Value& object, const std::string& name, const std::string& held);
  void init_subclass(const ClassPtr& made, std::uint32_t header);
  void refuse_abstract(const Class& type) const;
  static void refuse_frozen(const Class& type, const std::string& name, const char* what);
  /// Of an object that is the caller's or was made before: whether it has the attribute when the
  /// call ends must be known.
  void refuse_perhaps(const Instance& instance, const std::string& name,
                      const std::string& held) const;
  void set_own(Instance& instance, const InstancePtr& self, const std::string& name,
               const Value& value);
  struct Asked;      // a call of a function of Python
  struct Imported;   // a call of one of its modules' functions
  struct Operation;  // a binary one
  struct Attribute;  // a reading of one
  /// Of what is imported: dataclasses.replace, types.SimpleNamespace.
  std::optional<Value> call_imported(const std::string& name, const Call& call,
                                     std::uint32_t expression);
  std::optional<Value> call_iteration(Call& call);
  static std::optional<Value> call_descriptor(const Call& call);
  /// A generator, and what the calls around it add, by name.
  struct Unwrapped {
    Value generator;
    std::vector<std::pair<std::string, Value>> names{};
  };
  std::optional<Unwrapped> unwrapped(std::uint32_t statement, const Value& iterator);
  bool changes_source(std::uint32_t statement, const Unwrapped& parts);
  std::optional<Value> indexable(const Value& source);
  bool takes_generator(std::uint32_t statement, const InstancePtr& self, Inlined& result);
  static bool has_begun(const Value& state, const UserFunction& function);
  bool is_expression(const Value& value) const;
  std::optional<Value> next_of_generator(const InstancePtr& generator, const Value& sent,
                                         const RaisedException* thrown = nullptr);
  std::optional<Value> next_of_expression(const Items& parts);
  std::vector<Value> rest_of(const Value& iterator);
  bool yields(std::uint32_t statement);
  /// Of a function: the name of its attribute in the reader.
  std::string attribute_of(const UserFunction& function, const std::string& name);
  /// What a function says of the types of its parameters, as far as that can be evaluated.
  Value annotations_of(const UserFunction& function);
  Value as_container(const Value& value);
  Value equal_sequences(const Value& left, const Value& right);
  Value item_of(const Value& items, const std::vector<Value>& index);
  void make_items(const InstancePtr& self, const Call& call);

  Interpreter& reader_;
  std::uint64_t made_ = 0;
  std::uint32_t named_expression_ = ~0U;
  std::string suggested_;
  std::unordered_set<std::uint32_t> abstract_;  ///< methods, likewise
  /// Of methods, by the statement of their def.
  std::unordered_map<std::uint32_t, ClassPtr> class_of_;
  /// All attributes that have names, and whose they are.
  std::vector<std::pair<std::weak_ptr<const void>, std::string>> names_;
  std::size_t swept_ =
      0;  ///< how many there were when those that no longer exist were last removed
  std::unordered_set<std::string> globals_;                             ///< of global_name()
  std::shared_ptr<const int> module_ = std::make_shared<const int>(0);  ///< owns its globals
  std::unordered_map<const void*, Value>* copies_ = nullptr;  ///< of the copy that is being made
  /// Functions that have attributes, by their text and the call that they were defined in.
  std::map<std::pair<std::uint64_t, const void*>, std::uint64_t> functions_;
  ClassPtr namespace_;
  ClassPtr iterator_;
  std::unordered_map<std::string, ClassPtr> exceptions_;
  std::unordered_map<std::uint64_t, std::vector<std::pair<std::string, Value>>> given_;
  std::unordered_map<std::uint32_t, bool> yields_;  ///< by statement: whether a `yield` is in it
};

/// Whether it is a list, a tuple or a dictionary that holds objects.
bool holds_objects(const Value& value);

/// Raises Python's TypeError.
[[noreturn]] void raise_type_error(const std::string& message);

/// Whether both are one object, or one class.
bool are_one_object(const Value& a, const Value& b);

}  // namespace rewriter
