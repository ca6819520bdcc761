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
  number_lines();
}

/// Removes it, with its colon, from the text.
std::optional<ListHeadings::Label> ListHeadings::label_of(std::string_view& text) {
  const auto digits_at = [&](std::size_t at) {
    return std::min(text.find_first_not_of("0123456789", at), text.size()) - at;
  };
  constexpr std::string_view kPy = ".py:";
  Label label;
  std::size_t at = 0;
  if (digits_at(0) == 0) {
    const std::size_t file = text.find(kPy);
    if (file == std::string_view::npos) return std::nullopt;
    label.file = text.substr(0, file + kPy.size() - 1);
    at = file + kPy.size();
  }
  const std::size_t digits = digits_at(at);
  if (digits == 0 || digits > 9) return std::nullopt;
  for (const char c : text.substr(at, digits)) label.number = label.number * 10 + (c - '0');
  at += digits;
  if (at < text.size() && text[at] == ' ') {
    const std::size_t end = std::min(text.find_first_of(": ", at + 1), text.size());
    label.function = text.substr(at + 1, end - at - 1);
    const bool is_named = !label.file.empty() || label.function.find('.') != std::string::npos;
    if (!is_named) return std::nullopt;
    at = end;
  }
  if (at == text.size() || text[at] != ':') return std::nullopt;
  text.remove_prefix(std::min(at + 2, text.size()));
  return label;
}

/// "#  12: text" or "# -".
void ListHeadings::add(int line, std::string_view text) {
  if (!text.starts_with("# ")) return;
  text.remove_prefix(std::min(text.find_first_not_of(' ', 1), text.size()));
  if (text == "-") lines_[line] = 0;
  has_summary_ = has_summary_ || is_summary(text);
  if (auto label = label_of(text))
    headings_.push_back({line, *std::move(label), std::string(text)});
}

void ListHeadings::number_lines() {
  const auto file_of = [&](const Label& label) {
    if (label.file.empty()) return std::size_t{0};
    const auto known = std::find(files_.begin(), files_.end(), label.file);
    const auto number = static_cast<std::size_t>(known - files_.begin()) + 1;
    if (known == files_.end()) {
      files_.push_back(label.file);
      last_lines_.push_back(1);
    }
    return number;
  };
  for (const Heading& each : headings_) {
    int& last = last_lines_[file_of(each.label)];
    last = std::max(last, std::min(each.label.number, kLastLine));
  }
  for (Heading& each : headings_) {
    const std::size_t file = file_of(each.label);
    int number = each.label.number;
    for (std::size_t k = 0; k < file; ++k) number += std::max(last_lines_[k], 1);
    lines_[each.line] = number;
    if (each.label.number <= 0 || each.label.number > kLastLine || each.text.empty()) continue;
    std::string_view text = each.text;
    for (const std::string_view mark :
         {"  # unrolled: ", "  # ignored: ", "  # no output: ", "  # fused: "})
      if (const std::size_t at = text.find(mark); at != std::string_view::npos) {
        remarks_.emplace(number, text.substr(at + 4));
        text = text.substr(0, at);
      }
    texts_.emplace(number, text);
    if (!each.label.function.empty()) functions_.push_back({number, number, each.label.function});
  }
  std::sort(functions_.begin(), functions_.end(),
            [](const auto& a, const auto& b) { return a.first_line < b.first_line; });
}

SourceLocation ListHeadings::place_of(int line) const {
  const auto next = lines_.upper_bound(line);
  if (next == lines_.begin() || std::prev(next)->second == 0) return {0, 0};
  return {std::prev(next)->second, 1};
}

std::optional<Source> ListHeadings::source() const {
  if (name_.empty() && texts_.empty()) return std::nullopt;
  std::vector<Source> files;
  int before = 0;
  for (std::size_t file = 0; file < last_lines_.size(); ++file) {
    std::string program;
    const int last = before + std::max(last_lines_[file], file == 0 && !files_.empty() ? 1 : 0);
    int line = before + 1;
    for (auto each = texts_.upper_bound(before); each != texts_.end() && each->first <= last;
         ++each) {
      program.append(static_cast<std::size_t>(each->first - line), '\n');
      program += each->second;
      line = each->first;
    }
    if (file + 1 < last_lines_.size() && line < last)
      program.append(static_cast<std::size_t>(last - line), '\n');
    files.emplace_back(file > 0        ? files_[file - 1]
                       : name_.empty() ? fallback_
                                       : name_,
                       std::move(program));
    before = last;
  }
  const Source program = files.front();
  files.erase(files.begin());
  return program.with(files).with_functions(functions_);
}

}  // namespace rewriter
