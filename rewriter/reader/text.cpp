// Texts: Python's str(), `+` and `%` of texts, and print.
#include <algorithm>

#include "rewriter/expr/build.hpp"
#include "rewriter/expr/text_format.hpp"
#include "rewriter/reader/table.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

/// The text of a value that is known when the program is read; nothing of others.
std::optional<std::string> known_text(const Value& value) {
  if (const auto* text = value.as<std::string>()) return *text;
  if (const auto* flag = value.as<bool>()) return *flag ? "True" : "False";
  if (const auto* whole = value.as<std::int64_t>()) return fmt::format("{}", *whole);
  if (const auto* real = value.as<double>()) return python_float(*real);
  if (value.is_none()) return "None";
  const auto* sequence = value.as<Sequence>();
  if (sequence == nullptr) return std::nullopt;
  std::string inside;
  for (const Value& item : sequence->items) {
    const auto text = known_text(item);
    if (!text || item.as<std::string>() != nullptr) return std::nullopt;
    inside += (inside.empty() ? "" : ", ") + *text;
  }
  if (sequence->list) return "[" + inside + "]";
  return "(" + inside + (sequence->items.size() == 1 ? ",)" : ")");
}

Value simplified(Text text) {
  std::string known;
  for (const Text::Piece& piece : text.pieces) {
    if (piece.number.index() != 0) return {std::move(text)};
    known += piece.text;
  }
  return {known};
}

void append(Text& text, const Value& value, const std::string& format) {
  if (const auto* other = value.as<Text>()) {
    text.pieces.insert(text.pieces.end(), other->pieces.begin(), other->pieces.end());
  } else if (const auto* integer = value.as<Affine>()) {
    text.pieces.push_back({format, *integer});
  } else if (const auto* object = value.as<ObjectPtr>()) {
    if (!(*object)->shape().empty())
      misuse("print",
             "texts and numbers can be printed here; got {}. symdump --run shows every output",
             value.description());
    text.pieces.push_back({format, *object});
  } else if (const auto known = known_text(value)) {
    const bool plain = format.empty() || !value.is_number();
    text.pieces.push_back({plain             ? *known
                           : value.is_real() ? format_number(value.real(), DType::Float, format)
                                             : format_integer(value.integer(""), format),
                           {}});
  } else {
    misuse("print", "texts and numbers can be printed here; got {}", value.description());
  }
}

Value python_str(const Call& call) {
  Text text;
  append(text, *call.bind({"object"}, 1)[0], "");
  return simplified(std::move(text));
}

Value python_print(const Call& call) {
  std::string separator = " ";
  std::string end = "\n";
  for (const auto& [keyword, value] : call.keywords) {
    const auto* text = value.as<std::string>();
    if (keyword == "flush") continue;
    if ((keyword != "sep" && keyword != "end") || text == nullptr)
      misuse("print", "takes the keywords sep and end here, which are texts; got {}", keyword);
    (keyword == "sep" ? separator : end) = *text;
  }
  Text text;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    if (i > 0) text.pieces.push_back({separator, {}});
    append(text, call.arguments[i], "");
  }
  text.pieces.push_back({end, {}});
  std::vector<NodePtr> elements;
  std::vector<TextPart> parts;
  for (const Text::Piece& piece : text.pieces) {
    TextPart part{.kind = TextPart::Kind::Text, .text = piece.text};
    if (const auto* integer = std::get_if<Affine>(&piece.number)) {
      part.kind = TextPart::Kind::Integer;
      part.integer = *integer;
    } else if (const auto* object = std::get_if<ObjectPtr>(&piece.number)) {
      const NodePtr node = (*object)->read().node();
      part.kind = TextPart::Kind::Element;
      part.dtype = node->dtype == DType::Narrow ? DType::Int : node->dtype;
      part.element = elements.size();
      elements.push_back(node);
    } else if (piece.text.empty()) {
      continue;
    } else if (!parts.empty() && parts.back().kind == TextPart::Kind::Text) {
      parts.back().text += piece.text;
      continue;
    }
    parts.push_back(std::move(part));
  }
  const auto node = detail::make_node("print", Kind::Print, DType::Float, {}, std::move(elements));
  node->parts = std::move(parts);
  call.steps.push_back(node);
  return {};
}

}  // namespace

Value joined_texts(const Value& left, const Value& right) {
  const auto is_text = [](const Value& value) {
    return value.as<std::string>() != nullptr || value.as<Text>() != nullptr;
  };
  if (!is_text(left) || !is_text(right))
    misuse("program", "'+' joins texts; got {} and {}; str(number) makes a text",
           left.description(), right.description());
  Text text;
  append(text, left, "");
  append(text, right, "");
  return simplified(std::move(text));
}

Value formatted_text(const std::string& format, const Value& values) {
  const auto* tuple = values.as<Sequence>();
  const bool several = tuple != nullptr && !tuple->list;
  Text text;
  std::size_t used = 0;
  for (std::size_t i = 0; i < format.size();) {
    if (format[i] != '%') {
      const std::size_t next = std::min(format.find('%', i), format.size());
      text.pieces.push_back({format.substr(i, next - i), {}});
      i = next;
      continue;
    }
    const std::size_t type =
        std::min(format.find_first_not_of("+- .0123456789", i + 1), format.size() - 1);
    std::string how = format.substr(i + 1, type - i);
    i = type + 1;
    if (how == "%") {
      text.pieces.push_back({"%", {}});
      continue;
    }
    if (how.starts_with('-')) how[0] = '<';
    if (how.ends_with('i')) how.back() = 'd';
    if (how == "s" || how == "r") how.clear();
    if (!is_number_format(how))
      misuse("program", "the format %{} is outside of this notation; %s, %d, %g, %.4f are in it",
             format.substr(type - how.size() + 1, how.size()));
    const std::size_t count = several ? tuple->items.size() : 1;
    if (used == count) misuse("program", "not enough values for the format; got {}", count);
    append(text, several ? tuple->items[used] : values, how);
    ++used;
  }
  if (several ? used != tuple->items.size() : used == 0)
    misuse("program", "not all values are used by the format");
  return simplified(std::move(text));
}

void enter_texts(Table& table) {
  enter(table, "str", python_str);
  enter(table, "print", python_print);
}

}  // namespace rewriter
