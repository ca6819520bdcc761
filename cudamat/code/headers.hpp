// The headers that code compiled at run time includes: they are part of the library, because where
// it runs there may be none.
#pragma once

#include <span>

namespace cudamat::code {

struct Header {
  const char* name;  ///< as it is included
  const char* text;
};

std::span<const Header> headers();

}  // namespace cudamat::code
