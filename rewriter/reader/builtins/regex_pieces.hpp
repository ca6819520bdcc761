// What the pattern of a regular expression is read into. Internal to regex.cpp and
// regex_parser.cpp.
#pragma once

#include <bitset>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rewriter::regex {

using Set = std::bitset<128>;

struct Piece;
using Pieces = std::vector<Piece>;

struct Piece {
  enum class Kind {
    Letter,    ///< one of the set
    Begin,     ///< of the text, or with MULTILINE of a line
    End,       ///< likewise
    TextEnd,   ///< \Z
    Boundary,  ///< of a word; `negated`: none
    Group,     ///< one of the options; `group`: from 1 on, if it is remembered
    Ahead,     ///< a lookahead; `negated`
    Behind,    ///< a lookbehind; `negated`
    Again,     ///< what the group has matched
    Repeat,    ///< the only option, from `least` to `most` times
  } kind = Kind::Letter;
  Set set{};
  std::vector<Pieces> options{};
  std::size_t group = 0;
  std::size_t least = 0, most = 0;
  bool is_lazy = false;
  bool negated = false;
  bool by_line = false;
};

inline bool is_word(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

struct Pattern {
  Pieces nodes;
  std::vector<std::string> names;  ///< of the groups; empty: it has none
};

/// Throws for what is no pattern, or is not supported.
Pattern parsed(std::string_view pattern, unsigned flags);

}  // namespace rewriter::regex
