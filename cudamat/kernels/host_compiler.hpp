// The system's C++ compiler, for kernels that are executed on the CPU.
#pragma once

#include <string>
#include <vector>

namespace cudamat::kernels {

struct HostCompiled {
  std::string code;     ///< a shared library
  std::string failure;  ///< why there is none; then `log` is the compiler's, or empty
  std::string log;
  bool is_interrupted = false;  ///< by SIGINT, in an InterruptScope
};

/// The source as read_source() has it for the host, followed by the entries, with the name that
/// messages use; `text` is what the user wrote, for the lines that the compiler shows. From the
/// cache on the disk where it was compiled before. Throws nothing but std::bad_alloc.
HostCompiled compile_for_host(const std::string& source, const std::string& text,
                              const std::string& name, const std::vector<std::string>& flags);

}  // namespace cudamat::kernels
