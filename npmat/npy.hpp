// NumPy's .npy files.
//
// The format: numpy.lib.format in NumPy's documentation ("NEP 1", versions 1.0, 2.0 and 3.0).
//
// All errors are CUDAMatException, "[operation] file: what is wrong and what was expected". Sizes
// in a file are not trusted: memory grows with the data that was actually read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "npmat/array.hpp"

namespace npmat {

/// The header of a .npy file.
struct NpyHeader {
  std::string dtype;  ///< as NumPy's dtype.str: "<f4", ">i2", "|b1"
  /// b, i, u, f or c, as NumPy's dtype.kind.
  [[nodiscard]] char kind() const { return dtype[dtype.find_first_not_of("<>|=")]; }
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
};

/// Reads the header of a .npy file. The data is not read, so it may still be truncated. Throws for
/// the same headers as load_npy, except that complex numbers ("<c16") are accepted.
NpyHeader read_npy_header(const std::filesystem::path& path);

/// Reads an array and converts its elements to T as NumPy's astype does.
///
/// Accepted: versions 1.0, 2.0, 3.0; C and Fortran order; bool, int8 to int64, uint8 to uint64,
/// float16, float32, float64 and x86's long double ("<f16", "<f12": 80 bits, which NumPy pads),
/// little and big endian. NaN stays NaN. If T is the type of the file, all bits are kept, except
/// that an 80-bit pattern that is not a number becomes NaN.
///
/// Throws CUDAMatException for a file that is missing, unreadable, a directory, not .npy, damaged,
/// truncated or longer than its array (NumPy ignores trailing data), and for dtypes without a real
/// value (complex, text, dates, structures, objects; pickles are never opened). Throws OutOfMemory.
template <class T>
Array<T> load_npy(const std::filesystem::path& path);

/// Reads from a stream, which is left directly after the array. `name` is the file's name in
/// errors.
template <class T>
Array<T> load_npy(std::istream& stream, std::string_view name = "(stream)");

/// An array of complex numbers.
template <class T>
struct ComplexArray {
  Array<T> real;
  Array<T> imag;  ///< of the same shape
};

/// Reads a file of complex64 or complex128; throws for files of real numbers.
template <class T>
ComplexArray<T> load_npy_complex(const std::filesystem::path& path);

/// Writes the same bytes as numpy.save (1.23 and later) for this array in C order: version 1.0,
/// little endian, "<f4", "<f8" or "<f16" (whose six padding bytes are 0).
///
/// A regular file is replaced atomically after all data is on disk; if anything fails (a full disk,
/// no permission, a folder in which no file can be created) the old file is unchanged. Devices and
/// pipes, including /dev/stdout, are written directly. Throws CUDAMatException with the path and
/// the system's reason.
template <class T>
void save_npy(const std::filesystem::path& path, const Array<T>& array);

template <class T>
struct NpyFile {
  std::filesystem::path path;
  const Array<T>* array = nullptr;
  /// Of elements that are booleans or whole numbers, a type that holds them: "|b1", "|i1", "|u1",
  /// "<i2", "<u2", "<i4", "<u4", "<i8", "<u8". Empty: floats of T.
  std::string dtype{};
};

/// Writes several arrays: no file is replaced before all are on disk.
template <class T>
void save_npys(const std::vector<NpyFile<T>>& files);

extern template Array<float> load_npy<float>(const std::filesystem::path&);
extern template Array<double> load_npy<double>(const std::filesystem::path&);
extern template Array<long double> load_npy<long double>(const std::filesystem::path&);
extern template ComplexArray<float> load_npy_complex<float>(const std::filesystem::path&);
extern template ComplexArray<double> load_npy_complex<double>(const std::filesystem::path&);
extern template ComplexArray<long double> load_npy_complex<long double>(
    const std::filesystem::path&);
extern template Array<float> load_npy<float>(std::istream&, std::string_view);
extern template Array<double> load_npy<double>(std::istream&, std::string_view);
extern template Array<long double> load_npy<long double>(std::istream&, std::string_view);
extern template void save_npy<float>(const std::filesystem::path&, const Array<float>&);
extern template void save_npy<double>(const std::filesystem::path&, const Array<double>&);
extern template void save_npy<long double>(const std::filesystem::path&, const Array<long double>&);
extern template void save_npys<float>(const std::vector<NpyFile<float>>&);
extern template void save_npys<double>(const std::vector<NpyFile<double>>&);
extern template void save_npys<long double>(const std::vector<NpyFile<long double>>&);

}  // namespace npmat
