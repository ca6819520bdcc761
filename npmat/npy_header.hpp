// The head of a .npy file: reading it from bytes, and the text of a new one. Internal to
// npmat/npy.cpp.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "npmat/file_io.hpp"
#include "npmat/npy.hpp"

namespace npmat::detail {

/// The type of the elements in a file.
struct Dtype {
  char kind = 'f';  ///< b: bool, i: signed, u: unsigned, f: floating point, c: complex
  int size = 8;     ///< bytes
  bool big_endian = false;
};

struct FileHeader {
  NpyHeader header;
  Dtype dtype;
};

/// Reads magic, version and the dictionary; the source is left at the first byte of the data.
FileHeader read_header(ByteSource& source);

/// The dictionary "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }" and padding around
/// it.
NpyHeader parse_dictionary(const FileContext& context, std::string_view text);

/// What numpy.save writes before the data of an array in C order.
std::string header_bytes(std::string_view descr, const std::vector<std::int64_t>& shape);

}  // namespace npmat::detail
