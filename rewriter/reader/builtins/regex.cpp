#include "rewriter/reader/builtins/regex.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

#include "cudamat/error.hpp"
#include "rewriter/reader/builtins/regex_pieces.hpp"

namespace rewriter {

using cudamat::misuse;
using regex::is_word;
using regex::Piece;
using regex::Pieces;

namespace {

constexpr std::size_t kMostSteps = 20'000'000;
constexpr int kMostDepth = 20'000;

class Matcher {
 public:
  using Next = std::function<bool(std::size_t)>;

  Matcher(std::string_view text, std::size_t groups)
      : spans(groups + 1, {Regex::kNone, Regex::kNone}), text_(text) {}

  std::vector<Regex::Span> spans;

  bool sequence(const Pieces& nodes, std::size_t i, std::size_t at, const Next& next) {
    if (++steps_ > kMostSteps) misuse("re", "matching this pattern takes too long");
    if (i == nodes.size()) return next(at);
    return node(nodes[i], at,
                [&, i](std::size_t end) { return sequence(nodes, i + 1, end, next); });
  }

 private:
  [[nodiscard]] bool takes(const Piece& node, std::size_t at) const {
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

  bool node(const Piece& node, std::size_t at, const Next& next) {
    switch (node.kind) {
      case Piece::Kind::Letter:
        return takes(node, at) && next(at + 1);
      case Piece::Kind::Begin:
        return (at == 0 || (node.by_line && text_[at - 1] == '\n')) && next(at);
      case Piece::Kind::End:
        return is_end(at, node.by_line) && next(at);
      case Piece::Kind::TextEnd:
        return at == text_.size() && next(at);
      case Piece::Kind::Boundary:
        return is_boundary(at) != node.negated && next(at);
      case Piece::Kind::Group:
        return group(node, at, next);
      case Piece::Kind::Ahead:
      case Piece::Kind::Behind:
        return looks(node, at) != node.negated && next(at);
      case Piece::Kind::Again: {
        const auto [begin, end] = spans[node.group];
        if (begin == Regex::kNone) return false;
        const std::string_view same = text_.substr(begin, end - begin);
        return text_.substr(at).starts_with(same) && next(at + same.size());
      }
      case Piece::Kind::Repeat:
        break;
    }
    const Pieces& body = node.options[0];
    if (body[0].kind == Piece::Kind::Letter) return letters(node, body[0], at, next);
    return repeat(node, 0, at, Regex::kNone, next);
  }

  bool group(const Piece& node, std::size_t at, const Next& next) {
    const auto before = spans[node.group];
    for (const Pieces& option : node.options) {
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

  bool looks(const Piece& node, std::size_t at) {
    const auto before = spans;
    const bool is_behind = node.kind == Piece::Kind::Behind;
    bool found = false;
    for (std::size_t back = 0; !found && back <= (is_behind ? at : 0); ++back)
      found = std::any_of(node.options.begin(), node.options.end(), [&](const Pieces& option) {
        return sequence(option, 0, at - back,
                        [&](std::size_t end) { return !is_behind || end == at; });
      });
    if (!found || node.negated) spans = before;
    return found;
  }

  bool letters(const Piece& repeated, const Piece& letter, std::size_t at, const Next& next) {
    std::size_t most = 0;
    while (most < repeated.most && takes(letter, at + most)) ++most;
    if (most < repeated.least) return false;
    const std::size_t choices = most - repeated.least + 1;
    for (std::size_t i = 0; i < choices; ++i)
      if (next(at + (repeated.is_lazy ? repeated.least + i : most - i))) return true;
    return false;
  }

  /// `last`: where the repetition before this one began; one that takes nothing is the last.
  bool repeat(const Piece& node, std::size_t count, std::size_t at, std::size_t last,
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

Regex::Regex(std::string_view pattern, unsigned flags) {
  check_ascii(pattern);
  constexpr unsigned kKnown = kIgnoreCase | kMultiline | kDotAll | 32;  // re.UNICODE is the default
  if ((flags & ~kKnown) != 0) misuse("re", "of its flags only I, M and S are supported");
  pattern_ = std::make_unique<const regex::Pattern>(regex::parsed(pattern, flags));
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
