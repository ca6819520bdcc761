// What the tests of passes share: programs in the notation, lists as lines, remarks as text.
#pragma once

#include <gmock/gmock.h>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "rewriter/emit/print.hpp"
#include "rewriter/list/verify.hpp"
#include "rewriter/lower/lower.hpp"
#include "rewriter/passes/pass.hpp"
#include "rewriter/reader/reader.hpp"

namespace pass_lines {

using Lines = std::vector<std::string>;

/// The literal list of a program; `import numpy as np` is there.
inline rewriter::StatementList lowered(const std::string& text,
                                       const std::vector<std::string>& outputs = {}) {
  const rewriter::Source source("prog.py", "import numpy as np\n" + text);
  return rewriter::lower(rewriter::read(source, {}), outputs);
}

/// The statements as they are printed, without the columns and what does not count here: inputs,
/// outputs, headings.
inline Lines lines(const rewriter::StatementList& list) {
  std::istringstream text(rewriter::print_statements(list));
  Lines result;
  for (std::string line; std::getline(text, line);) {
    line = line.substr(0, line.find('#'));
    line.erase(line.find_last_not_of(' ') + 1);
    if (!line.empty() && line.rfind("input ", 0) != 0 && line.rfind("output ", 0) != 0)
      result.push_back(line);
  }
  return result;
}

/// What the pass leaves, which it must leave alone when it runs again.
inline Lines after(rewriter::PassFunction pass, const rewriter::StatementList& list) {
  const rewriter::StatementList made = pass(list, {}).list;
  rewriter::verify(made);
  const rewriter::StatementList again = pass(made, {}).list;
  EXPECT_EQ(lines(again), lines(made)) << "the pass is not idempotent";
  return lines(made);
}

/// "not done: TEXT", "TEXT"
inline Lines remarks(rewriter::PassFunction pass, const rewriter::StatementList& list) {
  Lines result;
  for (const rewriter::Remark& remark : pass(list, {}).remarks)
    result.push_back((remark.kind == rewriter::Remark::Kind::Refused ? "not done: " : "") +
                     remark.text());
  return result;
}

}  // namespace pass_lines
