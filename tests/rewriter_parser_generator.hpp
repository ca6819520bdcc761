// Random expressions and mutations of programs; the same for the same seed.
#pragma once

#include <fmt/format.h>
#include <functional>
#include <random>
#include <string>

namespace rewriter::ast {

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  std::size_t below(std::size_t n) { return random_() % n; }

  template <std::size_t N>
  const char* pick(const char* const (&choices)[N]) {
    return choices[below(N)];
  }

  std::string expression(int depth) {
    if (depth == 0) return atom();
    switch (below(9)) {
      case 0:
        return space(atom());
      case 1:
        return space(pick(kUnary)) + expression(depth - 1);
      case 2:
        return "(" + space(expression(depth - 1)) + ")";
      case 3:
        return primary(depth - 1) + pick({".T", ".sum()", ".shape[0]", "\t. a"});
      case 4:
        return primary(depth - 1) + "(" + arguments(depth - 1) + ")";
      case 5:
        return primary(depth - 1) + "[" + indices(depth - 1) + "]";
      case 6:
        return bracketed(depth - 1);
      default:
        return expression(depth - 1) + space(pick(kBinary)) + expression(depth - 1);
    }
  }

  std::string mutate(std::string text) {
    static constexpr const char* kPieces[] = {
        " ",        "(",       ")",       "[",      "]",      ",",     ":",     "=",
        "==",       "-",       "+",       "**",     "*",      "/",     "@",     ".",
        "\n",       "\n ",     ";",       "not ",   " and ",  " or ",  "if ",   " else ",
        " for ",    " in ",    "lambda ", "'",      "\"",     "'''",   "0",     "1",
        "e",        "_",       "x",       "\\",     "\\\n",   "#",     "<",     ">",
        "!",        "&",       "~",       "%",      "\t",     "...",   "None",  "\xce\xb5",
        "j",        "import ", "from ",   " as ",   "pass",   "\r",    "\r\n",  "\f",
        "{",        "}",       "->",      ":=",     "class ", "with ", "try:",  "except ",
        "finally:", "yield ",  "global ", "async ", "def ",   "@",     "case ", "+=",
        "r",        "f",       "b",       "u"};
    for (std::size_t edits = 1 + below(4); edits > 0 && !text.empty(); --edits) {
      const std::size_t place = below(text.size());
      const std::size_t length = 1 + below(3);
      switch (below(4)) {
        case 0:
          text.erase(place, length);
          break;
        case 1:
          text.insert(place, pick(kPieces));
          break;
        case 2:
          text.replace(place, length, pick(kPieces));
          break;
        default:
          text.insert(below(text.size()), text.substr(place, 1 + below(12)));
      }
    }
    return text;
  }

 private:
  static constexpr const char* kUnary[] = {"-", "+", "~", "not ", "-", "- "};
  static constexpr const char* kBinary[] = {"+",  "-",  "*",  "/",     "//",   "%",  "@",
                                            "**", "&",  "|",  "^",     "<",    "<=", ">",
                                            ">=", "==", "!=", " and ", " or ", "**"};

  std::string space(const std::string& text) {
    static constexpr const char* kSpaces[] = {"", "", "", " ", "  ", "\t"};
    return pick(kSpaces) + text + pick(kSpaces);
  }

  std::string atom() {
    return pick(
        {"x", "y", "np", "W_1", "1", "2.5", ".5", "1e-3", "0x1f", "None", "True", "'s'", "h"});
  }

  std::string primary(int depth) { return below(3) == 0 ? "(" + expression(depth) + ")" : atom(); }

  std::string list_of(std::size_t least, const std::function<std::string()>& element) {
    std::string text;
    for (std::size_t n = least + below(3), i = 0; i < n; ++i) {
      text += space(element());
      if (i + 1 < n || below(4) == 0) text += ',';
    }
    return text;
  }

  std::string arguments(int depth) {
    int keywords = 0;
    return list_of(0, [&] {
      if (keywords == 0 && below(2) == 0) return expression(depth);
      return fmt::format("k{} = {}", keywords++, expression(depth));
    });
  }

  std::string indices(int depth) {
    return list_of(1, [&]() -> std::string {
      const auto maybe = [&] { return below(2) == 0 ? space(expression(depth)) : std::string(); };
      switch (below(4)) {
        case 0:
          return "...";
        case 1:
          return maybe() + ":" + maybe();
        case 2:
          return maybe() + ":" + maybe() + ":" + maybe();
        default:
          return expression(depth);
      }
    });
  }

  std::string bracketed(int depth) {
    const std::string elements = list_of(0, [&] { return expression(depth); });
    return below(2) == 0 ? "[" + elements + "]" : "(" + elements + ")";
  }

  std::mt19937 random_;
};

}  // namespace rewriter::ast
