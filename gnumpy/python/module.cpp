// The extension gnumpy._gnumpy.
#include "gnumpy/python/array.hpp"

NB_MODULE(_gnumpy, m) {
  using namespace gnumpy::python;  // NOLINT(google-build-using-namespace)
  nb::set_leak_warnings(false);    // what a program keeps until it ends is no fault
  nb::register_exception_translator(&translate);
  static const std::vector<PyType_Slot> slots = array_slots();
  Class type(m, "garray", nb::type_slots(slots.data()), nb::is_weak_referenceable(),
             "An array of numbers on a GPU or a CPU, with any number of dimensions.\n"
             "\n"
             "Expressions are computed when their value is needed; gnumpy.explain() shows the "
             "statements. reshape, ravel and\n"
             "slices of the first axis with step 1 share its memory; all other subscripts, and "
             "transposes, are copies.");
  array_type = reinterpret_cast<PyTypeObject*>(type.ptr());
  def_creation(m, type);
  def_elementwise(m, type);
  def_reductions(m, type);
  def_choices(m);
  def_shapes(m, type);
  def_memory(m);
  def_exchange(m, type);
  m.attr("newaxis") = nb::none();
  m.attr("__version__") = CUDAMAT_VERSION;
}
