#include "rewriter/text/source.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>

#include "rewriter/text/unicode.hpp"

namespace rewriter {
namespace {

constexpr std::size_t kIndent = 4;  // before the excerpt and its caret
constexpr int kExcerptWidth = 100;  // columns of the line that are shown
constexpr int kBeforeCaret = 40;    // of which before the caret, when a line is cut
constexpr std::string_view kCut = "...";

// One character of the line as it is shown.
struct Cell {
  std::string text;
  int width = 0;
  std::uint32_t offset = 0;  // in the line
};

std::vector<Cell> cells_of(std::string_view line, std::size_t from) {
  std::vector<Cell> cells;
  int column = 0;
  for (std::size_t i = from; i < line.size();) {
    const Character character = decode_utf8(line, i);
    Cell cell{"?", 1, static_cast<std::uint32_t>(i)};
    if (!character.valid) {
      cell.text = "\uFFFD";
    } else if (character.code == '\t') {
      cell.width = 4 - column % 4;
      cell.text.assign(static_cast<std::size_t>(cell.width), ' ');
    } else if (!is_control(character.code)) {
      cell.text = line.substr(i, static_cast<std::size_t>(character.length));
      cell.width = display_width(character.code);
    }
    column += cell.width;
    i += static_cast<std::size_t>(character.length);
    cells.push_back(std::move(cell));
  }
  return cells;
}

// The cells [first, last) that are shown when the caret is under `caret`.
std::pair<std::size_t, std::size_t> window(const std::vector<Cell>& cells, std::size_t caret) {
  int total = 0;
  for (const Cell& cell : cells) total += cell.width;
  if (total <= kExcerptWidth) return {0, cells.size()};
  std::size_t first = caret;
  for (int width = 0; first > 0 && width < kBeforeCaret; --first) width += cells[first - 1].width;
  if (first <= kCut.size()) first = 0;
  std::size_t last = first;
  for (int width = 0; last < cells.size() && width < kExcerptWidth; ++last) {
    width += cells[last].width;
  }
  return {first, last};
}

// The line and the caret line; `begin` and `end` are bytes of the line.
std::string excerpt(std::string_view line, std::size_t begin, std::size_t end) {
  const std::size_t text_begin = std::min(line.find_first_not_of(" \t\f"), line.size());
  const std::vector<Cell> cells = cells_of(line, std::min(text_begin, begin));
  std::size_t caret = 0;
  while (caret < cells.size() && cells[caret].offset < begin) ++caret;
  const auto [first, last] = window(cells, caret);

  std::string shown(kIndent, ' ');
  std::string under(kIndent, ' ');
  if (first > 0) {
    shown += kCut;
    under.append(kCut.size(), ' ');
  }
  std::size_t underlined = 0;
  for (std::size_t i = first; i < last; ++i) {
    shown += cells[i].text;
    const auto width = static_cast<std::size_t>(cells[i].width);
    if (i < caret) under.append(width, ' ');
    if (i >= caret && cells[i].offset < end) underlined += width;
  }
  if (last < cells.size()) shown += kCut;
  shown.erase(shown.find_last_not_of(' ') + 1);
  under += '^';
  if (underlined > 1) under.append(underlined - 1, '~');
  return shown + '\n' + under;
}

std::string describe(const Source& source, Span span, const std::string& message) {
  const SourceLocation at = source.location(span.begin);
  const std::uint32_t start = source.line_start(at.line);
  return fmt::format(
      "{}:{}:{}: {}\n{}", source.name(), at.line, at.column, message,
      excerpt(source.line(at.line), span.begin - start, std::max(span.end, span.begin) - start));
}

}  // namespace

Source::Source(std::string name, std::string text) {
  if (text.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    cudamat::misuse("read", "{} has {} bytes; a program must be smaller than 2 GiB", name,
                    text.size());
  }
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  std::vector<std::uint32_t> starts = {0};
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool ends = text[i] == '\n' || (text[i] == '\r' && text.compare(i + 1, 1, "\n") != 0);
    if (ends) starts.push_back(static_cast<std::uint32_t>(i + 1));
  }
  data_ = std::make_shared<const Data>(Data{std::move(name), std::move(text), std::move(starts)});
}

Source Source::from_file(const std::string& path) {
  const auto close = [](std::FILE* f) { std::fclose(f); };
  std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(path.c_str(), "rb"), close);
  if (!file) cudamat::misuse("read", "cannot open {}: {}", path, std::strerror(errno));
  std::string text;
  char buffer[1 << 16];
  while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, file.get())) {
    text.append(buffer, count);
    if (text.size() > (std::size_t{1} << 31)) break;  // the constructor refuses it
  }
  if (std::ferror(file.get())) {
    cudamat::misuse("read", "cannot read {}: {}", path, std::strerror(errno));
  }
  return Source(path, std::move(text));
}

std::string_view Source::slice(Span span) const {
  return text().substr(span.begin, span.end - span.begin);
}

std::uint32_t Source::line_start(int number) const {
  return data_->line_starts.at(static_cast<std::size_t>(number - 1));
}

std::string_view Source::line(int number) const {
  const std::size_t begin = line_start(number);
  const std::size_t end = number < line_count() ? line_start(number + 1) : text().size();
  std::string_view line = text().substr(begin, end - begin);
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

int Source::line_of(std::uint32_t offset) const {
  const auto& starts = data_->line_starts;
  return static_cast<int>(std::upper_bound(starts.begin(), starts.end(), offset) - starts.begin());
}

SourceLocation Source::location(std::uint32_t offset) const {
  const int number = line_of(offset);
  const std::size_t end = std::min<std::size_t>(offset, text().size());
  SourceLocation at{number, 1};
  for (std::size_t i = line_start(number); i < end; ++at.column) {
    const bool is_ascii = static_cast<unsigned char>(text()[i]) < 0x80;
    i += is_ascii ? 1 : static_cast<std::size_t>(decode_utf8(text(), i).length);
  }
  return at;
}

ProgramError::ProgramError(const Source& source, Span span, const std::string& message)
    : CUDAMatException(describe(source, span, message)),
      source_(source),
      span_(span),
      message_(std::make_shared<const std::string>(message)) {}

}  // namespace rewriter
