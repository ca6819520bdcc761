#include "rewriter/list/names.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace rewriter {

namespace {

// Sorted by byte value.
// clang-format off
constexpr std::string_view kReserved[] = {
    "CUDAMatrix", "EOF", "False", "HUGE_VAL", "INFINITY", "M", "NAN", "NULL", "None", "T", "True",
    "alignas", "alignof", "and", "and_eq", "as", "asm", "assert", "async", "auto", "await",
    "bitand", "bitor", "bool", "break", "case", "catch", "char", "char16_t", "char32_t", "char8_t",
    "class", "cm", "co_await", "co_return", "co_yield", "compl", "concept", "const", "const_cast",
    "consteval", "constexpr", "constinit", "continue", "cudamat", "decltype", "def", "default",
    "del", "delete", "dict", "do", "double", "dynamic_cast", "elif", "else", "enum", "errno",
    "except", "explicit", "export", "extern", "false", "finally", "float", "fmt", "for", "friend",
    "from", "global", "gnumpy", "goto", "gpu", "if", "import", "in", "inline", "inputs", "int",
    "is", "lambda", "linux", "long", "main", "math_errhandling", "mutable", "namespace", "new",
    "noexcept", "nonlocal", "not", "not_eq", "np", "npmat", "nullptr", "numpy", "operator", "or",
    "or_eq", "outputs", "pass", "private", "program", "protected", "public", "raise", "register",
    "reinterpret_cast", "requires", "return", "rewriter", "short", "signed", "sizeof", "static",
    "static_assert", "static_cast", "std", "stderr", "stdin", "stdout", "struct", "switch",
    "template", "this", "thread_local", "throw", "true", "try", "typedef", "typeid", "typename",
    "union", "unix", "unsigned", "using", "virtual", "void", "volatile", "wchar_t", "while", "with",
    "xor", "xor_eq", "yield",
};
// clang-format on
static_assert(std::is_sorted(std::begin(kReserved), std::end(kReserved)));

}  // namespace

bool is_reserved_name(std::string_view name) {
  if (std::binary_search(std::begin(kReserved), std::end(kReserved), name)) return true;
  // C++ keeps these for the compiler and its library, macros among them.
  return name.starts_with("__") ||
         (name.size() > 1 && name[0] == '_' && name[1] >= 'A' && name[1] <= 'Z');
}

std::string Names::take(const std::string& wanted) {
  std::string name = wanted;
  if (is_reserved_name(wanted)) {
    // An identifier with two underscores at its start needs a letter before them.
    name = wanted.starts_with('_') ? "v" + wanted : wanted + "_";
    if (!is_free(name)) name.clear();
  } else if (taken_.contains(wanted)) {
    name.clear();
  }
  if (name.empty()) {
    int& suffix = last_suffix_.try_emplace(wanted, 1).first->second;
    const std::string base = is_reserved_name(wanted) && wanted[0] == '_' ? "v" + wanted : wanted;
    do name = fmt::format("{}_{}", base, ++suffix);
    while (!is_free(name));
  }
  taken_.insert(name);
  return name;
}

std::string Names::temporary() {
  std::string name;
  do name = fmt::format("t{}", ++last_temporary_);
  while (!is_free(name));
  taken_.insert(name);
  return name;
}

}  // namespace rewriter
