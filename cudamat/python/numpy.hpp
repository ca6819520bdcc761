// NumPy arrays for extension modules, without NumPy's headers: it is imported when it is first
// needed, and elements are read by the buffer protocol.
#pragma once

#include <cstdint>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <string>
#include <string_view>

#include "cudamat/python/stable_abi.hpp"

namespace cudamat::python {

namespace nb = nanobind;

/// The module numpy.
nb::module_ numpy();

/// "float32" of numpy.float32, 'f4', a dtype, and so on; raises an error in the name of `op` if it
/// is not one of `allowed`.
std::string dtype_name(std::string_view op, nb::handle dtype, std::string_view allowed);

/// np.array(data, dtype, order='F' or 'C', copy=...): with `copy` false the same object where it
/// fits.
nb::object make_array(nb::handle data, const char* dtype, char order, bool copy);

/// numpy.empty.
nb::object empty_array(nb::handle shape, const char* dtype, char order);

/// The elements of a NumPy array, as long as this lives. The array must be contiguous in the order
/// asked for ('C', 'F').
class Elements {
 public:
  Elements(nb::handle array, char order, bool writable);
  ~Elements() { PyBuffer_Release(&view_); }
  Elements(const Elements&) = delete;
  Elements& operator=(const Elements&) = delete;

  [[nodiscard]] void* data() const { return view_.buf; }
  [[nodiscard]] int ndim() const { return view_.ndim; }
  [[nodiscard]] const Py_ssize_t* shape() const { return view_.shape; }
  [[nodiscard]] Py_ssize_t size() const { return view_.len / view_.itemsize; }

 private:
  Py_buffer view_{};
};

/// Whether it is an array, or knows how to become one, of one dimension or more.
bool is_array(nb::handle object);

/// The name of an object's type, for messages: "numpy.ndarray".
std::string name_of_type(nb::handle object);

/// A number: what float() takes, but no text. Raises TypeError "[op] what must be a number; got
/// str".
double number(std::string_view op, std::string_view what, nb::handle object);

}  // namespace cudamat::python
