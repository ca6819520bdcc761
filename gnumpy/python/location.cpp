// Lines of Python programs as source locations, which errors, memory_allocators() and traces show.
#include <array>
#include <bit>
#include <map>
#include <memory>
#include <source_location>
#include <string>

#include "gnumpy/python/array.hpp"

namespace gnumpy::python {

namespace {

/// What a std::source_location points to, as the compiler makes it (the C++ ABI of libstdc++ and
/// libc++).
struct Impl {
  const char* file;
  const char* function;
  unsigned line;
  unsigned column;
};
static_assert(sizeof(std::source_location) == sizeof(const Impl*));

/// Kept for ever, since arrays refer to it: one for each line of a program that makes arrays.
const Impl* interned(const std::string& file, unsigned line) {
  static auto& files = *new std::map<std::string, std::map<unsigned, std::unique_ptr<Impl>>>;
  const auto of_file = files.try_emplace(file).first;
  std::unique_ptr<Impl>& impl = of_file->second[line];
  if (impl == nullptr) impl = std::make_unique<Impl>(Impl{of_file->first.c_str(), "", line, 0});
  return impl.get();
}

/// A place in a program, seen before. Other places take its room.
struct Seen {
  PyCodeObject* code = nullptr;  // held, so that no other code has its address
  int at = 0;
  const Impl* impl = nullptr;  // nothing: not the user's code, its caller is asked
};
std::array<Seen, 1024> seen;

std::string& folder() {
  static std::string& path = *new std::string;
  return path;
}

bool is_users(const std::string& file) {
  const bool own = !folder().empty() && file.starts_with(folder());
  return !own && file.find("/numpy/") == std::string::npos &&
         !file.starts_with("<__array_function__");
}

std::string file_of(PyCodeObject* code) {
  const nb::object file =
      nb::steal(PyObject_GetAttrString(reinterpret_cast<PyObject*>(code), "co_filename"));
  const char* const name = PyUnicode_AsUTF8AndSize(file.ptr(), nullptr);
  if (name == nullptr) PyErr_Clear();
  return name == nullptr ? "?" : name;
}

int place_in(PyFrameObject* frame) {
#ifdef Py_LIMITED_API
  static PyObject* const name = PyUnicode_InternFromString("f_lasti");
  PyObject* const at = PyObject_GetAttr(reinterpret_cast<PyObject*>(frame), name);
  const int place = static_cast<int>(PyLong_AsLong(at));
  Py_DECREF(at);
  return place;
#elif PY_VERSION_HEX >= 0x030B0000
  return PyFrame_GetLasti(frame);
#else
  return PyFrame_GetLineNumber(frame);
#endif
}

/// A new reference, or nothing.
PyFrameObject* caller_of(PyFrameObject* frame) {
#ifdef Py_LIMITED_API
  static PyObject* const name = PyUnicode_InternFromString("f_back");
  PyObject* const caller = PyObject_GetAttr(reinterpret_cast<PyObject*>(frame), name);
  if (caller != Py_None) return reinterpret_cast<PyFrameObject*>(caller);
  Py_DECREF(caller);
  return nullptr;
#else
  return PyFrame_GetBack(frame);
#endif
}

/// Nothing if it is not the user's.
const Impl* place_of(PyFrameObject* frame) {
  PyCodeObject* const code = PyFrame_GetCode(frame);
  const int at = place_in(frame);
  const auto hash =
      (reinterpret_cast<std::uintptr_t>(code) >> 4) * 31 + static_cast<std::uintptr_t>(at);
  Seen& entry = seen[(hash ^ (hash >> 10)) % seen.size()];
  if (entry.code == code && entry.at == at) {
    Py_DECREF(reinterpret_cast<PyObject*>(code));
    return entry.impl;
  }
  const std::string name = file_of(code);
  PyCodeObject* const old = entry.code;
  entry = {code, at,
           is_users(name) ? interned(name, static_cast<unsigned>(PyFrame_GetLineNumber(frame)))
                          : nullptr};
  Py_XDECREF(reinterpret_cast<PyObject*>(old));
  return entry.impl;
}

}  // namespace

void own_folder(std::string path) {
  folder() = std::move(path);
}

Where here() {
  PyFrameObject* frame = PyEval_GetFrame();
  if (frame == nullptr) return std::bit_cast<Where>(interned("<no Python program>", 0));
  const Impl* impl = place_of(frame);
  Py_INCREF(reinterpret_cast<PyObject*>(frame));
  while (impl == nullptr) {
    PyFrameObject* const caller = caller_of(frame);
    if (caller == nullptr) {
      impl = interned("<no Python program>", 0);
      break;
    }
    Py_DECREF(reinterpret_cast<PyObject*>(frame));
    frame = caller;
    impl = place_of(frame);
  }
  Py_DECREF(reinterpret_cast<PyObject*>(frame));
  return std::bit_cast<Where>(impl);
}

}  // namespace gnumpy::python
