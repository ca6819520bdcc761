// How much memory the CPU has.
#pragma once

#include <cstdint>
#include <string>

namespace tools {

/// Bytes that this machine can still give; Linux kills who takes more than it has.
std::int64_t memory_available();

/// Throws OutOfMemory, naming `what` needs them, if that many bytes are not available.
void require_memory(const std::string& what, double bytes);

}  // namespace tools
