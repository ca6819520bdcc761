// Trees as text and as Graphviz.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <regex>
#include <sstream>

#include "rewriter/emit/print.hpp"
#include "rewriter/expr/symbolic.hpp"

namespace {

using rewriter::Array;
using rewriter::input;

rewriter::Program gradient() {
  rewriter::Program program;
  program.source.emplace("g.py",
                         "\ndelta_o = -(x - z)\ndelta_h = np.dot(delta_o, W) * h * (1.0 - h)\n");
  const Array x = input("x", {128, 784});
  const Array z = input("z", {128, 784});
  const Array W = input("W", {784, 4096});
  const Array h = input("h", {128, 4096});
  const auto assign = [&program](const char* name, const Array& value) {
    program.steps.push_back(value.node());
    program.assignments.push_back({name, value.node()});
    program.results.push_back({name, value.node()});
    return value;
  };
  const rewriter::At line_2({2, 1});
  const Array delta_o = assign("delta_o", -(x - z));
  const rewriter::At line_3({3, 1});
  assign("delta_h", rewriter::dot(delta_o, W) * h * (1.0 - h));
  return program;
}

TEST(PrintTree, HasOneTreeForEachAssignment) {
  EXPECT_EQ(rewriter::print_tree(gradient()), R"(# 2: delta_o = -(x - z)
delta_o = np.multiply  (128, 784)
├─ np.subtract         (128, 784)
│  ├─ x                (128, 784)
│  └─ z                (128, 784)
└─ -1                  ()

# 3: delta_h = np.dot(delta_o, W) * h * (1.0 - h)
delta_h = np.multiply  (128, 4096)
├─ np.multiply         (128, 4096)
│  ├─ np.dot           (128, 4096)
│  │  ├─ delta_o       (128, 784)
│  │  └─ W             (784, 4096)
│  └─ h                (128, 4096)
└─ np.subtract         (128, 4096)
   ├─ 1                ()
   └─ h                (128, 4096)
)");
}

TEST(PrintTree, PrintsASharedNodeOnce) {
  const Array e = rewriter::exp(input("x", {3}));
  EXPECT_EQ(rewriter::print_tree({(e + e.sum()).node()}), R"(result = np.add  (3,)
├─ %1 = np.exp   (3,)
│  └─ x          (3,)
└─ np.sum        ()
   └─ %1         (3,)
)");
}

TEST(PrintTree, StaysLinearInDeepAndInSharedTrees) {
  Array deep = input("x", {2});
  for (int i = 0; i < 20'000; ++i) deep = rewriter::exp(deep);
  EXPECT_LT(rewriter::print_tree({deep.node()}).size(), 4'000'000U);
  Array doubled = input("x", {2});
  for (int i = 0; i < 1'000; ++i) doubled = doubled + doubled;
  EXPECT_LT(rewriter::print_tree({doubled.node()}).size(), 400'000U);
}

TEST(PrintDot, HasANodeForEachValueAndAnEdgeForEachUse) {
  const Array e = rewriter::exp(input("x", {3}));
  const Array two = 2;
  EXPECT_EQ(rewriter::print_dot({(e * two).node()}), R"dot(digraph program {
  ordering="in";
  node [shape=box, style=rounded, fontname="Helvetica"];
  n1 [label="x\n(3,)", style=solid];
  n2 [label="np.exp\n(3,)"];
  n1 -> n2;
  n3 [label="2", shape=plaintext];
  n4 [label="result = np.multiply\n(3,)", style="rounded,bold"];
  n2 -> n4;
  n3 -> n4;
}
)dot");
}

TEST(PrintDot, IsOfGraphvizsGrammar) {
  const std::regex line(
      R"re(digraph program \{|\}|  ordering="in";|  node \[.*\];|  n\d+ -> n\d+;|)re"
      R"re(  n\d+ \[label="([^"\\]|\\.)*"(, [a-z]+=([a-z]+|"[a-z,]+"))*\];)re");
  std::istringstream text(rewriter::print_dot(gradient()));
  for (std::string s; std::getline(text, s);) EXPECT_TRUE(std::regex_match(s, line)) << s;
}

}  // namespace
