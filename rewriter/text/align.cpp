// Hirschberg's division of the problem (CACM 18:6, 1975) over the bit-parallel lengths of Hyyroe
// ("Bit-parallel LCS-length computation revisited", 2004).
#include "rewriter/text/align.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>

namespace rewriter {

namespace {

using Lines = std::span<const int>;
using Word = std::uint64_t;
constexpr std::size_t kBits = 64;

/// lengths[j]: of the common subsequence of a and the first j of b. `reversed`: of the last j, both
/// taken from their ends.
std::vector<std::size_t> lengths(Lines a, Lines b, bool reversed) {
  const auto at = [reversed](Lines lines, std::size_t i) {
    return lines[reversed ? lines.size() - 1 - i : i];
  };
  std::unordered_map<int, std::vector<std::size_t>> places;
  for (std::size_t j = 0; j < b.size(); ++j) places[at(b, j)].push_back(j);
  // A zero bit j: with b[j] the length grows by one.
  std::vector<Word> row(b.size() / kBits + 1, ~Word{0});
  std::vector<Word> equal(row.size(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto found = places.find(at(a, i));
    if (found == places.end()) continue;
    for (const std::size_t j : found->second) equal[j / kBits] |= Word{1} << j % kBits;
    bool carry = false;
    for (std::size_t w = found->second.front() / kBits; w < row.size(); ++w) {
      const Word both = row[w] & equal[w];
      Word sum = 0;
      bool over = __builtin_add_overflow(row[w], both, &sum);
      over |= __builtin_add_overflow(sum, Word{carry}, &sum);
      carry = over;
      row[w] = sum | (row[w] & ~equal[w]);
    }
    for (const std::size_t j : found->second) equal[j / kBits] = 0;
  }
  std::vector<std::size_t> result(b.size() + 1, 0);
  for (std::size_t j = 0; j < b.size(); ++j)
    result[j + 1] = result[j] + ((row[j / kBits] >> j % kBits & 1) == 0);
  return result;
}

class Alignment {
 public:
  std::vector<std::pair<std::size_t, std::size_t>> pairs;

  /// a and b start at these places of the whole.
  void align(Lines a, std::size_t from_a, Lines b, std::size_t from_b) {
    while (!a.empty() && !b.empty() && a.front() == b.front()) {
      pairs.emplace_back(from_a++, from_b++);
      a = a.subspan(1);
      b = b.subspan(1);
    }
    std::size_t tail = 0;
    while (tail < std::min(a.size(), b.size()) && a[a.size() - 1 - tail] == b[b.size() - 1 - tail])
      ++tail;
    const std::size_t end_a = a.size() - tail;
    const std::size_t end_b = b.size() - tail;
    divide(a.first(end_a), from_a, b.first(end_b), from_b);
    for (std::size_t i = 0; i < tail; ++i)
      pairs.emplace_back(from_a + end_a + i, from_b + end_b + i);
  }

 private:
  void divide(Lines a, std::size_t from_a, Lines b, std::size_t from_b) {
    if (a.empty() || b.empty()) return;
    if (a.size() == 1) {
      const auto found = std::find(b.begin(), b.end(), a.front());
      if (found != b.end())
        pairs.emplace_back(from_a, from_b + static_cast<std::size_t>(found - b.begin()));
      return;
    }
    const std::size_t half = a.size() / 2;
    const auto before = lengths(a.first(half), b, false);
    const auto behind = lengths(a.subspan(half), b, true);
    std::size_t cut = 0;
    for (std::size_t j = 1; j <= b.size(); ++j)
      if (before[j] + behind[b.size() - j] > before[cut] + behind[b.size() - cut]) cut = j;
    align(a.first(half), from_a, b.first(cut), from_b);
    align(a.subspan(half), from_a + half, b.subspan(cut), from_b + cut);
  }
};

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> common_subsequence(
    const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::unordered_map<std::string_view, int> numbers;
  const auto numbered = [&numbers](const std::vector<std::string>& lines) {
    std::vector<int> result;
    for (const std::string& line : lines)
      result.push_back(numbers.try_emplace(line, static_cast<int>(numbers.size())).first->second);
    return result;
  };
  const std::vector<int> numbers_a = numbered(a);
  const std::vector<int> numbers_b = numbered(b);
  Alignment alignment;
  alignment.align(numbers_a, 0, numbers_b, 0);
  return std::move(alignment.pairs);
}

}  // namespace rewriter
