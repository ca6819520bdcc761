#include "pass_programs.hpp"

#include <array>
#include <fmt/format.h>

namespace pass_programs {

std::string random_program(unsigned seed) {
  std::mt19937 random(seed);
  const auto pick = [&](const auto& choices) { return choices[random() % choices.size()]; };
  std::vector<std::string> names = {"x", "y"};
  const std::array<std::string, 9> numbers = {"1", "2", "-1", "0", "0.5", "3", "-0.0", "0.1", "4"};
  const std::array<std::string, 4> binary = {"+", "-", "*", "/"};
  const std::array<std::string, 30> values = {
      "{a} {op} {n}",
      "{n} {op} {a}",
      "{a} {op} {b}",
      "({a} {op} {n}) {op2} {n2}",
      "-{a}",
      "-(-{a})",
      "-({a} - {b})",
      "{a} - -{b}",
      "{a}.copy()",
      "{a}.T.T",
      "{a} + {b} * {n}",
      "{b} * {n} + {a}",
      "{a} - {n} * {b}",
      "{a} * {n} + {b} * {n2}",
      "{a} + {b}.sum(0)",
      "{a} - {b}.sum(0) * {n}",
      "{a} + col * {n}",
      "{a} - col",
      "{a} * {b} * (1 - {b})",
      "{a} * ({b} * (1 - {b}))",
      "1 / {a}",
      "1 / (1 + np.exp(-{a}))",
      "np.log(1 + np.exp({a}))",
      "np.dot({a}, {b}.T) @ {a} + {b}",
      "{a} + row * np.ones(5)",
      "np.exp({a}) + np.exp({a})",
      "{a} * np.ones((4, 5))",
      "{a} + ({b}.sum(0) / 4)",
      "(row * {n} + {a}.sum(0)) - {b}.sum(0) + {a}",
      "np.ones((4, 5)) * {n}",
  };
  const std::array<std::string, 7> updates = {"{a} += {b} * {n}",  "{a} *= {n}",
                                              "{a}[:, 1:3] = {n}", "{a}[1:] += {b}[1:]",
                                              "{a} -= {b}.sum(0)", "row += {b}.sum(0) * {n}",
                                              "{a} *= {b}"};
  std::string program = "x: (4, 5)\ny: (4, 5)\nrow: (5,)\ncol: (4, 1)\nimport numpy as np\n";
  const auto filled = [&](std::string text) {
    const std::array<std::pair<std::string, std::string>, 6> places = {{{"{a}", pick(names)},
                                                                        {"{b}", pick(names)},
                                                                        {"{n}", pick(numbers)},
                                                                        {"{n2}", pick(numbers)},
                                                                        {"{op}", pick(binary)},
                                                                        {"{op2}", pick(binary)}}};
    for (const auto& [place, value] : places)
      for (auto at = text.find(place); at != std::string::npos; at = text.find(place))
        text.replace(at, place.size(), value);
    return text;
  };
  for (int i = 0; i < 12; ++i) {
    if (random() % 4 == 0) {
      program += filled(pick(updates)) + "\n";
      continue;
    }
    const std::string name = random() % 3 == 0 ? pick(names) : fmt::format("v{}", i);
    program += fmt::format("{} = {}\n", name, filled(pick(values)));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return program;
}

void expect_exact_on_many_programs(PassFunction pass) {
  for (const std::string& file : program_files()) {
    SCOPED_TRACE(file);
    checked(pass, lower(read(Source::from_file(file))), kExact);
  }
  for (unsigned seed = 0; seed < 300; ++seed) {
    const std::string program = random_program(seed);
    SCOPED_TRACE(program);
    checked(pass, lowered(program), kExact);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace pass_programs
