// Pictures in shades of grey, and PNG files of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace tools {

struct GreyPicture {
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::vector<std::uint8_t> pixels;  ///< row by row; 0 is black, 255 white
};

struct GridForm {
  std::int64_t columns = 10;
  std::int64_t zoom = 2;  ///< pixels of the grid for one of a tile, along each axis
  std::int64_t gap = 2;   ///< pixels between tiles and around them
  std::uint8_t background = 255;
};

/// The tiles, all of one size, in rows from the upper left; places that are left over stay empty.
GreyPicture grid(const std::vector<GreyPicture>& tiles, const GridForm& form);

/// Writes a PNG file: 8 bits a pixel, grey. A regular file is replaced at once when all is written.
/// Throws CUDAMatException with the path and the reason.
void write_png(const std::filesystem::path& path, const GreyPicture& picture);

}  // namespace tools
