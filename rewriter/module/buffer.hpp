// NumPy's arrays as memory: what Python's buffer protocol says of one.
#pragma once

#include <Python.h>
#include <cstdint>
#include <vector>

#include "rewriter/expr/node.hpp"

namespace rewriter::module {

/// Types of elements by the letters of Python's struct module: ? b B h H i I q Q, f d g, and of
/// complex numbers F D G.
using Code = char;

/// The element type in a buffer's format; 0 for what is none of these in this machine's order.
Code code_of(const char* format, Py_ssize_t bytes);
constexpr bool is_complex(Code code) {
  return code == 'F' || code == 'D' || code == 'G';
}
/// The complex numbers of a floating-point type.
constexpr Code complex_of(Code floating) {
  return floating == 'f' ? 'F' : floating == 'd' ? 'D' : 'G';
}
constexpr bool is_floating(Code code) {
  return code == 'f' || code == 'd' || code == 'g';
}
/// What the reader calls it; of complex numbers Float.
DType dtype_of(Code code);
/// Of the array that NumPy makes for a type; Float: `floating`.
Code code_of(DType dtype, Code floating);

/// The memory of an array, held as long as this lives. Needs the interpreter's lock.
class Buffer {
 public:
  Buffer() = default;
  ~Buffer() { release(); }
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&&) = delete;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  /// False, without an exception, where the object has no memory of such elements.
  bool take(PyObject* array);
  void release();

  [[nodiscard]] Code code() const { return code_; }
  [[nodiscard]] int ndim() const { return view_.ndim; }
  [[nodiscard]] const Py_ssize_t* shape() const { return view_.shape; }
  [[nodiscard]] bool is_readonly() const { return view_.readonly != 0; }
  [[nodiscard]] void* data() const { return view_.buf; }
  /// Elements.
  [[nodiscard]] std::int64_t size() const;
  /// Bytes of an element.
  [[nodiscard]] std::int64_t element_bytes() const { return view_.itemsize; }
  /// Whether the elements lie one after the other in C order, each where its type may lie.
  [[nodiscard]] bool is_c_order() const { return is_contiguous('C'); }
  /// The same of Fortran's order, which is C's in one dimension, too.
  [[nodiscard]] bool is_f_order() const { return is_contiguous('F'); }
  /// Whether some byte may be in both.
  [[nodiscard]] bool overlaps(const Buffer& other) const;

  /// The elements in C order, as numbers of T; part 1: the imaginary parts of complex ones. Throws
  /// CUDAMatException for an integer that T does not have.
  template <class T>
  void read(T* target, int part = 0) const;
  /// The same of n elements from `first` on, in C order, of elements that lie in that order.
  template <class T>
  void read(T* target, int part, std::int64_t first, std::int64_t n) const;
  /// The elements from these, as NumPy casts them; of complex ones that part. Throws
  /// CUDAMatException for an integer that may have been rounded, as the next ones.
  template <class T>
  void write(const T* source, int part = 0) const;

 private:
  [[nodiscard]] bool is_contiguous(char order) const;

  Py_buffer view_{};
  Code code_ = 0;
  bool held_ = false;
};

/// n elements of the type `code` from numbers.
template <class T>
void cast_elements(const T* source, std::int64_t n, Code code, void* target);
/// n complex elements of the type `code` from their parts.
template <class T>
void join_elements(const T* real, const T* imag, std::int64_t n, Code code, void* target);
/// Of an integer that a run in this type computed.
void check_integer(long double number, Code floating);

}  // namespace rewriter::module
