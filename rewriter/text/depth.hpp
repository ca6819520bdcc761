// How deep programs, lists of statements and values may be nested: what reads, prints or destroys
// them recurses no deeper.
#pragma once

#include <fmt/format.h>
#include <string>
#include <string_view>

namespace rewriter {

/// Python's own limit of blocks.
inline constexpr int kDeepest = 100;

inline std::string too_deep(std::string_view what) {
  return fmt::format("{} are nested more than {} deep", what, kDeepest);
}

/// Whether this thread's stack has little left: 256 KiB, or half of a small one. For what nests in
/// other ways than one, as blocks in functions that call themselves.
bool stack_is_short();

/// While it exists, the nesting is one level deeper. Calls `fail`, which throws, beyond kDeepest.
class Deeper {
 public:
  template <class Fail>
  Deeper(int& depth, const Fail& fail) : depth_(depth) {
    if (depth_ >= kDeepest) fail();
    ++depth_;
  }
  ~Deeper() { --depth_; }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;

 private:
  int& depth_;
};

}  // namespace rewriter
