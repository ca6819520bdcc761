// Copies a list, statement by statement, with the iterations of some loops unrolled. For passes
// that unroll loops.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rewriter/list/names.hpp"
#include "rewriter/passes/pass.hpp"

namespace rewriter {

class LoopCopies {
 public:
  explicit LoopCopies(const StatementList& list);
  virtual ~LoopCopies() = default;
  LoopCopies(const LoopCopies&) = delete;
  LoopCopies& operator=(const LoopCopies&) = delete;

  PassResult run();

 protected:
  /// Copies the statements [begin, end).
  void write(std::size_t begin, std::size_t end);
  /// Copies the loop that begins there in the way of the pass. Returns the position of its End.
  virtual std::size_t write_loop(std::size_t at) = 0;

  /// Writes a loop with this range, whose body is written by `body`.
  template <class F>
  void keep_loop(std::size_t at, const ListLoop& range, const F& body) {
    open_loop(at, range);
    body();
    close_loop(at);
  }
  /// Sets the variable of a loop for the statements that follow: a number, or the new loop's
  /// variable and an offset.
  void set_variable(int loop, ListInteger value) { value_[loop] = std::move(value); }
  void reset_variable(int loop) { value_[loop].reset(); }
  /// Renames the variables of another copy of these statements.
  void rename(std::size_t begin, std::size_t end);

  /// The loop after substitution of known loop variables.
  [[nodiscard]] ListLoop folded(const ListLoop& loop) const;
  [[nodiscard]] std::size_t end_of(std::size_t loop) const { return nesting_.partner[loop]; }
  [[nodiscard]] const StatementList& list() const { return list_; }
  [[nodiscard]] const StatementList& written() const { return result_.list; }
  /// The new index of a loop.
  [[nodiscard]] int loop_of(int loop) const { return loop_[loop]; }
  /// The new variable for an old one.
  Var& variable_of(Var var) { return var_[var]; }

  void say(Remark::Kind kind, const Statement& s, std::string text) {
    result_.remarks.push_back({kind, s.where, std::move(text)});
  }

 private:
  void open_loop(std::size_t at, const ListLoop& range);
  void close_loop(std::size_t at);
  [[nodiscard]] ListInteger folded(const ListInteger& integer) const;
  Statement written(const Statement& s);
  void fold_shape(const Statement& s);

  const StatementList& list_;
  LoopNesting nesting_;
  PassResult result_;
  Names names_;
  Table<std::optional<ListInteger>> value_;  // by loop: of its variable, where that is known
  Table<int> loop_;                          // by loop: the new one
  std::vector<int> open_;                    // of those
  Table<Var> var_;                           // by variable: the new one
};

}  // namespace rewriter
