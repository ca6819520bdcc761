// The variables of a statement list while it is read. Internal to the reader of lists.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "rewriter/statement.hpp"
#include "rewriter/token_cursor.hpp"

namespace rewriter {

/// Whether the token can be the name of a variable: in a list Python's keywords can.
inline bool is_variable_name(const ast::Token& token) {
  return token.kind == ast::TokenKind::Name || ast::is_keyword(token.kind);
}

class ListScope {
 public:
  /// Both must outlive the scope; variables go into the list.
  ListScope(const ast::TokenCursor& cursor, StatementList& list) : cursor_(cursor), list_(list) {}

  /// Null unless the name is defined.
  const Var* find(const ast::Token& name) const;
  /// Throws ProgramError unless the name is defined.
  Var use(const ast::Token& name) const;
  /// Throws ProgramError if it is defined already.
  Var define(const ast::Token& name, cudamat::Shape shape, Var view_of = kNoVar);

  Span defined_at(std::size_t var) const { return defined_at_[var]; }

 private:
  const ast::TokenCursor& cursor_;
  StatementList& list_;
  std::unordered_map<std::string_view, Var> vars_;  // views of the source
  std::vector<Span> defined_at_;                    // by variable
};

/// The call at the cursor, up to its ')'. Its place in the source is left open.
Statement read_statement_call(ast::TokenCursor& cursor, const ListScope& scope);

}  // namespace rewriter
