// How calls with a target are bound: the matrix, its partners and the target are looked at, then
// the engine computes while other threads of Python run. Internal to the module.
#pragma once

#include "cudamat/python/matrix.hpp"

namespace cudamat::python {

using nb::literals::operator""_a;

/// f(m, t): the matrix of `self`, and the target's, or that of self. Returns what was written to.
template <class F>
nb::object into(const char* op, nb::handle self, TargetArg target, const F& f) {
  std::visit(
      [&](auto& m) {
        auto& t = is_given(target) ? like(op, "target", target.object, m) : m;
        computing([&] { f(m, t); });
      },
      matrix_of(op, "mat", self).matrix);
  return nb::borrow(is_given(target) ? target.object : self);
}

/// The same of what makes a new matrix without a target: fresh(m).
template <class F, class G>
nb::object into_or_new(const char* op, nb::handle self, TargetArg target, const F& f,
                       const G& fresh) {
  if (is_given(target)) return into(op, self, target, f);
  return std::visit([&](auto& m) { return made(computing([&] { return fresh(m); })); },
                    matrix_of(op, "mat", self).matrix);
}

/// f(m, v, t): v is the matrix or the number that `val` is.
template <class F>
nb::object with_value(const char* op, nb::handle self, ValueArg val, TargetArg target, const F& f) {
  std::visit(
      [&](auto& m) {
        auto& t = is_given(target) ? like(op, "target", target.object, m) : m;
        if (is_matrix(val.object)) {
          const auto& v = like(op, "val", val.object, m);
          computing([&] { f(m, v, t); });
        } else {
          if (is_array(val.object)) matrix_of(op, "val", val.object);  // says how to make one of it
          const auto v = number_for(m, op, "val", val.object);
          computing([&] { f(m, v, t); });
        }
      },
      matrix_of(op, "mat", self).matrix);
  return nb::borrow(is_given(target) ? target.object : self);
}

/// f(m, v, t) with a matrix `other`, called `what`.
template <class F>
nb::object with_matrix(const char* op, nb::handle self, const char* what, nb::handle other,
                       TargetArg target, const F& f) {
  std::visit(
      [&](auto& m) {
        auto& t = is_given(target) ? like(op, "target", target.object, m) : m;
        const auto& v = like(op, what, other, m);
        computing([&] { f(m, v, t); });
      },
      matrix_of(op, "mat", self).matrix);
  return nb::borrow(is_given(target) ? target.object : self);
}

/// The same of what makes a new matrix without a target: fresh(m, v).
template <class F, class G>
nb::object with_matrix_or_new(const char* op, nb::handle self, const char* what, nb::handle other,
                              TargetArg target, const F& f, const G& fresh) {
  if (is_given(target)) return with_matrix(op, self, what, other, target, f);
  return std::visit(
      [&](auto& m) {
        const auto& v = like(op, what, other, m);
        return made(computing([&] { return fresh(m, v); }));
      },
      matrix_of(op, "mat", self).matrix);
}

/// f(m) gives a number.
template <class F>
double number_from(const char* op, nb::handle self, const F& f) {
  return std::visit([&](auto& m) { return static_cast<double>(computing([&] { return f(m); })); },
                    matrix_of(op, "mat", self).matrix);
}

/// Warns that a name of the original's has a successor.
inline void deprecated(const char* name, const char* successor) {
  const std::string text = fmt::format("{} is deprecated; use {}", name, successor);
  if (PyErr_WarnEx(PyExc_DeprecationWarning, text.c_str(), 1) != 0) throw nb::python_error();
}

}  // namespace cudamat::python
