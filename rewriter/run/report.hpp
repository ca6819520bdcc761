// What a run knows of its memory, and what it says when something fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include "rewriter/list/statement.hpp"

namespace rewriter {

/// The matrices that a run has made and not freed.
class LiveMemory {
 public:
  /// limit: bytes; 0 for none.
  LiveMemory(const StatementList& list, int bytes_per_element, std::int64_t limit);

  /// Throws OutOfMemory if a block of that many bytes exceeds the limit.
  void check(std::int64_t bytes) const;
  void add(Var var, SourceLocation where);
  void remove(Var var);
  [[nodiscard]] std::int64_t peak() const { return peak_; }
  /// Forgets what was more than this.
  void set_peak(std::int64_t bytes) { peak_ = bytes; }
  /// Of the list: the first to reach its peak; -1: the inputs alone.
  [[nodiscard]] std::ptrdiff_t peak_statement() const;
  /// "(in use 12 bytes, allowed 20; the largest:" and a line for each of the largest matrices.
  [[nodiscard]] std::string report() const;
  /// Saturates.
  [[nodiscard]] std::int64_t bytes(Var var) const;

 private:
  const StatementList& list_;
  int bytes_per_element_;
  std::int64_t limit_;
  std::int64_t in_use_ = 0;
  std::int64_t peak_ = 0;
  struct Entry {
    bool live = false;
    SourceLocation where;
  };
  Table<Entry> entries_;  // by variable
};

/// Throws the exception that is being handled again, with the place of the statement, and with the
/// memory in use if there was too little: the same kind of exception. To be called in a handler.
/// statement: kNoStatement while inputs are copied to the device, `input` is then the variable.
[[noreturn]] void rethrow_with_place(const StatementList& list, std::size_t statement, Var input,
                                     const LiveMemory& memory);

/// The same where the run got no memory, before anything was made: with the statement of the peak,
/// and what would be in use there.
[[noreturn]] void rethrow_at_peak(const StatementList& list, LiveMemory memory);

/// Throws InternalError: the statement took memory, which the run's one block should have had.
[[noreturn]] void allocated(const StatementList& list, std::size_t statement);

/// Throws CUDAMatException unless the array can be the input.
void check_input(const Binding& input, const Dims& shape);
/// Throws CUDAMatException: no value was given for the input.
[[noreturn]] void missing_input(const Binding& input);

}  // namespace rewriter
