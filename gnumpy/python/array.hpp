// The Python class garray, and how its operands are found. Internal to the module.
//
// A Python name is a reference where a C++ garray is a value: what shares elements here are garrays
// over one Leaf.
#pragma once

#include <fmt/format.h>
#include <memory>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <string_view>
#include <utility>
#include <vector>

#include "cudamat/python/checked.hpp"
#include "cudamat/python/interpreter.hpp"
#include "cudamat/python/numpy.hpp"
#include "gnumpy/gnumpy.hpp"

namespace gnumpy::python {

namespace nb = nanobind;
using nb::literals::operator""_a;
using cudamat::python::computing;
using cudamat::python::is_array;
using cudamat::python::name_of_type;

struct PyArray {
  garray value;
  /// A number that NumPy would give as a scalar: in-place operators make another, and leave this as
  /// it is.
  bool scalar = false;
  /// What the array interfaces told the address of.
  std::shared_ptr<void> told{};
};

/// Python's type of it.
extern PyTypeObject* array_type;

inline bool is_garray_object(PyObject* object) {
  return Py_TYPE(object) == array_type || PyType_IsSubtype(Py_TYPE(object), array_type) != 0;
}
/// Raises TypeError unless it is a garray whose __init__ ran.
inline PyArray& array_of(nb::handle object) {
  if (!is_garray_object(object.ptr())) [[unlikely]]
    cudamat::python::refuse_value(object, "garray");
  return cudamat::python::initialized<PyArray>(object);
}

/// The line of the user's program that runs now.
Where here();
/// Frames of files in this folder are not the user's.
void own_folder(std::string folder);

/// An object that is a garray; signatures say so.
class ArrayObject : public nb::object {
 public:
  NB_OBJECT_DEFAULT(ArrayObject, nb::object, "garray", is_garray_object)
};

// Arguments of functions, whose types signatures tell. What they are is looked at where the
// function is known.
#define GNUMPY_ARGUMENT(Type)                                                                 \
  struct Type : nb::handle {                                                                  \
    using nb::handle::handle;                                                                 \
    Type(nb::handle object) : nb::handle(object) {} /* NOLINT(google-explicit-constructor) */ \
  };
GNUMPY_ARGUMENT(ArrayArg)
GNUMPY_ARGUMENT(ArraysArg)
GNUMPY_ARGUMENT(AxisArg)
GNUMPY_ARGUMENT(AxesArg)
GNUMPY_ARGUMENT(ShapeArg)
GNUMPY_ARGUMENT(ExtentArg)
GNUMPY_ARGUMENT(DtypeArg)
GNUMPY_ARGUMENT(BoundArg)
GNUMPY_ARGUMENT(NumberArg)
GNUMPY_ARGUMENT(BinsArg)
#undef GNUMPY_ARGUMENT

/// What Python gets for an array. `scalar`: if it has no dimensions.
ArrayObject made(garray value, bool scalar = false);
inline ArrayObject made_scalar(garray value) {
  const bool scalar = value.ndim() == 0;
  return made(std::move(value), scalar);
}

/// The array whose elements aliases of the object share: of a number a copy, since numbers do not
/// change.
garray shared_by(nb::handle self);
/// Raises an error for numbers, as NumPy does: they do not change.
void require_array(nb::handle self);

/// Computes what is pending, while other threads of Python run.
void compute(const detail::NodePtr& node);

/// A garray, or what can become one: an array of NumPy's, nested sequences, a number.
garray to_garray(nb::handle data, const Where& where);
/// Whether the object can be an operand: a garray, a number, an array, a list or
/// tuple.
bool is_operand(PyObject* object);
/// Whether nothing but the interpreter's stack refers to it: no name of the program will ask for
/// its value.
bool is_temporary(nb::handle object);
/// The operand. A garray that only the interpreter's stack holds becomes part of the expression;
/// one that has a name is computed, once.
operand operand_of(nb::handle object, const Where& where);
/// Integers of NumPy's, as indices and counts are.
nb::object places(const garray& of);
/// Of the elements that are not 0 the indices along each axis, as integers of NumPy's.
nb::tuple nonzero_of(nb::handle a, const Where& where);
/// Elements on the host, in C order: of `dtype`, or None for the engine's type.
nb::object to_numpy(const garray& value, nb::handle dtype);
/// "float32": the engine's type.
const char* engine_dtype();
/// The only element. Raises TypeError in the name of `what`.
double only_element(nb::handle self, const char* what);

/// Python's subscript between the brackets. `shape`: where index arrays of several dimensions are
/// used, the result's.
struct Key {
  std::vector<Subscript> subscripts;
  bool copies = false;  ///< masks or index arrays among them
  std::optional<Dims> shape;
};
Key parse_key(const garray& array, nb::handle key, const Where& where);
nb::object get_item(nb::handle self, nb::handle key);
void set_item(nb::handle self, nb::handle key, nb::handle value);
/// self[...] = result, and self.
nb::object write_back(nb::handle self, const garray& result, const Where& where);

/// A Python integer, or what has an __index__; raises an error for others in the name of `op`.
Index integer(std::string_view op, std::string_view what, nb::handle object);
/// Of 32 bits: an axis.
int axis_number(std::string_view op, Index value);
Dims dims_of(std::string_view op, nb::handle shape);
/// Of arguments that are extents one by one, or one shape: rand(2, 3), rand((2, 3)).
Dims dims_of(std::string_view op, nb::args arguments);
Axes axes_of(std::string_view op, nb::handle axis);
Axis axis_of(std::string_view op, nb::handle axis);

/// Raises Python's exception for what is thrown.
void translate(const std::exception_ptr& thrown, void* payload = nullptr);

/// f(), whose exceptions become Python's; `failed` then.
template <class R, class F>
R guarded(R failed, const F& f) noexcept {
  try {
    return f();
  } catch (nb::python_error& error) {
    error.restore();
  } catch (...) {
    translate(std::current_exception());
  }
  return failed;
}

std::vector<PyType_Slot> array_slots();
/// The buffer protocol's.
void add_buffer_slots(std::vector<PyType_Slot>& slots);
using Class = nb::class_<PyArray>;
void def_elementwise(nb::module_& m, Class& type);
void def_reductions(nb::module_& m, Class& type);
void def_choices(nb::module_& m);
void def_shapes(nb::module_& m, Class& type);
void def_creation(nb::module_& m, Class& type);
void def_exchange(nb::module_& m, Class& type);
void def_memory(nb::module_& m);

}  // namespace gnumpy::python

#define GNUMPY_ARGUMENT(Type, text)                                             \
  template <>                                                                   \
  struct nanobind::detail::type_caster<gnumpy::python::Type> {                  \
    NB_TYPE_CASTER(gnumpy::python::Type, const_name(text))                      \
    template <class... Rest>                                                    \
    bool from_python(handle source, Rest&&...) noexcept {                       \
      value = source;                                                           \
      return true;                                                              \
    }                                                                           \
    template <class... Rest>                                                    \
    static handle from_cpp(gnumpy::python::Type argument, Rest&&...) noexcept { \
      return argument.inc_ref();                                                \
    }                                                                           \
  };
GNUMPY_ARGUMENT(ArrayArg, "garray | float | numpy.typing.ArrayLike")
GNUMPY_ARGUMENT(ArraysArg, "collections.abc.Iterable[garray | numpy.typing.ArrayLike]")
GNUMPY_ARGUMENT(AxisArg, "int | tuple[int, ...] | None")
GNUMPY_ARGUMENT(AxesArg, "int | collections.abc.Sequence | None")
GNUMPY_ARGUMENT(ShapeArg, "int | collections.abc.Sequence[int]")
GNUMPY_ARGUMENT(ExtentArg, "int | None")
GNUMPY_ARGUMENT(DtypeArg, "numpy.typing.DTypeLike | None")
GNUMPY_ARGUMENT(BoundArg, "garray | numpy.typing.ArrayLike | None")
GNUMPY_ARGUMENT(NumberArg, "float | None")
GNUMPY_ARGUMENT(BinsArg, "int | garray | numpy.typing.ArrayLike")
#undef GNUMPY_ARGUMENT
