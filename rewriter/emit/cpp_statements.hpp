// The statements of a list as C++ that stands alone: what CppProgram (cpp_program.cpp) writes
// between the reading of its inputs and the writing of its results.
#pragma once

#include <deque>
#include <set>
#include <string>
#include <vector>

#include "cudamat/fused.hpp"
#include "rewriter/emit/print.hpp"
#include "rewriter/emit/program_text.hpp"
#include "rewriter/plan/arena.hpp"

namespace rewriter {

class CppStatements : protected ProgramText {
 protected:
  CppStatements(const StatementList& list, int bytes_per_element);

  void write_statement(std::size_t index);

  /// How the statement that makes a variable begins.
  std::string declared(Var var) const {
    return (in_parts_ ? "" : "const cm::Matrix ") + names_[var];
  }
  /// Whether a variable is read or written anywhere; the others need not be made.
  bool is_used(Var var) const { return used_.contains(var); }

  int bytes_;
  Arena arena_;
  bool in_parts_;  ///< whether the statements are those of several functions
  bool draws_;
  std::string memory_ = names_.fresh("memory"), random_ = names_.fresh("random");

 private:
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
  };

  [[noreturn]] void refuse(const Statement& s, const std::string& text) const {
    throw cudamat::CUDAMatException(print::located(list_, s.where, "[cpp] " + text));
  }

  // numbers and names
  std::string number(double value) const;
  Extents extents(Var var) const {
    return variable(var).varying ? *variable(var).varying : Extents(variable(var).shape);
  }
  std::string text_of(const ListInteger& value) const { return print::affine_text(value, names_); }
  /// The number of a space's elements.
  std::string count_text(const Extents& space) const {
    if (space.rows.terms.empty() && space.cols.terms.empty())
      return fmt::format("{}", space.rows.constant * space.cols.constant);
    return fmt::format("({}) * ({})", text_of(space.rows), text_of(space.cols));
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

  std::set<Var> used_;
  std::string i_ = names_.fresh("i"), j_ = names_.fresh("j"), k_ = names_.fresh("k");
  std::string step_ = names_.fresh("v");
  mutable std::deque<Statement::Rows> rows_;  // of slices
};

}  // namespace rewriter
