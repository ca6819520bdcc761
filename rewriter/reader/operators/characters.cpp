#include "rewriter/reader/operators/characters.hpp"

#include <algorithm>

#include "rewriter/reader/operators/text.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/known_values.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/text/unicode.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

constexpr Index kNone = -1;  ///< no character

Value with_codes(Value codes) {
  Sequence made{false, {std::move(codes)}};
  made.kin = kCharacters;
  return {std::move(made)};
}

/// The number of the only letter; of other texts that of no character.
Index code_of(const std::string& text) {
  if (text.empty()) return kNone;
  const Character letter = decode_utf8(text, 0);
  return static_cast<std::size_t>(letter.length) == text.size() ? Index{letter.code} : kNone;
}

/// The text, if the one character is known.
std::optional<Value> known_letter(const Value& code) {
  std::optional<Index> number;
  if (code.is_integer() && code.as<Affine>() == nullptr) number = code.integer("a character");
  if (const auto* object = code.as<ObjectPtr>(); object != nullptr && (*object)->shape().empty())
    if (const auto known = known_values((*object)->read().node()))
      number = static_cast<Index>(known->data[0]);
  if (!number) return std::nullopt;
  std::string text;
  append_utf8(text, static_cast<char32_t>(*number));
  return Value{std::move(text)};
}

/// What has these codes: a text where it is one that is known.
Value from_codes(const Value& codes) {
  if (auto letter = known_letter(codes)) return *std::move(letter);
  return with_codes(codes);
}

/// The codes of what is combined with characters; nothing of what is no text.
std::optional<Value> codes_beside(const Value& value) {
  if (const Value* codes = codes_of(value)) return *codes;
  if (const auto* text = value.as<std::string>()) return Value{code_of(*text)};
  if (const auto made = characters_of(value)) return *codes_of(*made);
  return std::nullopt;
}

/// The texts of an array whose characters are known, in lists.
Value listed(const Value& codes) {
  if (auto letter = known_letter(codes)) return *std::move(letter);
  if (!iteration_length(codes)) misuse("tolist", "the characters are known only at run time");
  std::vector<Value> items;
  for (const Value& item : elements_of(codes)) items.push_back(listed(item));
  return new_sequence(true, std::move(items));
}

void add_codes(const Value& list, std::size_t depth, Dims& dims, std::vector<double>& codes,
               bool& fits) {
  const auto* items = list.as<Sequence>();
  if (items == nullptr || items->is_set || !items->kin.empty()) {
    const auto* text = list.as<std::string>();
    const Index code = text == nullptr ? kNone : code_of(*text);
    fits = fits && code != kNone && depth == dims.size();
    codes.push_back(static_cast<double>(code));
    return;
  }
  const Index length = std::ssize(items->items);
  if (codes.empty() && depth == dims.size()) dims.push_back(length);
  fits = fits && depth < dims.size() && dims[depth] == length && length > 0;
  for (const Value& item : items->items)
    if (fits) add_codes(item, depth + 1, dims, codes, fits);
}

}  // namespace

std::optional<Value> characters_of(const Value& list) {
  if (list.as<Sequence>() == nullptr) return std::nullopt;
  Dims dims;
  std::vector<double> codes;
  bool fits = true;
  add_codes(list, 0, dims, codes, fits);
  if (!fits || dims.empty()) return std::nullopt;
  return with_codes(new_array(written_out({dims, codes}, DType::Int)));
}

std::optional<Value> characters_operator(ast::Operator op, const Value& left, const Value& right) {
  using enum ast::Operator;
  if (codes_of(left) == nullptr && codes_of(right) == nullptr) return std::nullopt;
  const auto a = codes_beside(left), b = codes_beside(right);
  if ((op == In || op == NotIn) && a && codes_of(right) != nullptr) {
    std::vector<NodePtr> steps;
    const Value found =
        call_function({"np.any", {binary_operator(Equal, *codes_of(right), *a)}, {}, steps});
    return op == In ? found : unary_operator(Not, found);
  }
  if (a && b && op >= Less && op <= NotEqual) return binary_operator(op, *a, *b);
  if (op == In || op == NotIn) return std::nullopt;
  misuse("program", "'{}' of an array of characters and {} is not supported", ast::spelling(op),
         (codes_of(left) != nullptr ? right : left).description());
}

Value characters_item(const Value& array, const std::vector<Value>& index) {
  return from_codes(subscript(*codes_of(array), index));
}

void assign_characters(const Value& array, const std::vector<Value>& index, const Value& value) {
  const auto codes = codes_beside(value);
  if (!codes || (codes->is_integer() && codes->integer("a character") == kNone))
    misuse("assignment", "an array of characters takes texts of one letter; got {}",
           value.description());
  assign_subscript(*codes_of(array), index, *codes);
}

std::optional<Value> characters_call(const Call& call) {
  const bool makes = call.name == "np.array" || call.name == "np.asarray";
  if (makes && call.arguments.size() == 1 && codes_of(call.arguments[0]) == nullptr)
    return characters_of(call.arguments[0]);
  const auto holds = [](const Value& value) {
    const auto* several = value.as<Sequence>();
    return codes_of(value) != nullptr ||
           (several != nullptr &&
            std::any_of(several->items.begin(), several->items.end(),
                        [](const Value& each) { return codes_of(each) != nullptr; }));
  };
  const bool is_numpys = call.name.starts_with("np.") || call.name.starts_with('.');
  if (call.name == "len" && call.arguments.size() == 1 && codes_of(call.arguments[0]) != nullptr)
    return call_function({"len", {*codes_of(call.arguments[0])}, {}, call.steps});
  if (!is_numpys || std::none_of(call.arguments.begin(), call.arguments.end(), holds))
    return std::nullopt;
  const std::string_view name = std::string_view(call.name).substr(call.name.rfind('.') + 1);
  if (name == "tolist") return listed(*codes_of(call.arguments[0]));
  constexpr std::string_view kOfCodes = "shape size ndim array_equal argsort";
  constexpr std::string_view kMoving =
      "array asarray copy ravel flatten reshape transpose T swapaxes rot90 flip fliplr flipud roll "
      "tile repeat concatenate vstack hstack stack squeeze expand_dims where full_like sort unique "
      "take delete diagonal diag pad append insert atleast_2d column_stack";
  if (!has_word(kOfCodes, name) && !has_word(kMoving, name))
    misuse(call.name, "of an array of characters is not supported; compare it with a character");
  Call made = call;
  const auto replace = [](const auto& self, Value& value) -> void {
    if (const auto codes = codes_beside(value)) {
      value = *codes;
    } else if (const auto* several = value.as<Sequence>(); several != nullptr) {
      std::vector<Value> items(several->items.begin(), several->items.end());
      for (Value& item : items) self(self, item);
      value = new_sequence(several->list, std::move(items));
    }
  };
  for (Value& argument : made.arguments) replace(replace, argument);
  for (auto& [keyword, argument] : made.keywords)
    if (keyword == "constant_values" || keyword == "fill_value") replace(replace, argument);
  Value result = call_function(made);
  if (has_word(kOfCodes, name)) return result;
  const auto* several = result.as<Sequence>();
  if (several == nullptr) return from_codes(result);
  std::vector<Value> parts(several->items.begin(), several->items.end());
  parts[0] = from_codes(parts[0]);  // of np.unique; the others are places and counts
  return new_sequence(several->list, std::move(parts));
}

std::optional<Value> characters_attribute(const Value& array, const std::string& name) {
  const Value* codes = codes_of(array);
  if (codes == nullptr) return std::nullopt;
  if (auto value = array_attribute(*codes, name)) {
    if (name == "T") return from_codes(*value);
    if (has_word("shape size ndim", name)) return value;
    misuse("program", "the attribute {} of an array of characters is not supported", name);
  }
  return Value{Method{"." + name, Items({array})}};
}

}  // namespace rewriter
