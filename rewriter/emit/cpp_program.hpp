// Lists as C++ programs that need no library of ours.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include "rewriter/emit/cpp_statements.hpp"

namespace rewriter {

class CppProgram : protected CppStatements {
 public:
  CppProgram(const StatementList& list, const Program* program, const PrintOptions& options);

  std::string print();

 protected:
  /// What the file says of itself, at its beginning.
  struct Head {
    std::string language;
    std::string command;                 ///< that builds it, of FILE
    std::vector<std::string> remarks{};  ///< on it
  };
  virtual Head head(const std::string& standalone) const;
  /// What stands before run(), once that is written.
  virtual std::string before_run() const { return ""; }
  virtual void write_input(const Binding& input);
  virtual void write_output(const Binding& output);

  /// Whether a matrix has the elements of an array in the order in which they lie.
  bool lies_alike(const Binding& binding) const {
    const cudamat::Shape shape = variable(binding.var).shape;
    return in_c_order(binding) || shape.rows == 1 || shape.cols == 1;
  }
  /// The name of the pointer to an input's or an output's elements.
  const std::string& parameter(const Binding& binding, bool is_input) const {
    return parameters_.at({is_input, binding.name});
  }
  /// The matrix of an input, at its place in memory.
  void write_room(const Binding& input);

 private:
  std::string parameters(bool typed) const;
  void write_inputs();
  void write_outputs();
  void write_run();
  void write_parts();
  void write_entry();
  void write_main();
  std::string with_head(const std::string& body);

  std::string type() const {
    return bytes_ == 4 ? "float" : bytes_ == 8 ? "double" : "long double";
  }

  const Program* program_;
  std::set<Var> written_;  ///< owners
  /// Of an input (true) or an output of this name: what its pointer is called.
  std::map<std::pair<bool, std::string>, std::string> parameters_;
};

/// The list with its fused statements as far as printed programs have them, and allocations before
/// loops.
StatementList list_of_program(const StatementList& list);

}  // namespace rewriter
