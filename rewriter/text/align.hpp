// The longest common subsequence of two texts, line by line.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace rewriter {

/// Pairs (i, j), both rising, with a[i] == b[j]: as many as there can be. Memory is linear; time is
/// a.size() * b.size() / 64, without what the two have in common at their ends.
std::vector<std::pair<std::size_t, std::size_t>> common_subsequence(
    const std::vector<std::string>& a, const std::vector<std::string>& b);

}  // namespace rewriter
