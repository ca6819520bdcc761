// The system's C++ compiler, for kernels that are executed on the CPU.
#pragma once

#include <string>
#include <vector>

namespace cudamat::kernels {

struct HostCompiled {
  std::string code;     ///< a shared library
  std::string failure;  ///< why there is none; then `log` is the compiler's, or empty
  std::string log;
};

/// The source as read_source() has it for the host, with the entries behind it, as messages call
/// it; `text` is what the user wrote, for the lines that the compiler shows. From the cache on the
/// disk where it was compiled before. Throws nothing but std::bad_alloc.
HostCompiled compile_for_host(const std::string& source, const std::string& text,
                              const std::string& name, const std::vector<std::string>& flags);

/// Runs a program, which is looked for on the PATH, in a folder, and waits for it. Returns its exit
/// status, 127 where it cannot be run; of what it prints the first 64 KiB go to `output`. It is
/// ended after five minutes; what it left running in the background is not waited for.
int run_program(const std::vector<std::string>& arguments, const std::string& folder,
                std::string* output);

}  // namespace cudamat::kernels
