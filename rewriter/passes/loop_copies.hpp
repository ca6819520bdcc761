// A list written anew, statement by statement, with iterations of some loops one after the other.
// For passes that write loops out.
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
  /// The statements [begin, end).
  void write(std::size_t begin, std::size_t end);
  /// The loop that begins there, as the pass wants it. Returns where its End is.
  virtual std::size_t write_loop(std::size_t at) = 0;

  /// The loop with this range and its body, written by `body`.
  template <class F>
  void keep_loop(std::size_t at, const ListLoop& range, const F& body) {
    open_loop(at, range);
    body();
    close_loop(at);
  }
  /// The loop's variable, in what is written from here on: a number, or the loop that stands for it
  /// and a distance.
  void set_variable(int loop, ListInteger value) { value_[loop] = std::move(value); }
  void reset_variable(int loop) { value_[loop].reset(); }
  /// Of one more copy of these statements the variables are others.
  void rename(std::size_t begin, std::size_t end);

  /// With what is known of the loops' variables.
  [[nodiscard]] ListLoop folded(const ListLoop& loop) const;
  [[nodiscard]] std::size_t end_of(std::size_t loop) const { return nesting_.partner[loop]; }
  [[nodiscard]] const StatementList& list() const { return list_; }
  [[nodiscard]] const StatementList& written() const { return result_.list; }
  /// The loop that stands for it.
  [[nodiscard]] int loop_of(int loop) const { return loop_[loop]; }
  /// The variable that stands for it.
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
  Table<int> loop_;                          // by loop: the one that stands for it
  std::vector<int> open_;                    // of those
  Table<Var> var_;                           // by variable: the one that stands for it
};

}  // namespace rewriter
