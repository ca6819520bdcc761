// For tests of passes: programs in NumPy notation through a pass, the statements that come out, and
// whether they compute what the literal list computes.
#pragma once

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <gmock/gmock.h>
#include <limits>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "rewriter/emit/print.hpp"
#include "rewriter/list/verify.hpp"
#include "rewriter/lower/lower.hpp"
#include "rewriter/passes/pass.hpp"
#include "rewriter/reader/reader.hpp"
#include "rewriter/run/run.hpp"

namespace pass_programs {

using namespace rewriter;
using Lines = std::vector<std::string>;

inline constexpr PassOptions kExact{};
inline constexpr PassOptions kMayRound{.may_round = true};

inline StatementList lowered(const std::string& text,
                             const std::vector<std::string>& outputs = {}) {
  return lower(read(Source("test.py", text)), outputs);
}

/// The statements as they are printed, without inputs, allocations and frees.
inline Lines statements(const StatementList& list) {
  Lines lines;
  std::istringstream text(print_statements(list));
  for (std::string line; std::getline(text, line);) {
    if (const auto comment = line.find('#'); comment != std::string::npos) line.resize(comment);
    line.erase(line.find_last_not_of(' ') + 1);
    line.erase(0, line.find_first_not_of(' '));
    const bool shown = !line.empty() && line.rfind("input ", 0) != 0 &&
                       line.find("cm.empty(") == std::string::npos &&
                       line.find(".free_device_memory()") == std::string::npos;
    if (shown) lines.push_back(line);
  }
  return lines;
}

/// Normal numbers; with `special`, NaN, infinities and zeros of both signs among them.
template <class T>
std::map<std::string, npmat::Array<T>> data_for(const StatementList& list, bool special) {
  using Limits = std::numeric_limits<T>;
  const std::vector<T> specials = {
      Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), T(-0.0), T(0), T(1), T(-1)};
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  std::map<std::string, npmat::Array<T>> data;
  for (const Binding& input : list.inputs) {
    npmat::Array<T> array{input.dims, {}};
    for (Index i = 0; i < matrix_shape(input.dims).size(); ++i)
      array.data.push_back(special && random() % 3 == 0 ? specials[random() % specials.size()]
                                                        : T(normal(random)));
    data.emplace(input.name, std::move(array));
  }
  return data;
}

template <class T>
bool same_number(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}

/// Both lists on npmat: equal bits, or, with `rounding`, differences of at most that many units in
/// the last place of the array's largest number. (NaN are equal: their bits are not observed.)
template <class T>
void expect_same_results(const StatementList& literal, const StatementList& list, bool special,
                         double rounding = 0) {
  const auto data = data_for<T>(literal, special);
  const RunOptions options{.seed = 3, .print = [](const std::string&) {}};
  const auto expected = run<npmat::CUDAMatrix<T>>(literal, data, options).outputs;
  const auto actual = run<npmat::CUDAMatrix<T>>(list, data, options).outputs;
  ASSERT_EQ(actual.size(), expected.size());
  for (const auto& [name, array] : expected) {
    const auto& other = actual.at(name);
    ASSERT_EQ(other.shape, array.shape) << name;
    T largest = 1;
    for (const T number : array.data) largest = std::max(largest, std::abs(number));
    const T tolerance = T(rounding) * std::numeric_limits<T>::epsilon() * largest;
    for (std::size_t i = 0; i < array.data.size(); ++i)
      ASSERT_TRUE(same_number(array.data[i], other.data[i]) ||
                  (rounding > 0 && std::abs(array.data[i] - other.data[i]) <= tolerance))
          << name << "[" << i << "]: " << array.data[i] << " became " << other.data[i]
          << (special ? " (special data)\n" : "\n") << print_statements(list);
  }
}

/// The pass's result, checked: verify() accepts it, the pass finds nothing more to do in it, and it
/// computes the same: bit for bit in float and double if nothing may round.
inline PassResult checked(PassFunction pass, const StatementList& literal, PassOptions options,
                          double rounding = 0) {
  PassResult result = pass(literal, options);
  verify(result.list);
  const PassResult again = pass(result.list, options);
  EXPECT_EQ(print_statements(again.list), print_statements(result.list)) << "not idempotent";
  for (const bool special : {false, true}) {
    if (special && rounding > 0) continue;
    expect_same_results<float>(literal, result.list, special, rounding);
    expect_same_results<double>(literal, result.list, special, rounding);
  }
  return result;
}

/// The statements that a pass makes of a program, checked. Where rounding may change, values of a
/// few steps of at most 20 terms each differ by a few units in the last place, and by the error
/// before a cancellation: 64 leave room for that and for no mistake.
inline Lines after(PassFunction pass, const std::string& text, PassOptions options = kExact,
                   const std::vector<std::string>& outputs = {}) {
  const double rounding = options.may_round ? 64 : 0;
  return statements(checked(pass, lowered(text, outputs), options, rounding).list);
}

/// The texts of the remarks of one kind.
inline Lines remarks(PassFunction pass, const std::string& text, Remark::Kind kind,
                     PassOptions options = kExact, const std::vector<std::string>& outputs = {}) {
  Lines lines;
  for (const Remark& remark : pass(lowered(text, outputs), options).remarks)
    if (remark.kind == kind) lines.push_back(remark.text());
  return lines;
}
inline Lines refusals(PassFunction pass, const std::string& text, PassOptions options = kExact,
                      const std::vector<std::string>& outputs = {}) {
  return remarks(pass, text, Remark::Kind::Refused, options, outputs);
}

/// The programs of tests/programs.
inline std::vector<std::string> program_files() {
  std::vector<std::string> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(CUDAMAT_SOURCE_DIR "/tests/programs"))
    if (entry.path().extension() == ".py") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

/// A program of such statements as passes rewrite, in any order, over values that share memory.
std::string random_program(unsigned seed);

/// The pass on all of them: bit for bit, on data with NaN, infinities and zeros of both signs.
void expect_exact_on_many_programs(PassFunction pass);

}  // namespace pass_programs
