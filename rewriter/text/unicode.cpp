#include "rewriter/text/unicode.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

namespace rewriter {
namespace {

struct CodeRange {
  char32_t first;
  char32_t last;
};

template <std::size_t N>
constexpr bool contains(const CodeRange (&ranges)[N], char32_t code) {
  const CodeRange* after =
      std::upper_bound(std::begin(ranges), std::end(ranges), code,
                       [](char32_t c, const CodeRange& r) { return c < r.first; });
  return after != std::begin(ranges) && code <= std::prev(after)->last;
}

constexpr CodeRange kZeroWidth[] = {{0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD},
                                    {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}};

constexpr CodeRange kWide[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},
                               {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},
                               {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F},
                               {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};

constexpr CodeRange kControl[] = {{0x00, 0x1F},     {0x7F, 0x9F},     {0x061C, 0x061C},
                                  {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2066, 0x2069}};

// Letters that NFKC leaves alone.
constexpr CodeRange kNameLetters[] = {
    {0x00C0, 0x00D6}, {0x00D8, 0x00F6}, {0x00F8, 0x0131}, {0x0134, 0x013E}, {0x0141, 0x0148},
    {0x014A, 0x017E}, {0x0180, 0x01C3}, {0x01CD, 0x01F0}, {0x01F4, 0x024F}, {0x0386, 0x0386},
    {0x0388, 0x038A}, {0x038C, 0x038C}, {0x038E, 0x03A1}, {0x03A3, 0x03CF}, {0x0400, 0x0481},
    {0x048A, 0x052F}, {0x3041, 0x3096}, {0x30A1, 0x30FA}, {0x4E00, 0x9FA5}, {0xAC00, 0xD7A3}};

// Variant letters that people do type, and what NFKC makes of them: micro, beta, theta, phi, pi,
// kappa, rho, capital theta, epsilon; letters that name sets, operators and constants.
struct Variant {
  char32_t from;
  char32_t to;
};
constexpr Variant kVariants[] = {
    {0x00B5, 0x03BC}, {0x03D0, 0x03B2}, {0x03D1, 0x03B8}, {0x03D5, 0x03C6}, {0x03D6, 0x03C0},
    {0x03F0, 0x03BA}, {0x03F1, 0x03C1}, {0x03F4, 0x0398}, {0x03F5, 0x03B5}, {0x2102, 'C'},
    {0x210A, 'g'},    {0x210B, 'H'},    {0x210C, 'H'},    {0x210D, 'H'},    {0x210E, 'h'},
    {0x2110, 'I'},    {0x2111, 'I'},    {0x2112, 'L'},    {0x2113, 'l'},    {0x2115, 'N'},
    {0x2119, 'P'},    {0x211A, 'Q'},    {0x211B, 'R'},    {0x211C, 'R'},    {0x211D, 'R'},
    {0x2124, 'Z'},    {0x2128, 'Z'},    {0x212A, 'K'},    {0x212C, 'B'},    {0x212D, 'C'},
    {0x212F, 'e'},    {0x2130, 'E'},    {0x2131, 'F'},    {0x2133, 'M'},    {0x2134, 'o'},
    {0x2139, 'i'},    {0x2145, 'D'},    {0x2146, 'd'},    {0x2147, 'e'},    {0x2148, 'i'},
    {0x2149, 'j'}};

// Of the mathematical alphabets, which are 13 times A to Z and a to z: what is not assigned, since
// it stands among the variants above.
constexpr char32_t kUnassigned[] = {0x1d455, 0x1d49d, 0x1d4a0, 0x1d4a1, 0x1d4a3, 0x1d4a4,
                                    0x1d4a7, 0x1d4a8, 0x1d4ad, 0x1d4ba, 0x1d4bc, 0x1d4c4,
                                    0x1d506, 0x1d50b, 0x1d50c, 0x1d515, 0x1d51d, 0x1d53a,
                                    0x1d53f, 0x1d545, 0x1d547, 0x1d548, 0x1d549, 0x1d551};

/// The ASCII letter that NFKC makes of a full-width letter, or of one of a mathematical alphabet; 0
/// of others.
char32_t plain_letter(char32_t code) {
  if (code >= 0xFF21 && code <= 0xFF3A) return U'A' + (code - 0xFF21);
  if (code >= 0xFF41 && code <= 0xFF5A) return U'a' + (code - 0xFF41);
  if (code < 0x1D400 || code >= 0x1D400 + 13 * 52) return 0;
  if (std::binary_search(std::begin(kUnassigned), std::end(kUnassigned), code)) return 0;
  const char32_t letter = (code - 0x1D400) % 52;
  return letter < 26 ? U'A' + letter : U'a' + (letter - 26);
}

}  // namespace

Character decode_utf8(std::string_view text, std::size_t position) {
  const auto byte = [&](std::size_t i) {
    return position + i < text.size() ? static_cast<std::uint8_t>(text[position + i]) : 0;
  };
  const char32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const int length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4) return {lead, 1, false};
  char32_t code = lead & (0xFFu >> (length + 1));
  for (int i = 1; i < length; ++i) {
    const char32_t next = byte(static_cast<std::size_t>(i));
    if ((next & 0xC0) != 0x80) return {lead, 1, false};
    code = code << 6 | (next & 0x3F);
  }
  constexpr std::array<char32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kSmallest[static_cast<std::size_t>(length)] || code > 0x10FFFF || surrogate) {
    return {lead, 1, false};
  }
  return {code, length, true};
}

void append_utf8(std::string& text, char32_t code) {
  const auto tail = [&](int shift) { text += static_cast<char>(0x80 | (code >> shift & 0x3F)); };
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xC0 | code >> 6);
    tail(0);
  } else if (code < 0x10000) {
    text += static_cast<char>(0xE0 | code >> 12);
    tail(6);
    tail(0);
  } else {
    text += static_cast<char>(0xF0 | code >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

int display_width(char32_t code) {
  if (code < 0x300) return 1;
  return contains(kZeroWidth, code) ? 0 : contains(kWide, code) ? 2 : 1;
}

bool is_control(char32_t code) {
  return contains(kControl, code);
}

char32_t name_letter(char32_t code) {
  if (contains(kNameLetters, code)) return code;
  for (const Variant& variant : kVariants) {
    if (variant.from == code) return variant.to;
  }
  return plain_letter(code);
}

std::string_view plain_spelling(char32_t code) {
  switch (code) {
    case 0x2212:
    case 0x2013:
    case 0x2014:
      return "-";
    case 0x00D7:
    case 0x00B7:
    case 0x22C5:
    case 0x2217:
      return "*";
    case 0x00F7:
    case 0x2215:
      return "/";
    case 0x2264:
      return "<=";
    case 0x2265:
      return ">=";
    case 0x2260:
      return "!=";
    case 0x2018:
    case 0x2019:
    case 0x201C:
    case 0x201D:
      return "a plain quote";
    case 0x00A0:
    case 0x2007:
    case 0x202F:
    case 0x3000:
      return "a plain space";
    case 0x2026:
      return "...";
    case 0x00B2:
      return "**2";
    case 0x00B3:
      return "**3";
    default:
      return "";
  }
}

}  // namespace rewriter
