#include <algorithm>

#include "rewriter/reader/table.hpp"

namespace rewriter {

using cudamat::misuse;

std::vector<const Value*> Call::bind(const std::vector<std::string_view>& parameters,
                                     std::size_t required) const {
  if (arguments.size() > parameters.size())
    misuse(name, "takes at most {} arguments; got {}", parameters.size(), arguments.size());
  std::vector<const Value*> bound(parameters.size(), nullptr);
  for (std::size_t i = 0; i < arguments.size(); ++i) bound[i] = &arguments[i];
  for (const auto& [keyword, value] : keywords) {
    const auto at = std::find(parameters.begin(), parameters.end(), keyword);
    if (at == parameters.end()) {
      std::vector<std::string_view> takes(parameters.begin() + (name.starts_with('.') ? 1 : 0),
                                          parameters.end());
      std::erase(takes, "out");
      misuse(name, "got an unexpected keyword argument '{}'; here it takes {}", keyword,
             takes.empty() ? "none" : fmt::format("{}", fmt::join(takes, ", ")));
    }
    const Value*& slot = bound[static_cast<std::size_t>(at - parameters.begin())];
    if (slot != nullptr) misuse(name, "got multiple values for argument '{}'", keyword);
    slot = &value;
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (bound[i] != nullptr && bound[i]->is_none()) bound[i] = nullptr;
    if (i < required && bound[i] == nullptr) misuse(name, "needs the argument '{}'", parameters[i]);
  }
  return bound;
}

bool has_word(std::string_view words, std::string_view word) {
  for (std::size_t at = words.find(word); at != std::string_view::npos;
       at = words.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' '))
      return true;
  }
  return false;
}

Value numpy_number(Value number) {
  number.is_numpy = true;
  return number;
}

Array array_argument(const Call& call, const Value* value, std::string_view parameter) {
  return to_array(*value, fmt::format("{}'s argument '{}'", call.name, parameter));
}

bool contiguous(const Value* value) {
  const auto* object = value == nullptr ? nullptr : value->as<ObjectPtr>();
  return object == nullptr || (*object)->contiguous();
}

bool flag(const Value* value) {
  return value != nullptr && value->is_number() && value->real() != 0;
}

std::optional<int> axis_argument(const Call& call, const Value* axis) {
  if (axis == nullptr) return std::nullopt;
  if (axis->as<Sequence>() != nullptr) misuse(call.name, "takes one axis; got a tuple");
  return static_cast<int>(axis->integer(call.name + "'s axis"));
}

Dims dims_of(const Call& call, const Value& shape) {
  const std::string what = fmt::format("an extent of {}'s shape", call.name);
  if (const auto* sequence = shape.as<Sequence>()) {
    Dims dims;
    for (const Value& item : sequence->items) dims.push_back(item.integer(what));
    return dims;
  }
  return {shape.integer(what)};
}

Dims dims_of_rest(const Call& call, std::size_t first) {
  if (!call.keywords.empty())
    misuse(call.name, "got an unexpected keyword argument '{}'", call.keywords[0].first);
  if (call.arguments.size() == first + 1) return dims_of(call, call.arguments[first]);
  Dims dims;
  for (std::size_t i = first; i < call.arguments.size(); ++i)
    dims.push_back(call.arguments[i].integer(fmt::format("an extent of {}'s shape", call.name)));
  return dims;
}

}  // namespace rewriter
