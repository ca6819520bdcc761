// The reader: enums whose members are strings, or flags.
#include <algorithm>
#include <bit>
#include <cctype>

#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/interpreter.hpp"
#include "rewriter/reader/walk/objects.hpp"
#include "rewriter/reader/walk/scopes.hpp"

namespace rewriter {

namespace {

std::string lowered(std::string text) {
  for (char& letter : text)
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return text;
}

}  // namespace

/// enum.auto() in the body of the enum: the value that is next, at once, as other members may be
/// combinations of it.
void Interpreter::bind_member(const std::string& name, const Value& value) {
  const Class& type = *scope().enumerated;
  const bool is_next = value.as<Ignored>()->name == "enum.auto()";
  std::int64_t greatest = 0;
  for (const auto& [other, held] : scope().names)
    if (const auto* number = held.as<std::int64_t>(); number != nullptr && !is_attribute(other))
      greatest = std::max(greatest, *number);
  const auto next_bit =
      static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(greatest)) << 1);
  Value made = value;
  if (is_next && type.holds_texts) made = {lowered(name)};
  if (is_next && !type.holds_texts)
    made = {type.is_flag ? std::max<std::int64_t>(next_bit, 1) : greatest + 1};
  scope().names[name] = made;
  note_bound(name);
}

std::int64_t Objects::bits_of(const Value& flag) {
  return attribute(flag, "value")->integer("a flag");
}

std::optional<Value> Objects::flag_of(const ClassPtr& type, std::int64_t bits) {
  const Items& members = type->members.at("__members__").as<Sequence>()->items;
  const auto has_these = [&](const auto& named) {
    return named.second.template as<InstancePtr>() != nullptr &&
           (*named.second.template as<InstancePtr>())->type == type &&
           bits_of(named.second) == bits;
  };
  const auto known = std::find_if(type->members.begin(), type->members.end(), has_these);
  if (known != type->members.end()) return known->second;
  std::string name;
  std::int64_t left = bits;
  for (const Value& each : members) {
    const std::int64_t bit = bits_of(each);
    if ((bits & bit) == 0) continue;
    name += (name.empty() ? "" : "|") + *attribute(each, "name")->as<std::string>();
    left &= ~bit;
  }
  if (left != 0) return std::nullopt;
  Value made = new_object(type, name);
  const InstancePtr& self = *made.as<InstancePtr>();
  if (type->holds_numbers) self->whole = bits;
  set_own(*self, self, "name", name.empty() ? Value{} : Value{name});
  set_own(*self, self, "value", {bits});
  type->members[fmt::format("({})", bits)] = made;
  return made;
}

std::optional<Value> Objects::binary_of_flags(ast::Operator op, const Value& left,
                                              const Value& right) {
  using enum ast::Operator;
  const Instance* a = instance_of(left);
  const Instance* b = instance_of(right);
  if (a == nullptr || b == nullptr || a->type != b->type || !a->type->is_flag) return std::nullopt;
  const std::int64_t x = bits_of(left), y = bits_of(right);
  if (op == In || op == NotIn) return Value{((x & y) == x) == (op == In)};
  if (op == BitOr) return flag_of(a->type, x | y);
  if (op == BitAnd) return flag_of(a->type, x & y);
  if (op == BitXor) return flag_of(a->type, x ^ y);
  return std::nullopt;
}

/// ~flag: all other members.
std::optional<Value> Objects::inverted_flag(const Value& flag) {
  const Instance* self = instance_of(flag);
  if (self == nullptr || !self->type->is_flag || self->type->holds_numbers) return std::nullopt;
  std::int64_t bits = 0;
  for (const Value& each : self->type->members.at("__members__").as<Sequence>()->items)
    bits |= bits_of(each);
  return flag_of(self->type, bits & ~bits_of(flag));
}

}  // namespace rewriter
