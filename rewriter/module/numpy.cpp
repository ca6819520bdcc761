#include "rewriter/module/numpy.hpp"

#include <unordered_map>

namespace rewriter::module {

nb::object numpy(const char* name) {
  static const nb::object& module = *new nb::object(nb::module_::import_("numpy"));
  return module.attr(name);
}

namespace {

/// NumPy's type, by its letters, of which int64's are not Python's.
nb::handle numpy_type(Code code) {
  static auto& known = *new std::unordered_map<Code, PyObject*>;
  PyObject*& type = known[code];
  if (type == nullptr) {
    const char letters[] = {code == 'q' ? 'l' : code == 'Q' ? 'L' : code, 0};
    type = numpy("dtype")(letters).release().ptr();
  }
  return type;
}

}  // namespace

nb::object new_array(nb::handle shape, Code code) {
  static PyObject* const empty = numpy("empty").release().ptr();
  PyObject* arguments[] = {shape.ptr(), numpy_type(code).ptr()};
  PyObject* const array = PyObject_Vectorcall(empty, arguments, 2, nullptr);
  if (array == nullptr) throw nb::python_error();
  return nb::steal(array);
}

}  // namespace rewriter::module
