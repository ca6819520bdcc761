// Python's formats of texts: f-strings, format() and %.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "rewriter/expr/build.hpp"
#include "rewriter/expr/text_format.hpp"
#include "rewriter/reader/builtins/text_parts.hpp"
#include "rewriter/reader/operators/text.hpp"
#include "rewriter/reader/table/trees.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/promotion.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

/// A number that is known in any of Python's formats:
/// [[fill]align][sign][#][0][width][,_][.precision][type].
struct Format {
  std::string fill = " ";
  char align = 0;
  char sign = '-';
  bool alternate = false;
  std::size_t width = 0;
  char group = 0;
  std::optional<int> precision{};
  char type = 0;

  explicit Format(const std::string& text) {
    std::size_t at = 0;
    const auto is_align = [&](std::size_t i) {
      return i < text.size() && std::string_view("<>^=").find(text[i]) != std::string_view::npos;
    };
    if (is_align(1)) {
      fill = text.substr(0, 1);
      align = text[1];
      at = 2;
    } else if (is_align(0)) {
      align = text[0];
      at = 1;
    }
    const auto next = [&](std::string_view letters) -> char {
      if (at == text.size() || letters.find(text[at]) == std::string_view::npos) return 0;
      return text[at++];
    };
    if (const char c = next("+- ")) sign = c;
    alternate = next("#") != 0;
    if (next("0") != 0 && align == 0) {
      fill = "0";
      align = '=';
    }
    const auto number = [&]() -> std::optional<int> {
      int value = 0;
      const std::size_t begin = at;
      for (; at < text.size() && text[at] >= '0' && text[at] <= '9' && at - begin < 4; ++at)
        value = 10 * value + (text[at] - '0');
      return at == begin ? std::nullopt : std::optional(value);
    };
    width = static_cast<std::size_t>(number().value_or(0));
    group = next(",_");
    if (next(".") != 0) {
      precision = number();
      if (!precision)
        misuse(Exception::ValueError, "program", "format specifier missing precision: {}", text);
    }
    if (at + 1 == text.size()) type = text[at++];
    if (at != text.size()) misuse("program", "the format {} is not supported", text);
  }

  [[nodiscard]] std::string padded(std::string body, char standard) const {
    const std::size_t length = body.size();
    if (length >= width) return body;
    const std::size_t room = width - length;
    const auto repeated = [&](std::size_t count) {
      std::string all;
      for (; count > 0; --count) all += fill;
      return all;
    };
    switch (align != 0 ? align : standard) {
      case '<':
        return body + repeated(room);
      case '^':
        return repeated(room / 2) + body + repeated(room - room / 2);
      case '=': {
        const bool has_sign = !body.empty() && (body[0] == '-' || body[0] == '+' || body[0] == ' ');
        const bool has_base = alternate && std::string_view("xXob").find(type) != std::string::npos;
        const std::size_t digits = (has_sign ? 1 : 0) + (has_base && type != 0 ? 2 : 0);
        return body.substr(0, digits) + repeated(room) + body.substr(digits);
      }
      default:
        return repeated(room) + body;
    }
  }

  [[nodiscard]] std::string grouped(std::string digits) const {
    if (group == 0) return digits;
    const std::size_t whole = std::min(digits.find_first_not_of("0123456789"), digits.size());
    for (std::size_t at = whole; at > 3; at -= 3) digits.insert(at - 3, 1, group);
    return digits;
  }

  [[nodiscard]] std::string signed_digits(bool negative, const std::string& digits) const {
    const std::string before = negative ? "-" : sign == '-' ? "" : std::string(1, sign);
    return padded(before + grouped(digits), '>');
  }

  [[nodiscard]] std::string of_integer(std::int64_t value) const {
    if (type != 0 && std::string_view("dbBoxXnc").find(type) == std::string_view::npos)
      return of_real(static_cast<double>(value));
    const std::uint64_t size =
        value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    const char kind = type == 0 || type == 'n' ? 'd' : type;
    if (alternate && kind == 'o') return signed_digits(value < 0, fmt::format("0o{:o}", size));
    return signed_digits(
        value < 0,
        fmt::format(fmt::runtime(fmt::format("{{:{}{}}}", alternate ? "#" : "", kind)), size));
  }

  [[nodiscard]] std::string of_real(double value) const {
    const bool negative = std::signbit(value) && !std::isnan(value);
    const double size = std::abs(value);
    std::string digits;
    if (!std::isfinite(value)) {
      digits = std::isnan(value) ? "nan" : "inf";
      if (type == '%') digits += "%";
    } else if (type == 0 && !precision) {
      digits = python_float(size);
    } else if (type == 0) {
      const int most = std::max(*precision, 1);
      const std::string scientific = fmt::format("{:.{}e}", size, most - 1);
      const int exponent = std::stoi(scientific.substr(scientific.find('e') + 1));
      if (size != 0 && (exponent < -4 || exponent + 1 > most - 1)) {
        digits = fmt::format("{:.{}e}", size, most - 1);
        const std::size_t e = digits.find('e');
        std::string mantissa = digits.substr(0, e);
        if (mantissa.find('.') != std::string::npos)
          mantissa = mantissa.substr(0, mantissa.find_last_not_of("0.") + 1);
        digits = mantissa + digits.substr(e);
      } else {
        digits = fmt::format("{:.{}g}", size, most);
        if (digits.find('.') == std::string::npos) digits += ".0";
      }
    } else if (type == '%') {
      digits = fmt::format("{:.{}f}%", size * 100, precision.value_or(6));
    } else if (std::string_view("fFeEgGn").find(type) != std::string_view::npos) {
      digits =
          fmt::format(fmt::runtime(fmt::format("{{:{}.{}{}}}", alternate ? "#" : "",
                                               precision.value_or(6), type == 'n' ? 'g' : type)),
                      size);
    } else {
      misuse(Exception::ValueError, "program", "Unknown format code '{}' for a float", type);
    }
    return signed_digits(negative, digits);
  }

  [[nodiscard]] std::string of_text(const std::string& text) const {
    if (type != 0 && type != 's')
      misuse(Exception::ValueError, "program", "Unknown format code '{}' for a string", type);
    if (align == '=')
      misuse(Exception::ValueError, "program",
             "'=' alignment not allowed in the format of a string");
    return padded(precision ? text.substr(0, static_cast<std::size_t>(*precision)) : text, '<');
  }
};

}  // namespace

std::string quoted(const std::string& text) {
  const char quote =
      text.find('\'') != std::string::npos && text.find('"') == std::string::npos ? '"' : '\'';
  std::string result(1, quote);
  for (const char c : text) {
    if (c == '\n')
      result += "\\n";
    else if (c == '\t')
      result += "\\t";
    else if (c == '\r')
      result += "\\r";
    else if (static_cast<unsigned char>(c) < ' ' || c == '\x7f')
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else if (c == '\\' || c == quote)
      result += std::string("\\") + c;
    else
      result += c;
  }
  return result + quote;
}

/// The reprs, separated by commas; nothing if one of them is not known.
static std::optional<std::string> joined_reprs(std::span<const Value> items) {
  std::string inside;
  for (const Value& item : items) {
    const auto text = known_repr(item);
    if (!text) return std::nullopt;
    inside += (inside.empty() ? "" : ", ") + *text;
  }
  return inside;
}

/// What Python has in the repr of a dictionary's kin before the dictionary itself.
static std::optional<std::string> start_of_repr(const Dict& dict) {
  if (dict.type == "Counter") return std::string("Counter(");
  if (dict.type != "defaultdict") return dict.type.empty() ? std::optional("") : std::nullopt;
  const auto factory = known_text(dict.standard.empty() ? Value{} : dict.standard[0]);
  return factory ? std::optional("defaultdict(" + *factory + ", ") : std::nullopt;
}

static std::optional<std::string> repr_of_dict(const Dict& dict) {
  const auto start = start_of_repr(dict);
  if (!start) return std::nullopt;
  std::vector<std::size_t> order(dict.keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const bool counts = dict.type == "Counter";
  if (counts)  // the most common first
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return truth_of(known_less(dict.values[b], dict.values[a])) == true;
    });
  std::string inside;
  for (const std::size_t i : order) {
    const auto key = known_repr(dict.keys[i]);
    const auto item = known_repr(dict.values[i]);
    if (!key || !item) return std::nullopt;
    inside += (inside.empty() ? "" : ", ") + *key + ": " + *item;
  }
  if (counts && order.empty()) return "Counter()";
  return *start + "{" + inside + "}" + (start->empty() ? "" : ")");
}

static std::optional<std::string> repr_of_set(const Sequence& set) {
  const bool is_frozen = set.kin == "frozenset";
  if (set.items.empty()) return is_frozen ? "frozenset()" : "set()";
  const auto is_text = [](const Value& item) { return item.as<std::string>() != nullptr; };
  if (set.items.size() > 1 && std::any_of(set.items.begin(), set.items.end(), is_text))
    misuse("print",
           "the order of a set's strings is another one in each run of Python; print sorted(...)");
  const auto inside = joined_reprs(elements_of({set}));
  if (!inside) return std::nullopt;
  return is_frozen ? "frozenset({" + *inside + "})" : "{" + *inside + "}";
}

std::optional<std::string> known_repr(const Value& value) {
  if (const auto* text = value.as<std::string>()) return quoted(*text);
  if (const auto* dict = value.as<Dict>()) return repr_of_dict(*dict);
  const auto* sequence = value.as<Sequence>();
  if (sequence == nullptr) {
    const auto text = known_text(value);
    const auto [before, after] = around_scalar(value);
    return text ? std::optional(before + *text + after) : text;
  }
  if (sequence->is_set) return repr_of_set(*sequence);
  if (sequence->kin == "bytes") return bytes_repr(*sequence);
  const auto inside = joined_reprs({sequence->items.begin(), sequence->items.size()});
  if (!inside) return std::nullopt;
  if (sequence->kin == "deque")
    return "deque([" + *inside + "]" +
           (sequence->most > 0 ? fmt::format(", maxlen={})", sequence->most) : ")");
  if (sequence->list) return "[" + *inside + "]";
  return "(" + *inside + (sequence->items.size() == 1 ? ",)" : ")");
}

/// The text of a run-time number in a field: at its left, if the format does not say where.
static Value placed_text(const Value& value, const std::string& format) {
  if (const auto* object = value.as<ObjectPtr>();
      object != nullptr && (*object)->read().dtype() == DType::Bool)
    return chosen_text();
  const bool is_aligned = std::string_view("<>^").find(format[0]) != std::string_view::npos;
  const std::string width = format.substr(is_aligned ? 1 : 0);
  if (width.find_first_not_of("0123456789") != std::string::npos || width.starts_with('0') ||
      value.as<Text>() != nullptr)
    misuse("program", "the format {} of the text of a run-time number is not supported; >8 is",
           format);
  Text text;
  append(text, value, (is_aligned ? format.substr(0, 1) : "<") + width);
  return simplified(std::move(text));
}

/// NumPy formats a scalar of floats as the float of Python's that it is.
static bool is_formatted_as_double(const Value& value) {
  const auto* object = value.as<ObjectPtr>();
  const bool is_scalar = object != nullptr && !(*object)->is_python() && (*object)->is_scalar() &&
                         (*object)->read().dtype() == DType::Float;
  return (is_scalar || (value.is_numpy && value.is_real())) &&
         joint_width(std::span(&value, 1)) == 32;
}

Value formatted_value(const Value& value, const std::string& conversion,
                      const std::string& format) {
  if (value.as<Ignored>() != nullptr) return value;
  if (conversion.empty() && format.empty() && is_formatted_as_double(value))
    return formatted_value(value.is_real() ? Value{double{static_cast<float>(value.real())}}
                                           : python_number((*value.as<ObjectPtr>())->read()),
                           "", "");
  if (const auto* object = value.as<ObjectPtr>();
      (object != nullptr && !(*object)->shape().empty()) || value.as<NumberList>() != nullptr) {
    if (has_no_text(value) || !format.empty()) return {Ignored{"str() of an array"}};
    Text text;
    append_text(text, value, conversion == "r" || conversion == "a" ? "r" : "s");
    return simplified(std::move(text));
  }
  const bool is_open = value.as<ObjectPtr>() != nullptr || value.as<Affine>() != nullptr ||
                       value.as<Text>() != nullptr;
  if (!is_open) {
    const bool as_repr = conversion == "r" || conversion == "a";
    const auto text = as_repr ? known_repr(value) : known_text(value);
    if (!text && format.empty()) {
      Text made;
      append(made, value, "");
      return simplified(std::move(made));
    }
    if (!text)
      misuse("print", "only strings and numbers can be printed; got {}", value.description());
    const bool is_number = value.is_number() && conversion.empty();
    if (format.empty()) return {*text};
    const Format how(format);
    if (const auto* z = value.as<Complex>(); z != nullptr && conversion.empty()) {
      if (how.width > 0 || how.type == 0)
        misuse("program", "the format {} of a complex number is not supported; .2f is", format);
      const Format with_sign("+" + format);
      return {how.of_real(z->parts[0].real()) + with_sign.of_real(z->parts[1].real()) + "j"};
    }
    if (!is_number) return {how.of_text(*text)};
    return {value.is_real() ? how.of_real(value.real()) : how.of_integer(value.integer(""))};
  }
  Text text;
  if (format.ends_with('%') && value.as<ObjectPtr>() != nullptr) {
    const Format how(format);
    if (how.width != 0 || how.group != 0 || how.sign != '-')
      misuse("program", "the format {} of a run-time number is not supported; .2% is", format);
    const Value times = binary_operator(ast::Operator::Multiply, value, {100.0});
    append(text, times, fmt::format(".{}f", how.precision.value_or(6)));
    text.pieces.push_back({"%", {}});
    return simplified(std::move(text));
  }
  if (!format.empty() && !conversion.empty()) return placed_text(value, format);
  if (!format.empty() && (!is_number_format(format) || value.as<Text>() != nullptr))
    misuse(
        "program",
        "the format {} of a run-time value is not supported; d, g, .4f, 8.3e and similar ones are",
        format);
  if (!format.empty() &&
      std::string_view("dfFeEgG").find(format.back()) == std::string_view::npos &&
      format.find('.') != std::string::npos)
    misuse("program", "the format {} of a run-time number needs a type: {}g", format, format);
  if (format.empty() && conversion == "r")
    append_text(text, value, "r");
  else
    append(text, value, format);
  return simplified(std::move(text));
}

}  // namespace rewriter
