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
      "{}:{}: {}\n{}", source.named_line(at.line), at.column, message,
      excerpt(source.line(at.line), span.begin - start, std::max(span.end, span.begin) - start));
}

}  // namespace

namespace {

void check_size(const std::string& name, std::size_t size) {
  if (size > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    cudamat::misuse("read", "{} has {} bytes; a program must be smaller than 2 GiB", name, size);
}

std::vector<std::uint32_t> line_starts_of(const std::string& text) {
  std::vector<std::uint32_t> starts = {0};
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool ends = text[i] == '\n' || (text[i] == '\r' && text.compare(i + 1, 1, "\n") != 0);
    if (ends) starts.push_back(static_cast<std::uint32_t>(i + 1));
  }
  return starts;
}

}  // namespace

Source::Source(std::string name, std::string text) {
  check_size(name, text.size());
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  std::vector<std::uint32_t> starts = line_starts_of(text);
  data_ = std::make_shared<const Data>(
      Data{{{std::move(name)}}, {}, std::move(text), std::move(starts)});
}

Source Source::with(const std::vector<Source>& others) const {
  Data all = *data_;
  for (const Source& other : others) {
    all.text += '\n';  // a file's last line is its own, whether it is ended or not
    all.files.push_back({other.name(), static_cast<std::uint32_t>(all.text.size()), 0});
    all.text += other.text();
    check_size(name(), all.text.size());
  }
  all.line_starts = line_starts_of(all.text);
  Source result = *this;
  result.data_ = std::make_shared<const Data>(all);
  for (File& file : all.files) file.first_line = result.line_of(file.begin);
  result.data_ = std::make_shared<const Data>(std::move(all));
  return result;
}

Source Source::with_functions(std::vector<Function> functions) const {
  if (functions.empty()) return *this;
  Data all = *data_;
  all.functions = std::move(functions);
  Source result = *this;
  result.data_ = std::make_shared<const Data>(std::move(all));
  return result;
}

Span Source::file(std::size_t number) const {
  const auto end = number + 1 < file_count() ? data_->files[number + 1].begin - 1
                                             : static_cast<std::uint32_t>(text().size());
  return {data_->files.at(number).begin, end};
}

std::size_t Source::file_number(std::uint32_t offset) const {
  const auto& files = data_->files;
  const auto after = std::upper_bound(files.begin() + 1, files.end(), offset,
                                      [](std::uint32_t at, const File& f) { return at < f.begin; });
  return static_cast<std::size_t>(after - files.begin()) - 1;
}

const Source::File& Source::file_of(int line) const {
  const auto& files = data_->files;
  const auto after = std::upper_bound(files.begin() + 1, files.end(), line,
                                      [](int at, const File& f) { return at < f.first_line; });
  return *std::prev(after);
}

const std::string& Source::name_of(int line) const {
  return file_of(line).name;
}

int Source::line_in_file(int line) const {
  return line - file_of(line).first_line + 1;
}

std::string Source::named_line(int line) const {
  return fmt::format("{}:{}", name_of(line), line_in_file(line));
}

std::string Source::label(int line) const {
  std::string label = fmt::format("{}", line_in_file(line));
  if (&file_of(line) != data_->files.data()) {
    const std::string_view folder = std::string_view(name()).substr(0, name().rfind('/') + 1);
    std::string_view file = name_of(line);
    if (file.starts_with(folder)) file.remove_prefix(folder.size());
    label = fmt::format("{}:{}", file, label);
  }
  const std::string_view function = function_at(line);
  return function.empty() ? label : fmt::format("{} {}", label, function);
}

std::string_view Source::function_at(int line) const {
  const auto& functions = data_->functions;
  auto function = std::upper_bound(functions.begin(), functions.end(), line,
                                   [](int at, const Function& f) { return at < f.first_line; });
  while (function != functions.begin())
    if ((--function)->last_line >= line) return function->name;
  return {};
}

Source Source::from_file(const std::string& path) {
  const auto close = [](std::FILE* f) { std::fclose(f); };
  std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(path.c_str(), "rb"), close);
  if (!file) cudamat::misuse("read", "cannot open {}: {}", path, std::strerror(errno));
  std::string text;
  char buffer[1 << 16];
  while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, file.get())) {
    text.append(buffer, count);
    if (text.size() > (std::size_t{1} << 31)) break;  // the constructor raises an error for it
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

SourceLocation ProgramError::location() const {
  const SourceLocation at = source_.location(span_.begin);
  return {source_.line_in_file(at.line), at.column};
}

void ProgramError::add_note(const std::string& note) {
  constexpr int kMost = 8;
  if (++notes_ <= kMost)
    noted_ = std::make_shared<const std::string>(fmt::format("{}\n    {}", what(), note));
}

ProgramError::ProgramError(const Source& source, Span span, const std::string& message)
    : CUDAMatException(describe(source, span, message)),
      source_(source),
      span_(span),
      message_(std::make_shared<const std::string>(message)) {}

}  // namespace rewriter
