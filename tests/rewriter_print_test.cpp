// The statement listing, JSON, and what the printers refuse. The other forms have their own files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "rewriter/emit/print.hpp"
#include "tests/print_samples_calls.hpp"
#include "tests/print_samples_spellings.hpp"

namespace {

using rewriter::Op;
using rewriter::print_json;
using rewriter::print_statements;
using rewriter::StatementList;
using samples::Builder;
using testing::HasSubstr;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// The text before the comment; empty for headings and blank lines.
std::string code_of(const std::string& line) {
  char quote = 0;
  std::size_t end = 0;
  for (; end < line.size() && (quote != 0 || line[end] != '#'); ++end) {
    if (quote != 0 && line[end] == '\\')
      ++end;
    else if (quote == 0 && (line[end] == '"' || line[end] == '\''))
      quote = line[end];
    else if (line[end] == quote)
      quote = 0;
  }
  while (end > 0 && line[end - 1] == ' ') --end;
  return line.substr(0, end);
}

std::vector<std::string> statements_of(const StatementList& list) {
  std::vector<std::string> result;
  for (const std::string& line : lines_of(print_statements(list)))
    if (const std::string code = code_of(line); !code.empty()) result.push_back(code);
  return result;
}

TEST(PrintStatements, ShowsWhichEquationBecameWhichStatements) {
  EXPECT_EQ(print_statements(samples::gradient()),
            R"(# gradient.py as Cudamat statements, float32
                                          #  shape            bytes        total
input X: (128, 784)                       #  128x784       +401,408      401,408
input W: (784, 4096)                      #  784x4096   +12,845,056   13,246,464
input h: (128, 4096)                      #  128x4096    +2,097,152   15,343,616
input x: (128, 784)                       #  128x784       +401,408   15,745,024
input z: (128, 784)                       #  128x784       +401,408   16,146,432

# 7: delta_o = -(x - z)
t1 = cm.empty((128, 784))                 #  128x784       +401,408   16,547,840
x.subtract(z, target=t1)                  #  128x784
delta_o = cm.empty((128, 784))            #  128x784       +401,408   16,949,248
t1.mult(-1, target=delta_o)               #  128x784
t1.free_device_memory()                   #  128x784       -401,408   16,547,840

# 8: delta_h = np.dot(delta_o, W) * h * (1.0 - h)
t2 = cm.empty((128, 4096))                #  128x4096    +2,097,152   18,644,992
cm.dot(delta_o, W, target=t2)             #  128x4096
t3 = cm.empty((128, 4096))                #  128x4096    +2,097,152   20,742,144
t2.mult(h, target=t3)                     #  128x4096
t2.free_device_memory()                   #  128x4096    -2,097,152   18,644,992
t4 = cm.empty((128, 4096))                #  128x4096    +2,097,152   20,742,144
h.mult(-1, target=t4)                     #  128x4096
t5 = cm.empty((128, 4096))                #  128x4096    +2,097,152   22,839,296
t4.add(1, target=t5)                      #  128x4096
t4.free_device_memory()                   #  128x4096    -2,097,152   20,742,144
delta_h = cm.empty((128, 4096))           #  128x4096    +2,097,152   22,839,296
t3.mult(t5, target=delta_h)               #  128x4096
t3.free_device_memory()                   #  128x4096    -2,097,152   20,742,144
t5.free_device_memory()                   #  128x4096    -2,097,152   18,644,992

# 9: grad_W = np.dot(X.T, delta_h)
grad_W = cm.empty((784, 4096))            #  784x4096   +12,845,056   31,490,048 <- peak
cm.dot(X.T, delta_h, target=grad_W)       #  784x4096

output delta_o: (128, 784)                #  128x784        401,408
output delta_h: (128, 4096)               #  128x4096     2,097,152
output grad_W: (784, 4096)                #  784x4096    12,845,056

# 21 statements: 8 calls, 8 allocations, 5 frees
# peak 31,490,048 bytes (30.0 MiB), 16,146,432 of them inputs
)");
}

TEST(PrintStatements, CountsBytesInThePrecisionAskedFor) {
  const std::string text = print_statements(samples::gradient(), {.bytes_per_element = 16});
  EXPECT_THAT(text, HasSubstr("float128"));
  EXPECT_THAT(text, HasSubstr("# peak 125,960,192 bytes (120.1 MiB), 64,585,728 of them inputs"));
}

TEST(PrintStatements, ColourAddsNothingButEscapes) {
  const std::string plain = print_statements(samples::gradient());
  const std::string colour = print_statements(samples::gradient(), {.colour = true});
  EXPECT_NE(colour, plain);
  EXPECT_EQ(std::regex_replace(colour, std::regex("\x1b\\[[0-9]*m"), ""), plain);
}

TEST(PrintStatements, NamesWhatAVariableStandsFor) {
  Builder b;
  const auto x = b.input_as("lambda", "lambda_", {3});
  const auto y = b.input_as("not a name", "y", {});
  b.output("h", x, {3}).output("scalar", y, {});
  EXPECT_EQ(print_statements(b.done()),
            R"(# Cudamat statements, float32             #  shape   bytes   total
input lambda as lambda_: (3,)             #  1x3       +12      12
input "not a name" as y: ()               #  1x1        +4      16 <- peak

output lambda_ as h: (3,)                 #  1x3        12
output y as scalar: ()                    #  1x1         4

# 0 statements: 0 calls, 0 allocations, 0 frees
# peak 16 bytes, 16 of them inputs
)");
}

TEST(PrintStatements, ShowsViewsConstantsAndInPlaceCalls) {
  Builder b("p.py", "a\n\tb = 'x  y'  # \x1b[31m\n");
  const auto x = b.input("x", {2, 3});
  b.at(1);
  const auto part = b.slice("part", x, 1, 3);
  const auto row = b.reshape("row", part, {1, 4});
  b.at(2);
  const auto c = b.constant("c", {1, 4}, {1, 2, 3, 4}, "np.array([1,\n   2, 3, # '\n 4])");
  b.call(Op::add, c, {{c}, {row}}).call(Op::exp, c, {{c}}).at(0).seed(3);
  const std::string text = print_statements(b.done());
  EXPECT_THAT(text, HasSubstr(R"(
# 1: a
part = x.slice(1, 3)                       #  2x2      view
row = part.view((1, 4))                    #  1x4      view

# 2: b = 'x  y'  # ?[31m
c = cm.CUDAMatrix(np.array([1, 2, 3, 4]))  #  1x4       +16      40 <- peak
c.add(row)                                 #  1x4
cm.exp(c)                                  #  1x4

# -
cm.CUDAMatrix.init_random(3)

# 6 statements: 3 calls, 1 allocation, 0 frees, 2 views
)"));
}

TEST(PrintStatements, LongTextsShiftOnlyTheirOwnLine) {
  Builder b;
  const std::string name(70, 'n');
  const auto x = b.input("x", {1'000'000, 100'000});
  const auto y = b.empty(name, {1, 1});
  b.call(Op::sqrt, y, {{y}}).output("x", x, {1'000'000, 100'000});
  const auto lines = lines_of(print_statements(b.done()));
  EXPECT_EQ(lines[1].find('#'), 42U);
  EXPECT_EQ(lines.at(5), "cm.sqrt(" + name + ")  #  1x1");
  EXPECT_EQ(lines.at(7).find('#'), 42U);
}

TEST(PrintStatements, DifferentStatementsHaveDifferentTexts) {
  const StatementList list = samples::all_spellings();
  const auto texts = statements_of(list);
  ASSERT_EQ(texts.size(), list.inputs.size() + list.statements.size());
  std::map<std::string, std::string> meaning;
  for (std::size_t i = 0; i < list.statements.size(); ++i) {
    const auto& s = list.statements[i];
    std::string content = fmt::format("{} {}:", cudamat::name(s.op), s.target);
    for (const auto& o : s.operands) content += fmt::format(" {}{}", o.var, o.transposed);
    for (const rewriter::Number& n : s.numbers) content += fmt::format(" {:a}", n.value());
    for (const auto n : s.integers) content += fmt::format(" i{}", n);
    const auto [found, is_new] = meaning.emplace(texts[list.inputs.size() + i], content);
    EXPECT_TRUE(is_new || found->second == content) << found->first << ": " << found->second;
  }
  EXPECT_GT(meaning.size(), 1000U);
}

TEST(PrintStatements, EveryLineIsOfTheGrammar) {
  const std::string name = "[A-Za-z_]\\w*";
  const std::string number = "(-?[0-9][0-9.e+-]*|float\\('(nan|-?inf)'\\))";
  const std::string dims = "\\((\\d+,|\\d+, \\d+)?\\)";
  const std::string value = "(" + name + "(\\.T)?|" + number + ")";
  const std::string arguments = "((target|axis|mult|beta|alpha)=)?" + value;
  const std::string call =
      "(cm|" + name + ")\\." + name + "\\((" + arguments + "(, " + arguments + ")*)?\\)";
  const std::regex grammar(
      "input " + name + "( as " + name + ")?: " + dims + "|" + "output " + name + "( as " + name +
      ")?: " + dims + "|" + name + " = cm\\.empty\\(\\(\\d+, \\d+\\)\\)|" + name +
      " = cm\\.CUDAMatrix\\(np\\..*\\)|" + name + " = " + name + "\\.slice\\(\\d+, \\d+\\)|" +
      name + " = " + name + "\\.view\\(\\(\\d+, \\d+\\)\\)|" +
      "cm\\.CUDAMatrix\\.init_random\\(\\d+\\)|" + name + "\\.assign\\((cm|" + name +
      "(\\.T)?)\\." + name + "\\(.*\\)\\)|" + name + "\\.T\\." + name + "\\(.*\\)|" + call);
  for (const StatementList& list :
       {samples::all_spellings(), samples::calls(true).list, samples::gradient()})
    for (const std::string& text : statements_of(list))
      EXPECT_TRUE(std::regex_match(text, grammar)) << text;
}

TEST(PrintStatements, TakesAHundredThousandStatements) {
  Builder b("p.py", "x");
  const auto x = b.input("x", {2, 2});
  for (int i = 0; i < 50'000; ++i) {
    const auto t = b.at(1).empty("v" + std::to_string(i), {2, 2});
    b.call(Op::exp, t, {{x}});
  }
  EXPECT_EQ(statements_of(b.done()).size(), 100'001U);
}

// ---- JSON

TEST(PrintJson, HasEveryFieldOfTheList) {
  using nlohmann::json;
  const json read = json::parse(print_json(samples::gradient(), {.bytes_per_element = 8}));
  EXPECT_EQ(read["format"], "cudamat-statements");
  EXPECT_EQ(read["version"], 1);
  EXPECT_EQ(read["source"], "gradient.py");
  EXPECT_EQ(read["bytes_per_element"], 8);
  EXPECT_EQ(read["inputs"][1], json::parse(R"({"name": "W", "variable": "W", "dims": [784, 4096],
                                              "bytes": 25690112})"));
  EXPECT_EQ(read["variables"].size(), 13U);
  EXPECT_EQ(read["statements"].size(), 21U);
  EXPECT_EQ(read["statements"].back(), json::parse(R"json({
      "kind": "call", "op": "dot", "target": "grad_W", "numbers": [], "integers": [],
      "operands": [{"variable": "X", "transposed": true},
                   {"variable": "delta_h", "transposed": false}],
      "shape": [784, 4096], "bytes": 0, "total": 62980096, "launches": 1,
      "line": 9, "column": 1,
      "text": "cm.dot(X.T, delta_h, target=grad_W)"
})json"));
  EXPECT_EQ(read["outputs"][0]["name"], "delta_o");
  EXPECT_EQ(read["source_lines"]["9"], "grad_W = np.dot(X.T, delta_h)");
  EXPECT_EQ(read["peak"], json::parse(R"({"bytes": 62980096, "statement": 19})"));
}

TEST(PrintJson, SpellsWhatJsonLacks) {
  const double inf = std::numeric_limits<double>::infinity();
  Builder b;
  const auto c = b.constant("c", {1, 3}, {std::nan(""), inf, -0.0});
  b.call(Op::add, c, {{c}}, {-inf});
  const auto read = nlohmann::json::parse(print_json(b.done()));
  EXPECT_EQ(read["source"], nullptr);
  EXPECT_EQ(read["statements"][0]["data"], nlohmann::json::parse(R"([["nan", "inf", -0.0]])"));
  EXPECT_EQ(read["statements"][1]["numbers"][0], "-inf");
  EXPECT_EQ(read["peak"]["statement"], 0);
}

TEST(PrintJson, ReadsBackAllSamples) {
  for (const StatementList& list :
       {samples::calls(true).list, samples::awkward(), StatementList{}}) {
    const auto read = nlohmann::json::parse(print_json(list));
    EXPECT_EQ(read["statements"].size(), list.statements.size());
    EXPECT_EQ(read["outputs"].size(), list.outputs.size());
  }
}

}  // namespace
