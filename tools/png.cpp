#include "tools/png.hpp"

#include <algorithm>
#include <cstddef>
#include <png.h>

#include "npmat/file_io.hpp"

namespace tools {

namespace {

std::uint8_t& at(GreyPicture& picture, std::int64_t row, std::int64_t column) {
  return picture.pixels[static_cast<std::size_t>(row * picture.width + column)];
}

void place(const GreyPicture& tile, std::int64_t zoom, std::int64_t top, std::int64_t left,
           GreyPicture& target) {
  for (std::int64_t i = 0; i < tile.height * zoom; ++i)
    for (std::int64_t j = 0; j < tile.width * zoom; ++j)
      at(target, top + i, left + j) =
          tile.pixels[static_cast<std::size_t>(i / zoom * tile.width + j / zoom)];
}

}  // namespace

GreyPicture grid(const std::vector<GreyPicture>& tiles, const GridForm& form) {
  const auto count = static_cast<std::int64_t>(tiles.size());
  const std::int64_t columns = std::min(form.columns, count);
  const std::int64_t rows = count == 0 ? 0 : (count + columns - 1) / columns;
  const std::int64_t down = count == 0 ? 0 : tiles[0].height * form.zoom + form.gap;
  const std::int64_t across = count == 0 ? 0 : tiles[0].width * form.zoom + form.gap;
  GreyPicture result{rows * down + form.gap, columns * across + form.gap, {}};
  result.pixels.assign(static_cast<std::size_t>(result.height * result.width), form.background);
  for (std::int64_t k = 0; k < count; ++k)
    place(tiles[static_cast<std::size_t>(k)], form.zoom, k / columns * down + form.gap,
          k % columns * across + form.gap, result);
  return result;
}

void write_png(const std::filesystem::path& path, const GreyPicture& picture) {
  const auto context = npmat::detail::context_of("write_png", path);
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width);
  image.height = static_cast<png_uint_32>(picture.height);
  image.format = PNG_FORMAT_GRAY;
  std::vector<std::uint8_t> file(PNG_IMAGE_PNG_SIZE_MAX(image));
  png_alloc_size_t size = file.size();
  if (png_image_write_to_memory(&image, file.data(), &size, 0, picture.pixels.data(), 0, nullptr) ==
      0)
    context.fail("{}", image.message);
  npmat::detail::write_file(context, path, [&](npmat::detail::FileSink& sink) {
    sink.write(file.data(), static_cast<std::size_t>(size));
  });
}

}  // namespace tools
