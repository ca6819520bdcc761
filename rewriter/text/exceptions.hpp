// Misuse for which Python or NumPy raises an exception: the error says which one.
#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <string_view>
#include <utility>

#include "cudamat/error.hpp"

namespace rewriter {

enum class Exception : std::uint8_t {
  None,  ///< neither raises one: what is misused here is not supported
  AttributeError,
  AxisError,
  IndexError,
  LinAlgError,
  OverflowError,
  TypeError,
  UFuncTypeError,
  ValueError,
  ZeroDivisionError,
};
/// "ValueError"; empty of None.
[[nodiscard]] constexpr std::string_view name(Exception exception) {
  constexpr std::string_view kNames[] = {"",
                                         "AttributeError",
                                         "AxisError",
                                         "IndexError",
                                         "LinAlgError",
                                         "OverflowError",
                                         "TypeError",
                                         "UFuncTypeError",
                                         "ValueError",
                                         "ZeroDivisionError"};
  return kNames[static_cast<std::size_t>(exception)];
}

/// Its message need not be that of Python or NumPy.
class Misuse : public cudamat::CUDAMatException {
 public:
  Misuse(Exception exception, std::string_view operation, std::string_view message)
      : CUDAMatException(operation, message), exception_(exception) {}
  [[nodiscard]] Exception exception() const { return exception_; }

 private:
  Exception exception_;
};

/// Throws "[op] message" for what Python or NumPy raises this exception for.
template <class... Args>
[[noreturn]] void misuse(Exception exception, std::string_view op,
                         fmt::format_string<Args...> format, Args&&... args) {
  throw Misuse(exception, op, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace rewriter
