#include "rewriter/module/python.hpp"

#include <algorithm>
#include <cstring>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "rewriter/module/buffer.hpp"
#include "rewriter/module/numpy.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/walk/objects.hpp"

namespace rewriter::module {

using cudamat::misuse;
using Is = PythonValue::Kind;

namespace {

bool is_exactly(nb::handle object, PyTypeObject* type) {
  return Py_TYPE(object.ptr()) == type;
}

nb::object numpy_number(const PythonValue& value) {
  if (value.kind == Is::Float) return numpy("float64")(value.number);
  if (value.kind == Is::Bool) return numpy("bool_")(value.integer != 0);
  return numpy("int64")(value.integer);
}

}  // namespace

nb::object AskedPython::object_of(const PythonValue& value) const {
  if (value.is_numpy) return numpy_number(value);
  nb::list items;
  for (const PythonValue& part : value.parts) items.append(object_of(part));
  switch (value.kind) {
    case Is::Bool:
      return nb::bool_(value.integer != 0);
    case Is::Int:
      return nb::int_(value.integer);
    case Is::Float:
      return nb::float_(value.number);
    case Is::Text:
      return nb::str(value.text.c_str(), value.text.size());
    case Is::Tuple:
      return nb::tuple(items);
    case Is::List:
      return items;
    case Is::Set:
      return nb::steal(PySet_New(items.ptr()));
    case Is::Dict: {
      nb::dict made;
      for (std::size_t i = 0; i + 1 < nb::len(items); i += 2) made[items[i]] = items[i + 1];
      return made;
    }
    case Is::Array:
      if (!value.parts.empty())
        return nb::steal(
            PyComplex_FromDoubles(nb::cast<double>(items[0]), nb::cast<double>(items[1])));
      return outside_.attr("array")(value.numbers.data, nb::cast(value.numbers.shape),
                                    std::string(1, code_of(value.dtype, 'd')));
    case Is::Builtin:
      return outside_.attr("builtin")(value.text);
    case Is::Example:
      return outside_.attr("example")(value.text);
    case Is::Object:
      return nb::object(outside_.attr("objects")[nb::int_(value.integer)]);
    default:
      return nb::none();
  }
}

PythonValue AskedPython::value_of(nb::handle object) const {
  PythonValue made;
  const auto of_kind = [&](Is kind) -> PythonValue& {
    made.kind = kind;
    return made;
  };
  const auto with_parts = [&](Is kind) -> PythonValue& {
    for (const nb::handle item : nb::list(nb::borrow(object))) made.parts.push_back(value_of(item));
    return of_kind(kind);
  };
  if (object.is_none()) return made;
  if (is_exactly(object, &PyBool_Type)) {
    made.integer = object.is(Py_True) ? 1 : 0;
    return of_kind(Is::Bool);
  }
  if (is_exactly(object, &PyLong_Type)) {
    int overflow = 0;
    made.integer = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
    if (overflow == 0) return of_kind(Is::Int);
    made.integer = 0;
  }
  if (is_exactly(object, &PyFloat_Type)) {
    made.number = PyFloat_AsDouble(object.ptr());
    return of_kind(Is::Float);
  }
  if (is_exactly(object, &PyUnicode_Type)) {
    made.text = nb::cast<std::string>(object);
    return of_kind(Is::Text);
  }
  if (is_exactly(object, &PyTuple_Type)) return with_parts(Is::Tuple);
  if (is_exactly(object, &PyList_Type)) return with_parts(Is::List);
  if (is_exactly(object, &PySet_Type) || is_exactly(object, &PyFrozenSet_Type))
    return with_parts(Is::Set);
  if (is_exactly(object, &PyDict_Type)) {
    for (const auto& [key, item] : nb::cast<nb::dict>(object)) {
      made.parts.push_back(value_of(key));
      made.parts.push_back(value_of(item));
    }
    return of_kind(Is::Dict);
  }
  // (kind, is it NumPy's, number or the numbers, shape): _outside.py knows arrays and scalars
  const nb::object told = outside_.attr("described")(object);
  const auto kind = nb::cast<std::string>(told[0]);
  if (kind == "object") {
    made.integer = nb::cast<std::int64_t>(told[1]);
    made.text = nb::cast<std::string>(told[2]);
    made.truth = nb::cast<bool>(told[3]);
    return of_kind(Is::Object);
  }
  if (kind == "complex") {
    made.parts = {value_of(told[1]), value_of(told[2])};
    return of_kind(Is::Array);
  }
  if (kind == "array") {
    made.dtype = dtype_of(nb::cast<std::string>(told[1])[0]);
    made.numbers = {nb::cast<std::vector<Index>>(told[2]), nb::cast<std::vector<double>>(told[3])};
    return of_kind(Is::Array);
  }
  made = value_of(told[1]);
  made.is_numpy = true;
  return made;
}

PythonValue AskedPython::ask(const std::string& what, const std::vector<PythonValue>& arguments,
                             const std::vector<std::pair<std::string, PythonValue>>& keywords) {
  nb::list given;
  for (const PythonValue& each : arguments) given.append(object_of(each));
  nb::dict named;
  for (const auto& [name, value] : keywords) named[name.c_str()] = object_of(value);
  // ("value", it), ("unsupported", why) or ("raises", type, text)
  const nb::object answer = outside_.attr("ask")(what, given, named);
  const auto kind = nb::cast<std::string>(answer[0]);
  if (kind == "unsupported") misuse("program", "{}", nb::cast<std::string>(answer[1]));
  if (kind == "raises")
    throw PythonError(nb::cast<std::string>(answer[1]), "program",
                      nb::cast<std::string>(answer[2]));
  return value_of(answer[1]);
}

}  // namespace rewriter::module
