#include "cudamat/kernels/signature.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "cudamat/error.hpp"

namespace cudamat::kernels {
namespace {

constexpr std::pair<const char*, Scalar> kTypes[] = {
    {"bool", Scalar::Bool},        {"char", Scalar::Int8},
    {"signed char", Scalar::Int8}, {"unsigned char", Scalar::UInt8},
    {"short", Scalar::Int16},      {"unsigned short", Scalar::UInt16},
    {"int", Scalar::Int32},        {"unsigned int", Scalar::UInt32},
    {"long", Scalar::Int64},       {"unsigned long", Scalar::UInt64},
    {"long long", Scalar::Int64},  {"unsigned long long", Scalar::UInt64},
    {"float", Scalar::Float32},    {"double", Scalar::Float64},
};

/// Takes a word from the end.
bool drop(std::string& text, const std::string& word) {
  if (!text.ends_with(word)) return false;
  text.erase(text.size() - word.size());
  while (text.ends_with(' ')) text.pop_back();
  return true;
}

KernelParameter parameter_of(const std::string& text) {
  KernelParameter parameter;
  parameter.text = text;
  std::string rest = text;
  while (drop(rest, " const") || drop(rest, "__restrict__") || drop(rest, "__restrict")) {
  }
  parameter.is_pointer = drop(rest, "*");
  if (parameter.is_pointer)
    while (drop(rest, " volatile") || drop(rest, " const"))
      parameter.is_const = text.find("const") != std::string::npos;
  const auto known =
      std::ranges::find_if(kTypes, [&](const auto& row) { return row.first == rest; });
  parameter.is_known = known != std::end(kTypes);
  if (parameter.is_known) parameter.type = known->second;
  return parameter;
}

bool is_real(Scalar type) {
  return type == Scalar::Float32 || type == Scalar::Float64;
}
bool is_signed(Scalar type) {
  return type == Scalar::Int8 || type == Scalar::Int16 || type == Scalar::Int32 ||
         type == Scalar::Int64;
}

/// Whole numbers of one size, with and without a sign: what a kernel reads is the program's affair.
bool same_bits(Scalar a, Scalar b) {
  return a == b || (!is_real(a) && !is_real(b) && size_of(a) == size_of(b));
}

std::string ordinal(std::size_t i, const KernelParameter& parameter) {
  return fmt::format("argument {} ({})", i + 1, parameter.name);
}

bool fits(Scalar type, const Argument& argument) {
  if (is_real(argument.type)) return is_real(type);
  if (type == Scalar::Float64 || type == Scalar::Float32) {
    const double limit = type == Scalar::Float64 ? 0x1p53 : 0x1p24;
    return std::abs(argument.real) <= limit;
  }
  if (type == Scalar::Bool) return argument.whole <= 1;
  const bool negative = is_signed(argument.type) && static_cast<std::int64_t>(argument.whole) < 0;
  const int bits = static_cast<int>(8 * size_of(type));
  if (negative)
    return is_signed(type) &&
           static_cast<std::int64_t>(argument.whole) >= -(std::int64_t{1} << (bits - 2)) * 2;
  const int value_bits = is_signed(type) ? bits - 1 : bits;
  return value_bits == 64 || argument.whole >> value_bits == 0;
}

void check_number(const std::string& kernel, const std::string& what,
                  const KernelParameter& parameter, const Argument& argument) {
  if (parameter.is_pointer)
    misuse(Reason::Unsupported, kernel,
           "{} is a {}: it takes a matrix, or an array as In, Out or "
           "InOut; got a number of type {}",
           what, parameter.text, name_of(argument.type));
  if (!fits(parameter.type, argument))
    misuse(Reason::Unsupported, kernel, "{} is of type {}, which has no value {}", what,
           parameter.text,
           is_real(argument.type)     ? fmt::format("{}", argument.real)
           : is_signed(argument.type) ? fmt::format("{}", static_cast<std::int64_t>(argument.whole))
                                      : fmt::format("{}", argument.whole));
}

void check_array(const std::string& kernel, const std::string& what,
                 const KernelParameter& parameter, const Argument& argument) {
  const char* const given = argument.kind == Argument::Kind::Matrix ? "a matrix" : "an array";
  if (!parameter.is_pointer)
    misuse(Reason::Unsupported, kernel, "{} is of type {}: it takes a number; got {} of {}", what,
           parameter.text, given, name_of(argument.type));
  if (!same_bits(parameter.type, argument.type))
    misuse(Reason::Unsupported, kernel, "{} is a {}: it takes elements of type {}; got {} of {}",
           what, parameter.text, name_of(parameter.type), given, name_of(argument.type));
  if (argument.transposed)
    misuse(Reason::Transposed, kernel,
           "{} has the transposed flag, which kernels do not see: transpose() makes a copy", what);
  const bool reads = argument.direction == Direction::In || !argument.writable;
  if (argument.kind == Argument::Kind::Matrix && reads && !parameter.is_const)
    misuse(Reason::Unsupported, kernel,
           "{} is a {}, through which the kernel may write: the matrix is const or passed as In; "
           "declare {} const*, or pass the matrix itself",
           what, parameter.text, name_of(parameter.type));
  if (argument.direction == Direction::Out && parameter.is_const)
    misuse(Reason::Unsupported, kernel,
           "{} is a {}, through which the kernel cannot write: Out "
           "would have no effect",
           what, parameter.text);
}

}  // namespace

const char* name_of(Scalar type) {
  constexpr const char* kNames[] = {
      "bool",         "char",      "unsigned char",      "short", "unsigned short", "int",
      "unsigned int", "long long", "unsigned long long", "float", "double"};
  return kNames[static_cast<int>(type)];
}

std::size_t size_of(Scalar type) {
  constexpr std::size_t kSizes[] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
  return kSizes[static_cast<int>(type)];
}

std::vector<KernelParameter> parameters_of(const std::string& type,
                                           const std::vector<std::string>& names) {
  std::vector<KernelParameter> parameters;
  const std::size_t open = type.find('(');
  if (open == std::string::npos) return parameters;
  int depth = 0;
  std::string text;
  const auto finish = [&] {
    while (text.starts_with(' ')) text.erase(0, 1);
    if (!text.empty() && text != "void") parameters.push_back(parameter_of(text));
    text.clear();
  };
  for (std::size_t i = open + 1; i < type.size(); ++i) {
    const char c = type[i];
    if (depth == 0 && (c == ',' || c == ')')) {
      finish();
      if (c == ')') break;
      continue;
    }
    depth += int{c == '(' || c == '<'} - int{c == ')' || c == '>'};
    text += c;
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const bool named = names.size() == parameters.size() && !names[i].empty();
    parameters[i].name = named ? names[i] : fmt::format("argument {}", i + 1);
  }
  return parameters;
}

std::string describe(const std::string& name, const std::vector<KernelParameter>& parameters) {
  std::string text = name + "(";
  for (const KernelParameter& parameter : parameters)
    text += fmt::format("{}{} {}", text.ends_with('(') ? "" : ", ", parameter.text, parameter.name);
  return text + ")";
}

void check_arguments(const std::string& kernel, const std::vector<KernelParameter>& parameters,
                     std::span<const Argument> arguments) {
  if (arguments.size() != parameters.size())
    misuse(kernel, "takes {} argument{}, {}; got {}", parameters.size(),
           parameters.size() == 1 ? "" : "s", describe(kernel, parameters), arguments.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::string what = ordinal(i, parameters[i]);
    const bool is_null = arguments[i].kind == Argument::Kind::Null;
    if (is_null && parameters[i].is_pointer) continue;
    const bool bytes = arguments[i].untyped && parameters[i].is_pointer;
    if (bytes && !parameters[i].is_known) continue;
    if (!parameters[i].is_known)
      misuse(Reason::Unsupported, kernel,
             "{} is of type {}: kernels that are called take numbers, and pointers to numbers",
             what, parameters[i].text);
    if (is_null)
      misuse(Reason::Unsupported, kernel, "{} is of type {}: it takes a number; got a null pointer",
             what, parameters[i].text);
    if (arguments[i].kind == Argument::Kind::Number)
      check_number(kernel, what, parameters[i], arguments[i]);
    else
      check_array(kernel, what, parameters[i], arguments[i]);
  }
}

void check_launch(const std::string& kernel, const Launch& launch, Index static_bytes) {
  const auto refuse = [&](const char* what, const Extent3& got, const char* most) {
    misuse(Reason::Unsupported, kernel,
           "{} is ({}, {}, {}): each extent is at least 1, and at most {}", what, got.x, got.y,
           got.z, most);
  };
  const auto outside = [](const Extent3& extent, Index x, Index y, Index z) {
    return extent.x < 1 || extent.y < 1 || extent.z < 1 || extent.x > x || extent.y > y ||
           extent.z > z;
  };
  if (outside(launch.block, 1024, 1024, 64)) refuse("block", launch.block, "1024, 1024, 64");
  if (const Index n = launch.block.x * launch.block.y * launch.block.z; n > 1024)
    misuse(Reason::Unsupported, kernel,
           "block is ({}, {}, {}): {} threads; a block has at most 1024", launch.block.x,
           launch.block.y, launch.block.z, n);
  if (outside(launch.grid, 2147483647, 65535, 65535))
    refuse("grid", launch.grid, "2147483647, 65535, 65535");
  constexpr Index kShared = 49152;
  if (launch.shared_bytes < 0 || launch.shared_bytes > kShared - static_bytes)
    misuse(Reason::Unsupported, kernel,
           "shared_bytes is {}: a block has {} bytes, of which arrays of fixed extents take {}",
           launch.shared_bytes, kShared, static_bytes);
}

std::uint64_t number_as(Scalar type, const Argument& argument) {
  if (type == Scalar::Float64) return std::bit_cast<std::uint64_t>(argument.real);
  if (type == Scalar::Float32)
    return std::bit_cast<std::uint32_t>(static_cast<float>(argument.real));
  return argument.whole;
}

}  // namespace cudamat::kernels
