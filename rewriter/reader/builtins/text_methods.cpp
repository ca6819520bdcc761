// Methods of strings, by the names that Python's type has for them. A string is UTF-8: methods for
// which the number or the case of letters matters raise an error for others than ASCII.
#include <algorithm>
#include <cctype>

#include "rewriter/reader/builtins/text_parts.hpp"
#include "rewriter/reader/operators/text.hpp"
#include "rewriter/reader/table/parts.hpp"
#include "rewriter/reader/table/table.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/exceptions.hpp"
#include "rewriter/text/unicode.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

constexpr std::string_view kBlanks = " \t\n\r\f\v\x1c\x1d\x1e\x1f";
constexpr auto npos = std::string::npos;

const std::string& text_of(const Call& call, const Value& value) {
  const auto* text = value.as<std::string>();
  if (text == nullptr) misuse(call.name, "expects a string that is known when the program is read");
  return *text;
}

const std::string& ascii_of(const Call& call, const Value& value) {
  const std::string& text = text_of(call, value);
  if (std::any_of(text.begin(), text.end(), [](char c) { return (c & 0x80) != 0; }))
    misuse(call.name, "of letters that are not ASCII is not supported: '{}'", text);
  return text;
}

/// Whether Python may find blanks or ends of lines in it that are not ASCII.
void refuse_other_blanks(const Call& call, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const Character c = decode_utf8(text, at);
    at += static_cast<std::size_t>(c.length);
    if (c.code == 0x85 || c.code == 0xa0 || c.code == 0x1680 || c.code == 0x3000 ||
        (c.code >= 0x2000 && c.code <= 0x205f))
      misuse(call.name, "of blanks that are not ASCII is not supported");
  }
}

// ---- letters ----

/// Each letter by what `change` makes of it and the one before it; 0 is none.
Value letters_changed(const Call& call, int (*change)(int, int)) {
  std::string result = ascii_of(call, call.values()[0]);
  int before = 0;
  for (char& c : result) {
    const int old = static_cast<unsigned char>(c);
    c = static_cast<char>(change(old, before));
    before = old;
  }
  return {std::move(result)};
}

int upper(int c, int /*before*/) {
  return std::toupper(c);
}
int lower(int c, int /*before*/) {
  return std::tolower(c);
}
int swapped(int c, int /*before*/) {
  return std::isupper(c) != 0 ? std::tolower(c) : std::toupper(c);
}
int as_title(int c, int before) {
  return std::isalpha(before) != 0 ? std::tolower(c) : std::toupper(c);
}
int as_capital(int c, int before) {
  return before != 0 ? std::tolower(c) : std::toupper(c);
}

/// Whether there is a letter, and all are of that kind.
Value consists_of(const Call& call, int (*is_kind)(int)) {
  const std::vector<Value> given = call.values();
  const std::string& text = ascii_of(call, given[0]);
  return {!text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return is_kind(static_cast<unsigned char>(c)) != 0;
  })};
}

int is_blank(int c) {
  return c != 0 && kBlanks.find(static_cast<char>(c)) != npos ? 1 : 0;
}

Value is_ascii(const Call& call) {
  const std::vector<Value> given = call.values();
  const std::string& text = text_of(call, given[0]);
  return {std::none_of(text.begin(), text.end(), [](char c) { return (c & 0x80) != 0; })};
}

Value is_printable(const Call& call) {
  const std::vector<Value> given = call.values();
  const std::string& text = ascii_of(call, given[0]);
  return {std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; })};
}

/// Whether it has letters of this case, and none of the other.
Value has_case(const Call& call, int (*is_case)(int), int (*is_other)(int)) {
  const std::vector<Value> given = call.values();
  const std::string& text = ascii_of(call, given[0]);
  const auto any = [&](int (*is_kind)(int)) {
    return std::any_of(text.begin(), text.end(),
                       [&](char c) { return is_kind(static_cast<unsigned char>(c)) != 0; });
  };
  return {any(is_case) && !any(is_other)};
}

Value is_title(const Call& call) {
  const std::vector<Value> given = call.values();
  const std::string& text = ascii_of(call, given[0]);
  bool any = false;
  int before = 0;
  for (const char letter : text) {
    const int c = static_cast<unsigned char>(letter);
    if (std::isalpha(c) != 0 && (std::isupper(c) != 0) == (std::isalpha(before) != 0))
      return {false};
    any = any || std::isalpha(c) != 0;
    before = c;
  }
  return {any};
}

Value is_identifier(const Call& call) {
  const std::vector<Value> given = call.values();
  const std::string& text = ascii_of(call, given[0]);
  const auto fits = [](char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)); };
  return {!text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
          std::all_of(text.begin(), text.end(), fits)};
}

// ---- room ----

/// Where a text is in what is padded to a width.
enum class Side : std::uint8_t { Left, Middle, Right };
Value padded(const Call& call, Side side) {
  const std::vector<Value> given = call.values();
  const std::string& text = ascii_of(call, given[0]);
  const std::string& fill = ascii_of(call, given[2]);
  if (fill.size() != 1)
    misuse(Exception::TypeError, call.name,
           "The fill character must be exactly one character long");
  const Index wanted = given[1].integer("the width");
  const auto room = static_cast<std::size_t>(std::max<Index>(wanted - std::ssize(text), 0));
  const std::size_t middle = room / 2 + (room & (text.size() + room) & 1);
  const std::size_t left = side == Side::Left ? 0 : side == Side::Right ? room : middle;
  return {std::string(left, fill[0]) + text + std::string(room - left, fill[0])};
}

/// Zeros after the sign.
Value filled(const Call& call) {
  const std::vector<Value> given = call.values();
  std::string text = ascii_of(call, given[0]);
  const Index room = given[1].integer("the width") - std::ssize(text);
  const bool is_signed = !text.empty() && (text[0] == '+' || text[0] == '-');
  if (room > 0) text.insert(is_signed ? 1 : 0, static_cast<std::size_t>(room), '0');
  return {std::move(text)};
}

Value expanded(const Call& call) {
  const std::vector<Value> given = call.values();
  const Index size = given[1].integer("the size of tabs");
  std::string result;
  Index column = 0;
  for (const char c : ascii_of(call, given[0])) {
    if (c == '\t') {
      const Index room = size > 0 ? size - column % size : 0;
      result.append(static_cast<std::size_t>(room), ' ');
      column += room;
      continue;
    }
    result += c;
    column = c == '\n' || c == '\r' ? 0 : column + 1;
  }
  return {std::move(result)};
}

Value stripped(const Call& call, bool left, bool right) {
  const std::vector<Value> given = call.values();
  const std::string& text = text_of(call, given[0]);
  if (given[1].is_none()) refuse_other_blanks(call, text);
  const std::string blanks(given[1].is_none() ? kBlanks : ascii_of(call, given[1]));
  const std::size_t begin = left ? text.find_first_not_of(blanks) : 0;
  const std::size_t end = right ? text.find_last_not_of(blanks) + 1 : text.size();
  return {begin == npos || end < begin ? std::string() : text.substr(begin, end - begin)};
}

// ---- parts ----

/// Of the text that is searched: [begin, end) by start= and end=. Nothing where start= is after it.
struct Searched {
  std::string_view text;
  std::size_t begin = 0;
};
std::optional<Searched> searched(const Call& call, const std::vector<Value>& given) {
  if (given[2].is_none() && given[3].is_none()) return Searched{text_of(call, given[0])};
  const std::string& text = ascii_of(call, given[0]);
  const Index size = std::ssize(text);
  const auto place = [&](const Value& bound, Index standard) {
    const Index at = bound.is_none() ? standard : bound.integer("a place in a string");
    return std::max<Index>(at < 0 ? at + size : at, 0);
  };
  const Index begin = place(given[2], 0), end = std::min(place(given[3], size), size);
  if (begin > size || end < begin) return std::nullopt;
  const std::string_view all = text;
  return Searched{
      all.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)),
      static_cast<std::size_t>(begin)};
}

/// find and index, or from the right.
Value found_text(const Call& call, bool from_right, bool must_be_there) {
  const std::vector<Value> given = call.values();
  (void)ascii_of(call, given[0]);
  const std::string& wanted = text_of(call, given[1]);
  const auto part = searched(call, given);
  const std::size_t at = !part        ? npos
                         : from_right ? part->text.rfind(wanted)
                                      : part->text.find(wanted);
  if (at == npos && must_be_there)
    throw PythonError("ValueError", call.name, "substring not found");
  return {at == npos ? Index{-1} : static_cast<Index>(at + part->begin)};
}

Value counted_text(const Call& call) {
  const std::vector<Value> given = call.values();
  const std::string& wanted = text_of(call, given[1]);
  const auto part = searched(call, given);
  if (!part) return {Index{0}};
  if (wanted.empty()) {
    (void)ascii_of(call, given[0]);
    return {std::ssize(part->text) + 1};
  }
  Index count = 0;
  for (std::size_t at = part->text.find(wanted); at != npos;
       at = part->text.find(wanted, at + wanted.size()))
    ++count;
  return {count};
}

/// startswith and endswith, of a string or one of a tuple of them.
Value has_end(const Call& call, bool first) {
  const std::vector<Value> given = call.values();
  const auto part = searched(call, given);
  std::vector<Value> wanted{given[1]};
  if (const auto* several = given[1].as<Sequence>())
    wanted.assign(several->items.begin(), several->items.end());
  return {part && std::any_of(wanted.begin(), wanted.end(), [&](const Value& each) {
            const std::string& text = text_of(call, each);
            return first ? part->text.starts_with(text) : part->text.ends_with(text);
          })};
}

Value without_end(const Call& call, bool first) {
  const std::vector<Value> given = call.values();
  std::string text = text_of(call, given[0]);
  const std::string& end = text_of(call, given[1]);
  if (first && text.starts_with(end)) return {text.substr(end.size())};
  if (!first && text.ends_with(end)) text.resize(text.size() - end.size());
  return {std::move(text)};
}

Value text_replaced(const Call& call) {
  const std::vector<Value> given = call.values();
  const std::string& from = text_of(call, given[1]);
  const std::string& text = from.empty() ? ascii_of(call, given[0]) : text_of(call, given[0]);
  const std::string& to = text_of(call, given[2]);
  Index left = given[3].integer("how often");
  if (left < 0) left = std::numeric_limits<Index>::max();
  std::string result;
  for (std::size_t at = 0;;) {
    const std::size_t next = left-- > 0 ? text.find(from, at) : npos;
    if (next == npos) return {result + text.substr(at)};
    result += text.substr(at, next - at) + to;
    at = next + from.size();
    if (!from.empty()) continue;
    if (at == text.size()) return {result};
    result += text[at++];
  }
}

Value text_list(std::vector<std::string> texts) {
  std::vector<Value> values;
  for (std::string& each : texts) values.push_back({std::move(each)});
  return new_sequence(true, std::move(values));
}

/// split and rsplit.
Value split_text(const Call& call, bool from_right) {
  const std::vector<Value> given = call.values();
  std::string text = text_of(call, given[0]);
  Index most = given[2].integer("maxsplit");
  if (most < 0) most = std::numeric_limits<Index>::max();
  const bool blanks = given[1].is_none();
  if (blanks) refuse_other_blanks(call, text);
  std::string between = blanks ? std::string() : text_of(call, given[1]);
  if (!blanks && between.empty()) throw PythonError("ValueError", call.name, "empty separator");
  if (from_right) {  // as split_text() of the text from right to left
    std::reverse(text.begin(), text.end());
    std::reverse(between.begin(), between.end());
  }
  std::vector<std::string> parts;
  std::size_t at = blanks ? std::min(text.find_first_not_of(kBlanks), text.size()) : 0;
  while (!blanks || at < text.size()) {
    const bool is_last = std::ssize(parts) >= most;
    const std::size_t next = is_last  ? npos
                             : blanks ? text.find_first_of(kBlanks, at)
                                      : text.find(between, at);
    const std::size_t end = std::min(next, text.size());
    parts.push_back(text.substr(at, end - at));
    if (next == npos) break;
    at = blanks ? std::min(text.find_first_not_of(kBlanks, next), text.size())
                : next + between.size();
  }
  if (from_right) {
    std::reverse(parts.begin(), parts.end());
    for (std::string& part : parts) std::reverse(part.begin(), part.end());
  }
  return text_list(std::move(parts));
}

Value parted(const Call& call, bool from_right) {
  const std::vector<Value> given = call.values();
  const std::string& text = text_of(call, given[0]);
  const std::string& between = text_of(call, given[1]);
  if (between.empty()) throw PythonError("ValueError", call.name, "empty separator");
  const std::size_t at = from_right ? text.rfind(between) : text.find(between);
  const std::string none;
  if (at == npos)
    return new_sequence(false, {{from_right ? none : text}, {none}, {from_right ? text : none}});
  return new_sequence(false, {{text.substr(0, at)}, {between}, {text.substr(at + between.size())}});
}

Value lines_of(const Call& call) {
  const std::vector<Value> given = call.values();
  const std::string& text = text_of(call, given[0]);
  refuse_other_blanks(call, text);
  const bool keeps = truth_of(given[1]) == true;
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of("\n\r\v\f\x1c\x1d\x1e", at), text.size());
    const std::size_t next =
        std::min(end + (text.compare(end, 2, "\r\n") == 0 ? 2 : 1), text.size());
    lines.push_back(text.substr(at, (keeps ? next : end) - at));
    at = next;
  }
  return text_list(std::move(lines));
}

Value text_joined(const Call& call) {
  const std::vector<Value> given = call.values();
  Value result{std::string()};
  bool first = true;
  for (const Value& each : elements_of(given[1])) {
    const Value item = whole_of(each);
    if (!first) result = joined_texts(result, given[0]);
    if (!is_text(item) && item.as<Ignored>() == nullptr)
      throw PythonError("TypeError", call.name,
                        fmt::format("expects strings; got {}", item.description()));
    result = joined_texts(result, item);
    first = false;
  }
  return result;
}

// ---- translations and formats ----

/// A table of what stands for letters: by their codes.
Value translation(const Call& call) {
  const std::vector<Value> given = call.values();
  Dict table;
  const auto code = [&](char c) { return Value{static_cast<std::int64_t>(c)}; };
  if (given[1].is_none()) {
    const auto* dict = given[0].as<Dict>();
    if (dict == nullptr) misuse(call.name, "takes a dictionary or strings of the same length");
    for (std::size_t i = 0; i < dict->keys.size(); ++i) {
      const auto* letter = dict->keys[i].as<std::string>();
      if (letter != nullptr && ascii_of(call, dict->keys[i]).size() != 1)
        misuse(Exception::ValueError, call.name,
               "string keys in translate table must be of length 1");
      set_key(table, letter != nullptr ? code((*letter)[0]) : dict->keys[i], dict->values[i]);
    }
    return {std::move(table)};
  }
  const std::string& from = ascii_of(call, given[0]);
  const std::string& to = ascii_of(call, given[1]);
  if (from.size() != to.size())
    throw PythonError("ValueError", call.name,
                      "the first two maketrans arguments must have equal length");
  for (std::size_t i = 0; i < from.size(); ++i) set_key(table, code(from[i]), code(to[i]));
  if (!given[2].is_none())
    for (const char c : ascii_of(call, given[2])) set_key(table, code(c), Value{});
  return {std::move(table)};
}

Value translated(const Call& call) {
  const std::vector<Value> given = call.values();
  const auto* table = given[1].as<Dict>();
  if (table == nullptr) misuse(call.name, "takes what str.maketrans makes");
  std::string result;
  for (const char c : ascii_of(call, given[0])) {
    const Value* found = find_key(*table, {static_cast<std::int64_t>(c)});
    if (found == nullptr)
      result += c;
    else if (const auto* text = found->as<std::string>())
      result += *text;
    else if (!found->is_none())
      append_utf8(result, static_cast<char32_t>(found->integer("the code of a letter")));
  }
  return {std::move(result)};
}

Value text_format(const Call& call) {
  Call fields = call;
  fields.arguments.erase(fields.arguments.begin());
  return formatted_by_braces(text_of(call, call.arguments.at(0)), fields);
}

Value text_format_map(const Call& call) {
  const std::vector<Value> given = call.values();
  Call fields{call.name, {}, {}, call.steps, nullptr, call.caller};
  const Dict items = dict_of(given[1]);
  for (std::size_t i = 0; i < items.keys.size(); ++i)
    if (const auto* name = items.keys[i].as<std::string>())
      fields.keywords.emplace_back(*name, items.values[i]);
  return formatted_by_braces(text_of(call, given[0]), fields);
}

}  // namespace

void enter_text_methods(FunctionTable& table) {
  const char* const by_width = "self, width, fillchar=' '";
  const char* const by_place = "self, sub, start=None, end=None";
  using Is = int (*)(int);
  enter(table, Topic::Method,
        {{"str.title", "self", with(letters_changed, as_title)},
         {"str.capitalize", "self", with(letters_changed, as_capital)},
         {"str.upper", "self", with(letters_changed, upper)},
         {"str.lower str.casefold", "self", with(letters_changed, lower)},
         {"str.swapcase", "self", with(letters_changed, swapped)},
         {"str.isalpha", "self", with(consists_of, Is{std::isalpha})},
         {"str.isalnum", "self", with(consists_of, Is{std::isalnum})},
         {"str.isdigit str.isdecimal str.isnumeric", "self", with(consists_of, Is{std::isdigit})},
         {"str.isspace", "self", with(consists_of, is_blank)},
         {"str.isascii", "self", is_ascii},
         {"str.isprintable", "self", is_printable},
         {"str.isupper", "self", with(has_case, Is{std::isupper}, Is{std::islower})},
         {"str.islower", "self", with(has_case, Is{std::islower}, Is{std::isupper})},
         {"str.istitle", "self", is_title},
         {"str.isidentifier", "self", is_identifier},
         {"str.ljust", by_width, with(padded, Side::Left)},
         {"str.rjust", by_width, with(padded, Side::Right)},
         {"str.center", by_width, with(padded, Side::Middle)},
         {"str.zfill", "self, width", filled},
         {"str.expandtabs", "self, tabsize=8", expanded},
         {"str.strip", "self, chars=None", with(stripped, true, true)},
         {"str.lstrip", "self, chars=None", with(stripped, true, false)},
         {"str.rstrip", "self, chars=None", with(stripped, false, true)},
         {"str.find", by_place, with(found_text, false, false)},
         {"str.rfind", by_place, with(found_text, true, false)},
         {"str.index", by_place, with(found_text, false, true)},
         {"str.rindex", by_place, with(found_text, true, true)},
         {"str.count", by_place, counted_text},
         {"str.startswith", "self, prefix, start=None, end=None", with(has_end, true)},
         {"str.endswith", "self, suffix, start=None, end=None", with(has_end, false)},
         {"str.removeprefix", "self, prefix", with(without_end, true)},
         {"str.removesuffix", "self, suffix", with(without_end, false)},
         {"str.replace", "self, old, new, count=-1", text_replaced},
         {"str.split", "self, sep=None, maxsplit=-1", with(split_text, false)},
         {"str.rsplit", "self, sep=None, maxsplit=-1", with(split_text, true)},
         {"str.partition", "self, sep", with(parted, false)},
         {"str.rpartition", "self, sep", with(parted, true)},
         {"str.splitlines", "self, keepends=False", lines_of},
         {"str.join", "self, iterable", text_joined},
         {"str.maketrans", "x, y=None, z=None", translation, kOfType},
         {"str.translate", "self, table", translated},
         {"str.format", "self, *args, **keywords", text_format},
         {"str.format_map", "self, mapping", text_format_map}});
  enter(table, Topic::Method, bytes_rows());
}

}  // namespace rewriter
