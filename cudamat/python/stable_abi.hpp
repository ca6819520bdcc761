// What CPython gives modules as macros alone, for modules of the stable ABI (tools/wheel), where it
// must be functions: the same names, and the same borrowed references.
#pragma once

#include <nanobind/nanobind.h>

#ifdef Py_LIMITED_API

#undef PySequence_Fast_GET_SIZE  // macros of what is not there
#undef PySequence_Fast_GET_ITEM

inline double PyFloat_AS_DOUBLE(PyObject* number) {
  return PyFloat_AsDouble(number);
}
inline Py_ssize_t PyTuple_GET_SIZE(PyObject* tuple) {
  return PyTuple_Size(tuple);
}
inline PyObject* PyTuple_GET_ITEM(PyObject* tuple, Py_ssize_t at) {
  return PyTuple_GetItem(tuple, at);
}
inline Py_ssize_t PySequence_Fast_GET_SIZE(PyObject* sequence) {
  return PyList_Check(sequence) != 0 ? PyList_Size(sequence) : PyTuple_Size(sequence);
}
inline PyObject* PySequence_Fast_GET_ITEM(PyObject* sequence, Py_ssize_t at) {
  return PyList_Check(sequence) != 0 ? PyList_GetItem(sequence, at) : PyTuple_GetItem(sequence, at);
}
/// Null if the cell is empty.
inline PyObject* PyCell_GET(PyObject* cell) {
  PyObject* const content = PyObject_GetAttrString(cell, "cell_contents");
  if (content == nullptr) PyErr_Clear();
  Py_XDECREF(content);  // the cell has it
  return content;
}

#endif
