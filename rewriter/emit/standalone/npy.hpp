// NumPy's .npy files, and the command line of printed C++ programs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <type_traits>
#include <vector>

#include "rewriter/emit/standalone/format.hpp"
#include "rewriter/emit/standalone/matrix.hpp"

namespace cudamat {

/// Of a .npy file, and an array of such a type and shape.
struct Array {
  std::vector<Index> shape;
  std::vector<T> data;  ///< in C order

  Index size() const {
    Index all = 1;
    for (const Index extent : shape) all *= extent;
    return all;
  }
};

inline std::string shape_text(const std::vector<Index>& shape) {
  std::string text = "(";
  for (const Index extent : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
  return text + (shape.size() == 1 ? ",)" : ")");
}

template <class Stored>
void read_elements(std::istream& file, std::vector<T>& data) {
  std::vector<Stored> stored(data.size());
  file.read(reinterpret_cast<char*>(stored.data()),
            static_cast<std::streamsize>(sizeof(Stored) * stored.size()));
  std::copy(stored.begin(), stored.end(), data.begin());
}

/// The value of a key of the header's dictionary: what follows it.
inline std::string npy_value(const std::string& header, const std::string& key) {
  const std::size_t at = header.find("'" + key + "':");
  if (at == std::string::npos) return "";
  return header.substr(header.find_first_not_of(" ", at + key.size() + 3));
}

/// Elements by columns, as Fortran has them, in C order.
inline void from_columns(Array& array) {
  const std::vector<T> before = array.data;
  std::vector<Index> at(array.shape.size(), 0);
  for (T& element : array.data) {
    Index place = 0;
    for (std::size_t axis = at.size(); axis-- > 0;) place = place * array.shape[axis] + at[axis];
    element = before[static_cast<std::size_t>(place)];
    for (std::size_t axis = at.size(); axis-- > 0 && ++at[axis] == array.shape[axis];) at[axis] = 0;
  }
}

inline Array load_npy(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char start[10];
  if (!file) fail(path + ": cannot be opened");
  if (!file.read(start, 10) || std::memcmp(start, "\x93NUMPY", 6) != 0)
    fail(path + ": not a .npy file");
  const auto byte = [&](int i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(start[i]));
  };
  std::size_t length = byte(8) + 256 * byte(9);
  if (start[6] > 1) {  // four bytes
    char more[2];
    file.read(more, 2);
    for (int i = 0; i < 2; ++i)
      length += static_cast<std::size_t>(static_cast<unsigned char>(more[i])) << (16 + 8 * i);
  }
  std::string header(length, ' ');
  file.read(header.data(), static_cast<std::streamsize>(length));
  Array array;
  std::string extents = npy_value(header, "shape");
  extents = extents.substr(0, extents.find(')'));
  for (std::size_t at = 0; (at = extents.find_first_of("0123456789", at)) != std::string::npos;) {
    array.shape.push_back(std::stoll(extents.substr(at)));
    at = extents.find_first_not_of("0123456789", at);
  }
  array.data.resize(static_cast<std::size_t>(array.size()));
  const std::string described = npy_value(header, "descr");
  const std::string type = described.substr(1, described.find('\'', 1) - 1);
  if (type == "<f8")
    read_elements<double>(file, array.data);
  else if (type == "<f4")
    read_elements<float>(file, array.data);
  else if (type == "<f16")
    read_elements<long double>(file, array.data);
  else if (type == "<i8")
    read_elements<std::int64_t>(file, array.data);
  else if (type == "<i4")
    read_elements<std::int32_t>(file, array.data);
  else if (type == "<i2")
    read_elements<std::int16_t>(file, array.data);
  else if (type == "|i1")
    read_elements<std::int8_t>(file, array.data);
  else if (type == "<u8")
    read_elements<std::uint64_t>(file, array.data);
  else if (type == "<u4")
    read_elements<std::uint32_t>(file, array.data);
  else if (type == "<u2")
    read_elements<std::uint16_t>(file, array.data);
  else if (type == "|u1" || type == "|b1")
    read_elements<std::uint8_t>(file, array.data);
  else
    fail(path + ": elements of type " + type + " are not read; save them as float64");
  if (!file) fail(path + ": the file is too short");
  if (npy_value(header, "fortran_order").rfind("True", 0) == 0) from_columns(array);
  return array;
}

/// Leaves out what is beyond `length` along the axis.
inline void cut(Array& array, int axis, Index length) {
  const auto along = static_cast<std::size_t>(axis);
  Index inner = 1, outer = 1;
  for (std::size_t d = 0; d < array.shape.size(); ++d)
    if (d != along) (d < along ? outer : inner) *= array.shape[d];
  std::vector<T> data;
  for (Index o = 0; o < outer; ++o) {
    const auto from = array.data.begin() + o * array.shape[along] * inner;
    data.insert(data.end(), from, from + length * inner);
  }
  array.shape[along] = length;
  array.data = data;
}

/// As elements of type Stored, which NumPy calls `type`.
template <class Stored>
void save_npy(const std::string& path, const Array& array, const char* type) {
  std::string header = std::string("{'descr': '") + type +
                       "', 'fortran_order': False, 'shape': " + shape_text(array.shape) + ", }";
  header.append(63 - (header.size() + 10) % 64, ' ');
  header += '\n';
  std::ofstream file(path, std::ios::binary);
  file.write("\x93NUMPY\x01\x00", 8);
  file.put(static_cast<char>(header.size() % 256)).put(static_cast<char>(header.size() / 256));
  file << header;
  for (const T element : array.data) {
    const Stored stored = static_cast<Stored>(element);
    file.write(reinterpret_cast<const char*>(&stored), sizeof stored);
  }
  file.close();
  if (!file) fail(path + ": cannot be written");
}

/// An array of this shape, for a result.
inline Array empty(const std::vector<Index>& shape) {
  Array array{shape, {}};
  array.data.resize(static_cast<std::size_t>(array.size()));
  return array;
}

/// Raises an error for an argument that is neither an input, given once, nor the one folder.
inline void check_arguments(int count, char** arguments, const std::vector<std::string>& inputs) {
  std::vector<std::string> seen;
  for (int i = 1; i < count; ++i) {
    const std::string given = arguments[i];
    const bool is_folder = given.find('=') == std::string::npos;
    const std::string name = is_folder ? "FOLDER" : given.substr(0, given.find('='));
    if (!is_folder && std::find(inputs.begin(), inputs.end(), name) == inputs.end())
      fail(given + ": the program has no input " + name);
    if (std::find(seen.begin(), seen.end(), name) != seen.end())
      fail(given + ": " + name + " is given twice");
    seen.push_back(name);
  }
}

/// An input from the arguments, which are NAME=FILE.npy.
inline Array argument(int count, char** arguments, const std::string& name,
                      const std::vector<Index>& shape) {
  const std::string start = name + "=";
  for (int i = 1; i < count; ++i) {
    const std::string given = arguments[i];
    if (given.compare(0, start.size(), start) != 0) continue;
    Array array = load_npy(given.substr(start.size()));
    if (array.shape != shape)
      fail(name + " must have the shape " + shape_text(shape) + "; got " + shape_text(array.shape));
    return array;
  }
  fail("the program needs the array " + name + ": " + start + "FILE.npy");
}

/// Its name and shape, then its elements, a line for each row.
inline void print_array(const std::string& name, const Array& array) {
  std::printf("%s %s\n", name.c_str(), shape_text(array.shape).c_str());
  const std::size_t row = array.shape.empty() ? 1 : static_cast<std::size_t>(array.shape.back());
  for (std::size_t k = 0; k < array.data.size(); ++k)
    std::printf("%s%s", python_float(array.data[k]).c_str(), (k + 1) % row == 0 ? "\n" : " ");
}

/// A result: a file in the folder, or without one printed.
template <class Stored>
void give(const std::string& name, const Array& array, const char* type,
          const std::string& folder) {
  if (folder.empty())
    print_array(name, array);
  else
    save_npy<Stored>(folder + "/" + name + ".npy", array, type);
}

/// The folder for results: the argument without a name. Empty: there is none.
inline std::string results_folder(int count, char** arguments) {
  for (int i = 1; i < count; ++i)
    if (std::string(arguments[i]).find('=') == std::string::npos) return arguments[i];
  return "";
}

}  // namespace cudamat
