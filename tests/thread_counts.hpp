// The numbers of threads that a test goes through, on which no result depends.
#pragma once

#include <initializer_list>
#include <vector>

#include "tests/sanitizers.hpp"

/// `counts`; only one under ThreadSanitizer, where npmat shares all work between two threads,
/// whatever OpenMP is set to (npmat/threads.cpp): the others would be the same once more.
inline std::vector<int> thread_counts(std::initializer_list<int> counts) {
  if (tests::under_thread_sanitizer()) return {2};
  return counts;
}
