#pragma once

#include <string>

namespace cudamat::kernels {

/// A name of the C++ library's for people.
std::string demangled(const char* name);

}  // namespace cudamat::kernels
