#include "rewriter/list/names.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace rewriter {

namespace {

constexpr unsigned kList = static_cast<unsigned>(NamesOf::List);
constexpr unsigned kPython = static_cast<unsigned>(NamesOf::Python);
constexpr unsigned kCpp = static_cast<unsigned>(NamesOf::Cpp);

// clang-format off
constexpr struct {
  unsigned by;
  std::string_view words;
} kReserved[] = {
    {kList | kPython | kCpp,
     "and assert bool break class cm continue else float for if inputs int not or outputs "
     "program return try while"},
    {kList | kPython,
     "False None True as async await def del dict elif except finally from global import in is "
     "lambda nonlocal np pass raise with yield"},
    {kList | kCpp,
     "T alignas alignof and_eq asm auto bitand bitor case catch char char16_t char32_t char8_t "
     "co_await co_return co_yield compl concept const const_cast consteval constexpr constinit "
     "cudamat decltype default delete do double dynamic_cast enum errno explicit export extern "
     "false fmt friend goto inline linux long mutable namespace new noexcept not_eq npmat "
     "nullptr operator or_eq private protected public register reinterpret_cast requires short "
     "signed sizeof static static_assert static_cast std stderr stdin stdout struct switch "
     "template this thread_local throw true typedef typeid typename union unix unsigned using "
     "virtual void volatile wchar_t xor xor_eq"},
    // macros, and what examples and other printers write around a list
    {kList,
     "CUDAMatrix EOF HUGE_VAL INFINITY M NAN NULL gnumpy gpu main math_errhandling numpy "
     "rewriter"},
    // built in, or of the printed module
    {kPython,
     "cp cupyx device dtype math numpy torch _bincount _eigh _erf _floor_divide _gamma _input "
     "_integer_divide _integer_mod _lgamma _lstsq _mod _mult_int32 _number _places _qr _rand "
     "_randn _set_columns _shift _sigmoid _soft_threshold _started _store _svd "
     "_times_sigmoid_derivative _to_int _upload _whole _wrap _wrap_unsigned INPUTS TypeError "
     "ValueError __debug__ __import__ __name__ abs aiter all "
     "anext any ascii bin breakpoint bytearray bytes callable chr classmethod compile complex "
     "delattr dir divmod enumerate eval exec filter format frozenset getattr globals hasattr "
     "hash help hex id input isinstance issubclass iter learn len list locals map max "
     "memoryview min next object oct open ord pow print property range repr reversed round set "
     "setattr slice sorted start staticmethod str sum super tuple type vars zip"},
    // functions that may be macros, or of the printed function
    {kCpp,
     "Arrays Matrix NO_BLAS NO_MAIN download environ error_text isfinite isinf isnan major makedev minor program_error run signbit size_t typeof "
     "upload"},
};
// clang-format on

unsigned reserved_by(std::string_view name) {
  static const auto table = [] {
    std::unordered_map<std::string_view, unsigned> result;
    for (auto [by, words] : kReserved)
      while (!words.empty()) {
        const std::size_t end = std::min(words.find(' '), words.size());
        result.emplace(words.substr(0, end), by);
        words.remove_prefix(std::min(words.size(), end + 1));
      }
    return result;
  }();
  const auto found = table.find(name);
  return found == table.end() ? 0 : found->second;
}

/// Names that belong to the compiler, and those that macros of the C library have: __x, _X, EOF,
/// INT_MAX.
bool is_macro_like(std::string_view name) {
  if (name.find("__") != std::string_view::npos) return true;
  if (name.starts_with('_')) return true;
  if (name.ends_with('_')) return false;
  const bool capitals =
      std::none_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; }) &&
      name.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 0;
  return capitals &&
         (name.find('_') != std::string_view::npos || (name.size() > 2 && name.starts_with('E')) ||
          name == "NULL" || name == "NAN" || name == "INFINITY" || name == "BUFSIZ" ||
          name == "SIGINT" || name == "SIGTERM" || name == "SIGABRT" || name == "SIGFPE" ||
          name == "SIGILL" || name == "SIGSEGV");
}

/// A beginning for names where underscores in a row and capitals alone will not do.
std::string guarded(std::string name) {
  const auto both = [](char a, char b) { return a == '_' && b == '_'; };
  name.erase(std::unique(name.begin(), name.end(), both), name.end());
  if (name.ends_with('_')) name.pop_back();
  return "v" + name;
}

}  // namespace

bool is_identifier(std::string_view text) {
  const auto letter = [](char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           static_cast<unsigned char>(c) >= 0x80;
  };
  if (text.empty() || !letter(text[0])) return false;
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

bool is_reserved_name(std::string_view name, NamesOf in) {
  if ((reserved_by(name) & static_cast<unsigned>(in)) != 0) return true;
  if (in == NamesOf::Cpp) return is_macro_like(name);
  // C++ keeps these for the compiler and its library, macros among them.
  return in == NamesOf::List && (name.starts_with("__") || (name.size() > 1 && name[0] == '_' &&
                                                            name[1] >= 'A' && name[1] <= 'Z'));
}

std::string Names::take(const std::string& wanted) {
  std::string name = wanted;
  bool free = !taken_.contains(name);
  if (is_reserved_name(wanted, in_)) {
    // An identifier with underscores at its start needs a letter before them.
    name = wanted.starts_with('_') ? "v" + wanted : wanted + "_";
    free = is_free(name);
  }
  if (!free) {
    int& suffix = last_suffix_.try_emplace(wanted, 1).first->second;
    const std::string base = is_reserved_name(wanted + "_2", in_) ? guarded(wanted) : wanted;
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
