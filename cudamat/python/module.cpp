// The extension cudamat._cudamat.
#include "cudamat/error.hpp"
#include "cudamat/python/kernels.hpp"
#include "cudamat/python/matrix.hpp"

namespace nb = nanobind;

namespace {

PyObject* exception_type = nullptr;
PyObject* shape_exception_type = nullptr;
PyObject* memory_exception_type = nullptr;
PyObject* fault_type = nullptr;

void translate(const std::exception_ptr& pointer, void* /*payload*/) {
  try {
    std::rethrow_exception(pointer);
  } catch (const cudamat::OutOfMemory& error) {
    PyErr_SetString(memory_exception_type, error.what());
  } catch (const cudamat::KernelFault& error) {
    PyErr_SetString(fault_type, error.what());
  } catch (const cudamat::CUDAMatException& error) {
    const bool shape = error.reason() == cudamat::Reason::Shape;
    PyErr_SetString(shape ? shape_exception_type : exception_type, error.what());
  }
}

PyObject* new_exception(nb::module_& m, const char* name, nb::handle bases, const char* doc) {
  PyObject* const type = PyErr_NewExceptionWithDoc(
      (nb::cast<std::string>(m.attr("__name__")) + "." + name).c_str(), doc, bases.ptr(), nullptr);
  if (type == nullptr) throw nb::python_error();
  m.attr(name) = nb::handle(type);
  return type;
}

}  // namespace

NB_MODULE(_cudamat, m) {
  using namespace cudamat::python;  // NOLINT(google-build-using-namespace)
  exception_type = new_exception(
      m, "CUDAMatException", PyExc_Exception,
      "Misuse. The text names the operation, the shapes of the operands and what would "
      "be right.");
  shape_exception_type =
      new_exception(m, "IncompatibleDimensionsException",
                    nb::make_tuple(nb::handle(exception_type), nb::handle(PyExc_ValueError)),
                    "Shapes that do not agree.");
  memory_exception_type = new_exception(
      m, "OutOfMemory", nb::make_tuple(nb::handle(exception_type), nb::handle(PyExc_MemoryError)),
      "There is not enough memory for a matrix.");
  fault_type = new_exception(m, "KernelFault", nb::make_tuple(nb::handle(exception_type)),
                             "A fault of a kernel that ran on the CPU; the text is the report.");
  nb::set_leak_warnings(false);  // what a program keeps until it ends is no fault
  nb::register_exception_translator(&translate);

  nb::class_<PyMatrix> matrix(
      m, "CUDAMatrix", nb::type_slots(matrix_slots),
      "A matrix in the memory of a GPU or of the CPU. Column-major, float32 or "
      "float64.\n"
      "\n"
      "A method with a target writes there and returns it; without a target it works in "
      "place and returns self (sign,\n"
      "transpose, row slices and reductions make a new matrix). An operand val may be a "
      "number or a matrix.\n"
      "Shapes and overlaps are checked before anything is written; errors are "
      "CUDAMatException.");
  m.attr("__version__") = CUDAMAT_VERSION;
  def_life(m, matrix);
  def_engine(m, matrix);
  def_elementwise(m, matrix);
  def_reductions(m, matrix);
  def_moves(m, matrix);
  def_choices(m);
  def_kernels(m);
  def_exchange(m, matrix);
}
