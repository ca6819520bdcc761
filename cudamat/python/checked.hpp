// The value in an object of Python's, looked at before it is used: of a subclass whose __init__
// does not call that of its base, or of what cls.__new__(cls) makes, there is none.
#pragma once

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <string>

namespace cudamat::python {

/// Raises TypeError.
[[noreturn]] inline void refuse_value(nanobind::handle object, const std::string& wanted) {
  namespace nb = nanobind;
  const auto got = nb::cast<std::string>(nb::object(object.type().attr("__name__")));
  if (!wanted.empty())
    throw nb::type_error(fmt::format("[{0}] expected a {0}; got {1}", wanted, got).c_str());
  throw nb::type_error(
      fmt::format("[{0}] this {0} has no value, since no __init__ gave it one; the "
                  "__init__ of a subclass calls super().__init__(...)",
                  got)
          .c_str());
}

/// Of an object that is a T.
template <class T>
T& initialized(nanobind::handle object) {
  if (!nanobind::inst_ready(object)) [[unlikely]]
    refuse_value(object, "");
  return *nanobind::inst_ptr<T>(object);
}

/// Of any object.
template <class T>
T& checked(nanobind::handle object) {
  if (!nanobind::isinstance<T>(object)) [[unlikely]]
    refuse_value(object, nanobind::cast<std::string>(
                             nanobind::object(nanobind::type<T>().attr("__name__"))));
  return initialized<T>(object);
}

}  // namespace cudamat::python
