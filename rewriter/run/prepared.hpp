// A statement list made ready to run again and again.
//
//   rewriter::PreparedList<npmat::CUDAMatrix<float>> step(list);
//   step.run({{x, w}}, {{y}});     // NumPy's memory, in the order of list.inputs and list.outputs
//
// What run() does before the first statement (it verifies, and places the memory) is done once.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "rewriter/run/run.hpp"

namespace rewriter {

template <class M>
class PreparedList {
 public:
  using T = typename M::value_type;
  struct Bytes {
    std::int64_t peak = 0;   ///< see RunResult
    std::int64_t arena = 0;  ///<
  };

  /// `overwritten`: by input, whether an output of a run may lie in its memory; empty: none does.
  /// `numbers`: by input, whether RunOptions::numbers has it in each run; empty: none.
  /// Throws InternalError for a list that fails verify(), CUDAMatException if `overwritten` has
  /// another length than the inputs.
  explicit PreparedList(StatementList list, const std::vector<bool>& overwritten = {},
                        const std::vector<bool>& numbers = {});
  ~PreparedList();
  PreparedList(PreparedList&&) noexcept;
  PreparedList(const PreparedList&) = delete;
  PreparedList& operator=(const PreparedList&) = delete;

  [[nodiscard]] const StatementList& list() const;

  /// Computes as run() does. `inputs` and `outputs` are the memory of the list's, one for one, each
  /// in C order with as many elements as the binding's dims say; outputs that are null are not
  /// wanted. On the host an input that no statement writes to is read where it lies, if it is in
  /// its matrix's order; the others, and those that may be overwritten, are copied once. An output
  /// in its matrix's order is computed where it is to be; also in the memory of an input that the
  /// statements make it of in place, which is not copied then. A run that throws has written some
  /// of the outputs.
  ///
  /// Throws CUDAMatException, before anything is computed, unless there are as many pointers as the
  /// list has inputs and outputs, no input is null, and no output overlaps another one or an input
  /// that is not `overwritten`.
  ///
  /// The block of memory stays for the next run where it has at most 64 MiB. One thread at a time.
  Bytes run(std::span<const T* const> inputs, std::span<T* const> outputs,
            const RunOptions& options = {});

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace rewriter
