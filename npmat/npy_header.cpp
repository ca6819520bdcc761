#include "npmat/npy_header.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

namespace npmat {

namespace detail {

namespace {

using namespace std::string_view_literals;

constexpr std::string_view kMagic = "\x93NUMPY"sv;
constexpr std::size_t kMaxHeaderBytes = 1 << 20;

// The subset of Python's literals that a header of numbers needs.
class DictionaryParser {
 public:
  DictionaryParser(const FileContext& context, std::string_view text)
      : context_(context), text_(text) {}

  NpyHeader parse() {
    expect('{', "the dictionary");
    while (!accept('}')) {
      parse_entry();
      if (accept('}')) break;
      expect(',', "the next entry");
    }
    skip_space();
    if (position_ != text_.size()) fail("expected nothing after the dictionary");
    if (!dtype_) fail_missing("descr");
    if (!fortran_order_) fail_missing("fortran_order");
    if (!shape_) fail_missing("shape");
    return {std::move(*dtype_), *fortran_order_, std::move(*shape_)};
  }

 private:
  [[noreturn]] void fail(std::string_view expected) const {
    const std::string_view rest = text_.substr(position_);
    context_.fail("bad header at its byte {}: {}; found {}", position_, expected,
                  rest.empty() ? "its end" : fmt::format("\"{}\"", printable(rest, 30)));
  }

  [[noreturn]] void fail_missing(std::string_view key) const {
    context_.fail("the header has no '{}'; expected the keys 'descr', 'fortran_order' and 'shape'",
                  key);
  }

  void skip_space() {
    while (position_ < text_.size() && " \t\r\n\f"sv.find(text_[position_]) != std::string::npos) {
      ++position_;
    }
  }

  bool accept(char c) {
    skip_space();
    if (position_ >= text_.size() || text_[position_] != c) return false;
    ++position_;
    return true;
  }

  void expect(char c, std::string_view before) {
    if (!accept(c)) fail(fmt::format("expected '{}' for {}", c, before));
  }

  bool accept_word(std::string_view word) {
    skip_space();
    if (!text_.substr(position_).starts_with(word)) return false;
    position_ += word.size();
    return true;
  }

  void parse_entry() {
    skip_space();
    const std::size_t start = position_;
    const std::string key = parse_string("a key in quotes");
    expect(':', "the value");
    if (key == "descr" && !dtype_) {
      dtype_ = parse_descr();
    } else if (key == "fortran_order" && !fortran_order_) {
      fortran_order_ = parse_bool();
    } else if (key == "shape" && !shape_) {
      shape_ = parse_shape();
    } else {
      position_ = start;
      fail("expected each of the keys 'descr', 'fortran_order' and 'shape' once");
    }
  }

  std::string parse_string(std::string_view what) {
    skip_space();
    const char quote = position_ < text_.size() ? text_[position_] : '\0';
    if (quote != '\'' && quote != '"') fail(fmt::format("expected {}", what));
    const std::size_t end = text_.find(quote, position_ + 1);
    if (end == std::string::npos) fail("a quote is never closed");
    const std::string_view body = text_.substr(position_ + 1, end - position_ - 1);
    const auto is_plain = [](char c) { return c >= ' ' && c <= '~' && c != '\\'; };
    if (!std::all_of(body.begin(), body.end(), is_plain)) fail("expected plain ASCII in quotes");
    position_ = end + 1;
    return std::string(body);
  }

  std::string parse_descr() {
    skip_space();
    const char c = position_ < text_.size() ? text_[position_] : '\0';
    if (c == '[' || c == '(' || c == '{') {
      context_.fail("has a structured dtype; save its fields one by one (a['field'])");
    }
    return parse_string("a dtype in quotes such as '<f8'");
  }

  bool parse_bool() {
    if (accept_word("True")) return true;
    if (accept_word("False")) return false;
    fail("expected True or False for 'fortran_order'");
  }

  std::vector<std::int64_t> parse_shape() {
    if (!accept('(')) fail("expected a tuple for 'shape' such as (3, 4)");
    std::vector<std::int64_t> shape;
    while (!accept(')')) {
      if (shape.size() == kMaxDimensions) {
        context_.fail("has more than {} dimensions", kMaxDimensions);
      }
      shape.push_back(parse_dimension());
      if (accept(',')) continue;
      if (shape.size() == 1) fail("expected ',' after the only dimension");
      expect(')', "the end of 'shape'");
      break;
    }
    return shape;
  }

  std::int64_t parse_dimension() {
    skip_space();
    const std::size_t start = position_;
    std::int64_t value = 0;
    bool fits = true;
    if (position_ < text_.size() && text_[position_] == '-') fail("a dimension is negative");
    while (position_ < text_.size() && text_[position_] >= '0' && text_[position_] <= '9') {
      fits = fits && !__builtin_mul_overflow(value, std::int64_t{10}, &value) &&
             !__builtin_add_overflow(value, std::int64_t{text_[position_] - '0'}, &value);
      ++position_;
    }
    const std::string_view digits = text_.substr(start, position_ - start);
    if (digits.empty()) fail("expected a dimension, a whole number");
    if (!fits) context_.fail("dimension {} exceeds 2^63-1", printable(digits, 40));
    if (digits[0] == '0' && value != 0) {
      position_ = start;
      fail("expected a dimension without leading zeros");
    }
    if (position_ < text_.size() && text_[position_] == 'L') ++position_;  // Python 2
    return value;
  }

  const FileContext& context_;
  std::string_view text_;
  std::size_t position_ = 0;
  std::optional<std::string> dtype_;
  std::optional<bool> fortran_order_;
  std::optional<std::vector<std::int64_t>> shape_;
};

[[noreturn]] void fail_dtype(const FileContext& context, const std::string& descr, char kind) {
  constexpr std::string_view kConvert =
      "expected numbers; convert in NumPy with .astype(numpy.float64)";
  const std::string shown = printable(descr, 40);
  switch (kind) {
    case 'O':
      context.fail("holds Python objects (dtype '{}', a pickle), which are never opened; {}", shown,
                   kConvert);
    case 'c':
      context.fail(
          "holds complex numbers of a size (dtype '{}') that is not known; expected c8 or c16",
          shown);
    case 'S':
    case 'a':
    case 'U':
      context.fail("holds text (dtype '{}'); {}", shown, kConvert);
    case 'm':
    case 'M':
      context.fail("holds dates or times (dtype '{}'); {}", shown, kConvert);
    case 'V':
      context.fail("holds raw bytes (dtype '{}'); {}", shown, kConvert);
    default:
      context.fail("has the unknown dtype '{}'; expected b1, i1 to i8, u1 to u8, f2, f4, f8 or f16",
                   shown);
  }
}

Dtype parse_dtype(const FileContext& context, const std::string& descr) {
  constexpr std::array kKnown{"b1"sv, "i1"sv, "i2"sv, "i4"sv, "i8"sv,  "u1"sv,  "u2"sv, "u4"sv,
                              "u8"sv, "f2"sv, "f4"sv, "f8"sv, "f12"sv, "f16"sv, "c8"sv, "c16"sv};
  std::string_view type = descr;
  Dtype dtype;
  if (!type.empty() && "<>|="sv.find(type[0]) != std::string::npos) {
    dtype.big_endian = type[0] == '>';
    type.remove_prefix(1);
  }
  if (std::find(kKnown.begin(), kKnown.end(), type) == kKnown.end()) {
    fail_dtype(context, descr, type.empty() ? '\0' : type[0]);
  }
  dtype.kind = type[0];
  dtype.size = type.size() == 2 ? type[1] - '0' : (type[2] == '2' ? 12 : 16);
  return dtype;
}

// The shape's elements and bytes must be countable in 63 bits.
void check_shape(const FileContext& context, const FileHeader& file) {
  std::int64_t bytes = file.dtype.size;
  for (const std::int64_t n : file.header.shape) {
    if (n > 0 && __builtin_mul_overflow(bytes, n, &bytes)) {
      context.fail("shape {} of '{}' exceeds 2^63-1 bytes", shape_text(file.header.shape),
                   file.header.dtype);
    }
  }
}

[[noreturn]] void fail_magic(const FileContext& context, std::string_view start) {
  if (start.empty()) context.fail("is empty; expected a .npy file");
  if (start.starts_with("PK\x03\x04"sv) || start.starts_with("PK\x05\x06"sv)) {
    context.fail("is a zip archive (.npz?); expected one array, as numpy.save writes it");
  }
  if (start.starts_with("\x1f\x8b"sv)) {
    context.fail("is compressed with gzip; unpack it first: expected a .npy file");
  }
  if (start[0] == '\x80')
    context.fail("looks like a pickle, which is never opened; use numpy.save");
  if (kMagic.starts_with(start)) {
    context.fail("is truncated: {} bytes, within the first 8 of a .npy file", start.size());
  }
  context.fail("is not a .npy file: it starts with \"{}\"; expected \"{}\"", printable(start),
               printable(kMagic));
}

}  // namespace

NpyHeader parse_dictionary(const FileContext& context, std::string_view text) {
  return DictionaryParser(context, text).parse();
}

FileHeader read_header(ByteSource& source) {
  const FileContext& context = source.context();
  std::array<char, 8> start{};
  const std::size_t got = source.read(start.data(), start.size());
  const std::string_view magic(start.data(), std::min(got, kMagic.size()));
  if (magic != kMagic) fail_magic(context, magic);
  if (got < start.size()) context.fail("is truncated: {} bytes; expected a version", got);
  const int major = static_cast<unsigned char>(start[6]);
  const int minor = static_cast<unsigned char>(start[7]);
  if (major < 1 || major > 3 || minor != 0) {
    context.fail("has format version {}.{}; expected 1.0, 2.0 or 3.0", major, minor);
  }

  std::array<char, 4> length_bytes{};
  const std::size_t width = major == 1 ? 2 : 4;
  if (source.read(length_bytes.data(), width) < width) {
    context.fail("is truncated before the length of its header");
  }
  std::size_t length = 0;
  for (std::size_t i = width; i-- > 0;) {
    length = length << 8 | static_cast<unsigned char>(length_bytes[i]);
  }
  std::string text(std::min(length, kMaxHeaderBytes), '\0');
  const std::size_t found = source.read(text.data(), text.size());
  if (found < text.size()) {
    context.fail("header is truncated: expected {} bytes, found {}", length, found);
  }
  if (length > kMaxHeaderBytes) {
    context.fail("header claims {} bytes; one of numbers has at most {}", length, kMaxHeaderBytes);
  }

  FileHeader file{parse_dictionary(context, text), {}};
  file.dtype = parse_dtype(context, file.header.dtype);
  check_shape(context, file);
  return file;
}

std::string header_bytes(std::string_view descr, const std::vector<std::int64_t>& shape) {
  // NumPy leaves room for the first dimension to grow to 21 digits, then pads with at least one
  // space so that the data start at a multiple of 64. 32 dimensions always fit version 1.0's 65535
  // bytes.
  constexpr std::size_t kGrowthDigits = 21;
  constexpr std::size_t kAlignment = 64;
  const std::size_t prefix = kMagic.size() + 4;
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", descr,
                                 shape_text(shape));
  if (!shape.empty()) text.append(kGrowthDigits - std::to_string(shape[0]).size(), ' ');
  text.append(kAlignment - (prefix + text.size() + 1) % kAlignment, ' ');
  text += '\n';
  std::string out(kMagic);
  out +=
      {'\x01', '\x00', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  return out + text;
}

}  // namespace detail

}  // namespace npmat
