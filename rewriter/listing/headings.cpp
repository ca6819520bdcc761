#include "rewriter/listing/headings.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace rewriter {

namespace {

// A heading may name any line; its text is kept up to this one, since those before it are made.
constexpr int kLastLine = 10'000'000;

/// # gradient.py as Cudamat statements, float32
std::string name_in(std::string_view title) {
  const std::size_t end = title.rfind(" as Cudamat statements, ");
  if (!title.starts_with("# ") || end == title.npos || end < 2) return {};
  return std::string(title.substr(2, end - 2));
}

/// 1,234 statements: 500 calls, ...
bool is_summary(std::string_view text) {
  const std::size_t number = std::min(text.find_first_not_of("0123456789,"), text.size());
  return number > 0 && text.substr(number).starts_with(" statement");
}

}  // namespace

ListHeadings::ListHeadings(const Source& text)
    : name_(name_in(text.line(1))), fallback_(text.name()) {
  for (int line = 1; line <= text.line_count(); ++line) add(line, text.line(line));
}

/// "#  12: text" or "# -".
void ListHeadings::add(int line, std::string_view text) {
  if (!text.starts_with("# ")) return;
  text.remove_prefix(std::min(text.find_first_not_of(' ', 1), text.size()));
  if (text == "-") lines_[line] = 0;
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  has_summary_ = has_summary_ || is_summary(text);
  if (digits == 0 || digits > 9 || digits == text.size() || text[digits] != ':') return;
  int number = 0;
  for (const char c : text.substr(0, digits)) number = number * 10 + (c - '0');
  lines_[line] = number;
  text.remove_prefix(std::min(digits + 2, text.size()));
  if (number <= 0 || number > kLastLine || text.empty()) return;
  for (const std::string_view mark : {"  # unrolled: ", "  # left out: ", "  # fused: "})
    if (const std::size_t at = text.find(mark); at != std::string_view::npos) {
      remarks_.emplace(number, text.substr(at + 4));
      text = text.substr(0, at);
    }
  texts_.emplace(number, text);
}

SourceLocation ListHeadings::place_of(int line) const {
  const auto next = lines_.upper_bound(line);
  if (next == lines_.begin() || std::prev(next)->second == 0) return {0, 0};
  return {std::prev(next)->second, 1};
}

std::optional<Source> ListHeadings::source() const {
  if (name_.empty() && texts_.empty()) return std::nullopt;
  std::string program;
  int line = 1;
  for (const auto& [number, text] : texts_) {
    program.append(static_cast<std::size_t>(number - line), '\n');
    program += text;
    line = number;
  }
  return Source(name_.empty() ? fallback_ : name_, std::move(program));
}

}  // namespace rewriter
