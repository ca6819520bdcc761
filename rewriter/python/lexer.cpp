#include "rewriter/python/lexer.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "rewriter/python/literals.hpp"
#include "rewriter/text/unicode.hpp"

namespace rewriter::ast {
namespace {

struct Spelling {
  std::string_view text;
  TokenKind kind;
};

// Grouped by first character, longest first.
constexpr Spelling kPunctuation[] = {
    {"!=", TokenKind::NotEqual},
    {"%=", TokenKind::PercentAssign},
    {"%", TokenKind::Percent},
    {"&=", TokenKind::AmpersandAssign},
    {"&", TokenKind::Ampersand},
    {"(", TokenKind::LeftParen},
    {")", TokenKind::RightParen},
    {"**=", TokenKind::DoubleStarAssign},
    {"**", TokenKind::DoubleStar},
    {"*=", TokenKind::StarAssign},
    {"*", TokenKind::Star},
    {"+=", TokenKind::PlusAssign},
    {"+", TokenKind::Plus},
    {",", TokenKind::Comma},
    {"->", TokenKind::Arrow},
    {"-=", TokenKind::MinusAssign},
    {"-", TokenKind::Minus},
    {"...", TokenKind::Ellipsis},
    {".", TokenKind::Dot},
    {"//=", TokenKind::DoubleSlashAssign},
    {"//", TokenKind::DoubleSlash},
    {"/=", TokenKind::SlashAssign},
    {"/", TokenKind::Slash},
    {":=", TokenKind::Walrus},
    {":", TokenKind::Colon},
    {";", TokenKind::Semicolon},
    {"<<=", TokenKind::LeftShiftAssign},
    {"<<", TokenKind::LeftShift},
    {"<=", TokenKind::LessEqual},
    {"<", TokenKind::Less},
    {"==", TokenKind::Equal},
    {"=", TokenKind::Assign},
    {">>=", TokenKind::RightShiftAssign},
    {">>", TokenKind::RightShift},
    {">=", TokenKind::GreaterEqual},
    {">", TokenKind::Greater},
    {"@=", TokenKind::AtAssign},
    {"@", TokenKind::At},
    {"[", TokenKind::LeftBracket},
    {"]", TokenKind::RightBracket},
    {"^=", TokenKind::CaretAssign},
    {"^", TokenKind::Caret},
    {"{", TokenKind::LeftBrace},
    {"|=", TokenKind::BarAssign},
    {"|", TokenKind::Bar},
    {"}", TokenKind::RightBrace},
    {"~", TokenKind::Tilde},
};

// Where a first character's group starts in kPunctuation.
constexpr auto kPunctuationStart = [] {
  std::array<std::uint8_t, 128> start{};
  for (std::size_t i = std::size(kPunctuation); i-- > 0;) {
    start[static_cast<std::size_t>(kPunctuation[i].text[0])] = static_cast<std::uint8_t>(i);
  }
  return start;
}();

// In the order of TokenKind, which is also the order of the bytes.
constexpr std::string_view kKeywords[] = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};
static_assert(std::size(kKeywords) == static_cast<std::size_t>(TokenKind::Yield) -
                                          static_cast<std::size_t>(TokenKind::False) + 1);

TokenKind name_or_keyword(std::string_view text) {
  if (text.size() < 2 || text.size() > 8) return TokenKind::Name;
  const auto* found = std::lower_bound(std::begin(kKeywords), std::end(kKeywords), text);
  if (found == std::end(kKeywords) || *found != text) return TokenKind::Name;
  return static_cast<TokenKind>(static_cast<std::size_t>(TokenKind::False) +
                                static_cast<std::size_t>(found - std::begin(kKeywords)));
}

bool is_string_prefix(std::string_view name) {
  if (name.size() == 1) return name.find_first_of("rRbBuUfF") == 0;
  if (name.size() != 2 || name.find_first_of("rR") == name.npos) return false;
  return name.find_first_of("bBfF") != name.npos;
}

class Lexer {
 public:
  explicit Lexer(const Source& source) : source_(source), text_(source.text()) {}

  TokenList run_part(Span part) {
    text_ = text_.substr(0, part.end);
    at_ = part.begin;
    while (at_ < text_.size() && list_.error.empty()) {
      const char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\f' || c == '\n' || c == '\r')
        ++at_;
      else
        read_token(c);
    }
    if (list_.error.empty()) {
      if (!open_.empty()) list_.unclosed = open_.front();
      list_.tokens.push_back({TokenKind::EndOfFile, {part.end, part.end}});
    }
    return std::move(list_);
  }

  TokenList run(Span file) {
    text_ = text_.substr(0, file.end);
    at_ = file.begin;
    check_encoding();
    list_.tokens.reserve((text_.size() - at_) / 3 + 8);
    bool line_start = true;
    while (at_ < text_.size() && list_.error.empty()) {
      if (line_start && open_.empty()) {
        line_start = !read_indentation();
        continue;
      }
      const char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\f') {
        ++at_;
      } else if (c == '\n' || c == '\r') {
        at_ += line_end_length(at_);
        if (open_.empty()) end_statement();
        line_start = open_.empty();
      } else if (c == '#') {
        skip_comment();
      } else if (c == '\\') {
        read_continuation();
      } else {
        read_token(c);
      }
    }
    if (list_.error.empty()) finish();
    return std::move(list_);
  }

 private:
  struct Indentation {
    int columns;  // with tab stops of 8
    int characters;
  };

  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  std::size_t line_end_length(std::size_t i) const {
    return text_.substr(i).starts_with("\r\n") ? 2 : 1;
  }
  static Span span_of(std::size_t begin, std::size_t end) {
    return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }
  void add(TokenKind kind, std::size_t begin, std::size_t end) {
    list_.tokens.push_back({kind, span_of(begin, end)});
    at_ = end;
  }
  // Right after the last token, which is where a missing one belongs.
  void add_empty(TokenKind kind) {
    const std::uint32_t end =
        list_.tokens.empty() ? static_cast<std::uint32_t>(at_) : list_.tokens.back().span.end;
    list_.tokens.push_back({kind, {end, end}});
  }
  // A Newline, unless nothing stands on the line.
  void end_statement() {
    const TokenKind last = list_.tokens.empty() ? TokenKind::Newline : list_.tokens.back().kind;
    const bool blank =
        last == TokenKind::Newline || last == TokenKind::Indent || last == TokenKind::Dedent;
    if (!blank) add_empty(TokenKind::Newline);
  }
  void fail(std::size_t begin, std::size_t end, std::string error) {
    list_.tokens.push_back({TokenKind::Error, span_of(begin, end)});
    list_.error = std::move(error);
  }

  void check_encoding() const {
    for (std::size_t i = at_; i < text_.size();) {
      const char c = text_[i];
      if (c != 0 && static_cast<unsigned char>(c) < 0x80) {
        ++i;
        continue;
      }
      if (c == 0)
        throw ProgramError(source_, span_of(i, i + 1), "a zero byte; is this a text file?");
      const Character character = decode_utf8(text_, i);
      if (!character.valid) {
        throw ProgramError(source_, span_of(i, i + 1),
                           fmt::format("byte 0x{:02X} is not UTF-8; save the program as UTF-8",
                                       static_cast<unsigned char>(c)));
      }
      i += static_cast<std::size_t>(character.length);
    }
  }

  // At the start of a line outside of brackets. Skips a line without tokens and returns false.
  bool read_indentation() {
    const std::size_t begin = at_;
    Indentation found{0, 0};
    for (; peek() == ' ' || peek() == '\t' || peek() == '\f'; ++at_) {
      found.columns = peek() == '\t' ? found.columns / 8 * 8 + 8 : found.columns + 1;
      ++found.characters;
      if (peek() == '\f') found = {0, 0};
    }
    if (peek() == '#') skip_comment();
    if (at_ == text_.size()) return true;
    if (peek() == '\\') {
      fail(at_, at_ + 1, "a line that starts with '\\' is not supported");
      return true;
    }
    if (peek() == '\n' || peek() == '\r') {
      at_ += line_end_length(at_);
      return false;
    }
    compare_indentation(found, begin);
    return true;
  }

  void compare_indentation(Indentation found, std::size_t begin) {
    if (found.columns > indents_.back().columns) {
      if (found.characters <= indents_.back().characters) return fail_tabs(begin);
      indents_.push_back(found);
      add(TokenKind::Indent, begin, at_);
      return;
    }
    while (found.columns < indents_.back().columns) {
      indents_.pop_back();
      list_.tokens.push_back({TokenKind::Dedent, span_of(at_, at_)});
    }
    if (found.columns != indents_.back().columns) {
      fail(at_, at_, "this indentation matches no line above");
    } else if (found.characters != indents_.back().characters) {
      fail_tabs(begin);
    }
  }

  void fail_tabs(std::size_t begin) {
    fail(begin, at_, "tabs and spaces are mixed in the indentation; use spaces");
  }

  void skip_comment() { at_ = std::min(text_.find_first_of("\r\n", at_), text_.size()); }

  void read_continuation() {
    const bool line_end = peek(1) == '\n' || peek(1) == '\r';
    const std::size_t next = at_ + 1 + (line_end ? line_end_length(at_ + 1) : 0);
    if (next == text_.size()) return fail(at_, at_ + 1, "the program ends after '\\'");
    if (!line_end) {
      return fail(at_, at_ + 1, "'\\' continues a line only as its very last character");
    }
    at_ = next;
  }

  void read_token(char c) {
    const bool digit = c >= '0' && c <= '9';
    if (digit || (c == '.' && peek(1) >= '0' && peek(1) <= '9')) {
      std::string error;
      const std::size_t length = scan_number(text_.substr(at_), error);
      if (!error.empty()) return fail(at_, at_ + length, std::move(error));
      add(TokenKind::Number, at_, at_ + length);
    } else if (c == '\'' || c == '"') {
      read_string(at_);
    } else if (is_name_start(c)) {
      read_name();
    } else {
      read_punctuation(c);
    }
  }

  static bool is_name_start(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
  }

  void read_name() {
    std::size_t end = at_;
    while (end < text_.size()) {
      const char c = text_[end];
      if (!is_name_start(c) && !(c >= '0' && c <= '9')) break;
      if (static_cast<unsigned char>(c) < 0x80) {
        ++end;
        continue;
      }
      const Character character = decode_utf8(text_, end);
      if (name_letter(character.code) == 0) return fail_character(end, character);
      end += static_cast<std::size_t>(character.length);
    }
    const std::string_view name = text_.substr(at_, end - at_);
    const bool quote = end < text_.size() && (text_[end] == '\'' || text_[end] == '"');
    if (quote && is_string_prefix(name)) {
      return read_string(end);
    }
    add(name_or_keyword(name), at_, end);
  }

  // A string literal that starts at at_ (with its prefix) and whose quote is at `quote`.
  void read_string(std::size_t quote) {
    const char mark = text_[quote];
    const bool triple = text_.substr(quote, 3) == std::string(3, mark);
    const std::string_view close = text_.substr(quote, triple ? 3 : 1);
    for (std::size_t i = quote + close.size(); i < text_.size(); ++i) {
      const char c = text_[i];
      if (!triple && (c == '\n' || c == '\r')) break;
      if (c == '\\') {
        i += i + 1 < text_.size() ? line_end_length(i + 1) : 0;
      } else if (c == mark && text_.substr(i, close.size()) == close) {
        return add(TokenKind::String, at_, i + close.size());
      }
    }
    fail(at_, quote + close.size(),
         triple ? "this string is never closed" : "this string is not closed on its line");
  }

  void read_punctuation(char c) {
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("<>")) return fail(at_, at_ + 2, "'<>' is '!=' in Python 3");
    for (std::size_t i = kPunctuationStart[static_cast<std::size_t>(c)];
         i < std::size(kPunctuation) && kPunctuation[i].text[0] == c; ++i) {
      const Spelling& spelling = kPunctuation[i];
      if (!rest.starts_with(spelling.text)) continue;
      if (track_bracket(c)) add(spelling.kind, at_, at_ + spelling.text.size());
      return;
    }
    fail_character(at_, decode_utf8(text_, at_));
  }

  // False, with the error set, if a closing bracket does not match.
  bool track_bracket(char c) {
    const Span here = span_of(at_, at_ + 1);
    if (c == '(' || c == '[' || c == '{') open_.push_back(here);
    if (c != ')' && c != ']' && c != '}') return true;
    const char wanted = c == ')' ? '(' : c == ']' ? '[' : '{';
    if (!open_.empty() && text_[open_.back().begin] == wanted) {
      open_.pop_back();
      return true;
    }
    if (open_.empty()) {
      fail(here.begin, here.end, fmt::format("'{}' closes nothing", c));
    } else {
      const SourceLocation opened = source_.location(open_.back().begin);
      list_.unclosed = open_.front();
      fail(here.begin, here.end,
           fmt::format("'{}' does not close the '{}' of line {}, column {}", c,
                       text_[open_.back().begin], opened.line, opened.column));
    }
    return false;
  }

  void fail_character(std::size_t begin, Character character) {
    const std::size_t end = begin + static_cast<std::size_t>(character.length);
    const auto code = static_cast<std::uint32_t>(character.code);
    const std::string_view plain = plain_spelling(character.code);
    if (!plain.empty()) {
      fail(begin, end, fmt::format("U+{:04X} is not part of Python; write {}", code, plain));
    } else if (is_control(character.code)) {
      fail(begin, end, fmt::format("unexpected control character U+{:04X}", code));
    } else {
      fail(begin, end,
           fmt::format("unexpected character '{}' (U+{:04X})", text_.substr(begin, end - begin),
                       code));
    }
  }

  void finish() {
    if (!open_.empty()) list_.unclosed = open_.front();
    end_statement();
    for (; indents_.size() > 1; indents_.pop_back()) add_empty(TokenKind::Dedent);
    add_empty(TokenKind::EndOfFile);
  }

  const Source& source_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Span> open_;  // brackets
  std::vector<Indentation> indents_ = {{0, 0}};
  TokenList list_;
};

}  // namespace

TokenList tokenize(const Source& source) {
  return tokenize_file(source, 0);
}

TokenList tokenize_file(const Source& source, std::size_t file) {
  return Lexer(source).run(source.file(file));
}

TokenList tokenize_part(const Source& source, Span part) {
  return Lexer(source).run_part(part);
}

}  // namespace rewriter::ast
