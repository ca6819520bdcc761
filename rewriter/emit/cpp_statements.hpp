// The statements of a list as C++ that stands alone: what CppProgram (cpp_program.hpp) writes
// between the reading of its inputs and the writing of its results. CudaProgram (cuda_program.cpp)
// has loops over elements as kernels, and matrices in the device's memory.
#pragma once

#include <deque>
#include <set>
#include <string>
#include <vector>

#include "cudamat/fused.hpp"
#include "rewriter/emit/print.hpp"
#include "rewriter/emit/program_text.hpp"
#include "rewriter/emit/standalone.hpp"
#include "rewriter/list/checks.hpp"
#include "rewriter/plan/arena.hpp"

namespace rewriter {

class CppStatements : protected ProgramText {
 public:
  virtual ~CppStatements() = default;

 protected:
  CppStatements(const StatementList& list, int bytes_per_element);

  void write_statement(std::size_t index);

  /// How the statement that makes a variable begins.
  std::string declared(Var var) const {
    return (in_parts_ ? "" : "const cm::Matrix ") + names_[var];
  }
  /// Whether a variable is read or written anywhere; the others need not be made.
  bool is_used(Var var) const { return used_.contains(var); }

  using Spread = cudamat::Spread;
  using FusedValue = cudamat::FusedValue;

  /// A matrix, or some rows of it, over a space.
  struct Place {
    Var var = kNoVar;
    Spread spread = Spread::Whole;
    const Statement::Rows* rows = nullptr;
    ListInteger column{};
    bool transposed = false;
  };
  struct Store {
    Place place;
    FusedValue value;
  };
  struct Reduced {
    Var var = kNoVar;
    cudamat::FusedTarget target;
  };
  /// What is computed for each element of a space.
  struct Elements {
    Extents space;
    std::vector<Place> inputs;
    std::vector<std::string> numbers;
    std::vector<cudamat::FusedStep> steps;
    std::vector<Store> stores;
    std::vector<Reduced> reduced{};

    bool has_rows() const { return space.rows != ListInteger{1, {}}; }
    bool has_columns() const { return space.cols != ListInteger{1, {}}; }
  };
  /// The text of what is computed for each element: lines, and of a reduction the value.
  struct Body {
    bool flat = false;  ///< one index goes over all: the matrices have the elements without gaps
    std::vector<std::string> lines;
    std::string value;
  };

  // What differs between machines.
  virtual emit::Machine machine() const { return emit::Machine::Cpu; }
  bool is_for_gpu() const { return machine() == emit::Machine::Gpu; }
  std::string_view form() const { return is_for_gpu() ? "cuda" : "cpp"; }
  /// The number of element 0 of a matrix, on the host.
  virtual std::string first(const std::string& matrix) const { return matrix + "[0]"; }
  virtual void write_filled(const std::string& matrix, const std::string& value);
  /// Zeros, and ones down a diagonal from row i and column j on.
  virtual void write_eye(const std::string& matrix, Index i, Index j, Index count);
  /// An array's numbers, column by column.
  virtual void write_copied(const std::string& array, const std::string& matrix);
  virtual void write_whole(const std::string& target, std::string_view function,
                           const std::string& operands);
  virtual void write_loops(const Elements& all, const Body& body);
  /// `rest` is what the call has after the target.
  virtual void write_reduction_of(const Elements& all, const Body& body, const Reduced& reduced,
                                  const std::string& rest);

  std::string text_of(const ListInteger& value) const { return print::affine_text(value, names_); }
  /// The number of a space's elements.
  std::string count_text(const Extents& space) const {
    if (space.rows.terms.empty() && space.cols.terms.empty())
      return fmt::format("{}", space.rows.constant * space.cols.constant);
    return fmt::format("({}) * ({})", text_of(space.rows), text_of(space.cols));
  }
  /// The functor, extents and, at the end, the target of a call of cm::reduce.
  struct ReduceCall {
    std::string functor, extents, target;
  };
  ReduceCall reduce_call(const Elements& all, const Reduced& reduced) const;

  int bytes_;
  Arena arena_;
  bool in_parts_;  ///< whether the statements are those of several functions
  bool draws_;
  const std::map<std::size_t, std::string_view> checks_ = failed_checks(list_);
  std::string memory_ = names_.fresh("memory"), random_ = names_.fresh("random");
  std::string i_ = names_.fresh("i"), j_ = names_.fresh("j"), k_ = names_.fresh("k");

 private:
  [[noreturn]] void refuse(const Statement& s, const std::string& text) const {
    throw cudamat::CUDAMatException(
        print::located(list_, s.where, fmt::format("[{}] {}", form(), text)));
  }

  // numbers and names
  std::string numbered_name(std::string name) const;
  std::string number(double value) const;
  Extents extents(Var var) const {
    return variable(var).varying ? *variable(var).varying : Extents(variable(var).shape);
  }
  std::string operand(const Statement& s, std::size_t i) const {
    const auto& [var, transposed] = s.operands.at(i);
    return transposed ? fmt::format("cm::transposed({})", names_[var]) : names_[var];
  }

  // loops over elements
  std::string operation(Op op, const std::vector<std::string>& operands) const;
  std::string element(const Place& place, const Elements& all, bool flat) const;
  bool is_flat(const Elements& all) const;
  std::vector<std::string> values(const Elements& all, bool flat,
                                  const std::vector<FusedValue>& wanted,
                                  std::vector<std::string>& before);
  std::string value(const FusedValue& of, const Elements& all, bool flat,
                    const std::vector<std::string>& steps) const;
  void write_elements(const Elements& all);
  void write_stores(const Elements& all);
  void write_reduced(const Elements& all, const Reduced& reduced);
  Elements elements_of_call(const Statement& s) const;
  Elements elements_of_fused(const Statement& s) const;

  // statements
  void write_constant(const Statement& s);
  void write_call(const Statement& s);
  void write_reduction(const Statement& s);
  void write_loop(const Statement& s);
  void write_print(const Statement& s);
  static std::string array_text(const ArrayFormat& array, DType dtype, const std::string& matrix);

  std::set<Var> used_;
  std::string step_;  ///< with a number, what a step of a loop over elements is called
  mutable std::deque<Statement::Rows> rows_;  // of slices
};

}  // namespace rewriter
