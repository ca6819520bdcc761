#include "rewriter/reader/builtins/regex.hpp"

#include <algorithm>
#include <bitset>
#include <cctype>
#include <fmt/format.h>
#include <functional>

#include "cudamat/error.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

using Set = std::bitset<128>;
constexpr std::size_t kUnbounded = static_cast<std::size_t>(-1);
constexpr std::size_t kMostSteps = 20'000'000;
constexpr int kMostDepth = 20'000;

struct Node;
using Sequence = std::vector<Node>;

struct Node {
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
  std::vector<Sequence> options{};
  std::size_t group = 0;
  std::size_t least = 0, most = 0;
  bool is_lazy = false;
  bool negated = false;
  bool by_line = false;
};

bool is_word(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

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
  Sequence run() {
    Node all = options();
    if (!is_over()) fail("unbalanced parenthesis");
    Sequence result;
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

  Node options() {
    Node made;
    made.kind = Node::Kind::Group;
    made.options.emplace_back();
    while (!is_over() && now() != ')') {
      if (takes("|"))
        made.options.emplace_back();
      else
        term(made.options.back());
    }
    return made;
  }

  void term(Sequence& into) {
    const std::size_t before = into.size();
    atom(into);
    if (into.size() == before) return;  // flags, a comment
    quantify(into.back());
  }

  void quantify(Node& atom) {
    std::size_t least = 0, most = kUnbounded;
    if (takes("*")) {
    } else if (takes("+")) {
      least = 1;
    } else if (takes("?")) {
      most = 1;
    } else if (!bounds(least, most)) {
      return;
    }
    Node made;
    made.kind = Node::Kind::Repeat;
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

  void atom(Sequence& into) {
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
        into.push_back(plain(letter == '^' ? Node::Kind::Begin : Node::Kind::End));
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

  static Node plain(Node::Kind kind) {
    Node made;
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
  static void add(Sequence& into, const Set& set) {
    into.push_back(plain(Node::Kind::Letter));
    into.back().set = set;
  }

  void group(Sequence& into) {
    std::size_t number = 0;
    Node::Kind kind = Node::Kind::Group;
    bool negated = false;
    if (takes("?#")) return (void)up_to(')');
    if (takes("?P=")) return again(into, group_of(up_to(')')));
    if (takes("?=") || takes("?!")) {
      kind = Node::Kind::Ahead;
      negated = pattern_[at_ - 1] == '!';
    } else if (takes("?<=") || takes("?<!")) {
      kind = Node::Kind::Behind;
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
    Node made = options();
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
  void again(Sequence& into, std::size_t number) {
    if (number > names.size()) fail("invalid group reference");
    into.push_back(plain(Node::Kind::Again));
    into.back().group = number;
  }

  void escape(Sequence& into) {
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
      into.push_back(plain(Node::Kind::Boundary));
      into.back().negated = letter == 'B';
      return;
    }
    if (letter == 'A' || letter == 'Z') {
      ++at_;
      return into.push_back(plain(letter == 'A' ? Node::Kind::Begin : Node::Kind::TextEnd));
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

class Matcher {
 public:
  using Next = std::function<bool(std::size_t)>;

  Matcher(std::string_view text, std::size_t groups)
      : spans(groups + 1, {Regex::kNone, Regex::kNone}), text_(text) {}

  std::vector<Regex::Span> spans;

  bool sequence(const Sequence& nodes, std::size_t i, std::size_t at, const Next& next) {
    if (++steps_ > kMostSteps) misuse("re", "matching this pattern takes too long");
    if (i == nodes.size()) return next(at);
    return node(nodes[i], at,
                [&, i](std::size_t end) { return sequence(nodes, i + 1, end, next); });
  }

 private:
  [[nodiscard]] bool takes(const Node& node, std::size_t at) const {
    return at < text_.size() && node.set[static_cast<std::size_t>(text_[at])];
  }
  [[nodiscard]] bool is_boundary(std::size_t at) const {
    const bool before = at > 0 && is_word(text_[at - 1]);
    return before != (at < text_.size() && is_word(text_[at]));
  }
  [[nodiscard]] bool is_end(std::size_t at, bool by_line) const {
    const bool is_last = at == text_.size() || (at + 1 == text_.size() && text_[at] == '\n');
    return is_last || (by_line && text_[at] == '\n');
  }

  bool node(const Node& node, std::size_t at, const Next& next) {
    switch (node.kind) {
      case Node::Kind::Letter:
        return takes(node, at) && next(at + 1);
      case Node::Kind::Begin:
        return (at == 0 || (node.by_line && text_[at - 1] == '\n')) && next(at);
      case Node::Kind::End:
        return is_end(at, node.by_line) && next(at);
      case Node::Kind::TextEnd:
        return at == text_.size() && next(at);
      case Node::Kind::Boundary:
        return is_boundary(at) != node.negated && next(at);
      case Node::Kind::Group:
        return group(node, at, next);
      case Node::Kind::Ahead:
      case Node::Kind::Behind:
        return looks(node, at) != node.negated && next(at);
      case Node::Kind::Again: {
        const auto [begin, end] = spans[node.group];
        if (begin == Regex::kNone) return false;
        const std::string_view same = text_.substr(begin, end - begin);
        return text_.substr(at).starts_with(same) && next(at + same.size());
      }
      case Node::Kind::Repeat:
        break;
    }
    const Sequence& body = node.options[0];
    if (body[0].kind == Node::Kind::Letter) return letters(node, body[0], at, next);
    return repeat(node, 0, at, Regex::kNone, next);
  }

  bool group(const Node& node, std::size_t at, const Next& next) {
    const auto before = spans[node.group];
    for (const Sequence& option : node.options) {
      const bool found = sequence(option, 0, at, [&](std::size_t end) {
        const auto inner = spans[node.group];
        if (node.group > 0) spans[node.group] = {at, end};
        if (next(end)) return true;
        spans[node.group] = inner;
        return false;
      });
      if (found) return true;
      spans[node.group] = before;
    }
    return false;
  }

  bool looks(const Node& node, std::size_t at) {
    const auto before = spans;
    const bool is_behind = node.kind == Node::Kind::Behind;
    bool found = false;
    for (std::size_t back = 0; !found && back <= (is_behind ? at : 0); ++back)
      found = std::any_of(node.options.begin(), node.options.end(), [&](const Sequence& option) {
        return sequence(option, 0, at - back,
                        [&](std::size_t end) { return !is_behind || end == at; });
      });
    if (!found || node.negated) spans = before;
    return found;
  }

  bool letters(const Node& repeated, const Node& letter, std::size_t at, const Next& next) {
    std::size_t most = 0;
    while (most < repeated.most && takes(letter, at + most)) ++most;
    if (most < repeated.least) return false;
    const std::size_t choices = most - repeated.least + 1;
    for (std::size_t i = 0; i < choices; ++i)
      if (next(at + (repeated.is_lazy ? repeated.least + i : most - i))) return true;
    return false;
  }

  /// `last`: where the repetition before this one began; one that takes nothing is the last.
  bool repeat(const Node& node, std::size_t count, std::size_t at, std::size_t last,
              const Next& next) {
    if (++depth_ > kMostDepth) misuse("re", "this pattern repeats a group too often");
    const auto again = [&] {
      return count < node.most && (count < node.least || at != last) &&
             sequence(node.options[0], 0, at,
                      [&](std::size_t end) { return repeat(node, count + 1, end, at, next); });
    };
    const auto stop = [&] { return count >= node.least && next(at); };
    const bool found = node.is_lazy ? stop() || again() : again() || stop();
    --depth_;
    return found;
  }

  std::string_view text_;
  std::size_t steps_ = 0;
  int depth_ = 0;
};

void check_ascii(std::string_view text) {
  if (std::any_of(text.begin(), text.end(),
                  [](char c) { return static_cast<unsigned char>(c) > 127; }))
    misuse("re", "regular expressions of texts with letters that are not ASCII are not supported");
}

}  // namespace

struct Regex::Pattern {
  Sequence nodes;
  std::vector<std::string> names;
};

Regex::Regex(std::string_view pattern, unsigned flags) {
  check_ascii(pattern);
  constexpr unsigned kKnown = kIgnoreCase | kMultiline | kDotAll | 32;  // re.UNICODE is the default
  if ((flags & ~kKnown) != 0) misuse("re", "of its flags only I, M and S are supported");
  Parser parser(pattern, flags);
  Sequence nodes = parser.run();
  pattern_ = std::make_unique<const Pattern>(Pattern{std::move(nodes), std::move(parser.names)});
}

Regex::~Regex() = default;

const std::vector<std::string>& Regex::names() const {
  return pattern_->names;
}

std::optional<std::vector<Regex::Span>> Regex::match(std::string_view text, std::size_t at,
                                                     Mode mode, bool advances) const {
  check_ascii(text);
  for (std::size_t begin = at; begin <= text.size(); ++begin) {
    Matcher matcher(text, names().size());
    const bool found = matcher.sequence(pattern_->nodes, 0, begin, [&](std::size_t end) {
      matcher.spans[0] = {begin, end};
      return (mode != Mode::FullMatch || end == text.size()) && !(advances && end == at);
    });
    if (found) return std::move(matcher.spans);
    if (mode != Mode::Search) break;
  }
  return std::nullopt;
}

}  // namespace rewriter
