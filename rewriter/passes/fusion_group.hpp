// Calls that become one fused statement. Internal to the pass `fuse`.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rewriter/listing/print_text.hpp"
#include "rewriter/passes/parts.hpp"

namespace rewriter {

/// What a call does as steps of a fused statement.
struct FusableCall {
  /// What it reads, and how that lies over the space.
  struct Read {
    Part part;
    cudamat::Spread spread = cudamat::Spread::Whole;
  };

  Extents space;
  std::vector<Read> reads;  ///< in the order of the operands; of an update the target first
  Part target;
  /// assign: it writes an element for each of the space. Else a reduction over `axis`.
  Op reduction = Op::assign;
  int axis = 0;

  [[nodiscard]] bool is_stored() const { return reduction == Op::assign; }
  [[nodiscard]] bool reduces_axis() const {
    return cudamat::row(reduction).family == cudamat::Family::Reduction &&
           axis != cudamat::FusedTarget::kEverything;
  }
};

/// How a vector's shape lies over a space: none if it is neither that nor one of its vectors.
std::optional<cudamat::Spread> spread_over(const Extents& space, const Extents& shape);

/// None for a call, or another statement, that no fused statement can have.
std::optional<FusableCall> fusable(const Parts& parts, const Statement& s);

/// The fused statement of calls that are added in their order.
class FusionGroup {
 public:
  // Of one statement: what fits into a reader's line, a kernel's parameters and its registers.
  static constexpr std::size_t kMostSteps = 64;
  static constexpr std::size_t kMostParts = 24;

  /// Of calls over `space` or, where a reduction of the group is read, over its vectors. Matrices
  /// that are filled with a number are operands, or this number.
  FusionGroup(const Parts& parts, Extents space, bool fills_are_numbers)
      : parts_(parts), space_(std::move(space)), fills_are_numbers_(fills_are_numbers) {}

  /// Why the statement, which is this call, cannot be one of them; empty if it is now.
  std::string add(const Statement& s, const FusableCall& call);
  /// Why all of them together cannot be one; empty if they can.
  [[nodiscard]] std::string against() const;

  /// What the calls write, last, and which call it was. Of a reduction over an axis that is a
  /// vector of the space, too.
  struct Written {
    Part part;
    cudamat::FusedValue value;
    std::size_t call;  ///< how many were added before it
    cudamat::Spread lies;
  };
  [[nodiscard]] const std::vector<Written>& written() const { return written_; }

  /// Whether there is a reduction whose result must be stored in any case.
  [[nodiscard]] bool reduces() const { return !reduced_.empty(); }
  /// Whether it reads or writes a matrix of the whole space, as a statement must.
  [[nodiscard]] bool has_space() const {
    constexpr auto kWhole = cudamat::Spread::Whole;
    return std::ranges::find(inputs_, kWhole, &Input::spread) != inputs_.end() ||
           std::ranges::find(written_, kWhole, &Written::lies) != written_.end();
  }
  /// Operands, and what is so reduced into.
  [[nodiscard]] std::size_t operands() const { return inputs_.size() + reduced_.size(); }

  /// The statement; `stored` says of each of written() whether the value is wanted in memory.
  [[nodiscard]] Statement statement(const std::vector<bool>& stored,
                                    const print::ListNames& names) const;

 private:
  struct Input {
    Part part;
    cudamat::Spread spread;
  };
  struct Reduced {
    Part part;
    cudamat::FusedTarget target;
  };
  using Value = cudamat::FusedValue;

  [[nodiscard]] std::string against(const FusableCall& call, cudamat::Spread lies) const;
  /// How what a call over such a part of the space reads lies over the space.
  static cudamat::Spread over_space(cudamat::Spread call, cudamat::Spread read);
  [[nodiscard]] const Written* find_written(const Part& part, cudamat::Spread lies) const;
  Value read(const Part& part, cudamat::Spread spread);
  Value number(const Number& number);
  Value step(Op op, std::initializer_list<Value> operands);
  Value steps(const Statement& s, const FusableCall& call, cudamat::Spread lies);
  void write(const FusableCall& call, Value value, cudamat::Spread lies);
  Value scaled(Op op, Value a, Value b, const Number& factor);
  [[nodiscard]] std::vector<int> kept_steps(const std::vector<bool>& stored) const;
  /// Whether the value is this very number.
  [[nodiscard]] bool is_number(const Value& value, double number) const;

  const Parts& parts_;
  std::vector<Input> inputs_;
  std::vector<Number> numbers_;
  std::vector<cudamat::FusedStep> steps_;
  std::vector<Written> written_;
  std::vector<Reduced> reduced_;
  Extents space_;
  bool fills_are_numbers_;
  std::optional<cudamat::Spread> direction_;  // of the reductions
  bool has_vectors_ = false;                  // calls over a vector of the space
  bool reads_reduction_ = false;              // of its own
  bool draws_ = false;
  std::size_t calls_ = 0;
};

}  // namespace rewriter
