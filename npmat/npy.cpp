#include "npmat/npy.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <optional>
#include <stdexcept>
#include <type_traits>

#include "npmat/file_io.hpp"
#include "npmat/npy_header.hpp"

namespace npmat {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little);
static_assert(std::numeric_limits<long double>::digits == 64 && sizeof(long double) == 16,
              "'<f16' in files is x86's 80-bit long double");

namespace detail {

namespace {

constexpr std::size_t kChunkBytes = 1 << 18;
constexpr std::size_t kExtendedBytes = 10;  // of a long double; the rest is padding

float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000u) << 16;
  const std::uint32_t exponent = half >> 10 & 31u;
  const std::uint32_t mantissa = half & 0x3ffu;
  if (exponent == 0) {
    return std::copysign(std::ldexp(static_cast<float>(mantissa), -24), std::bit_cast<float>(sign));
  }
  const std::uint32_t wide_exponent = exponent == 31 ? 255 : exponent + 112;
  return std::bit_cast<float>(sign | wide_exponent << 23 | mantissa << 13);
}

// Patterns whose exponent is not 0 and whose leading bit is 0 are not numbers: the processor would
// treat them as invalid at their first use.
long double extended(const unsigned char* bytes) {
  std::uint64_t mantissa;
  std::uint16_t head;
  std::memcpy(&mantissa, bytes, sizeof mantissa);
  std::memcpy(&head, bytes + sizeof mantissa, sizeof head);
  if ((head & 0x7fff) != 0 && mantissa >> 63 == 0)
    return std::numeric_limits<long double>::quiet_NaN();
  long double value = 0;
  std::memcpy(&value, bytes, kExtendedBytes);
  return value;
}

// Elements of type S, which the file holds as they are or with their bytes reversed.
template <class S, class T>
void convert_as(const unsigned char* bytes, std::size_t n, bool swap, T* target) {
  for (std::size_t i = 0; i < n; ++i) {
    std::array<unsigned char, sizeof(S)> element;
    std::memcpy(element.data(), bytes + i * sizeof(S), sizeof(S));
    if (swap) std::reverse(element.begin(), element.end());
    target[i] = static_cast<T>(std::bit_cast<S>(element));
  }
}

template <class T>
void convert_half(const unsigned char* bytes, std::size_t n, bool swap, T* target) {
  for (std::size_t i = 0; i < n; ++i) {
    const unsigned low = bytes[2 * i + (swap ? 1 : 0)];
    const unsigned high = bytes[2 * i + (swap ? 0 : 1)];
    target[i] = static_cast<T>(half_to_float(static_cast<std::uint16_t>(high << 8 | low)));
  }
}

template <class T>
void convert_extended(const unsigned char* bytes, std::size_t n, std::size_t size, bool swap,
                      T* target) {
  std::array<unsigned char, 16> element{};
  for (std::size_t i = 0; i < n; ++i) {
    const unsigned char* begin = bytes + i * size;
    if (swap) {
      std::reverse_copy(begin, begin + size, element.begin());
    } else {
      std::copy(begin, begin + size, element.begin());
    }
    target[i] = static_cast<T>(extended(element.data()));
  }
}

template <class T>
void convert(const Dtype& dtype, const unsigned char* bytes, std::size_t n, T* target) {
  const bool swap = dtype.big_endian;
  const auto as = [&]<class S>(S) { convert_as<S>(bytes, n, swap, target); };
  const int size = dtype.size;
  switch (dtype.kind) {
    case 'b':
      std::transform(bytes, bytes + n, target,
                     [](unsigned char b) { return b != 0 ? T(1) : T(0); });
      return;
    case 'i':
      if (size == 1) return as(std::int8_t{});
      if (size == 2) return as(std::int16_t{});
      if (size == 4) return as(std::int32_t{});
      return as(std::int64_t{});
    case 'u':
      if (size == 1) return as(std::uint8_t{});
      if (size == 2) return as(std::uint16_t{});
      if (size == 4) return as(std::uint32_t{});
      return as(std::uint64_t{});
    default:
      if (size == 2) return convert_half(bytes, n, swap, target);
      if (size == 4) return as(float{});
      if (size == 8) return as(double{});
      return convert_extended(bytes, n, static_cast<std::size_t>(size), swap, target);
  }
}

// The elements in the order of the file. The memory grows with what is there.
template <class T>
std::vector<T> read_elements(ByteSource& source, const FileHeader& file, std::uint64_t count) {
  const auto item = static_cast<std::size_t>(file.dtype.size);
  const auto check_found = [&](std::uint64_t found) {
    if (found < count * item) {
      source.context().fail("data are truncated: shape {} of '{}' needs {} bytes, found {}",
                            shape_text(file.header.shape), file.header.dtype, count * item, found);
    }
  };
  std::vector<T> data;
  if (const std::optional<std::uint64_t> left = source.remaining()) {
    check_found(*left);
    data.reserve(count);
  }
  const bool same_type = !std::is_same_v<T, long double> && file.dtype.kind == 'f' &&
                         item == sizeof(T) && !file.dtype.big_endian;
  std::vector<unsigned char> buffer(same_type ? 0
                                              : std::min<std::uint64_t>(kChunkBytes, count * item));
  while (data.size() < count) {
    const std::size_t old = data.size();
    const std::size_t n = std::min<std::uint64_t>(count - old, kChunkBytes / item);
    data.resize(old + n);
    char* target = same_type ? reinterpret_cast<char*>(data.data() + old)
                             : reinterpret_cast<char*>(buffer.data());
    const std::size_t found = source.read(target, n * item);
    if (found < n * item) check_found(old * item + found);
    if (!same_type) convert(file.dtype, buffer.data(), n, data.data() + old);
  }
  return data;
}

// target[i, j] = source[j, i] for i < rows and j < cols, in tiles that stay in the cache.
template <class T>
void transpose_plane(const T* source, std::size_t source_stride, T* target,
                     std::size_t target_stride, std::size_t rows, std::size_t cols) {
  constexpr std::size_t kTile = 32;
  for (std::size_t i0 = 0; i0 < rows; i0 += kTile) {
    for (std::size_t j0 = 0; j0 < cols; j0 += kTile) {
      for (std::size_t i = i0; i < std::min(i0 + kTile, rows); ++i) {
        for (std::size_t j = j0; j < std::min(j0 + kTile, cols); ++j) {
          target[i * target_stride + j] = source[j * source_stride + i];
        }
      }
    }
  }
}

// From Fortran order (the first index runs fastest) to C order.
template <class T>
std::vector<T> reorder(std::vector<T> source, const std::vector<std::int64_t>& shape) {
  std::vector<std::size_t> dims;
  for (const std::int64_t n : shape) {
    if (n != 1) dims.push_back(static_cast<std::size_t>(n));
  }
  if (dims.size() < 2 || source.empty()) return source;
  const std::size_t rows = dims.front();
  const std::size_t cols = dims.back();
  const std::vector<std::size_t> inner(dims.begin() + 1, dims.end() - 1);
  const std::size_t planes = source.size() / rows / cols;

  std::vector<T> target(source.size());
  std::vector<std::size_t> index(inner.size(), 0);  // of the plane; C order: the last runs fastest
  for (std::size_t plane = 0; plane < planes; ++plane) {
    std::size_t from = 0;
    for (std::size_t k = inner.size(); k-- > 0;) from = from * inner[k] + index[k];
    transpose_plane(source.data() + from * rows, rows * planes, target.data() + plane * cols,
                    planes * cols, rows, cols);
    for (std::size_t k = inner.size(); k-- > 0 && ++index[k] == inner[k];) index[k] = 0;
  }
  return target;
}

// Runs what needs so many bytes.
template <class Work>
void within_memory(const ByteSource& source, std::uint64_t bytes, const Work& work) {
  try {
    work();
  } catch (const std::bad_alloc&) {
    source.context().fail_memory(bytes);
  } catch (const std::length_error&) {
    source.context().fail_memory(bytes);
  }
}

template <class T>
Array<T> load(ByteSource& source) {
  FileHeader file = read_header(source);
  if (file.dtype.kind == 'c')
    source.context().fail("holds complex numbers (dtype '{}'); save a.real and a.imag",
                          file.header.dtype);
  Array<T> array;
  array.shape = file.header.shape;
  const auto count = static_cast<std::uint64_t>(element_count(array.shape));
  within_memory(source, count * sizeof(T), [&] {
    array.data = read_elements<T>(source, file, count);
    if (file.header.fortran_order) array.data = reorder(std::move(array.data), array.shape);
  });
  return array;
}

// The real and the imaginary parts, which stand side by side in the file.
template <class T>
ComplexArray<T> load_complex(ByteSource& source) {
  FileHeader file = read_header(source);
  if (file.dtype.kind != 'c')
    source.context().fail("holds real numbers (dtype '{}')", file.header.dtype);
  file.dtype.kind = 'f';
  file.dtype.size /= 2;
  const auto count = static_cast<std::uint64_t>(element_count(file.header.shape));
  ComplexArray<T> array;
  within_memory(source, 2 * count * sizeof(T), [&] {
    const std::vector<T> both = read_elements<T>(source, file, 2 * count);
    for (Array<T>* part : {&array.real, &array.imag}) {
      part->shape = file.header.shape;
      part->data.reserve(count);
      for (std::size_t i = part == &array.real ? 0 : 1; i < both.size(); i += 2)
        part->data.push_back(both[i]);
      if (file.header.fortran_order) part->data = reorder(std::move(part->data), part->shape);
    }
  });
  return array;
}

void refuse_more(FileSource& source, const std::vector<std::int64_t>& shape) {
  if (const std::uint64_t more = source.remaining().value_or(0); more > 0)
    source.context().fail(
        "{} bytes follow the array of shape {}; does the file hold several arrays, or is it "
        "damaged?",
        more, shape_text(shape));
}

// Long doubles with their padding set to 0: what was in memory beside them stays there.
void write_extended(FileSink& sink, const std::vector<long double>& data) {
  constexpr std::size_t kElements = kChunkBytes / sizeof(long double);
  std::vector<unsigned char> buffer(std::min(data.size(), kElements) * sizeof(long double));
  for (std::size_t i = 0; i < data.size(); i += kElements) {
    const std::size_t n = std::min(kElements, data.size() - i);
    for (std::size_t k = 0; k < n; ++k) {
      std::memcpy(buffer.data() + k * sizeof(long double), &data[i + k], kExtendedBytes);
    }
    sink.write(buffer.data(), n * sizeof(long double));
  }
}

/// As integers of this type; what it does not hold becomes the nearest that it does, and NaN 0.
template <class Integer, class T>
void write_integers(FileSink& sink, const std::vector<T>& data) {
  using Limits = std::numeric_limits<Integer>;
  constexpr std::size_t kElements = kChunkBytes / sizeof(Integer);
  std::vector<Integer> buffer(std::min(data.size(), kElements));
  for (std::size_t i = 0; i < data.size(); i += kElements) {
    const std::size_t n = std::min(kElements, data.size() - i);
    for (std::size_t k = 0; k < n; ++k) {
      const T x = data[i + k];
      buffer[k] = std::isnan(x)              ? Integer{0}
                  : x <= T(Limits::lowest()) ? Limits::lowest()
                  : x >= T(Limits::max())    ? Limits::max()
                                             : static_cast<Integer>(x);
    }
    sink.write(buffer.data(), n * sizeof(Integer));
  }
}

template <class T>
void write_whole(FileSink& sink, const std::vector<T>& data, std::string_view type) {
  const char kind = type[1], size = type[2];
  const bool is_signed = kind == 'i';
  if (kind == 'b') {
    std::vector<T> truths(data.size());
    std::ranges::transform(data, truths.begin(), [](T x) { return T(x != T(0)); });
    return write_integers<std::uint8_t>(sink, truths);
  }
  if (size == '1')
    return is_signed ? write_integers<std::int8_t>(sink, data)
                     : write_integers<std::uint8_t>(sink, data);
  if (size == '2')
    return is_signed ? write_integers<std::int16_t>(sink, data)
                     : write_integers<std::uint16_t>(sink, data);
  if (size == '4')
    return is_signed ? write_integers<std::int32_t>(sink, data)
                     : write_integers<std::uint32_t>(sink, data);
  return is_signed ? write_integers<std::int64_t>(sink, data)
                   : write_integers<std::uint64_t>(sink, data);
}

}  // namespace

}  // namespace detail

NpyHeader read_npy_header(const fs::path& path) {
  detail::FileSource source(detail::context_of("read_npy_header", path), path);
  return detail::read_header(source).header;
}

template <class T>
Array<T> load_npy(const fs::path& path) {
  detail::FileSource source(detail::context_of("load_npy", path), path);
  Array<T> array = detail::load<T>(source);
  detail::refuse_more(source, array.shape);
  return array;
}

template <class T>
ComplexArray<T> load_npy_complex(const fs::path& path) {
  detail::FileSource source(detail::context_of("load_npy_complex", path), path);
  ComplexArray<T> array = detail::load_complex<T>(source);
  detail::refuse_more(source, array.real.shape);
  return array;
}

template <class T>
Array<T> load_npy(std::istream& stream, std::string_view name) {
  detail::StreamSource source(detail::context_of("load_npy", name), stream);
  return detail::load<T>(source);
}

template <class T>
void save_npy(const fs::path& path, const Array<T>& array) {
  save_npys<T>({{path, &array}});
}

template <class T>
void save_npys(const std::vector<NpyFile<T>>& files) {
  std::vector<detail::FileToWrite> written;
  for (const auto& [path, array, dtype] : files) {
    [[maybe_unused]] const std::int64_t checked = array->size();
    const std::string type = dtype.empty() ? fmt::format("<f{}", sizeof(T)) : dtype;
    const std::string head = detail::header_bytes(type, array->shape);
    const auto produce = [head, type, &data = array->data](detail::FileSink& sink) {
      sink.write(head.data(), head.size());
      if (type[1] != 'f') {
        detail::write_whole(sink, data, type);
      } else if constexpr (std::is_same_v<T, long double>) {
        detail::write_extended(sink, data);
      } else {
        sink.write(data.data(), data.size() * sizeof(T));
      }
    };
    written.push_back({detail::context_of("save_npy", path), path, produce});
  }
  detail::write_files(written);
}

template Array<float> load_npy<float>(const fs::path&);
template Array<double> load_npy<double>(const fs::path&);
template Array<long double> load_npy<long double>(const fs::path&);
template ComplexArray<float> load_npy_complex<float>(const fs::path&);
template ComplexArray<double> load_npy_complex<double>(const fs::path&);
template ComplexArray<long double> load_npy_complex<long double>(const fs::path&);
template Array<float> load_npy<float>(std::istream&, std::string_view);
template Array<double> load_npy<double>(std::istream&, std::string_view);
template Array<long double> load_npy<long double>(std::istream&, std::string_view);
template void save_npy<float>(const fs::path&, const Array<float>&);
template void save_npy<double>(const fs::path&, const Array<double>&);
template void save_npy<long double>(const fs::path&, const Array<long double>&);
template void save_npys<float>(const std::vector<NpyFile<float>>&);
template void save_npys<double>(const std::vector<NpyFile<double>>&);
template void save_npys<long double>(const std::vector<NpyFile<long double>>&);

}  // namespace npmat
