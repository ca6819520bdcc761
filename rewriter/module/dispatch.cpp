#include "rewriter/module/dispatch.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <malloc.h>
#include <utility>

#include "rewriter/text/depth.hpp"

namespace rewriter::module {

namespace {

/// Conversions that a function keeps; beyond, all are made anew.
constexpr std::size_t kMostEntries = 256;
/// The same of those which hold for one content of arrays of ints alone.
constexpr std::size_t kMostContents = 32;

/// One of NumPy's types, which lives as long as the interpreter.
PyTypeObject* numpy_type_object(const char* name) {
  static auto& known = *new std::unordered_map<std::string, PyTypeObject*>;
  PyTypeObject*& type = known[name];
  if (type == nullptr)
    type = reinterpret_cast<PyTypeObject*>(
        nb::object(nb::module_::import_("numpy").attr(name)).release().ptr());
  return type;
}

PyTypeObject* ndarray() {
  static PyTypeObject* const type = numpy_type_object("ndarray");
  return type;
}

/// The type of methods of objects.
PyTypeObject* method() {
  static auto* const type = reinterpret_cast<PyTypeObject*>(
      nb::object(nb::module_::import_("types").attr("MethodType")).release().ptr());
  return type;
}

void append(std::string& key, const void* data, std::size_t bytes) {
  key.append(static_cast<const char*>(data), bytes);
}
template <class T>
void append(std::string& key, T value) {
  append(key, &value, sizeof value);
}

/// What the arrays hold for whose contents a conversion is made; see Family::by_contents.
void append_contents(std::string& key, const std::vector<Leaf>& leaves, int by_contents) {
  constexpr std::string_view kInts = kKnownCodes, kFloats = kKnownFloats;
  for (const Leaf& leaf : leaves) {
    if (!leaf.is_array) continue;
    const bool is_int = kInts.find(leaf.buffer.code()) != kInts.npos;
    const bool is_float = by_contents > 1 && kFloats.find(leaf.buffer.code()) != kFloats.npos;
    if (!is_int && !is_float) continue;
    if (leaf.buffer.size() > (is_int ? kMostKnown : kMostKnownFloats)) continue;
    std::vector<double> numbers(static_cast<std::size_t>(leaf.buffer.size()));
    leaf.buffer.read(numbers.data(), 0);
    append(key, numbers.data(), numbers.size() * sizeof(double));
  }
}

/// Of an argument.
void refuse_depth() {
  throw nb::value_error(
      ("[convert] " + too_deep("the lists, tuples and dictionaries of an argument")).c_str());
}

}  // namespace

/// A call on its way.
struct Dispatch::Call {
  Dispatch* dispatch;
  std::vector<PyObject*> values{};  ///< arguments and data; borrowed from `held`
  nb::tuple held{};
  std::string key{};
  std::vector<Leaf> leaves{};
  std::vector<std::string> numbers{};  ///< of each number among the leaves its type and value
  std::vector<nb::object> objects{};   ///< what the key knows by its address
  std::vector<PyObject*> instances{};  ///< objects of the program's classes, in order
  /// Of instances, arrays, and lists that instances hold, which there may be twice: what they are
  /// to the key.
  std::unordered_map<PyObject*, std::size_t> known{};
  bool in_instance = false;
  bool has_garrays = false;
  int depth = 0;  ///< of the containers around what is described

  /// Adds to the key and to the leaves what a value is.
  void describe(PyObject* value);
  bool describe_array(PyObject* value);  ///< false where it has no memory
  void describe_items(char what, PyObject* sequence);
  void describe_number(PyObject* value, char type, double number);
  void describe_key(PyObject* value);  ///< of a dictionary
  void describe_dict(PyObject* value);
  void describe_collection(PyObject* value);
  void describe_instance(PyObject* value, PyObject* slots);
  bool describe_set(PyObject* value);    ///< false where it has other items than keys
  bool describe_known(PyObject* value);  ///< false where it is met for the first time
  bool describe_code(PyObject* value);   ///< false of what is no function, or of more than that
};

/// Numbers in it are no leaves.
void Dispatch::Call::describe_key(PyObject* value) {
  const std::size_t leaves_before = leaves.size();
  const std::size_t numbers_before = numbers.size();
  describe(value);
  for (std::size_t i = numbers_before; i < numbers.size(); ++i) key += numbers[i];
  numbers.resize(numbers_before);
  while (leaves.size() > leaves_before) leaves.pop_back();
}

void Dispatch::Call::describe_dict(PyObject* value) {
  const Deeper deeper(depth, refuse_depth);
  key += '{';
  append(key, PyDict_Size(value));
  PyObject* name = nullptr;
  PyObject* item = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(value, &at, &name, &item) != 0;) {
    describe_key(name);
    describe(item);
  }
}

/// A text, a number, or a tuple of these.
static bool is_key(nb::handle item) {
  if (PyTuple_CheckExact(item.ptr())) {
    const auto items = nb::borrow<nb::tuple>(item);
    return std::all_of(items.begin(), items.end(), is_key);
  }
  return PyUnicode_CheckExact(item.ptr()) || PyLong_CheckExact(item.ptr()) ||
         PyFloat_CheckExact(item.ptr()) || PyBool_Check(item.ptr());
}

bool Dispatch::Call::describe_set(PyObject* value) {
  const nb::list items(nb::borrow(value));
  if (!std::all_of(items.begin(), items.end(), is_key)) return false;
  key += 'U';
  append(key, Py_TYPE(value));
  if (in_instance && describe_known(value)) return true;
  append(key, nb::len(items));
  for (const nb::handle item : items) describe_key(item.ptr());
  return true;
}

/// A deque, or a dictionary of module collections.
void Dispatch::Call::describe_collection(PyObject* value) {
  key += 'K';
  append(key, Py_TYPE(value));
  if (in_instance && describe_known(value)) return;
  const nb::handle collection(value);
  if (!PyDict_Check(value)) {
    describe_key(nb::object(collection.attr("maxlen")).ptr());
    return describe_items('[', nb::list(collection).ptr());
  }
  if (nb::hasattr(collection, "default_factory"))
    describe(nb::object(collection.attr("default_factory")).ptr());
  describe_dict(value);
}

/// Of what has been met before, which one it is.
bool Dispatch::Call::describe_known(PyObject* value) {
  const auto [met, is_new] = known.try_emplace(value, known.size());
  if (is_new) return false;
  key += '=';
  append(key, met->second);
  return true;
}

/// Of a class of the program the names of its slots, of a type of module collections a text; None
/// of other types. Python decides.
nb::object Dispatch::slots_of(PyTypeObject* type) {
  constexpr std::size_t kMostTypes = 1024;
  auto found = slots_.find(type);
  if (found == slots_.end()) {
    if (slots_.size() >= kMostTypes) slots_.clear();
    const nb::object held = nb::borrow(reinterpret_cast<PyObject*>(type));
    const nb::object slots = nb::module_::import_("rewriter._values").attr("slots_of")(held);
    found = slots_.emplace(type, std::pair(held, slots)).first;
  }
  return found->second.second;
}

/// An object of a class of the program, by its attributes.
void Dispatch::Call::describe_instance(PyObject* value, PyObject* slots) {
  objects.push_back(nb::borrow(reinterpret_cast<PyObject*>(Py_TYPE(value))));
  key += 'C';
  append(key, Py_TYPE(value));
  if (PyTuple_Check(value)) return describe_items('(', value);
  if (describe_known(value)) return;
  const Deeper deeper(depth, refuse_depth);
  const bool was_in_instance = std::exchange(in_instance, true);
  instances.push_back(value);
  const auto describe_attribute = [&](PyObject* name, PyObject* attribute) {
    describe(name);
    describe(attribute);
  };
  const nb::object attributes = nb::steal(PyObject_GenericGetDict(value, nullptr));
  if (!attributes.is_valid()) PyErr_Clear();  // it has slots alone
  PyObject* name = nullptr;
  PyObject* attribute = nullptr;
  if (attributes.is_valid())
    for (Py_ssize_t at = 0; PyDict_Next(attributes.ptr(), &at, &name, &attribute) != 0;)
      describe_attribute(name, attribute);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(slots); ++i) {
    name = PyTuple_GET_ITEM(slots, i);
    const nb::object content = nb::steal(PyObject_GetAttr(value, name));
    if (!content.is_valid())
      PyErr_Clear();  // it is empty
    else
      describe_attribute(name, content.ptr());
  }
  key += ';';
  in_instance = was_in_instance;
}

void Dispatch::Call::describe_number(PyObject* value, char type, double number) {
  Leaf& leaf = leaves.emplace_back();
  leaf.object = value;
  leaf.number = number;
  std::string text(1, type);
  append(text, number);
  numbers.push_back(std::move(text));
  key += type;
}

bool Dispatch::Call::describe_array(PyObject* value) {
  if (describe_known(value)) return true;
  Leaf& leaf = leaves.emplace_back();
  leaf.object = value;
  leaf.is_array = true;
  if (!leaf.buffer.take(value)) {
    leaves.pop_back();
    return false;
  }
  key += 'A';
  key += leaf.buffer.code();
  key += static_cast<char>(leaf.buffer.ndim());
  key += leaf.buffer.is_c_order() ? 'C' : ' ';
  append(key, leaf.buffer.shape(),
         sizeof(Py_ssize_t) * static_cast<std::size_t>(leaf.buffer.ndim()));
  return true;
}

void Dispatch::Call::describe_items(char what, PyObject* sequence) {
  const Deeper deeper(depth, refuse_depth);
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(sequence);
  key += what;
  append(key, count);
  for (Py_ssize_t i = 0; i < count; ++i) describe(PySequence_Fast_GET_ITEM(sequence, i));
}

void Dispatch::Call::describe(PyObject* value) {
  if (Py_TYPE(value) == ndarray()) {
    if (describe_array(value)) return;
  } else if (value == Py_None) {
    key += 'N';
    return;
  } else if (PyBool_Check(value)) {
    key += value == Py_True ? 'T' : 'F';
    return;
  } else if (PyFloat_CheckExact(value)) {
    return describe_number(value, 'f', PyFloat_AS_DOUBLE(value));
  } else if (PyLong_CheckExact(value)) {
    const double number = PyLong_AsDouble(value);
    if (PyErr_Occurred() != nullptr)
      PyErr_Clear();
    else if (number < kExact && number > -kExact)
      return describe_number(value, 'i', number);
  } else if (PyUnicode_CheckExact(value)) {
    Py_ssize_t size = 0;
    if (const char* const text = PyUnicode_AsUTF8AndSize(value, &size)) {
      key += 'S';
      append(key, size);
      key.append(text, static_cast<std::size_t>(size));
      return;
    }
    PyErr_Clear();
  } else if (PyObject_TypeCheck(value, numpy_type_object("integer"))) {
    const double number = PyFloat_AsDouble(value);
    if (number < kExact && number > -kExact) {
      append(key, Py_TYPE(value));  // a type of NumPy's own, which stays where it is
      return describe_number(value, 'i', number);
    }
  } else if (PyObject_TypeCheck(value, numpy_type_object("bool_"))) {
    key += PyObject_IsTrue(value) != 0 ? "Tn" : "Fn";
    return;
  } else if (PyObject_TypeCheck(value, numpy_type_object("generic"))) {
    if (describe_array(value)) return;
  } else if (PyTuple_CheckExact(value)) {
    return describe_items('(', value);
  } else if (PyList_CheckExact(value)) {
    if (in_instance && describe_known(value)) return;
    return describe_items('[', value);
  } else if (PyDict_CheckExact(value)) {
    if (in_instance && describe_known(value)) return;
    return describe_dict(value);
  } else if (Py_TYPE(value) == &PySet_Type || Py_TYPE(value) == &PyFrozenSet_Type) {
    if (describe_set(value)) return;
  } else if (Py_TYPE(value) == method()) {
    key += 'M';
    describe(nb::handle(value).attr("__self__").ptr());  // which the method holds
    return describe(nb::handle(value).attr("__func__").ptr());
  }
  if (const nb::object slots = dispatch->slots_of(Py_TYPE(value)); !slots.is_none())
    return PyTuple_Check(slots.ptr()) ? describe_instance(value, slots.ptr())
                                      : describe_collection(value);
  if (!in_instance &&
      std::strstr(nb::str(nb::handle(value).type().attr("__name__")).c_str(), "garray") != nullptr)
    has_garrays = true;
  if (describe_code(value)) return;
  key += 'O';
  append(key, value);
  objects.push_back(nb::borrow(value));
}

/// Of a function that is its text alone: `lambda x: x * x`, made in each call.
bool Dispatch::Call::describe_code(PyObject* value) {
  if (!PyFunction_Check(value)) return false;
  const auto* function = reinterpret_cast<PyFunctionObject*>(value);
  if (function->func_closure != nullptr || function->func_defaults != nullptr ||
      function->func_kwdefaults != nullptr ||
      (function->func_dict != nullptr && PyDict_Size(function->func_dict) > 0))
    return false;
  key += 'L';
  append(key, function->func_code);
  append(key, function->func_globals);
  objects.push_back(nb::borrow(function->func_code));
  objects.push_back(nb::borrow(function->func_globals));
  return true;
}

// ---- arguments ----

void Dispatch::set_parameters(const std::vector<std::string>& parameters,
                              const nb::tuple& defaults) {
  parameters_.clear();
  for (const std::string& name : parameters) {
    PyObject* text = PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size()));
    PyUnicode_InternInPlace(&text);
    parameters_.push_back(nb::steal(text));
  }
  defaults_.assign(parameters.size(), nb::object());
  for (std::size_t i = 0; i < nb::len(defaults); ++i)
    defaults_[parameters.size() - nb::len(defaults) + i] = nb::borrow(defaults[i]);
}

/// False: leave it to Python, which knows what is wrong with the call.
bool Dispatch::bind(const nb::args& args, const nb::kwargs& kwargs,
                    std::vector<PyObject*>& values) const {
  if (!plain_) return false;
  const std::size_t given = args.size();
  const std::size_t all_named = kwargs.size();
  if (given > parameters_.size()) return false;
  std::size_t named = 0;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    PyObject* value =
        i < given ? PyTuple_GET_ITEM(args.ptr(), static_cast<Py_ssize_t>(i)) : nullptr;
    if (value == nullptr && all_named != 0) {
      value = PyDict_GetItem(kwargs.ptr(), parameters_[i].ptr());
      if (value != nullptr) ++named;
    }
    if (value == nullptr) value = defaults_[i].ptr();
    if (value == nullptr) return false;
    values.push_back(value);
  }
  return named == all_named;
}

PyObject* Dispatch::found(const Place& place) {
  if (PyDict_Check(place.holder)) return PyDict_GetItem(place.holder, place.name);
  if (Py_TYPE(place.holder) == &PyDictProxy_Type) {
    PyObject* const member = PyObject_GetItem(place.holder, place.name);
    if (member == nullptr) PyErr_Clear();
    Py_XDECREF(member);  // the class has it
    return member;
  }
  PyObject* const content = PyCell_GET(place.holder);
  return content;
}

void Dispatch::watch(const nb::list& fixed, const nb::list& data, const std::string& environment) {
  let_go();
  const auto hold = [](nb::handle object) { return object.inc_ref().ptr(); };
  for (const nb::handle each : fixed)
    fixed_.push_back({hold(each[0]), hold(each[1]), nb::len(each) > 2 ? hold(each[2]) : nullptr});
  for (const nb::handle each : data) data_.push_back({hold(each[0]), hold(each[1])});
  environment_ = environment;
}

void Dispatch::let_go() {
  const std::array places{std::exchange(fixed_, {}), std::exchange(data_, {})};
  for (const std::vector<Place>& all : places)
    for (const Place& place : all) {
      Py_DECREF(place.holder);
      Py_DECREF(place.name);
      Py_XDECREF(place.expected);
    }
}

int Dispatch::traverse(visitproc visit, void* arg) const {
  for (const std::vector<Place>* places : {&fixed_, &data_})
    for (const Place& place : *places) {
      Py_VISIT(place.holder);
      Py_VISIT(place.expected);
    }
  for (const nb::object& value : defaults_) Py_VISIT(value.ptr());
  for (const auto& [type, held] : slots_) Py_VISIT(held.first.ptr());
  for (const auto& [key, family] : families_)
    for (const auto& [numbers, entry] : family.entries)
      for (const nb::object& object : entry.held) Py_VISIT(object.ptr());
  return 0;
}

std::size_t Dispatch::size() const {
  std::size_t count = 0;
  for (const auto& [key, family] : families_) count += family.entries.size();
  return count;
}

void Dispatch::clear() {
  const auto gone = std::exchange(families_, {});
  const auto types = std::exchange(slots_, {});
}

void Dispatch::prepare(nb::handle self, const nb::args& args, const nb::kwargs& kwargs,
                       Call& call) {
  call.values.reserve(parameters_.size() + data_.size());
  if (!bind(args, kwargs, call.values)) {
    call.held = nb::cast<nb::tuple>(self.attr("_bind")(args, kwargs));
    call.values.clear();
    for (const nb::handle value : call.held) call.values.push_back(value.ptr());
  }
  bool changed = environment_.empty();
  const auto has_changed = [](const Place& place) {
    return place.name == Py_None ? PyObject_Size(place.holder) != PyLong_AsSsize_t(place.expected)
                                 : found(place) != place.expected;
  };
  for (const Place& place : fixed_) changed = changed || has_changed(place);
  for (const Place& place : data_) changed = changed || found(place) == nullptr;
  if (changed) self.attr("_refresh")();
  for (const Place& place : data_) call.values.push_back(found(place));
  call.key = environment_;
  call.key.reserve(call.key.size() + 32 * call.values.size());
  call.leaves.reserve(call.values.size());
  const std::size_t arguments = call.values.size() - data_.size();
  for (std::size_t i = arguments; i < call.values.size(); ++i) call.describe(call.values[i]);
  for (std::size_t i = 0; i < arguments; ++i) call.describe(call.values[i]);
}

/// The function needs more from outside than the call has; it is to be prepared anew.
struct Again {};

Dispatch::Entry& Dispatch::entry_for(nb::handle self, Call& call, bool may_wait) {
  const auto numbers = [&call](const Family& family) {
    std::string key;
    for (std::size_t i = 0; i < call.numbers.size(); ++i)
      if (!family.read_by_run[i]) key += call.numbers[i];
    if (family.by_contents > 0) append_contents(key, call.leaves, family.by_contents);
    return key;
  };
  if (const auto family = families_.find(call.key); family != families_.end()) {
    const auto entry = family->second.entries.find(numbers(family->second));
    if (entry != family->second.entries.end()) {
      Entry& known = entry->second;
      if (known.waits == kForGood) return known;
      if (may_wait && known.waits > 0) {
        --known.waits;
        return known;
      }
      may_wait = false;
    }
  }
  nb::list values;
  for (PyObject* const value : call.values) values.append(nb::borrow(value));
  if (size() >= kMostEntries) {
    clear();
    self.attr("_families").attr("clear")();  // what reading found out of them
    (void)malloc_trim(0);                    // they were many small pieces
  }
  if (const auto family = families_.find(call.key); family != families_.end() &&
                                                    family->second.by_contents > 0 &&
                                                    family->second.entries.size() >= kMostContents)
    family->second.entries.clear();
  const auto [made, is_new] = families_.try_emplace(call.key);
  if (is_new) made->second.number = families_made_++;
  if (made->second.entries.empty()) made->second.read_by_run.assign(call.numbers.size(), false);
  const auto number = made->second.number;
  const nb::tuple converted =
      nb::cast<nb::tuple>(self.attr("_convert")(nb::tuple(values), number, may_wait));
  Family& family = families_[call.key];  // others may have called meanwhile
  family.number = number;
  family.read_by_run.assign(call.numbers.size(), false);
  for (std::size_t i = 0; i < call.numbers.size(); ++i)
    family.read_by_run[i] = nb::cast<bool>(converted[1][i]);
  family.by_contents = nb::cast<int>(converted[3]);
  if (nb::isinstance<nb::str>(converted[0])) throw Again{};
  Entry entry;
  if (!converted[0].is_none())
    entry.conversion = nb::cast<std::shared_ptr<Conversion>>(converted[0]);
  entry.stores = nb::cast<bool>(converted[2]);
  entry.held = call.objects;
  if (converted.size() > 4) entry.waits = nb::cast<int>(converted[4]);
  Entry& kept = family.entries[numbers(family)];
  kept = std::move(entry);
  return kept;
}

/// Null where there are garrays among the arguments.
const Dispatch::Entry* Dispatch::prepared(nb::handle self, const nb::args& args,
                                          const nb::kwargs& kwargs, Call& call, bool may_wait) {
  for (int times = 0;; ++times) {
    prepare(self, args, kwargs, call);
    if (call.has_garrays) return nullptr;
    try {
      return &entry_for(self, call, may_wait);
    } catch (const Again&) {
      if (times > 8)
        throw cudamat::InternalError("the values that a function reads from outside keep changing");
      call = Call{this};
    }
  }
}

nb::object Dispatch::call(nb::handle self, const nb::args& args, const nb::kwargs& kwargs) {
  Call call{this};
  const Entry* const found = prepared(self, args, kwargs, call, true);
  if (found == nullptr) return self.attr("_on_garrays")(*args, **kwargs);
  const Entry& entry = *found;
  if (entry.conversion == nullptr && entry.waits != kForGood)
    return self.attr("_first_in_python")(args, kwargs);
  if (entry.conversion == nullptr) return self.attr("_python")(*args, **kwargs);
  const std::shared_ptr<Conversion> conversion = entry.conversion;
  const bool stores = entry.stores;
  const std::uint64_t seed = conversion->draws() ? seed_++ : seed_;
  nb::object result;
  try {
    result = conversion->run(call.leaves, seed, call.instances, true);
  } catch (const Undone& undone) {
    return self.attr("_again")(conversion, seed, undone.printed, args, kwargs);
  }
  if (!stores) return result;
  nb::list values;
  for (PyObject* const value : call.values) values.append(nb::borrow(value));
  return self.attr("_stored")(values, result);
}

std::shared_ptr<Conversion> Dispatch::find(nb::handle self, const nb::args& args,
                                           const nb::kwargs& kwargs, std::vector<Leaf>& leaves,
                                           nb::tuple& held) {
  Call call{this};
  const Entry* const entry = prepared(self, args, kwargs, call, false);
  const std::shared_ptr<Conversion> conversion = entry != nullptr ? entry->conversion : nullptr;
  leaves = std::move(call.leaves);
  held = std::move(call.held);
  return conversion;
}

}  // namespace rewriter::module
