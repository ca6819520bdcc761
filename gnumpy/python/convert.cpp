// Between Python's objects and garrays.
#include <cmath>
#include <dlfcn.h>
#include <span>
#include <string>

#include "cudamat/error.hpp"
#include "gnumpy/engine.hpp"
#include "gnumpy/errors.hpp"
#include "gnumpy/materialize.hpp"
#include "gnumpy/python/array.hpp"
#include "gnumpy/trace.hpp"

namespace gnumpy::python {

using cudamat::python::Elements;
using cudamat::python::empty_array;
using cudamat::python::make_array;
using cudamat::python::numpy;

PyTypeObject* array_type = nullptr;

ArrayObject made(garray value, bool scalar) {
  nb::object object = nb::inst_alloc(nb::handle(reinterpret_cast<PyObject*>(array_type)));
  new (nb::inst_ptr<PyArray>(object)) PyArray{std::move(value), scalar};
  nb::inst_mark_ready(object);
  return nb::steal<ArrayObject>(object.release());
}

void compute(const detail::NodePtr& node) {
  if (node->is_leaf()) return;
  const detail::NodePtr held = node;
  computing([&] { detail::materialize(held); });
}

const char* engine_dtype() {
  switch (detail::engine().bytes_per_element()) {
    case sizeof(float):
      return "float32";
    case sizeof(double):
      return "float64";
    default:
      return "longdouble";
  }
}

namespace {

/// Of a NumPy array in C order, of a type that `Number` is.
template <class Number>
garray uploaded(nb::handle array, const Where& where) {
  const Elements elements(array, 'C', false);
  Dims dims(elements.shape(), elements.shape() + elements.ndim());
  const std::span<const Number> numbers(static_cast<const Number*>(elements.data()),
                                        static_cast<std::size_t>(elements.size()));
  return computing([&] { return garray(numbers, std::move(dims), where); });
}

[[noreturn]] void refuse_elements(const std::string& dtype, const Where& where) {
  throw nb::type_error(fmt::format("[garray] {}:{}: elements must be real numbers; got dtype {}",
                                   where.file_name(), where.line(), dtype)
                           .c_str());
}

nb::object as_array(nb::handle data, const Where& where) {
  try {
    return numpy().attr("asarray")(data);
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_ValueError)) throw;
    detail::misuse("garray", where, nb::cast<std::string>(nb::str(error.value())));
  }
}

/// Of lists and tuples: the garrays in them; none if anything else is.
std::vector<garray> garrays_in(nb::handle sequence) {
  std::vector<garray> parts;
  const Py_ssize_t size = PySequence_Fast_GET_SIZE(sequence.ptr());
  for (Py_ssize_t k = 0; k < size; ++k) {
    PyObject* const item = PySequence_Fast_GET_ITEM(sequence.ptr(), k);
    if (!is_garray_object(item)) return {};
    parts.emplace_back(array_of(item).value.node());
  }
  return parts;
}

}  // namespace

garray to_garray(nb::handle data, const Where& where) {
  if (is_garray_object(data.ptr())) return garray(array_of(data).value.node());
  if (PyList_Check(data.ptr()) || PyTuple_Check(data.ptr())) {
    const std::vector<garray> parts = garrays_in(data);
    if (!parts.empty()) return computing([&] { return gnumpy::stack(parts, 0, where); });
  }
  if (PyFloat_CheckExact(data.ptr())) return garray(PyFloat_AS_DOUBLE(data.ptr()), where);
  if (PyUnicode_Check(data.ptr()) || PyBytes_Check(data.ptr())) refuse_elements("str", where);
  const nb::object array = as_array(data, where);
  const auto kind = nb::cast<std::string>(nb::object(array.attr("dtype").attr("kind")));
  if (kind != "f" && kind != "i" && kind != "u" && kind != "b")
    refuse_elements(nb::cast<std::string>(nb::object(array.attr("dtype").attr("name"))), where);
  // asarray() keeps the 0-d shape, which np.ascontiguousarray would lose.
  const nb::object elements = make_array(array, engine_dtype(), 'C', false);
  const int bytes = detail::engine().bytes_per_element();
  garray value = bytes == sizeof(float)    ? uploaded<float>(elements, where)
                 : bytes == sizeof(double) ? uploaded<double>(elements, where)
                                           : uploaded<long double>(elements, where);
  if (kind == "b" && value.size() > 0) value.node()->storage->content = detail::Content::Truths;
  return value;
}

bool is_operand(PyObject* object) {
  if (is_garray_object(object) || PyFloat_Check(object) || PyLong_Check(object)) return true;
  if (PyUnicode_Check(object) || PyBytes_Check(object)) return false;
  if (PyList_Check(object) || PyTuple_Check(object)) return true;
  return nb::hasattr(object, "__array__") ||
         (PyNumber_Check(object) != 0 && PyType_GetSlot(Py_TYPE(object), Py_nb_float) != nullptr);
}

#ifdef Py_LIMITED_API
namespace {

/// PyUnstable_Object_IsUniqueReferencedTemporary, where the interpreter has it; before 3.14, where
/// it is not needed, the count of references tells.
bool has_one_temporary_reference(PyObject* object) {
  using Asked = int (*)(PyObject*);
  static const auto ask =
      reinterpret_cast<Asked>(dlsym(RTLD_DEFAULT, "PyUnstable_Object_IsUniqueReferencedTemporary"));
  if (ask != nullptr) return ask(object) != 0;
  return Py_Version < 0x030E0000 && Py_REFCNT(object) == 1;
}

}  // namespace
#endif

// Wrong where an object of C holds the only reference and lends it: what is part of an expression
// is then computed twice.
bool is_temporary(nb::handle object) {
#ifdef Py_LIMITED_API
  return has_one_temporary_reference(object.ptr());
#elif PY_VERSION_HEX >= 0x030E0000
  return PyUnstable_Object_IsUniqueReferencedTemporary(object.ptr()) != 0;
#else
  return Py_REFCNT(object.ptr()) == 1;
#endif
}

operand operand_of(nb::handle object, const Where& where) {
  PyObject* const o = object.ptr();
  if (is_garray_object(o)) {
    const detail::NodePtr& node = array_of(object).value.node();
    if (node->kind == detail::Node::Kind::Expression && is_temporary(o)) return {node, where};
    if (!node->is_leaf() && node->kind != detail::Node::Kind::Copy) compute(node);
    return {array_of(object).value, where};
  }
  if (PyFloat_CheckExact(o)) return {PyFloat_AS_DOUBLE(o), where};
  if (PyLong_CheckExact(o) || PyBool_Check(o)) {
    const double number = PyLong_AsDouble(o);
    if (number == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
    return {number, where};
  }
  if (!is_array(object) && !PyList_Check(o) && !PyTuple_Check(o))
    return {cudamat::python::number("garray", "an operand", object), where};
  return {to_garray(object, where), where};
}

nb::object to_numpy(const garray& value, nb::handle dtype) {
  compute(value.node());
  const detail::NodePtr leaf = computing([&] { return detail::leaf_of(value.node()); });
  nb::list shape;
  for (const Index extent : value.shape()) shape.append(extent);
  nb::object array = empty_array(nb::tuple(shape), engine_dtype(), 'C');
  if (value.size() > 0) {
    const Elements elements(array, 'C', true);
    const auto size = static_cast<std::size_t>(value.size());
    const Where where = here();
    computing([&] {
      const detail::Lock lock;
      const auto read = [&](auto* data) {
        detail::engine().to_host(leaf->storage->data(), leaf->offset, std::span(data, size));
      };
      switch (detail::engine().bytes_per_element()) {
        case sizeof(float):
          read(static_cast<float*>(elements.data()));
          break;
        case sizeof(double):
          read(static_cast<double*>(elements.data()));
          break;
        default:
          read(static_cast<long double*>(elements.data()));
      }
      detail::moved(*leaf, true, where);
    });
  }
  if (dtype.is_none()) return array;
  return array.attr("astype")(dtype, nb::arg("copy") = false);
}

double only_element(nb::handle self, const char* what) {
  const garray& value = array_of(self).value;
  if (value.size() != 1) {
    const Where where = here();
    const std::string text = fmt::format("[{}] {}:{}: an array of shape {} is not one number", what,
                                         where.file_name(), where.line(), value.shape().str());
    if (std::string_view(what) == "bool")
      throw nb::value_error((text + "; use any() or all()").c_str());
    throw nb::type_error(text.c_str());
  }
  compute(value.node());
  return computing([&] { return value.item(); });
}

Index integer(std::string_view op, std::string_view what, nb::handle object) {
  const nb::object index = nb::steal(PyNumber_Index(object.ptr()));
  if (!index.is_valid()) {
    PyErr_Clear();
    throw nb::type_error(
        fmt::format("[{}] {} must be an integer; got {}", op, what, name_of_type(object)).c_str());
  }
  const long long value = PyLong_AsLongLong(index.ptr());
  if (value == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw nb::value_error(fmt::format("[{}] {} must fit 64 bits; got {}", op, what,
                                      nb::cast<std::string>(nb::str(index)))
                              .c_str());
  }
  return value;
}

namespace {

Dims integers(std::string_view op, std::string_view what, nb::handle object) {
  if (PySequence_Check(object.ptr()) == 0 || PyUnicode_Check(object.ptr()) ||
      is_garray_object(object.ptr()))
    return {integer(op, what, object)};
  Dims dims;
  const nb::object items = nb::steal(PySequence_Fast(object.ptr(), "a sequence"));
  if (!items.is_valid()) throw nb::python_error();
  for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(items.ptr()); ++k)
    dims.push_back(integer(op, what, PySequence_Fast_GET_ITEM(items.ptr(), k)));
  return dims;
}

}  // namespace

int axis_number(std::string_view op, Index value) {
  if (value != static_cast<int>(value))
    throw nb::value_error(fmt::format("[{}] axis {} is out of bounds", op, value).c_str());
  return static_cast<int>(value);
}

Dims dims_of(std::string_view op, nb::handle shape) {
  return integers(op, "an extent", shape);
}

Dims dims_of(std::string_view op, nb::args arguments) {
  if (arguments.size() == 1) return dims_of(op, nb::handle(arguments[0]));
  return dims_of(op, nb::handle(arguments));
}

Axes axes_of(std::string_view op, nb::handle axis) {
  if (axis.is_none()) return {};
  std::vector<int> axes;
  for (const Index one : integers(op, "an axis", axis)) axes.push_back(axis_number(op, one));
  return axes;
}

Axis axis_of(std::string_view op, nb::handle axis) {
  if (axis.is_none()) return {};
  return axis_number(op, integer(op, "axis", axis));
}

void translate(const std::exception_ptr& thrown, void* /*payload*/) {
  try {
    std::rethrow_exception(thrown);
  } catch (const cudamat::OutOfMemory& error) {
    PyErr_SetString(PyExc_MemoryError, error.what());
  } catch (const cudamat::LibraryError& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  } catch (const cudamat::CUDAMatException& error) {
    const std::string_view op = error.operation(), text = error.message();
    const bool index = (op == "getitem" || op == "setitem") &&
                       text.find("broadcast input") == std::string_view::npos;
    PyErr_SetString(op == "len" ? PyExc_TypeError
                    : index     ? PyExc_IndexError
                                : PyExc_ValueError,
                    error.what());
  } catch (const nb::builtin_exception& error) {
    PyErr_SetString(error.type() == nb::exception_type::type_error     ? PyExc_TypeError
                    : error.type() == nb::exception_type::index_error  ? PyExc_IndexError
                    : error.type() == nb::exception_type::buffer_error ? PyExc_BufferError
                                                                       : PyExc_ValueError,
                    error.what());
  } catch (const std::bad_alloc& error) {
    PyErr_SetString(PyExc_MemoryError, error.what());
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
}

}  // namespace gnumpy::python
