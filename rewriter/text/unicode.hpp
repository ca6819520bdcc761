// The little of Unicode that reading a program needs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rewriter {

/// One character of UTF-8 text. A malformed byte is a character of its own: valid is false,
/// length 1.
struct Character {
  char32_t code = 0;
  int length = 0;
  bool valid = false;
};

/// The character at `position` < text.size(). Overlong forms, surrogates and code points above
/// U+10FFFF are malformed.
Character decode_utf8(std::string_view text, std::size_t position);

void append_utf8(std::string& text, char32_t code);

/// Columns that a terminal takes for a printable character: 0 (combining), 1 or 2 (East Asian
/// wide).
int display_width(char32_t code);

/// True for characters that must not reach a terminal: controls and bidirectional overrides.
bool is_control(char32_t code);

/// Python compares names after normalisation NFKC, under which some letters are the same (both
/// epsilons, for example, or X and a full-width X). Returns the normalised letter, or 0 if `code`
/// (not ASCII) may not be part of a name here: accepted are Latin, Greek, Cyrillic, Chinese,
/// Japanese and Korean letters, full-width and mathematical Latin ones, each one code point.
char32_t name_letter(char32_t code);

/// What to write instead of a character that editors and web pages put where Python wants a plain
/// one:
/// "-" for a minus sign. Empty for all others.
std::string_view plain_spelling(char32_t code);

}  // namespace rewriter
