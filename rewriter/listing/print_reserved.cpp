#include <algorithm>

#include "rewriter/listing/print_text.hpp"

namespace rewriter::print {

namespace {

std::unordered_set<std::string> words(std::string_view text) {
  std::unordered_set<std::string> result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    result.emplace(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return result;
}

}  // namespace

const std::unordered_set<std::string>& python_reserved() {
  static const auto names = words(
      // keywords
      "False None True and as assert async await break class continue def del elif else except "
      "finally for from global if import in is lambda nonlocal not or pass raise return try "
      "while with yield exec __debug__ "
      // built in
      "abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr "
      "classmethod compile complex delattr dict dir divmod enumerate eval filter float format "
      "frozenset getattr globals hasattr hash help hex id input int isinstance issubclass iter "
      "len list locals map max memoryview min next object oct open ord pow print property range "
      "repr reversed round set setattr slice sorted staticmethod str sum super tuple type vars "
      "zip __import__ __name__ TypeError ValueError "
      // used by the printed module
      "np cm learn inputs outputs program start INPUTS _started _upload");
  return names;
}

const std::unordered_set<std::string>& cpp_reserved() {
  static const auto names = words(
      // keywords
      "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t "
      "char16_t char32_t class compl concept const consteval constexpr constinit const_cast "
      "continue co_await co_return co_yield decltype default delete do double dynamic_cast else "
      "enum explicit export extern false float for friend goto if inline int long mutable "
      "namespace new noexcept not not_eq nullptr operator or or_eq private protected public "
      "register reinterpret_cast requires return short signed sizeof static static_assert "
      "static_cast struct switch template this thread_local throw true try typedef typeid "
      "typename union unsigned using virtual void volatile wchar_t while xor xor_eq typeof "
      // used by the printed function
      "cm cudamat npmat std fmt Matrix T Arrays inputs outputs program upload download "
      // macros, or possibly so
      "assert errno stdin stdout stderr linux unix signbit major minor makedev isnan isinf "
      "isfinite environ");
  return names;
}

}  // namespace rewriter::print
