// Regular expressions as Python's module re has them, of ASCII texts. Internal to the reader.
//
// Matching is by backtracking, in Python's order: alternatives from left to right, greedy
// quantifiers from the most repetitions on, lazy ones from the fewest.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rewriter {

namespace regex {
struct Pattern;
}

class Regex {
 public:
  enum Flag : unsigned { kIgnoreCase = 2, kMultiline = 8, kDotAll = 16 };  // as in Python
  enum class Mode { Search, Match, FullMatch };
  /// Of the whole match and of each group; of a group that is not in the match npos.
  using Span = std::pair<std::size_t, std::size_t>;
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  /// Throws for what is no pattern, or is not supported.
  Regex(std::string_view pattern, unsigned flags);
  ~Regex();

  /// `advances`: the match must not be an empty one at `at`.
  [[nodiscard]] std::optional<std::vector<Span>> match(std::string_view text, std::size_t at,
                                                       Mode mode, bool advances) const;
  /// Of each group, from the first one on; empty: it has none.
  [[nodiscard]] const std::vector<std::string>& names() const;

 private:
  std::unique_ptr<const regex::Pattern> pattern_;
};

struct Call;
struct Value;
/// What rewriter/library/python/re.py calls: _sre.match(pattern, flags, text, at, mode, advances),
/// a tuple of spans or None, and _sre.groups(pattern, flags), the names of the groups.
Value regex_call(std::string_view name, const Call& call);

}  // namespace rewriter
