// The Python class CUDAMatrix: a matrix of any engine and type, and its host copy. Internal to the
// module.
#pragma once

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "cudamat/python/checked.hpp"
#include "cudamat/python/interpreter.hpp"
#include "cudamat/python/numpy.hpp"
#include "cudamat/sharing.hpp"
#include "npmat/npmat.hpp"

#ifdef CUDAMAT_PYTHON_CUDA
#include "cudamat/cudamat.hpp"
#endif

namespace cudamat::python {

using Any = std::variant<npmat::CUDAMatrix<float>, npmat::CUDAMatrix<double>
#ifdef CUDAMAT_PYTHON_CUDA
                         ,
                         cudamat::CUDAMatrix<float>, cudamat::CUDAMatrix<double>
#endif
                         >;

struct PyMatrix {
  Any matrix;
  nb::object host;  ///< numpy_array: Fortran order, the matrix's type; or nothing
  /// What the array interfaces told the addresses of.
  std::vector<Owner> told{};

  template <class M>
  requires(!std::is_same_v<std::remove_cvref_t<M>, PyMatrix>) explicit PyMatrix(M&& m)
      : matrix(std::forward<M>(m)) {}
};

/// Whether the original's slices are of a matrix's elements, not of its columns.
template <class M>
bool is_column(const M& matrix) {
  return matrix.cols() == 1 && matrix.rows() != 1 && !matrix.is_transposed();
}

/// What the original's slice() is a view of.
template <class M>
M part_of(M& matrix, Index first, Index last) {
  if (!is_column(matrix)) return matrix.slice(first, last);
  M row = matrix.view({1, matrix.rows()});
  return row.slice(first, last).view({last - first, 1});
}

// Arguments: any object, which is looked at where the operation's name is known. The casters give
// signatures their types.
struct MatrixArg {
  nb::handle object;
};
struct ValueArg {
  nb::handle object;
};
struct TargetArg {
  nb::handle object;
};

template <class M>
inline constexpr const char* dtype_of = sizeof(typename M::value_type) == sizeof(float) ? "float32"
                                                                                        : "float64";

/// Throws TypeError unless it is a CUDAMatrix.
PyMatrix& matrix_of(std::string_view op, std::string_view what, nb::handle object);
inline bool is_matrix(nb::handle object) {
  return nb::isinstance<PyMatrix>(object);
}
inline bool is_given(TargetArg target) {
  return target.object.is_valid() && !target.object.is_none();
}

/// The matrix in it, which must be of the engine and type of an operand `self`.
template <class M>
M& like(std::string_view op, std::string_view what, nb::handle object, const M& /*self*/) {
  Any& any = matrix_of(op, what, object).matrix;
  if (M* const found = std::get_if<M>(&any)) return *found;
  std::visit(
      [&](auto& other) {
        misuse(op,
               "{} is a matrix of {}, its partner one of {}; matrices of one call have one engine "
               "and type",
               what, std::remove_cvref_t<decltype(other)>::engine::name(), M::engine::name());
      },
      any);
  throw InternalError("like");
}

/// What Python gets for a matrix.
template <class M>
nb::object made(M&& matrix) {
  return nb::cast(PyMatrix(std::forward<M>(matrix)), nb::rv_policy::move);
}

/// A number of the matrix's type.
template <class M>
typename M::value_type number_for(const M& /*m*/, std::string_view op, std::string_view what,
                                  nb::handle object) {
  return static_cast<typename M::value_type>(number(op, what, object));
}

/// Rows and columns: (m, n).
Shape shape_of(std::string_view op, nb::handle shape);
nb::tuple to_tuple(Shape shape);

/// The engine and the type that new matrices have; dtype: None for the type that use() chose.
Any make_empty(std::string_view op, Shape shape, nb::handle dtype = nb::none());
/// Without elements, of this engine.
Any make_nothing(bool is_double);
/// "npmat float32": of new matrices.
const char* default_dtype();
/// The host copy, made anew unless the one that is there has the shape and may be written to.
void copy_to_host(PyMatrix& self);

/// A new array with the elements, which leaves numpy_array as it is.
nb::object new_array(PyMatrix& self);
/// The buffer protocol's slots.
extern PyType_Slot matrix_slots[];

void def_life(nb::module_& m, nb::class_<PyMatrix>& matrix);
void def_elementwise(nb::module_& m, nb::class_<PyMatrix>& matrix);
void def_reductions(nb::module_& m, nb::class_<PyMatrix>& matrix);
void def_moves(nb::module_& m, nb::class_<PyMatrix>& matrix);
void def_choices(nb::module_& m);
void def_exchange(nb::module_& m, nb::class_<PyMatrix>& matrix);
void def_engine(nb::module_& m, nb::class_<PyMatrix>& matrix);

}  // namespace cudamat::python

#define CUDAMAT_ARGUMENT(Type, text)                                             \
  template <>                                                                    \
  struct nanobind::detail::type_caster<cudamat::python::Type> {                  \
    NB_TYPE_CASTER(cudamat::python::Type, const_name(text))                      \
    template <class... Rest>                                                     \
    bool from_python(handle source, Rest&&...) noexcept {                        \
      value.object = source;                                                     \
      return true;                                                               \
    }                                                                            \
    template <class... Rest>                                                     \
    static handle from_cpp(cudamat::python::Type argument, Rest&&...) noexcept { \
      return argument.object.inc_ref();                                          \
    }                                                                            \
  };
CUDAMAT_ARGUMENT(MatrixArg, "CUDAMatrix")
CUDAMAT_ARGUMENT(ValueArg, "CUDAMatrix | float")
CUDAMAT_ARGUMENT(TargetArg, "CUDAMatrix | None")
#undef CUDAMAT_ARGUMENT
