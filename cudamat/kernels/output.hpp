// What a kernel on the CPU prints.
#pragma once

#include <cstdarg>
#include <cstddef>
#include <string>
#include <vector>

namespace cudamat::kernels {

/// Of one launch, to standard output. The first bytes are printed, as many as
/// CUDAMAT_KERNEL_OUTPUT says; what comes after them is dropped, and a line on standard error says
/// so. (A GPU keeps the last ones: cudaLimitPrintfFifoSize.)
class Output {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{1} << 20;  ///< where nothing else is said

  /// Throws CUDAMatException where the variable is no number of bytes.
  explicit Output(const std::string& kernel);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// As vprintf(). May be left for good where an argument is a wild pointer.
  int print(const char* format, std::va_list arguments);

 private:
  void write(const char* text, std::size_t bytes);

  const std::string& kernel_;
  const std::size_t most_;
  std::size_t printed_ = 0;
  bool full_ = false;
  std::vector<char> buffer_;
};

}  // namespace cudamat::kernels
