// What a function returns, as Python's values.
#include "rewriter/module/conversion.hpp"
#include "rewriter/module/numpy.hpp"

namespace rewriter::module {
namespace {

nb::object number_of(DType dtype, long double number, Code floating) {
  if (dtype == DType::Bool) return nb::bool_(number != 0);
  if (is_integer(dtype)) {
    check_integer(number, floating);
    return nb::int_(static_cast<std::int64_t>(number));
  }
  return nb::float_(static_cast<double>(number));
}

/// A function of _values.py.
nb::object of_values(const char* name) {
  static const nb::object& values = *new nb::object(nb::module_::import_("rewriter._values"));
  return values.attr(name);
}

}  // namespace

using Returned = Program::Returned;

void Conversion::raise(const Raised& raised) const {
  const nb::object environment = environment_.is_valid() ? environment_() : nb::none();
  if (environment.is_none()) throw nb::value_error(raised.what());  // traced, which has no raise
  const nb::object made =
      environment.attr("exception")(raised.type, raised.text, raised.where.line);
  PyErr_SetObject(nb::handle(made.type()).ptr(), made.ptr());
  throw nb::python_error();
}

/// The object itself where it is known; else a new one, with its attributes.
nb::object Conversion::object_of(const Returned& returned, Made& made) const {
  if (const auto known = made.objects.find(returned.integer); known != made.objects.end())
    return known->second;
  const Returned& described = program_.new_objects.at(returned.integer);
  const nb::object environment = environment_.is_valid() ? environment_() : nb::none();
  const nb::object object = environment.attr("new_object")(described.text);
  if (!object.is_none()) made.objects[returned.integer] = object;  // its attributes may refer to it
  nb::list names, values;
  for (std::size_t i = 0; i + 1 < described.parts.size(); i += 2) {
    names.append(value_of(described.parts[i], made));
    values.append(value_of(described.parts[i + 1], made));
  }
  return made.objects[returned.integer] =
             environment.attr("fill_object")(object, described.text, names, values);
}

void Conversion::write_objects(Made& made) const {
  for (const Program::ChangedObject& changed : program_.objects) {
    if (changed.number == 0) {
      for (const auto& attribute : changed.attributes)
        environment_().attr("set_global")(attribute.name, value_of(*attribute.value, made));
      continue;
    }
    const nb::object& object = made.objects.at(changed.number);
    for (const auto& [name, value, in_place] : changed.attributes) {
      const nb::str attribute(name.c_str(), name.size());
      const nb::object now = !value     ? nb::object()
                             : in_place ? new_value(*value, made)
                                        : value_of(*value, made);
      if (in_place) {
        of_values("store_list")(object.attr(attribute), now);
      } else if (PyObject_GenericSetAttr(object.ptr(), attribute.ptr(), now.ptr()) != 0) {
        throw nb::python_error();
      }
    }
  }
}

nb::object Conversion::value_of(const Returned& returned, Made& made) const {
  if (returned.list == 0) return new_value(returned, made);
  const auto known = made.lists.find(returned.list);
  if (known != made.lists.end()) return known->second;
  return made.lists[returned.list] = new_value(returned, made);
}

/// Of Python's, or of a type of NumPy's.
static nb::object number_known(const Returned& returned) {
  nb::object number;
  const char* type = "int64";
  if (returned.kind == Returned::Kind::Bool) {
    number = nb::bool_(returned.integer != 0);
    type = "bool_";
  } else if (returned.kind == Returned::Kind::Int) {
    number = nb::int_(returned.integer);
  } else {
    number = nb::float_(returned.number);
    type = returned.float_bits == 32 ? "float32" : "float64";
  }
  return returned.is_python ? number : numpy(type)(number);
}

/// Of the items of a list that are chosen at run time: (a type's name, whether it is Python's).
static nb::list types_of_chosen(const Returned& returned) {
  using Is = Returned::Kind;
  nb::list types;
  for (std::size_t i = 1; i < returned.parts.size(); ++i) {
    const Returned& type = returned.parts[i];
    const char* const kind = type.kind == Is::None    ? ""
                             : type.kind == Is::Float ? "float"
                             : type.kind == Is::Bool  ? "bool"
                                                      : "int";
    types.append(nb::make_tuple(kind, type.is_python));
  }
  return types;
}

nb::object Conversion::container_of(const Returned& returned, Made& made) const {
  const auto part = [&](std::size_t i) { return value_of(returned.parts[i], made); };
  const auto list = [&] {
    nb::list items;
    for (std::size_t i = 0; i < returned.parts.size(); ++i) items.append(part(i));
    return items;
  };
  switch (returned.kind) {
    case Returned::Kind::Tuple:
      if (returned.text == "text") return of_values("text_of")(list());
      if (returned.text == "bytes") return nb::module_::import_("builtins").attr("bytes")(list());
      return nb::tuple(list());
    case Returned::Kind::List: {
      if (returned.text.empty()) return list();
      const nb::object most =
          returned.integer == 0 ? nb::none() : nb::object(nb::int_(returned.integer));
      return nb::module_::import_("collections").attr("deque")(list(), most);
    }
    case Returned::Kind::Set: {
      if (returned.text == "frozenset")
        return nb::module_::import_("builtins").attr("frozenset")(list());
      PyObject* const set = PySet_New(list().ptr());
      if (set == nullptr) throw nb::python_error();
      return nb::steal(set);
    }
    default: {
      nb::dict dict;
      for (std::size_t i = 0; i + 1 < returned.parts.size(); i += 2) dict[part(i)] = part(i + 1);
      if (returned.text.empty()) return dict;
      return of_values("collection_of")(returned.text, dict);
    }
  }
}

nb::object Conversion::input_value(const Returned& returned, const Made& made) const {
  const Input input = input_of(returned.text);
  const Leaf& leaf = made.leaves[input.leaf];
  if (!leaf.is_array || !is_complex(leaf.buffer.code())) return nb::borrow(leaf.object);
  return nb::handle(leaf.object).attr(input.part == 0 ? "real" : "imag");
}

nb::object Conversion::selected_value(const Returned& returned, Made& made) const {
  const nb::object mask = value_of(returned.parts[1], made);
  if (is_nonzero(returned)) return mask.attr("nonzero")()[0];
  nb::list index;
  for (std::int64_t axis = 0; axis < returned.integer; ++axis)
    index.append(nb::slice(nb::none(), nb::none(), nb::none()));
  index.append(mask);
  return value_of(returned.parts[0], made)[nb::tuple(index)];
}

nb::object Conversion::complex_value(const Returned& returned, Made& made) const {
  using Is = Returned::Kind;
  const Returned& real = returned.parts[0];
  const Returned& imaginary = returned.parts[1];
  if (real.kind == Is::Input && imaginary.kind == Is::Input)
    if (const Input a = input_of(real.text), b = input_of(imaginary.text);
        a.leaf == b.leaf && a.part == 0 && b.part == 1)
      return nb::borrow(made.leaves[a.leaf].object);
  if (real.kind == Is::Array && imaginary.kind == Is::Array)
    if (const Joined* joined = joined_of(output_of(real.text), output_of(imaginary.text)))
      return made.joined[static_cast<std::size_t>(joined - joined_.data())];
  return of_values("complex_of")(value_of(real, made), value_of(imaginary, made));
}

nb::object Conversion::new_value(const Returned& returned, Made& made) const {
  const auto part = [&](std::size_t i) { return value_of(returned.parts[i], made); };
  const auto array = [&] { return made.arrays[output_of(returned.text)]; };
  using Is = Returned::Kind;
  switch (returned.kind) {
    case Is::None:
    case Is::Other:
      return nb::none();
    case Is::Bool:
    case Is::Int:
    case Is::Float:
      return number_known(returned);
    case Is::Text:
      return nb::str(returned.text.c_str(), returned.text.size());
    case Is::Array:
      return array();
    case Is::Scalar: {
      PyObject* const scalar = PyObject_GetItem(array().ptr(), nb::tuple().ptr());
      if (scalar == nullptr) throw nb::python_error();
      return nb::steal(scalar);
    }
    case Is::Number: {
      const Result& number = made.numbers[output_of(returned.text)];
      return number_of(returned.dtype, number.value, number.computed_in);
    }
    case Is::Numbers:
      return returned.is_python ? nb::object(array().attr("tolist")()) : nb::list(array());
    case Is::Input:
      return input_value(returned, made);
    case Is::Object:
      return object_of(returned, made);
    case Is::Outside:
      return environment_().attr("outside_object")(returned.integer, returned.text);
    case Is::Tuple:
    case Is::List:
    case Is::Set:
    case Is::Dict:
      return container_of(returned, made);
    case Is::Selected:
      return selected_value(returned, made);
    case Is::Some:
      return of_values("list_of")(part(0), types_of_chosen(returned), returned.text);
    case Is::Complex:
      return complex_value(returned, made);
    case Is::Perhaps:
      return nb::cast<bool>(nb::bool_(part(0))) ? part(1) : part(2);
  }
  return nb::none();
}

}  // namespace rewriter::module
