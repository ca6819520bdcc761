// What the tests of printed statement lists share.
#pragma once

#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "rewriter/emit/print.hpp"
#include "rewriter/list/verify.hpp"
#include "rewriter/listing/compare.hpp"
#include "rewriter/listing/parse_list.hpp"
#include "tests/rewriter_parser_generator.hpp"

namespace lists {

inline rewriter::StatementList parsed(const std::string& text) {
  return rewriter::parse_statements(rewriter::Source("list.txt", text));
}

/// What is lost when the list is printed and read again; and printing that gives the same text.
inline std::string lost(const rewriter::StatementList& list) {
  const std::string text = rewriter::print_statements(list);
  const rewriter::StatementList again = parsed(text);
  EXPECT_EQ(rewriter::print_statements(again), text);
  return rewriter::first_difference(list, again);
}

/// One edit of the lines: a line left out, doubled or exchanged, moved to another depth, or damaged
/// by leaving characters out or by one of `inserted`.
inline std::vector<std::string> edited(std::vector<std::string> lines,
                                       rewriter::ast::Generator& random,
                                       const std::vector<std::string>& inserted) {
  const std::size_t at = random.below(lines.size());
  const std::size_t other = random.below(lines.size());
  std::string& line = lines[at];
  switch (random.below(6)) {
    case 0:
      lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    case 1:
      std::swap(line, lines[other]);
      break;
    case 2: {
      std::string copy = lines[other];
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), std::move(copy));
      break;
    }
    case 3:
      if (!line.empty()) line.erase(random.below(line.size()), 1 + random.below(6));
      break;
    case 4:
      line = line.starts_with("  ") ? line.substr(2) : "  " + line;
      break;
    default:
      line.insert(random.below(line.size() + 1), inserted[random.below(inserted.size())]);
  }
  return lines;
}

struct Fates {
  int accepted = 0;
  int refused = 0;
};

/// Reads 1500 damaged copies of the text. Each is refused as a program is, or gives a well-formed
/// list, which is printed and read again without loss.
inline Fates damaged(const std::string& text, const std::vector<std::string>& inserted) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  rewriter::ast::Generator random(11);
  Fates fates;
  for (int round = 0; round < 1500; ++round) {
    std::string joined;
    for (const std::string& line : edited(lines, random, inserted)) joined += line + '\n';
    try {
      const rewriter::StatementList list = parsed(joined);
      EXPECT_FALSE(rewriter::find_problem(list)) << joined;
      EXPECT_EQ(lost(list), "") << joined;
      ++fates.accepted;
    } catch (const rewriter::ProgramError&) {
      ++fates.refused;
    }
  }
  return fates;
}

}  // namespace lists
