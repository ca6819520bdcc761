#include "npmat/idx.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <new>
#include <string>
#include <unistd.h>
#include <zlib.h>

#include "npmat/array.hpp"
#include "npmat/file_io.hpp"

namespace npmat {

namespace fs = std::filesystem;

namespace {

constexpr int kUnsignedByte = 0x08;

// A file that zlib reads, unpacking it if it is compressed.
class GzipSource final : public detail::ByteSource {
 public:
  GzipSource(detail::FileContext file_context, const fs::path& path)
      : ByteSource(std::move(file_context)) {
    detail::FileDescriptor file = detail::open_to_read(context(), path);
    file_.reset(gzdopen(file.get(), "rb"));
    if (!file_) context().fail_memory(0);
    file.release();
    gzbuffer(file_.get(), 1 << 17);
  }

  std::size_t read(char* target, std::size_t n) override {
    std::size_t done = 0;
    while (done < n) {
      const auto wanted = static_cast<unsigned>(std::min(n - done, std::size_t{1} << 20));
      const int got = gzread(file_.get(), target + done, wanted);
      check(got < 0);
      if (got <= 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

 private:
  // gzread reports a truncated stream only through gzerror.
  void check(bool failed) const {
    const int system_error = errno;
    int error = Z_OK;
    const char* text = gzerror(file_.get(), &error);
    if (error == Z_ERRNO) context().fail_errno("reading failed", system_error);
    if (error == Z_MEM_ERROR) context().fail_memory(0);
    if (failed || error < 0) context().fail("compressed data are damaged: {}", text);
  }

  struct Close {
    void operator()(gzFile_s* file) const { gzclose(file); }
  };
  std::unique_ptr<gzFile_s, Close> file_;
};

std::string type_name(int type) {
  switch (type) {
    case 0x09:
      return "signed bytes";
    case 0x0b:
      return "16-bit integers";
    case 0x0c:
      return "32-bit integers";
    case 0x0d:
      return "32-bit floating point";
    case 0x0e:
      return "64-bit floating point";
    default:
      return "an unknown type";
  }
}

std::vector<std::int64_t> read_shape(detail::ByteSource& source) {
  const detail::FileContext& context = source.context();
  std::array<char, 4> start{};
  const std::size_t got = source.read(start.data(), start.size());
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(start[i]); };
  const std::string_view seen(start.data(), got);
  if (got < start.size() || byte(0) != 0 || byte(1) != 0) {
    context.fail(
        "is not an IDX file: it starts with \"{}\"; expected \"\\x00\\x00\\x08\" and the "
        "number of dimensions",
        detail::printable(seen));
  }
  if (byte(2) != kUnsignedByte) {
    context.fail("has elements of type 0x{:02x} ({}); expected 0x08, unsigned bytes", byte(2),
                 type_name(byte(2)));
  }
  const std::size_t ndim = byte(3);
  if (ndim == 0 || ndim > kMaxDimensions) {
    context.fail("has {} dimensions; expected 1 to {}", ndim, kMaxDimensions);
  }
  std::vector<std::int64_t> shape;
  for (std::size_t d = 0; d < ndim; ++d) {
    std::array<unsigned char, 4> bytes{};
    const std::size_t found = source.read(reinterpret_cast<char*>(bytes.data()), bytes.size());
    if (found < bytes.size()) {
      context.fail("is truncated within its {} dimensions: found {} of {} bytes", ndim,
                   4 * d + found, 4 * ndim);
    }
    shape.push_back(std::int64_t{bytes[0]} << 24 | std::int64_t{bytes[1]} << 16 |
                    std::int64_t{bytes[2]} << 8 | std::int64_t{bytes[3]});
  }
  return shape;
}

std::int64_t count_bytes(const detail::FileContext& context,
                         const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  for (const std::int64_t n : shape) {
    if (n > 0 && __builtin_mul_overflow(count, n, &count)) {
      context.fail("shape {} exceeds 2^63-1 bytes", shape_text(shape));
    }
  }
  return std::find(shape.begin(), shape.end(), 0) == shape.end() ? count : 0;
}

void read_data(detail::ByteSource& source, std::size_t count, IdxFile& file) {
  constexpr std::size_t kChunk = 1 << 20;
  while (file.data.size() < count) {
    const std::size_t old = file.data.size();
    const std::size_t n = std::min(count - old, kChunk);
    file.data.resize(old + n);
    const std::size_t found = source.read(reinterpret_cast<char*>(file.data.data() + old), n);
    if (found < n) {
      source.context().fail("data are truncated: shape {} needs {} bytes, found {}",
                            shape_text(file.shape), count, old + found);
    }
  }
  char extra = 0;  // reading the end makes zlib verify the checksum
  if (source.read(&extra, 1) != 0) {
    source.context().fail("has bytes beyond the {} that its shape {} needs", count,
                          shape_text(file.shape));
  }
}

}  // namespace

IdxFile read_idx(const fs::path& path) {
  GzipSource source(detail::context_of("read_idx", path), path);
  IdxFile file;
  file.shape = read_shape(source);
  const std::int64_t count = count_bytes(source.context(), file.shape);
  try {
    read_data(source, static_cast<std::size_t>(count), file);
  } catch (const std::bad_alloc&) {
    source.context().fail_memory(static_cast<std::uint64_t>(count));
  }
  file.data.shrink_to_fit();
  return file;
}

fs::path find_idx(const fs::path& dir, std::string_view stem) {
  const detail::FileContext context = detail::context_of("find_idx", dir);
  std::error_code error;
  if (!fs::is_directory(dir, error))
    context.fail("is not a folder; expected one that has {}", stem);
  std::vector<std::string> names{std::string(stem), fmt::format("{}.gz", stem)};
  if (const std::size_t dash = stem.rfind("-idx"); dash != std::string_view::npos) {
    std::string dotted(stem);
    dotted[dash] = '.';
    names.push_back(dotted);
    names.push_back(dotted + ".gz");
  }
  std::string looked_for;
  for (const std::string& name : names) {
    looked_for += (looked_for.empty() ? "" : ", ") + name;
    if (fs::exists(dir / name, error) && !fs::is_directory(dir / name, error)) return dir / name;
  }
  context.fail("has none of: {}", looked_for);
}

}  // namespace npmat
