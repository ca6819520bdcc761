// The comments of a printed statement list that say which lines of the program the statements come
// from. Internal to the reader of lists.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
  /// "12: text", "layers.py:12 Dense.forward: text": what stands before the text.
  struct Label {
    std::string file{};  ///< empty: the program's own
    int number = 0;
    std::string function{};
  };
  struct Heading {
    int line = 0;  ///< of the list
    Label label;
    std::string text;
  };
  static std::optional<Label> label_of(std::string_view& text);
  void add(int line, std::string_view text);
  /// Gives each line of each file a number of its own.
  void number_lines();

  std::vector<Heading> headings_;
  std::vector<std::string> files_;  ///< other than the program's own, in the order of the list
  std::vector<int> last_lines_{0};  ///< of each file
  std::vector<Source::Function> functions_;
  std::string name_;
  bool has_summary_ = false;
  std::string fallback_;
  std::map<int, int> lines_;  ///< line of the list: line of the program, 0 for none
  std::map<int, std::string> remarks_;
  std::map<int, std::string> texts_;  ///< by line of the program
};

}  // namespace rewriter
