// What a caller's memory must be for a run to read and write it in place.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "rewriter/list/statement.hpp"

namespace rewriter {

/// Of the runs of one list: what is the same for all is computed once. One thread at a time.
class MemoryCheck {
 public:
  /// `list` must outlive it. Throws CUDAMatException unless `overwritten` is empty or has an
  /// element for each input.
  MemoryCheck(const StatementList& list, const std::vector<bool>& overwritten, int element_bytes);

  /// Throws CUDAMatException unless there is a pointer for each input and output, those of inputs
  /// are not null, and no output overlaps another one or an input that is not `overwritten`.
  template <class T>
  void check(std::span<const T* const> inputs, std::span<T* const> outputs) {
    check_counts(inputs.size(), outputs.size());
    used_.clear();
    for (std::size_t i = 0; i < inputs.size(); ++i) add_input(i, inputs[i]);
    for (std::size_t i = 0; i < outputs.size(); ++i) add(outputs[i], output_bytes_[i], i, true);
    check_overlaps();
  }

 private:
  struct Used {
    const char* begin;
    const char* end;
    std::size_t index;  ///< of the input or the output
    bool is_output;
  };

  void check_counts(std::size_t inputs, std::size_t outputs) const;
  void add_input(std::size_t i, const void* data);
  void add(const void* data, std::size_t bytes, std::size_t index, bool is_output);
  void check_overlaps();
  [[noreturn]] void refuse(const Used& one, const Used& other) const;

  const StatementList& list_;
  std::vector<bool> overwritten_;
  std::vector<std::size_t> input_bytes_, output_bytes_;
  std::vector<Used> used_;  ///< of a run
};

}  // namespace rewriter
