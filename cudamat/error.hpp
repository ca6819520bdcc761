// The two kinds of errors, for all layers.
//
//   CUDAMatException  misuse: wrong shapes, an illegal alias, a bad file, no memory. The text names
//                     the operation, the operands and what would be right:
//                       [add_col_vec] vec must be 4x1 to match mat 4x5; got 1x5
//   InternalError     a bug of this project: the text asks for a report.
//
// An operation that throws has not written to its target.
#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace cudamat {

/// The kind of misuse, for callers that must distinguish them, such as the C ABI.
enum class Reason : std::uint8_t {
  Other,
  Shape,            ///< the operands' shapes do not agree
  View,             ///< a view where only a matrix with memory of its own will do
  Transposed,       ///< an operand has the transposed flag, which the call does not read
  TransposedMixed,  ///< of element-wise partners some have the transposed flag, some not
  NotOnDevice,      ///< an operand has no memory on the device
  Unsupported,      ///< a value that the call has no meaning for
};

/// what() is "[operation] message", or the message alone.
class CUDAMatException : public std::runtime_error {
 public:
  explicit CUDAMatException(const std::string& what, Reason reason = Reason::Other)
      : std::runtime_error(what), reason_(reason) {}
  CUDAMatException(std::string_view operation, std::string_view message,
                   Reason reason = Reason::Other)
      : std::runtime_error(fmt::format("[{}] {}", operation, message)),
        operation_size_(operation.size()),
        reason_(reason) {}

  [[nodiscard]] Reason reason() const { return reason_; }
  /// The operation: "add_col_vec"; empty if the text names none.
  [[nodiscard]] std::string_view operation() const {
    return operation_size_ == 0 ? std::string_view()
                                : std::string_view(what() + 1, operation_size_);
  }
  [[nodiscard]] std::string_view message() const {
    return what() + (operation_size_ == 0 ? 0 : operation_size_ + kBrackets);
  }

 private:
  static constexpr std::size_t kBrackets = std::string_view("[] ").size();

  std::size_t operation_size_ = 0;  // in what(), so that copies cannot throw
  Reason reason_;
};

/// No memory for a matrix; the text has the bytes asked for.
class OutOfMemory : public CUDAMatException {
 public:
  using CUDAMatException::CUDAMatException;
};

/// A call of CUDA, cuBLAS, cuSOLVER, cuRAND or NVRTC failed. The text has the library's error, the
/// failing expression and its place. What was queued before may not have been computed.
class LibraryError : public CUDAMatException {
 public:
  enum class Library : std::uint8_t { Cuda, Cublas, Cusolver, Curand, Nvrtc };

  LibraryError(Library library, const std::string& what)
      : CUDAMatException(what), library_(library) {}
  [[nodiscard]] Library library() const { return library_; }

 private:
  Library library_;
};

class InternalError : public std::logic_error {
 public:
  explicit InternalError(const std::string& what)
      : std::logic_error("internal error (please report it): " + what) {}
};

/// Throws CUDAMatException "[op] message" for this reason.
template <class... Args>
[[noreturn]] void misuse(Reason reason, std::string_view op, fmt::format_string<Args...> format,
                         Args&&... args) {
  throw CUDAMatException(op, fmt::format(format, std::forward<Args>(args)...), reason);
}

/// Throws CUDAMatException "[op] message".
template <class... Args>
[[noreturn]] void misuse(std::string_view op, fmt::format_string<Args...> format, Args&&... args) {
  throw CUDAMatException(op, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace cudamat
