// Python's bytes: tuples of ints of a kind of their own.
#include <algorithm>
#include <cstring>

#include "rewriter/reader/builtins/text_parts.hpp"
#include "rewriter/reader/operators/text.hpp"
#include "rewriter/reader/table/parts.hpp"
#include "rewriter/reader/table/table.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/dtypes.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/unicode.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

constexpr Index kByte = 256;

Value new_bytes(std::string_view held) {
  std::vector<Value> items;
  items.reserve(held.size());
  for (const char c : held) items.push_back({Index{static_cast<unsigned char>(c)}});
  Sequence made{false, std::move(items)};
  made.kin = "bytes";
  return {std::move(made)};
}

const Sequence* as_bytes(const Value& value) {
  const auto* sequence = value.as<Sequence>();
  return sequence != nullptr && sequence->kin == "bytes" ? sequence : nullptr;
}

std::string held_by(const Call& call, const Value& value) {
  const Sequence* bytes = as_bytes(value);
  if (bytes == nullptr) misuse(call.name, "expects bytes; got {}", value.description());
  std::string held;
  for (const Value& item : bytes->items) held += static_cast<char>(item.integer("a byte"));
  return held;
}

enum class Encoding : std::uint8_t { Utf8, Latin1, Ascii };

Encoding encoding_of(const Call& call, const Value* given) {
  const auto* name = given == nullptr ? nullptr : given->as<std::string>();
  std::string word = name == nullptr ? "utf8" : *name;
  std::erase_if(word, [](char c) { return c == '-' || c == '_'; });
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (word == "utf8") return Encoding::Utf8;
  if (word == "latin1" || word == "iso88591") return Encoding::Latin1;
  if (word == "ascii" || word == "usascii") return Encoding::Ascii;
  misuse(call.name, "the encoding must be utf-8, latin-1 or ascii; got {}", word);
}

std::string encoded(const Call& call, const std::string& text, Encoding encoding) {
  if (encoding == Encoding::Utf8) return text;
  std::string held;
  for (std::size_t at = 0; at < text.size();) {
    const Character letter = decode_utf8(text, at);
    if (letter.code >= (encoding == Encoding::Ascii ? 128 : kByte))
      misuse(call.name, "the text has characters that the encoding has not");
    held += static_cast<char>(letter.code);
    at += static_cast<std::size_t>(letter.length);
  }
  return held;
}

Value encoded_text(const Call& call) {
  const auto bound = call.bind();
  const auto* text = bound[0]->as<std::string>();
  if (text == nullptr) misuse(call.name, "expects a string; got {}", bound[0]->description());
  return new_bytes(encoded(call, *text, encoding_of(call, bound[1])));
}

Value decoded(const Call& call) {
  const auto bound = call.bind();
  const std::string held = held_by(call, *bound[0]);
  const Encoding encoding = encoding_of(call, bound[1]);
  std::string text;
  for (std::size_t at = 0; at < held.size();) {
    const Character letter = encoding == Encoding::Utf8
                                 ? decode_utf8(held, at)
                                 : Character{static_cast<unsigned char>(held[at]), 1, true};
    if (!letter.valid || (encoding == Encoding::Ascii && letter.code >= 128))
      throw PythonError("ValueError", call.name, "the bytes are no text in this encoding",
                        {chosen_text()});
    append_utf8(text, letter.code);
    at += static_cast<std::size_t>(letter.length);
  }
  return {text};
}

/// bytes(), bytes(3), bytes([1, 2]), bytes("abc", "utf-8")
Value made_of(const Call& call) {
  const auto bound = call.bind();
  if (bound[0] == nullptr) return new_bytes("");
  if (as_bytes(*bound[0]) != nullptr) return *bound[0];
  if (bound[0]->as<std::string>() != nullptr) {
    if (bound[1] == nullptr)
      throw PythonError("TypeError", call.name, "string argument without an encoding",
                        {{std::string("string argument without an encoding")}});
    return encoded_text(call);
  }
  if (bound[0]->is_integer())
    return new_bytes(std::string(static_cast<std::size_t>(bound[0]->integer("a length")), '\0'));
  std::string held;
  for (const Value& item : elements_of(*bound[0])) {
    const Index number = item.integer("a byte");
    if (number < 0 || number >= kByte)
      throw PythonError("ValueError", call.name, "bytes must be in range(0, 256)",
                        {{std::string("bytes must be in range(0, 256)")}});
    held += static_cast<char>(number);
  }
  return new_bytes(held);
}

/// A method that strings have as well, of letters from 0 to 127.
Value by_text(const Call& call) {
  const auto as_text = [&](const auto& self, const Value& value) -> Value {
    if (as_bytes(value) != nullptr) {
      std::string held = held_by(call, value);
      if (std::any_of(held.begin(), held.end(), [](char c) { return (c & 0x80) != 0; }))
        misuse(call.name, "is supported of bytes from 0 to 127");
      return {std::move(held)};
    }
    if (value.as<Sequence>() == nullptr && value.as<Iteration>() == nullptr) return value;
    std::vector<Value> items;
    for (const Value& item : elements_of(value)) items.push_back(self(self, item));
    return new_sequence(false, std::move(items));
  };
  const auto as_bytes_again = [](const auto& self, const Value& value) -> Value {
    if (const auto* text = value.as<std::string>()) return new_bytes(*text);
    const auto* several = value.as<Sequence>();
    if (several == nullptr) return value;
    std::vector<Value> items;
    for (const Value& item : several->items) items.push_back(self(self, item));
    return new_sequence(several->list, std::move(items));
  };
  Call made = call;
  made.name = "str." + call.name.substr(call.name.rfind('.') + 1);
  for (Value& argument : made.arguments) argument = as_text(as_text, argument);
  return as_bytes_again(as_bytes_again, call_function(made));
}

Value hex_of(const Call& call) {
  std::string text;
  for (const char c : held_by(call, call.values()[0]))
    text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return {text};
}

Value from_hex(const Call& call) {
  const std::vector<Value> values = call.values();
  const auto* given = values[0].as<std::string>();
  std::string digits = given == nullptr ? "?" : *given, held;
  std::erase_if(digits, [](char c) { return c == ' '; });
  const bool fits = digits.size() % 2 == 0 &&
                    digits.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
  if (!fits) misuse(call.name, "expects pairs of hexadecimal digits");
  for (std::size_t i = 0; i < digits.size(); i += 2)
    held += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  return new_bytes(held);
}

bool is_little(const Call& call, const Value* order) {
  const auto* word = order == nullptr ? nullptr : order->as<std::string>();
  if (word != nullptr && *word != "big" && *word != "little")
    misuse(call.name, "byteorder must be either 'little' or 'big'");
  return word != nullptr && *word == "little";
}

Value int_from(const Call& call) {
  const auto bound = call.bind();
  std::string held = held_by(call, as_bytes(*bound[0]) != nullptr
                                       ? *bound[0]
                                       : call_function({"bytes", {*bound[0]}, {}, call.steps}));
  if (is_little(call, bound[1])) std::reverse(held.begin(), held.end());
  const bool is_signed = bound[2] != nullptr && truth_of(*bound[2]) == true;
  constexpr std::size_t kMost = 8;
  if (held.size() > kMost || (held.size() == kMost && !is_signed && (held[0] & 0x80) != 0))
    misuse(call.name, "the number does not fit 64 bits");
  std::uint64_t number =
      is_signed && !held.empty() && (held[0] & 0x80) != 0 ? ~std::uint64_t{0} : 0;
  for (const char c : held) number = (number << 8U) | static_cast<unsigned char>(c);
  return {static_cast<std::int64_t>(number)};
}

Value int_to(const Call& call) {
  const auto bound = call.bind();
  const Index number = bound[0]->integer("a number");
  const Index length = bound[1] == nullptr ? 1 : bound[1]->integer("length");
  const bool is_signed = bound[3] != nullptr && truth_of(*bound[3]) == true;
  const Index bits = 8 * length - (is_signed ? 1 : 0);
  const bool fits = bits >= 63 || (number < (Index{1} << bits) &&
                                   (is_signed ? number >= -(Index{1} << bits) : number >= 0));
  if (!fits || (number < 0 && !is_signed))
    throw PythonError(
        "OverflowError", call.name, "the number does not fit so many bytes",
        {{std::string(number < 0 && !is_signed ? "can't convert negative int to unsigned"
                                               : "int too big to convert")}});
  std::string held;
  for (Index i = 0; i < length; ++i)
    held += static_cast<char>(number >> std::min<Index>(8 * i, 63));
  if (!is_little(call, bound[2])) std::reverse(held.begin(), held.end());
  return new_bytes(held);
}

template <class T>
Value number_at(const std::string& held, std::size_t at) {
  T number{};
  std::memcpy(&number, held.data() + at, sizeof(T));
  if constexpr (std::is_floating_point_v<T>)
    return {static_cast<double>(number)};
  else
    return {static_cast<std::int64_t>(number)};
}

Value number_of_type(const TypeWords& type, const std::string& held, std::size_t at) {
  if (type.name == "uint8") return number_at<std::uint8_t>(held, at);
  if (type.name == "int8") return number_at<std::int8_t>(held, at);
  if (type.name == "uint16") return number_at<std::uint16_t>(held, at);
  if (type.name == "int16") return number_at<std::int16_t>(held, at);
  if (type.name == "uint32") return number_at<std::uint32_t>(held, at);
  if (type.name == "int32") return number_at<std::int32_t>(held, at);
  if (type.name == "int64") return number_at<std::int64_t>(held, at);
  if (type.name == "float32") return number_at<float>(held, at);
  if (type.name == "float64") return number_at<double>(held, at);
  misuse("np.frombuffer", "the type {} is not supported", type.name);
}

Value from_buffer(const Call& call) {
  const auto bound = call.bind();
  const std::string held = held_by(call, *bound[0]);
  const Value type = bound[1] == nullptr ? Value{Function{"np.float64", nullptr}} : *bound[1];
  const TypeWords* words = named_type(type);
  if (words == nullptr) misuse(call.name, "the dtype must be known");
  const auto size = static_cast<std::size_t>(words->bytes);
  const auto offset =
      bound[3] == nullptr ? 0 : static_cast<std::size_t>(bound[3]->integer("offset"));
  const Index count = bound[2] == nullptr ? -1 : bound[2]->integer("count");
  if (offset > held.size() || (count < 0 && (held.size() - offset) % size != 0))
    misuse(call.name, "buffer size must be a multiple of element size");
  const std::size_t most = (held.size() - offset) / size;
  if (count > static_cast<Index>(most)) misuse(call.name, "buffer is smaller than requested size");
  std::vector<Value> numbers;
  for (std::size_t i = 0; i < (count < 0 ? most : static_cast<std::size_t>(count)); ++i)
    numbers.push_back(number_of_type(*words, held, offset + i * size));
  return call_function(
      {"np.array", {new_sequence(true, std::move(numbers))}, {{"dtype", type}}, call.steps});
}

}  // namespace

std::string bytes_repr(const Sequence& bytes) {
  std::string held;
  for (const Value& item : bytes.items) held += static_cast<char>(item.integer("a byte"));
  const char quote =
      held.find('\'') != std::string::npos && held.find('"') == std::string::npos ? '"' : '\'';
  std::string text = std::string("b") + quote;
  for (const char c : held) {
    if (c == '\\' || c == quote)
      text += std::string("\\") + c;
    else if (c == '\n' || c == '\t' || c == '\r')
      text += c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\r";
    else if (c < ' ' || c > '~')
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      text += c;
  }
  return text + quote;
}

std::vector<Row> bytes_rows() {
  std::vector<Row> rows{
      {"bytes", "source=None, encoding=None, errors=None", made_of},
      {"bytes.decode", "self, encoding=None, errors=None", decoded},
      {"bytes.hex", "self", hex_of},
      {"bytes.fromhex", "string", from_hex, kOfType},
      {"str.encode", "self, encoding=None, errors=None", encoded_text},
      {"int.from_bytes", "bytes, byteorder=None, *, signed=False", int_from, kOfType},
      {"int.to_bytes", "self, length=1, byteorder=None, *, signed=False", int_to},
      {"np.frombuffer", "buffer, dtype=None, count=-1, offset=0", from_buffer}};
  for (const std::string_view name :
       {"startswith", "endswith", "find",         "rfind",       "index",     "rindex",
        "count",      "upper",    "lower",        "strip",       "lstrip",    "rstrip",
        "replace",    "split",    "rsplit",       "join",        "title",     "center",
        "ljust",      "rjust",    "zfill",        "isdigit",     "isalpha",   "isalnum",
        "isspace",    "isupper",  "islower",      "splitlines",  "partition", "rpartition",
        "capitalize", "swapcase", "removeprefix", "removesuffix"})
    rows.push_back({fmt::format("bytes.{}", name), "self, *arguments", by_text});
  return rows;
}

}  // namespace rewriter
