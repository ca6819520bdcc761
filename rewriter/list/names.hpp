// Names of variables: unique in a list, and good identifiers in Python and C++.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace rewriter {

/// Whether Python, C++ or the text that printers put around a list has a use of its own for the
/// name: keywords of both languages, common macros of the C library, `cm`, `np`, `CUDAMatrix`, ...
bool is_reserved_name(std::string_view name);

class Names {
 public:
  /// Keeps temporaries from taking this name, whether or not a variable gets it.
  void keep(std::string name) { kept_.insert(std::move(name)); }
  /// The name, or if it is taken or reserved, the name with a suffix: class_, h_2, h_3. The
  /// suffixed name is neither taken nor kept.
  std::string take(const std::string& wanted);
  /// t1, t2, ... without those that are taken or kept.
  std::string temporary();

 private:
  bool is_free(const std::string& name) const {
    return !taken_.contains(name) && !kept_.contains(name);
  }

  std::unordered_set<std::string> kept_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, int> last_suffix_;
  int last_temporary_ = 0;
};

}  // namespace rewriter
