// Calls that become one fused statement. Internal to the pass `fuse`.
#pragma once

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
};

/// None for a call, or another statement, that no fused statement can have.
std::optional<FusableCall> fusable(const Parts& parts, const Statement& s);

/// The fused statement of calls that are added in their order.
class FusionGroup {
 public:
  // Of one statement: what fits into a reader's line, a kernel's parameters and its registers.
  static constexpr std::size_t kMostSteps = 64;
  static constexpr std::size_t kMostParts = 24;

  explicit FusionGroup(const Parts& parts) : parts_(parts) {}

  /// Why the statement, which is this call, cannot be one of them; empty if it is now.
  std::string add(const Statement& s, const FusableCall& call);

  /// What the calls write, last, and which call it was.
  struct Written {
    Part part;
    cudamat::FusedValue value;
    std::size_t call;  ///< how many were added before it
  };
  [[nodiscard]] const std::vector<Written>& written() const { return written_; }

  [[nodiscard]] bool reduces() const { return !reduced_.empty(); }
  /// Operands, and what is reduced into.
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

  [[nodiscard]] std::string against(const FusableCall& call) const;
  Value read(const FusableCall::Read& read);
  Value number(const Number& number);
  Value step(Op op, std::initializer_list<Value> operands);
  Value steps(const Statement& s, const FusableCall& call);
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
  std::optional<Extents> space_;
  std::size_t calls_ = 0;
};

}  // namespace rewriter
