#include "cudamat/kernels/source.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <string_view>

namespace cudamat::kernels {
namespace {

struct Token {
  std::string_view text;
  std::size_t at;
  bool is_name;
};

bool begins_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool continues_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Cuts C++ into names, numbers, literals and single characters; comments are none of them.
/// Directives are omitted, but for what `#define NAME NUMBER` says.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> tokens;
  std::map<std::string, Index, std::less<>> numbers;

  void run() {
    bool line_begins = true;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        line_begins = true;
        ++at_;
      } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
        ++at_;
      } else if (c == '#' && line_begins) {
        directive();
      } else if (text_.substr(at_, 2) == "//") {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (text_.substr(at_, 2) == "/*") {
        const std::size_t end = text_.find("*/", at_ + 2);
        at_ = end == std::string_view::npos ? text_.size() : end + 2;
      } else {
        line_begins = false;
        token();
      }
    }
  }

 private:
  void add(std::size_t end, bool is_name = false) {
    tokens.push_back({text_.substr(at_, end - at_), at_, is_name});
    at_ = end;
  }

  void token() {
    const char c = text_[at_];
    if (c == '"' || c == '\'') return add(end_of_literal(at_));
    std::size_t end = at_ + 1;
    if (begins_name(c)) {
      while (end < text_.size() && continues_name(text_[end])) ++end;
      if (end < text_.size() && text_[end] == '"' && text_[end - 1] == 'R') {
        const std::size_t open = text_.find('(', end);
        if (open == std::string_view::npos) return add(text_.size());
        const std::string close = ")" + std::string(text_.substr(end + 1, open - end - 1)) + "\"";
        const std::size_t found = text_.find(close, open);
        return add(found == std::string_view::npos ? text_.size() : found + close.size());
      }
      return add(end, true);
    }
    if (std::isdigit(static_cast<unsigned char>(c)) != 0)
      while (end < text_.size() && (continues_name(text_[end]) || text_[end] == '.')) ++end;
    add(end);
  }

  [[nodiscard]] std::size_t end_of_literal(std::size_t from) const {
    std::size_t end = from + 1;
    while (end < text_.size() && text_[end] != text_[from] && text_[end] != '\n')
      end += text_[end] == '\\' ? 2 : 1;
    return std::min(end + 1, text_.size());
  }

  void directive() {
    std::size_t end = at_;
    do end = std::min(text_.find('\n', end + 1), text_.size());
    while (end < text_.size() && text_[end - 1] == '\\');
    Lexer words(text_.substr(at_ + 1, end - at_ - 1));
    words.run();
    if (words.tokens.size() == 3 && words.tokens[0].text == "define") {
      Index value = 0;
      const std::string_view number = words.tokens[2].text;
      const auto [rest, error] =
          std::from_chars(number.data(), number.data() + number.size(), value);
      if (error == std::errc() && rest == number.data() + number.size())
        numbers.emplace(words.tokens[1].text, value);
    }
    at_ = end;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

void blank(std::string& text, const Token& token) {
  std::fill_n(text.begin() + std::ptrdiff_t(token.at), token.text.size(), ' ');
}

/// A place where text is put in, or other text replaces a token.
struct Edit {
  std::size_t at;
  std::size_t length;
  std::string text;
};

std::string edited(std::string text, std::vector<Edit> edits) {
  std::ranges::stable_sort(edits, std::greater<>(), &Edit::at);
  for (const Edit& edit : edits) text.replace(edit.at, edit.length, edit.text);
  return text;
}

class Reader {
 public:
  explicit Reader(const std::string& text) : text_(text), lexer_(text) {
    lexer_.run();
    source_.device = text;
  }

  Source run() {
    for (at_ = 0; at_ < tokens().size(); ++at_) {
      const std::string_view word = tokens()[at_].text;
      if (word == "extern" && text_at(at_ + 1) == "\"C\"") {
        extern_c();
      } else if (word == "namespace") {
        enter_namespace();
      } else if (word == "{") {
        scopes_.push_back({});
        begin_ = at_ + 1;
      } else if (word == "}") {
        leave();
        begin_ = at_ + 1;
      } else if (word == ";") {
        begin_ = at_ + 1;
      } else if (word == "__global__") {
        kernel();
      } else if (word == "__shared__") {
        shared();
      }
    }
    source_.host = edited(text_, edits_);
    return std::move(source_);
  }

 private:
  struct Scope {
    std::string name;  ///< of a namespace
    bool is_extern_c = false;
  };

  [[nodiscard]] const std::vector<Token>& tokens() const { return lexer_.tokens; }
  [[nodiscard]] std::string_view text_at(std::size_t i) const {
    return i < tokens().size() ? tokens()[i].text : std::string_view();
  }
  /// Behind the bracket that closes the one at i.
  [[nodiscard]] std::size_t behind(std::size_t i, std::string_view open,
                                   std::string_view close) const {
    int depth = 0;
    for (; i < tokens().size(); ++i) {
      if (text_at(i) == open) ++depth;
      if (text_at(i) == close && --depth == 0) return i + 1;
    }
    return i;
  }

  void extern_c() {
    blank(source_.device, tokens()[at_]);
    blank(source_.device, tokens()[at_ + 1]);
    ++at_;
    if (text_at(at_ + 1) != "{") return;
    ++at_;
    blank(source_.device, tokens()[at_]);
    scopes_.push_back({"", true});
    begin_ = at_ + 1;
  }

  void enter_namespace() {
    std::string name;
    while (at_ + 1 < tokens().size() && text_at(at_ + 1) != "{" && text_at(at_ + 1) != ";" &&
           text_at(at_ + 1) != "=")
      name += text_at(++at_);
    if (text_at(at_ + 1) != "{") return;
    ++at_;
    scopes_.push_back({name, false});
    begin_ = at_ + 1;
  }

  void leave() {
    if (scopes_.empty()) return;
    if (scopes_.back().is_extern_c) blank(source_.device, tokens()[at_]);
    scopes_.pop_back();
  }

  void kernel() {
    KernelDeclaration found;
    bool instance = false;
    for (std::size_t i = begin_; i < at_; ++i)
      if (text_at(i) == "template") {
        found.is_template = text_at(i + 1) == "<";
        instance = !found.is_template;
      }
    std::size_t i = at_ + 1, name = 0;
    for (; i < tokens().size() && text_at(i) != ";" && text_at(i) != "{"; ++i) {
      const std::string_view next = text_at(i + 1);
      if (!tokens()[i].is_name || (next != "(" && !(next == "<" && instance))) continue;
      if (text_at(i) == "__launch_bounds__" || text_at(i) == "__attribute__" ||
          text_at(i) == "__align__") {
        i = behind(i + 1, "(", ")") - 1;
        continue;
      }
      name = i;
      break;
    }
    if (name == 0) return;
    std::size_t open = name + 1;
    if (text_at(open) == "<") open = behind(open, "<", ">");
    if (text_at(open) != "(") return;
    for (const Scope& scope : scopes_)
      if (!scope.name.empty()) found.name += scope.name + "::";
    const std::size_t from = tokens()[name].at;
    const Token& last = tokens()[open - 1];
    found.name += text_.substr(from, last.at + last.text.size() - from);
    const std::size_t end = behind(open, "(", ")");
    found.parameters = parameters(open + 1, end - 1);
    keep(std::move(found));
    at_ = end - 1;
  }

  /// A definition may say more of the names than a declaration.
  void keep(KernelDeclaration found) {
    const auto same = std::ranges::find(source_.kernels, found.name, &KernelDeclaration::name);
    if (same == source_.kernels.end())
      source_.kernels.push_back(std::move(found));
    else
      *same = std::move(found);
  }

  [[nodiscard]] std::vector<std::string> parameters(std::size_t from, std::size_t end) const {
    std::vector<std::string> names;
    if (from >= end || (end - from == 1 && text_at(from) == "void")) return names;
    int depth = 0;
    std::string name;
    std::size_t words = 0;
    bool over = false;  // what comes is no name: an extent, or a value
    const auto finish = [&] {
      static constexpr std::string_view kTypes[] = {
          "int", "unsigned", "float", "double", "char", "long", "short", "bool", "const", "size_t"};
      const bool type = words < 2 || std::ranges::find(kTypes, name) != std::end(kTypes);
      names.push_back(type ? "" : name);
      name.clear();
      words = 0;
      over = false;
    };
    for (std::size_t i = from; i < end; ++i) {
      const std::string_view word = text_at(i);
      if (word == "(" || word == "<" || word == "[" || word == "{") ++depth;
      if (word == ")" || word == ">" || word == "]" || word == "}") --depth;
      if (depth == 0 && word == ",") {
        finish();
        continue;
      }
      over |= word == "=" || word == "[";
      if (word == "*" || word == "&") name.clear();
      if (tokens()[i].is_name && word != "__restrict__" && word != "restrict" && !over &&
          depth == 0)
        name = word;
      words += tokens()[i].is_name || word == "*";
    }
    finish();
    return names;
  }

  void shared() {
    bool is_extern = false;
    for (std::size_t i = begin_; i < at_; ++i) {
      is_extern |= text_at(i) == "extern";
      if (text_at(i) == "extern" || text_at(i) == "static")
        edits_.push_back({tokens()[i].at, tokens()[i].text.size(), ""});
    }
    std::size_t end = at_;
    while (end < tokens().size() && text_at(end) != ";") ++end;
    for (std::size_t i = at_ + 1; i < end; ++i) {
      const std::string_view next = text_at(i + 1);
      if (!tokens()[i].is_name || (next != "[" && next != ";" && next != ",")) continue;
      const std::string name(text_at(i));
      const auto [found, is_first] = source_.shared.try_emplace(name);
      if (is_first)
        found->second.extents = extents(i + 1);
      else
        found->second.others.push_back(extents(i + 1));
      if (!is_extern) continue;
      if (source_.dynamic_shared.empty()) source_.dynamic_shared = name;
      const std::string type = "simt_type_of_" + name;
      edits_.push_back({tokens()[at_].at, tokens()[at_].text.size(), "typedef"});
      edits_.push_back({tokens()[i].at, name.size(), type});
      if (end < tokens().size())
        edits_.push_back({tokens()[end].at + 1, 0,
                          " auto& " + name + " = *reinterpret_cast<" + type + "*>(simt_dynamic);"});
      break;
    }
  }

  [[nodiscard]] std::vector<Index> extents(std::size_t i) const {
    std::vector<Index> found;
    while (text_at(i) == "[") {
      const std::string_view word = text_at(i + 1);
      if (text_at(i + 2) != "]") return {};
      Index value = 0;
      const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), value);
      if (const auto known = lexer_.numbers.find(word); known != lexer_.numbers.end())
        value = known->second;
      else if (error != std::errc() || rest != word.data() + word.size())
        return {};
      found.push_back(value);
      i += 3;
    }
    return found;
  }

  const std::string& text_;
  Lexer lexer_;
  std::size_t at_ = 0;
  std::size_t begin_ = 0;  ///< of the declaration
  std::vector<Scope> scopes_;
  std::vector<Edit> edits_;
  Source source_;
};

}  // namespace

Source read_source(const std::string& text) {
  return Reader(text).run();
}

}  // namespace cudamat::kernels
