// The comments of a printed statement list that say which lines of the program the statements come
// from. Internal to the reader of lists.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "rewriter/text/source.hpp"

namespace rewriter {

class ListHeadings {
 public:
  explicit ListHeadings(const Source& text);

  /// The place of a statement in this line of the list; line 0 for none.
  SourceLocation place_of(int line) const;
  /// The program, as far as the headings show it.
  std::optional<Source> source() const;
  /// Remarks on lines of the program.
  const std::map<int, std::string>& remarks() const { return remarks_; }
  /// Whether the list has the title that symdump prints above it, but not the summary below.
  bool cut_off() const { return !name_.empty() && !has_summary_; }

 private:
  void add(int line, std::string_view text);

  std::string name_;
  bool has_summary_ = false;
  std::string fallback_;
  std::map<int, int> lines_;  ///< line of the list: line of the program, 0 for none
  std::map<int, std::string> remarks_;
  std::map<int, std::string> texts_;  ///< by line of the program
};

}  // namespace rewriter
