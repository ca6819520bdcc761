// The two kinds of failure, for every room of the project.
//
//   CUDAMatException  misuse: wrong shapes, an illegal alias, a bad file, no memory. The text names
//   the
//                     operation, what it was given and what would be right:
//                       [add_col_vec] vec must be 4x1 to match mat 4x5; got 1x5
//   InternalError     a bug of ours: the text asks for a report.
//
// An operation that throws has not written to its target (reads of files: nothing was produced).
#pragma once

#include <fmt/format.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace cudamat {

class CUDAMatException : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// No memory for a matrix; the text has the bytes asked for.
class OutOfMemory : public CUDAMatException {
 public:
  using CUDAMatException::CUDAMatException;
};

class InternalError : public std::logic_error {
 public:
  explicit InternalError(const std::string& what)
      : std::logic_error("internal error (please report it): " + what) {}
};

/// Throws CUDAMatException "[op] message".
template <class... Args>
[[noreturn]] void misuse(std::string_view op, fmt::format_string<Args...> format, Args&&... args) {
  throw CUDAMatException(
      fmt::format("[{}] {}", op, fmt::format(format, std::forward<Args>(args)...)));
}

}  // namespace cudamat
