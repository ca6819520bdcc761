// Names of variables: unique in a list, and good identifiers in Python and C++.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace rewriter {

/// True for an identifier: letters, digits, `_` and whatever is not ASCII. Whether that is a letter
/// was checked when the program was read.
bool is_identifier(std::string_view text);

/// Where names stand.
enum class NamesOf : std::uint8_t {
  Any = 0,     ///< where all are welcome
  List = 1,    ///< in a list, which Python and C++ shall be able to write as it is
  Python = 2,  ///< in the printed module
  Cpp = 4,     ///< in the printed function
};

/// Whether a name has a use of its own there: keywords, what is built in, common macros of the C
/// library, what the printed program itself uses: `cm`, `np`, `CUDAMatrix`, ...
bool is_reserved_name(std::string_view name, NamesOf in = NamesOf::List);

class Names {
 public:
  explicit Names(NamesOf in = NamesOf::List) : in_(in) {}

  /// Keeps temporaries from taking this name, whether or not a variable gets it.
  void keep(std::string name) { kept_.insert(std::move(name)); }
  /// The name, or if it is taken or reserved, the name with a suffix: class_, h_2, h_3. The
  /// suffixed name is neither taken nor kept.
  std::string take(const std::string& wanted);
  /// t1, t2, ... without those that are taken or kept.
  std::string temporary();
  [[nodiscard]] bool is_taken(const std::string& name) const { return taken_.contains(name); }

 private:
  bool is_free(const std::string& name) const {
    return !taken_.contains(name) && !kept_.contains(name) && !is_reserved_name(name, in_);
  }

  NamesOf in_;
  std::unordered_set<std::string> kept_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, int> last_suffix_;
  int last_temporary_ = 0;
};

}  // namespace rewriter
