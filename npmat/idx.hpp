// IDX files, in which the MNIST digits are published: arrays of bytes, often compressed with gzip.
//
// The format (yann.lecun.com/exdb/mnist): two bytes 0, a type, the number of dimensions, each
// dimension as a big-endian 32-bit number, then the elements in row-major order.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace npmat {

struct IdxFile {
  std::vector<std::int64_t> shape;  ///< at least one dimension
  std::vector<std::uint8_t> data;   ///< row-major; as many elements as the shape has
};

/// Reads an IDX file of unsigned bytes (type 0x08), compressed with gzip or not (the content
/// decides, not the name). Memory grows with the data that are there, not with what the header
/// claims.
///
/// Throws CUDAMatException with the path if the file is missing, unreadable or a directory, is not
/// IDX, has another type of element, has more or fewer bytes than its shape needs, or if its
/// compressed data are damaged (gzip's checksum is verified); OutOfMemory.
IdxFile read_idx(const std::filesystem::path& path);

/// The file of `dir` that is called `stem` ("t10k-images-idx3-ubyte"), or `stem` with ".gz", or
/// either with a dot before "idx" ("t10k-images.idx3-ubyte"), in this order of preference. Throws
/// CUDAMatException with the names that were looked for if there is none.
std::filesystem::path find_idx(const std::filesystem::path& dir, std::string_view stem);

}  // namespace npmat
