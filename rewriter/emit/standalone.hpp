// The C++17 or CUDA text of functions that printed programs call (emit/standalone and headers of
// the engine): those that a program needs, and no others.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rewriter::emit {

struct StandaloneText {
  std::vector<std::string> includes;  ///< "<cmath>", sorted
  std::string text;                   ///< in namespace cm, in which T is a type
};

/// The words and signs of C++, without comments and what is in quotes.
std::vector<std::string_view> tokens(std::string_view text);

enum class Machine : std::uint8_t { Cpu, Gpu };  ///< for which a program is: C++, or CUDA

/// The definitions of what `program` names, and of what these name, in an order that compiles.
StandaloneText standalone_text(std::string_view program, Machine machine);

}  // namespace rewriter::emit
