#include "rewriter/module/trace.hpp"

#include <algorithm>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <unordered_map>
#include <utility>

#include "cudamat/python/checked.hpp"
#include "rewriter/evaluate/evaluate.hpp"
#include "rewriter/expr/build.hpp"
#include "rewriter/module/conversion.hpp"
#include "rewriter/reader/operators/complex.hpp"
#include "rewriter/reader/selections/selection.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/text/depth.hpp"

namespace rewriter::module {

namespace {

using cudamat::misuse;
using cudamat::python::checked;
using cudamat::python::initialized;
using Returned = Program::Returned;
using Is = Returned::Kind;

/// A symbolic array: what the reader holds for one.
struct Symbol {
  Value value;
};

/// What this thread's symbolic arrays have made beside values: draws, seeds and prints; and where
/// they are in the source.
struct Context {
  std::vector<NodePtr> steps;
  SourceLocation place{0, 0};
};
Context& context() {
  thread_local Context instance;
  return instance;
}

/// The arrays of inputs, by the inputs' names, as long as the inputs are there.
struct Bound {
  std::weak_ptr<const Node> node;
  PyObject* array = nullptr;
};
std::unordered_map<std::string, Bound>& bound() {
  static auto& instance = *new std::unordered_map<std::string, Bound>;
  return instance;
}

/// Lets go of arrays whose inputs are gone. Needs the interpreter's lock.
void forget_unused() {
  std::vector<PyObject*> gone;
  for (auto it = bound().begin(); it != bound().end();) {
    if (it->second.node.expired()) {
      gone.push_back(it->second.array);
      it = bound().erase(it);
    } else {
      ++it;
    }
  }
  for (PyObject* const array : gone) Py_DECREF(array);
}

Dims dims_of(const Buffer& buffer) {
  return {buffer.shape(), buffer.shape() + buffer.ndim()};
}

/// A symbolic array that represents an array of NumPy's, which is read when it is evaluated.
Value input_for(nb::handle array) {
  static std::uint64_t count = 0;
  Buffer buffer;
  if (!buffer.take(array.ptr()) || is_complex(buffer.code()))
    misuse("array", "expects an array of floats, ints or bools");
  if (++count % 64 == 0) forget_unused();
  const std::string name = fmt::format("array_{}", count);
  const Array made = input(name, dims_of(buffer), dtype_of(buffer.code()));
  bound()[name] = {made.node(), array.inc_ref().ptr()};
  return new_array(made);
}

Value value_of(nb::handle object);

thread_local int containers = 0;  ///< around the values that are looked at

void refuse_depth() {
  misuse("program", "{}", too_deep("lists, tuples and dictionaries"));
}

std::vector<Value> values_of(nb::handle sequence) {
  const Deeper deeper(containers, refuse_depth);
  std::vector<Value> values;
  for (const nb::handle item : sequence) values.push_back(value_of(item));
  return values;
}

Value array_value(nb::handle object) {
  Buffer buffer;
  if (!buffer.take(object.ptr())) misuse("array", "expects an array of floats, ints or bools");
  constexpr std::int64_t kFew = 10000;
  if (is_floating(buffer.code()) || buffer.size() > kFew) return input_for(object);
  npmat::Array<double> data{dims_of(buffer), {}};
  data.data.resize(static_cast<std::size_t>(buffer.size()));
  buffer.read(data.data.data());
  return new_array(written_out(std::move(data), dtype_of(buffer.code())));
}

/// np.float32, float, np.dtype("int8") as the reader has them; nothing of others.
std::optional<Value> type_value(nb::handle object) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  nb::object type = nb::borrow(object);
  if (nb::isinstance(object, numpy.attr("dtype"))) type = object.attr("type");
  if (PyType_Check(type.ptr()) == 0) return {};
  const auto name = nb::cast<std::string>(type.attr("__name__"));
  if (name == "float" || name == "int" || name == "bool") return Value{Function{name, nullptr}};
  if (nb::cast<std::string>(type.attr("__module__")) == "numpy")
    return Value{Function{"np." + name, nullptr}};
  return {};
}

Value value_of(nb::handle object) {
  PyObject* const o = object.ptr();
  if (nb::isinstance<Symbol>(object)) return initialized<Symbol>(object).value;
  if (object.is_none()) return {NoneValue{}};
  if (o == Py_Ellipsis) return {EllipsisValue{}};
  if (PyBool_Check(o)) return {o == Py_True};
  if (PyLong_Check(o)) return {nb::cast<std::int64_t>(object)};
  const nb::module_ numpy = nb::module_::import_("numpy");
  Value number;
  if (PyFloat_Check(o)) {
    number = {PyFloat_AS_DOUBLE(o)};
    number.is_numpy = !PyFloat_CheckExact(o);
    return number;
  }
  if (PyUnicode_Check(o)) return {nb::cast<std::string>(object)};
  if (PyComplex_Check(o))
    return new_complex({PyComplex_RealAsDouble(o)}, {PyComplex_ImagAsDouble(o)});
  if (PyTuple_Check(o)) return new_sequence(false, values_of(object));
  if (PyList_Check(o)) return new_sequence(true, values_of(object));
  if (PyDict_Check(o)) {
    const Deeper deeper(containers, refuse_depth);
    Dict dict;
    for (const auto& [key, item] : nb::cast<nb::dict>(object))
      set_key(dict, value_of(key), value_of(item));
    return {dict};
  }
  if (PySlice_Check(o)) {
    Slice slice;
    const auto part = [&](const char* name) -> std::optional<Affine> {
      const Value bound_of = value_of(object.attr(name));
      if (bound_of.is_none()) return {};
      return bound_of.affine("a bound of a slice");
    };
    slice.start = part("start");
    slice.stop = part("stop");
    slice.step = part("step");
    return {slice};
  }
  if (PyRange_Check(o))
    return {RangeValue{nb::cast<Index>(object.attr("start")), nb::cast<Index>(object.attr("stop")),
                       nb::cast<Index>(object.attr("step"))}};
  if (nb::isinstance(object, numpy.attr("generic"))) {
    number = value_of(object.attr("item")());
    number.is_numpy = true;
    return number;
  }
  if (nb::isinstance(object, numpy.attr("ndarray"))) return array_value(object);
  if (auto type = type_value(object)) return std::move(*type);
  misuse(
      "array", "a value of type {} is not supported with symbolic arrays",
      nb::cast<std::string>(nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(o))).attr("__name__")));
}

nb::object object_of(const Value& value) {
  if (value.is_none()) return nb::none();
  const auto numpy_number = [&](const nb::object& plain, const char* type) {
    return value.is_numpy ? nb::object(nb::module_::import_("numpy").attr(type)(plain)) : plain;
  };
  if (const auto* truth = value.as<bool>()) return numpy_number(nb::bool_(*truth), "bool_");
  if (const auto* integer = value.as<std::int64_t>())
    return numpy_number(nb::int_(*integer), "int64");
  if (const auto* real = value.as<double>()) return numpy_number(nb::float_(*real), "float64");
  if (const auto* text = value.as<std::string>()) return nb::str(text->c_str(), text->size());
  if (const auto* sequence = value.as<Sequence>()) {
    nb::list items;
    for (const Value& item : sequence->items) items.append(object_of(item));
    return sequence->list ? nb::object(items) : nb::object(nb::tuple(items));
  }
  if (const auto* dict = value.as<Dict>()) {
    nb::dict made;
    for (std::size_t i = 0; i < dict->keys.size(); ++i)
      made[object_of(dict->keys[i])] = object_of(dict->values[i]);
    return made;
  }
  return nb::cast(Symbol{value});
}

// ---- operations ----

template <class F>
nb::object placed(const F& work) {
  const At at(context().place);
  return object_of(work());
}

ast::Operator operator_of(const std::string& text, ast::Operator first = ast::Operator::Add) {
  for (int i = static_cast<int>(first); i <= static_cast<int>(ast::Operator::NotEqual); ++i)
    if (ast::spelling(static_cast<ast::Operator>(i)) == text) return static_cast<ast::Operator>(i);
  misuse("array", "the operator {} is not supported", text);
}

nb::object call(const std::string& name, const nb::tuple& args, const nb::dict& kwargs) {
  return placed([&] {
    if (!is_function(name)) misuse("call", "{}", unknown_function(name));
    Call made{name, values_of(args), {}, context().steps};
    for (const auto& [keyword, value] : kwargs)
      made.keywords.emplace_back(nb::cast<std::string>(keyword), value_of(value));
    return call_function(made);
  });
}

std::vector<Value> index_of(nb::handle index) {
  if (PyTuple_Check(index.ptr())) return values_of(index);
  return {value_of(index)};
}

Value in_place_value(const std::string& text, const Value& old, const Value& right) {
  const ast::Operator op = operator_of(text);
  const auto* object = old.as<ObjectPtr>();
  Value result = binary_operator(op, old, right);
  if (object == nullptr || (*object)->is_scalar()) return result;
  const Array held = (*object)->read();
  const Array computed = to_array(result, "the result");
  const auto& operands = computed.node()->args;
  const bool is_composed = operands.empty() || operands[0] != held.node();
  if (is_composed) detail::check_in_place(text, held, computed);
  const Array made = is_composed ? set_slice(held, {}, computed) : in_place(computed, held);
  if (made.shape() != (*object)->shape())
    misuse("array",
           "non-broadcastable output operand with shape {} doesn't match the broadcast shape {}",
           to_string((*object)->shape()), to_string(made.shape()));
  (*object)->write(made);
  return old;
}

Value transposed(const Value& value) {
  const auto* object = value.as<ObjectPtr>();
  if (object == nullptr) misuse("array", "{} has no attribute T", value.description());
  if ((*object)->shape().size() < 2) return value;
  ViewStep step{ViewStep::Kind::Transpose};
  for (auto axis = static_cast<int>((*object)->shape().size()); axis-- > 0;)
    step.axes.push_back(axis);
  return {std::make_shared<ArrayObject>(*object, std::move(step), false)};
}

Array array_of(const Symbol& symbol) {
  return to_array(symbol.value, "a symbolic array");
}

// ---- programs ----

/// A program of values, its inputs named.
class Tracer {
 public:
  Tracer(const nb::list& inputs, const nb::dict& names) {
    for (const auto& [name, symbol] : names) {
      const auto* object = checked<Symbol>(symbol).value.as<ObjectPtr>();
      if (object == nullptr || (*object)->is_python()) continue;
      names_.emplace_back(nb::cast<std::string>(name), (*object)->read().node());
    }
    for (const nb::handle each : inputs)
      given_.push_back(
          {nb::cast<std::string>(each[0]), node_of(each[1]), nb::cast<std::string>(each[2])});
  }

  /// The inputs that are written to are results, too.
  Program make(nb::handle result, const std::vector<NodePtr>& steps) {
    for (const Given& input : given_)
      if (const NodePtr now = current(input); now != nullptr) {
        roots_.push_back(now);
        written_.push_back(input.name);
      }
    program_.returned = described(result, "result");
    for (const NodePtr& step : steps) roots_.push_back(step);
    rename(steps.size());
    return std::move(program_);
  }

  /// The arrays of inputs that are none of those given, by name.
  std::vector<std::pair<std::string, nb::object>> bound_arrays{};

 private:
  struct Given {
    std::string name;
    NodePtr input;     ///< now
    std::string text;  ///< of the Input node
  };

  static NodePtr node_of(nb::handle symbol) { return array_of(checked<Symbol>(symbol)).node(); }
  /// What an input that was written to holds; null of one that was not.
  static NodePtr current(const Given& input) {
    return input.input->kind == Kind::Input && input.input->text == input.text ? nullptr
                                                                               : input.input;
  }

  Returned described(nb::handle result, const std::string& name) {
    const auto parts = [&](Is kind, nb::handle items, bool tuple) {
      const Deeper deeper(containers, refuse_depth);
      Returned made{.kind = kind};
      int i = tuple ? 1 : 0;
      for (const nb::handle item : items)
        made.parts.push_back(described(item, fmt::format("{}_{}", name, i++)));
      return made;
    };
    PyObject* const o = result.ptr();
    if (PyTuple_CheckExact(o)) return parts(Is::Tuple, result, true);
    if (PyList_CheckExact(o)) return parts(Is::List, result, false);
    if (PyDict_CheckExact(o)) {
      const Deeper deeper(containers, refuse_depth);
      Returned made{.kind = Is::Dict};
      for (const auto& [key, item] : nb::cast<nb::dict>(result)) {
        made.parts.push_back(described(key, ""));
        made.parts.push_back(
            described(item, fmt::format("{}_{}", name, nb::cast<std::string>(nb::str(key)))));
      }
      return made;
    }
    const Value value = value_of(result);
    if (value.is_none()) return {};
    if (const auto* text = value.as<std::string>()) return {.kind = Is::Text, .text = *text};
    Returned made{.is_python = !value.is_numpy};
    if (const auto* truth = value.as<bool>()) {
      made.kind = Is::Bool;
      made.integer = *truth ? 1 : 0;
      return made;
    }
    if (const auto* integer = value.as<std::int64_t>()) {
      made.kind = Is::Int;
      made.integer = *integer;
      return made;
    }
    if (const auto* real = value.as<double>()) {
      made.kind = Is::Float;
      made.number = *real;
      return made;
    }
    if (const auto selection = selection_of(value))
      return {.kind = Is::Selected,
              .integer = selection->first,
              .parts = {array(**new_array(selection->whole).as<ObjectPtr>(), name + "_whole"),
                        array(**new_array(selection->mask).as<ObjectPtr>(), name + "_mask")}};
    const auto* object = value.as<ObjectPtr>();
    if (object == nullptr) return {.kind = Is::Other, .text = value.description()};
    return array(**object, name);
  }

  Returned array(ArrayObject& object, const std::string& name) {
    const NodePtr node = object.read().node();
    for (const Given& input : given_)
      if (node == input.input) return {.kind = Is::Input, .text = input.name};
    Returned made{.kind = Is::Array, .text = name, .dtype = node->dtype};
    if (object.is_scalar()) made.kind = object.is_python() ? Is::Number : Is::Scalar;
    for (const auto& [known, its] : names_)
      if (its == node) made.text = known;
    for (const std::string& text : written_)
      if (text == made.text) made.text += "_returned";
    results_.emplace_back(made.text, node);
    roots_.push_back(node);
    return made;
  }

  /// The same nodes with inputs of the names that they are to have.
  void rename(std::size_t steps) {
    std::unordered_map<const Node*, NodePtr> made;
    std::vector<std::string> taken;
    for (const Given& input : given_) taken.push_back(input.name);
    for (const NodePtr& node : in_order(roots_)) {
      if (node->kind == Kind::Input) {
        made[node.get()] = renamed(*node, taken);
        continue;
      }
      std::vector<NodePtr> args;
      for (const NodePtr& arg : node->args) args.push_back(made.at(arg.get()));
      made[node.get()] = detail::make_like(*node, node->dims, std::move(args));
    }
    for (const auto& [name, node] : names_)
      if (const auto known = made.find(node.get());
          known != made.end() && node->kind != Kind::Input)
        program_.assignments.push_back({name, known->second});
    std::size_t at = 0;
    for (const std::string& name : written_) {
      const NodePtr& node = made.at(roots_[at++].get());
      program_.assignments.push_back({name, node});
      program_.results.push_back({name, node});
      program_.written_inputs.insert(name);
    }
    for (const auto& [name, node] : results_) {
      const auto same = [&, wanted = name](const Program::Named& each) {
        return each.name == wanted;
      };
      ++at;
      if (std::any_of(program_.results.begin(), program_.results.end(), same)) continue;
      program_.assignments.push_back({name, made.at(node.get())});
      program_.results.push_back({name, made.at(node.get())});
    }
    for (std::size_t i = 0; i < steps; ++i) program_.steps.push_back(made.at(roots_[at + i].get()));
  }

  NodePtr renamed(const Node& node, std::vector<std::string>& taken) {
    for (const Given& input : given_)
      if (input.text == node.text) {
        const NodePtr fresh = rewriter::input(input.name, node.dims, node.dtype).node();
        program_.inputs.push_back({input.name, fresh});
        return fresh;
      }
    std::string name = node.text;
    for (const auto& [known, its] : names_)
      if (its.get() == &node) name = known;
    while (std::find(taken.begin(), taken.end(), name) != taken.end()) name += "_";
    taken.push_back(name);
    const auto array = bound().find(node.text);
    if (array == bound().end())
      misuse("array", "{} has no data: it was an argument of a function that was traced", name);
    bound_arrays.emplace_back(name, nb::borrow(array->second.array));
    const NodePtr fresh = rewriter::input(name, node.dims, node.dtype).node();
    program_.inputs.push_back({name, fresh});
    return fresh;
  }

  std::vector<std::pair<std::string, NodePtr>> names_;
  std::vector<Given> given_;
  std::vector<std::string> written_;
  std::vector<std::pair<std::string, NodePtr>> results_;
  std::vector<NodePtr> roots_;  // those of written inputs, of results, steps
  Program program_;
};

/// A conversion of what was computed of `inputs`: (name, symbol, the node's own name).
std::shared_ptr<Conversion> trace(const nb::list& inputs, nb::handle result, const nb::dict& names,
                                  const std::vector<std::string>& leaves, const std::string& file,
                                  const std::string& text, const std::string& passes, int precision,
                                  const std::string& engine) {
  const auto steps = std::exchange(context().steps, {});
  Tracer tracer(inputs, names);
  Program program = tracer.make(result, steps);
  if (!text.empty()) program.source.emplace(file, text);
  std::vector<std::string> all = leaves;
  std::vector<nb::object> arrays;
  for (auto& [name, array] : tracer.bound_arrays) {
    all.push_back(name);
    arrays.push_back(std::move(array));
  }
  auto conversion =
      std::make_shared<Conversion>(std::move(program), std::move(all),
                                   How{.passes = passes, .precision = precision, .engine = engine});
  conversion->bind(std::move(arrays));
  return conversion;
}

/// "dfd": the types of the arrays that it is computed of.
std::string codes(const Symbol& symbol) {
  std::string found;
  for (const NodePtr& node : in_order({array_of(symbol).node()})) {
    if (node->kind != Kind::Input) continue;
    const auto array = bound().find(node->text);
    Buffer buffer;
    if (array != bound().end() && buffer.take(array->second.array)) found += buffer.code();
  }
  return found;
}

/// symbol.__class__, as sym.py has it.
PyObject* class_of(PyObject* self, void*) {
  return PyObject_CallMethod(self, "_type", nullptr);
}
PyGetSetDef getset[] = {
    {"__class__", class_of, nullptr, nullptr, nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot symbol_slots[] = {{Py_tp_getset, static_cast<void*>(getset)}, {0, nullptr}};

}  // namespace

void define_trace(nb::module_& m) {
  nb::class_<Symbol>(m, "Symbol", nb::type_slots(symbol_slots), nb::dynamic_attr(),
                     nb::is_weak_referenceable())
      .def_prop_ro("_is_array", [](const Symbol& s) { return s.value.as<ObjectPtr>() != nullptr; })
      .def_prop_ro("_is_scalar",
                   [](const Symbol& s) {
                     const auto* object = s.value.as<ObjectPtr>();
                     return object != nullptr && (*object)->is_scalar();
                   })
      .def_prop_ro("shape",
                   [](const Symbol& s) {
                     nb::list shape;
                     for (const Index extent : array_of(s).shape()) shape.append(extent);
                     return nb::tuple(shape);
                   })
      .def_prop_ro("ndim", [](const Symbol& s) { return array_of(s).ndim(); })
      .def_prop_ro("size", [](const Symbol& s) { return array_of(s).size(); })
      .def_prop_ro(
          "_dtype",
          [](const Symbol& s) { return std::string(detail::type_name(array_of(s).dtype())); })
      .def_prop_ro("_description", [](const Symbol& s) { return s.value.description(); })
      .def_prop_ro("_text", [](const Symbol& s) { return array_of(s).node()->text; })
      .def_prop_ro("_codes", &codes)
      .def_prop_ro("T", [](const Symbol& s) { return placed([&] { return transposed(s.value); }); })
      .def("_truth",
           [](const Symbol& s) -> std::optional<bool> {
             try {
               return truth_of(s.value);
             } catch (const cudamat::CUDAMatException&) {
               return {};
             }
           })
      .def("_item",
           [](const Symbol& s, nb::handle index) {
             return placed([&] { return subscript(s.value, index_of(index)); });
           })
      .def("_store", [](const Symbol& s, nb::handle index, nb::handle value) {
        const At at(context().place);
        assign_subscript(s.value, index_of(index), value_of(value));
      });
  m.def("sym_input", [](nb::handle array) { return nb::cast(Symbol{input_for(array)}); });
  m.def("sym_call", &call);
  m.def("sym_knows", [](const std::string& name) { return is_function(name); });
  m.def("sym_unary", [](const std::string& op, nb::handle a) {
    return placed(
        [&] { return unary_operator(operator_of(op, ast::Operator::Negative), value_of(a)); });
  });
  m.def("sym_binary", [](const std::string& op, nb::handle a, nb::handle b) {
    return placed([&] { return binary_operator(operator_of(op), value_of(a), value_of(b)); });
  });
  m.def("sym_in_place", [](const std::string& op, nb::handle a, nb::handle b) {
    const At at(context().place);
    const Value old = value_of(a);
    const Value made = in_place_value(op, old, value_of(b));
    const bool same = old.as<ObjectPtr>() != nullptr && made.as<ObjectPtr>() != nullptr &&
                      *old.as<ObjectPtr>() == *made.as<ObjectPtr>();
    return same ? nb::borrow(a) : object_of(made);
  });
  m.def("sym_place", [](int line) { context().place = {line, line == 0 ? 0 : 1}; });
  m.def("sym_begin", [] { context().steps.clear(); });
  m.def("sym_trace", &trace);
}

}  // namespace rewriter::module
