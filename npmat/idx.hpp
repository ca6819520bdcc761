// IDX files, the format of the MNIST digits: arrays of bytes, often compressed with gzip.
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

/// Reads an IDX file of unsigned bytes (type 0x08), compressed with gzip or not (by its content,
/// not its name). Memory grows with the data that was actually read, not with the sizes in the
/// header.
///
/// Throws CUDAMatException with the path if the file is missing, unreadable or a directory, is not
/// IDX, has another element type, has more or fewer bytes than its shape needs, or if its
/// compressed data is damaged (gzip's checksum is verified); OutOfMemory.
IdxFile read_idx(const std::filesystem::path& path);

/// The file in `dir` with the name `stem` ("t10k-images-idx3-ubyte"), or `stem` with ".gz", or
/// either with a dot before "idx" ("t10k-images.idx3-ubyte"), in this order of preference. If there
/// is none, throws CUDAMatException with these names.
std::filesystem::path find_idx(const std::filesystem::path& dir, std::string_view stem);

}  // namespace npmat
