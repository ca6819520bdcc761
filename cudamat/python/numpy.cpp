#include "cudamat/python/numpy.hpp"

#include <fmt/format.h>

namespace cudamat::python {

nb::module_ numpy() {
  return nb::module_::import_("numpy");
}

std::string dtype_name(std::string_view op, nb::handle dtype, std::string_view allowed) {
  const auto name = nb::cast<std::string>(nb::str(numpy().attr("dtype")(dtype).attr("name")));
  if ((" " + std::string(allowed) + " ").find(" " + name + " ") == std::string::npos)
    throw nb::type_error(
        fmt::format("[{}] dtype must be one of {}; got {}", op, allowed, name).c_str());
  return name;
}

nb::object make_array(nb::handle data, const char* dtype, char order, bool copy) {
  const nb::str in_order(&order, 1);
  if (copy)
    return numpy().attr("array")(data, nb::arg("dtype") = dtype, nb::arg("order") = in_order);
  return numpy().attr("asarray")(data, nb::arg("dtype") = dtype, nb::arg("order") = in_order);
}

nb::object empty_array(nb::handle shape, const char* dtype, char order) {
  return numpy().attr("empty")(shape, nb::arg("dtype") = dtype,
                               nb::arg("order") = nb::str(&order, 1));
}

Elements::Elements(nb::handle array, char order, bool writable) {
  const int flags =
      (order == 'F' ? PyBUF_F_CONTIGUOUS : PyBUF_C_CONTIGUOUS) | (writable ? PyBUF_WRITABLE : 0);
  if (PyObject_GetBuffer(array.ptr(), &view_, flags) != 0) throw nb::python_error();
}

bool is_array(nb::handle object) {
  if (PyFloat_CheckExact(object.ptr()) || PyLong_CheckExact(object.ptr())) return false;
  if (!nb::hasattr(object, "__array__") || !nb::hasattr(object, "shape")) return false;
  return PyObject_Size(nb::object(object.attr("shape")).ptr()) > 0;
}

std::string name_of_type(nb::handle object) {
  const nb::handle type = object.type();
  const auto module = nb::cast<std::string>(nb::str(type.attr("__module__")));
  const auto name = nb::cast<std::string>(nb::str(type.attr("__qualname__")));
  return module == "builtins" ? name : module + "." + name;
}

double number(std::string_view op, std::string_view what, nb::handle object) {
  if (PyFloat_CheckExact(object.ptr())) return PyFloat_AS_DOUBLE(object.ptr());
  if (!PyUnicode_Check(object.ptr()) && !PyBytes_Check(object.ptr())) {
    PyObject* const converted = PyNumber_Float(object.ptr());
    if (converted != nullptr) {
      const double value = PyFloat_AS_DOUBLE(converted);
      Py_DECREF(converted);
      return value;
    }
    if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) throw nb::python_error();
    PyErr_Clear();
  }
  throw nb::type_error(
      fmt::format("[{}] {} must be a number; got {}", op, what, name_of_type(object)).c_str());
}

}  // namespace cudamat::python
