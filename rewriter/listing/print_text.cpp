#include "rewriter/listing/print_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <unordered_map>

#include "rewriter/listing/literals.hpp"
#include "rewriter/text/unicode.hpp"

namespace rewriter::print {

// ---- numbers ----

std::string decimal(double value) {
  if (value == 0) return std::signbit(value) ? "-0.0" : "0";
  return fmt::format("{}", value);
}

std::string python_number(double value) {
  if (std::isnan(value)) return "float('nan')";
  if (std::isinf(value)) return value > 0 ? "float('inf')" : "float('-inf')";
  return decimal(value);
}

std::string cpp_number(double value) {
  if (std::isnan(value)) return "std::numeric_limits<T>::quiet_NaN()";
  if (std::isinf(value))
    return value > 0 ? "std::numeric_limits<T>::infinity()" : "-std::numeric_limits<T>::infinity()";
  return fmt::format("T({})", decimal(value));
}

std::string grouped(Index value) {
  std::string digits = fmt::format("{}", value);
  const std::size_t first = value < 0 ? 1 : 0;
  for (std::size_t i = digits.size(); i > first + 3;) {
    i -= 3;
    digits.insert(i, ",");
  }
  return digits;
}

std::string binary_size(Index bytes) {
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return {};
  double size = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; size >= 1024 && unit + 1 < std::size(kUnits); ++unit) size /= 1024;
  return fmt::format("{:.1f} {}", size, kUnits[unit]);
}

std::string pair(cudamat::Shape shape) {
  return fmt::format("({}, {})", shape.rows, shape.cols);
}

std::string dims_text(const Binding& binding) {
  return dims_text(binding.dims) + (binding.transposed ? ", transposed" : "");
}

std::string dims_text(const Dims& dims) {
  return npmat::shape_text(dims);
}

// ---- text ----

int columns(std::string_view text) {
  const auto is_plain = [](char c) { return c >= ' ' && c <= '~'; };
  if (std::all_of(text.begin(), text.end(), is_plain)) return static_cast<int>(text.size());
  int result = 0;
  for (std::size_t i = 0; i < text.size();) {
    const Character c = decode_utf8(text, i);
    result += c.valid ? display_width(c.code) : 1;
    i += static_cast<std::size_t>(c.length);
  }
  return result;
}

namespace {

void append_safe(std::string& out, std::string_view text, std::size_t& i) {
  const Character c = decode_utf8(text, i);
  if (!c.valid || is_control(c.code))
    out += '?';
  else
    out.append(text, i, static_cast<std::size_t>(c.length));
  i += static_cast<std::size_t>(c.length);
}

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

}  // namespace

std::string safe(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) append_safe(out, text, i);
  return out;
}

std::string one_line(std::string_view expression) {
  std::string out;
  char quote = 0;
  for (std::size_t i = 0; i < expression.size();) {
    const char c = expression[i];
    if (quote == 0 && c == '#') {
      while (i < expression.size() && expression[i] != '\n' && expression[i] != '\r') ++i;
    } else if (quote == 0 && is_space(c)) {
      while (i < expression.size() && is_space(expression[i])) ++i;
      const bool wanted = !out.empty() && out.back() != '[' && out.back() != '(';
      if (wanted && out.back() != ' ') out += ' ';
    } else {
      if (quote == 0 && (c == '"' || c == '\''))
        quote = c;
      else if (c == quote)
        quote = 0;
      append_safe(out, expression, i);
    }
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

std::string source_line(const StatementList& list, int line) {
  if (!list.source || line < 1 || line > list.source->line_count()) return {};
  std::string_view text = list.source->line(line);
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  std::string spaced(text);
  std::replace(spaced.begin(), spaced.end(), '\t', ' ');
  return safe(spaced);
}

std::string line_label(const StatementList& list, int line) {
  return list.source ? safe(list.source->label(line)) : fmt::format("{}", line);
}

std::string located(const StatementList& list, SourceLocation where, const std::string& message) {
  if (!list.source || where.line < 1 || where.line > list.source->line_count()) return message;
  const std::string_view line = list.source->line(where.line);
  std::size_t byte = 0;
  for (int column = 1; column < where.column && byte < line.size(); ++column)
    byte += static_cast<std::size_t>(decode_utf8(line, byte).length);
  const auto begin = list.source->line_start(where.line) + static_cast<std::uint32_t>(byte);
  return ProgramError(*list.source, {begin, begin + 1}, message).what();
}

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '"' || c == '\\' || c == '\n') {
      out += '\\';
      out += c == '\n' ? 'n' : c;
      ++i;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
      ++i;
    } else {
      append_safe(out, text, i);
    }
  }
  out += '"';
  return out;
}

ListNames::ListNames(const StatementList& list, NamesOf in) : names_(in) {
  std::unordered_map<std::string_view, std::string> spelled;
  const auto spell = [&](std::string_view name, bool reserved) {
    if (is_reserved_name(name, in) == reserved && !spelled.contains(name))
      spelled.emplace(name, names_.take(std::string(name)));
  };
  for (const bool reserved : {false, true}) {  // these have what the others leave
    for (const Variable& variable : list.variables) spell(variable.name, reserved);
    for (const Loop& loop : list.loops)
      if (loop.has_variable()) spell(loop.name, reserved);
  }
  variables_.reserve(list.variables.size());
  for (const Variable& variable : list.variables) variables_.push_back(spelled[variable.name]);
  for (const Loop& loop : list.loops) loops_.push_back(spelled[loop.name]);
}

// ---- data ----

namespace {

long double exact_at(const Statement& statement, cudamat::Shape shape, Index i, Index j) {
  const auto at = static_cast<std::size_t>(i * shape.cols + j);
  return std::visit([at](const auto& array) { return static_cast<long double>(array.data.at(at)); },
                    *statement.data);
}

/// True if a double cannot hold every element.
bool needs_long_double(const Statement& statement) {
  const auto* const wide = std::get_if<npmat::Array<long double>>(statement.data.get());
  return wide != nullptr && std::any_of(wide->data.begin(), wide->data.end(), [](long double x) {
           return !same_number(x, static_cast<double>(x));
         });
}

/// The shortest decimal that reads back as the same long double, in quotes.
std::string quoted_decimal(long double value) {
  char digits[64];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), value).ptr;
  return fmt::format("'{}'", std::string_view(digits, static_cast<std::size_t>(end - digits)));
}

}  // namespace

double constant_at(const Statement& statement, cudamat::Shape shape, Index i, Index j) {
  return static_cast<double>(exact_at(statement, shape, i, j));
}

Pattern pattern_of(const Statement& statement, cudamat::Shape shape) {
  const auto every = [&](const auto& expected) {
    for (Index i = 0; i < shape.rows; ++i)
      for (Index j = 0; j < shape.cols; ++j)
        if (!same_number(exact_at(statement, shape, i, j), expected(i, j))) return false;
    return true;
  };
  if (shape.size() == 0) return {Pattern::Kind::Equal, 0, 0};
  const double first = constant_at(statement, shape, 0, 0);
  if (every([first](Index, Index) { return first; })) return {Pattern::Kind::Equal, first, 0};

  Index ones = 0;  // the diagonal of the first 1, along the first row or else down the first column
  while (ones < shape.cols && constant_at(statement, shape, 0, ones) != 1) ++ones;
  Index k = ones;
  if (ones == shape.cols) {
    for (ones = 0; ones < shape.rows && constant_at(statement, shape, ones, 0) != 1;) ++ones;
    k = -ones;
  }
  if (every([k](Index i, Index j) { return j - i == k ? 1.0 : 0.0; }))
    return {Pattern::Kind::Eye, 0, k};
  return {};
}

std::string python_array(const Statement& statement, cudamat::Shape shape) {
  const Pattern pattern = pattern_of(statement, shape);
  if (pattern.kind == Pattern::Kind::Equal)
    return fmt::format("np.full({}, {})", pair(shape), python_number(pattern.value));
  if (pattern.kind == Pattern::Kind::Eye)
    return fmt::format("np.eye({}, {}, {})", shape.rows, shape.cols, pattern.k);
  const bool wide = needs_long_double(statement);
  std::string out = "np.array([";
  for (Index i = 0; i < shape.rows; ++i) {
    out += i == 0 ? "[" : ", [";
    for (Index j = 0; j < shape.cols; ++j) {
      if (j != 0) out += ", ";
      const long double value = exact_at(statement, shape, i, j);
      out += wide ? quoted_decimal(value) : python_number(static_cast<double>(value));
    }
    out += ']';
  }
  return out + (wide ? "], dtype=np.longdouble)" : "])");
}

}  // namespace rewriter::print
