// Operators, comparisons, subscripts and conversions of the Python class garray, as slots of its
// type.
#include <cmath>

#include "gnumpy/build.hpp"
#include "gnumpy/materialize.hpp"
#include "gnumpy/python/array.hpp"

namespace gnumpy::python {

namespace {

using Binary = garray (*)(operand, operand);

PyObject* not_implemented() {
  Py_RETURN_NOTIMPLEMENTED;
}

/// f(a, b), one of which is a garray.
template <Binary f>
PyObject* binary(PyObject* a, PyObject* b) noexcept {
  if (!is_operand(a) || !is_operand(b)) return not_implemented();
  return guarded<PyObject*>(nullptr, [&] {
    const Where where = here();
    operand left = operand_of(a, where), right = operand_of(b, where);
    return made_scalar(f(std::move(left), std::move(right))).release().ptr();
  });
}

/// Of a scalar an in-place operator makes another.
bool is_scalar(PyObject* object) {
  return array_of(object).scalar;
}

template <Binary f, garray& (garray::*update)(operand) &>
PyObject* in_place(PyObject* self, PyObject* b) noexcept {
  if (!is_operand(b)) return not_implemented();
  return guarded<PyObject*>(nullptr, [&] {
    if (is_scalar(self)) return binary<f>(self, b);
    const Where where = here();
    operand right = operand_of(b, where);
    garray& value = array_of(self).value;
    // What is a copy still to be made gets the result: the array changes, which other threads may
    // not see.
    if (value.node()->kind == detail::Node::Kind::Copy) {
      (value.*update)(std::move(right));
    } else {
      compute(value.node());
      computing([&] { (value.*update)(std::move(right)); });
    }
    Py_INCREF(self);
    return self;
  });
}

/// The same of operators that C++ does not have.
template <Binary f>
PyObject* assigned(PyObject* self, PyObject* b) noexcept {
  if (!is_operand(b)) return not_implemented();
  return guarded<PyObject*>(nullptr, [&] {
    if (is_scalar(self)) return binary<f>(self, b);
    const Where where = here();
    compute(array_of(self).value.node());
    operand left = operand_of(self, where), right = operand_of(b, where);
    return write_back(self, f(std::move(left), std::move(right)), where).release().ptr();
  });
}

template <garray (*f)(operand)>
PyObject* unary(PyObject* self) noexcept {
  return guarded<PyObject*>(nullptr, [&] {
    const Where where = here();
    return made_scalar(f(operand_of(self, where))).release().ptr();
  });
}

PyObject* positive(PyObject* self) noexcept {
  return guarded<PyObject*>(
      nullptr, [&] { return made_scalar(array_of(self).value.copy(here())).release().ptr(); });
}

PyObject* power(PyObject* base, PyObject* exponent, PyObject* modulus) noexcept {
  if (modulus != Py_None) return not_implemented();
  return binary<static_cast<Binary>(&gnumpy::pow)>(base, exponent);
}
PyObject* in_place_power(PyObject* base, PyObject* exponent, PyObject* modulus) noexcept {
  if (modulus != Py_None) return not_implemented();
  return assigned<static_cast<Binary>(&gnumpy::pow)>(base, exponent);
}

PyObject* divmod(PyObject* a, PyObject* b) noexcept {
  PyObject* const quotient = binary<static_cast<Binary>(&gnumpy::floor_divide)>(a, b);
  if (quotient == nullptr || quotient == Py_NotImplemented) return quotient;
  PyObject* const rest = binary<static_cast<Binary>(&gnumpy::mod)>(a, b);
  return Py_BuildValue("(NN)", quotient, rest);
}

PyObject* compare(PyObject* a, PyObject* b, int op) noexcept {
  switch (op) {
    case Py_LT:
      return binary<static_cast<Binary>(&gnumpy::operator<)>(a, b);
    case Py_LE:
      return binary<static_cast<Binary>(&gnumpy::operator<=)>(a, b);
    case Py_EQ:
      return binary<static_cast<Binary>(&gnumpy::operator==)>(a, b);
    case Py_NE:
      return binary<static_cast<Binary>(&gnumpy::operator!=)>(a, b);
    case Py_GT:
      return binary<static_cast<Binary>(&gnumpy::operator>)>(a, b);
    default:
      return binary<static_cast<Binary>(&gnumpy::operator>=)>(a, b);
  }
}

// ---- one number ----

PyObject* to_float(PyObject* self) noexcept {
  return guarded<PyObject*>(nullptr,
                            [&] { return PyFloat_FromDouble(only_element(self, "float")); });
}
PyObject* to_int(PyObject* self) noexcept {
  return guarded<PyObject*>(nullptr, [&] { return PyLong_FromDouble(only_element(self, "int")); });
}
PyObject* to_index(PyObject* self) noexcept {
  return guarded<PyObject*>(nullptr, [&] {
    const double number =
        array_of(self).value.ndim() == 0 ? only_element(self, "index") : std::nan("");
    if (number != std::floor(number))
      throw nb::type_error(
          "only a garray without dimensions that holds a whole number is an index");
    return PyLong_FromDouble(number);
  });
}
int to_bool(PyObject* self) noexcept {
  return guarded<int>(-1, [&] { return only_element(self, "bool") != 0 ? 1 : 0; });
}
Py_hash_t hash(PyObject* self) noexcept {
  return guarded<Py_hash_t>(-1, [&] {
    if (!is_scalar(self)) throw nb::type_error("unhashable type: 'garray'");
    const nb::object number = nb::float_(only_element(self, "hash"));
    return PyObject_Hash(number.ptr());
  });
}

// ---- a container ----

Py_ssize_t length(PyObject* self) noexcept {
  return guarded<Py_ssize_t>(
      -1, [&] { return static_cast<Py_ssize_t>(array_of(self).value.len(here())); });
}
PyObject* item(PyObject* self, Py_ssize_t at) noexcept {
  return guarded<PyObject*>(nullptr, [&] { return get_item(self, nb::int_(at)).release().ptr(); });
}
PyObject* subscript(PyObject* self, PyObject* key) noexcept {
  return guarded<PyObject*>(nullptr, [&] { return get_item(self, key).release().ptr(); });
}
int assign_subscript(PyObject* self, PyObject* key, PyObject* value) noexcept {
  return guarded<int>(-1, [&] {
    if (value == nullptr) throw nb::type_error("elements of a garray cannot be deleted");
    set_item(self, key, value);
    return 0;
  });
}
PyObject* iterate(PyObject* self) noexcept {
  return guarded<PyObject*>(nullptr, [&] {
    if (array_of(self).value.ndim() == 0) throw nb::type_error("iteration over a 0-d array");
    return PySeqIter_New(self);
  });
}
int contains(PyObject* self, PyObject* number) noexcept {
  return guarded<int>(-1, [&] {
    const Where where = here();
    const garray found = (operand_of(self, where) == operand_of(number, where)).any({}, {}, where);
    return computing([&] { return found.item(where); }) != 0 ? 1 : 0;
  });
}

std::string text_of(PyObject* self) {
  compute(array_of(self).value.node());
  return computing([&] { return array_of(self).value.str(); });
}
PyObject* str(PyObject* self) noexcept {
  return guarded<PyObject*>(nullptr,
                            [&] { return nb::str(text_of(self).c_str()).release().ptr(); });
}
PyObject* repr(PyObject* self) noexcept {
  return guarded<PyObject*>(nullptr, [&] {
    std::string text = text_of(self);
    if (is_scalar(self)) return nb::str(text.c_str()).release().ptr();
    for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1))
      text.insert(at + 1, text[at + 1] == '\n' ? "" : "       ");
    return nb::str(("garray(" + text + ")").c_str()).release().ptr();
  });
}

}  // namespace

std::vector<PyType_Slot> array_slots() {
  std::vector<PyType_Slot> slots;
  const auto add = [&](int slot, auto* function) {
    slots.push_back({slot, reinterpret_cast<void*>(function)});
  };
#define BINARY(name, function) add(Py_nb_##name, &binary<static_cast<Binary>(&gnumpy::function)>);
  BINARY(add, operator+)
  BINARY(subtract, operator-)
  BINARY(multiply, operator*)
  BINARY(true_divide, operator/)
  BINARY(remainder, operator%)
  BINARY(floor_divide, floor_divide)
  BINARY(and, operator&)
  BINARY(or, operator|)
  BINARY(xor, operator^)
  BINARY(matrix_multiply, matmul)
#undef BINARY
#define IN_PLACE(name, symbol)                                                         \
  add(Py_nb_inplace_##name, &in_place < static_cast<Binary>(&gnumpy::operator symbol), \
      &garray::operator symbol##=>);
  IN_PLACE(add, +)
  IN_PLACE(subtract, -)
  IN_PLACE(multiply, *)
  IN_PLACE(true_divide, /)
  IN_PLACE(remainder, %)
#undef IN_PLACE
#define ASSIGNED(name, function) \
  add(Py_nb_inplace_##name, &assigned<static_cast<Binary>(&gnumpy::function)>);
  ASSIGNED(floor_divide, floor_divide)
  ASSIGNED(and, operator&)
  ASSIGNED(or, operator|)
  ASSIGNED(xor, operator^)
#undef ASSIGNED
  add(Py_nb_power, &power);
  add(Py_nb_inplace_power, &in_place_power);
  add(Py_nb_divmod, &divmod);
  add(Py_nb_negative, &unary<static_cast<garray (*)(operand)>(&gnumpy::negative)>);
  add(Py_nb_absolute, &unary<static_cast<garray (*)(operand)>(&gnumpy::abs)>);
  add(Py_nb_invert, &unary<static_cast<garray (*)(operand)>(&gnumpy::logical_not)>);
  add(Py_nb_positive, &positive);
  add(Py_nb_float, &to_float);
  add(Py_nb_int, &to_int);
  add(Py_nb_index, &to_index);
  add(Py_nb_bool, &to_bool);
  add(Py_tp_richcompare, &compare);
  add(Py_tp_hash, &hash);
  add(Py_mp_length, &length);
  add(Py_sq_length, &length);
  add(Py_sq_item, &item);
  add(Py_sq_contains, &contains);
  add(Py_mp_subscript, &subscript);
  add(Py_mp_ass_subscript, &assign_subscript);
  add(Py_tp_iter, &iterate);
  add(Py_tp_str, &str);
  add(Py_tp_repr, &repr);
  add_buffer_slots(slots);
  slots.push_back({0, nullptr});
  return slots;
}

}  // namespace gnumpy::python
