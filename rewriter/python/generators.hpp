// What the text of a program says of its generators and of the loops over them. Internal to
// inlining.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "rewriter/python/ast.hpp"

namespace rewriter::ast {

/// Where the items of a loop may end before the generator does.
struct Limits {
  bool before = false;  ///< it is not asked for another one
  bool after = false;   ///< what it yields last is left
};
Limits limits_of(const Iterable& iterable);

bool is_generator_expression(const Program& program, ExprId id);

/// What a loop over the expression may run over: its parts that may be generators.
std::vector<Iterable> iterables_in(const Program& program, ExprId over);

/// What the text of a program says of its functions.
class Scopes {
 public:
  explicit Scopes(const Program& program);
  [[nodiscard]] bool any() const { return !generators_.empty(); }
  /// The generators that a `for` may run over, as its text says.
  [[nodiscard]] std::vector<std::uint32_t> candidates(ExprId over) const;
  /// Names that the function, or the module, binds; of a function also its parameters.
  const std::set<std::string>& locals(std::uint32_t def);
  /// Whether the generator's names mean the same in the function, or module, around the loop.
  bool means_the_same(std::uint32_t def, std::uint32_t loop);
  /// Whether its statements may stand in another function.
  bool may_be_copied(std::uint32_t def);
  /// Whether it yields in a loop that only its own jumps end.
  [[nodiscard]] bool is_endless(std::uint32_t def) const;
  [[nodiscard]] bool yields_in(std::uint32_t begin, std::uint32_t end) const;
  [[nodiscard]] bool defines(std::uint32_t begin, std::uint32_t end) const;

 private:
  template <class F>
  void each_expression(const Statement& statement, F&& work) const {
    const auto of = [&](ExprId id) {
      if (id == kNoExpr) return;
      for (ExprId part = program_[id].first; part <= id; ++part) work(program_[part]);
    };
    of(statement.value);
    of(statement.annotation);
    for (const ExprId target : program_.targets(statement)) of(target);
  }

  const Program& program_;
  std::vector<std::vector<std::uint32_t>> around_;  ///< what has a scope, the outermost first
  std::map<std::string, std::vector<std::uint32_t>> generators_;
  std::map<std::uint32_t, std::set<std::string>> locals_;
  std::map<std::uint32_t, bool> copied_;
};

}  // namespace rewriter::ast
