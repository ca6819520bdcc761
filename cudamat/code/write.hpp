// Writing files that a program can do without. Internal.
#pragma once

#include <string_view>

namespace cudamat::code {

/// All of it. False where that fails: a limit of the size of files (`ulimit -f`) is a failure like
/// a full disk, and sends the program no signal.
bool write_all(int descriptor, std::string_view content) noexcept;

}  // namespace cudamat::code
