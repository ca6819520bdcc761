// Patterns of regular expressions.
#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "cudamat/error.hpp"
#include "rewriter/reader/builtins/regex.hpp"
#include "rewriter/reader/builtins/regex_pieces.hpp"

namespace rewriter::regex {

using cudamat::misuse;

namespace {

constexpr std::size_t kUnbounded = static_cast<std::size_t>(-1);

template <class F>
Set letters_where(const F& holds) {
  Set set;
  for (int c = 0; c < 128; ++c) set[static_cast<std::size_t>(c)] = holds(static_cast<char>(c));
  return set;
}

Set one(char letter) {
  Set set;
  set.set(static_cast<std::size_t>(letter));
  return set;
}

/// \d, \w, \s and what they exclude; nothing of other letters.
std::optional<Set> class_of(char letter) {
  std::optional<Set> set;
  switch (std::tolower(static_cast<unsigned char>(letter))) {
    case 'd':
      set = letters_where([](char c) { return c >= '0' && c <= '9'; });
      break;
    case 'w':
      set = letters_where(is_word);
      break;
    case 's':
      set = letters_where(
          [](char c) { return c == ' ' || (c >= 9 && c <= 13) || (c >= 28 && c <= 31); });
      break;
    default:
      return std::nullopt;
  }
  return std::isupper(static_cast<unsigned char>(letter)) != 0 ? ~*set : *set;
}

class Parser {
 public:
  Parser(std::string_view pattern, unsigned flags) : pattern_(pattern), flags_(flags) {}

  std::vector<std::string> names;
  Pieces run() {
    Piece all = options();
    if (!is_over()) fail("unbalanced parenthesis");
    Pieces result;
    result.push_back(std::move(all));
    return result;
  }

 private:
  [[nodiscard]] bool is_over() const { return at_ == pattern_.size(); }
  [[nodiscard]] char now() const { return is_over() ? '\0' : pattern_[at_]; }
  bool takes(std::string_view text) {
    if (!pattern_.substr(at_).starts_with(text)) return false;
    at_ += text.size();
    return true;
  }
  [[noreturn]] void fail(std::string_view what) const {
    misuse("re", "{} at position {} of the pattern {}", what, at_, pattern_);
  }
  std::string up_to(char end) {
    const std::size_t found = pattern_.find(end, at_);
    if (found == pattern_.npos) fail(fmt::format("missing {}", end));
    std::string text(pattern_.substr(at_, found - at_));
    at_ = found + 1;
    return text;
  }

  Piece options() {
    Piece made;
    made.kind = Piece::Kind::Group;
    made.options.emplace_back();
    while (!is_over() && now() != ')') {
      if (takes("|"))
        made.options.emplace_back();
      else
        term(made.options.back());
    }
    return made;
  }

  void term(Pieces& into) {
    const std::size_t before = into.size();
    atom(into);
    if (into.size() == before) return;  // flags, a comment
    quantify(into.back());
  }

  void quantify(Piece& atom) {
    std::size_t least = 0, most = kUnbounded;
    if (takes("*")) {
    } else if (takes("+")) {
      least = 1;
    } else if (takes("?")) {
      most = 1;
    } else if (!bounds(least, most)) {
      return;
    }
    Piece made;
    made.kind = Piece::Kind::Repeat;
    made.least = least;
    made.most = most;
    made.is_lazy = takes("?");
    if (now() == '+') fail("possessive quantifiers are not supported;");
    if (now() == '*') fail("multiple repeat");
    made.options.emplace_back();
    made.options[0].push_back(std::move(atom));
    atom = std::move(made);
  }

  /// {m}, {m,}, {,n} and {m,n}; other braces are letters.
  bool bounds(std::size_t& least, std::size_t& most) {
    const std::size_t end = pattern_.find('}', at_);
    if (now() != '{' || end == pattern_.npos) return false;
    const std::string_view inner = pattern_.substr(at_ + 1, end - at_ - 1);
    const bool is_plain = !inner.empty() && inner != "," &&
                          inner.find_first_not_of("0123456789,") == inner.npos &&
                          std::count(inner.begin(), inner.end(), ',') < 2;
    if (!is_plain) return false;
    const std::size_t comma = inner.find(',');
    const auto number = [](std::string_view text, std::size_t otherwise) {
      return text.empty() ? otherwise : static_cast<std::size_t>(std::stoul(std::string(text)));
    };
    least = number(inner.substr(0, comma), 0);
    most = comma == inner.npos ? least : number(inner.substr(comma + 1), kUnbounded);
    at_ = end + 1;
    return true;
  }

  void atom(Pieces& into) {
    const char letter = pattern_[at_++];
    switch (letter) {
      case '(':
        return group(into);
      case '[':
        return add(into, brackets());
      case '\\':
        return escape(into);
      case '.':
        return add(into, (flags_ & Regex::kDotAll) != 0 ? ~Set{} : ~one('\n'));
      case '^':
      case '$':
        into.push_back(plain(letter == '^' ? Piece::Kind::Begin : Piece::Kind::End));
        into.back().by_line = (flags_ & Regex::kMultiline) != 0;
        return;
      case '*':
      case '+':
      case '?':
        --at_;
        fail("nothing to repeat");
      default:
        return add(into, in_both_cases(one(letter)));
    }
  }

  static Piece plain(Piece::Kind kind) {
    Piece made;
    made.kind = kind;
    return made;
  }

  [[nodiscard]] Set in_both_cases(Set set) const {
    if ((flags_ & Regex::kIgnoreCase) == 0) return set;
    for (char c = 'a'; c <= 'z'; ++c) {
      const auto small = static_cast<std::size_t>(c), large = small - 'a' + 'A';
      set[small] = set[large] = set[small] || set[large];
    }
    return set;
  }
  static void add(Pieces& into, const Set& set) {
    into.push_back(plain(Piece::Kind::Letter));
    into.back().set = set;
  }

  void group(Pieces& into) {
    std::size_t number = 0;
    Piece::Kind kind = Piece::Kind::Group;
    bool negated = false;
    if (takes("?#")) return (void)up_to(')');
    if (takes("?P=")) return again(into, group_of(up_to(')')));
    if (takes("?=") || takes("?!")) {
      kind = Piece::Kind::Ahead;
      negated = pattern_[at_ - 1] == '!';
    } else if (takes("?<=") || takes("?<!")) {
      kind = Piece::Kind::Behind;
      negated = pattern_[at_ - 1] == '!';
    } else if (takes("?P<")) {
      const std::string name = up_to('>');
      names.push_back(name);
      number = names.size();
    } else if (!takes("?:")) {
      if (takes("?")) return inline_flags();
      names.emplace_back();
      number = names.size();
    }
    Piece made = options();
    if (!takes(")")) fail("missing ), unterminated subpattern");
    made.kind = kind;
    made.group = number;
    made.negated = negated;
    into.push_back(std::move(made));
  }

  /// (?i), for all of the pattern.
  void inline_flags() {
    const std::size_t begin = at_ - 2;
    for (const char flag : up_to(')')) {
      const std::size_t known = std::string_view("ims").find(flag);
      constexpr unsigned kFlags[] = {Regex::kIgnoreCase, Regex::kMultiline, Regex::kDotAll};
      if (known == std::string_view::npos || begin != 0) fail("this extension is not supported");
      flags_ |= kFlags[known];
    }
  }

  std::size_t group_of(const std::string& name) const {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) fail("unknown group name");
    return static_cast<std::size_t>(found - names.begin()) + 1;
  }
  void again(Pieces& into, std::size_t number) {
    if (number > names.size()) fail("invalid group reference");
    into.push_back(plain(Piece::Kind::Again));
    into.back().group = number;
  }

  void escape(Pieces& into) {
    if (is_over()) fail("bad escape (end of pattern)");
    const char letter = now();
    if (letter >= '1' && letter <= '9') {
      const std::size_t end =
          std::min(pattern_.find_first_not_of("0123456789", at_), pattern_.size());
      const std::size_t number = std::stoul(std::string(pattern_.substr(at_, end - at_)));
      at_ = end;
      return again(into, number);
    }
    if (letter == 'b' || letter == 'B') {
      ++at_;
      into.push_back(plain(Piece::Kind::Boundary));
      into.back().negated = letter == 'B';
      return;
    }
    if (letter == 'A' || letter == 'Z') {
      ++at_;
      return into.push_back(plain(letter == 'A' ? Piece::Kind::Begin : Piece::Kind::TextEnd));
    }
    add(into, in_both_cases(escaped()));
  }

  /// What \d, \n, \. and their like stand for.
  Set escaped() {
    const char letter = pattern_[at_++];
    if (const auto known = class_of(letter)) return *known;
    constexpr std::string_view kNames = "nrtfva0", kLetters("\n\r\t\f\v\a\0", 7);
    if (const std::size_t at = kNames.find(letter); at != kNames.npos) return one(kLetters[at]);
    if (letter == 'x') {
      const std::string digits(pattern_.substr(at_, 2));
      at_ += digits.size();
      const int code = std::stoi(digits, nullptr, 16);
      if (code < 0 || code > 127) fail("a letter that is not ASCII");
      return one(static_cast<char>(code));
    }
    if (std::isalnum(static_cast<unsigned char>(letter)) != 0) fail("bad escape");
    return one(letter);
  }

  Set brackets() {
    const bool excludes = takes("^");
    Set set;
    for (bool is_first = true; is_over() || now() != ']' || is_first; is_first = false) {
      if (is_over()) fail("unterminated character set");
      const std::size_t begin = at_;
      const Set low = bracket_item();
      if (now() == '-' && at_ + 1 < pattern_.size() && pattern_[at_ + 1] != ']' &&
          low.count() == 1) {
        ++at_;
        const Set high = bracket_item();
        const auto letter_of = [](const Set& each) {
          std::size_t letter = 0;
          while (!each[letter]) ++letter;
          return letter;
        };
        if (high.count() != 1 || letter_of(high) < letter_of(low)) {
          at_ = begin;
          fail("bad character range");
        }
        for (std::size_t c = letter_of(low); c <= letter_of(high); ++c) set.set(c);
      } else {
        set |= low;
      }
    }
    ++at_;
    set = in_both_cases(set);
    return excludes ? ~set : set;
  }
  Set bracket_item() {
    const char letter = pattern_[at_++];
    if (letter != '\\') return one(letter);
    if (is_over()) fail("bad escape (end of pattern)");
    if (takes("b")) return one('\b');
    return escaped();
  }

  std::string_view pattern_;
  unsigned flags_;
  std::size_t at_ = 0;
};

}  // namespace

Pattern parsed(std::string_view pattern, unsigned flags) {
  Parser parser(pattern, flags);
  Pieces nodes = parser.run();
  return {std::move(nodes), std::move(parser.names)};
}

}  // namespace rewriter::regex
