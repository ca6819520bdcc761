// The C++17 text of functions that printed programs call (emit/standalone and headers of the
// engine): those that a program needs, and no others.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rewriter::emit {

struct StandaloneText {
  std::vector<std::string> includes;  ///< "<cmath>", sorted
  std::string text;                   ///< in namespace cm, in which T is a type
};

/// The definitions of what `program` names, and of what these name, in an order that compiles.
StandaloneText standalone_text(std::string_view program);

}  // namespace rewriter::emit
